package org.pinwise.registrar.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.InputException;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.cli.CliContext;
import org.pinwise.engine.cli.ExitCode;
import org.pinwise.engine.cli.ReportOptions;
import org.pinwise.engine.cli.UsageException;
import org.pinwise.registrar.DeviceProbe;
import org.pinwise.registrar.UnavailableException;
import org.pinwise.registrar.VerbsException;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pinwise probe}. */
@Command(
    name = "probe",
    description =
        "Tries all 2,048 sets of access flags by both functions on a device of this host.",
    footer = {
      "",
      "Registers 64 KiB of its own and gives it back, 4,096 times. Prints each call on",
      "which Pinwise is wrong, as a file that can be contributed: lines that start with #",
      "say what the device is, the columns are those of testdata/oracle and what Pinwise",
      "had said.",
      "",
      "Exit codes: 0 Pinwise was right, 1 it was wrong on some calls, 2 no such device.",
      "",
      "Example: pinwise probe mlx5_0 --all --out mlx5.csv"
    })
final class ProbeCommand implements Callable<Integer> {
  private static final String LIVE = "live:";

  private final CliContext context;

  @Mixin private ReportOptions report = new ReportOptions();

  @Parameters(
      paramLabel = "DEVICE",
      arity = "0..1",
      description = "The device's name on this host, such as mlx5_0.")
  private @Nullable String device;

  @Option(names = "--all", description = "Print all calls, not only those on which it is wrong.")
  private boolean all;

  @Option(names = "--out", paramLabel = "FILE", description = "Write the rows to a new file.")
  private @Nullable String out;

  ProbeCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    report.check();
    if (device == null) {
      throw new UsageException("name a device of this host; pinwise devices lists them");
    }
    String name = device.startsWith(LIVE) ? device.substring(LIVE.length()) : device;
    Path file = out == null ? null : newFile(out);
    DeviceProbe.Report probed;
    try {
      probed = DeviceProbe.run(name, MrValidator.create(RuleSet.builtIn()));
    } catch (UnavailableException | VerbsException e) {
      throw new UsageException(LiveVerbsDevices.oneLine(e));
    }
    String rows = report.json() ? Json.of(json(probed, all)) + "\n" : csv(probed, all);
    if (file == null) {
      context.out().print(rows);
    } else {
      write(file, rows);
    }
    context.err().print(summary(probed) + "\n");
    return probed.wrong().isEmpty() ? ExitCode.OK : ExitCode.REJECTED;
  }

  private static Path newFile(String name) {
    try {
      Path file = Path.of(name);
      if (Files.exists(file)) {
        throw new UsageException("--out", name + " is there already; name a new file");
      }
      return file;
    } catch (InvalidPathException e) {
      throw new UsageException("--out", name + " is no path");
    }
  }

  private static void write(Path file, String rows) {
    try {
      Files.writeString(file, rows, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new InputException(file.toString(), "cannot be written: " + e.getMessage());
    }
  }

  private static List<DeviceProbe.Row> shown(DeviceProbe.Report probed, boolean all) {
    return all ? probed.rows() : probed.wrong();
  }

  /** The rows as {@code testdata/oracle} has them, with what Pinwise said. */
  static String csv(DeviceProbe.Report probed, boolean all) {
    StringBuilder text = new StringBuilder();
    describe(probed)
        .forEach((key, value) -> {
          if (value != null) {
            text.append("# ").append(key).append(' ').append(value).append('\n');
          }
        });
    text.append("device,flags,api,errno,pinwise\n");
    for (DeviceProbe.Row row : shown(probed, all)) {
      text.append(
          "%s,0x%x,%s,%d,%s\n"
              .formatted(
                  probed.device().name(),
                  row.access().bits(),
                  api(row),
                  row.errno(),
                  said(row.verdict())));
    }
    return text.toString();
  }

  private static String api(DeviceProbe.Row row) {
    return row.function().name().toLowerCase(Locale.ROOT);
  }

  /** What the rules said, in a word: 0, the errno's number or numbers, or undecided. */
  private static String said(Verdict verdict) {
    if (verdict instanceof Accepted) {
      return "0";
    }
    return verdict.errno().isEmpty()
        ? verdict.decision()
        : verdict.errno().stream()
            .map(errno -> String.valueOf(errno.number()))
            .collect(Collectors.joining("|"));
  }

  private static Map<String, @Nullable Object> describe(DeviceProbe.Report probed) {
    Device device = probed.device();
    Host host = probed.host();
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("driver", device.driver());
    facts.put("vendorId", device.vendorId());
    facts.put("vendorPartId", device.vendorPartId());
    facts.put("firmware", device.firmware());
    facts.put("kernel", host.kernel() == null ? null : Kernel.text(host.kernel()));
    facts.put("stack", host.stack() == null ? null : host.stack().name().toLowerCase(Locale.ROOT));
    facts.put("rdmaCore", host.rdmaCore());
    facts.put("odp", device.odp());
    facts.put("simulated", probed.simulated() ? (Boolean) true : null);
    return facts;
  }

  static Map<String, @Nullable Object> json(DeviceProbe.Report probed, boolean all) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("schema", "pinwise-probe/1");
    json.put("device", probed.device().name());
    json.put("simulated", probed.simulated());
    json.put("facts", describe(probed));
    json.put("calls", probed.rows().size());
    json.put("wrong", probed.wrong().size());
    json.put("undecided", probed.undecided().size());
    json.put(
        "rows",
        shown(probed, all).stream()
            .map(row -> {
              Map<String, @Nullable Object> one = new LinkedHashMap<>();
              one.put("flags", "0x%x".formatted(row.access().bits()));
              one.put("api", api(row));
              one.put("errno", row.errno() == 0 ? null : Errno.nameOf(row.errno()));
              one.put("decision", row.verdict().decision());
              one.put("expected", row.verdict().errno().stream().map(Errno::name).toList());
              one.put("wrong", row.isWrong());
              return one;
            })
            .toList());
    return json;
  }

  private static String summary(DeviceProbe.Report probed) {
    int undecided = probed.undecided().size();
    return "%s: %d calls, Pinwise was wrong on %d%s"
        .formatted(
            probed.device().name(),
            probed.rows().size(),
            probed.wrong().size(),
            undecided == 0
                ? ""
                : " and undecided on %d (--all prints them; they are worth contributing, too)"
                    .formatted(undecided));
  }
}
