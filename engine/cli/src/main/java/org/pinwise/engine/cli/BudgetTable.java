package org.pinwise.engine.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.lint.Budget;
import org.pinwise.rules.model.Size;

/**
 * Writes what plans lock and may lock as a table, with what justifies IPC_LOCK to other linters.
 */
final class BudgetTable {
  private static final List<String> HEAD =
      List.of("service", "regions", "locks", "limit", "left", "set by");

  private final List<Budget> budgets = new ArrayList<>();

  void add(Budget budget) {
    budgets.add(budget);
  }

  void print(PrintStream out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    budgets.forEach(budget -> rows.add(row(budget)));
    int[] widths = new int[HEAD.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String cell = row.get(i);
        line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
      }
      out.println(line.toString().stripTrailing());
    }
    out.println(
        "locks: whole pages that one process pins on all its devices, its queues too; on-demand"
            + " regions and dma-buf do not count");
    budgets.stream().filter(BudgetTable::needsIpcLock).forEach(budget -> justify(budget, out));
  }

  private static List<String> row(Budget budget) {
    Long limit = budget.limit();
    return List.of(
        Printable.line(budget.service().isEmpty() ? budget.file() : budget.service()),
        number(budget.plan().regionsPerProcess()),
        size(budget.plan().pinnedBytes()),
        isIpcLock(budget) ? "none: CAP_IPC_LOCK" : size(limit),
        limit != null && limit == Size.UNLIMITED ? "-" : left(budget.left()),
        setBy(budget));
  }

  private static String left(@Nullable Long left) {
    return left != null && left < 0 ? "-" + Size.text(-left) : size(left);
  }

  /** What joined files say of the host; else the plan, if it says something itself. */
  private static String setBy(Budget budget) {
    if (budget.limit() == null) {
      return "nothing that was linted";
    }
    return budget.limits().isEmpty()
        ? Printable.line(budget.file() + ":" + budget.place())
        : budget.limits().stream()
            .map(related -> Printable.line(related.file() + ":" + related.place()))
            .distinct()
            .collect(Collectors.joining(", "));
  }

  private static boolean isIpcLock(Budget budget) {
    return Boolean.TRUE.equals(budget.host().ipcLock());
  }

  private static String number(@Nullable Long value) {
    return value == null ? "unknown" : value.toString();
  }

  private static String size(@Nullable Long value) {
    return value == null ? "unknown" : Size.text(value);
  }

  private static boolean needsIpcLock(Budget budget) {
    return isIpcLock(budget) && budget.service().startsWith("kubernetes:");
  }

  /** Checkov fails every container that adds a capability; its annotation takes a reason. */
  private static void justify(Budget budget, PrintStream out) {
    out.println();
    out.printf(
        "To tell Checkov why %s adds a capability, annotate its pod template:%n",
        Printable.line(budget.service()));
    out.printf(
        "  checkov.io/skip1: CKV_K8S_37=ibv_reg_mr locks %s of memory, which takes IPC_LOCK%n",
        size(budget.plan().pinnedBytes()));
  }
}
