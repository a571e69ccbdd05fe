package org.pinwise.engine.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.advice.Capacity;
import org.pinwise.engine.advice.Capacity.Bound;
import org.pinwise.engine.advice.MttTuning;
import org.pinwise.engine.json.JsonTree;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pinwise capacity}. */
@Command(
    name = "capacity",
    description = "Says how much more memory can be registered, and what bounds it.",
    footer = {
      "",
      "The host is this one unless --host is given. Bounds that are unknown are",
      "listed, and the answer is then 'at most'. --memory pageSize=2MiB counts",
      "translations by huge pages. --profile may set the share of RAM:",
      "MR048: {ratioPercent: 60}.",
      "",
      "Example: pinwise capacity --device live:mlx5_0 --pid 4711"
    })
final class CapacityCommand implements Callable<Integer> {
  private static final int NAME_WIDTH = 12;
  private static final int VALUE_WIDTH = 20;

  private final CliContext context;

  @Mixin private FactsOptions facts = new FactsOptions();
  @Mixin private RuleOptions rules;
  @Mixin private ReportOptions format = new ReportOptions();

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "Take limits and pinned pages of this process.")
  private @Nullable String pid;

  CapacityCommand(CliContext context) {
    this.context = context;
    this.rules = new RuleOptions(context.builtIn());
  }

  @Override
  public Integer call() {
    boolean json = format.json();
    FactsOptions.Given given = facts.givenHere(MrRequest.builder().build(), pid);
    Facts all = given.facts();
    Memory memory = all.memory();
    Long pageSize = memory == null ? null : memory.pageSize();
    Capacity capacity = Capacity.of(all.device(), all.host(), pageSize, RulesCommand.usable(rules));
    List<MttTuning> tuning = tuning(all, pageSize);
    context
        .out()
        .print(
            json
                ? JsonTree.indented(tree(capacity, tuning)) + "\n"
                : text(capacity, tuning, given.notes()));
    return ExitCode.OK;
  }

  private static List<MttTuning> tuning(Facts facts, @Nullable Long memoryPageSize) {
    Host host = facts.host();
    Long pageSize = memoryPageSize == null ? host.pageSize() : memoryPageSize;
    Integer perSegment = host.logMttsPerSeg();
    return "mlx4".equals(facts.device().driver()) && pageSize != null && perSegment != null
        ? MttTuning.steps(Math.min(perSegment, 7), pageSize)
        : List.of();
  }

  private String text(Capacity capacity, List<MttTuning> tuning, List<String> notes) {
    Style style = context.style();
    StringBuilder text = new StringBuilder();
    Bound binding = capacity.binding().orElse(null);
    if (binding == null) {
      text.append(style.open("unknown")).append(": no bound is known\n");
    } else {
      text.append(
          "%s%s more: %s binds%s\n"
              .formatted(
                  capacity.isExact() ? "" : "at most ",
                  style.bold(Size.text(value(binding))),
                  style.bold(binding.name()),
                  binding.beyond() == null ? "" : "; beyond it " + binding.beyond()));
      text.append("  change  ").append(binding.change()).append('\n');
    }
    notes.forEach(note -> text.append("note: ").append(Printable.line(note)).append('\n'));
    for (Bound bound : capacity.bounds()) {
      Long bytes = bound.bytes();
      text.append(
          "  %s%s%s%s\n"
              .formatted(
                  style.bold(RuleText.pad(bound.name(), NAME_WIDTH)),
                  RuleText.pad(bytes == null ? "unknown" : Size.text(bytes), VALUE_WIDTH),
                  bound.basis(),
                  needs(bound)));
    }
    if (!tuning.isEmpty()) {
      text.append(
          "mlx4's tables, where the driver has log_num_mtt (ConnectX-4 and later do not):\n");
      tuning.forEach(step -> text.append("  ").append(step).append('\n'));
    }
    return text.toString();
  }

  private static long value(Bound bound) {
    Long bytes = bound.bytes();
    return bytes == null ? Size.UNLIMITED : bytes;
  }

  private static String needs(Bound bound) {
    if (bound.needs().isEmpty()) {
      return "";
    }
    String needs =
        bound.needs().stream()
            .map(need -> {
              int dot = need.indexOf('.');
              return VerdictText.option(need.substring(0, dot), need.substring(dot + 1))
                  + " ("
                  + need.substring(dot + 1)
                  + ")";
            })
            .collect(Collectors.joining(", "));
    return (bound.basis().isEmpty() ? "" : "; ") + "without " + needs;
  }

  private static Map<String, @Nullable Object> tree(Capacity capacity, List<MttTuning> tuning) {
    Map<String, @Nullable Object> root = new LinkedHashMap<>();
    root.put("schema", "pinwise-capacity/1");
    root.put("bytes", capacity.bytes().map(String::valueOf).orElse(null));
    root.put("exact", capacity.isExact());
    root.put("binding", capacity.binding().map(Bound::name).orElse(null));
    List<Map<String, @Nullable Object>> bounds = new ArrayList<>();
    for (Bound bound : capacity.bounds()) {
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      Long bytes = bound.bytes();
      one.put("name", bound.name());
      one.put(
          "bytes", bytes == null ? null : bytes == Long.MAX_VALUE ? "unlimited" : bytes.toString());
      one.put("exact", bound.exact());
      one.put("basis", bound.basis());
      one.put("needs", bound.needs());
      one.put("beyond", bound.beyond());
      one.put("change", bound.change());
      bounds.add(one);
    }
    root.put("bounds", bounds);
    root.put("mtt", tuning.stream().map(MttTuning::toString).toList());
    return root;
  }
}
