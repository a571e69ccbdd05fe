package org.pinwise.rules.model;

import java.util.Optional;

/**
 * Error numbers that verbs give, as Linux numbers them on x86-64 and arm64 ({@code
 * include/uapi/asm-generic/errno-base.h}, {@code errno.h}).
 */
public enum Errno {
  EPERM(1, "Operation not permitted"),
  ENOENT(2, "No such file or directory"),
  EINTR(4, "Interrupted system call"),
  EIO(5, "Input/output error"),
  ENXIO(6, "No such device or address"),
  EBADF(9, "Bad file descriptor"),
  EAGAIN(11, "Resource temporarily unavailable"),
  ENOMEM(12, "Cannot allocate memory"),
  EACCES(13, "Permission denied"),
  EFAULT(14, "Bad address"),
  EBUSY(16, "Device or resource busy"),
  ENODEV(19, "No such device"),
  EINVAL(22, "Invalid argument"),
  ENFILE(23, "Too many open files in system"),
  EMFILE(24, "Too many open files"),
  ENOSPC(28, "No space left on device"),
  ENOSYS(38, "Function not implemented"),
  EOVERFLOW(75, "Value too large for defined data type"),
  EPROTONOSUPPORT(93, "Protocol not supported"),
  EOPNOTSUPP(95, "Operation not supported"),
  ETIMEDOUT(110, "Connection timed out");

  private final int number;
  private final String text;

  Errno(int number, String text) {
    this.number = number;
    this.text = text;
  }

  /** Returns the number, positive. */
  public int number() {
    return number;
  }

  /** Returns what {@code strerror} says. */
  public String text() {
    return text;
  }

  /** Returns the name of a number; empty for one that is not among these. */
  public static Optional<Errno> of(int number) {
    for (Errno errno : values()) {
      if (errno.number == number) {
        return Optional.of(errno);
      }
    }
    return Optional.empty();
  }

  /** Returns the name of a number, or {@code errno 123} for one that has none here. */
  public static String nameOf(int number) {
    return of(number).map(Errno::name).orElse("errno " + number);
  }
}
