package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.pinwise.engine.facts.DeviceCatalog;

/** Every room proves itself by its examples, and the catalogue is what the rooms say. */
class RuleCatalogTest {
  private static final Path RULES = Path.of("../rules/RULES.md");

  @TestFactory
  Stream<DynamicTest> roomsProveThemselves() {
    RoomVerifier verifier = new RoomVerifier(RuleSet.builtIn(), DeviceCatalog.load());
    return RuleSet.builtInRooms().stream()
        .map(room ->
            DynamicTest.dynamicTest(
                room.name(), () -> assertThat(verifier.problems(room)).isEmpty()));
  }

  @Test
  void everyFolderBesideTheRoomsIsOne() throws IOException {
    Path rooms = Path.of("../rules/src/main/resources/org/pinwise/rules");
    try (Stream<Path> folders = Files.list(rooms)) {
      List<String> names = folders.map(path -> path.getFileName().toString()).sorted().toList();
      assertThat(RuleSet.builtInRooms()).extracting(Room::name).containsExactlyElementsOf(names);
    }
  }

  /** {@code mvn -pl rules,engine verify -Dcatalog.update} writes the file anew. */
  @Test
  void catalogueIsUpToDate() throws IOException {
    String expected = RuleCatalog.markdown(RuleSet.builtInRooms(), RuleSet.builtIn());
    if (System.getProperty("catalog.update") != null) {
      Files.writeString(RULES, expected);
    }
    assertThat(Files.readString(RULES))
        .as("rules/RULES.md; -Dcatalog.update writes it anew")
        .isEqualTo(expected);
  }
}
