package org.pinwise.rules.dsl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.dsl.Traits.haveAccess;
import static org.pinwise.rules.dsl.Traits.haveLengthOfAtLeast;
import static org.pinwise.rules.dsl.Traits.haveLengthOfAtMost;
import static org.pinwise.rules.dsl.Traits.haveMemory;
import static org.pinwise.rules.dsl.Traits.haveNoAccess;
import static org.pinwise.rules.dsl.Traits.registerVia;
import static org.pinwise.rules.dsl.Traits.runOnKernelSince;
import static org.pinwise.rules.dsl.Traits.serve;
import static org.pinwise.rules.dsl.Traits.useDriver;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Fix;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.Severity;

class RulesTest {
  private static Rules.Complete rule(Trait shouldNot) {
    return Rules.requests()
        .shouldNot(shouldNot)
        .because("of the guide")
        .as("ACME101")
        .severity(Severity.WARNING)
        .remediation("Do not.");
  }

  static Stream<Arguments> traits() {
    Fields.NumberTerm length = Fields.number(MrRequest.TYPE, "length");
    Fields.ValueField<String> driver = Fields.text(Device.TYPE, "driver");
    return Stream.of(
        Arguments.of(
            haveAccess(AccessFlag.REMOTE_READ, AccessFlag.ON_DEMAND),
            "have access REMOTE_READ|ON_DEMAND",
            "request.access has AccessFlag.REMOTE_READ and request.access has"
                + " AccessFlag.ON_DEMAND"),
        Arguments.of(
            haveNoAccess(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND),
            "have no access LOCAL_WRITE|MW_BIND",
            "request.access has no AccessFlag.LOCAL_WRITE and request.access has no"
                + " AccessFlag.MW_BIND"),
        Arguments.of(
            haveMemory(MemoryKind.CUDA, MemoryKind.ROCM),
            "have memory CUDA|ROCM",
            "memory.kind is one of MemoryKind.CUDA, MemoryKind.ROCM"),
        Arguments.of(
            registerVia(Verb.REG_MR), "register via REG_MR", "request.verb is Verb.REG_MR"),
        Arguments.of(
            serve(Use.POLLS_MEMORY), "serve POLLS_MEMORY", "request.uses has Use.POLLS_MEMORY"),
        Arguments.of(useDriver("rxe"), "use driver rxe", "device.driver is \"rxe\""),
        Arguments.of(
            useDriver("rxe", "siw"),
            "use driver rxe or siw",
            "device.driver is one of \"rxe\", \"siw\""),
        Arguments.of(
            runOnKernelSince(Kernel.V6_2),
            "run on kernel 6.2 or newer",
            "host.kernel is at least Kernel.V6_2"),
        Arguments.of(
            haveLengthOfAtLeast(Size.MIB),
            "have a length of at least 1MiB",
            "request.length is at least Size.MIB"),
        Arguments.of(
            haveLengthOfAtMost(4097),
            "have a length of at most 4097B",
            "request.length is at most 4097"),
        Arguments.of(length.is(1), "have request.length 1", "request.length is 1"),
        Arguments.of(length.isNot(1), "have request.length not 1", "request.length is not 1"),
        Arguments.of(
            length.isLessThan(1L << 40),
            "have request.length less than Size.TIB",
            "request.length is less than Size.TIB"),
        Arguments.of(
            length.isMoreThan(1L << 41),
            "have request.length more than 2199023255552L",
            "request.length is more than 2199023255552L"),
        Arguments.of(
            length.isLessThan(Fields.number(Device.TYPE, "maxMrSize").dividedBy(2)),
            "have request.length less than (device.maxMrSize / 2)",
            "request.length is less than (device.maxMrSize / 2)"),
        Arguments.of(
            length.modulo(4096).isMoreThan(Fields.number(MrRequest.TYPE, "iova")),
            "have (request.length % 4096) more than request.iova",
            "(request.length % 4096) is more than request.iova"),
        Arguments.of(
            length
                .plus(Fields.number(MrRequest.TYPE, "address"))
                .isAtMost(length.minus(Fields.number(Host.TYPE, "pageSize"))),
            "have (request.length + request.address) at most (request.length - host.pageSize)",
            "(request.length + request.address) is at most (request.length - host.pageSize)"),
        Arguments.of(
            driver.isNot("efa"), "have device.driver not \"efa\"", "device.driver is not \"efa\""),
        Arguments.of(
            driver.isNoneOf(List.of("efa", "mana")),
            "have device.driver none of \"efa\", \"mana\"",
            "device.driver is none of \"efa\", \"mana\""),
        Arguments.of(Fields.flag(Device.TYPE, "odp").isTrue(), "have device.odp", "device.odp"),
        Arguments.of(
            Fields.flag(Device.TYPE, "odp").isFalse(),
            "have no device.odp",
            "device.odp is false"));
  }

  @ParameterizedTest
  @MethodSource("traits")
  void describeThemselvesAndTheirRules(Trait trait, String description, String words) {
    Rule rule = rule(trait).build();

    assertThat(trait).hasToString(description);
    assertThat(rule.inWords()).isEqualTo(words);
    assertThat(rule.meta().summary()).isEqualTo("requests should not " + description);
    assertThat(rule.template()).hasToString("requests should not " + description);
  }

