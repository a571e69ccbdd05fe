@NullMarked
package org.pinwise.rules.model;

import org.jspecify.annotations.NullMarked;
