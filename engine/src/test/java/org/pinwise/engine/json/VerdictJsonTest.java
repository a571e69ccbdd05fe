package org.pinwise.engine.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Undecided;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;

class VerdictJsonTest {
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(VerdictJson.schema());
  private static final MrValidator KERNEL = MrValidator.create(RuleSet.builtIn());
  private static final MrValidator STRICT =
      MrValidator.create(RuleSet.builtIn().with(Profile.builtIn("strict")), Assumptions.NONE);

  private static final Facts RXE =
      Facts.of(MrRequest.ofLength(4096).access(AccessFlag.REMOTE_WRITE).build())
          .withDevice(
              Device.TYPE.of(Map.of("driver", "rxe", "odp", false, "maxMrSize", Long.MAX_VALUE)))
          .withHost(Host.TYPE.of(Map.of("kernel", Kernel.V6_12, "stack", DriverStack.INBOX)));

  private static void conforms(String json) {
    List<Error> errors = SCHEMA.validate(json, InputFormat.JSON);
    assertThat(errors).as("of %s", json).isEmpty();
  }

  @Test
  void writesRejectedRequestAndItsCorrection() {
    String json = VerdictJson.compact(KERNEL.validate(RXE));

    conforms(json);
    assertThat(json)
        .startsWith(
            """
            {"schema":"pinwise-verdict/1","decision":"rejected","errno":["EINVAL"],"findings":[{"rule":"MR001","severity":"error","stage":"ACCESS_CORE","errno":"EINVAL","origin":"kernel","message":"access [REMOTE_WRITE] has no LOCAL_WRITE","arguments":{"request.access":"[REMOTE_WRITE]"},"remediation":"Add LOCAL_WRITE to the access flags.","reference":\
            """
                .strip())
        .contains(
            """
            "request":{"verb":"reg_mr","access":["REMOTE_WRITE"],"address":null,"length":"4096","iova":null,"uses":null},"effectiveAccess":["REMOTE_WRITE"],"corrected":{"verb":"reg_mr","access":["LOCAL_WRITE","REMOTE_WRITE"],\
            """
                .strip());
  }

  @Test
  void keepsAllBitsOfLargeNumbers() {
    MrRequest request =
        MrRequest.range(-4096, -1).iova(Long.MIN_VALUE).access(Access.ofBits(0x8000_0401)).build();

    String json = VerdictJson.compact(KERNEL.validate(RXE.withRequest(request)));

    conforms(json);
    assertThat(json)
        .contains("\"address\":\"0xfffffffffffff000\"")
        .contains("\"length\":\"18446744073709551615\"")
        .contains("\"iova\":\"0x8000000000000000\"")
        .contains("\"access\":[\"LOCAL_WRITE\",\"0x80000400\"]");
  }

  @Test
  void listsWhatProfileSwitchedOff() {
    Profile profile =
        new Profile("house", Map.of("MR001", new Profile.Setting(null, "ours", Map.of(), "p:1:1")));

    String json =
        VerdictJson.compact(MrValidator.create(RuleSet.builtIn().with(profile)).validate(RXE));

    conforms(json);
    assertThat(json).contains("\"disabled\":[\"MR001: ours\"]");
  }

  @Test
  void indentedTextHoldsTheSame() {
    Verdict verdict = KERNEL.validate(RXE);

    String indented = VerdictJson.indented(verdict);

    conforms(indented);
    assertThat(indented).startsWith("{\n  \"schema\": \"pinwise-verdict/1\",\n");
    assertThat(indented.replaceAll("\\s", ""))
        .isEqualTo(VerdictJson.compact(verdict).replaceAll("\\s", ""));
  }

  @Test
  void isAsciiWhateverTheFactsHold() {
    Facts odd = RXE.withDevice(Device.TYPE.of(Map.of("driver", "rxe", "name", "\u00e9\u001b[31m")));

    assertThat(VerdictJson.compact(KERNEL.validate(odd))).isPrintable().isASCII();
  }

