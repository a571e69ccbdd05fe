package org.pinwise.engine.facts;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.FactType;

/** Facts of one type as they are read: each known with its source, or unknown with the reason. */
final class Readings {
  private final SystemFiles files;
  private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, String> reasons = new LinkedHashMap<>();

  Readings(SystemFiles files) {
    this.files = files;
  }

  /** Reads one value. */
  @FunctionalInterface
  interface Source {
    /** Returns the value; null where there is nothing to say. */
    @Nullable Object read() throws IOException, UnknownException;
  }

  /** Reads a field. Nothing that goes wrong ends the reading of others. */
  void read(String field, String where, Source source) {
    try {
      known(field, Objects.requireNonNull(source.read()), where);
    } catch (UnknownException | IOException | RuntimeException e) {
      unknown(field, files.reason(e));
    }
  }

  /** Reads a field of which nothing was read before. */
  void readIfUnknown(String field, String where, Source source) {
    if (values.get(field) == null) {
      read(field, where, source);
    }
  }

  void known(String field, Object value, String where) {
    values.put(field, value);
    sources.put(field, files.shown(where));
    reasons.remove(field);
  }

  /** Keeps the reason where the field is not known otherwise. */
  void unknown(String field, String reason) {
    if (values.get(field) == null) {
      reasons.put(field, files.shown(reason));
    }
  }

  @Nullable Object value(String field) {
    return values.get(field);
  }

  /** Looks for something that is no field. */
  void detail(List<Detail> into, String name, String where, Source source) {
    try {
      Object value = source.read();
      if (value != null && !value.toString().isBlank()) {
        into.add(Detail.found(name, value.toString(), files.shown(where)));
      }
    } catch (IOException | UnknownException | RuntimeException e) {
      into.add(Detail.unknown(name, files.shown(files.reason(e))));
    }
  }

  /** Makes the fact; what a file said that cannot be a field's value is not known. */
  <F> F fact(FactType<F> type) {
    type.fields()
        .forEach(field -> {
          if (values.get(field.name()) instanceof Number number) {
            type.problem(field, number.longValue())
                .ifPresent(problem -> {
                  values.remove(field.name());
                  sources.remove(field.name());
                  unknown(field.name(), problem);
                });
          }
        });
    return type.of(values);
  }

  Map<String, String> sources() {
    return sources;
  }

  Map<String, String> reasons() {
    return reasons;
  }
}
