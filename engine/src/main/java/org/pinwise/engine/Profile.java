package org.pinwise.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Severity;

/**
 * Grades rules by id, sets their parameters, and switches rules off.
 *
 * <pre>
 * profile: fleet
 * rules:
 *   MR023: {severity: error}
 *   MR041: {off: "our buffers come from an allocator that we cannot change"}
 *   MR048: {ratioPercent: 60}
 * </pre>
 *
 * @param name the profile's name
 * @param settings what it says of rules, by a room's id or a rule's
 */
public record Profile(String name, Map<String, Setting> settings) {
  private static final List<String> BUILT_IN = List.of("kernel", "strict");

  /** The rules as the kernel has them. */
  public static final Profile KERNEL = new Profile("kernel", Map.of());

  /** Keeps an immutable copy, in its order. */
  public Profile {
    settings = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /**
   * What a profile says of a rule.
   *
   * @param severity the severity that it has; null for its own
   * @param off why it is switched off; null where it is not
   * @param parameters values of its parameters
   * @param where where it says so, such as {@code team.yaml:3:3}
   */
  public record Setting(
      @Nullable Severity severity,
      @Nullable String off,
      Map<String, Long> parameters,
      String where) {}

  /** Returns what the profile says of a rule, or of its room; null where it says nothing. */
  public @Nullable Setting setting(RuleMeta rule) {
    Setting own = settings.get(rule.id());
    return own != null ? own : settings.get(rule.room());
  }

  /** Returns the names of the profiles that come with Pinwise. */
  public static List<String> builtInNames() {
    return BUILT_IN;
  }

  /**
   * Returns a profile that comes with Pinwise.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  public static Profile builtIn(String name) {
    if (name.equals(KERNEL.name)) {
      return KERNEL;
    }
    if (!BUILT_IN.contains(name)) {
      throw new IllegalArgumentException(
          "there is no profile %s%s; there are %s"
              .formatted(name, Nearest.hint(name, BUILT_IN), BUILT_IN));
    }
    String resource = "/org/pinwise/profiles/" + name + ".yaml";
    try (InputStream in = RuleProblem.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the rules jar holds no " + resource);
      }
      return of(Yaml.parse(name + ".yaml", new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /**
   * Reads a profile from a file.
   *
   * @throws InputException if it cannot be read or says what a profile cannot
   */
  public static Profile load(Path file) {
    return of(Yaml.read(file));
  }

  private static Profile of(Yaml root) {
    Yaml.Mapping top = root.asMapping("a profile");
    top.allow("profile", "rules");
    String name = top.require("profile").asText();
    Map<String, Setting> settings = new LinkedHashMap<>();
    top.get("rules")
        .ifPresent(rules ->
            rules
                .asMapping("rules")
                .entries()
                .forEach((id, setting) -> settings.put(id, setting(setting))));
    return new Profile(name, settings);
  }

  private static Setting setting(Yaml yaml) {
    Severity severity = null;
    String off = null;
    Map<String, Long> parameters = new LinkedHashMap<>();
    for (Map.Entry<String, Yaml> entry : yaml.asMapping("a rule's setting").entries().entrySet()) {
      Yaml value = entry.getValue();
      switch (entry.getKey()) {
        case "severity" -> severity = severity(value);
        case "off" -> off = reason(value);
        default -> parameters.put(entry.getKey(), value.asUnsigned());
      }
    }
    return new Setting(severity, off, parameters, yaml.where());
  }

  private static Severity severity(Yaml yaml) {
    String text = yaml.asText();
    for (Severity severity : Severity.values()) {
      if (severity.name().toLowerCase(Locale.ROOT).equals(text)) {
        return severity;
      }
    }
    throw yaml.problem("severity is error, warning or info, not " + text);
  }

  private static String reason(Yaml yaml) {
    String reason = yaml.asText().strip();
    if (reason.isEmpty() || reason.equals("true") || reason.equals("false")) {
      throw yaml.problem("off takes the reason why the rule is switched off, as text");
    }
    return reason;
  }
}
