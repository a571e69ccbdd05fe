package org.pinwise.engine.cli;

import java.util.List;
import java.util.stream.Collectors;
import org.pinwise.engine.Why;
import org.pinwise.rules.spi.Truth;

/** Writes for people why rules report or do not. */
final class WhyText {
  private WhyText() {}

  /** Returns a paragraph for each rule: those that report, then the undecided, then the silent. */
  static String of(List<Why> all, Style style) {
    StringBuilder text = new StringBuilder("\nwhy\n");
    for (Truth truth : List.of(Truth.TRUE, Truth.UNKNOWN, Truth.FALSE)) {
      for (Why why : all) {
        if (why.truth() == truth) {
          rule(why, style, text);
        }
      }
    }
    return text.toString();
  }

  private static void rule(Why why, Style style, StringBuilder text) {
    String state = why.trusted() ? trusted(why.truth()) : state(why, style);
    text.append("  %s  %s\n".formatted(style.bold(Printable.line(why.rule())), state));
    for (Why.Reason reason : why.reasons()) {
      String values =
          reason.values().entrySet().stream()
              .map(value -> value.getKey() + " = " + value.getValue())
              .collect(Collectors.joining(", "));
      text.append("    ")
          .append(Printable.line(reason.condition()))
          .append(style.faint("  (" + Printable.line(values) + ")"))
          .append('\n');
    }
  }

  private static String trusted(Truth truth) {
    return switch (truth) {
      case TRUE -> "reports; it is full DRL, so why is not known";
      case UNKNOWN -> "undecided, for the rules of its pack failed";
      case FALSE -> "silent; it is full DRL, so why is not known";
    };
  }

  private static String state(Why why, Style style) {
    return switch (why.truth()) {
      case TRUE -> style.bad("reports, for all of this holds");
      case UNKNOWN ->
          style.open(
              why.covered()
                  ? "undecided, for this is not known"
                  : "undecided, for it is not verified on this kernel or driver stack");
      case FALSE -> "silent, for this does not hold";
    };
  }
}
