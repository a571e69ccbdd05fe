/** Watching a registrar: Flight Recorder events, a management bean, and the kernel's view. */
@NullMarked
package org.pinwise.registrar.monitor;

import org.jspecify.annotations.NullMarked;
