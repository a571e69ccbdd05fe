package org.pinwise.engine.lint;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;

/**
 * What one part of a file says, to be judged by itself.
 *
 * @param facts the facts
 * @param subject the key of the fact of which it speaks, such as {@code setting}
 * @param places where the facts' fields were given, by {@code setting.key}
 * @param whole where the part starts
 * @param workload what it configures, by which a plan may name it; empty where nothing can
 */
record Statement(
    Facts facts,
    String subject,
    Map<String, Place> places,
    Place whole,
    Optional<Workload> workload) {

  Statement {
    places = Map.copyOf(places);
  }

  /**
   * Returns where a field was given, or for a derived one what it is derived of; null where
   * nowhere.
   */
  @Nullable Place placeOf(String field) {
    return places.get(field);
  }

  /** Returns a builder of a statement about a configuration fact. */
  static <F extends Configuration> Builder<F> of(FactType<F> type, Place whole) {
    return new Builder<>(type, whole);
  }

  /** Collects a fact's values and their places. */
  static final class Builder<F extends Configuration> {
    private final FactType<F> type;
    private final Place whole;
    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private final Map<String, Place> places = new LinkedHashMap<>();
    private @Nullable Workload workload;

    private Builder(FactType<F> type, Place whole) {
      this.type = type;
      this.whole = whole;
    }

    /** Sets a field that the file does not say itself. */
    Builder<F> set(String field, @Nullable Object value) {
      values.put(field, value);
      return this;
    }

    /** Sets a field that stands at a place. */
    Builder<F> set(String field, @Nullable Object value, Place place) {
      values.put(field, value);
      return at(field, place);
    }

    /** Says where a field stands, or should stand. */
    Builder<F> at(String field, Place place) {
      places.put(type.key() + "." + field, place);
      return this;
    }

    /** Says what it configures. */
    Builder<F> workload(@Nullable Workload configured) {
      workload = configured;
      return this;
    }

    /**
     * Makes the statement.
     *
     * @throws IllegalArgumentException if a field or a value is none of the type's
     */
    Statement build() {
      return new Statement(
          Facts.of(type.of(values)), type.key(), places, whole, Optional.ofNullable(workload));
    }
  }
}
