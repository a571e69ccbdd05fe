/** Facts about a memory registration, and the rules that judge them. */
@NullMarked
package org.pinwise.rules;

import org.jspecify.annotations.NullMarked;
