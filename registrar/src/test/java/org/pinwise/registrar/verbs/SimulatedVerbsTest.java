package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.registrar.verbs.VerbsContractTest.errno;
import static org.pinwise.registrar.verbs.VerbsContractTest.ok;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.registrar.Simulations;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Kernel;

class SimulatedVerbsTest {

  private static final int LOCAL_WRITE = 1;
  private static final int ZERO_BASED = 1 << 5;
  private static final int ON_DEMAND = 1 << 6;

  static List<String> catalogue() {
    return DeviceCatalog.load().names();
  }

  @ParameterizedTest
  @MethodSource("catalogue")
  void everyDeviceOfTheCatalogueRegisters(String name) {
    int kernel = name.equals("ionic") ? Kernel.V7_3 : Kernel.V6_12; // one that has the driver
    Verbs verbs =
        Verbs.simulated(Simulations.with(Simulations.device(name, kernel), "maxMrSize", 1L << 30));
    assertThat(verbs.isSimulated()).isTrue();
    try (Open open = new Open(verbs, name);
        Arena arena = Arena.ofConfined()) {
      MemoryRegion region = ok(verbs.regMr(open.pd, arena.allocate(4096, 4096), LOCAL_WRITE));

      assertThat(region.isSimulated()).isTrue();
      assertThat(region.toString()).startsWith("simulated memory region of " + name);
      assertThat(verbs.deregMr(region)).isZero();
    }
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "rxe, 6012, oracle-rxe-kernel6.12.csv",
    "rxe, 6001, oracle-rxe-kernel6.1.csv",
    "siw, 6012, oracle-siw-kernel6.12.csv"
  })
  void answersAsTheKernelDid(String driver, int kernel, String recorded) throws IOException {
    Verbs verbs = Verbs.simulated(Simulations.device(driver, kernel));
    List<String> wrong = new ArrayList<>();
    int rows = 0;
    try (Open open = new Open(verbs, driver);
        Arena arena = Arena.ofConfined();
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(getClass().getResourceAsStream("/oracle/" + recorded)),
                    StandardCharsets.UTF_8))) {
      MemorySegment memory = arena.allocate(65536, 4096).fill((byte) 1);
      lines.readLine();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] row = line.split(",", -1);
        int access = Integer.decode(row[1]);
        Result<MemoryRegion> result =
            row[2].equals("ibv_reg_mr")
                ? verbs.regMr(open.pd, memory, access)
                : verbs.regMrIova2(open.pd, memory, memory.address(), access);
        int errno = 0;
        switch (result) {
          case MemoryRegion region -> verbs.deregMr(region);
          case Result.Failed<MemoryRegion>(int failed) -> errno = failed;
        }
        rows++;
        if (errno != Integer.parseInt(row[3])) {
          wrong.add(line + " but simulated " + errno);
        }
      }
    }
    assertThat(rows).isEqualTo(4096);
    assertThat(wrong).isEmpty();
  }

  @Test
  void keysAreMarkedAndUnique() {
    Verbs verbs = Verbs.simulated(Simulations.device("mlx5"));
    try (Open open = new Open(verbs, "mlx5");
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      Set<Integer> keys = new HashSet<>();
      List<MemoryRegion> regions = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        MemoryRegion region = ok(verbs.regMr(open.pd, memory, LOCAL_WRITE));
        regions.add(region);
        assertThat(keys.add(region.lkey())).isTrue();
        assertThat(keys.add(region.rkey())).isTrue();
        assertThat(region.lkey() >>> 28).isEqualTo(5);
        assertThat(region.rkey() >>> 28).isEqualTo(5);
      }
      regions.forEach(region -> assertThat(verbs.deregMr(region)).isZero());
    }
  }

  @ParameterizedTest
  @CsvSource({"rxe, EINVAL", "siw, ENOMEM", "connectx5, ENOMEM", "erdma, ENOSPC"})
  void aFullTableIsWhatTheDriverSays(String name, Errno expected) {
    SimulatedDevice full =
        Simulations.with(
            Simulations.with(Simulations.device(name), "maxMr", 2), "maxMrSize", 1L << 30);
    Verbs verbs = Verbs.simulated(full);
    try (Open open = new Open(verbs, name);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      MemoryRegion first = ok(verbs.regMr(open.pd, memory, LOCAL_WRITE));
      MemoryRegion second = ok(verbs.regMr(open.pd, memory, LOCAL_WRITE));

      assertThat(errno(verbs.regMr(open.pd, memory, LOCAL_WRITE))).isEqualTo(expected);
      assertThat(verbs.deregMr(first)).isZero();
      MemoryRegion third = ok(verbs.regMr(open.pd, memory, LOCAL_WRITE));
      assertThat(verbs.deregMr(second)).isZero();
      assertThat(verbs.deregMr(third)).isZero();
    }
  }

  @Test
  void whatTheRulesDoNotKnowIsRefused() {
    // Whether a ConnectX-4 pages on demand nobody has written down.
    Verbs verbs = Verbs.simulated(Simulations.device("mlx5"));
    try (Open open = new Open(verbs, "mlx5");
        Arena arena = Arena.ofConfined()) {
      assertThat(errno(verbs.regMr(open.pd, arena.allocate(64), ON_DEMAND)))
          .isEqualTo(Errno.EOPNOTSUPP);
    }
  }

  @Test
  void aMappedFileIsWhatTheKernelSees(@TempDir Path directory) throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[8192]);
    Verbs verbs = Verbs.simulated(Simulations.device("rxe"));
    try (Open open = new Open(verbs, "rxe");
        Arena arena = Arena.ofConfined();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, 8192, arena);

      assertThat(errno(verbs.regMr(open.pd, memory, LOCAL_WRITE))).isEqualTo(Errno.EFAULT);
    }
  }

  @Test
  void deviceAndKernelDiffer() {
    assertThat(oneCall("rxe", Kernel.V6_1, ZERO_BASED)).isZero();
    assertThat(oneCall("rxe", Kernel.V6_12, ZERO_BASED)).isEqualTo(Errno.EOPNOTSUPP.number());
    assertThat(oneCall("connectx5", Kernel.V6_12, ZERO_BASED)).isZero();
    assertThat(oneCall("connectx5", Kernel.V6_12, ON_DEMAND)).isZero();
    assertThat(oneCall("siw", Kernel.V6_12, ON_DEMAND)).isEqualTo(Errno.EOPNOTSUPP.number());
    assertThat(oneCall("siw", Kernel.V6_1, ON_DEMAND)).isEqualTo(Errno.EINVAL.number());
  }

  private static int oneCall(String name, int kernel, int access) {
    Verbs verbs = Verbs.simulated(Simulations.device(name, kernel));
    try (Open open = new Open(verbs, name);
        Arena arena = Arena.ofConfined()) {
      return switch (verbs.regMr(open.pd, arena.allocate(4096, 4096), access)) {
        case MemoryRegion region -> verbs.deregMr(region);
        case Result.Failed<MemoryRegion>(int errno) -> errno;
      };
    }
  }

  /** An open device and a protection domain. */
  private static final class Open implements AutoCloseable {
    private final Verbs verbs;
    private final DeviceContext context;
    private final ProtectionDomain pd;

    Open(Verbs verbs, String device) {
      this.verbs = verbs;
      this.context = ok(verbs.openDevice(device));
      this.pd = ok(verbs.allocPd(context));
    }

    @Override
    public void close() {
      assertThat(verbs.deallocPd(pd)).isZero();
      assertThat(verbs.closeDevice(context)).isZero();
    }
  }
}
