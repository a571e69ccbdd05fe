package org.pinwise.engine.facts;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The files of testdata/devinfo. */
final class Corpus {
  private Corpus() {}

  static String text(String name) {
    try (InputStream in = Corpus.class.getClassLoader().getResourceAsStream("devinfo/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the rows of facts.csv without its head. */
  static List<String> rows() {
    return text("facts.csv").lines().skip(1).toList();
  }

  static List<String> dumps() {
    return rows().stream().map(row -> row.substring(0, row.indexOf(','))).toList();
  }
}
