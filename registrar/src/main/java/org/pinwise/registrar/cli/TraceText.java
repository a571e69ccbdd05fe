package org.pinwise.registrar.cli;

import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.watch.TraceTargets;

/** Command lines for a shell; all else is a comment, so that the whole can be saved as a script. */
final class TraceText {

  /** Since this release {@code ibv_reg_mr} itself calls {@code ibv_reg_mr_iova2} (verbs.c, v32). */
  private static final int FORWARDS_SINCE = 32;

  private static final String DEREGISTERING = "ibv_dereg_mr";

  private final StringBuilder text = new StringBuilder();
  private final TraceTargets targets;
  private final String bpftrace;
  private final String perfProcess;

  private TraceText(TraceTargets targets, @Nullable Long pid) {
    this.targets = targets;
    this.bpftrace = pid == null ? "bpftrace" : "bpftrace -p " + pid;
    this.perfProcess = pid == null ? "-a" : "-p " + pid;
  }

  static String of(TraceTargets targets, @Nullable Long pid) {
    TraceText text = new TraceText(targets, pid);
    text.head();
    targets.library().ifPresent(text::library);
    text.kernel(pid);
    return text.text.toString();
  }

  private void head() {
    note(
        "kernel %s; drivers %s"
            .formatted(
                targets.kernelRelease().isEmpty() ? "unknown" : targets.kernelRelease(),
                targets.drivers().isEmpty()
                    ? "none"
                    : targets.drivers().stream()
                        .map(function -> moduleOf(function))
                        .distinct()
                        .collect(Collectors.joining(", "))));
    targets
        .library()
        .ifPresent(library ->
            note(
                "libibverbs %s%s"
                    .formatted(
                        library,
                        targets.rdmaCore().isPresent()
                            ? ", of rdma-core " + targets.rdmaCore().getAsInt()
                            : "")));
    targets.problems().forEach(problem -> note("not known: " + problem));
  }

  private String moduleOf(String function) {
    String module = targets.kernelFunctions().getOrDefault(function, "");
    return module.isEmpty() ? "built in" : module;
  }

  // ---- the library ----

  private void library(Path library) {
    Map<String, Long> functions = targets.libraryFunctions();
    Map<String, String> registering = new LinkedHashMap<>();
    for (String name : TraceTargets.LIBRARY_FUNCTIONS) {
      Long address = functions.get(name);
      if (address != null && !name.equals(DEREGISTERING)) {
        registering.put(name, probe(library, address));
      }
    }
    if (registering.isEmpty()) {
      return;
    }
    line("");
    note("Calls of the library, by function: how many, how long, how many bytes, and failures.");
    note("In C, ibv_reg_mr is a macro: it calls the function of that name only for constant flags");
    note("without optional ones, else ibv_reg_mr_iova2. So both are traced.");
    if (targets.rdmaCore().isPresent() && targets.rdmaCore().getAsInt() >= FORWARDS_SINCE) {
      note("Of this release the first calls the other: a call of it is counted with both.");
    } else {
      note("Which releases count a call of ibv_reg_mr twice: rdma-core v32 and later.");
    }
    StringBuilder script = new StringBuilder();
    registering.forEach((name, at) -> {
      script.append(timed("uprobe:" + at, "", name, "@bytes_%s = hist(arg2); ".formatted(name)));
      script.append(
          returned(
              "uretprobe:" + at, "", name, "if (retval == 0) { @failed_%s[ustack] = count(); }"));
    });
    line(bpftrace + " -e '" + script + cleared(registering.keySet()) + "'");
    leaks(library, registering.values());
    perfLibrary(library, functions);
  }

  private void leaks(Path library, Collection<String> registering) {
    Long dereg = targets.libraryFunctions().get(DEREGISTERING);
    if (dereg == null) {
      return;
    }
    line("");
    note("Regions that were registered meanwhile and not given back, by who registered them.");
    StringBuilder script = new StringBuilder();
    for (String at : registering) {
      script.append("\nuretprobe:%s /retval != 0/ { @open[retval] = ustack; }".formatted(at));
    }
    script.append("\nuprobe:%s { delete(@open[arg0]); }".formatted(probe(library, dereg)));
    line(bpftrace + " -e '" + script + "'");
  }

