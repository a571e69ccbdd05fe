/**
 * The verbs that memory registration needs, as a port, and the implementations behind it.
 *
 * <p>This package is not exported. It is C-shaped on purpose: results are values, access flags are
 * raw bits, and nothing here judges a request, but the simulator, which has no kernel to ask and
 * asks the rules instead. What a failure means is said one layer up, by the task API in {@code
 * org.pinwise.registrar}.
 *
 * <p>{@link org.pinwise.registrar.verbs.Verbs} is the port. This is the only package that may use
 * {@link java.lang.foreign.Linker} and {@link java.lang.foreign.SymbolLookup}.
 */
@NullMarked
package org.pinwise.registrar.verbs;

import org.jspecify.annotations.NullMarked;
