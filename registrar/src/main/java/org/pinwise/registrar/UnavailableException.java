package org.pinwise.registrar;

import java.io.Serial;

/**
 * There is nothing to open: no native access, no libibverbs, no RDMA device, or none of the name.
 * The message is one line and says what to do. Nothing was opened, and nothing is simulated
 * instead.
 */
public final class UnavailableException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  /** What is missing. */
  public enum Reason {
    /** The JVM was not told that this code may call native functions. */
    NATIVE_ACCESS_DENIED,
    /** The dynamic linker does not find libibverbs. */
    LIBRARY_MISSING,
    /** The library lacks a function that every supported version has. */
    SYMBOL_MISSING,
    /** The kernel has no RDMA support, or no device. */
    NO_DEVICES,
    /** There are devices, and none has the name; or the catalogue has no such device. */
    NO_SUCH_DEVICE
  }

  private final Reason reason;

  UnavailableException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** What is missing. */
  public Reason reason() {
    return reason;
  }
}
