package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.LimitDomain;
import org.pinwise.rules.model.LimitsSet;
import org.pinwise.rules.model.MemlockLine;
import org.pinwise.rules.model.Size;

/**
 * Reads limits.conf(5) as pam_limits does: {@code DOMAIN TYPE ITEM VALUE}, a comment from any
 * {@code #}, words in any case. It reads limits.conf and then {@code limits.d/*.conf} in the order
 * of the C locale, as if they were one file; for a user, lines that name the user win over those of
 * groups, and these over {@code *}; among equals the later line wins, for each of the two limits by
 * itself. Only lines about memlock are judged.
 */
final class LimitsReader implements ConfigReader {
  private static final Set<String> ITEMS =
      Set.of(
          "as",
          "chroot",
          "core",
          "cpu",
          "data",
          "fsize",
          "locks",
          "maxlogins",
          "maxsyslogins",
          "memlock",
          "msgqueue",
          "nice",
          "nofile",
          "nonewprivs",
          "nproc",
          "priority",
          "rss",
          "rtprio",
          "sigpending",
          "stack");
  private static final Set<String> UNLIMITED = Set.of("-1", "-", "unlimited", "infinity");
  private static final Pattern FIRST_LINE =
      Pattern.compile("\\S++[ \\t]++(?:soft|hard|-)[ \\t]++(\\w++)");
  private static final Pattern NUMBER = Pattern.compile("([+-]?)(\\d++)(.*+)");

  /** pam_limits reads lines of at most this many characters, and takes the rest for another. */
  private static final int MAX_LINE = 1023;

  /** A line about memlock. */
  private record Line(
      Word domain, Word type, Word value, LimitsSet sets, @Nullable Long limit, boolean own) {

    boolean sets(LimitsSet bit) {
      return sets == bit || sets == LimitsSet.BOTH;
    }
  }

  @Override
  public String format() {
    return "limits.conf";
  }

  @Override
  public boolean reads(Source source) {
    if (source.isConfOf("limits.d") || source.fileName().equals("limits.conf")) {
      return true;
    }
    // A README beside the files is none; one that only lacks its suffix is known by what it says.
    Matcher first = FIRST_LINE.matcher(source.firstLine("#"));
    return first.lookingAt() && ITEMS.contains(first.group(1));
  }

  @Override
  public void read(Source source, Statements into) {
    boolean inDirectory = source.directory().equals("limits.d");
    boolean fileRead = !inDirectory || source.hasSuffix(".conf");
    List<Line> lines = new ArrayList<>();
    Siblings siblings = source.siblings();
    if (fileRead && inDirectory) {
      siblings.text("../limits.conf").ifPresent(text -> lines(text, false, null, null, lines));
    }
    String drop = inDirectory ? "" : "limits.d/";
    boolean several = fileRead && (inDirectory || source.fileName().equals("limits.conf"));
    List<String> names = several ? siblings.names(drop) : List.of();
    List<String> before = new ArrayList<>();
    List<String> after = new ArrayList<>();
    for (String name : names) {
      if (name.endsWith(".conf") && !(inDirectory && name.equals(source.fileName()))) {
        (inDirectory && name.compareTo(source.fileName()) < 0 ? before : after).add(drop + name);
      }
    }
    others(siblings, before, lines);
    lines(source.text(), true, source, into, lines);
    others(siblings, after, lines);
    judge(source, fileRead, lines, into);
  }

  private static void others(Siblings siblings, List<String> paths, List<Line> into) {
    for (String path : paths) {
      siblings.text(path).ifPresent(text -> lines(text, false, null, null, into));
    }
  }

