/** Memory made for registering: which pages it is of, and where they are. */
@NullMarked
package org.pinwise.registrar.memory;

import org.jspecify.annotations.NullMarked;
