package org.pinwise.engine.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.facts.CatalogDevice;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.HostReport;
import org.pinwise.engine.facts.LiveDevice;
import org.pinwise.engine.json.JsonTree;
import org.pinwise.engine.text.Nearest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pinwise devices}. */
@Command(
    name = "devices",
    description = "Lists the RDMA devices of this host, or those of the catalogue.")
final class DevicesCommand implements Callable<Integer> {
  private final CliContext context;
  private final Supplier<HostReport> host;

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "Only this device of the host.")
  private @Nullable String name;

  @Option(names = "--catalog", description = "List the devices that --device knows by name.")
  private boolean catalog;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = "Write the device's facts and the host's to FILE, for --device.")
  private @Nullable String save;

  @Mixin private ReportOptions format = new ReportOptions();

  DevicesCommand(CliContext context) {
    this(context, HostReport::ofThisProcess);
  }

  DevicesCommand(CliContext context, Supplier<HostReport> host) {
    this.context = context;
    this.host = host;
  }

  @Override
  public Integer call() {
    boolean json = format.json();
    if (!catalog) {
      return live(json);
    }
    if (name != null || save != null || json) {
      throw new UsageException("--catalog", "stands alone");
    }
    return catalog();
  }

  private int catalog() {
    DeviceCatalog all = DeviceCatalog.load();
    for (String name : all.names()) {
      CatalogDevice device = all.find(name).orElseThrow();
      context
          .out()
          .print(
              context.style().bold(RuleText.pad(name, 16))
                  + RuleText.pad(device.driver(), 12)
                  + Printable.line(device.title())
                  + "\n");
    }
    return ExitCode.OK;
  }

  private int live(boolean json) {
    HostReport report = host.get();
    List<LiveDevice> devices = chosen(report.devices());
    if (save != null) {
      if (devices.size() > 1) {
        throw new UsageException(
            "--save", "a facts file holds one device; name one of " + names(devices));
      }
      SavedFacts.write(context, save, devices.get(0), report);
    }
    if (json) {
      Map<String, @Nullable Object> root = new LinkedHashMap<>();
      root.put("schema", "pinwise-devices/1");
      root.put("devices", DoctorJson.devices(devices));
      context.out().print(JsonTree.indented(root) + "\n");
    } else {
      devices.forEach(device -> context.out().print(DoctorText.device(device, context.style())));
    }
    return ExitCode.OK;
  }

  private List<LiveDevice> chosen(List<LiveDevice> all) {
    if (all.isEmpty()) {
      throw new UsageException(
          "there is no RDMA device: /sys/class/infiniband lists none, so no RDMA driver has one;"
              + " 'pinwise devices --catalog' lists the devices that can be named instead");
    }
    if (name == null) {
      return all;
    }
    List<LiveDevice> named = new ArrayList<>(all);
    named.removeIf(device -> !device.name().equals(name));
    if (named.isEmpty()) {
      throw new UsageException(
          "there is no RDMA device %s%s; there are %s"
              .formatted(Printable.cut(name), Nearest.hint(name, names(all)), names(all)));
    }
    return named;
  }

  private static List<String> names(List<LiveDevice> devices) {
    return devices.stream().map(LiveDevice::name).toList();
  }
}
