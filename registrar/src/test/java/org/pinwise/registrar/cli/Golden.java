package org.pinwise.registrar.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Compares what people and programs see with files in {@code src/test/resources/golden}; with
 * {@code -Dgolden.update} rewrites them.
 */
final class Golden {

  private Golden() {}

  static void compare(String file, String actual) throws IOException {
    if (System.getProperty("golden.update") != null) {
      Files.writeString(
          Files.createDirectories(Path.of("src/test/resources/golden")).resolve(file), actual);
      return;
    }
    try (InputStream stream =
        Objects.requireNonNull(Golden.class.getResourceAsStream("/golden/" + file), file)) {
      assertThat(actual).isEqualTo(new String(stream.readAllBytes(), UTF_8));
    }
  }
}
