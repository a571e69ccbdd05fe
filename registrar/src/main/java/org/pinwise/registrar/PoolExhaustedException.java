package org.pinwise.registrar;

import java.io.Serial;

/** A pool has no buffer left, and may make no more. */
public final class PoolExhaustedException extends IllegalStateException {

  @Serial private static final long serialVersionUID = 1L;

  PoolExhaustedException(String message) {
    super(message);
  }
}
