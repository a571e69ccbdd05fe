package org.pinwise.engine.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.AtomicSupport;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Transport;

class DeviceCatalogTest {
  private static final DeviceCatalog CATALOG = DeviceCatalog.load();

  /** The kernels whose sources were read. */
  private static final Set<Integer> READ =
      Set.of(Kernel.V6_1, Kernel.V6_12, Kernel.V7_2, Kernel.V7_3);

  /** Drivers whose part ids others have, too, with the vendor id that they set. */
  private static final Map<String, Long> VENDOR_DECIDES =
      Map.of("rxe", 0xffffffL, "mana", 0x1414L, "ionic", 0x1dd8L);

  /** The id of a vendor that no driver sets. */
  private static final Long OTHER_VENDOR = 0x119fL;

  static List<String> names() {
    return CATALOG.names();
  }

  private static CatalogDevice device(String name) {
    return CATALOG.find(name).orElseThrow();
  }

  @Test
  void hasAllFamilies() {
    assertThat(CATALOG.names())
        .contains("connectx3", "connectx4", "connectx4lx", "connectx5", "connectx5ex", "connectx6")
        .contains("connectx6dx", "connectx6lx", "connectx7", "mlx5", "mlx4", "rxe", "siw", "irdma")
        .contains("efa", "efa1", "efa2", "efa3", "bnxt_re", "hns", "erdma", "mana", "cxgb4", "qedr")
        .contains("ocrdma", "pvrdma", "vmw_pvrdma", "hfi1", "qib", "ionic", "mthca", "usnic")
        .isSorted();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyNameIsADeviceWithSources(String name) {
    CatalogDevice device = device(name);
    assertThat(device.title()).isNotBlank();
    assertThat(CATALOG.byDriver(device.driver()))
        .hasValueSatisfying(common -> assertThat(common.driver()).isEqualTo(device.driver()));
    assertThat(device.sources()).isNotEmpty();
    assertThat(device.sources().values())
        .allSatisfy(source -> assertThat(source).isNotBlank().doesNotContain("../"));
    for (Integer kernel : new Integer[] {null, Kernel.V6_1, Kernel.V6_12, Kernel.V7_3, 3010}) {
      assertThat(device.facts(kernel).driver()).isEqualTo(device.driver());
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void dumpsThatSourcesNameExistAndSayTheSame(String name) throws Exception {
    CatalogDevice device = device(name);
    Matcher file = Pattern.compile("testdata/(devinfo/[\\w.-]+\\.txt)").matcher("");
    for (String source : device.sources().values()) {
      file.reset(source);
      while (file.find()) {
        try (InputStream in = getClass().getClassLoader().getResourceAsStream(file.group(1))) {
          assertThat(in).as(file.group(1)).isNotNull();
        }
      }
    }
  }

  @Test
  void partIdsBelongToOneDeviceOfAVendor() {
    Map<String, String> owners = new HashMap<>();
    Set<CatalogDevice> seen = new HashSet<>();
    for (String name : CATALOG.names()) {
      CatalogDevice device = device(name);
      if (seen.add(device)) {
        Long vendor = VENDOR_DECIDES.get(device.driver());
        for (Long id : device.partIds()) {
          assertThat(owners.put(id + " of " + vendor, device.name()))
              .as("part 0x%x of %s", id, name)
              .isNull();
          assertThat(CATALOG.byIds(id, vendor == null ? OTHER_VENDOR : vendor)).hasValue(device);
        }
      }
    }
    assertThat(owners).hasSizeGreaterThan(200);
  }

  /** A by-kernel fact of a family has a value for each kernel that was read and has the driver. */
  @ParameterizedTest
  @MethodSource("names")
  void everyKernelThatWasReadIsNamed(String name) {
    CatalogDevice device = device(name);
    Set<Integer> having = new HashSet<>();
    for (Integer kernel : READ) {
      Boolean there = device.inKernel(kernel);
      assertThat(there).as("driver of %s in %s", name, Kernel.text(kernel)).isNotNull();
      if (there) {
        having.add(kernel);
      }
    }
    assertThat(device.kernels())
        .isNotEmpty()
        .allSatisfy(
            (field, kernels) -> assertThat(kernels).as("%s of %s", field, name).isEqualTo(having));
  }

  /** What the rule MR060 says of kernels is what the catalogue says. */
  @Test
  void nothingIsAcceptedWhereTheKernelHasNoDriver() {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    for (String name : CATALOG.names()) {
      for (Integer kernel : READ) {
        Facts facts =
            Facts.of(MrRequest.ofLength(4096).access(AccessFlag.LOCAL_WRITE).build())
                .withDevice(device(name).facts(kernel))
                .withHost(Host.TYPE.of(Map.of("kernel", kernel, "pageSize", 4096L)));
        Verdict verdict = validator.validate(facts);
        boolean there = Boolean.TRUE.equals(device(name).inKernel(kernel));
        assertThat(verdict.findings().stream().anyMatch(f -> f.rule().equals("MR060")))
            .as("%s on %s", name, Kernel.text(kernel))
            .isEqualTo(!there);
        assertThat(there || !(verdict instanceof Accepted)).as(verdict.toString()).isTrue();
      }
    }
  }

  /** The driver says ODP_SUPPORT_IMPLICIT only of firmware that has large regions, too. */
  @Test
  void aDeviceWithImplicitPagingHasLargeRegions() {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    for (String name : List.of("connectx5", "connectx6", "connectx6dx", "connectx6lx")) {
      Facts facts =
          Facts.of(
                  MrRequest.ofLength(1L << 30)
                      .access(AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND)
                      .build())
              .withDevice(device(name).facts(Kernel.V6_12))
              .withHost(Host.TYPE.of(Map.of("kernel", Kernel.V6_12, "pageSize", 4096L)));
      assertThat(validator.validate(facts)).as(name).isInstanceOf(Accepted.class);
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // device, kernel, the kernel has its driver, RDMA WRITE
        "mana,   6.1,  false, -",
        "mana,   6.12, true,  true",
        "mana,   6.8,  -,     true",
        "mana,   -,    -,     true",
        "ionic,  6.12, false, -",
        "ionic,  6.18, -,     true",
        "ionic,  7.2,  true,  true",
        "qib,    6.12, true,  true",
        "qib,    7.3,  false, -",
        "mlx5,   7.0,  true,  true",
      })
  void aKernelWithoutTheDriverSaysNothingOfTheDevice(
      String name, @Nullable String kernel, @Nullable Boolean there, @Nullable Boolean write) {
    Integer version = kernel == null ? null : (Integer) Kernel.parse(kernel).orElseThrow();
    CatalogDevice device = device(name);
    Device facts = device.facts(version);
    assertThat(device.inKernel(version)).isEqualTo(there);
    assertThat(facts.driver()).isEqualTo(name);
    assertThat(facts.rdmaWrite()).isEqualTo(write);
    if (Boolean.FALSE.equals(there)) {
      assertThat(Device.TYPE.of(Map.of("driver", name))).isEqualTo(facts);
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // kernel, odp, implicit, flush
        "6.1,  false, false, false",
        "6.12, false, false, true",
        "7.2,  true,  false, true",
        "7.3,  true,  false, true",
        "6.5,  false, false, -",
        "6.18, -,     false, true",
        "5.15, -,     -,     -",
        "7.5,  -,     -,     -",
        "-,    -,     false, -",
      })
  void rxeChangesWithTheKernel(
      @Nullable String kernel,
      @Nullable Boolean odp,
      @Nullable Boolean implicit,
      @Nullable Boolean flush) {
    Device rxe =
        device("rxe").facts(kernel == null ? null : (Integer) Kernel.parse(kernel).orElseThrow());
    assertThat(rxe.odp()).isEqualTo(odp);
    assertThat(rxe.implicitOdp()).isEqualTo(implicit);
    assertThat(rxe.flushGlobal()).isEqualTo(flush);
    assertThat(rxe.flushPersistent()).isEqualTo(flush);
    assertThat(rxe.maxMrSize()).isEqualTo(Long.MAX_VALUE);
    assertThat(rxe.transport()).isEqualTo(Transport.ROCE);
  }

  @Test
  void aDriversNameMeansItsLeastCommonDevice() {
    Device mlx5 = device("mlx5").facts(Kernel.V6_12);
    assertThat(mlx5.odp()).isNull();
    assertThat(mlx5.atomics()).isNull();
    assertThat(mlx5.maxMr()).isNull();
    assertThat(mlx5.maxMrSize()).isEqualTo(Long.MAX_VALUE);
    Device connectx5 = device("connectx5").facts(Kernel.V6_12);
    assertThat(connectx5.odp()).isTrue();
    assertThat(connectx5.atomics()).isEqualTo(AtomicSupport.HCA);
    assertThat(connectx5.maxMr()).isEqualTo(16_777_216L);
    assertThat(connectx5.vendorPartId()).isEqualTo(4119L);
    assertThat(device("efa").facts(null).rdmaWrite()).isNull();
    assertThat(device("irdma").facts(Kernel.V7_3).atomics()).isNull();
    assertThat(device("e810").facts(Kernel.V6_12).atomics()).isEqualTo(AtomicSupport.NONE);
    assertThat(device("e810").facts(Kernel.V7_3).atomics()).isNull();
    assertThat(device("x722").facts(Kernel.V7_3).atomics()).isEqualTo(AtomicSupport.NONE);
  }

  @Test
  void driversAreRecognisedByPartNeverByVendorAlone() {
    assertThat(CATALOG.byIds(4123, 0x119fL).map(CatalogDevice::name)).hasValue("connectx6");
    assertThat(CATALOG.byIds(4123, null).map(CatalogDevice::name)).hasValue("connectx6");
    assertThat(CATALOG.byIds(4116, 0x02c9L).map(CatalogDevice::name)).hasValue("mlx5");
    assertThat(CATALOG.byIds(0, 0xffffffL).map(CatalogDevice::name)).hasValue("rxe");
    assertThat(CATALOG.byIds(0, 0x0L)).isEmpty();
    assertThat(CATALOG.byIds(1, 0xffffffL)).isEmpty();
    assertThat(CATALOG.byIds(99_999, 0x02c9L)).isEmpty();
    // ConnectX-3 of Mellanox and of an OEM; the same part of Pensando; either, if no vendor is
    // known.
    assertThat(CATALOG.byIds(0x1003, 0x02c9L).map(CatalogDevice::name)).hasValue("connectx3");
    assertThat(CATALOG.byIds(0x1003, 0x119fL).map(CatalogDevice::name)).hasValue("connectx3");
    assertThat(CATALOG.byIds(0x1003, 0x1dd8L).map(CatalogDevice::name)).hasValue("ionic");
    assertThat(CATALOG.byIds(0x1003, null)).isEmpty();
    assertThat(CATALOG.byIds(0x3, 0x1414L).map(CatalogDevice::name)).hasValue("mana");
    assertThat(CATALOG.byIds(0x3, 0x626d74L)).isEmpty();
    assertThat(CATALOG.byIds(0xcf, 0x1137L).map(CatalogDevice::name)).hasValue("usnic");
    assertThat(CATALOG.byVendorAndTransport(0x626d74, Transport.IWARP).map(CatalogDevice::name))
        .hasValue("siw");
    assertThat(CATALOG.byVendorAndTransport(0x626d74, Transport.ROCE)).isEmpty();
  }

  @Test
  void onlyOneDriverHasADevicesOrdinaryName() {
    assertThat(CATALOG.byHcaId("mlx5_bond_0").map(CatalogDevice::name)).hasValue("mlx5");
    assertThat(CATALOG.byHcaId("rxe0").map(CatalogDevice::name)).hasValue("rxe");
    assertThat(CATALOG.byHcaId("vmw_pvrdma0").map(CatalogDevice::name)).hasValue("pvrdma");
    assertThat(CATALOG.byHcaId("rocep0s6")).isEmpty();
    assertThat(CATALOG.byHcaId("cxgb3_0")).isEmpty();
  }

  @Test
  void unknownNamesAreAbsent() {
    assertThat(CATALOG.find("connectx")).isEmpty();
    assertThat(CATALOG.byDriver("connectx5")).isEmpty();
    assertThat(CATALOG.byDriver("vmw_pvrdma").map(CatalogDevice::name)).hasValue("pvrdma");
  }

  @Test
  void filesThatDisagreeAreRefused() {
    String rxe = "names: [rxe]\ndriver: rxe\n";
    assertThatThrownBy(() -> DeviceCatalog.of(Map.of("a", rxe, "b", rxe)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("both in a and b");
    assertThatThrownBy(() -> DeviceCatalog.of(Map.of("a", "driver: rxe\n")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("must start with a line names:");
  }

  @Test
  void theFirstLineOfAFileNamesWhatIsInIt() {
    String rxe =
        """
        names: [rxe, soft]
        driver: rxe
        title: x
        facts: {}
        """;
    assertThatThrownBy(() -> DeviceCatalog.of(Map.of("rxe", rxe)).find("rxe"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has the devices [rxe], but its first line names others");
  }
}
