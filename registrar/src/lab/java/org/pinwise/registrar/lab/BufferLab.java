package org.pinwise.registrar.lab;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrarListener;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.memory.Buffer;
import org.pinwise.registrar.memory.BufferArena;
import org.pinwise.registrar.memory.BufferException;
import org.pinwise.registrar.memory.Pages;

/**
 * Memory of each kind of pages: that it is what it says, what the kernel pins of it, and how long
 * it takes to register, by size and by where it starts: the least of several calls. Prints a line
 * for each check and a table of milliseconds; exits with 0 if all checks held. Times are printed
 * and judged by nobody: the emulator has no memory hierarchy and no device.
 *
 * <p>Sets the guest's pool of huge pages and switches transparent ones to madvise, so that ordinary
 * memory is of 4 KiB pages.
 */
final class BufferLab {
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;
  private static final long PAGE = 4 * KIB;
  private static final long HUGE = 2 * MIB;

  /** For 256 MiB that start within a huge page, and one to spare. */
  private static final int POOL = 130;

  private static final Path SYSFS_POOL = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");
  private static final Path NR = SYSFS_POOL.resolve("nr_hugepages");
  private static final Path THP = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  /** Where a range starts after the border of a huge page; the last spans one huge page more. */
  private static final List<Start> STARTS =
      List.of(
          new Start("+0", 0), new Start("+1", 1), new Start("+64", 64), new Start("+1 MiB", MIB));

  private record Start(String name, long offset) {}

  private static int failures;

  private BufferLab() {}

  public static void main(String[] args) throws IOException {
    String pool = Files.readString(NR);
    String thp = chosen(Files.readString(THP));
    Files.writeString(NR, POOL + "\n");
    Files.writeString(THP, "madvise\n");
    check(
        "the pool has %s huge pages".formatted(Files.readString(NR).strip()),
        Files.readString(NR).strip().equals(String.valueOf(POOL)));
    limits();
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    for (String device : args.length == 0 ? new String[] {"rxe0", "siw0"} : args) {
      try (MemoryRegistrar registrar = MemoryRegistrar.open(device, validator)) {
        table(device, registrar);
      }
    }
    Files.writeString(NR, pool);
    Files.writeString(THP, thp + "\n");
    System.exit(failures == 0 ? 0 : 1);
  }

  private static String chosen(String line) {
    Matcher matcher = Pattern.compile("\\[(\\w+)\\]").matcher(line);
    return matcher.find() ? matcher.group(1) : "madvise";
  }

  /** What cannot be had is an error, and no signal. */
  private static void limits() throws IOException {
    try (BufferArena arena = BufferArena.open(Pages.hugetlb(HUGE))) {
      arena.allocate(MIB * 2 * (POOL + 1), 1);
      check("a pool that is too small is an error", false);
    } catch (BufferException e) {
      check(
          "a pool that is too small: " + e.getMessage(),
          e.reason() == BufferException.Reason.POOL_EMPTY);
    }
    Pages pages = Pages.hugetlb(HUGE).orElse(Pages.ordinary());
    try (BufferArena arena = BufferArena.open(pages)) {
      Buffer buffer = arena.allocateBuffer(HUGE * (POOL + 1), 1);
      check(
          "the declared fallback stands in: " + buffer.pages(),
          buffer.pages().toString().equals("ordinary pages") && buffer.passedOver().size() == 1);
    }
    try (BufferArena arena = BufferArena.open(Pages.hugetlb(HUGE).onNode(0))) {
      MemorySegment memory = arena.allocate(2 * HUGE, 1);
      memory.fill((byte) 1);
      String policy =
          Files.readAllLines(Path.of("/proc/self/numa_maps")).stream()
              .filter(line -> line.startsWith("%x ".formatted(memory.address())))
              .findFirst()
              .orElse("none");
      check("bound to node 0: " + policy, policy.contains(" bind:0 ") && policy.contains(" N0=2 "));
    }
    check("the pool is whole again", free() == POOL);
  }

  private static long free() throws IOException {
    return Long.parseLong(Files.readString(SYSFS_POOL.resolve("free_hugepages")).strip());
  }

  private static void table(String device, MemoryRegistrar registrar) throws IOException {
    System.out.println(
        STARTS.stream()
            .map(Start::name)
            .collect(Collectors.joining(" | ", "| device | size | pages | ", " |")));
    System.out.println("|---|---|---" + "|--:".repeat(STARTS.size()) + "|");
    for (long size : new long[] {16 * MIB, 256 * MIB}) {
      for (Pages pages :
          List.of(
              Pages.ordinary().populated(),
              Pages.transparentHuge().populated(),
              Pages.hugetlb(HUGE))) {
        try (BufferArena arena = BufferArena.open(pages)) {
          Buffer buffer = arena.allocateBuffer(size + HUGE, HUGE);
          whatItSays(pages, buffer);
          double[] least = new double[STARTS.size()];
          Arrays.fill(least, Double.MAX_VALUE);
          // In turns: what disturbs the host for a while disturbs all.
          for (int round = 0; round < (size > 16 * MIB ? 7 : 15); round++) {
            for (int i = 0; i < least.length; i++) {
              MemorySegment range = buffer.segment().asSlice(STARTS.get(i).offset, size);
              least[i] = Math.min(least[i], time(registrar, range, buffer));
            }
          }
          StringBuilder row = new StringBuilder();
          for (double millis : least) {
            row.append(String.format(Locale.ROOT, " | %.2f", millis));
          }
          System.out.printf("| %s | %d MiB | %s%s |%n", device, size / MIB, pages, row);
        }
      }
    }
  }

  private static void whatItSays(Pages pages, Buffer buffer) {
    long huge = buffer.transparentHugeBytes().orElse(-1);
    boolean holds =
        switch (pages.toString()) {
          case "ordinary pages" -> huge == 0;
          case "transparent huge pages" -> huge >= buffer.segment().byteSize();
          default -> Long.valueOf(HUGE).equals(buffer.memory().pageSize());
        };
    check("%s: %d bytes are transparent huge pages".formatted(pages, huge), holds);
  }

  /** Milliseconds; and that the kernel pins as many pages as the range touches. */
  private static double time(MemoryRegistrar registrar, MemorySegment range, Buffer buffer)
      throws IOException {
    long first = range.address() / PAGE;
    long last = (range.address() + range.byteSize() - 1) / PAGE;
    Registration registration = Registration.of(LOCAL_WRITE).memory(buffer.memory());
    AtomicLong nanos = new AtomicLong();
    RegistrarListener clock =
        new RegistrarListener() {
          @Override
          public void registered(RegisteredRegion region, Verdict verdict, long call) {
            nanos.set(call);
          }
        };
    long before = pinned();
    registrar.listen(clock);
    try (RegisteredRegion region = registrar.register(range, registration).orElseThrow()) {
      long pages = (pinned() - before) * KIB / PAGE;
      if (pages != last - first + 1) {
        check("%s pins %d pages, not %d".formatted(region, pages, last - first + 1), false);
      }
    } finally {
      registrar.unlisten(clock);
    }
    return nanos.get() / 1e6;
  }

  /** KiB. */
  private static long pinned() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmPin:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IllegalStateException("/proc/self/status has no VmPin");
  }

  private static void check(String what, boolean holds) {
    System.out.println((holds ? "ok   " : "FAIL ") + what.replace("\n", " "));
    failures += holds ? 0 : 1;
  }
}
