package org.pinwise.engine.rulefile;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;

/** Writes the guide to rule files out of the tables by which they are read. */
public final class Guide {
  /** The grammar. Words in quotes are as they stand; the rest is in the tables below it. */
  static final String GRAMMAR =
      """
      file       = "package" NAME { "." NAME } [ ";" ] { import | global } rule { rule } .
      import     = "import" "org.pinwise.rules.model." ( FACT | CHOICE | "Kernel" | "Size" | "Parameters" ) [ ";" ]
                 | "import" "org.pinwise.rules.spi.Findings" [ ";" ] .
      global     = "global" "org.pinwise.rules.spi.Findings" "findings" [ ";" ] .
      rule       = "rule" STRING { annotation } "when" pattern { pattern } "then" report "end" .
      annotation = "@" NAME "(" ( STRING | words and numbers on one line ) ")" .
      pattern    = [ BINDING ":" ] FACT "(" [ item { "," item } ] ")"
                 | ( "not" | "exists" ) FACT "(" item { "," item } ")"
                 | "Parameters" "(" BINDING ":" PARAMETER { "," BINDING ":" PARAMETER } ")" .
      item       = BINDING ":" FIELD | condition .
      condition  = and { "||" and } .
      and        = unary { "&&" unary } .
      unary      = "!" unary | "(" condition ")" | comparison .
      comparison = sum ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum
                 | sum [ "not" ] "in" "(" constant { "," constant } ")"
                 | set [ "not" ] "contains" constant
                 | constant [ "not" ] "memberOf" set
                 | field .
      sum        = product { ( "+" | "-" ) product } .
      product    = operand { ( "*" | "/" | "%" ) operand } .
      operand    = constant | field | BINDING | "(" sum ")" .
      constant   = NUMBER | STRING | "true" | "false" | ( CHOICE | "Kernel" | "Size" ) "." NAME .
      field, set = FIELD | BINDING "." FIELD .
      report     = "findings" "." "report" "(" STRING "," BINDING "," STRING ")" ";" .
      """;

  /** Comparisons as examples: one for each operator that the grammar has. */
  static final List<String> COMPARISONS =
      List.of(
          "length == 4096",
          "verb != Verb.BIND_MW",
          "length < Size.GIB",
          "length <= 4096",
          "length > 0x1000",
          "length >= 1 * Size.MIB",
          "verb in (Verb.REG_MR, Verb.REG_MR_IOVA)",
          "verb not in (Verb.REG_DM_MR)",
          "access contains AccessFlag.REMOTE_WRITE",
          "access not contains AccessFlag.LOCAL_WRITE",
          "AccessFlag.MW_BIND memberOf access",
          "AccessFlag.MW_BIND not memberOf access",
          "length > 1 && (iova == 0 || ! (address != 0))",
          "length + address - 1 > iova",
          "length * 100 / 3 % 7 == 1");

  private static final String ANY_LABEL =
      """
      Facts of a team's own, which hold text: any name is a field, such as `Labels( team == "storage" )`. A facts file gives
      them as `labels: {team: storage, tier: prod}`. Where labels are given, one that is not among them is `""`; where none
      are given, all are unknown. Pinwise provides this type, as it does `Parameters`; to stock Drools it must be declared.
      """;

  /** An example of a room, as {@code reject-*.yaml} or {@code accept-*.yaml}. */
  static final String EXAMPLE =
      """
      device: connectx5                   # a device of the catalogue, or facts: {driver: mlx5, maxMr: 1000}
      host: {kernel: '6.12', stack: inbox}
      labels: {team: storage, tier: prod}
      register:                           # ibv_reg_mr and what it is given; or request, with any verb
        length: 2GiB                      # expect: ACME101 error
        access: [LOCAL_WRITE, REMOTE_WRITE]
      """;

  /** A manifest. */
  static final String MANIFEST =
      """
      name: acme-fleet
      version: "1.2"                      # as the team counts
      pinwise: "0.1"                      # the least version of Pinwise that it needs; may be left out
      """;

  /** A profile. */
  static final String PROFILE =
      """
      profile: fleet
      rules:
        MR023: {severity: error}          # or warning, info
        MR041: {off: "our buffers come from an allocator that we cannot change"}
        MR048: {ratioPercent: 60}         # a parameter of the rule
      """;

  private Guide() {}

