package org.pinwise.engine.lint;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Size;

/** The keys of a service that decide what it may lock and open, and how systemd reads them. */
final class UnitKeys {
  static final String MEMLOCK = "LimitMEMLOCK";
  static final String PRIVATE_DEVICES = "PrivateDevices";
  static final String DEVICE_POLICY = "DevicePolicy";
  static final String DEVICE_ALLOW = "DeviceAllow";
  static final String BOUNDING_SET = "CapabilityBoundingSet";
  static final String AMBIENT = "AmbientCapabilities";
  static final String USER = "User";
  static final String DYNAMIC_USER = "DynamicUser";
  static final String PRIVATE_USERS = "PrivateUsers";

  /** All of them; each belongs into {@code [Service]}. */
  static final Set<String> ALL =
      Set.of(
          MEMLOCK,
          PRIVATE_DEVICES,
          DEVICE_POLICY,
          DEVICE_ALLOW,
          BOUNDING_SET,
          AMBIENT,
          DYNAMIC_USER,
          PRIVATE_USERS);

  /** Names that systemd does not know, without their case and dashes, and what was meant. */
  static final Map<String, String> MISSPELT =
      Map.ofEntries(
          Map.entry("privatedevices", PRIVATE_DEVICES),
          Map.entry("privatedevice", PRIVATE_DEVICES),
          Map.entry("devicepolicy", DEVICE_POLICY),
          Map.entry("deviceallow", DEVICE_ALLOW),
          Map.entry("allowdevice", DEVICE_ALLOW),
          Map.entry("devicesallow", DEVICE_ALLOW),
          Map.entry("capabilityboundingset", BOUNDING_SET),
          Map.entry("capabilitiesboundingset", BOUNDING_SET),
          Map.entry("ambientcapabilities", AMBIENT),
          Map.entry("ambientcapability", AMBIENT),
          Map.entry("ambientcapabilityset", AMBIENT));

  private static final Pattern SIZE =
      Pattern.compile("(\\d{1,20}(?:\\.\\d{1,20})?)\\s*([BKMGTPE]?)");
  private static final String UNITS = "BKMGTPE";
  private static final Pattern UNLIMITED =
      Pattern.compile("-1|unlimited|infinite|inf|max|none|no|-", Pattern.CASE_INSENSITIVE);
  private static final Pattern OTHER_SIZE =
      Pattern.compile("(\\d{1,20})\\s*([KMGTPE])(?:i?B|b)?", Pattern.CASE_INSENSITIVE);
  private static final Set<String> TRUE = Set.of("1", "yes", "y", "true", "t", "on");
  private static final Set<String> FALSE = Set.of("0", "no", "n", "false", "f", "off");

  private UnitKeys() {}

  /** The two limits of a resource in bytes. */
  record Limits(long soft, long hard) {}

  /**
   * Reads a limit as systemd does (rlimit-util.c): a size with the units K, M, G, T, P, E of 1024,
   * or {@code infinity}; one for both limits, or {@code SOFT:HARD}. Empty where systemd ignores it.
   */
  static Optional<Limits> limits(String value) {
    List<String> parts = List.of(value.split(":", -1));
    Long soft = limit(parts.get(0));
    Long hard = limit(parts.get(parts.size() - 1));
    return parts.size() > 2 || soft == null || hard == null || soft > hard
        ? Optional.empty()
        : Optional.of(new Limits(soft, hard));
  }

  private static @Nullable Long limit(String value) {
    if (value.equals("infinity")) {
      return Size.UNLIMITED;
    }
    Matcher size = SIZE.matcher(value);
    if (!size.matches()) {
      return null;
    }
    int unit = size.group(2).isEmpty() ? 0 : UNITS.indexOf(size.group(2));
    return new BigDecimal(size.group(1))
        .multiply(BigDecimal.valueOf(1L << (10 * unit)))
        .min(BigDecimal.valueOf(Size.UNLIMITED))
        .longValue();
  }

  /** Reads what is true or false (parse-util.c); null where systemd ignores it. */
  static @Nullable Boolean truth(String value) {
    String folded = value.toLowerCase(Locale.ROOT);
    if (TRUE.contains(folded)) {
      return true;
    }
    return FALSE.contains(folded) ? false : null;
  }

  /** Returns what to write instead of a value that systemd ignores; null where it reads it. */
  static @Nullable String betterValue(String key, String value) {
    if (key.equals(PRIVATE_DEVICES)) {
      return truth(value) == null ? "no" : null;
    }
    if (!key.endsWith(MEMLOCK) || limits(value).isPresent()) {
      return null;
    }
    Matcher size = OTHER_SIZE.matcher(value);
    if (size.matches()) {
      return size.group(1) + size.group(2).toUpperCase(Locale.ROOT);
    }
    return UNLIMITED.matcher(value).matches() || value.isEmpty() ? "infinity" : "64G, or infinity";
  }
}
