package org.pinwise.registrar.watch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.watch.Tool.UnreadableException;

/** Takes snapshots of what the kernel and a running JVM know of regions, again and again. */
public final class Watcher implements AutoCloseable {

  /** Connects to a JVM. */
  @FunctionalInterface
  interface Connector {
    JvmReader connect(long pid) throws UnreadableException;
  }

  private final KernelReader kernel;
  private final Path proc;
  private final @Nullable Long pid;
  private final Connector connector;
  private final Function<String, OptionalLong> maxRegions;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Trends trends = new Trends();
  private final Map<String, OptionalLong> limits = new HashMap<>();
  private @Nullable JvmReader jvm;

  Watcher(
      KernelReader kernel,
      Path proc,
      @Nullable Long pid,
      Connector connector,
      Function<String, OptionalLong> maxRegions,
      InstantSource clock,
      LongSupplier nanos) {
    this.kernel = kernel;
    this.proc = proc;
    this.pid = pid;
    this.connector = connector;
    this.maxRegions = maxRegions;
    this.clock = clock;
    this.nanos = nanos;
  }

  /**
   * Watches this host.
   *
   * @param pid a process to look into; null for none
   * @param maxRegions how many regions a device has room for; asked once for each device
   */
  public static Watcher ofThisHost(@Nullable Long pid, Function<String, OptionalLong> maxRegions) {
    return new Watcher(
        new KernelReader(
            Tool.program("rdma", "install iproute2"), Path.of("/sys/class/infiniband")),
        Path.of("/proc"),
        pid,
        JvmReader::attach,
        maxRegions,
        InstantSource.system(),
        System::nanoTime);
  }

  /** Whether the process that is watched is there; true if none is watched. */
  public boolean isProcessThere() {
    return pid == null || Files.isDirectory(proc.resolve(pid.toString()));
  }

  /** Reads all. */
  public Snapshot next() {
    List<String> problems = new ArrayList<>();
    List<JvmRegistrar> before = registrars(new ArrayList<>());
    KernelView view = kernel.read();
    List<JvmRegistrar> after = registrars(problems);
    ProcessLimits pinned = limits(problems);
    problems.addAll(view.problems());
    List<Difference> differences =
        pid == null || view.counts().isEmpty()
            ? List.of()
            : Difference.between(this::isOfProcess, before, view, after);
    return new Snapshot(
        clock.instant(),
        view,
        pid,
        after,
        pinned,
        differences,
        trends(view, after, pinned),
        problems);
  }

  /** The kernel counts a region to the thread, where it shows a process. */
  boolean isOfProcess(long thread) {
    return pid != null
        && (pid == thread || Files.isDirectory(proc.resolve(pid + "/task/" + thread)));
  }

  private List<JvmRegistrar> registrars(List<String> problems) {
    if (pid == null) {
      return List.of();
    }
    try {
      JvmReader reader = jvm;
      if (reader == null) {
        reader = connector.connect(pid);
        jvm = reader;
      }
      List<JvmRegistrar> registrars = reader.read();
      if (registrars.isEmpty()) {
        problems.add(
            "the JVM %d shows no registrar: its program must open a RegistrarMonitor"
                .formatted(pid));
      }
      return registrars;
    } catch (UnreadableException e) {
      close(); // the next reading tries again
      problems.add(e.reason());
      return List.of();
    }
  }

  private @Nullable ProcessLimits limits(List<String> problems) {
    if (pid == null) {
      return null;
    }
    try {
      return ProcessLimits.read(proc.resolve(pid.toString()));
    } catch (UnreadableException e) {
      problems.add(e.reason());
      return null;
    }
  }

  private List<Trend> trends(
      KernelView view, List<JvmRegistrar> registrars, @Nullable ProcessLimits pinned) {
    long now = nanos.getAsLong();
    List<Trend> found = new ArrayList<>();
    view.counts()
        .forEach((device, count) ->
            trends
                .add(device + " regions", now, count, limit(device, registrars), "max_mr")
                .ifPresent(found::add));
    for (JvmRegistrar registrar : registrars) {
      if (registrar.simulated()) {
        trends
            .add(
                registrar.name() + " regions",
                now,
                registrar.regions().size(),
                registrar.maxRegions() < 0 ? Long.MAX_VALUE : registrar.maxRegions(),
                "max_mr")
            .ifPresent(found::add);
      }
    }
    if (pinned != null) {
      trends
          .add(
              "pinned bytes of " + pid,
              now,
              pinned.pinnedBytes(),
              pinned.unbound() ? Long.MAX_VALUE : pinned.memlockBytes(),
              "RLIMIT_MEMLOCK")
          .ifPresent(found::add);
    }
    return found;
  }

  private long limit(String device, List<JvmRegistrar> registrars) {
    for (JvmRegistrar registrar : registrars) {
      if (registrar.device().equals(device) && registrar.maxRegions() >= 0) {
        return registrar.maxRegions();
      }
    }
    return limits.computeIfAbsent(device, maxRegions).orElse(Long.MAX_VALUE);
  }

  /** Lets go of the JVM. */
  @Override
  public void close() {
    JvmReader reader = jvm;
    jvm = null;
    if (reader != null) {
      reader.close();
    }
  }
}
