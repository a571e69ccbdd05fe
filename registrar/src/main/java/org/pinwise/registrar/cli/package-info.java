/** What the registrar adds to {@code pinwise}: its commands, and devices named by live:NAME. */
@NullMarked
package org.pinwise.registrar.cli;

import org.jspecify.annotations.NullMarked;
