package org.pinwise.engine.rulefile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.spi.Fix;
import org.pinwise.rules.spi.RuleChecks;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Stage;
import org.pinwise.rules.spi.Verification;

/** Reads a rule's annotations into its metadata. */
final class Annotations {
  /**
   * An annotation that a rule may have.
   *
   * @param name its name
   * @param needed who must give it
   * @param doc what it says
   * @param example how it is written
   */
  record Kind(String name, String needed, String doc, String example) {}

  private static final String ALWAYS = "always";

  /** All annotations: what the parser takes, and what the guide to rule files says. */
  static final List<Kind> KINDS =
      List.of(
          new Kind("severity", ALWAYS, "How bad: ERROR, WARNING or INFO", "@severity(ERROR)"),
          new Kind("since", ALWAYS, "The version that brought the rule", "@since(0.1)"),
          new Kind(
              "spec",
              ALWAYS,
              "Where its truth can be read",
              "@spec(\"the fleet's guide, section 4\")"),
          new Kind(
              "summary",
              ALWAYS,
              "What it demands, a sentence without a period",
              "@summary(\"Regions are at most 1 GiB\")"),
          new Kind(
              "remediation",
              ALWAYS,
              "What to do, a sentence with a period",
              "@remediation(\"Register chunks.\")"),
          new Kind(
              "verified",
              "",
              "The kernels on which it is known to be right and by what: lab, source or belief;"
                  + " beyond them it is undecided. Without it, its conditions alone decide",
              "@verified(\"6.1 lab, 7.3 source\")"),
          new Kind(
              "stack",
              "",
              "The driver stacks of which it speaks; inbox where nothing is said",
              "@stack(\"inbox, vendor\")"),
          new Kind(
              "later",
              "",
              "The verb that fails later, and its errno",
              "@later(\"ibv_post_send, EINVAL\")"),
          new Kind(
              "fix",
              "",
              "A change of the request that helps: add FLAG, drop FLAG, drop unknown bits, align"
                  + " iova; may be given again",
              "@fix(\"drop HUGETLB\")"),
          new Kind(
              "param",
              "",
              "A parameter, which a profile may set; may be given again",
              "@param(\"ratioPercent = 60\")"),
          new Kind(
              "stage",
              "with errno; never by a team",
              "Where the call fails",
              "@stage(ACCESS_CORE)"),
          new Kind("step", "", "The order of the check within its stage", "@step(1)"),
          new Kind(
              "errno", "with stage; never by a team", "What the call returns", "@errno(EINVAL)"));

  private static final List<String> NAMES = KINDS.stream().map(Kind::name).toList();
  private static final List<String> REQUIRED =
      KINDS.stream().filter(kind -> kind.needed().equals(ALWAYS)).map(Kind::name).toList();
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern PARAMETER =
      Pattern.compile("\\s*([a-z][A-Za-z0-9]*)\\s*=\\s*(\\d{1,18})\\s*");

  /** An annotation as it stands in the file. */
  record Raw(Token name, String value, Token at) {}

  private final Token rule;
  private final boolean ofTeam;
  private final Map<String, List<Raw>> byName = new LinkedHashMap<>();

  Annotations(Token rule, boolean ofTeam) {
    this.rule = rule;
    this.ofTeam = ofTeam;
  }

  void add(Raw raw) {
    String name = raw.name().text();
    if (!NAMES.contains(name)) {
      throw new SyntaxException(
          raw.name(),
          "there is no annotation @%s%s; allowed are %s"
              .formatted(name, Nearest.hint(name, NAMES), NAMES));
    }
    if (ofTeam && (name.equals("errno") || name.equals("stage"))) {
      throw new SyntaxException(raw.name(), TeamRules.ERRNO_PROBLEM);
    }
    List<Raw> same = byName.computeIfAbsent(name, n -> new ArrayList<>());
    if (!same.isEmpty() && !name.equals("param") && !name.equals("fix")) {
      throw new SyntaxException(raw.name(), "@" + name + " is given twice; keep one");
    }
    same.add(raw);
  }

  RuleMeta meta() {
    for (String name : REQUIRED) {
      if (!byName.containsKey(name)) {
        throw new SyntaxException(
            rule,
            "rule \"%s\" has no @%s; add one, such as %s"
                .formatted(rule.text(), name, kind(name).example()));
      }
    }
    Severity severity = choice("severity", Severity.class);
    Stage stage = byName.containsKey("stage") ? choice("stage", Stage.class) : null;
    Errno errno = byName.containsKey("errno") ? choice("errno", Errno.class) : null;
    if ((errno == null) != (stage == null)) {
      throw new SyntaxException(
          rule,
          "rule \"%s\" has only one of @stage and @errno; a failing call has both"
              .formatted(rule.text()));
    }
    if (errno != null && severity != Severity.ERROR) {
      throw new SyntaxException(
          one("errno").at(), "@errno says that the call fails, so @severity must be ERROR");
    }
    if (!RuleChecks.isVersion(text("since"))) {
      throw new SyntaxException(
          one("since").at(), "@since takes a version such as 0.1, not %s".formatted(text("since")));
    }
    String summary = text("summary");
    if (summary.endsWith(".")) {
      throw new SyntaxException(one("summary").at(), "@summary ends without a period");
    }
    String remediation = text("remediation");
    if (!remediation.endsWith(".")) {
      throw new SyntaxException(one("remediation").at(), "@remediation ends with a period");
    }
    return new RuleMeta(
        rule.text(),
        severity,
        stage,
        byName.containsKey("step") ? number("step") : 0,
        errno,
        text("since"),
        verified(),
        stacks(),
        text("spec"),
        summary,
        remediation,
        byName.containsKey("later") ? text("later") : null,
        fixes(),
        parameters());
  }

