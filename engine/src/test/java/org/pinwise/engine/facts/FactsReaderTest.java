package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;

class FactsReaderTest {
  private static final FactsReader READER = FactsReader.of(DeviceCatalog.load());

  private static Facts read(String text) {
    return READER.read("f.yaml", text).facts();
  }

  @Test
  void readsAllSections() {
    Facts facts =
        read(
            """
            request:
              length: 64MiB
              address: 0x7f0000000000
              access: [LOCAL_WRITE, ibv_access_remote_read]
              uses: [receive, polls-memory]
            memory: {kind: fsdax, protection: rw, shared: true, pageSize: 2MiB}
            device: connectx5
            host:
              kernel: 6.10
              stack: inbox
              memlock: unlimited
              ipcLock: false
            """);
    assertThat(facts.request().verb()).isEqualTo(Verb.REG_MR);
    assertThat(facts.request().length()).isEqualTo(64L << 20);
    assertThat(facts.request().accessArgument())
        .isEqualTo(Access.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
    assertThat(facts.request().uses()).containsExactlyInAnyOrder(Use.RECEIVE, Use.POLLS_MEMORY);
    Memory memory = facts.memory();
    assertThat(memory).isNotNull();
    assertThat(memory.kind()).isEqualTo(MemoryKind.FSDAX);
    assertThat(memory.protection()).isEqualTo(Protection.READ_WRITE);
    assertThat(memory.pageSize()).isEqualTo(2L << 20);
    assertThat(memory.mapped()).isNull();
    assertThat(facts.device().driver()).isEqualTo("mlx5");
    assertThat(facts.host().kernel()).isEqualTo(Kernel.of(6, 10));
    assertThat(facts.host().stack()).isEqualTo(DriverStack.INBOX);
    assertThat(facts.host().memlock()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void readsJson() {
    Facts facts =
        read("{\"register\": {\"length\": 4096, \"access\": 3},\n\t\"device\": {\"odp\": true}}");
    assertThat(facts.request().accessArgument()).isEqualTo(Access.ofBits(3));
    assertThat(facts.device().odp()).isTrue();
  }

  @Test
  void whatIsNotGivenIsUnknown() {
    Facts facts = read("register: {length: 1}");
    assertThat(facts.request().access()).isNull();
    assertThat(facts.memory()).isNull();
    assertThat(facts.device()).isEqualTo(Device.UNKNOWN);
    assertThat(facts.host()).isEqualTo(Host.UNKNOWN);
    assertThat(read("memory: {}").memory()).isEqualTo(Memory.TYPE.unknown());
    assertThat(read("request: {iova: 0}").request().verb()).isEqualTo(Verb.REG_MR_IOVA);
    assertThat(read("request: {verb: unknown}").request().verb()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0; 0",
        "[]; 0",
        "0x100001; 0x100001",
        "LOCAL_WRITE|remote_write; 3",
        "'\"LOCAL_WRITE , 0x400\"'; 0x401",
        "[LOCAL_WRITE, 0x80000000]; 0x80000001",
        "4294967295; 0xffffffff",
      })
  void readsAccess(String written, String bits) {
    assertThat(read("request: {access: " + written + "}").request().accessArgument())
        .isEqualTo(Access.ofBits(Long.decode(bits).intValue()));
  }

  @Test
  void keepsUnsignedNumbers() {
    Facts facts = read("request: {length: 18446744073709551615, address: 0x8000000000000000}");
    assertThat(facts.request().length()).isEqualTo(Long.MAX_VALUE);
    assertThat(facts.request().rawLength()).isEqualTo(-1L);
    assertThat(facts.request().rawAddress()).isEqualTo(Long.MIN_VALUE);
    assertThat(read("device: {maxMrSize: 0xffffffffffffffff}").device().maxMrSize())
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void catalogueDevicesFollowTheKernelAndTakeOverrides() {
    assertThat(read("device: rxe").device().odp()).isNull();
    assertThat(read("{device: rxe, host: {kernel: 6.12}}").device().odp()).isFalse();
    assertThat(READER.onKernel(Kernel.V7_3).read("f", "device: rxe").facts().device().odp())
        .isTrue();
    Device device = read("device: {catalog: connectx5, odp: false, maxMr: unknown}").device();
    assertThat(device.odp()).isFalse();
    assertThat(device.maxMr()).isNull();
    assertThat(device.driver()).isEqualTo("mlx5");
  }

  @Test
  void knowsTheLineOfEachKey() {
    FactsFile file = READER.read("f", "device: rxe\nregister:\n  length: 1\n  access: [0]\n");
    assertThat(file.lines())
        .containsEntry("device", 1)
        .containsEntry("request.length", 3)
        .containsEntry("request.access", 4);
    assertThat(file.has("host")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "devise: rxe; f.yaml:1:9: there is no key devise here, did you mean device?",
        "device: conectx5; f.yaml:1:9: the catalogue has no device conectx5, did you mean"
            + " connectx5",
        "device: {opd: true}; f.yaml:1:15: device has no field opd, did you mean odp?",
        "device: {odp: 1}; f.yaml:1:15: true or false is expected here, not 1",
        "device: {atomics: hcaa}; f.yaml:1:19: hcaa is none of [none, hca, global], did you mean"
            + " hca",
        "device: {maxMr: -1}; f.yaml:1:17: -1 is negative",
        "host: {kernel: six}; f.yaml:1:16: six is no kernel version",
        "host: {kernel: [6]}; f.yaml:1:16: a single value is expected here",
        "host: {rdmaCore: 4294967297}; f.yaml:1:18: rdmaCore is at most 2147483647",
        "host: {pageSize: 0}; f.yaml:1:18: pageSize is a power of two of at least 4KiB, not 0B",
        "host: {pageSize: 12KiB}; pageSize is a power of two of at least 4KiB, not 12KiB",
        "host: {pageSize: unlimited}; pageSize is a power of two of at least 4KiB, not unlimited",
        "host: {hugePageSize: 1}; hugePageSize is a power of two of at least 4KiB, not 1B",
        "memory: {pageSize: 2049KiB}; pageSize is a power of two of at least 4KiB, not 2049KiB",
        "request: {access: [LOCAL_WRIT]}; f.yaml:1:20: LOCAL_WRIT is no access flag, did you mean"
            + " LOCAL_WRITE?",
        "request: {access: LocalWrite}; did you mean LOCAL_WRITE?",
        "request: {access: 4294967296}; has more than the 32 bits",
        "request: {access: -1}; is no access",
        "request: {access: LOCAL_WRITE|}; a flag is missing beside a separator",
        "request: {access: LOCAL_WRITE REMOTE_READ}; separate flags by | or ,",
        "request: {access: {}}; a list is expected here",
        "request: {length: unlimited}; is no number",
        "request: {length: 18446744073709551616}; is beyond 2^64-1",
        "request: {unknownBits: 1}; holds bits of 0xc00ffc00 only",
        "request: {uses: recieve}; did you mean receive?",
        "request: 1; request is a mapping",
        "range: {pages: 1}; there is no key range here",
        "'{request: {}, register: {}}'; register means request",
        "[1]; a facts file is a mapping",
        "memory: {protection: x}; x is none of [none, read, write, read_write]",
        "'{device: rxe, device: siw}'; has the key device twice",
      })
  void refusesWithPlaceAndNearestNames(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(message)
        .hasMessageStartingWith("f.yaml:");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "   ", "# only a comment", "a: [", "\t", "{", "--- 1\n--- 2\n", "!!x y"})
  void refusesWhatIsNoFactsFile(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(InputException.class);
  }

  @Test
  void leavesOtherKeysAlone() {
    assertThat(
            READER
                .read(
                    org.pinwise.engine.yaml.Yaml.parse("f", "{register: {length: 1}, note: x}"),
                    "note")
                .facts()
                .request()
                .length())
        .isEqualTo(1L);
  }
}
