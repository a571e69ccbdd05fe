package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.engine.InputException;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.OdpOperation;
import org.pinwise.rules.model.Transport;

class DevinfoReaderTest {
  private static final DevinfoReader READER = DevinfoReader.of(DeviceCatalog.load());

  private static final List<String> COLUMNS =
      List.of(Corpus.text("facts.csv").lines().findFirst().orElseThrow().split(","));

  /** What must be named as missing where a fact is unknown. */
  private static final Map<String, List<String>> ATTRIBUTES =
      Map.ofEntries(
          Map.entry("driver", List.of("driver")),
          Map.entry("vendorId", List.of("vendor_id")),
          Map.entry("vendorPartId", List.of("vendor_part_id")),
          Map.entry("firmware", List.of("fw_ver")),
          Map.entry("transport", List.of("transport", "link_layer")),
          Map.entry("maxMr", List.of("max_mr")),
          Map.entry("maxMrSize", List.of("max_mr_size")),
          Map.entry("atomics", List.of("atomic_cap")),
          Map.entry("memoryWindows", List.of("device_cap_flags")),
          Map.entry("odp", List.of("general_odp_caps")),
          Map.entry("implicitOdp", List.of("general_odp_caps")),
          Map.entry("odpOperations", List.of("rc_odp_caps")),
          Map.entry("flushGlobal", List.of("device_cap_flags_ex")),
          Map.entry("flushPersistent", List.of("device_cap_flags_ex")));

  static List<String> rows() {
    return Corpus.rows();
  }

  static List<String> dumps() {
    return Corpus.dumps();
  }

  private static Devinfo read(String text) {
    return READER.read("dump", text, null);
  }

  @Test
  void allDumpsAreInTheTable() {
    String index = Corpus.text("INDEX.md");
    assertThat(Corpus.dumps()).hasSize(25).allSatisfy(name -> assertThat(index).contains(name));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void readsEveryDump(String row) {
    String[] cells = row.split(",", -1);
    Devinfo devinfo = read(Corpus.text(cells[0]));
    for (int i = 1; i < COLUMNS.size() - 1; i++) {
      String column = COLUMNS.get(i);
      assertThat(shown(devinfo.device(), column, cells[i]))
          .as("%s of %s", column, cells[0])
          .isEqualTo(cells[i]);
    }
    String missing = cells[COLUMNS.size() - 1];
    assertThat(devinfo.missing())
        .as("missing in %s", cells[0])
        .containsExactlyInAnyOrderElementsOf(
            missing.equals("-") || missing.isEmpty() ? List.of() : List.of(missing.split(" ")));
  }

  private static String shown(Device device, String column, String expected) {
    Field<Device> field = Device.TYPE.field(column).orElseThrow();
    Object value = field.read(device);
    if (value == null) {
      return "-";
    }
    if (column.equals("vendorId")) {
      return value.equals(Long.decode(expected)) ? expected : value.toString();
    }
    return value.equals(Long.MAX_VALUE) ? "unlimited" : value.toString();
  }

  @ParameterizedTest
  @MethodSource("dumps")
  void tabsSpacesAndLineEndsMakeNoDifference(String dump) {
    String text = Corpus.text(dump);
    Devinfo expected = read(text);
    assertThat(read(text.replaceAll("(?m)^ {8}", "\t").replaceAll(" {2,}", "\t\t")))
        .isEqualTo(expected);
    assertThat(read(text.replaceAll("[\t ]+", " "))).isEqualTo(expected);
    assertThat(read(text.replace("\n", "\r\n"))).isEqualTo(expected);
    assertThat(read("$ ibv_devinfo -v\n```\n" + text + "\n```\n").device())
        .isEqualTo(expected.device());
  }

  /** What a text that is cut after any line does not say is named; see FactsPropertyTest, too. */
  @ParameterizedTest
  @MethodSource("dumps")
  void whatACutTextDoesNotSayIsNamed(String dump) {
    List<String> lines = firstDevice(Corpus.text(dump)).lines().toList();
    int read = 0;
    for (int end = 1; end <= lines.size(); end++) {
      String cut = String.join("\n", lines.subList(0, end));
      if (!DevinfoReader.looksLike(cut)) {
        continue;
      }
      read++;
      Devinfo devinfo = read(cut);
      Map<String, @Nullable Object> values = Device.TYPE.values(devinfo.device());
      ATTRIBUTES.forEach((field, attributes) -> {
        if (values.get(field) == null && !devinfo.doubtful().contains(field)) {
          assertThat(devinfo.missing())
              .as("%s of %s, cut after %s", field, dump, cut)
              .containsAnyElementsOf(attributes);
        }
      });
    }
    assertThat(read).isPositive();
  }

  private static String firstDevice(String text) {
    int second = text.indexOf("hca_id:", text.indexOf("hca_id:") + 1);
    return second < 0 ? text : text.substring(0, second);
  }

  @Test
  void readsWhatPeopleGetToday() {
    Devinfo devinfo =
        read(
            """
            hca_id:\tmlx5_3
            \ttransport:\t\t\tInfiniBand (0)
            \tvendor_id:\t\t\t0x02c9
            \tvendor_part_id:\t\t\t4129
            \tmax_mr_size:\t\t\t0xffffffffffffffff
            \tdevice_cap_flags:\t\t0x21361c36
            \tatomic_cap:\t\t\tATOMIC_HCA (1)
            \tgeneral_odp_caps:
            \trc_odp_caps:
            \t\t\t\t\tNO SUPPORT
            \t\tport:\t1
            \t\t\tlink_layer:\t\tEthernet
            """);
    assertThat(devinfo.device().transport()).isEqualTo(Transport.ROCE);
    assertThat(devinfo.device().odp()).isFalse();
    assertThat(devinfo.device().implicitOdp()).isFalse();
    assertThat(devinfo.missing()).containsExactly("fw_ver", "max_mr", "device_cap_flags_ex");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "InfiniBand (0), InfiniBand, INFINIBAND",
        "InfiniBand (0), Ethernet, ROCE",
        "InfiniBand (0), Unspecified, -",
        "iWARP (1), Ethernet, IWARP",
        "usNIC UDP (3), Ethernet, OTHER",
        "unspecified (4), Unspecified, OTHER",
        "invalid transport (9), Ethernet, -",
      })
  void tellsTheTransport(String transport, String layer, @Nullable Transport expected) {
    String text =
        "hca_id: x0\n transport: %s\n port: 1\n  link_layer: %s\n".formatted(transport, layer);
    assertThat(read(text).device().transport()).isEqualTo(expected);
  }

