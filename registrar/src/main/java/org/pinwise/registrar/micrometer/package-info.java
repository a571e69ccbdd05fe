/**
 * Meters for Micrometer, which is not needed unless this package is used. It is the one package
 * whose signatures have types of another library, since a meter registry is what it is about.
 */
@NullMarked
package org.pinwise.registrar.micrometer;

import org.jspecify.annotations.NullMarked;
