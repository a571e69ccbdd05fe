/**
 * Lints configuration files: a reader for each format turns a file into facts that know their
 * places, and the rules judge them as they judge calls.
 *
 * <p>A format is one class, a {@link org.pinwise.engine.lint.ConfigReader}, and a line in {@link
 * org.pinwise.engine.lint.Readers}.
 */
@NullMarked
package org.pinwise.engine.lint;

import org.jspecify.annotations.NullMarked;
