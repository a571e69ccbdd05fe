package org.pinwise.engine.cli;

import java.io.Console;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;

/** Decides whether results are coloured. */
final class Colours {
  private Colours() {}

  /**
   * Returns whether a terminal shows colours and its user wants them. An empty variable says
   * nothing: see no-color.org.
   */
  static boolean wanted(Map<String, String> environment, boolean terminal) {
    return terminal
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }

  /** Returns whether standard output is a terminal; from Java 22 on there is a console anyhow. */
  @SuppressWarnings("SystemConsoleNull") // the code runs on Java 17, too, where it is
  static boolean terminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true; // before Java 22
    } catch (IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }
}
