package org.pinwise.engine.lint;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads quantities of Kubernetes, such as {@code 1.5Gi}, {@code 100m}, {@code 2e9}. */
final class KubernetesQuantity {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{1,19}(?:\\.\\d{0,9})?|\\.\\d{1,9})(?:([eE][+-]?\\d{1,2})|([numkMGTPE]|[KMGTPE]i))?");
  private static final Map<String, BigDecimal> UNITS =
      Map.ofEntries(
          Map.entry("n", BigDecimal.ONE.movePointLeft(9)),
          Map.entry("u", BigDecimal.ONE.movePointLeft(6)),
          Map.entry("m", BigDecimal.ONE.movePointLeft(3)),
          Map.entry("k", BigDecimal.ONE.movePointRight(3)),
          Map.entry("M", BigDecimal.ONE.movePointRight(6)),
          Map.entry("G", BigDecimal.ONE.movePointRight(9)),
          Map.entry("T", BigDecimal.ONE.movePointRight(12)),
          Map.entry("P", BigDecimal.ONE.movePointRight(15)),
          Map.entry("E", BigDecimal.ONE.movePointRight(18)),
          Map.entry("Ki", BigDecimal.valueOf(1L << 10)),
          Map.entry("Mi", BigDecimal.valueOf(1L << 20)),
          Map.entry("Gi", BigDecimal.valueOf(1L << 30)),
          Map.entry("Ti", BigDecimal.valueOf(1L << 40)),
          Map.entry("Pi", BigDecimal.valueOf(1L << 50)),
          Map.entry("Ei", BigDecimal.valueOf(1L << 60)));

  private KubernetesQuantity() {}

  /** Returns the quantity; null where the text is none. */
  static @Nullable BigDecimal parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    BigDecimal number = new BigDecimal(matcher.group(1));
    if (matcher.group(2) != null) {
      return number.scaleByPowerOfTen(Integer.parseInt(matcher.group(2).substring(1)));
    }
    return matcher.group(3) == null
        ? number
        : number.multiply(UNITS.getOrDefault(matcher.group(3), BigDecimal.ONE));
  }

  /** Returns the quantity in whole units, rounded up as Kubernetes does; null where it is none. */
  static @Nullable Long whole(String text) {
    BigDecimal quantity = parse(text);
    if (quantity == null) {
      return null;
    }
    BigDecimal up = quantity.setScale(0, RoundingMode.CEILING);
    return up.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? (Long) Long.MAX_VALUE
        : (Long) up.longValue();
  }
}
