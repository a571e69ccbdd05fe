package org.pinwise.registrar.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.cli.CliContext;
import org.pinwise.engine.cli.ExitCode;
import org.pinwise.engine.cli.UsageException;
import org.pinwise.registrar.RdmaDevices;
import org.pinwise.registrar.UnavailableException;
import org.pinwise.registrar.VerbsException;
import org.pinwise.registrar.watch.Snapshot;
import org.pinwise.registrar.watch.Watcher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code pinwise monitor}. */
@Command(
    name = "monitor",
    description = "Shows what the kernel, and a running JVM, know of memory regions.",
    footer = {
      "",
      "The kernel's view comes from iproute2's rdma and from sysfs; it tells the keys only to",
      "who has CAP_NET_ADMIN. The JVM's view needs a program that opens a RegistrarMonitor,",
      "and the same user. Regions that only one of them knows are named, and where a number",
      "is going that has a limit.",
      "",
      "Refreshes in place on a terminal. With --format json each snapshot is one line.",
      "",
      "Exit codes: 0 something was read, 2 nothing can be read, or wrong usage.",
      "",
      "Example: pinwise monitor --pid 4711 --interval 5s"
    })
final class MonitorCommand implements Callable<Integer> {
  private static final Pattern INTERVAL = Pattern.compile("(\\d{1,6})(ms|s|m)");
  private static final int MAX_REGIONS = 20;
  private static final String HOME_AND_CLEAR = "\u001b[H\u001b[J";

  private final CliContext context;
  private final WatcherFactory watchers;

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "A process of this host, best a JVM whose program opens a RegistrarMonitor.")
  private @Nullable String pid;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "2s",
      description = "Time between snapshots, such as 500ms, 2s or 1m; 2s if nothing is said.")
  private String interval = "2s";

  @Option(names = "--once", description = "Show one snapshot; it has no trend.")
  private boolean once;

  @Option(names = "--count", paramLabel = "N", description = "End after N snapshots.")
  private @Nullable String count;

  @Option(names = "--all", description = "Show all regions, not only the 20 oldest of each device.")
  private boolean all;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "text (if nothing is said), or json for programs.")
  private String format = "text";

  /** Makes the watcher of a run. */
  @FunctionalInterface
  interface WatcherFactory {
    Watcher of(@Nullable Long pid);
  }

  MonitorCommand(CliContext context) {
    this(context, pid -> Watcher.ofThisHost(pid, MonitorCommand::maxRegions));
  }

  MonitorCommand(CliContext context, WatcherFactory watchers) {
    this.context = context;
    this.watchers = watchers;
  }

  private static OptionalLong maxRegions(String device) {
    try {
      Long max = RdmaDevices.read(device).maxMr();
      return max == null ? OptionalLong.empty() : OptionalLong.of(max);
    } catch (UnavailableException | VerbsException e) {
      return OptionalLong.empty(); // the kernel's view is shown without libibverbs, too
    }
  }

  @Override
  public Integer call() {
    boolean json =
        switch (format.toLowerCase(Locale.ROOT)) {
          case "json" -> true;
          case "text" -> false;
          default -> throw new UsageException("--format", format + " is neither text nor json");
        };
    long snapshots = snapshots();
    Duration pause = pause();
    try (Watcher watcher = watchers.of(process())) {
      if (!watcher.isProcessThere()) {
        throw new UsageException("--pid", "there is no process " + pid);
      }
      for (long i = 0; i < snapshots; i++) {
        if (i > 0) {
          Thread.sleep(pause);
        }
        Snapshot snapshot = watcher.next();
        if (i == 0 && snapshot.isEmpty()) {
          throw new UsageException(
              "nothing can be read: " + String.join("; ", snapshot.problems()));
        }
        show(snapshot, json, i == 0);
        if (context.out().checkError()) {
          return ExitCode.OK; // whoever reads has seen enough
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }

  private void show(Snapshot snapshot, boolean json, boolean first) {
    if (json) {
      context.out().print(MonitorJson.of(snapshot) + "\n");
    } else {
      boolean inPlace = context.colour() && !once;
      context
          .out()
          .print(
              (inPlace ? HOME_AND_CLEAR : first ? "" : "\n")
                  + MonitorText.of(snapshot, all ? Integer.MAX_VALUE : MAX_REGIONS));
    }
  }

  private @Nullable Long process() {
    if (pid == null) {
      return null;
    }
    if (!pid.matches("[1-9]\\d{0,9}")) {
      throw new UsageException("--pid", pid + " is no number of a process");
    }
    return Long.parseLong(pid);
  }

  private long snapshots() {
    if (count == null) {
      return once ? 1 : Long.MAX_VALUE;
    }
    if (once) {
      throw new UsageException("--once and --count exclude each other");
    }
    if (!count.matches("[1-9]\\d{0,8}")) {
      throw new UsageException("--count", count + " is no number from 1 to 999999999");
    }
    return Long.parseLong(count);
  }

  private Duration pause() {
    Matcher matcher = INTERVAL.matcher(interval);
    if (!matcher.matches()) {
      throw new UsageException("--interval", interval + " is no time such as 500ms, 2s or 1m");
    }
    long number = Long.parseLong(matcher.group(1));
    Duration pause =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        };
    if (pause.toMillis() < 100) {
      throw new UsageException("--interval", interval + " is less than 100ms");
    }
    return pause;
  }
}
