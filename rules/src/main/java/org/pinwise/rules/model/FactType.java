package org.pinwise.rules.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Field.Format;
import org.pinwise.rules.model.Field.Kind;

/**
 * A type of facts and its fields: the one place from which rules, facts files and explanations
 * learn what can be said.
 *
 * <p>Every type here is a singleton: one fact of it takes part in every judgement, and what was not
 * given is a fact whose fields are all unknown.
 *
 * @param <F> the record that holds such a fact
 */
public final class FactType<F> {
  /** Linux has no smaller pages on any machine with RDMA devices. */
  private static final long SMALLEST_PAGE = 4096;

  private final String name;
  private final String key;
  private final Class<F> type;
  private final Map<String, Field<F>> fields;
  private final @Nullable Function<String, @Nullable Field<F>> anyField;
  private final Map<String, Field<F>> asked = new ConcurrentHashMap<>();
  private final Set<String> pageSizes;
  private final Function<Values, F> factory;

  /** Made when it is first asked for; that two threads may both make it does no harm. */
  private @Nullable F unknown;

  private FactType(Builder<F> builder, Function<Values, F> factory) {
    this.name = builder.type.getSimpleName();
    this.key = builder.key;
    this.type = builder.type;
    this.fields = new LinkedHashMap<>(builder.fields);
    this.anyField = builder.anyField;
    this.pageSizes = Set.copyOf(builder.pageSizes);
    this.factory = factory;
  }

  static <F> Builder<F> of(Class<F> type, String key) {
    return new Builder<>(type, key);
  }

  /** Returns all types of facts, in the order in which texts name them. */
  public static List<FactType<?>> all() {
    List<FactType<?>> all =
        new ArrayList<>(
            List.of(
                MrRequest.TYPE,
                AddressRange.TYPE,
                Memory.TYPE,
                Device.TYPE,
                Host.TYPE,
                Plan.TYPE,
                Labels.TYPE));
    all.addAll(Configuration.types());
    return List.copyOf(all);
  }

  /** Finds a type by its name in rules, such as {@code MrRequest}. */
  public static Optional<FactType<?>> byName(String name) {
    return all().stream().filter(t -> t.name().equals(name)).findFirst();
  }

  /** Returns the name in rules: the record's simple name. */
  public String name() {
    return name;
  }

  /** Returns the name in facts files and in {@code needs}, such as {@code device}. */
  public String key() {
    return key;
  }

  /** Returns the record's class. */
  public Class<F> type() {
    return type;
  }

  /**
   * Returns whether such a fact is a {@link Configuration}, of which a judgement has at most one.
   */
  public boolean isConfiguration() {
    return Configuration.class.isAssignableFrom(type);
  }

  /** Returns the fields, in the order of their declaration. */
  public Collection<Field<F>> fields() {
    return fields.values();
  }

  /** Finds a field by name; a type of labels has any. */
  public Optional<Field<F>> field(String fieldName) {
    Field<F> field = fields.get(fieldName);
    if (field == null && anyField != null) {
      // One for all, so that conditions that read it are equal.
      field = asked.get(fieldName);
      Field<F> made = field == null ? anyField.apply(fieldName) : null;
      if (made != null) {
        Field<F> before = asked.putIfAbsent(fieldName, made);
        field = before == null ? made : before;
      }
    }
    return Optional.ofNullable(field);
  }

  /** Returns the fact of which nothing is known. */
  public F unknown() {
    F fact = unknown;
    if (fact == null) {
      fact = factory.apply(new Values(Map.of()));
      unknown = fact;
    }
    return fact;
  }

  /**
   * Makes a fact of values by field name; an absent or null value is unknown.
   *
   * @throws IllegalArgumentException if a name is no field's, or a value not of the field's kind
   */
  public F of(Map<String, ? extends @Nullable Object> values) {
    if (values.isEmpty()) {
      return unknown();
    }
    Map<String, Object> checked = new LinkedHashMap<>(2 * values.size());
    values.forEach((fieldName, value) -> {
      Field<F> field = fields.get(fieldName);
      field = field == null ? field(fieldName).orElse(null) : field;
      if (field == null) {
        throw new IllegalArgumentException(
            "%s has no field %s; it has %s".formatted(name, fieldName, fields.keySet()));
      }
      if (value != null) {
        checked.put(fieldName, check(field, value));
      }
    });
    return factory.apply(new Values(checked));
  }

  /**
   * Returns a fact of which some values are other ones; a null value is unknown.
   *
   * @throws IllegalArgumentException if a name is no field's, or a value not of the field's kind
   */
  public F with(F fact, Map<String, ? extends @Nullable Object> changes) {
    Map<String, @Nullable Object> changed = values(fact);
    changed.putAll(changes);
    return of(changed);
  }

  /** Returns a fact without what may differ by the time of a call. */
  public F withoutLive(F fact) {
    Map<String, @Nullable Object> lasting = values(fact);
    fields.forEach((fieldName, field) -> {
      if (field.volatility() == Volatility.LIVE) {
        lasting.remove(fieldName);
      }
    });
    return of(lasting);
  }

