package org.pinwise.engine.facts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;

/**
 * Facts of this host and this process, read from /proc and /sys. Reading never fails: what cannot
 * be read is unknown, with the reason.
 *
 * @param host the facts
 * @param reasons why a field of {@link Host} is unknown, by the field's name; immutable
 */
public record LiveHost(Host host, Map<String, String> reasons) {

  /** Makes the value. */
  public LiveHost {
    reasons = Map.copyOf(reasons);
  }

  /** Reads this host and this process. */
  public static LiveHost read() {
    return read(Path.of("/"));
  }

  /** Reads a host whose /proc, /sys and /usr are below {@code root}. */
  static LiveHost read(Path root) {
    return new Reading(root).read();
  }

  /** Why a fact is unknown; ends the reading of that fact only. */
  private static final class UnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    UnknownException(String reason) {
      super(reason);
    }
  }

  /** Reads one fact. */
  @FunctionalInterface
  private interface Source {
    @Nullable Object read() throws IOException, UnknownException;
  }

  /** Reads all facts of a root. */
  private static final class Reading {
    /** {@code AT_PAGESZ}, {@code include/uapi/linux/auxvec.h}. */
    private static final long AT_PAGESZ = 6;

    /** {@code CAP_IPC_LOCK}, {@code include/uapi/linux/capability.h}. */
    private static final int CAP_IPC_LOCK = 14;

    /** The inode of the initial user namespace, {@code PROC_USER_INIT_INO}, {@code proc_ns.h}. */
    private static final String INITIAL_USER_NAMESPACE = "user:[4026531837]";

    /** What {@code uid_map} says where all ids are mapped to themselves. */
    private static final Pattern ALL_IDS = Pattern.compile("\\s*0\\s+0\\s+4294967295\\s*");

    private static final Pattern LIBRARY =
        Pattern.compile("libibverbs\\.so\\.1\\.\\d{1,4}\\.(\\d{1,6})\\.\\d{1,4}");

    /** Modules that a vendor stack replaces as a whole. */
    private static final List<String> CORE_MODULES =
        List.of("ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "mlx4_core", "mlx4_ib");

    /** Versions that the modules of MLNX_OFED and DOCA carry, such as 24.10-1.1.4. */
    private static final Pattern OFED_VERSION = Pattern.compile("\\d+\\.\\d+-\\d+\\.\\d+\\.\\d+.*");

    private final Path root;
    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private final Map<String, String> reasons = new LinkedHashMap<>();

    private Reading(Path root) {
      this.root = root;
    }

    LiveHost read() {
      fact("kernel", this::kernel);
      fact("stack", this::stack);
      fact("rdmaCore", this::rdmaCore);
      fact("pageSize", this::pageSize);
      fact("memlock", this::memlock);
      fact("ipcLock", this::ipcLock);
      fact("pinnedPages", this::pinnedPages);
      reasons.put("dmaBounce", "no file says it; devices do, in bit 41 of device_cap_flags_ex");
      return new LiveHost(Host.TYPE.of(values), reasons);
    }

    private void fact(String field, Source source) {
      try {
        values.put(field, source.read());
      } catch (UnknownException e) {
        reasons.put(field, String.valueOf(e.getMessage()));
      } catch (NoSuchFileException e) {
        reasons.put(field, "there is no " + e.getFile());
      } catch (IOException | RuntimeException e) {
        reasons.put(field, Shown.of("cannot be read: " + e));
      }
    }

    private String text(String file) throws IOException {
      return new String(Files.readAllBytes(root.resolve(file)), StandardCharsets.ISO_8859_1);
    }

    private int kernel() throws IOException, UnknownException {
      String release = text("proc/sys/kernel/osrelease").strip();
      return Kernel.parse(release)
          .orElseThrow(() -> new UnknownException("osrelease is no version: " + Shown.of(release)));
    }

    private long pageSize() throws IOException, UnknownException {
      ByteBuffer auxv =
          ByteBuffer.wrap(Files.readAllBytes(root.resolve("proc/self/auxv")))
              .order(ByteOrder.nativeOrder());
      while (auxv.remaining() >= 2 * Long.BYTES) {
        long key = auxv.getLong();
        long value = auxv.getLong();
        if (key == AT_PAGESZ && Long.bitCount(value) == 1) {
          return value;
        }
      }
      throw new UnknownException("/proc/self/auxv has no AT_PAGESZ");
    }

    private long memlock() throws IOException, UnknownException {
      String limits = text("proc/self/limits");
      Matcher matcher = Pattern.compile("Max locked memory\\s+(\\w+)\\s+\\w+\\s").matcher(limits);
      if (!matcher.find()) {
        throw new UnknownException("/proc/self/limits has no Max locked memory");
      }
      return matcher.group(1).equals("unlimited")
          ? Long.MAX_VALUE
          : unsigned("Max locked memory", matcher.group(1));
    }

    private static long unsigned(String name, String digits) throws UnknownException {
      try {
        long value = Long.parseUnsignedLong(digits);
        return value < 0 ? Long.MAX_VALUE : value;
      } catch (NumberFormatException e) {
        throw new UnknownException("%s is no number: %s".formatted(name, Shown.of(digits)));
      }
    }

    private String status(String name) throws IOException, UnknownException {
      Matcher matcher =
          Pattern.compile("(?m)^" + name + ":\\s*(.*)$").matcher(text("proc/self/status"));
      if (!matcher.find()) {
        throw new UnknownException("/proc/self/status has no " + name);
      }
      return matcher.group(1).strip();
    }

    private boolean ipcLock() throws IOException, UnknownException {
      String effective = status("CapEff");
      long capabilities;
      try {
        capabilities = Long.parseUnsignedLong(effective, 16);
      } catch (NumberFormatException e) {
        throw new UnknownException("CapEff is no number: " + Shown.of(effective));
      }
      // capable() asks for the capability in the initial user namespace:
      // include/linux/capability.h.
      return (capabilities & (1L << CAP_IPC_LOCK)) != 0 && inInitialUserNamespace();
    }

    private boolean inInitialUserNamespace() throws IOException {
      Path namespace = root.resolve("proc/self/ns/user");
      if (Files.isSymbolicLink(namespace)) {
        return Files.readSymbolicLink(namespace).toString().equals(INITIAL_USER_NAMESPACE);
      }
      return ALL_IDS.matcher(text("proc/self/uid_map")).matches();
    }

    private long pinnedPages() throws IOException, UnknownException {
      String pinned = status("VmPin");
      Matcher matcher = Pattern.compile("(\\d{1,16}) kB").matcher(pinned);
      if (!matcher.matches()) {
        throw new UnknownException("VmPin is not in kB: " + Shown.of(pinned));
      }
      if (!(values.get("pageSize") instanceof Long pageSize)) {
        throw new UnknownException("the page size is unknown");
      }
      return Long.parseLong(matcher.group(1)) * 1024 / pageSize;
    }

    private DriverStack stack() throws IOException, UnknownException {
      Path modules = root.resolve("sys/module");
      if (Files.isDirectory(modules.resolve("mlx_compat"))) {
        return DriverStack.VENDOR; // the backport module, which no kernel has
      }
      boolean loaded = false;
      for (String module : CORE_MODULES) {
        Path directory = modules.resolve(module);
        if (Files.isDirectory(directory)) {
          loaded = true;
          if (read(directory.resolve("taint")).contains("O")
              || OFED_VERSION.matcher(read(directory.resolve("version")).strip()).matches()) {
            return DriverStack.VENDOR;
          }
        }
      }
      if (!loaded) {
        throw new UnknownException("no RDMA module is loaded");
      }
      Optional<String> foreign = foreignDriver(modules);
      if (foreign.isPresent()) {
        throw new UnknownException(
            "the driver %s is out of tree, the core modules are not".formatted(foreign.get()));
      }
      return DriverStack.INBOX;
    }

    /** Finds a loaded device driver that is out of tree. */
    private static Optional<String> foreignDriver(Path modules) throws IOException {
      for (String driver : DeviceCatalog.load().names()) {
        Path directory = modules.resolve(driver);
        if (Files.isDirectory(directory) && read(directory.resolve("taint")).contains("O")) {
          return Optional.of(driver);
        }
      }
      return Optional.empty();
    }

    /** Returns a file's text, nothing where there is none. */
    private static String read(Path file) throws IOException {
      return Files.isRegularFile(file)
          ? new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
          : "";
    }

    private int rdmaCore() throws IOException, UnknownException {
      TreeSet<Integer> versions = new TreeSet<>();
      for (Path directory : libraryDirectories()) {
        Path link = directory.resolve("libibverbs.so.1");
        if (Files.isSymbolicLink(link)) {
          addVersion(versions, Files.readSymbolicLink(link));
        } else if (Files.isDirectory(directory)) {
          try (DirectoryStream<Path> files =
              Files.newDirectoryStream(directory, "libibverbs.so.1.*")) {
            files.forEach(file -> addVersion(versions, file));
          }
        }
      }
      if (versions.isEmpty()) {
        throw new UnknownException("libibverbs.so.1 is in none of the usual directories");
      }
      if (versions.size() > 1) {
        throw new UnknownException(
            "several libibverbs.so.1 are installed, of rdma-core " + versions);
      }
      return versions.first();
    }

    /** libibverbs.so.1.14.44.0 is of rdma-core 44: CMakeLists.txt, rdma_library(ibverbs ..). */
    private static void addVersion(Set<Integer> versions, Path file) {
      Matcher matcher = LIBRARY.matcher(String.valueOf(file.getFileName()));
      if (matcher.matches()) {
        versions.add(Integer.parseInt(matcher.group(1)));
      }
    }

    private List<Path> libraryDirectories() throws IOException {
      List<Path> directories = new ArrayList<>();
      for (String name : List.of("usr/lib64", "usr/lib", "usr/local/lib64", "usr/local/lib")) {
        directories.add(root.resolve(name));
      }
      Path multiarch = root.resolve("usr/lib");
      if (Files.isDirectory(multiarch)) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(multiarch, "*-linux-gnu*")) {
          found.forEach(directories::add);
        }
      }
      return directories;
    }
  }
}
