package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.sessions.JqwikSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;

/**
 * Fuzzes every reader. {@code mvn verify} draws ten thousand texts; {@link ReaderFuzz} as many as
 * it is told.
 */
class ReaderFuzzTest {
  /** Within so many texts a planted bug shows. */
  private static final int ENOUGH = 10_000;

  @Provide
  Arbitrary<Fuzz.Input> inputs() {
    return Fuzz.inputs();
  }

  @Property(tries = 10_000)
  void brokenTextsAreReadOrRefused(@ForAll("inputs") Fuzz.Input input) {
    ReaderFuzz.check(Readers.ALL, input);
  }

  static List<ConfigReader> readers() {
    return Readers.ALL;
  }

  @ParameterizedTest
  @MethodSource("readers")
  void everyReaderUnderstandsASeed(ConfigReader reader) {
    assertThat(Fuzz.SEEDS)
        .anySatisfy((name, text) -> {
          assertThat(Readers.of(new Source(name, text))).contains(reader);
          assertThat(Recorded.of(reader, name, text).statements).isNotEmpty();
        });
  }

  /** A reader that has a bug: it fails over some texts, or its places are a little off. */
  private record Planted(ConfigReader reader, Predicate<String> trigger, int columnsOff)
      implements ConfigReader {
    @Override
    public String format() {
      return reader.format();
    }

    @Override
    public boolean reads(Source source) {
      return reader.reads(source);
    }

    @Override
    public void read(Source source, Statements into) {
      if (trigger.test(source.text())) {
        throw new IndexOutOfBoundsException("planted");
      }
      Recorded recorded = new Recorded();
      reader.read(source, recorded);
      for (Statement one : recorded.statements) {
        Map<String, Place> places = new LinkedHashMap<>();
        one.places()
            .forEach((field, place) ->
                places.put(field, new Place(place.line(), place.column() + columnsOff)));
        into.add(
            new Statement(
                one.facts(),
                one.subject(),
                places,
                one.elsewhere(),
                one.whole(),
                one.host(),
                one.workload()));
      }
    }
  }

  private static void plant(
      ConfigReader reader, Predicate<String> trigger, int columnsOff, int inputs) {
    List<ConfigReader> readers = new ArrayList<>(Readers.ALL);
    readers.set(readers.indexOf(reader), new Planted(reader, trigger, columnsOff));
    JqwikSession.run(() -> ReaderFuzz.run(readers, inputs, new Random().nextLong()));
  }

  @ParameterizedTest
  @MethodSource("readers")
  void aBugThatIsPlantedIsFound(ConfigReader reader) {
    for (Predicate<String> trigger :
        List.<Predicate<String>>of(
            text -> text.contains("\0"),
            text -> text.indexOf(0xd800) >= 0,
            text -> !text.endsWith("\n") && !text.isEmpty())) {
      assertThatThrownBy(() -> plant(reader, trigger, 0, ENOUGH)).hasRootCauseMessage("planted");
    }
    assertThatThrownBy(() -> plant(reader, text -> false, 60, ENOUGH))
        .hasStackTraceContaining("is outside of the text");
    plant(reader, text -> false, 0, 500);
  }

  @Test
  void aRunCanBeRepeated() {
    JqwikSession.run(
        () -> assertThat(ReaderFuzz.drawn(50, 7)).isEqualTo(ReaderFuzz.drawn(50, 7)).hasSize(50));
  }

  /** Rules and joins see what readers make of broken texts. */
  @Test
  void brokenTextsAreLinted() {
    ConfigLinter linter = ConfigLinter.create(MrValidator.create(RuleSet.builtIn()));
    long seed = new Random().nextLong();
    LintListener none =
        new LintListener() {
          @Override
          public void found(Diagnostic diagnostic) {
            assertThat(diagnostic.toString()).isNotBlank();
          }

          @Override
          public void problem(LintProblem problem) {
            assertThat(problem.place()).isNotBlank();
          }
        };
    JqwikSession.run(() -> {
      for (Fuzz.Input input : ReaderFuzz.drawn(1_000, seed)) {
        try {
          linter.lint(input.name(), input.text(), none);
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed %d, %s".formatted(seed, input), e);
        }
      }
    });
  }
}
