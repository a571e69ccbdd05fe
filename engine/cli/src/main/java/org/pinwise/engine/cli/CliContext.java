package org.pinwise.engine.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.function.Supplier;
import org.pinwise.engine.RuleSet;

/** Where a command reads and writes. */
public final class CliContext {
  private final PrintStream out;
  private final PrintStream err;
  private final InputStream in;
  private final Style style;
  private final Supplier<RuleSet> builtIn;

  CliContext(PrintStream out, PrintStream err, InputStream in, boolean colour) {
    this(out, err, in, colour, RuleSet::builtIn);
  }

  /** Makes a context with other rules than those that come with Pinwise. */
  CliContext(
      PrintStream out, PrintStream err, InputStream in, boolean colour, Supplier<RuleSet> builtIn) {
    this.out = out;
    this.err = err;
    this.in = in;
    this.style = new Style(colour);
    this.builtIn = builtIn;
  }

  /** Returns the stream for results. */
  public PrintStream out() {
    return out;
  }

  /** Returns the stream for what is wrong, and for notes that are no result. */
  public PrintStream err() {
    return err;
  }

  /** Returns the stream for input. */
  public InputStream in() {
    return in;
  }

  /** Returns whether results are for a terminal that shows colours. */
  public boolean colour() {
    return style.colour();
  }

  /** Returns whether somebody watches the error stream, so that it may show how far a run is. */
  boolean progress() {
    return style.colour();
  }

  Style style() {
    return style;
  }

  Supplier<RuleSet> builtIn() {
    return builtIn;
  }
}