  @ParameterizedTest
  @MethodSource("traits")
  void theOppositeOfTheOppositeIsTheTrait(Trait trait, String description, String words) {
    assertThat(Trait.not(Trait.not(trait)).condition()).isEqualTo(trait.condition());
    assertThat(Trait.not(trait)).hasToString("do not " + description);
    assertThat(Trait.not(trait).condition()).isNotEqualTo(trait.condition());
  }

  @Test
  void everyTraitOfTheRequestsAndTheLackOfTheDemandedOneReport() {
    Rule rule =
        Rules.requests()
            .that(haveAccess(AccessFlag.REMOTE_WRITE))
            .that(useDriver("rxe").or(useDriver("siw")))
            .should(haveAccess(AccessFlag.LOCAL_WRITE).and(haveNoAccess(AccessFlag.ZERO_BASED)))
            .because("of the guide")
            .as("ACME101/soft")
            .severity(Severity.ERROR)
            .remediation("Do.")
            .build();

    assertThat(rule.meta().summary())
        .isEqualTo(
            "requests that have access REMOTE_WRITE and that use driver rxe or use driver siw"
                + " should have access LOCAL_WRITE and have no access ZERO_BASED");
    assertThat(rule.inWords())
        .isEqualTo(
            "request.access has AccessFlag.REMOTE_WRITE and"
                + " (request.access has no AccessFlag.LOCAL_WRITE or"
                + " request.access has AccessFlag.ZERO_BASED) and"
                + " (device.driver is \"rxe\" or device.driver is \"siw\")");
    assertThat(rule.meta().room()).isEqualTo("ACME101");
    assertThat(rule.meta().errno()).isNull();
    assertThat(rule.source()).contains("RulesTest.java:");
  }

  @Test
  void aStartCanBeSharedAndKeepsNothing() {
    Rules.Complete start = rule(haveAccess(AccessFlag.MW_BIND));

    Rule changed = start.parameter("limit", 1).fix(new Fix.DropUnknownBits()).later("EIO").build();

    assertThat(start.build().meta().parameters()).isEmpty();
    assertThat(start.build().meta().fixes()).isEmpty();
    assertThat(start.build().meta().later()).isNull();
    assertThat(changed.meta().parameters()).containsEntry("limit", 1L);
  }

  @Test
  void mistakesSayWhatWasFoundAndWhatIsAllowed() {
    assertThatThrownBy(() -> Fields.number(MrRequest.TYPE, "lenght"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("MrRequest has no field lenght; it has [verb, access,");
    assertThatThrownBy(() -> Fields.text(MrRequest.TYPE, "length"))
        .hasMessage("request.length is a number");
    assertThatThrownBy(() -> Fields.choice(MrRequest.TYPE, "verb", MemoryKind.class))
        .hasMessage("request.verb is a Verb, not of MemoryKind");
    assertThatThrownBy(() -> Fields.number(MrRequest.TYPE, "length").is(-1))
        .hasMessage("-1 is negative, and no fact is; numbers are 0 to 2^63-1");
    assertThatThrownBy(() -> Fields.number(MrRequest.TYPE, "length").dividedBy(0))
        .hasMessage("the divisor must be at least 1, not 0");
    assertThatThrownBy(() -> Fields.text(Device.TYPE, "driver").isOneOf(List.of()))
        .hasMessage("device.driver is compared with no value; give one");
    Rules.Complete start = rule(haveAccess(AccessFlag.MW_BIND));
    assertThatThrownBy(() -> start.parameter("limit", -1)).hasMessageContaining("at least 0");
    assertThatThrownBy(() -> start.parameter("a", 1).parameter("a", 2))
        .hasMessage("parameter a is declared twice");
    assertThatThrownBy(start::stacks).hasMessageContaining("at least one driver stack");
    assertThatThrownBy(() -> start.message("{lenght} is large").build())
        .hasMessageStartingWith("{lenght} names no field of MrRequest");
    assertThatThrownBy(() -> start.message("{length is large").build())
        .hasMessage("the place has no }");
  }

  @Test
  void buildNamesAllThatIsWrongAtOnce() {
    Rules.Complete wrong =
        Rules.requests()
            .that(haveAccess(AccessFlag.MW_BIND))
            .should(haveAccess(AccessFlag.MW_BIND))
            .because(" ")
            .as("acme-1")
            .severity(Severity.WARNING)
            .remediation("No period")
            .summary("A period.");

    assertThatThrownBy(wrong::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "acme-1: \"acme-1\" is no rule id; an id is letters and three digits, such as ACME101"
                + " or ACME101/old-kernel; spec is empty; the summary ends without a period:"
                + " A period.; the remediation ends with a period, not: No period;"
                + " \"request.access has AccessFlag.MW_BIND\" and its opposite stand side by side,"
                + " so the answer is constant");
    assertThatThrownBy(() -> rule(Fields.number(MrRequest.TYPE, "length").isAtLeast(0)).build())
        .hasMessageContaining("has the same answer for all facts; drop it");
    assertThatThrownBy(() -> rule(Fields.parameter("limit").isAtLeast(3)).build())
        .hasMessageContaining("the rule declares no parameter limit; it has []")
        .hasMessageContaining("reads no field");
  }
}
