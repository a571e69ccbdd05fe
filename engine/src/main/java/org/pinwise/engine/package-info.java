/** Judges memory registrations with the rules. */
@NullMarked
package org.pinwise.engine;

import org.jspecify.annotations.NullMarked;