  private Object check(Field<F> field, Object value) {
    boolean fits =
        switch (field.kind()) {
          case BOOLEAN -> value instanceof Boolean;
          case NUMBER -> value instanceof Number n && n.longValue() >= 0;
          case TEXT -> value instanceof String;
          case CHOICE -> field.valueType().isInstance(value);
          case FLAGS ->
              value instanceof Set<?> set && set.stream().allMatch(field.valueType()::isInstance);
        };
    if (!fits) {
      throw new IllegalArgumentException(
          "%s.%s takes a %s, not %s (%s)"
              .formatted(key, field.name(), field.kind(), value, value.getClass().getSimpleName()));
    }
    if (value instanceof Number number) {
      problem(field, number.longValue())
          .ifPresent(problem -> {
            throw new IllegalArgumentException(key + "." + problem);
          });
    }
    return value;
  }

  /**
   * Says why a number, 0 to 2^63-1, cannot be the value of a field of this type; empty where it
   * can.
   */
  public Optional<String> problem(Field<?> field, long number) {
    if (number > Integer.MAX_VALUE && isSmall(field)) {
      return Optional.of("%s is at most %d".formatted(field.name(), Integer.MAX_VALUE));
    }
    if (pageSizes.contains(field.name())
        && (number < SMALLEST_PAGE || Long.bitCount(number) != 1)) {
      return Optional.of(
          "%s is a power of two of at least %s, not %s"
              .formatted(field.name(), Size.text(SMALLEST_PAGE), field.show(number)));
    }
    return Optional.empty();
  }

  /** Returns whether the record holds the field as an int, so that a larger number would be cut. */
  private boolean isSmall(Field<?> field) {
    return Arrays.stream(type.getRecordComponents())
        .anyMatch(c -> c.getName().equals(field.name()) && c.getType() == Integer.class);
  }

  /** Returns the values of a fact's fields by name, null where unknown; all fields are there. */
  public Map<String, @Nullable Object> values(F fact) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    fields.forEach((fieldName, field) -> values.put(fieldName, field.read(fact)));
    return values;
  }

  @Override
  public String toString() {
    return name;
  }

  /** Collects the fields of a type. */
  static final class Builder<F> {
    private final Class<F> type;
    private final String key;
    private final Map<String, Field<F>> fields = new LinkedHashMap<>();
    private final Set<String> pageSizes = new HashSet<>();
    private @Nullable Function<String, @Nullable Field<F>> anyField;

    private Builder(Class<F> type, String key) {
      this.type = type;
      this.key = key;
    }

    Builder<F> flag(
        String name, Function<F, @Nullable Boolean> reader, Volatility volatility, String doc) {
      return add(name, Kind.BOOLEAN, Boolean.class, Format.PLAIN, volatility, doc, reader);
    }

    Builder<F> number(
        String name,
        Function<F, ? extends @Nullable Number> reader,
        Format format,
        Volatility volatility,
        String doc) {
      return add(name, Kind.NUMBER, Long.class, format, volatility, doc, reader);
    }

    /** The size of pages in bytes: arithmetic takes it for a power of two. */
    Builder<F> pageSize(
        String name, Function<F, @Nullable Long> reader, Volatility volatility, String doc) {
      pageSizes.add(name);
      return number(name, reader, Format.BYTES, volatility, doc);
    }

    Builder<F> text(
        String name, Function<F, @Nullable String> reader, Volatility volatility, String doc) {
      return add(name, Kind.TEXT, String.class, Format.PLAIN, volatility, doc, reader);
    }

    /** Every name of a form is a field that holds text. */
    Builder<F> anyText(
        String form,
        BiFunction<F, String, @Nullable String> reader,
        Volatility volatility,
        String doc) {
      anyField =
          name ->
              name.matches(form)
                  ? new Field<>(
                      name,
                      Kind.TEXT,
                      String.class,
                      Format.PLAIN,
                      volatility,
                      doc,
                      fact -> reader.apply(fact, name))
                  : null;
      return this;
    }

    <E extends Enum<E>> Builder<F> choice(
        String name,
        Class<E> choices,
        Function<F, @Nullable E> reader,
        Volatility volatility,
        String doc) {
      return add(name, Kind.CHOICE, choices, Format.PLAIN, volatility, doc, reader);
    }

    <E extends Enum<E>> Builder<F> flags(
        String name,
        Class<E> members,
        Function<F, @Nullable Set<E>> reader,
        Volatility volatility,
        String doc) {
      return add(name, Kind.FLAGS, members, Format.PLAIN, volatility, doc, reader);
    }

    @SuppressWarnings("unchecked") // what returns a part of all objects returns objects
    private Builder<F> add(
        String name,
        Kind kind,
        Class<?> valueType,
        Format format,
        Volatility volatility,
        String doc,
        Function<F, ? extends @Nullable Object> reader) {
      Function<F, @Nullable Object> any = (Function<F, @Nullable Object>) reader;
      fields.put(name, new Field<>(name, kind, valueType, format, volatility, doc, any));
      return this;
    }

    /**
     * Ends the declaration.
     *
     * @throws IllegalStateException if a component of the record is no field, other than those
     *     named
     */
    FactType<F> build(Function<Values, F> factory, String... notFields) {
      List<String> missing = new ArrayList<>();
      Set<String> known = new HashSet<>(fields.keySet());
      known.addAll(List.of(notFields));
      for (var component : type.getRecordComponents()) {
        if (!known.contains(component.getName())) {
          missing.add(component.getName());
        }
      }
      if (!missing.isEmpty()) {
        throw new IllegalStateException(type + ": no field is declared for " + missing);
      }
      return new FactType<>(this, factory);
    }
  }
}
