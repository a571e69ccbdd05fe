package org.pinwise.engine.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.lint.LintFormat;
import org.pinwise.engine.lint.LintProblem;

class LintProgressTest {
  private static final String TAKEN_AWAY = "\r\033[K";

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final AtomicLong now = new AtomicLong(-7); // nanoTime may start anywhere

  private LintProgress progress(boolean terminal) {
    PrintStream results = new PrintStream(out, true, UTF_8);
    CliContext context =
        new CliContext(
            results, new PrintStream(err, true, UTF_8), InputStream.nullInputStream(), terminal);
    return new LintProgress(LintFormat.TEXT.to(results), new BudgetTable(), context, now::get);
  }

  private void later(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void aShortRunShowsNothing() {
    LintProgress progress = progress(true);
    progress.file(Path.of("a.yaml"));
    later(150);
    progress.file(Path.of("b.yaml"));
    progress.done();

    assertThat(err.toString(UTF_8)).isEmpty();
  }

  @Test
  void aLongRunShowsWhereItIsAndTakesItAwayBeforeAResult() {
    LintProgress progress = progress(true);
    progress.file(Path.of("a.yaml"));
    later(250);
    progress.file(Path.of("b\u001b[31m.yaml"));
    assertThat(err.toString(UTF_8))
        .startsWith(TAKEN_AWAY + "2 files, b")
        .doesNotContain("\u001b[31m");

    progress.problem(new LintProblem("b.yaml:1:1", "is broken"));
    assertThat(err.toString(UTF_8)).endsWith(TAKEN_AWAY);
    assertThat(out.toString(UTF_8)).contains("b.yaml:1:1");

    int written = err.size();
    progress.file(Path.of("c.yaml"));
    progress.done();
    assertThat(err.size()).as("not yet again, and nothing left to take away").isEqualTo(written);
  }

  @Test
  void longNamesAreCutToALine() {
    LintProgress progress = progress(true);
    later(250);
    progress.file(Path.of("x".repeat(500)));

    assertThat(err.toString(UTF_8)).hasSizeLessThan(100).contains("1 file, ..xxx");
  }

  @Test
  void elsewhereThanOnATerminalThereIsNone() {
    LintProgress progress = progress(false);
    later(250);
    progress.file(Path.of("a.yaml"));
    progress.done();

    assertThat(err.toString(UTF_8)).isEmpty();
  }
}
