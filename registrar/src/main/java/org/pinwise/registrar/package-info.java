/** Registers memory for RDMA: consult the rules, call the library, own what came back. */
@NullMarked
package org.pinwise.registrar;

import org.jspecify.annotations.NullMarked;
