package org.pinwise.engine.rulefile;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Size;

/**
 * The names that a rule file may use: types of facts, enums of their fields, and the two classes of
 * named numbers. It is derived from {@link FactType#all()}, so a new fact or choice is known here
 * by itself.
 */
final class Vocabulary {
  /** The package from which a rule file may import. */
  static final String MODEL = "org.pinwise.rules.model.";

  /** The singleton that holds a rule's parameters. */
  static final String PARAMETERS = "Parameters";

  private final Map<String, FactType<?>> factTypes = new TreeMap<>();
  private final Map<String, Class<?>> choices = new TreeMap<>();
  private final Map<String, Map<String, Long>> numbers = new TreeMap<>();

  Vocabulary() {
    for (FactType<?> type : FactType.all()) {
      factTypes.put(type.name(), type);
      type.fields().stream()
          .map(org.pinwise.rules.model.Field::valueType)
          .filter(Class::isEnum)
          .forEach(choice -> choices.put(choice.getSimpleName(), choice));
    }
    for (Class<?> holder : List.of(Kernel.class, Size.class)) {
      numbers.put(holder.getSimpleName(), constants(holder));
    }
  }

  /** The holders' public constants are what DRL itself reads, hence reflection. */
  private static Map<String, Long> constants(Class<?> holder) {
    Map<String, Long> constants = new TreeMap<>();
    for (Field field : holder.getFields()) {
      if (Modifier.isStatic(field.getModifiers())) {
        try {
          constants.put(field.getName(), field.getLong(null));
        } catch (IllegalAccessException e) {
          throw new IllegalStateException(e);
        }
      }
    }
    return constants;
  }

  Optional<FactType<?>> factType(String name) {
    return Optional.ofNullable(factTypes.get(name));
  }

  List<String> factTypeNames() {
    return List.copyOf(factTypes.keySet());
  }

  /** Returns every simple name that may be imported. */
  List<String> importable() {
    return java.util.stream.Stream.of(
            factTypes.keySet(), choices.keySet(), numbers.keySet(), List.of(PARAMETERS))
        .flatMap(names -> names.stream())
        .sorted()
        .toList();
  }

  boolean isChoice(String name) {
    return choices.containsKey(name);
  }

  boolean isNumbers(String name) {
    return numbers.containsKey(name);
  }

  /** Returns a constant's value: an enum's constant or a Long; null where there is none. */
  @Nullable Object constant(String holder, String name) {
    Class<?> choice = choices.get(holder);
    if (choice != null) {
      return Arrays.stream(choice.getEnumConstants())
          .filter(constant -> ((Enum<?>) constant).name().equals(name))
          .findFirst()
          .orElse(null);
    }
    Map<String, Long> values = numbers.get(holder);
    return values == null ? null : values.get(name);
  }

  /** Returns the constants of an enum or of a class of numbers. */
  List<String> constantNames(String holder) {
    Class<?> choice = choices.get(holder);
    if (choice != null) {
      return Arrays.stream(choice.getEnumConstants())
          .map(constant -> ((Enum<?>) constant).name())
          .collect(Collectors.toList());
    }
    Map<String, Long> values = numbers.get(holder);
    return values == null ? List.of() : List.copyOf(values.keySet());
  }
}