  /** Returns the guide as Markdown. */
  public static String markdown() {
    Vocabulary vocabulary = new Vocabulary();
    StringBuilder text =
        new StringBuilder(
            """
            # Rule files

            Made by the build of the tables by which rule files are read; do not edit
            (`mvn -pl rules,engine verify -Dcatalog.update` writes it anew).

            A rule file is DRL in a closed subset: it can compare facts and report a finding, and nothing else. What is not
            named here is refused with its file, line and column.

            ```
            """);
    text.append(GRAMMAR)
        .append(
            """
            ```

            FACT, FIELD and CHOICE are listed below. BINDING is a name that starts with `$`. A field that holds true or
            false is a condition by itself. Numbers are 0 to 2^63-1, decimal or `0x..`, with an `L` beyond an int; sums
            saturate. A divisor is a constant. Values of one kind compare. A condition that no fact can change is refused.
            There is one fact of each type; what is not known of it makes a comparison neither true nor false, and the rule
            undecided where that matters.

            What a rule names is imported, and `findings` declared, once, before the file's rules.

            A room of a team has ids of the team's own, such as `ACME101` or `ACME101/old-kernel`; `MR` and `CF` are
            Pinwise's. A team's rule has no errno and no stage: it refuses what the kernel accepts, so no call fails.

            ## The text of a report

            `{field}` is a field of the reported fact, `{device.driver}` one of another fact by its key, `{ratioPercent}` a
            parameter.

            ## Annotations

            | annotation | needed | says | example |
            |---|---|---|---|
            """);
    for (Annotations.Kind kind : Annotations.KINDS) {
      text.append(
          "| @%s | %s | %s | `%s` |\n"
              .formatted(kind.name(), kind.needed(), kind.doc(), kind.example()));
    }
    text.append("\n## Comparisons, by example\n\n```\n");
    COMPARISONS.forEach(comparison -> text.append(comparison).append('\n'));
    text.append("```\n\n## Facts\n");
    for (FactType<?> type : FactType.all()) {
      text.append("\n### %s, in texts and facts files `%s`\n\n".formatted(type.name(), type.key()));
      if (type.fields().isEmpty()) {
        text.append(ANY_LABEL);
        continue;
      }
      text.append("| field | holds | is |\n|---|---|---|\n");
      for (Field<?> field : type.fields()) {
        text.append("| %s | %s | %s |\n".formatted(field.name(), holds(field), field.doc()));
      }
    }
    text.append("\n## Choices and named numbers\n\n");
    for (String holder : vocabulary.importable()) {
      List<String> names = vocabulary.constantNames(holder);
      if (!names.isEmpty()) {
        text.append("- `%s.`%s\n".formatted(holder, String.join(", ", names)));
      }
    }
    return text.append(limits()).append(around()).toString();
  }

  /** Returns what lies around a rule file: the room, the pack, the profile. */
  private static String around() {
    return """

    ## Rooms and their examples

    A room is a folder such as `ACME101-regions-are-small`: `rule.drl`, `rule.md` (why, and how to mend it), and examples,
    facts files of one request. `reject-*.yaml` reports just what its lines mark, and no more; `accept-*.yaml` reports
    nothing of the room; `undecided-*.yaml` lacks a fact, and marks `undecided`. A mark stands on the line of a fact that
    the rule reads. Every rule is marked at least once, every room has an `accept-*.yaml`; `pinwise rules test` holds it all.

    ```yaml
    %s```

    ## Packs

    A directory of rooms with a `pack.yaml` is a pack. It is named by `--rules`, or travels in a jar, in
    `META-INF/pinwise/rules`, and is found on the class path. Packs are loaded in the order in which options name them,
    those of the class path by their names; no order changes a verdict, and an id that is taken is an error that names
    both files.

    ```yaml
    %s```

    ## Profiles

    A profile, named by `--profile`, grades rules, sets their parameters and switches them off, by the id of a rule or of
    a room; an id that is not known is an error. To switch off needs a reason. A kernel's error stays one: where a profile
    grades it lower or switches it off, the verdict says that the call fails all the same, and with which errno.

    ```yaml
    %s```
    """
        .formatted(EXAMPLE, MANIFEST, PROFILE);
  }

  private static String holds(Field<?> field) {
    return switch (field.kind()) {
      case BOOLEAN -> "true or false";
      case NUMBER -> field.format() == Field.Format.BYTES ? "bytes" : "a number";
      case TEXT -> "text";
      case CHOICE -> withArticle(field.valueType().getSimpleName());
      case FLAGS -> "a set of " + field.valueType().getSimpleName();
    };
  }

  private static String withArticle(String name) {
    return ("AEIO".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }

  private static String limits() {
    List<String> limits = new ArrayList<>();
    limits.add("characters in a file: " + RuleFileParser.MAX_LENGTH);
    limits.add("rules in a file: " + RuleFileParser.MAX_RULES);
    limits.add("patterns in a rule: " + RuleFileParser.MAX_PATTERNS);
    limits.add("fields and constants in a rule: " + RuleFileParser.MAX_OPERANDS);
    limits.add("nested conditions: " + ConditionParser.MAX_DEPTH);
    return limits.stream()
        .map(limit -> "- " + limit + "\n")
        .collect(Collectors.joining("", "\n## Limits, each at most\n\n", ""));
  }
}
