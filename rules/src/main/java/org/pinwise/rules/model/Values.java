package org.pinwise.rules.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values of a fact's fields by name; what is absent is unknown. */
public final class Values {
  private final Map<String, ?> byName;

  Values(Map<String, ?> byName) {
    this.byName = byName;
  }

  boolean isEmpty() {
    return byName.isEmpty();
  }

  /** Returns all values, which FactType checked to be text. */
  Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    byName.forEach((name, value) -> texts.put(name, (String) value));
    return texts;
  }

  @Nullable Boolean flag(String name) {
    return (Boolean) byName.get(name);
  }

  @Nullable Long number(String name) {
    Number number = (Number) byName.get(name);
    return number == null ? null : (Long) number.longValue();
  }

  @Nullable Integer smallNumber(String name) {
    Number number = (Number) byName.get(name);
    return number == null ? null : (Integer) number.intValue();
  }

  @Nullable String text(String name) {
    return (String) byName.get(name);
  }

  <E extends Enum<E>> @Nullable E choice(String name, Class<E> type) {
    Object value = byName.get(name);
    return value == null ? null : type.cast(value);
  }

  @SuppressWarnings("unchecked") // FactType checked the members
  <E extends Enum<E>> @Nullable Set<E> flags(String name) {
    return (Set<E>) byName.get(name);
  }
}
