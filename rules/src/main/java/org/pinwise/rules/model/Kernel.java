package org.pinwise.rules.model;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Kernel versions as ints: major x 1000 + minor, so that rules compare them. Patch levels are left
 * out: no rule depends on one.
 */
public final class Kernel {
  public static final int V5_6 = 5_006;
  public static final int V5_12 = 5_012;
  public static final int V6_1 = 6_001;
  public static final int V6_2 = 6_002;
  public static final int V6_5 = 6_005;
  public static final int V6_8 = 6_008;
  public static final int V6_12 = 6_012;
  public static final int V6_15 = 6_015;
  public static final int V6_18 = 6_018;
  public static final int V7_0 = 7_000;
  public static final int V7_2 = 7_002;
  public static final int V7_3 = 7_003;

  /** Two numbers, more of them, and what a distribution adds: {@code 6.1.0-49-amd64}. */
  private static final Pattern VERSION =
      Pattern.compile(
          "([1-9]\\d?)\\.(0|[1-9]\\d{0,2})(?:\\.\\d{1,9}){0,4}(?:\\+|[-_~.+][-+_~.\\w]{1,80})?");

  private Kernel() {}

  /**
   * Reads a version such as {@code 6.12}, {@code 6.12.117} or {@code 6.1.0-49-amd64}.
   *
   * @return empty where the text is none
   */
  public static OptionalInt parse(String version) {
    Matcher matcher = VERSION.matcher(version.strip());
    return matcher.matches()
        ? OptionalInt.of(of(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : OptionalInt.empty();
  }

  /** Returns the int of a version. */
  public static int of(int major, int minor) {
    return major * 1000 + minor;
  }

  /** Returns a version as people write it, such as {@code 6.12}. */
  public static String text(int version) {
    return version / 1000 + "." + version % 1000;
  }
}
