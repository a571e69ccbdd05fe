package org.pinwise.engine.lint;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;

/**
 * What one part of a file says, to be judged by itself.
 *
 * @param facts the facts
 * @param subject the key of the fact of which it speaks, such as {@code setting}
 * @param places where the facts' fields were given, by {@code setting.key}
 * @param elsewhere the fields that another file gives, which says what is wrong with them, and the
 *     file, by {@code setting.key}
 * @param whole where the part starts
 * @param host what a plan that runs as the workload learns of its host; its places and files are
 *     those of {@code host.memlock} and so on
 * @param workload what it configures, by which a plan may name it; empty where nothing can
 */
record Statement(
    Facts facts,
    String subject,
    Map<String, Place> places,
    Map<String, String> elsewhere,
    Place whole,
    Host host,
    Optional<Workload> workload) {

  private static final String RANGE = AddressRange.TYPE.key() + ".";
  private static final String PLAN = Plan.TYPE.key() + ".";

  Statement {
    places = Map.copyOf(places);
    elsewhere = Map.copyOf(elsewhere);
  }

  /**
   * Returns where a field was given, or for a derived one what it is derived of; null where
   * nowhere.
   */
  @Nullable Place placeOf(String field) {
    Place given = places.get(field);
    if (given == null && field.startsWith(RANGE)) {
      given = places.get("request.length");
      return given != null ? given : places.get("request.address");
    }
    return given != null || !field.startsWith(PLAN) ? given : places.get(Plan.TYPE.key());
  }

  /** Returns whether it is of a plan. */
  boolean isOfPlan() {
    return facts.configuration() == null && places.containsKey(Plan.TYPE.key());
  }

  /** Makes a statement about a call that a file plans or makes. */
  static Statement ofCall(
      Facts facts, Map<String, Place> places, Place whole, Optional<Workload> workload) {
    return new Statement(
        facts, MrRequest.TYPE.key(), places, Map.of(), whole, Host.UNKNOWN, workload);
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
    private final Map<String, String> elsewhere = new LinkedHashMap<>();
    private final Map<String, @Nullable Object> host = new LinkedHashMap<>();
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

    /** Says that another file gives a field: a finding about it is reported there. */
    Builder<F> elsewhere(String field, String file) {
      elsewhere.put(type.key() + "." + field, file);
      return this;
    }

    /** Sets what a plan learns of its host, which stands at a place; null where it is elsewhere. */
    Builder<F> host(String field, @Nullable Object value, @Nullable Place place) {
      host.put(field, value);
      if (place != null) {
        places.put(Host.TYPE.key() + "." + field, place);
      }
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
          Facts.of(type.of(values)),
          type.key(),
          places,
          elsewhere,
          whole,
          Host.TYPE.of(host),
          Optional.ofNullable(workload));
    }
  }
}
