@NullMarked
package org.pinwise.engine.facts;

import org.jspecify.annotations.NullMarked;
