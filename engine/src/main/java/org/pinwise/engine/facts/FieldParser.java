package org.pinwise.engine.facts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Field.Format;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.model.Unsigned;

/**
 * Reads the value of a field as people write it. It knows kinds of fields, not fields: a field that
 * is added to a record can be given at once.
 */
final class FieldParser {
  /** Says of any field but a text that it is not known. */
  static final String UNKNOWN = "unknown";

  private static final String UNLIMITED = "unlimited";

  /** What {@code mmap} users write; the constants' own names are longer. */
  private static final Map<String, Protection> PROTECTIONS =
      Map.of("r", Protection.READ, "w", Protection.WRITE, "rw", Protection.READ_WRITE);

  private FieldParser() {}

  /**
   * Reads a mapping's values by field name.
   *
   * @param otherKeys keys that are allowed beside the fields' names; their values are left alone
   * @throws org.pinwise.engine.InputException if a key is no field or a value does not fit it
   */
  static <F> Map<String, @Nullable Object> values(
      FactType<F> type, Yaml.Mapping mapping, String... otherKeys) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    List<String> others = Arrays.asList(otherKeys);
    mapping
        .entries()
        .forEach((key, value) -> {
          if (!others.contains(key)) {
            Field<F> field = type.field(key).orElseThrow(() -> noField(type, key, value));
            values.put(key, value(type, field, value));
          }
        });
    return values;
  }

  private static RuntimeException noField(FactType<?> type, String key, Yaml value) {
    List<String> names = type.fields().stream().map(Field::name).map(String::valueOf).toList();
    return value.problem(
        "%s has no field %s%s; it has %s"
            .formatted(type.key(), Shown.of(key), Nearest.hint(Shown.of(key), names), names));
  }

  /** Reads one value; null where it says {@code unknown}. */
  static @Nullable Object value(FactType<?> type, Field<?> field, Yaml value) {
    if (field.kind() != Field.Kind.TEXT
        && value instanceof Yaml.Scalar scalar
        && scalar.text().equals(UNKNOWN)) {
      return null;
    }
    return switch (field.kind()) {
      case BOOLEAN -> flag(value);
      case NUMBER -> number(type, field, value);
      case TEXT -> value.asText();
      case CHOICE -> choice(value, value.asText(), field.valueType());
      case FLAGS -> flags(value, field.valueType());
    };
  }

  private static boolean flag(Yaml value) {
    String text = value.asText();
    if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
      return text.equalsIgnoreCase("true");
    }
    throw value.problem("true or false is expected here, not " + Shown.of(text));
  }

  private static long number(FactType<?> type, Field<?> field, Yaml value) {
    String text = value.asText();
    if (field.format() == Format.KERNEL) {
      OptionalInt kernel = Kernel.parse(text);
      return kernel.orElseThrow(() ->
          value.problem(
              "%s is no kernel version; write it as 6.12 or 6.1.0-49-amd64"
                  .formatted(Shown.of(text))));
    }
    long number =
        text.equals(UNLIMITED) && field.format() != Format.HEX
            ? Long.MAX_VALUE
            : Unsigned.saturated(value.asUnsigned());
    type.problem(field, number)
        .ifPresent(problem -> {
          throw value.problem(problem);
        });
    return number;
  }

  /** Finds an enum's constant, in any case and with {@code -} for {@code _}. */
  static Object choice(Yaml place, String text, Class<?> type) {
    String name = text.strip().toUpperCase(Locale.ROOT).replace('-', '_');
    List<String> names = new ArrayList<>();
    for (Object constant : type.getEnumConstants()) {
      String candidate = ((Enum<?>) constant).name();
      if (candidate.equals(name)) {
        return constant;
      }
      names.add(candidate.toLowerCase(Locale.ROOT));
    }
    if (type == Protection.class) {
      Protection alias = PROTECTIONS.get(text.strip().toLowerCase(Locale.ROOT));
      if (alias != null) {
        return alias;
      }
    }
    String shown = Shown.of(text);
    throw place.problem("%s is none of %s%s".formatted(shown, names, Nearest.hint(shown, names)));
  }

  private static Set<?> flags(Yaml value, Class<?> type) {
    List<Object> constants = new ArrayList<>();
    for (Yaml item : value.asList()) {
      String text = item.asText();
      if (text.isBlank()) {
        throw item.problem("a name is expected here; write [] for none");
      }
      for (String name : text.split("[|,]", -1)) {
        constants.add(choice(item, name, type));
      }
    }
    return set(constants, type);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // type is an enum: Field's kind says so
  static Set<?> set(List<Object> constants, Class<?> type) {
    EnumSet set = EnumSet.noneOf((Class) type);
    set.addAll((List) constants);
    return Collections.unmodifiableSet(set);
  }
}
