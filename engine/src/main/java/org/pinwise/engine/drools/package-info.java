/** The only place that knows Drools. */
@NullMarked
package org.pinwise.engine.drools;

import org.jspecify.annotations.NullMarked;
