package org.pinwise.engine.facts;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;

/**
 * Reads an access argument: names of flags with or without {@code IBV_ACCESS_}, in any case,
 * separated by {@code |} or {@code ,}; numbers, {@code 0x..} or decimal, of up to 32 bits; or both.
 * {@code 0} is no flag.
 *
 * {@snippet :
 * AccessParser.parse("LOCAL_WRITE | ibv_access_remote_read");
 * AccessParser.parse("0x100001");
 * }
 */
public final class AccessParser {
  private static final List<String> NAMES =
      Arrays.stream(AccessFlag.values()).map(AccessFlag::name).toList();
  private static final String PREFIX = "IBV_ACCESS_";

  private AccessParser() {}

  /**
   * Reads an access argument.
   *
   * @throws IllegalArgumentException if it holds something else; the message is one line, names the
   *     part and the flags that are near to it
   */
  public static Access parse(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("the access is empty; write 0 for no flag");
    }
    int bits = 0;
    for (String part : text.split("[|,]", -1)) {
      bits |= bits(part.strip());
    }
    return Access.ofBits(bits);
  }

  /**
   * Reads an access argument of a facts file: a text, a number, or a list of them; an empty list is
   * no flag.
   *
   * @throws org.pinwise.engine.InputException if it holds something else
   */
  static Access parse(Yaml value) {
    List<Integer> parts = new ArrayList<>();
    for (Yaml item : value.asList()) {
      try {
        parts.add(parse(item.asText()).bits());
      } catch (IllegalArgumentException e) {
        throw item.problem(String.valueOf(e.getMessage()));
      }
    }
    return Access.ofBits(parts.stream().reduce(0, (a, b) -> a | b));
  }

  private static int bits(String part) {
    if (part.matches("-?[0-9].*")) {
      return number(part);
    }
    Optional<AccessFlag> flag = AccessFlag.byName(part.replace('-', '_'));
    return flag.orElseThrow(() -> new IllegalArgumentException(unknown(part))).bit();
  }

  private static int number(String part) {
    boolean hex = part.matches("0[xX][0-9a-fA-F]{1,64}");
    if (!hex && !part.matches("[0-9]{1,64}")) {
      throw new IllegalArgumentException(
          "%s is no access; write names such as LOCAL_WRITE, or a number of up to 32 bits"
              .formatted(Shown.of(part)));
    }
    BigInteger value = hex ? new BigInteger(part.substring(2), 16) : new BigInteger(part);
    if (value.bitLength() > Integer.SIZE) {
      throw new IllegalArgumentException(
          "%s has more than the 32 bits of an access argument".formatted(Shown.of(part)));
    }
    return value.intValue();
  }

  private static String unknown(String part) {
    if (part.isEmpty()) {
      return "a flag is missing beside a separator; write names as LOCAL_WRITE|REMOTE_READ";
    }
    String shown = Shown.of(part);
    if (part.matches("\\S+\\s+\\S.*")) {
      return "%s is no access flag; separate flags by | or ,".formatted(shown);
    }
    String upper = shown.toUpperCase(Locale.ROOT);
    String bare = upper.startsWith(PREFIX) ? upper.substring(PREFIX.length()) : shown;
    String hint = Nearest.hint(bare, NAMES);
    return "%s is no access flag%s"
        .formatted(shown, hint.isEmpty() ? "; there are " + NAMES : hint);
  }
}
