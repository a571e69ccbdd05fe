/** Rules ready to be evaluated, in three-valued logic. */
@NullMarked
package org.pinwise.engine.eval;

import org.jspecify.annotations.NullMarked;
