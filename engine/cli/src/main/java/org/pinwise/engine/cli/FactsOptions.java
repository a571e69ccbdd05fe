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
import org.pinwise.engine.facts.MrPlan;
import org.pinwise.engine.facts.ResolvedDevice;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.PlannedRegion;
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

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      description = {
        "A facts file with a plan: all that is registered. Without --access and",
        "--length every region of it is judged. Other facts of the file hold where",
        "no option gives them."
      })
  private @Nullable String plan;

  /** Makes options that nobody gave. */
  public FactsOptions() {}

  /**
   * What the options say.
   *
   * @param facts the facts
   * @param notes where they come from, one line each, for people
   * @param regions what a plan lists; none without a plan
   */
  public record Given(Facts facts, List<String> notes, List<PlannedRegion> regions) {

    /** Keeps an immutable copy. */
    public Given {
      notes = List.copyOf(notes);
      regions = List.copyOf(regions);
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
    FactsFile planned = plan == null ? null : plan(plan);
    Facts base = planned == null ? Facts.of(request) : planned.facts().withRequest(request);
    Memory memoryFacts = memory == null ? base.memory() : MemoryOption.parse(memory);
    Host hostFacts = host == null ? base.host() : host(host, notes);
    Integer override = kernel == null ? null : kernel(kernel);
    hostFacts = withKernel(hostFacts, override);
    Device deviceFacts = base.device();
    if (device != null) {
      ResolvedDevice resolved = DeviceOption.resolve(device, hostFacts.kernel());
      deviceFacts = resolved.device();
      if (host == null) {
        hostFacts = withKernel(hostOf(resolved, hostFacts, notes), override);
      }
      describe(resolved, hostFacts, notes);
    }
    Labels labelFacts = labels == null ? base.labels() : LabelsOption.parse(labels);
    Facts facts = new Facts(request, memoryFacts, deviceFacts, hostFacts).withLabels(labelFacts);
    MrPlan listed = planned == null ? null : planned.plan();
    if (listed == null) {
      return new Given(facts, notes, List.of());
    }
    // The sums are in whole pages, so they are those of the host that the options give.
    return new Given(
        facts.withPlan(listed.fact(hostFacts)),
        notes,
        listed.regions().stream().map(MrPlan.Region::region).toList());
  }

  private FactsFile plan(String named) {
    FactsReader reader = FactsReader.of(DeviceCatalog.load());
    return reader
        .onKernel(kernel == null ? null : kernel(kernel))
        .readPlan(Options.path("--plan", named));
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
        given.facts().withHost(withKernel(here, kernel == null ? null : kernel(kernel))),
        notes,
        given.regions());
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
