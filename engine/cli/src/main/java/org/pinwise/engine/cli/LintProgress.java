package org.pinwise.engine.cli;

import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.pinwise.engine.lint.Budget;
import org.pinwise.engine.lint.Diagnostic;
import org.pinwise.engine.lint.LintListener;
import org.pinwise.engine.lint.LintProblem;

/** Shows on a terminal's error stream which file is looked at, and takes it away again. */
final class LintProgress implements LintListener {
  private static final long EVERY_NANOS = 200_000_000;
  private static final int WIDTH = 70;

  private final LintListener next;
  private final BudgetTable table;
  private final CliContext context;
  private final LongSupplier nanoTime;
  private long shownAt;
  private long files;
  private boolean shown;

  LintProgress(LintListener next, BudgetTable table, CliContext context, LongSupplier nanoTime) {
    this.next = next;
    this.table = table;
    this.context = context;
    this.nanoTime = nanoTime;
    this.shownAt = nanoTime.getAsLong();
  }

  @Override
  public void file(Path path) {
    files++;
    long now = nanoTime.getAsLong();
    if (context.progress() && now - shownAt > EVERY_NANOS) {
      String name = Printable.line(path.toString());
      String end = name.length() > WIDTH ? ".." + name.substring(name.length() - WIDTH) : name;
      context.err().printf("\r\033[K%d file%s, %s", files, files == 1 ? "" : "s", end);
      context.err().flush();
      shownAt = now;
      shown = true;
    }
  }

  private void clear() {
    if (shown) {
      context.err().print("\r\033[K");
      context.err().flush();
      shown = false;
    }
  }

  @Override
  public void found(Diagnostic diagnostic) {
    clear();
    next.found(diagnostic);
  }

  @Override
  public void problem(LintProblem problem) {
    clear();
    next.problem(problem);
  }

  @Override
  public void budget(Budget budget) {
    table.add(budget);
  }

  @Override
  public void done() {
    clear();
    next.done();
  }
}
