package org.pinwise.registrar.memory;

import java.io.Serial;
import org.pinwise.rules.model.Errno;

/**
 * Memory of the kind that was asked for could not be had. Nothing of it is left mapped.
 *
 * <p>The message has two lines: what was asked for, what the kernel said and what there is; then,
 * after "Maybe", what to do.
 */
public final class BufferException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  /** What is in the way. */
  public enum Reason {
    /** The JVM was not told that this code may call native functions. */
    NATIVE_ACCESS_DENIED,
    /** The kernel, its configuration or this processor has no such memory. */
    UNSUPPORTED,
    /** The pool of huge pages has too few that are free, everywhere or on the node. */
    POOL_EMPTY,
    /** There is no such NUMA node, or this process may not use it. */
    NO_SUCH_NODE,
    /** There is not that much memory, or not that much address space. */
    NO_MEMORY,
    /** Something else; the errno says what. */
    OTHER
  }

  private final Reason reason;
  private final String operation;
  private final int errno;

  BufferException(Reason reason, String operation, int errno, String detail, String advice) {
    super(
        operation
            + (errno == 0
                ? ""
                : " failed with %s (%d%s)"
                    .formatted(
                        Errno.nameOf(errno),
                        errno,
                        Errno.of(errno).map(known -> ", " + known.text()).orElse("")))
            + ": "
            + detail
            + "\nMaybe "
            + advice);
    this.reason = reason;
    this.operation = operation;
    this.errno = errno;
  }

  /** What is in the way. */
  public Reason reason() {
    return reason;
  }

  /** The function that failed, such as {@code mmap}, or what was looked at before any call. */
  public String operation() {
    return operation;
  }

  /** What it failed with; 0 if no call was made. */
  public int errno() {
    return errno;
  }
}
