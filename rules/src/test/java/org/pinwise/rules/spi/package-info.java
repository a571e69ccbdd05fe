@NullMarked
package org.pinwise.rules.spi;

import org.jspecify.annotations.NullMarked;
