/** Facts: what a memory registration is, where it happens, and on which device. */
@NullMarked
package org.pinwise.rules.model;

import org.jspecify.annotations.NullMarked;
