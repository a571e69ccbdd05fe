package org.pinwise.rules.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FactTypeTest {

  static List<FactType<?>> types() {
    return FactType.all();
  }

  @ParameterizedTest
  @MethodSource("types")
  void unknownIsUnknownInAllFields(FactType<?> type) {
    assertThat(unknownValues(type).values()).allMatch(value -> value == null);
    // A team's labels have any name, so that no field can be listed.
    assertThat(type.fields().isEmpty()).isEqualTo(type.equals(Labels.TYPE));
    assertThat(FactType.byName(type.name())).contains(type);
    assertThat(type).hasToString(type.name());
  }

  private static <F> Map<String, @Nullable Object> unknownValues(FactType<F> type) {
    return type.values(type.unknown());
  }

  /** A fact that is made of values gives them back. */
  @ParameterizedTest
  @MethodSource("types")
  void valuesComeBack(FactType<?> type) {
    assertThat(roundTrip(type)).isEmpty();
  }

  private static <F> Set<String> roundTrip(FactType<F> type) {
    Set<String> lost = new HashSet<>();
    for (Field<F> field : type.fields()) {
      Object value =
          switch (field.kind()) {
            case BOOLEAN -> true;
            case NUMBER -> 4096L; // a size of pages, too
            case TEXT -> "text";
            case CHOICE -> field.valueType().getEnumConstants()[0];
            case FLAGS -> Set.of(field.valueType().getEnumConstants()[0]);
          };
      Object read = field.read(type.of(Map.of(field.name(), value)));
      if (!String.valueOf(value).equals(String.valueOf(read))) {
        lost.add(field.name() + " " + read);
      }
    }
    return lost;
  }

  @ParameterizedTest
  @MethodSource("types")
  void everyFieldHasAPhraseOfDocumentation(FactType<?> type) {
    assertThat(type.fields())
        .allSatisfy(field -> assertThat(field.doc()).isNotBlank().doesNotEndWith("."));
  }

  static Stream<Arguments> misuse() {
    return Stream.of(
        Arguments.of(Map.of("speed", 1), "Host has no field speed; it has "),
        Arguments.of(Map.of("memlock", -1L), "host.memlock takes a NUMBER, not -1 (Long)"),
        Arguments.of(
            Map.of("pageSize", 0L), "host.pageSize is a power of two of at least 4KiB, not 0B"),
        Arguments.of(
            Map.of("hugePageSize", 3L << 20),
            "host.hugePageSize is a power of two of at least 4KiB, not 3MiB"),
        Arguments.of(Map.of("rdmaCore", 1L << 32), "host.rdmaCore is at most 2147483647"),
        Arguments.of(Map.of("memlock", "1"), "host.memlock takes a NUMBER, not 1 (String)"),
        Arguments.of(Map.of("ipcLock", 1), "host.ipcLock takes a BOOLEAN, not 1 (Integer)"),
        Arguments.of(Map.of("stack", "inbox"), "host.stack takes a CHOICE, not inbox (String)"),
        Arguments.of(Map.of("stack", Verb.REG_MR), "host.stack takes a CHOICE, not REG_MR (Verb)"));
  }

  @ParameterizedTest
  @MethodSource("misuse")
  void wrongValuesAreRefused(Map<String, Object> values, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Host.TYPE.of(values))
        .withMessageStartingWith(message);
  }

  @Test
  void setsHoldTheRightConstants() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MrRequest.TYPE.of(Map.of("uses", Set.of(AccessFlag.MW_BIND))))
        .withMessageStartingWith("request.uses takes a FLAGS");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MrRequest.TYPE.of(Map.of("uses", List.of(Use.RECEIVE))))
        .withMessageStartingWith("request.uses takes a FLAGS");
  }

  @Test
  void nullIsUnknown() {
    Map<String, @Nullable Object> values = new HashMap<>();
    values.put("memlock", null);
    assertThat(Host.TYPE.of(values)).isEqualTo(Host.UNKNOWN);
  }

  /** A component that is no field. */
  record Half(@Nullable Boolean told, @Nullable Boolean forgotten) {}

  @Test
  void aForgottenComponentIsNoticed() {
    assertThatIllegalStateException()
        .isThrownBy(() ->
            FactType.of(Half.class, "half")
                .flag("told", Half::told, Volatility.FIXED, "whether it is told")
                .build(v -> new Half(v.flag("told"), null)))
        .withMessageEndingWith("no field is declared for [forgotten]");
  }

  @Test
  void errnosAreFoundByNumber() {
    assertThat(Arrays.stream(Errno.values()).map(Errno::number)).doesNotHaveDuplicates();
    for (Errno errno : Errno.values()) {
      assertThat(Errno.of(errno.number())).contains(errno);
      assertThat(Errno.nameOf(errno.number())).isEqualTo(errno.name());
      assertThat(errno.text()).isNotBlank();
    }
    assertThat(Errno.of(0)).isEmpty();
    assertThat(Errno.nameOf(123)).isEqualTo("errno 123");
  }

  @Test
  void setsAreShownInTheOrderOfTheirConstants() {
    Field<MrRequest> field = MrRequest.TYPE.field("regionAccess").orElseThrow();
    for (AccessFlag first : AccessFlag.values()) {
      Set<AccessFlag> flags = new LinkedHashSet<>(List.of(first));
      flags.addAll(List.of(AccessFlag.values()));
      assertThat(field.show(flags)).startsWith("[LOCAL_WRITE|").endsWith("|RELAXED_ORDERING]");
    }
  }
}
