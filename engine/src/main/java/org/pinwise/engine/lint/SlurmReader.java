package org.pinwise.engine.lint;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.SlurmLimits;

/**
 * Reads slurm.conf(5): which limits a job takes over from the process that submitted it. Names are
 * of any case; {@code #} starts a comment, {@code \#} does not; a backslash at a line's end
 * continues it. Where both parameters are given, Slurm reads only the one of exceptions
 * (read_config.c), and where none is, it propagates all limits.
 */
final class SlurmReader implements ConfigReader {
  private static final Set<String> NAMES =
      Set.of(
          "ALL", "NONE", "AS", "CORE", "CPU", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "RSS",
          "STACK");
  private static final Pattern FIRST_LINE =
      Pattern.compile(
          "(?:ClusterName|SlurmctldHost|ControlMachine|SlurmUser)\\s*=", Pattern.CASE_INSENSITIVE);
  private static final Pattern PAIR =
      Pattern.compile("(?<![\\w.])(\\w++)[ \\t]*+=[ \\t]*+(\"[^\"\\n]*+\"|[^\\s#]*+)");
  private static final Pattern INCLUDE =
      Pattern.compile("[ \\t]*+include[ \\t]++\\S.*", Pattern.CASE_INSENSITIVE);
  private static final String PROPAGATED = "propagateresourcelimits";
  private static final String EXCEPT = "propagateresourcelimitsexcept";

  /** A value and where it stands. */
  private record Value(String text, Place keyAt, Place at) {}

  @Override
  public String format() {
    return "slurm.conf";
  }

  @Override
  public boolean reads(Source source) {
    return source.fileName().equals("slurm.conf")
        || FIRST_LINE.matcher(source.firstLine("#")).lookingAt();
  }

  @Override
  public void read(Source source, Statements into) {
    String text = source.text();
    Value propagated = null;
    Value except = null;
    boolean includes = false;
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      int to = comment(text, start, end);
      if (INCLUDE.matcher(text).region(start, to).lookingAt()) {
        includes = true;
      }
      Matcher pair = PAIR.matcher(text).region(start, to);
      while (pair.find()) {
        String key = pair.group(1).toLowerCase(Locale.ROOT);
        if (key.equals(PROPAGATED) || key.equals(EXCEPT)) {
          String value = pair.group(2);
          int at = pair.start(2) + (value.startsWith("\"") ? 1 : 0);
          Value found = new Value(value.replace("\"", ""), source.at(pair.start(1)), source.at(at));
          // Of a parameter that is given twice Slurm takes the last (parse_config.c).
          if (key.equals(EXCEPT)) {
            except = found;
          } else {
            propagated = found;
          }
        }
      }
      start = end + 1;
    }
    into.add(statement(propagated, except, includes));
  }

  private static int comment(String text, int start, int end) {
    int at = Source.find(text, '#', start, end);
    while (at > start && at < end && text.charAt(at - 1) == '\\') {
      at = Source.find(text, '#', at + 1, end);
    }
    return at;
  }

  private static Statement statement(
      @Nullable Value propagated, @Nullable Value except, boolean includes) {
    Value read = except != null ? except : propagated;
    boolean given = read != null;
    // A file that is included may say it.
    Boolean otherwise = includes ? null : Boolean.FALSE;
    Statement.Builder<SlurmLimits> limits =
        Statement.of(SlurmLimits.TYPE, Place.START)
            .set("propagated", propagated == null ? "" : propagated.text())
            .set("except", except == null ? "" : except.text())
            .set("given", given ? Boolean.TRUE : otherwise)
            .set("both", (propagated != null && except != null) ? Boolean.TRUE : otherwise)
            .set(
                "memlock",
                (given || !includes) ? Boolean.valueOf(memlock(propagated, except)) : null)
            .set("namesKnown", read == null || known(read.text()));
    if (propagated != null) {
      limits.at("propagated", propagated.at()).at("both", propagated.keyAt());
    }
    if (except != null) {
      limits.at("except", except.at());
    }
    if (read != null) {
      limits.at("given", read.at()).at("memlock", read.at()).at("namesKnown", read.at());
    }
    return limits.build();
  }

  private static List<String> names(String value) {
    return List.of(value.toUpperCase(Locale.ROOT).replace("RLIMIT_", "").strip().split("[,\\s]+"));
  }

  private static boolean known(String value) {
    return NAMES.containsAll(names(value));
  }

  private static boolean memlock(@Nullable Value propagated, @Nullable Value except) {
    if (except != null) {
      List<String> kept = names(except.text());
      return !kept.contains("MEMLOCK") && !kept.contains("ALL");
    }
    List<String> passed = propagated == null ? List.of("ALL") : names(propagated.text());
    return passed.contains("MEMLOCK") || passed.contains("ALL");
  }
}
