package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Protection;
import org.pinwise.rules.model.Verb;

/**
 * What kernels answered about addresses, lengths, mappings, iovas and limits is what the rules say:
 * every row that is a registration, decision and errno. The tables say in facts what a row's text
 * says in words.
 */
class ProbesTest {
  /** Any page-aligned address as mmap gives it. */
  private static final long BASE = 0x7f52_0000_0000L;

  private static final long PAGE = 4096;

  /**
   * Of each file: 188 single calls, a dma-buf, and the last that fit and the first that did not.
   */
  private static final int REGISTRATIONS = 201;

  private static final Pattern MEMLOCK =
      Pattern.compile("(uid 1000|root), RLIMIT_MEMLOCK (\\d+): (\\d+) ([MK])iB");
  private static final Pattern COUNTED =
      Pattern.compile("(uid 1000|root), limit (\\d+): (\\d+) MRs of 4 KiB, then errno (\\d+)");
  private static final Pattern COUNTED_FURTHER =
      Pattern.compile(
          "(uid 1000|root), limit (\\d+), and then: (\\d+) more MRs of 16 bytes in one page,"
              + " then errno (\\d+)");

  /** Rows that are no registration, by the beginning of their text, and why they are left out. */
  private static final Map<String, String> NO_REGISTRATION =
      Map.of(
          "munmap while registered", "what follows a registration",
          "same range twice", "keys of regions that succeed",
          "dealloc_pd with MRs alive", "a protection domain",
          "rereg_mr", "a change of a region",
          "dereg after rereg", "the end of a region",
          "alloc_null_mr", "a region without memory",
          "import_mr", "a handle of another process",
          "advise_mr", "advice about a region",
          "query_device_ex", "a question about the device",
          "ibv_is_fork_initialized", "the library's fork support");

  /** The parts of a probe that a row's text changes. */
  private static final class Probe {
    long address = BASE;
    long length = 65_536;
    @Nullable Long iova;
    Verb verb = Verb.REG_MR;
    Access access = Access.NONE;
    final Map<String, Object> memory =
        new HashMap<>(
            Map.of(
                "kind", MemoryKind.ANONYMOUS,
                "mapped", true,
                "protection", Protection.READ_WRITE,
                "shared", false,
                "populated", true,
                "persistent", false,
                "mappings", 1L));
    final Map<String, Object> host =
        new HashMap<>(
            Map.of(
                "pageSize",
                PAGE,
                "memlock",
                65_536L,
                "ipcLock",
                true,
                "pinnedPages",
                0L,
                "dmaBounce",
                false));

    Probe range(long newAddress, long newLength) {
      address = newAddress;
      length = newLength;
      return this;
    }

    Probe unmapped() {
      memory.put("mapped", false);
      return this;
    }

    Probe memory(MemoryKind kind, Protection protection, boolean shared) {
      memory.put("kind", kind);
      memory.put("protection", protection);
      memory.put("shared", shared);
      return this;
    }

    Facts facts(Device device, int kernel) {
      host.put("kernel", kernel);
      MrRequest.Builder request = MrRequest.range(address, length).verb(verb).access(access);
      if (iova != null) {
        request.iova(iova);
      }
      return new Facts(request.build(), Memory.TYPE.of(memory), device, Host.TYPE.of(host));
    }
  }

  private static final Map<String, Consumer<Probe>> TEXTS = texts();

