/** Reading and writing of single values. */
@NullMarked
package org.pinwise.engine.text;

import org.jspecify.annotations.NullMarked;
