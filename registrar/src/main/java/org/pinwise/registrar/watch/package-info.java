/** What the kernel, and a running JVM, know of memory regions; and where they differ. */
@NullMarked
package org.pinwise.registrar.watch;

import org.jspecify.annotations.NullMarked;
