/** Verdicts as JSON, for programs. */
@NullMarked
package org.pinwise.engine.json;

import org.jspecify.annotations.NullMarked;