  private static String probe(Path library, long address) {
    return "%s:0x%x".formatted(quoted(library), address);
  }

  private static String quoted(Path path) {
    String text = path.toString();
    return text.matches("[\\w/.+-]*") ? text : "\"" + text + "\"";
  }

  private void perfLibrary(Path library, Map<String, Long> functions) {
    line("");
    note("The same calls for perf, by address: of a name it would take the library's stubs, too.");
    functions.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(function ->
            line(
                "perf probe -x '%s' --add '%s=0x%x'"
                    .formatted(library, function.getKey(), function.getValue())));
    line("perf stat -e 'probe_libibverbs:ibv_*' %s -- sleep 10".formatted(perfProcess));
    line("perf probe --del 'probe_libibverbs:ibv_*'");
  }

  // ---- the kernel ----

  private void kernel(@Nullable Long pid) {
    Map<String, String> functions = targets.kernelFunctions();
    List<String> timed =
        Stream.concat(
                Stream.of("ib_uverbs_reg_mr", "ib_umem_get", "__ib_umem_get_va"),
                targets.drivers().stream())
            .filter(functions::containsKey)
            .toList();
    if (timed.isEmpty()) {
      return;
    }
    String filter = pid == null ? "" : " /pid == %d/".formatted(pid);
    String and = pid == null ? "" : "pid == %d && ".formatted(pid);
    line("");
    note("The kernel's side: the verb, pinning, and the driver; how long, and with which errno.");
    if (functions.containsKey("ib_uverbs_reg_mr")) {
      note("ib_uverbs_reg_mr returns the errno, negated; the others an error pointer.");
    }
    StringBuilder script = new StringBuilder();
    for (String name : timed) {
      String errno = name.equals("ib_uverbs_reg_mr") ? "(int32)retval" : "(int64)retval";
      script.append(timed("kprobe:" + name, filter, name, ""));
      script.append(
          returned(
              "kretprobe:" + name,
              and,
              name,
              "if (E < 0 && E > -4096) { @errno_%s[comm, -E] = count(); }".replace("E", errno)));
    }
    line("bpftrace -e '" + script + cleared(timed) + "'");
    line("");
    note("Who pins memory, with stacks.");
    for (String name : timed) {
      String module = functions.getOrDefault(name, "");
      line("perf probe%s --add %s".formatted(module.isEmpty() ? "" : " -m " + module, name));
    }
    line("perf record -g -e 'probe:*' %s -- sleep 10 && perf script".formatted(perfProcess));
    line(
        timed.stream()
            .map(name -> "--del 'probe:%s'".formatted(name))
            .collect(Collectors.joining(" ", "perf probe ", "")));
  }

  /**
   * Maps of their own for each function: a key that names it takes the little stack that BPF has.
   */
  private static String timed(String probe, String filter, String name, String more) {
    return "\n%s%s { @start_%s[tid] = nsecs; %s}".formatted(probe, filter, name, more);
  }

  private static String returned(String probe, String and, String name, String more) {
    return "\n%s /%s@start_%s[tid]/ { @us_%s = hist((nsecs - @start_%s[tid]) / 1000); "
            .formatted(probe, and, name, name, name)
        + more.formatted(name)
        + " delete(@start_%s[tid]); }".formatted(name);
  }

  private static String cleared(Collection<String> names) {
    return names.stream()
        .map("clear(@start_%s); "::formatted)
        .collect(Collectors.joining("", "\nEND { ", "}"));
  }

  private void note(String note) {
    line("# " + note.replaceAll("\\p{Cntrl}", "?"));
  }

  private void line(String line) {
    text.append(line).append('\n');
  }
}
