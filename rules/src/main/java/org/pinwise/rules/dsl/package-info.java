/** Rules in Java: the same values as rule files give, with the same logic. */
@NullMarked
package org.pinwise.rules.dsl;

import org.jspecify.annotations.NullMarked;
