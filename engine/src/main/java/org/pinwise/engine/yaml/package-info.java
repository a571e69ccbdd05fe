/** YAML and JSON values that know their place. */
@NullMarked
package org.pinwise.engine.yaml;

import org.jspecify.annotations.NullMarked;
