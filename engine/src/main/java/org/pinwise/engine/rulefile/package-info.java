/** Rule files: a closed subset of DRL. */
@NullMarked
package org.pinwise.engine.rulefile;

import org.jspecify.annotations.NullMarked;