  @Test
  void schemaRefusesWhatNoVerdictSays() {
    String json = VerdictJson.compact(KERNEL.validate(RXE));

    for (String wrong :
        List.of(
            json.replace("\"rejected\"", "\"accepted\""),
            json.replace("\"errno\":[\"EINVAL\"],", ""),
            json.replace("\"4096\"", "4096"),
            json.replace("{\"schema\"", "{\"more\":1,\"schema\""),
            json.replace("\"live\":false", "\"live\":false,\"more\":1"))) {
      assertThat(wrong).isNotEqualTo(json);
      assertThat(SCHEMA.validate(wrong, InputFormat.JSON)).as(wrong).isNotEmpty();
    }
  }

  @Property(tries = 500)
  void conformsToSchema(@ForAll("facts") Facts facts) {
    for (MrValidator validator : List.of(KERNEL, STRICT)) {
      Verdict verdict = validator.validate(facts);
      conforms(VerdictJson.compact(verdict));
      if (verdict instanceof Accepted || verdict instanceof Undecided) {
        assertThat(verdict.corrected()).isEmpty();
      }
    }
  }

  @Provide
  Arbitrary<Facts> facts() {
    return Combinators.combine(requests(), memories(), devices(), hosts()).as(Facts::new);
  }

  private static Arbitrary<MrRequest> requests() {
    Arbitrary<Long> numbers =
        Arbitraries.oneOf(
                Arbitraries.longs(), Arbitraries.of(0L, 1L, 4096L, -1L, Long.MIN_VALUE, 1L << 44))
            .injectNull(0.2);
    Arbitrary<Integer> bits =
        Arbitraries.oneOf(Arbitraries.integers(), Arbitraries.integers().between(0, 0x3ff))
            .injectNull(0.1);
    return Combinators.combine(
            Arbitraries.of(Verb.class),
            bits,
            numbers,
            numbers,
            numbers,
            Arbitraries.of(Use.class).set().injectNull(0.5))
        .as((verb, access, address, length, iova, uses) -> {
          MrRequest.Builder builder = MrRequest.builder();
          ifKnown(access, a -> builder.access(Access.ofBits(a)));
          ifKnown(address, builder::address);
          ifKnown(length, builder::length);
          ifKnown(iova, builder::iova);
          ifKnown(uses, builder::uses);
          return builder.verb(verb).build();
        });
  }

  private static <T> void ifKnown(T value, java.util.function.Consumer<T> use) {
    if (value != null) {
      use.accept(value);
    }
  }

  private static Arbitrary<Memory> memories() {
    return Arbitraries.of(Protection.class).map(Memory::ordinary).injectNull(0.5);
  }

  private static Arbitrary<Device> devices() {
    return Combinators.combine(
            Arbitraries.of("rxe", "siw", "mlx5", "efa", "cxgb4", "qedr"),
            Arbitraries.of(true, false),
            Arbitraries.of(Set.of(), Set.of("odp"), Set.of("odp", "flushGlobal", "rdmaRead")))
        .as((driver, flag, known) -> {
          Map<String, Object> values = new java.util.HashMap<>(Map.of("driver", driver));
          known.forEach(name -> values.put((String) name, flag));
          return Device.TYPE.of(values);
        })
        .injectNull(0.2)
        .map(device -> device == null ? Device.UNKNOWN : device);
  }

  private static Arbitrary<Host> hosts() {
    return Combinators.combine(
            Arbitraries.of(5004, Kernel.V6_1, Kernel.V6_12, Kernel.V7_3, 9000),
            Arbitraries.of(DriverStack.class))
        .as((kernel, stack) -> Host.TYPE.of(Map.of("kernel", kernel, "stack", stack)))
        .injectNull(0.3)
        .map(host -> host == null ? Host.UNKNOWN : host);
  }
}
