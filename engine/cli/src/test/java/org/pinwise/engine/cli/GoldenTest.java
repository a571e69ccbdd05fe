package org.pinwise.engine.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.pinwise.engine.Room;
import org.pinwise.engine.RuleSet;

/**
 * Compares what people see with files: the first line of each is the command, the last its exit
 * code. With {@code -Dgolden.update} the files in {@code src/test/resources/golden} are rewritten.
 */
class GoldenTest {
  private static final boolean UPDATE = System.getProperty("golden.update") != null;
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
  private static final String PROMPT = "$ pinwise ";

  /** A room that is added to Pinwise changes none of the files. */
  private static final Set<String> ROOMS = Set.of("MR001", "MR004", "MR016", "MR023", "MR030");

  private static final RuleSet FEW_ROOMS = fewRooms();

  private static RuleSet fewRooms() {
    RuleSet rules = RuleSet.builtIn();
    for (Room room : rules.rooms()) {
      rules = ROOMS.contains(room.id()) ? rules : rules.without(room.id());
    }
    return rules;
  }

  @TestFactory
  List<DynamicTest> showsPeople() throws IOException, URISyntaxException {
    Path folder =
        UPDATE
            ? Path.of("src/test/resources/golden")
            : Path.of(Objects.requireNonNull(getClass().getResource("/golden")).toURI());
    List<DynamicTest> tests = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        tests.add(DynamicTest.dynamicTest(String.valueOf(file.getFileName()), () -> compare(file)));
      }
    }
    assertThat(tests).isNotEmpty();
    return tests;
  }

  private static void compare(Path file) throws IOException {
    String expected = Files.readString(file, UTF_8);
    String command = expected.lines().findFirst().orElseThrow();
    assertThat(file.toString()).endsWith(".txt");
    assertThat(command).startsWith(PROMPT);
    Run run = Run.with(FEW_ROOMS, words(command.substring(PROMPT.length())));
    String actual = "%s\n%s%s[exit %d]\n".formatted(command, run.out(), run.err(), run.exit());
    if (UPDATE) {
      Files.writeString(file, actual, UTF_8);
    } else {
      assertThat(actual).isEqualTo(expected);
    }
  }

  private static String[] words(String command) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(command);
    while (matcher.find()) {
      words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
    }
    return words.toArray(String[]::new);
  }
}
