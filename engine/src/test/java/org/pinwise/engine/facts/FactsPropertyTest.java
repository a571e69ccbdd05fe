package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;

/** Properties of random facts and of damaged input. */
class FactsPropertyTest {
  private static final FactsReader FACTS = FactsReader.of(DeviceCatalog.load());
  private static final DevinfoReader DEVINFO = DevinfoReader.of(DeviceCatalog.load());
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private static final List<String> TEXTS =
      List.of(
          """
          request: {length: 64MiB, access: [LOCAL_WRITE, 0x400], iova: 0x1000, uses: [receive]}
          """,
          """
          register:
            length: 4096
            access: LOCAL_WRITE|REMOTE_READ
          memory: {kind: file}
          """,
          """
          device: {catalog: connectx5, odp: false}
          host: {kernel: "6.12", memlock: unlimited}
          """,
          """
          {"device": "rxe", "host": {"pageSize": "4KiB", "ipcLock": true}}
          """);

  /** Pieces that damage: syntax of YAML, of numbers and of dumps. */
  private static final List<String> PIECES =
      List.of(
          "",
          " ",
          "\t",
          "\n",
          "\r",
          ":",
          ": ",
          "- ",
          "{",
          "}",
          "[",
          "]",
          ",",
          "\"",
          "'",
          "&a ",
          "*a",
          "!!int ",
          "? ",
          "|\n",
          ">\n",
          "#",
          "%",
          "@",
          "`",
          "---\n",
          "...\n",
          "0x",
          "-1",
          "99999999999999999999999999",
          "unlimited",
          "unknown",
          "true",
          "6.12",
          "\0",
          "\u2028",
          "\ud800",
          "\ufeff",
          "hca_id: ",
          "general_odp_caps:\n",
          "max_mr: ",
          "<<: ",
          "null",
          "~");

  @Provide
  Arbitrary<Facts> facts() {
    return Arbitraries.randomValue(FactsPropertyTest::facts);
  }

  private static Facts facts(Random random) {
    MrRequest request =
        fact(MrRequest.TYPE, random).withRange(number(random), number(random), number(random));
    return new Facts(
        request,
        random.nextInt(4) == 0 ? null : fact(Memory.TYPE, random),
        fact(Device.TYPE, random),
        fact(Host.TYPE, random),
        Labels.UNKNOWN,
        random.nextBoolean() ? Plan.NONE : fact(Plan.TYPE, random));
  }

