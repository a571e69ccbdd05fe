/**
 * A cache of registrations: memory that is used again is not registered again.
 *
 * <p>Start at {@link org.pinwise.registrar.cache.RegionCache}.
 */
@NullMarked
package org.pinwise.registrar.cache;

import org.jspecify.annotations.NullMarked;
