/** The Maven plugin: lints configuration files as part of a build. */
@NullMarked
package org.pinwise.engine.maven;

import org.jspecify.annotations.NullMarked;
