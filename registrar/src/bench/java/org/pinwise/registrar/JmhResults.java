package org.pinwise.registrar;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What JMH wrote of a module: by the benchmark's class and method, such as {@code A.b}. */
final class JmhResults {
  private final Map<String, Double> scores = new HashMap<>();
  private final Map<String, Double> bytes = new HashMap<>();

  /** Reads files; one that is not there is of a module whose benchmarks were not run. */
  static JmhResults read(Path... files) throws IOException {
    JmhResults results = new JmhResults();
    for (Path file : files) {
      if (Files.exists(file)) {
        try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
          results.read(json);
        }
      }
    }
    return results;
  }

  /** In each entry the name comes first, then its metrics, each with its score. */
  private void read(JsonParser json) throws IOException {
    String benchmark = "";
    String metric = "";
    for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
      if (token != JsonToken.FIELD_NAME) {
        continue;
      }
      String key = json.currentName();
      token = json.nextToken();
      if (key.equals("benchmark")) {
        String[] parts = json.getText().split("\\.");
        benchmark = parts[parts.length - 2] + "." + parts[parts.length - 1];
      } else if (token == JsonToken.START_OBJECT) {
        metric = key;
      } else if (key.equals("score") && metric.equals("primaryMetric")) {
        scores.put(benchmark, json.getDoubleValue());
      } else if (key.equals("score") && metric.endsWith("gc.alloc.rate.norm")) {
        bytes.put(benchmark, json.getDoubleValue());
      }
    }
  }

  /**
   * Returns the nanoseconds of an operation.
   *
   * @throws IllegalStateException if that was not measured
   */
  double nanos(String benchmark) {
    return get(scores, benchmark);
  }

  /**
   * Returns the bytes that an operation allocates.
   *
   * @throws IllegalStateException if that was not measured
   */
  double bytes(String benchmark) {
    return get(bytes, benchmark);
  }

  /** Returns what JMH measured of a benchmark, on a line. */
  String words(String benchmark) {
    return "%s: %s ns, %s B%n"
        .formatted(benchmark, Row.number(nanos(benchmark)), Row.number(bytes(benchmark)));
  }

  private static double get(Map<String, Double> values, String benchmark) {
    Double value = values.get(benchmark);
    if (value == null) {
      throw new IllegalStateException("JMH has no result of " + benchmark);
    }
    return value;
  }
}
