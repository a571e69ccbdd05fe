@NullMarked
package org.pinwise.engine.eval;

import org.jspecify.annotations.NullMarked;