  private static Map<String, Consumer<Probe>> texts() {
    Map<String, Consumer<Probe>> texts = new LinkedHashMap<>();
    texts.put("aligned 64 KiB", p -> {});
    texts.put("unaligned address +1, length 1", p -> p.range(BASE + 1, 1));
    texts.put("unaligned address +4095, length 4098", p -> p.range(BASE + 4095, 4098));
    texts.put("length 0, valid address", p -> p.range(BASE, 0));
    texts.put("length 0, NULL", p -> p.range(0, 0));
    texts.put("NULL address, length 4096", p -> p.range(0, 4096).unmapped());
    texts.put("NULL, SIZE_MAX, no ON_DEMAND", p -> p.range(0, -1).unmapped());
    texts.put("NULL, SIZE_MAX, ON_DEMAND (implicit ODP)", p -> p.range(0, -1).unmapped());
    texts.put("length 1<<40 from a 1 MiB mapping", p -> p.range(BASE, 1L << 40).unmapped());
    texts.put("length 1<<63", p -> p.range(BASE, 1L << 63).unmapped());
    texts.put("length SIZE_MAX (addr+len overflows)", p -> p.range(BASE, -1).unmapped());
    texts.put("addr+length overflow, exactly to 0", p -> p.range(BASE, -BASE).unmapped());
    texts.put("addr UINT64_MAX-4095, length 4096", p -> p.range(-PAGE, PAGE).unmapped());
    texts.put("addr UINT64_MAX-4095, length 8192", p -> p.range(-PAGE, 2 * PAGE).unmapped());
    texts.put(
        "kernel address 0xffff888000000000, 4096",
        p -> p.range(0xffff_8880_0000_0000L, PAGE).unmapped());
    texts.put("non-canonical address 1<<60, 4096", p -> p.range(1L << 60, PAGE).unmapped());
    texts.put("unmapped", Probe::unmapped);
    texts.put("hole in the middle", p -> p.range(BASE, 131_072).unmapped());
    texts.put("mapped, never touched", p -> p.memory.put("populated", false));
    texts.put("mapped, never touched, no LOCAL_WRITE", p -> p.memory.put("populated", false));
    for (String with : List.of(" + LOCAL_WRITE", ", flags 0", ", REMOTE_READ", ", MW_BIND")) {
      texts.put(
          "PROT_READ anon" + with, p -> p.memory(MemoryKind.ANONYMOUS, Protection.READ, false));
      texts.put("PROT_NONE" + with, p -> p.memory(MemoryKind.ANONYMOUS, Protection.NONE, false));
      texts.put(
          "program's read-only data" + with,
          p -> p.range(BASE, 16).memory(MemoryKind.FILE, Protection.READ, false));
    }
    texts.put(
        "PROT_WRITE only + LOCAL_WRITE",
        p -> p.memory(MemoryKind.ANONYMOUS, Protection.WRITE, false));
    texts.put(
        "half rw, half read-only + LOCAL_WRITE",
        p -> p.range(BASE, 8192).memory(MemoryKind.ANONYMOUS, Protection.READ, false));
    texts.put("stack", p -> p.range(BASE + 64, 64));
    texts.put("malloc heap 100 bytes", p -> p.range(BASE + 16, 100));
    texts.put("unknown bit + LOCAL_WRITE", p -> p.range(BASE, 4096));
    for (String shared : List.of("shared anonymous", "memfd shared")) {
      texts.put(shared, p -> p.memory(MemoryKind.SHMEM, Protection.READ_WRITE, true));
    }
    // /tmp is a tmpfs, /out a 9p without writeback, which is pinned like one.
    files(texts, "/tmp/f", MemoryKind.SHMEM);
    files(texts, "/ext4/f", MemoryKind.FILE);
    files(texts, "/out/f", MemoryKind.SHMEM);
    texts.put("/dev/zero private", p -> {});
    for (String with : List.of("", " + HUGETLB flag")) {
      texts.put(
          "MAP_HUGETLB 2 MiB" + with,
          p -> p.range(BASE, 2 << 20).memory(MemoryKind.HUGETLB, Protection.READ_WRITE, false));
    }
    texts.put(
        "MAP_HUGETLB 4 KiB inside",
        p -> p.range(BASE + PAGE, PAGE).memory(MemoryKind.HUGETLB, Protection.READ_WRITE, false));
    texts.put("ordinary 4 KiB pages + HUGETLB flag", p -> {});
    texts.put("iova 0", p -> p.iova = 0L);
    texts.put("iova 0 + ZERO_BASED", p -> p.iova = 0L);
    texts.put("iova = addr + ZERO_BASED", p -> p.iova = BASE);
    texts.put("iova 0x1000", p -> p.iova = 0x1000L);
    texts.put("iova addr+1 (page offset differs)", p -> p.iova = BASE + 1);
    texts.put("iova UINT64_MAX-4095 (iova+len overflows)", p -> p.iova = -PAGE);
    return texts;
  }

  private static void files(Map<String, Consumer<Probe>> texts, String path, MemoryKind kind) {
    for (boolean shared : new boolean[] {true, false}) {
      String how = shared ? " shared" : " private";
      texts.put("file " + path + " rw" + how, p -> p.memory(kind, Protection.READ_WRITE, shared));
      texts.put("file " + path + " ro" + how, p -> p.memory(kind, Protection.READ, shared));
    }
    // There is no page behind the end of the file.
    texts.put(
        "file " + path + " shared, past its end",
        p -> p.range(BASE, 131_072).memory(kind, Protection.READ_WRITE, true).unmapped());
  }

  private final MrValidator validator = MrValidator.create(RuleSet.builtIn());