  private static Kind kind(String name) {
    return KINDS.get(NAMES.indexOf(name));
  }

  private Raw one(String name) {
    return Objects.requireNonNull(byName.get(name), name).get(0);
  }

  private String text(String name) {
    Raw raw = one(name);
    if (raw.value().isBlank()) {
      throw new SyntaxException(raw.at(), "@" + name + " is empty");
    }
    return raw.value().strip();
  }

  private int number(String name) {
    String value = text(name);
    if (!value.matches("\\d{1,4}")) {
      throw new SyntaxException(
          one(name).at(), "@%s takes a whole number, 0 to 9999, not %s".formatted(name, value));
    }
    return Integer.parseInt(value);
  }

  private <E extends Enum<E>> E choice(String name, Class<E> type) {
    return choice(one(name), text(name), type);
  }

  private static <E extends Enum<E>> E choice(Raw raw, String value, Class<E> type) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(value)) {
        return constant;
      }
    }
    List<String> names = Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
    throw new SyntaxException(
        raw.at(),
        "@%s cannot be %s%s; allowed are %s"
            .formatted(raw.name().text(), value, Nearest.hint(value, names), names));
  }

  private List<Verification> verified() {
    if (!byName.containsKey("verified")) {
      return List.of();
    }
    List<Verification> all = new ArrayList<>();
    for (String entry : text("verified").split(",", -1)) {
      String[] words = BLANKS.split(entry.strip(), -1);
      OptionalInt kernel = Kernel.parse(words[0]);
      if (words.length != 2 || kernel.isEmpty()) {
        throw new SyntaxException(
            one("verified").at(),
            "@verified takes kernels and how each is known, such as \"6.1 lab, 7.3 source\", not \"%s\""
                .formatted(entry.strip()));
      }
      all.add(
          new Verification(
              kernel.getAsInt(),
              choice(
                  one("verified"), words[1].toUpperCase(Locale.ROOT), Verification.Means.class)));
    }
    all.sort(Comparator.comparingInt(Verification::kernel));
    return all;
  }

  private Set<DriverStack> stacks() {
    if (!byName.containsKey("stack")) {
      return Set.of(DriverStack.INBOX);
    }
    Set<DriverStack> stacks = EnumSet.noneOf(DriverStack.class);
    for (String entry : text("stack").split(",", -1)) {
      stacks.add(choice(one("stack"), entry.strip().toUpperCase(Locale.ROOT), DriverStack.class));
    }
    return stacks;
  }

  private List<Fix> fixes() {
    List<Fix> fixes = new ArrayList<>();
    for (Raw raw : byName.getOrDefault("fix", List.of())) {
      fixes.add(fix(raw));
    }
    return fixes;
  }

  private static Fix fix(Raw raw) {
    String value = raw.value().strip();
    if (value.equals("drop unknown bits")) {
      return new Fix.DropUnknownBits();
    }
    if (value.equals("align iova")) {
      return new Fix.AlignIova();
    }
    String[] words = BLANKS.split(value, -1);
    @Nullable AccessFlag flag = words.length == 2 ? AccessFlag.byName(words[1]).orElse(null) : null;
    if (flag != null && words[0].equals("drop")) {
      return new Fix.DropFlag(flag);
    }
    if (flag != null && words[0].equals("add")) {
      try {
        return new Fix.AddFlag(flag);
      } catch (IllegalArgumentException e) {
        throw new SyntaxException(raw.at(), String.valueOf(e.getMessage()));
      }
    }
    throw new SyntaxException(
        raw.at(),
        "@fix cannot be \"%s\"; allowed are \"add FLAG\", \"drop FLAG\", \"drop unknown bits\", \"align iova\""
            .formatted(value));
  }

  private Map<String, Long> parameters() {
    Map<String, Long> parameters = new LinkedHashMap<>();
    for (Raw raw : byName.getOrDefault("param", List.of())) {
      Matcher matcher = PARAMETER.matcher(raw.value());
      if (!matcher.matches()) {
        throw new SyntaxException(
            raw.at(),
            "@param takes a name and a whole number, such as \"ratioPercent = 60\", not \"%s\""
                .formatted(raw.value()));
      }
      if (parameters.put(matcher.group(1), Long.valueOf(matcher.group(2))) != null) {
        throw new SyntaxException(
            raw.at(), "parameter %s is declared twice".formatted(matcher.group(1)));
      }
    }
    return parameters;
  }
}