  /** Reads the lines about memlock of a file; tells what is no line where it is the linted one. */
  private static void lines(
      String text,
      boolean own,
      @Nullable Source source,
      @Nullable Statements problems,
      List<Line> into) {
    boolean told = false;
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      List<Word> words = Word.in(text, start, Source.find(text, '#', start, end));
      boolean tooLong = end - start > MAX_LINE && !words.isEmpty();
      boolean memlock = words.size() > 2 && words.get(2).text().equalsIgnoreCase("memlock");
      if (memlock && !tooLong) {
        Word value =
            words.size() > 3
                ? words.get(3)
                : new Word("", words.get(2).start() + words.get(2).text().length());
        into.add(line(words.get(0), words.get(1), value, own));
      } else if (problems != null && source != null && !told && isNone(words, tooLong)) {
        // One is enough: where the file is of another kind, all its lines are none.
        told = true;
        problems.problem(
            source.at(words.get(0).start()),
            tooLong
                ? "the line has %d characters, and pam_limits splits one of more than %d"
                    .formatted(end - start, MAX_LINE)
                : "is no line of limits.conf, and pam_limits skips it; write DOMAIN TYPE ITEM"
                    + " VALUE");
      }
      start = end + 1;
    }
  }

  private static boolean isNone(List<Word> words, boolean tooLong) {
    if (words.isEmpty()) {
      return false;
    }
    boolean noLimits = words.size() == 2 && words.get(1).text().startsWith("-");
    return tooLong
        || (!noLimits
            && (words.size() < 4 || !ITEMS.contains(words.get(2).text().toLowerCase(Locale.ROOT))));
  }

  private static Line line(Word domain, Word type, Word value, boolean own) {
    LimitsSet sets =
        switch (type.text().toLowerCase(Locale.ROOT)) {
          case "soft" -> LimitsSet.SOFT;
          case "hard" -> LimitsSet.HARD;
          case "-" -> LimitsSet.BOTH;
          default -> LimitsSet.NONE;
        };
    Long limit = limit(value.text().toLowerCase(Locale.ROOT));
    boolean skipped = limit == null || kind(domain.text()) == LimitDomain.LOGINS;
    return new Line(domain, type, value, skipped ? LimitsSet.NONE : sets, limit, own);
  }

  /** Returns the limit in bytes; null where pam_limits reads no number. */
  private static @Nullable Long limit(String value) {
    if (UNLIMITED.contains(value)) {
      return Size.UNLIMITED;
    }
    Matcher number = NUMBER.matcher(value);
    if (!number.matches()) {
      return null;
    }
    String digits = number.group(2).replaceFirst("^0+(?=.)", "");
    // strtoull takes a minus and wraps; what is beyond 2^63 bytes is no limit that binds.
    return digits.length() > 16
            || number.group(1).equals("-")
            || Long.parseLong(digits) > Size.UNLIMITED >> 10
        ? Size.UNLIMITED
        : Long.parseLong(digits) << 10;
  }

  private static @Nullable Long kibibytes(String value) {
    Matcher number = NUMBER.matcher(value);
    return UNLIMITED.contains(value.toLowerCase(Locale.ROOT))
            || !number.matches()
            || number.group(1).equals("-")
            || number.group(2).length() > 18
        ? null
        : Long.valueOf(number.group(2));
  }

  private static boolean isWhole(String value) {
    Matcher number = NUMBER.matcher(value);
    return !number.matches()
        || number.group(3).isEmpty()
        || UNLIMITED.contains(value.toLowerCase(Locale.ROOT));
  }

  private static LimitDomain kind(String domain) {
    boolean group = domain.startsWith("@");
    int colon = domain.indexOf(':');
    if (domain.startsWith("%")) {
      return LimitDomain.LOGINS;
    }
    if (colon > (group ? 1 : 0)) {
      return LimitDomain.RANGE;
    }
    if (group) {
      return LimitDomain.GROUP;
    }
    return switch (domain) {
      case "*" -> LimitDomain.WILDCARD;
      case "root" -> LimitDomain.ROOT;
      default -> LimitDomain.USER;
    };
  }

  private static void judge(Source source, boolean fileRead, List<Line> lines, Statements into) {
    // From the end, so that what stands later is known: whom a limit was set for.
    Map<String, Set<LimitsSet>> later = new HashMap<>();
    Map<String, Set<LimitsSet>> all = new HashMap<>();
    Map<String, Long> soft = new HashMap<>();
    Map<String, Long> hard = new HashMap<>();
    for (Line line : lines) {
      add(line, all);
      if (line.sets(LimitsSet.SOFT) && line.limit() != null) {
        soft.put(line.domain().text(), line.limit());
      }
      if (line.sets(LimitsSet.HARD) && line.limit() != null) {
        hard.put(line.domain().text(), line.limit());
      }
    }
    List<Statement> statements = new ArrayList<>();
    for (int i = lines.size() - 1; i >= 0; i--) {
      Line line = lines.get(i);
      if (line.own()) {
        Set<LimitsSet> set = later.getOrDefault(line.domain().text(), Set.of());
        boolean overridden =
            line.sets() != LimitsSet.NONE
                && (!line.sets(LimitsSet.SOFT) || set.contains(LimitsSet.SOFT))
                && (!line.sets(LimitsSet.HARD) || set.contains(LimitsSet.HARD));
        boolean pair = all.getOrDefault(line.domain().text(), Set.of()).size() == 2;
        Line holds = overridden || !fileRead ? null : line;
        Statement.Builder<MemlockLine> statement =
            statement(source, line, fileRead, pair, overridden, all.containsKey("root"));
        statements.add(host(source, statement, holds, set, soft, hard).build());
      }
      add(line, later);
    }
    for (int i = statements.size() - 1; i >= 0; i--) {
      into.add(statements.get(i));
    }
  }

  private static void add(Line line, Map<String, Set<LimitsSet>> sets) {
    if (line.sets() != LimitsSet.NONE) {
      Set<LimitsSet> set =
          sets.computeIfAbsent(line.domain().text(), domain -> EnumSet.noneOf(LimitsSet.class));
      if (line.sets(LimitsSet.SOFT)) {
        set.add(LimitsSet.SOFT);
      }
      if (line.sets(LimitsSet.HARD)) {
        set.add(LimitsSet.HARD);
      }
    }
  }

  /** Says what a plan learns that runs as the user whom the line names: what holds for the user. */
  private static Statement.Builder<MemlockLine> host(
      Source source,
      Statement.Builder<MemlockLine> statement,
      @Nullable Line line,
      Set<LimitsSet> later,
      Map<String, Long> softLimits,
      Map<String, Long> hardLimits) {
    if (line == null || !isPerson(line)) {
      return statement;
    }
    Place value = source.at(line.value().start());
    Long soft = softLimits.get(line.domain().text());
    Long hard = hardLimits.get(line.domain().text());
    boolean setsSoft = line.sets(LimitsSet.SOFT) && !later.contains(LimitsSet.SOFT);
    boolean setsHard = line.sets(LimitsSet.HARD) && !later.contains(LimitsSet.HARD);
    if (soft != null && hard != null && (setsSoft || setsHard)) {
      // Without a hard limit it is cut to one that no file says. It stands where the line binds.
      boolean binds = hard < soft ? setsHard : setsSoft;
      statement.host("memlock", Math.min(soft, hard), binds ? value : null);
    }
    if (setsHard) {
      statement.host("memlockHard", line.limit(), value);
    }
    // A session has capabilities only if it is root's.
    Place domain = source.at(line.domain().start());
    statement.host("ipcLock", kind(line.domain().text()) == LimitDomain.ROOT, domain);
    return statement.workload(new Workload(Workload.Kind.USER, line.domain().text()));
  }

  private static boolean isPerson(Line line) {
    LimitDomain kind = kind(line.domain().text());
    return line.sets() != LimitsSet.NONE
        && (kind == LimitDomain.USER || kind == LimitDomain.ROOT)
        && !line.domain().text().startsWith(":");
  }

  private static Statement.Builder<MemlockLine> statement(
      Source source,
      Line line,
      boolean fileRead,
      boolean pairSet,
      boolean overridden,
      boolean rootNamed) {
    Place domain = source.at(line.domain().start());
    Place type = source.at(line.type().start());
    Place value = source.at(line.value().start());
    LimitDomain kind = kind(line.domain().text());
    return Statement.of(MemlockLine.TYPE, domain)
        .set("domain", line.domain().text(), domain)
        .set("domainKind", kind, domain)
        .set("type", line.type().text(), type)
        .set("sets", line.sets(), type)
        .set("value", line.value().text(), value)
        .set("number", kibibytes(line.value().text()), value)
        .set("limit", line.limit(), value)
        .set("wholeNumber", isWhole(line.value().text()), value)
        .set("pairSet", pairSet, type)
        .set("overridden", overridden, value)
        .set("rootNamed", rootNamed, domain)
        .set("fileRead", fileRead, domain);
  }
}