  /** The refusals that were predicted: what the kernel answered, and why the rules say so. */
  final List<Verdict> refusals = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({"rxe, 6.1", "rxe, 6.12", "siw, 6.12"})
  void everyRegistration(String driver, String version) throws IOException {
    int kernel = Kernel.parse(version).orElseThrow();
    Device device = DeviceCatalog.load().find(driver).orElseThrow().facts(kernel);
    List<String> wrong = new ArrayList<>();
    About about = new About(device, kernel, wrong);
    int predicted = 0;
    int pinned = 0;
    for (String row : rows("/oracle/probes-" + driver + "-kernel" + version + ".txt")) {
      String[] column = row.split("\\|", -1);
      String text = column[1].strip();
      if (column.length > 4) {
        Probe probe = probe(text, column[2].strip(), column[3].strip());
        predicted++;
        compare(row, errno(column[4]), probe.facts(device, kernel), wrong);
      } else if (text.startsWith("reg_dmabuf_mr")) {
        Probe probe = new Probe().range(0, PAGE);
        probe.verb = Verb.REG_DMABUF_MR;
        probe.iova = 0L;
        probe.access = Access.ofBits(1);
        predicted++;
        compare(row, errno(text), probe.facts(device, kernel), wrong);
      } else if (COUNTED.matcher(text).matches()) {
        Matcher matcher = COUNTED.matcher(text);
        pinned = 0;
        predicted += counted(row, matcher, new Probe().range(BASE, PAGE), pinned, about);
        pinned = Integer.parseInt(matcher.group(3));
      } else if (COUNTED_FURTHER.matcher(text).matches()) {
        Matcher matcher = COUNTED_FURTHER.matcher(text);
        predicted += counted(row, matcher, new Probe().range(BASE + 1, 16), pinned, about);
      } else {
        assertThat(NO_REGISTRATION.keySet())
            .as("a row that no table knows: %s", row)
            .anyMatch(text::startsWith);
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(predicted).isEqualTo(REGISTRATIONS);
  }

  private static Probe probe(String text, String function, String flags) {
    Probe probe = new Probe();
    Matcher limit = MEMLOCK.matcher(text);
    if (limit.matches()) {
      limit(probe, limit.group(1), limit.group(2));
      int unit = limit.group(4).equals("M") ? 1 << 20 : 1 << 10;
      probe.range(BASE, Long.parseLong(limit.group(3)) * unit);
    } else {
      Objects.requireNonNull(TEXTS.get(text), () -> "no facts for: " + text).accept(probe);
    }
    // In C, flags is 0x.. or, for none, 0x0.
    probe.access = Access.ofBits(Integer.parseUnsignedInt(flags.replaceFirst("flags 0x", ""), 16));
    if (!function.equals("ibv_reg_mr")) {
      probe.verb = Verb.REG_MR_IOVA;
      probe.iova = probe.iova == null ? (Long) probe.address : probe.iova;
    }
    return probe;
  }

  private static void limit(Probe probe, String who, String memlock) {
    probe.host.put("memlock", Long.parseLong(memlock));
    probe.host.put("ipcLock", who.equals("root"));
  }

  private record About(Device device, int kernel, List<String> wrong) {}

  /** So many regions of a page fit, and not one more. */
  private int counted(String row, Matcher matcher, Probe probe, int before, About about) {
    assertThat(matcher.matches()).as(row).isTrue();
    limit(probe, matcher.group(1), matcher.group(2));
    probe.access = Access.ofBits(1);
    int fit = Integer.parseInt(matcher.group(3));
    int errno = Integer.parseInt(matcher.group(4));
    int checked = 0;
    for (int more : new int[] {fit - 1, fit}) {
      if (more >= 0) {
        probe.host.put("pinnedPages", (long) before + more);
        Facts facts = probe.facts(about.device, about.kernel);
        compare(row, more < fit ? 0 : errno, facts, about.wrong);
        checked++;
      }
    }
    return checked;
  }

  private void compare(String row, int errno, Facts facts, List<String> wrong) {
    Verdict verdict = validator.validate(facts);
    boolean right =
        errno == 0
            ? verdict instanceof Accepted
            : verdict instanceof Rejected
                && verdict.errno().equals(Set.of(Errno.of(errno).orElseThrow()));
    if (!right) {
      wrong.add(row + " but " + verdict);
    } else if (errno != 0) {
      refusals.add(verdict);
    }
  }

  private static int errno(String text) {
    Matcher matcher = Pattern.compile("errno (\\d+)").matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  private static List<String> rows(String resource) throws IOException {
    try (InputStream in = ProbesTest.class.getResourceAsStream(resource)) {
      String text =
          new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.startsWith("#")).toList();
    }
  }
}
