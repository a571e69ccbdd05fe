@NullMarked
package org.pinwise.engine.rulefile;

import org.jspecify.annotations.NullMarked;
