package org.pinwise.registrar.verbs;

/**
 * Why no device can be opened.
 *
 * @param reason which of the known reasons
 * @param errno what the library said; 0 if it was not asked
 * @param message one line for people: what is missing, and what to do
 */
public record Unavailability(Reason reason, int errno, String message) {

  /** The known reasons. */
  public enum Reason {
    /** The JVM was not told that this code may call native functions. */
    NATIVE_ACCESS_DENIED,
    /** The dynamic linker does not find libibverbs. */
    LIBRARY_MISSING,
    /** The library lacks a function that every supported version has. */
    SYMBOL_MISSING,
    /** The kernel has no RDMA support, or no device. */
    NO_DEVICES
  }
}