  @Test
  void portsThatDifferLeaveTheTransportUnknown() {
    Devinfo devinfo =
        read(
            "hca_id: a\ntransport: InfiniBand (0)\nlink_layer: Ethernet\nlink_layer: InfiniBand\n");
    assertThat(devinfo.device().transport()).isNull();
    assertThat(devinfo.notes()).anyMatch(note -> note.contains("link_layer"));
  }

  @Test
  void readsWhatWorksOnPagesOnDemand() {
    assertThat(read(Corpus.text("connectx5-4119-rdmacore.txt")).device().odpOperations())
        .containsExactlyInAnyOrder(
            OdpOperation.SEND,
            OdpOperation.RECV,
            OdpOperation.WRITE,
            OdpOperation.READ,
            OdpOperation.SRQ_RECV);
    assertThat(read(Corpus.text("connectx6-4123.txt")).device().odpOperations())
        .contains(OdpOperation.ATOMIC);
    String cut = "hca_id: a\nmax_mr: 1\nrc_odp_caps:\n SUPPORT_SEND\n";
    assertThat(read(cut).device().odpOperations()).as("the list may go on").isNull();
  }

  @Test
  void choosesADevice() {
    String both = Corpus.text("connectx6-4123.txt") + "\n" + Corpus.text("rxe-new-2025.txt");
    Devinfo first = read(both);
    assertThat(first.device().name()).isEqualTo("mlx5_0");
    assertThat(first.names()).containsExactly("mlx5_0", "rxe_0");
    assertThat(first.notes()).anyMatch(note -> note.contains("2 devices are there, mlx5_0, rxe_0"));
    Devinfo second = READER.read("dump", both, "rxe_0");
    assertThat(second.device()).isEqualTo(read(Corpus.text("rxe-new-2025.txt")).device());
    assertThatThrownBy(() -> READER.read("dump", both, "rxe0"))
        .isInstanceOf(InputException.class)
        .hasMessage("dump: has no device rxe0, did you mean rxe_0?; it has mlx5_0, rxe_0");
  }

