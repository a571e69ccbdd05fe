package org.pinwise.engine.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.DeviceOption;
import org.pinwise.engine.facts.FactsFile;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.engine.facts.HostReport;
import org.pinwise.engine.facts.LabelsOption;
import org.pinwise.engine.facts.LiveHost;
import org.pinwise.engine.facts.MemoryOption;
import org.pinwise.engine.facts.ResolvedDevice;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import picocli.CommandLine.Option;

/** Options that say what is known of the device, the host and the memory. */
public final class FactsOptions {
  private static final String LIVE = "live";
  private static final String KERNEL_FIELD = "kernel";

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      description = {
        "A name of the catalogue ('pinwise devices --catalog'),",
        "a FILE with the text of 'ibv_devinfo -v' or with facts,",
        "or live:NAME for a device of this host."
      })
  private @Nullable String device;

  @Option(
      names = "--host",
      paramLabel = "FILE|live",
      description = "Facts of the host: a file, or live for this host.")
  private @Nullable String host;

  @Option(
      names = "--kernel",
      paramLabel = "VERSION",
      description = "The host's kernel, such as 6.12; goes before --host.")
  private @Nullable String kernel;

  @Option(
      names = "--memory",
      paramLabel = "K=V,..",
      description = "The memory, such as kind=anonymous,protection=r.")
  private @Nullable String memory;

  @Option(
      names = "--labels",
      paramLabel = "K=V,..",
      description = "Facts of a team's own rules, such as team=storage,tier=prod.")
  private @Nullable String labels;

  /** Makes options that nobody gave. */
  public FactsOptions() {}

  /**
   * What the options say.
   *
   * @param facts the facts
   * @param notes where they come from, one line each, for people
   */
  public record Given(Facts facts, List<String> notes) {

    /** Keeps an immutable copy. */
    public Given {
      notes = List.copyOf(notes);
    }
  }

  /** Returns what {@code --device} holds. */
  public Optional<String> device() {
    return Optional.ofNullable(device);
  }

  /** Returns whether any of these options was given. */
  boolean isGiven() {
    return device != null || host != null || kernel != null || memory != null || labels != null;
  }

  /**
   * Returns the facts that the options give; what they do not give is unknown.
   *
   * @throws UsageException if an option's value cannot be understood
   * @throws InputException if a file or a device cannot be read
   */
  public Given given(MrRequest request) {
    List<String> notes = new ArrayList<>();
    Memory memoryFacts = memory == null ? null : MemoryOption.parse(memory);
    Host hostFacts = host == null ? Host.UNKNOWN : host(host, notes);
    Integer override = kernel == null ? null : kernel(kernel);
    hostFacts = withKernel(hostFacts, override);
    Device deviceFacts = Device.UNKNOWN;
    if (device != null) {
      ResolvedDevice resolved = DeviceOption.resolve(device, hostFacts.kernel());
      deviceFacts = resolved.device();
      if (host == null) {
        hostFacts = withKernel(hostOf(resolved, hostFacts, notes), override);
      }
      describe(resolved, hostFacts, notes);
    }
    Labels labelFacts = labels == null ? Labels.UNKNOWN : LabelsOption.parse(labels);
    Facts facts = new Facts(request, memoryFacts, deviceFacts, hostFacts).withLabels(labelFacts);
    return new Given(facts, notes);
  }

  /**
   * Returns the facts that the options give, on this host where they name none.
   *
   * @param pid the process whose limits count; null is this one
   * @throws UsageException if an option's value cannot be understood
   * @throws InputException if a file or a device cannot be read
   */
  Given givenHere(MrRequest request, @Nullable String pid) {
    if (pid != null && host != null && !host.equals(LIVE)) {
      throw new UsageException("--pid", "is of this host; leave out --host, or say --host live");
    }
    Given given = given(request);
    if (pid == null && (host != null || isHostKnown(given.facts().host()))) {
      return given;
    }
    List<String> notes = new ArrayList<>(given.notes());
    Host here = pid == null ? live(notes) : HostReport.ofProcess(Options.pid(pid)).live().host();
    notes.add("the host is this one" + (pid == null ? "" : ", its process " + Options.pid(pid)));
    return new Given(
        given.facts().withHost(withKernel(here, kernel == null ? null : kernel(kernel))), notes);
  }

  /** Returns whether more than the kernel is known. */
  private static boolean isHostKnown(Host given) {
    return !withKernel(Host.UNKNOWN, given.kernel()).equals(given);
  }

  private static Host hostOf(ResolvedDevice resolved, Host otherwise, List<String> notes) {
    if (resolved.origin() == ResolvedDevice.Origin.LIVE) {
      return live(notes); // a device of this host is on this host
    }
    return resolved.host() == null ? otherwise : resolved.host();
  }

  private static void describe(ResolvedDevice resolved, Host host, List<String> notes) {
    String title = resolved.title();
    notes.add(
        switch (resolved.origin()) {
          case CATALOG ->
              "device facts from the catalogue: %s%s"
                  .formatted(
                      title, host.kernel() == null ? "" : ", kernel " + Kernel.text(host.kernel()));
          case DEVINFO -> "device facts from ibv_devinfo's text: " + title;
          case FACTS -> "device facts from a facts file: " + title;
          case LIVE -> "device facts read from this host: " + title;
        });
    if (!resolved.missing().isEmpty()) {
      notes.add("not in that text: " + String.join(", ", resolved.missing()));
    }
    notes.addAll(resolved.notes());
  }

  private static Host host(String named, List<String> notes) {
    if (named.equals(LIVE)) {
      return live(notes);
    }
    if (named.isBlank()) {
      throw new UsageException("--host", "the value is empty");
    }
    Path file = Options.path("--host", named);
    FactsFile facts = FactsReader.of(DeviceCatalog.load()).read(file);
    if (!facts.has(Host.TYPE.key())) {
      throw new InputException(named, "says nothing of a host; add host: {kernel: \"6.12\"}");
    }
    return facts.facts().host();
  }

  private static Host live(List<String> notes) {
    LiveHost live = LiveHost.read();
    new TreeMap<>(live.reasons())
        .forEach((field, reason) -> notes.add("host.%s is unknown: %s".formatted(field, reason)));
    return live.host();
  }

  private static Integer kernel(String text) {
    return Options.read(
        "--kernel",
        text,
        version ->
            Kernel.parse(version)
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "%s is no kernel version; write it as 6.12 or 6.1.0-49-amd64"
                            .formatted(version))));
  }

  private static Host withKernel(Host host, @Nullable Integer version) {
    if (version == null) {
      return host;
    }
    Map<String, @Nullable Object> values = new LinkedHashMap<>(Host.TYPE.values(host));
    values.put(KERNEL_FIELD, version);
    return Host.TYPE.of(values);
  }
}
