/** Rules: their metadata, their conditions as values, and the port through which they report. */
@NullMarked
package org.pinwise.rules.spi;

import org.jspecify.annotations.NullMarked;
