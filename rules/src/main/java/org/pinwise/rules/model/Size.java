package org.pinwise.rules.model;

/** Sizes in bytes. */
public final class Size {
  public static final long KIB = 1L << 10;
  public static final long MIB = 1L << 20;
  public static final long GIB = 1L << 30;
  public static final long TIB = 1L << 40;

  /** No limit: what a limit holds that is 2^63-1 or more. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private Size() {}

  /**
   * Returns a size as people write it, exact: the largest unit that divides it, such as {@code
   * 64MiB}, {@code 4097B}. {@link #UNLIMITED} is {@code unlimited}.
   */
  public static String text(long bytes) {
    if (bytes == UNLIMITED) {
      return "unlimited";
    }
    if (bytes > 0) {
      if (bytes % TIB == 0) {
        return bytes / TIB + "TiB";
      }
      if (bytes % GIB == 0) {
        return bytes / GIB + "GiB";
      }
      if (bytes % MIB == 0) {
        return bytes / MIB + "MiB";
      }
      if (bytes % KIB == 0) {
        return bytes / KIB + "KiB";
      }
    }
    return bytes + "B";
  }
}
