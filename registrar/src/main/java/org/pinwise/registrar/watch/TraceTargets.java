package org.pinwise.registrar.watch;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.watch.Tool.UnreadableException;

/**
 * What can be traced on this host: functions of the libibverbs that is used, and of the kernel that
 * runs.
 *
 * @param kernelRelease as {@code uname -r} says; empty where unknown
 * @param library the real file of libibverbs; empty where there is none
 * @param rdmaCore the release of rdma-core that it is of; empty where its name does not say
 * @param libraryFunctions addresses in it, by name
 * @param kernelFunctions the module of each function that the running kernel has; empty for one
 *     that is built in
 * @param drivers the functions by which drivers register, of the drivers that are loaded
 * @param problems what is not known, and why; one line each
 */
public record TraceTargets(
    String kernelRelease,
    Optional<Path> library,
    OptionalInt rdmaCore,
    Map<String, Long> libraryFunctions,
    Map<String, String> kernelFunctions,
    List<String> drivers,
    List<String> problems) {

  /** The library's functions that registering goes through. */
  public static final List<String> LIBRARY_FUNCTIONS =
      List.of(
          "ibv_reg_mr", "ibv_reg_mr_iova", "ibv_reg_mr_iova2", "ibv_reg_dmabuf_mr", "ibv_dereg_mr");

  /** The kernel's functions; {@code __ib_umem_get_va} is what newer kernels have of the second. */
  static final List<String> KERNEL_FUNCTIONS =
      List.of(
          "ib_uverbs_reg_mr",
          "ib_umem_get",
          "__ib_umem_get_va",
          "ib_umem_release",
          "ib_dereg_mr_user");

  private static final Pattern SYMBOL =
      Pattern.compile("[0-9a-f]{8,16} [tT] (\\w{1,100})(?:\\s+\\[(\\w{1,60})\\])?");

  /** What drivers call theirs; efa and usnic deviate. */
  private static final Pattern DRIVER =
      Pattern.compile("(?!__pfx_)(?!ib_reg_user_mr$)\\w+_reg_user_mr|efa_reg_mr|usnic_ib_reg_mr");

  private static final Pattern MAPPED = Pattern.compile(".* (/\\S*/libibverbs\\.so\\.1\\S*)");
  private static final Pattern VERSION =
      Pattern.compile("libibverbs\\.so\\.1\\.\\d{1,4}\\.(\\d{1,6})\\.\\d{1,4}");

  /** Makes the value. */
  public TraceTargets {
    libraryFunctions = Map.copyOf(libraryFunctions);
    kernelFunctions = Map.copyOf(kernelFunctions);
    drivers = List.copyOf(drivers);
    problems = List.copyOf(problems);
  }

  /**
   * Looks at this host.
   *
   * @param pid a process whose libibverbs is meant; null for the one that is installed
   */
  public static TraceTargets ofThisHost(@Nullable Long pid) {
    return read(Path.of("/"), pid);
  }

  static TraceTargets read(Path root, @Nullable Long pid) {
    return new Reading(root).read(pid);
  }

  private static final class Reading {
    private final Path root;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, String> kernelFunctions = new TreeMap<>();
    private final List<String> drivers = new ArrayList<>();

    Reading(Path root) {
      this.root = root;
    }

    TraceTargets read(@Nullable Long pid) {
      String release = release();
      readKernel();
      Optional<Path> library = pid == null ? installed() : mapped(pid);
      Map<String, Long> functions = new TreeMap<>();
      OptionalInt rdmaCore = OptionalInt.empty();
      if (library.isPresent()) {
        try {
          functions.putAll(ElfSymbols.read(library.get()));
          functions.keySet().retainAll(LIBRARY_FUNCTIONS);
        } catch (UnreadableException e) {
          problems.add(e.reason());
        }
        Matcher version = VERSION.matcher(String.valueOf(library.get().getFileName()));
        if (version.matches()) {
          rdmaCore = OptionalInt.of(Integer.parseInt(version.group(1)));
        } else {
          problems.add(
              "%s does not say which rdma-core it is of".formatted(library.get().getFileName()));
        }
      }
      return new TraceTargets(
          release, library, rdmaCore, functions, kernelFunctions, drivers, problems);
    }

    private String release() {
      try {
        return Files.readString(root.resolve("proc/sys/kernel/osrelease")).strip();
      } catch (IOException e) {
        problems.add("the kernel's release cannot be read: " + e.getMessage());
        return "";
      }
    }

    private void readKernel() {
      Path symbols = root.resolve("proc/kallsyms");
      try (BufferedReader lines = Files.newBufferedReader(symbols, StandardCharsets.ISO_8859_1)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Matcher matcher = SYMBOL.matcher(line);
          if (!matcher.lookingAt()) {
            continue;
          }
          String name = matcher.group(1);
          boolean driver = DRIVER.matcher(name).matches() && !name.contains("rereg_user_mr");
          if (driver || KERNEL_FUNCTIONS.contains(name)) {
            String module = matcher.group(2);
            kernelFunctions.put(name, module == null ? "" : module);
            if (driver) {
              drivers.add(name);
            }
          }
        }
      } catch (IOException e) {
        problems.add("the kernel's functions are not known: %s cannot be read".formatted(symbols));
        return;
      }
      drivers.sort(null);
      if (!kernelFunctions.containsKey("ib_uverbs_reg_mr")) {
        problems.add(
            "the kernel has no ib_uverbs_reg_mr: the module ib_uverbs is not loaded, so no process"
                + " registers memory");
      }
      if (drivers.isEmpty()) {
        problems.add(
            "the kernel has no ..._reg_user_mr: no driver of an RDMA device is loaded that is known"
                + " here");
      }
    }

    private Optional<Path> mapped(long pid) {
      Path maps = root.resolve("proc/" + pid + "/maps");
      try (BufferedReader lines = Files.newBufferedReader(maps, StandardCharsets.ISO_8859_1)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Matcher matcher = MAPPED.matcher(line);
          if (matcher.matches()) {
            // By way of the process: in a container the file is not where the host looks.
            return Optional.of(root.resolve("proc/" + pid + "/root" + matcher.group(1)));
          }
        }
        problems.add("process %d has not loaded libibverbs.so.1".formatted(pid));
      } catch (IOException e) {
        problems.add("%s cannot be read: is it a process of this user?".formatted(maps));
      }
      return Optional.empty();
    }

    private Optional<Path> installed() {
      for (Path folder : folders()) {
        Path link = folder.resolve("libibverbs.so.1");
        try {
          if (Files.exists(link)) {
            return Optional.of(link.toRealPath());
          }
        } catch (IOException e) {
          problems.add("%s cannot be followed: %s".formatted(link, e.getMessage()));
        }
      }
      problems.add("libibverbs.so.1 is in none of the usual folders: %s".formatted(folders()));
      return Optional.empty();
    }

    private List<Path> folders() {
      List<Path> folders = new ArrayList<>();
      for (String name : List.of("usr/lib64", "usr/lib", "usr/local/lib64", "usr/local/lib")) {
        folders.add(root.resolve(name));
      }
      try (DirectoryStream<Path> found =
          Files.newDirectoryStream(root.resolve("usr/lib"), "*-linux-gnu*")) {
        found.forEach(folders::add);
      } catch (IOException e) {
        return folders;
      }
      return folders;
    }
  }
}