  private static <F> F fact(FactType<F> type, Random random) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (Field<F> field : type.fields()) {
      if (random.nextInt(3) != 0) {
        values.put(field.name(), value(field, random));
      }
    }
    return type.of(values);
  }

  private static Object value(Field<?> field, Random random) {
    return switch (field.kind()) {
      case BOOLEAN -> random.nextBoolean();
      case TEXT -> text(random);
      case CHOICE -> oneOf(List.of(field.valueType().getEnumConstants()), random);
      case FLAGS -> {
        List<Object> members = new ArrayList<>(List.of(field.valueType().getEnumConstants()));
        members.removeIf(member -> random.nextBoolean());
        yield new HashSet<>(members);
      }
      case NUMBER -> number(field, random);
    };
  }

  private static Long number(Field<?> field, Random random) {
    return switch (field.name()) {
      case "unknownBits" -> random.nextInt() & 0xc00f_fc00L;
      case "unknownOptionalBits" ->
          (long)
              (random.nextInt() & AccessFlag.OPTIONAL_RANGE & ~AccessFlag.RELAXED_ORDERING.bit());
      case "kernel" -> (1 + random.nextInt(20)) * 1000L + random.nextInt(999);
      case "rdmaCore", "numaNode", "logNumMtt", "logMttsPerSeg" ->
          (long) random.nextInt(Integer.MAX_VALUE);
      case "pageSize", "hugePageSize" -> 4096L << random.nextInt(51);
      default -> {
        Long number = number(random);
        yield number == null || number < 0 ? (Long) Long.MAX_VALUE : number;
      }
    };
  }

  /** Returns an unsigned number with weight on borders and on sizes; null at times. */
  private static @Nullable Long number(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> null;
      case 1 -> oneOf(List.of(0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE, -1L, 4096L), random);
      case 2 -> 1L << random.nextInt(64);
      case 3 -> (long) random.nextInt(1 << 20);
      default -> random.nextLong();
    };
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(12);
    for (int i = 0; i < length; i++) {
      switch (random.nextInt(3)) {
        case 0 -> text.append((char) (' ' + random.nextInt(95)));
        case 1 -> text.append(oneOf(List.of("\"", "\\", "\n", "\t", ": ", "unknown", "#"), random));
        default -> text.appendCodePoint(oneOf(List.of(0x7f, 0x85, 0xe9, 0x2028, 0x1f600), random));
      }
    }
    return text.toString();
  }

  private static <T> T oneOf(List<T> choices, Random random) {
    return choices.get(random.nextInt(choices.size()));
  }

  @Property(tries = 2000, shrinking = ShrinkingMode.OFF)
  void whatIsWrittenIsReadBack(@ForAll("facts") Facts facts) {
    String text = FactsWriter.write(facts);
    assertThat(FACTS.read("f", text).facts()).as(text).isEqualTo(facts);
  }

  @Property(tries = 500, shrinking = ShrinkingMode.OFF)
  void deviceAndHostAloneAreReadBack(@ForAll("facts") Facts facts) {
    String text = FactsWriter.write(facts.device(), facts.host());
    Facts read = FACTS.read("f", text).facts();
    assertThat(read.device()).isEqualTo(facts.device());
    assertThat(read.host()).isEqualTo(facts.host());
  }

  @Provide
  Arbitrary<String> damagedFacts() {
    return Arbitraries.randomValue(random -> damaged(oneOf(TEXTS, random), random));
  }

  @Provide
  Arbitrary<String> damagedDumps() {
    return Arbitraries.randomValue(
        random -> damaged(Corpus.text(oneOf(Corpus.dumps(), random)), random));
  }

  private static String damaged(String text, Random random) {
    StringBuilder out = new StringBuilder(text);
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times; i++) {
      int at = random.nextInt(out.length() + 1);
      int end = Math.min(out.length(), at + random.nextInt(5));
      switch (random.nextInt(4)) {
        case 0 -> out.insert(at, oneOf(PIECES, random));
        case 1 -> out.replace(at, end, oneOf(PIECES, random));
        case 2 -> out.setLength(at);
        default -> out.insert(at, oneOf(PIECES, random).repeat(random.nextInt(200)));
      }
    }
    return out.toString();
  }

  @Property(tries = 3000, shrinking = ShrinkingMode.OFF)
  void damagedFactsAreReadOrRefusedInOneLine(@ForAll("damagedFacts") String text) {
    readOrRefused(() -> FACTS.read("f.yaml", text));
  }

  @Property(tries = 2000, shrinking = ShrinkingMode.OFF)
  void damagedDumpsAreReadOrRefusedInOneLine(@ForAll("damagedDumps") String text) {
    readOrRefused(() -> {
      Devinfo devinfo = DEVINFO.read("dump", text, null);
      devinfo.notes().forEach(note -> assertThat(note).doesNotContain("\n", "\r"));
    });
  }

  @Property(tries = 2000, shrinking = ShrinkingMode.OFF)
  void anyTextIsReadOrRefusedByTheOptions(@ForAll("damagedFacts") String text) {
    readOrRefused(() -> MemoryOption.parse(text));
    readOrRefused(() -> UseOption.parse(text));
    readOrRefused(() -> DeviceOption.resolve(text, null));
    try {
      Objects.requireNonNull(AccessParser.parse(text));
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).doesNotContain("\n", "\r");
    }
  }

  /** A cut dump says less than the whole one, never something else. */
  @Property(tries = 1000, shrinking = ShrinkingMode.OFF)
  void aCutDumpSaysNothingElse(@ForAll Random random) {
    String text = Corpus.text(oneOf(Corpus.dumps(), random));
    int end = text.lastIndexOf('\n', random.nextInt(text.length()));
    if (end < 1) {
      return;
    }
    Map<String, @Nullable Object> whole =
        Device.TYPE.values(DEVINFO.read("dump", text, null).device());
    Device cut = DEVINFO.read("dump", text.substring(0, end), null).device();
    Device.TYPE
        .values(cut)
        .forEach((field, value) -> {
          if (value != null) {
            assertThat(value).as(field).isEqualTo(whole.get(field));
          }
        });
  }

  private static void readOrRefused(Runnable reading) {
    Assertions.assertTimeout(
        LIMIT,
        () -> {
          try {
            reading.run();
          } catch (InputException e) {
            assertThat(e.getMessage()).doesNotContain("\n", "\r");
          } catch (RuntimeException e) {
            fail("another exception", e);
          }
        });
  }
}