  @Test
  void theDriverIsNotToldByTheVendor() {
    assertThat(read(Corpus.text("connectx6-4123-atos-partial.txt")).device().driver())
        .isEqualTo("mlx5");
    Device unknown = read("hca_id: x\nvendor_id: 0x02c9\nvendor_part_id: 65000\n").device();
    assertThat(unknown.driver()).isNull();
    assertThat(
            read("hca_id: a\ntransport: iWARP (1)\nvendor_id: 0x626d74\nvendor_part_id: 3\n")
                .device()
                .driver())
        .isEqualTo("siw");
  }

  @Test
  void aNameIsAHintThatIsNoted() {
    Devinfo devinfo = read(Corpus.text("rxe-old-maxmr2048.txt"));
    assertThat(devinfo.device().driver()).isEqualTo("rxe");
    assertThat(devinfo.notes())
        .anyMatch(note -> note.contains("taken from the device's name, rxe0"));
  }

  @Test
  void aVendorStacksBitIsNoFlush() {
    Devinfo devinfo = read(Corpus.text("connectx6dx-4125.txt"));
    assertThat(devinfo.device().flushGlobal()).isNull();
    assertThat(devinfo.doubtful()).containsExactly("flushGlobal");
    assertThat(devinfo.notes()).anyMatch(note -> note.contains("bit 38"));
  }

  @Test
  void aTextThatEndsWithinAListLeavesTheRestUnknown() {
    String text = "hca_id: mlx5_0\nmax_mr: 1\ngeneral_odp_caps:\n";
    assertThat(read(text).device().odp()).isNull();
    assertThat(read(text + "  ODP_SUPPORT\n").device().odp()).isTrue();
    assertThat(read(text + "  ODP_SUPPORT\n").device().implicitOdp()).isNull();
    assertThat(read(text + "  ODP_SUPPORT\n rc_odp_caps:\n").device().implicitOdp()).isFalse();
    assertThat(read(text + "  ...\n rc_odp_caps:\n").device().odp()).isNull();
    assertThat(read(text + "tag matching not supported\n").device().odp()).isFalse();
  }

  @Test
  void aMalformedValueIsUnknownAndNoted() {
    Devinfo devinfo =
        read(
            """
            hca_id: a
            max_mr: many
            max_mr_size: 0x1ffffffffffffffffff
            atomic_cap: ATOMIC (7)
            """);
    assertThat(devinfo.device().maxMr()).isNull();
    assertThat(devinfo.device().maxMrSize()).isNull();
    assertThat(devinfo.device().atomics()).isNull();
    assertThat(devinfo.missing()).contains("max_mr", "max_mr_size", "atomic_cap");
    assertThat(devinfo.notes()).hasSizeGreaterThanOrEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hello", "max_sge: 3\n", "device: rxe\n", "{\"a\": 1}"})
  void anyOtherTextIsRefused(String text) {
    assertThat(DevinfoReader.looksLike(text)).isFalse();
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("is no output of ibv_devinfo -v");
  }

  /** What the catalogue says with a dump as its source, every dump of that device says or omits. */
  @Test
  void theCatalogueAgreesWithTheDumps() {
    DeviceCatalog catalog = DeviceCatalog.load();
    for (String dump : Corpus.dumps()) {
      Device read = read(Corpus.text(dump)).device();
      Long part = read.vendorPartId();
      if (part != null) {
        catalog.byIds(part, read.vendorId()).ifPresent(device -> agrees(device, read, dump));
      }
    }
  }

  private static void agrees(CatalogDevice device, Device read, String dump) {
    Map<String, @Nullable Object> known = Device.TYPE.values(device.facts(null));
    Device.TYPE
        .values(read)
        .forEach((field, value) -> {
          Object expected = known.get(field);
          if (value != null && expected != null) {
            assertThat(value).as("%s of %s in %s", field, device, dump).isEqualTo(expected);
          }
        });
  }
}
