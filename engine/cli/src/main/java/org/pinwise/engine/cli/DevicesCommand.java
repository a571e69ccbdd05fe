package org.pinwise.engine.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.facts.CatalogDevice;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.DeviceOption;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Field;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code pinwise devices}. */
@Command(
    name = "devices",
    description = "Lists the RDMA devices of this host, or those of the catalogue.")
final class DevicesCommand implements Callable<Integer> {
  /** Where the kernel lists RDMA devices: {@code drivers/infiniband/core/device.c}, ib_class. */
  private static final Path INFINIBAND = Path.of("/sys/class/infiniband");

  private final CliContext context;
  private final Path directory;

  @Option(names = "--catalog", description = "List the devices that --device knows by name.")
  private boolean catalog;

  DevicesCommand(CliContext context) {
    this(context, INFINIBAND);
  }

  DevicesCommand(CliContext context, Path directory) {
    this.context = context;
    this.directory = directory;
  }

  @Override
  public Integer call() {
    return catalog ? catalog() : live();
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

  private int live() {
    List<String> names = names();
    if (names.isEmpty()) {
      throw new UsageException(
          "there is no RDMA device: %s; 'pinwise devices --catalog' lists the devices that can be"
                  .formatted(
                      Files.isDirectory(directory)
                          ? directory + " is empty"
                          : "there is no " + directory + ", so no RDMA driver is loaded")
              + " named instead");
    }
    int code = ExitCode.OK;
    for (String name : names) {
      try {
        Device device = DeviceOption.resolve("live:" + name, null).device();
        context.out().print(context.style().bold(Printable.line(name)) + "\n");
        for (Field<Device> field : Device.TYPE.fields()) {
          context
              .out()
              .print(
                  "  %s%s\n"
                      .formatted(
                          RuleText.pad(field.name(), 18),
                          Printable.line(field.show(field.read(device)))));
        }
      } catch (InputException e) {
        context.err().printf("%s: %s%n", name, Printable.line(String.valueOf(e.getMessage())));
        code = ExitCode.USAGE;
      }
    }
    return code;
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
        entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
      } catch (IOException e) {
        throw new InputException(directory.toString(), "cannot be listed: " + e.getMessage());
      }
    }
    Collections.sort(names);
    return names;
  }
}
