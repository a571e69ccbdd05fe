package org.pinwise.registrar.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Tests the lab itself, without the registrar: the layouts of {@link PassiveQp} are the C header's,
 * and each remote flag means on the wire what it says. Needs no jar but the JDK: {@code run.sh -
 * org.pinwise.registrar.lab.WireSelfTest}.
 */
final class WireSelfTest {

  private static final int LOCAL_WRITE = 1;
  private static final int REMOTE_WRITE = 2;
  private static final int REMOTE_READ = 4;
  private static final int REMOTE_ATOMIC = 8;
  private static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC;

  private static final String DEVICE = "rxe0";
  private static final int LENGTH = 4096;
  private static final byte[] BYTES = "as the peer wrote it".getBytes();

  private static final StructLayout REGION =
      MemoryLayout.structLayout(
          MemoryLayout.paddingLayout(36),
          JAVA_INT.withName("lkey"),
          JAVA_INT.withName("rkey"),
          MemoryLayout.paddingLayout(4));

  private static final MethodHandle GET_DEVICES =
      LabVerbs.downcall("ibv_get_device_list", FunctionDescriptor.of(ADDRESS, ADDRESS));
  private static final MethodHandle FREE_DEVICES =
      LabVerbs.downcall("ibv_free_device_list", FunctionDescriptor.ofVoid(ADDRESS));
  private static final MethodHandle DEVICE_NAME =
      LabVerbs.downcall("ibv_get_device_name", FunctionDescriptor.of(ADDRESS, ADDRESS));
  private static final MethodHandle OPEN =
      LabVerbs.downcall("ibv_open_device", FunctionDescriptor.of(ADDRESS, ADDRESS));
  private static final MethodHandle CLOSE =
      LabVerbs.downcall("ibv_close_device", FunctionDescriptor.of(JAVA_INT, ADDRESS));
  private static final MethodHandle ALLOC_PD =
      LabVerbs.downcall("ibv_alloc_pd", FunctionDescriptor.of(ADDRESS, ADDRESS));
  private static final MethodHandle DEALLOC_PD =
      LabVerbs.downcall("ibv_dealloc_pd", FunctionDescriptor.of(JAVA_INT, ADDRESS));
  private static final MethodHandle REG_MR =
      LabVerbs.downcall(
          "ibv_reg_mr", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle DEREG_MR =
      LabVerbs.downcall("ibv_dereg_mr", FunctionDescriptor.of(JAVA_INT, ADDRESS));

  private final WirePeer peer;
  private final MemorySegment context;
  private final MemorySegment domain;
  private int failures;

  private WireSelfTest(WirePeer peer, MemorySegment context, MemorySegment domain) {
    this.peer = peer;
    this.context = context;
    this.domain = domain;
  }

  public static void main(String[] arguments) throws IOException {
    int failures = compareLayouts();
    String before = run("rdma", "resource", "show");
    MemorySegment context = open();
    try {
      MemorySegment domain = LabVerbs.create("ibv_alloc_pd", ALLOC_PD, context);
      try (WirePeer peer = new WirePeer(Path.of("/payload/wire-peer"), DEVICE)) {
        WireSelfTest test = new WireSelfTest(peer, context, domain);
        test.flags();
        failures += test.failures;
      } finally {
        LabVerbs.check("ibv_dealloc_pd", DEALLOC_PD, domain);
      }
    } finally {
      LabVerbs.check("ibv_close_device", CLOSE, context);
    }
    String after = run("rdma", "resource", "show");
    failures += report("the kernel's counts are back", before, after);
    System.out.println(failures == 0 ? "all as it should be" : failures + " FAILED");
    System.exit(failures == 0 ? 0 : 1);
  }

  private void flags() {
    expect("WRITE with the flag", LOCAL_WRITE | REMOTE_WRITE, WirePeer.SUCCESS, this::write);
    expect("READ with the flag", REMOTE_READ, WirePeer.SUCCESS, this::read);
    expect("SWAP with the flag", LOCAL_WRITE | REMOTE_ATOMIC, WirePeer.SUCCESS, this::swap);
    expect(
        "WRITE without the flag", ALL & ~REMOTE_WRITE, WirePeer.REMOTE_ACCESS_ERROR, this::write);
    expect("READ without the flag", ALL & ~REMOTE_READ, WirePeer.REMOTE_ACCESS_ERROR, this::read);
    expect("SWAP without the flag", ALL & ~REMOTE_ATOMIC, WirePeer.REMOTE_ACCESS_ERROR, this::swap);
    expect("WRITE with LOCAL_WRITE alone", LOCAL_WRITE, WirePeer.REMOTE_ACCESS_ERROR, this::write);
    expect("READ with no flag at all", 0, WirePeer.REMOTE_ACCESS_ERROR, this::read);
    expect(
        "READ past the end",
        ALL,
        WirePeer.REMOTE_ACCESS_ERROR,
        (memory, key) -> peer.read(memory.address() + 1, key, LENGTH).status());
    expect(
        "READ with another key",
        ALL,
        WirePeer.REMOTE_ACCESS_ERROR,
        (memory, key) -> peer.read(memory.address(), key ^ 0xff, 1).status());
  }

  /**
   * Each operation says its status, and checks the bytes at both ends: moved if it succeeded,
   * untouched if not.
   */
  private int write(MemorySegment memory, int key) {
    int status = peer.write(memory.address() + 7, key, BYTES).status();
    byte[] there = memory.asSlice(7, BYTES.length).toArray(JAVA_BYTE);
    failures += report("  bytes", status == WirePeer.SUCCESS, Arrays.equals(there, BYTES));
    return status;
  }

  private int read(MemorySegment memory, int key) {
    for (int i = 0; i < LENGTH; i++) {
      memory.set(JAVA_BYTE, i, (byte) (i * 31));
    }
    WirePeer.Completion completion = peer.read(memory.address(), key, LENGTH);
    boolean equal = Arrays.equals(completion.bytes(), memory.toArray(JAVA_BYTE));
    failures += report("  bytes", completion.status() == WirePeer.SUCCESS, equal);
    return completion.status();
  }

  private int swap(MemorySegment memory, int key) {
    memory.set(JAVA_LONG, 8, 41);
    WirePeer.Completion completion = peer.swap(memory.address() + 8, key, 41, 42);
    boolean fetched = Arrays.equals(completion.bytes(), new byte[] {41, 0, 0, 0, 0, 0, 0, 0});
    boolean swapped = memory.get(JAVA_LONG, 8) == 42;
    failures += report("  bytes", completion.status() == WirePeer.SUCCESS, fetched && swapped);
    return completion.status();
  }

  /**
   * Registers a page with the flags and has the peer do the operation on it, through a connection
   * of its own.
   */
  private void expect(
      String what, int access, int status, BiFunction<MemorySegment, Integer, Integer> operation) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(LENGTH, 4096);
      MemorySegment region =
          LabVerbs.create("ibv_reg_mr", REG_MR, domain, memory, (long) LENGTH, access);
      try {
        int key =
            region
                .reinterpret(REGION.byteSize())
                .get(JAVA_INT, REGION.byteOffset(PathElement.groupElement("rkey")));
        WirePeer.Completion completion =
            peer.through(
                context,
                domain,
                p -> new WirePeer.Completion(operation.apply(memory, key), new byte[0]));
        failures += report(what, status, completion.status());
      } finally {
        LabVerbs.check("ibv_dereg_mr", DEREG_MR, region);
      }
    }
  }

  private static int report(String what, Object expected, Object actual) {
    boolean same = expected.equals(actual);
    System.out.println(
        what + (same ? ": ok" : ": FAILED, expected " + expected + ", was " + actual));
    return same ? 0 : 1;
  }

  private static MemorySegment open() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      MemorySegment list = LabVerbs.create("ibv_get_device_list", GET_DEVICES, count);
      try {
        MemorySegment devices = list.reinterpret(count.get(JAVA_INT, 0) * ADDRESS.byteSize());
        for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
          MemorySegment device = devices.getAtIndex(ADDRESS, i);
          MemorySegment name = LabVerbs.create("ibv_get_device_name", DEVICE_NAME, device);
          if (name.reinterpret(64).getString(0).equals(DEVICE)) {
            return LabVerbs.create("ibv_open_device", OPEN, device);
          }
        }
        throw new IllegalStateException("no device " + DEVICE);
      } finally {
        LabVerbs.invoke(FREE_DEVICES, list);
      }
    }
  }

  /** Compares with what the compiled probe says. */
  private static int compareLayouts() throws IOException {
    Map<String, Long> header =
        run("/payload/layout-probe")
            .lines()
            .map(line -> line.split("=", 2))
            .collect(
                Collectors.toMap(pair -> pair[0], pair -> new BigInteger(pair[1]).longValue()));
    Map<String, Long> ours = new TreeMap<>();
    for (StructLayout layout : PassiveQp.LAYOUTS) {
      describe(layout.name().orElseThrow(), layout, 0, ours);
    }
    ours.put("size.ibv_qp_init_attr", PassiveQp.LAYOUTS.get(0).byteSize());
    ours.put("size.ibv_qp_attr", PassiveQp.LAYOUTS.get(1).byteSize());
    ours.put("offset.ibv_mr.rkey", REGION.byteOffset(PathElement.groupElement("rkey")));
    ours.put("size.ibv_mr", REGION.byteSize());
    int failures = 0;
    int compared = 0;
    for (Map.Entry<String, Long> entry : ours.entrySet()) {
      if (header.containsKey(entry.getKey())) {
        compared++;
        if (!entry.getValue().equals(header.get(entry.getKey()))) {
          failures += report(entry.getKey(), header.get(entry.getKey()), entry.getValue());
        }
      }
    }
    System.out.println(
        "layouts: " + compared + " sizes and offsets compared, " + failures + " differ");
    return compared > 50 ? failures : failures + 1;
  }

  private static void describe(String path, GroupLayout group, long base, Map<String, Long> into) {
    long offset = base;
    for (MemoryLayout member : group.memberLayouts()) {
      if (!(member instanceof PaddingLayout)) {
        String name = path + "." + member.name().orElseThrow();
        into.put("offset." + name, offset);
        into.put("width." + name, member.byteSize());
        if (member instanceof GroupLayout nested) {
          describe(name, nested, offset, into);
        }
      }
      offset += member.byteSize();
    }
  }

  private static String run(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var output = process.inputReader()) {
      return output.lines().collect(Collectors.joining("\n"));
    }
  }
}
