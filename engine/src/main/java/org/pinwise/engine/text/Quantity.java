package org.pinwise.engine.text;

import java.math.BigInteger;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads numbers as people write them: decimal, {@code 0x..}, and sizes such as {@code 64MiB}. */
public final class Quantity {
  private static final Pattern SIZE =
      Pattern.compile("(0[xX][0-9a-fA-F]+|(?!0[xX])\\d+)\\s*([A-Za-z]*)");
  private static final BigInteger LIMIT = BigInteger.ONE.shiftLeft(64);
  private static final Map<String, Integer> SHIFTS =
      Map.of("", 0, "B", 0, "KiB", 10, "MiB", 20, "GiB", 30, "TiB", 40);

  private Quantity() {}

  /**
   * Returns an unsigned 64-bit number as a bit pattern.
   *
   * @throws IllegalArgumentException if the text is no such number; the message says why, and what
   *     is allowed
   */
  public static long parse(String text) {
    String trimmed = text.strip();
    if (trimmed.startsWith("-")) {
      throw new IllegalArgumentException(
          trimmed + " is negative; a number here is 0 to 2^64-1 (18446744073709551615)");
    }
    Matcher matcher = SIZE.matcher(trimmed);
    if (trimmed.length() > 80 || !matcher.matches()) {
      throw new IllegalArgumentException(
          "%s is no number; write it as 4096, 0x1000 or 64MiB"
              .formatted(trimmed.length() > 80 ? trimmed.substring(0, 77) + ".." : trimmed));
    }
    Integer shift = SHIFTS.get(matcher.group(2));
    if (shift == null) {
      throw new IllegalArgumentException(
          "%s has the unit %s; units are B, KiB, MiB, GiB, TiB"
              .formatted(trimmed, matcher.group(2)));
    }
    String digits = matcher.group(1);
    boolean hex = digits.startsWith("0x") || digits.startsWith("0X");
    BigInteger value =
        (hex ? new BigInteger(digits.substring(2), 16) : new BigInteger(digits)).shiftLeft(shift);
    if (value.compareTo(LIMIT) >= 0) {
      throw new IllegalArgumentException(
          trimmed + " is beyond 2^64-1 (18446744073709551615), the largest number there is");
    }
    return value.longValue();
  }
}
