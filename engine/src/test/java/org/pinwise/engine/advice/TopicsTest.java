package org.pinwise.engine.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TopicsTest {
  static Stream<String> names() {
    return Topics.names().stream();
  }

  @ParameterizedTest
  @MethodSource("names")
  void fitsAScreenAndNamesItsSource(String name) {
    String text = Topics.text(name).orElseThrow();
    assertThat(text.lines()).hasSizeLessThanOrEqualTo(50);
    assertThat(text.lines()).allMatch(line -> line.length() <= 100);
    assertThat(text).startsWith(name + ": ").endsWith(".\n").doesNotContain("\t");
    assertThat(text.lines()).anyMatch(line -> line.startsWith("Source: "));
    assertThat(text.lines()).anyMatch(line -> line.startsWith("Look"));
    assertThat(text.lines().filter(line -> line.startsWith("  "))).hasSizeGreaterThan(2);
  }

  @Test
  void allFilesAreListed() throws Exception {
    Path folder =
        Path.of(
                Objects.requireNonNull(
                        Topics.class.getResource("/org/pinwise/engine/topics/memlock.txt"))
                    .toURI())
            .getParent();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> String.valueOf(file.getFileName()).replace(".txt", "")).sorted())
          .containsExactlyElementsOf(Topics.names());
    }
    assertThat(Topics.text("memloc")).isEmpty();
    assertThat(Topics.text("../topics/memlock")).isEmpty();
  }
}
