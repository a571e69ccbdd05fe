/** The command line {@code pinwise}: options to facts, verdicts to text or JSON, and no judging. */
@NullMarked
package org.pinwise.engine.cli;

import org.jspecify.annotations.NullMarked;
