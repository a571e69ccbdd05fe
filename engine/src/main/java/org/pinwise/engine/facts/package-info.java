/**
 * Where facts come from: the device catalogue, the text of {@code ibv_devinfo -v}, facts files,
 * options of the command line, and this host.
 */
@NullMarked
package org.pinwise.engine.facts;

import org.jspecify.annotations.NullMarked;
