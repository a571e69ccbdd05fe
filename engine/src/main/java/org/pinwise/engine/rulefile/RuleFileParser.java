package org.pinwise.engine.rulefile;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.RuleProblem;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Pattern;
import org.pinwise.rules.spi.Pattern.Quantifier;
import org.pinwise.rules.spi.Rule;
import org.pinwise.rules.spi.RuleChecks;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Template;

/**
 * Reads rule files: DRL in a closed subset. What is not named here is refused, with its position
 * and what to do instead, so a rule file can compute nothing but its own conditions. See {@link
 * Guide} for what is allowed.
 */
public final class RuleFileParser {
  private static final String FINDINGS = "org.pinwise.rules.spi.Findings";
  private static final Set<String> SUM_FOLLOWERS =
      Set.of("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in", "not");

  /** What a value without quotes may hold beside names and numbers. */
  private static final Set<String> RAW_SYMBOLS = Set.of(".", ",", "-", "/", "=");

  private static final Vocabulary VOCABULARY = new Vocabulary();

  /** What may be imported. */
  private static final List<String> IMPORTS =
      Stream.concat(
              Stream.of(FINDINGS),
              VOCABULARY.importable().stream().map(name -> Vocabulary.MODEL + name))
          .toList();

  private static final String GLOBAL = "global %s findings;".formatted(FINDINGS);

  /** A rule file larger than this is refused before it is read further, in characters. */
  static final int MAX_LENGTH = 1 << 18;

  static final int MAX_RULES = 100;
  static final int MAX_PROBLEMS = 100;
  static final int MAX_PATTERNS = 32;

  /** How many fields and constants a rule's conditions may name. */
  static final int MAX_OPERANDS = 500;

  private final String file;
  private final String text;
  private final boolean ofTeam;
  private final List<RuleProblem> problems = new ArrayList<>();
  private final List<Rule> rules = new ArrayList<>();
  private final Set<String> imported = new HashSet<>();
  private List<Token> tokens = List.of();
  private boolean hasGlobal;
  private int[] closing = {};
  private int next;
  private int operands;
  private @Nullable String ruleName;

  private RuleFileParser(String file, String text, boolean ofTeam) {
    this.file = file;
    this.text = text;
    this.ofTeam = ofTeam;
  }

  /**
   * What a file holds.
   *
   * @param rules its rules, in their order; those with problems are left out
   * @param problems what is wrong; empty where nothing is
   */
  public record Result(List<Rule> rules, List<RuleProblem> problems) {}

  /**
   * Reads the text of a file that comes with Pinwise.
   *
   * @param file how problems name the file
   * @param text the text
   */
  public static Result parse(String file, String text) {
    return parse(new RuleFileParser(file, text, false));
  }

  /**
   * Reads the text of a team's file, whose rules have ids of their own and give no errno.
   *
   * @param file how problems name the file
   * @param text the text
   */
  public static Result parseOfTeam(String file, String text) {
    return parse(new RuleFileParser(file, text, true));
  }

  private static Result parse(RuleFileParser parser) {
    parser.file();
    return new Result(List.copyOf(parser.rules), List.copyOf(parser.problems));
  }

  private void file() {
    try {
      if (text.length() > MAX_LENGTH) {
        throw new SyntaxException(
            1,
            1,
            "the file has %d characters, more than %d; split it"
                .formatted(text.length(), MAX_LENGTH));
      }
      tokens = Lexer.tokens(text);
      header();
    } catch (SyntaxException e) {
      problem(e);
      return;
    }
    matchParentheses();
    while (peek().kind() != Token.Kind.END) {
      if (rules.size() + problems.size() >= MAX_RULES) {
        String what =
            problems.size() >= MAX_PROBLEMS / 2
                ? "there may be more problems; mend those above first"
                : "the file has more than %d rules; split it".formatted(MAX_RULES);
        ruleName = null;
        problem(new SyntaxException(peek(), what));
        return;
      }
      rule();
    }
    if (rules.isEmpty() && problems.isEmpty()) {
      problem(
          new SyntaxException(
              peek(), "the file has no rule; add rule \"ID\" .. when .. then .. end"));
    }
  }

  private void header() {
    expect("package", "a rule file starts with its package, such as: package mr.rules.acme101;");
    packageName();
    while (peek().is("import") || peek().is("global")) {
      if (take().is("import")) {
        importLine();
      } else {
        globalLine();
      }
    }
    // Without its head a file's rules cannot be understood, so it would only get more problems.
    if (!peek().is("rule") && peek().kind() != Token.Kind.END) {
      throw new SyntaxException(peek(), notARule(peek()));
    }
  }

  /** Any name will do: it is for Drools. */
  private void packageName() {
    do {
      Token part = take();
      if (part.kind() != Token.Kind.NAME) {
        throw new SyntaxException(
            part, "expected a name, such as mr.rules.acme101, found " + part.shown());
      }
    } while (accept("."));
    endOfLine("package mr.rules.acme101;");
  }

  private void importLine() {
    Token at = peek();
    if (at.is("static") || at.is("function")) {
      throw new SyntaxException(
          at, "import %s is not allowed; import a fact type instead".formatted(at.text()));
    }
    String name = qualifiedName("import", IMPORTS);
    endOfLine("import " + name + ";");
    if (name.startsWith(Vocabulary.MODEL)) {
      imported.add(name.substring(Vocabulary.MODEL.length()));
    }
  }

  private void globalLine() {
    qualifiedName("global", List.of(FINDINGS));
    expect("findings", "the only global is: " + GLOBAL);
    endOfLine(GLOBAL);
    hasGlobal = true;
  }

  /** A semicolon may be left out, but then the line ends. */
  private void endOfLine(String form) {
    Token before = tokens.get(next - 1);
    if (!accept(";") && peek().kind() != Token.Kind.END && peek().line() == before.line()) {
      throw new SyntaxException(
          peek(), "expected ';', found %s: write %s".formatted(peek().shown(), form));
    }
  }

  /** Reads one of some names with dots; what leads to none of them is refused where it leaves. */
  private String qualifiedName(String keyword, List<String> allowed) {
    int first = next;
    StringBuilder name = new StringBuilder();
    boolean ofNames = true;
    do {
      Token part = take();
      ofNames &= part.kind() == Token.Kind.NAME;
      name.append(name.isEmpty() ? "" : ".").append(part.text());
    } while (accept("."));
    if (ofNames && allowed.contains(name.toString())) {
      return name.toString();
    }
    next = first;
    throw notAllowed(keyword, allowed);
  }

  /** Returns what is wrong with a name that is none of those that are allowed. */
  private SyntaxException notAllowed(String keyword, List<String> allowed) {
    StringBuilder name = new StringBuilder();
    do {
      Token part = take();
      name.append(name.isEmpty() ? "" : ".").append(part.text());
      String read = name.toString();
      if (part.kind() != Token.Kind.NAME
          || allowed.stream().noneMatch(n -> n.equals(read) || n.startsWith(read + "."))) {
        return new SyntaxException(part, notAllowed(keyword, part, read, allowed));
      }
    } while (accept("."));
    return new SyntaxException(
        peek(),
        "expected '.', found %s: %s %s is not complete; allowed are %s"
            .formatted(peek().shown(), keyword, name, allowed));
  }

  private String notAllowed(String keyword, Token part, String read, List<String> allowed) {
    StringBuilder whole = new StringBuilder(read);
    for (int i = next; tokens.get(i).is(".") || tokens.get(i).is("*"); i += 2) {
      Token after = tokens.get(i + 1);
      whole.append(tokens.get(i).text()).append(after.kind() == Token.Kind.END ? "" : after.text());
      if (after.kind() == Token.Kind.END) {
        break;
      }
    }
    List<String> lasts = allowed.stream().map(RuleFileParser::last).toList();
    return part.kind() == Token.Kind.NAME
        ? "%s %s is not allowed%s; allowed are %s"
            .formatted(keyword, whole, Nearest.hint(last(whole.toString()), lasts), allowed)
        : "expected a name, found %s; allowed are %s".formatted(part.shown(), allowed);
  }

  private static String last(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private void rule() {
    int start = next;
    ruleName = null;
    try {
      rules.add(oneRule());
    } catch (SyntaxException e) {
      problem(e);
      // Go on after this rule, so that one run names the problems of all of them.
      next = Math.max(next, start + 1);
      while (peek().kind() != Token.Kind.END && !peek().is("rule")) {
        next++;
      }
    }
  }

  private Rule oneRule() {
    Token keyword = peek();
    if (!keyword.is("rule")) {
      throw new SyntaxException(keyword, notARule(keyword));
    }
    take();
    Token name = take();
    if (name.kind() != Token.Kind.STRING) {
      throw new SyntaxException(name, "a rule's name is its id in quotes, not " + name.shown());
    }
    ruleName = name.text();
    operands = 0;
    if (!RuleChecks.isId(name.text())) {
      throw new SyntaxException(
          name,
          "\"%s\" is no rule id; an id is letters and three digits, such as ACME101 or ACME101/old-kernel"
              .formatted(name.text()));
    }
    if (ofTeam && TeamRules.takesOurId(name.text())) {
      throw new SyntaxException(name, TeamRules.idProblem(name.text()));
    }
    Annotations annotations = new Annotations(name, ofTeam);
    while (peek().is("@")) {
      annotations.add(annotation());
    }
    expect("when", "after its annotations a rule has: when");
    RuleMeta meta = annotations.meta();
    Scope scope = new Scope(VOCABULARY, imported, meta.parameters());
    List<Pattern> patterns = new ArrayList<>();
    for (int count = 0; !peek().is("then"); count++) {
      if (count == MAX_PATTERNS) {
        throw new SyntaxException(
            peek(),
            "the rule has more than %d patterns; there is one fact of each type, so put conditions of one type together"
                .formatted(MAX_PATTERNS));
      }
      pattern(scope, patterns);
    }
    if (patterns.isEmpty()) {
      throw new SyntaxException(
          peek(), "the rule demands nothing; add a pattern such as MrRequest( .. )");
    }
    take();
    Template template = report(name, scope);
    expect("end", "a rule reports once and then has: end");
    return new Rule(meta, patterns, template, file + ":" + name.line());
  }

  private static String notARule(Token token) {
    return switch (token.text()) {
      case "function", "declare", "query", "import", "global", "unit", "eval", "dialect" ->
          "'%s' is not allowed here; a file holds its package, imports, and then rules"
              .formatted(token.text());
      default -> "expected a rule, found " + token.shown();
    };
  }

  private Annotations.Raw annotation() {
    take();
    Token name = take();
    if (name.kind() != Token.Kind.NAME) {
      throw new SyntaxException(name, "expected an annotation's name, found " + name.shown());
    }
    expect("(", "an annotation has its value in parentheses: @" + name.text() + "(..)");
    Token first = peek();
    if (first.kind() == Token.Kind.STRING) {
      take();
      expect(")", "the annotation's value ends with )");
      return new Annotations.Raw(name, first.text(), first);
    }
    int end = first.offset();
    while (!peek().is(")")) {
      Token token = peek();
      boolean plain =
          token.kind() == Token.Kind.NAME
              || token.kind() == Token.Kind.NUMBER
              || (token.kind() == Token.Kind.SYMBOL && RAW_SYMBOLS.contains(token.text()));
      if (!plain || token.line() != first.line()) {
        throw new SyntaxException(
            token,
            "expected ')', found %s: an annotation ends on its line, and a value of more than names and numbers is in quotes: @%s(\"..\")"
                .formatted(token.shown(), name.text()));
      }
      end = take().end();
    }
    take();
    return new Annotations.Raw(name, text.substring(first.offset(), end), first);
  }

  private void pattern(Scope scope, List<Pattern> patterns) {
    Token quantifier = peek().is("not") || peek().is("exists") ? take() : null;
    Token binding = null;
    if (peek().kind() == Token.Kind.NAME && peek().text().startsWith("$")) {
      binding = take();
      expect(":", "a binding is followed by a colon: " + binding.text() + " : MrRequest( .. )");
    }
    Token name = take();
    if (name.kind() != Token.Kind.NAME || isConstruct(name)) {
      throw new SyntaxException(name, notAPattern(name));
    }
    boolean parameters = name.is(Vocabulary.PARAMETERS);
    if (binding != null && (quantifier != null || parameters)) {
      throw new SyntaxException(binding, "only a plain pattern of a fact can be bound");
    }
    String form = "a pattern has its conditions in parentheses: " + name.text() + "( .. )";
    if (parameters) {
      expect("(", form);
      parameterBindings(scope);
      return;
    }
    FactType<?> type = factType(name);
    expect("(", form);
    if (binding != null) {
      scope.bindFact(binding, type);
    }
    boolean demandsNothing = peek().is(")");
    if (demandsNothing && binding == null && quantifier == null) {
      throw new SyntaxException(
          peek(),
          "expected a condition, found ')': there is always one %s, so without conditions it is only good for binding: $x : %s()"
              .formatted(name.text(), name.text()));
    }
    List<Condition> all = items(scope.within(type, quantifier != null));
    boolean negated = quantifier != null && quantifier.is("not");
    if (all.isEmpty()) {
      if (negated) {
        throw new SyntaxException(
            name,
            "there is always one %s, so this never holds; give it conditions"
                .formatted(name.text()));
      }
      return; // a pattern that only binds demands nothing: its fact is always there
    }
    Condition condition = all.size() == 1 ? all.get(0) : new Condition.All(all);
    Pattern pattern = new Pattern(negated ? Quantifier.NOT : Quantifier.EXISTS, type, condition);
    String wrong =
        RuleChecks.constant(condition).or(() -> RuleChecks.tooWide(pattern)).orElse(null);
    if (wrong != null) {
      throw new SyntaxException(name, wrong);
    }
    patterns.add(pattern);
  }

  private FactType<?> factType(Token name) {
    FactType<?> type = VOCABULARY.factType(name.text()).orElse(null);
    if (type == null || !imported.contains(name.text())) {
      throw new SyntaxException(name, unknownType(name, type != null));
    }
    return type;
  }

  private List<Condition> items(Scope scope) {
    ConditionParser conditions = new ConditionParser(this, scope);
    List<Condition> all = new ArrayList<>();
    while (!peek().is(")")) {
      if (isBinding(scope)) {
        Token binding = take();
        expect(":", "a binding is followed by a colon: " + binding.text() + " : length");
        scope.bindField(binding, take());
      } else {
        all.add(conditions.condition());
      }
      separator("conditions of a pattern are separated by commas");
    }
    take();
    return all;
  }

  /** Reads a comma and sees that something comes after it, or sees that the list ends. */
  private void separator(String why) {
    if (peek().is(")")) {
      return;
    }
    expect(",", why);
    if (peek().is(")")) {
      throw new SyntaxException(peek(), "nothing comes after the last comma; drop it");
    }
  }

  private void parameterBindings(Scope scope) {
    while (!peek().is(")")) {
      Token binding = take();
      if (!binding.text().startsWith("$")) {
        throw new SyntaxException(
            binding, "Parameters( .. ) only binds, such as Parameters( $limit : limit )");
      }
      expect(":", "a binding is followed by a colon");
      scope.bindParameter(binding, take());
      separator("bindings are separated by commas");
    }
    take();
  }

  /** A name that is not bound yet starts a binding, unless it is compared with something. */
  private boolean isBinding(Scope scope) {
    Token name = peek();
    if (name.kind() != Token.Kind.NAME || !name.text().startsWith("$")) {
      return false;
    }
    Token after = tokens.get(next + 1);
    boolean compared =
        SUM_FOLLOWERS.contains(after.text())
            || Set.of("contains", "memberOf", ".", ",", ")", "&&", "||").contains(after.text());
    return after.is(":")
        || (!compared
            && scope.valueBehind(name.text()) == null
            && scope.factBehind(name.text()) == null);
  }

  private static boolean isConstruct(Token token) {
    return switch (token.text()) {
      case "eval",
          "forall",
          "accumulate",
          "collect",
          "from",
          "or",
          "and",
          "not",
          "exists",
          "rule",
          "end",
          "when" ->
          true;
      default -> false;
    };
  }

  private static String notAPattern(Token token) {
    return switch (token.text()) {
      case "eval" -> "eval is not allowed; write a condition in a pattern";
      case "or" ->
          "or between patterns is not allowed; use || inside a pattern, or write two rules";
      case "and" -> "and between patterns is not needed; write one pattern after the other";
      case "(" -> "grouped patterns are not allowed; write one pattern after the other";
      case "forall", "accumulate", "collect", "from" ->
          token.text() + " is not allowed; a pattern reads the fields of one fact";
      default -> "expected a pattern such as MrRequest( .. ), found " + token.shown();
    };
  }

  private static String unknownType(Token name, boolean known) {
    return known
        ? "%s is not imported; add: import %s%s;"
            .formatted(name.text(), Vocabulary.MODEL, name.text())
        : "there is no fact type %s%s; there are %s"
            .formatted(
                name.text(),
                Nearest.hint(name.text(), VOCABULARY.factTypeNames()),
                VOCABULARY.factTypeNames());
  }

  private Template report(Token name, Scope scope) {
    Token at = peek();
    String form =
        "a rule's only consequence is: findings.report(\""
            + name.text()
            + "\", $fact, \"text with {field}\");";
    Token reporter = expect("findings", form);
    if (!hasGlobal) {
      throw new SyntaxException(reporter, "findings is not declared; add: " + GLOBAL);
    }
    expect(".", form);
    expect("report", form);
    expect("(", form);
    Token id = take();
    if (id.kind() != Token.Kind.STRING || !id.text().equals(name.text())) {
      throw new SyntaxException(
          id,
          "the finding's id is the rule's name, \"%s\", not %s".formatted(name.text(), id.shown()));
    }
    expect(",", form);
    Token binding = take();
    FactType<?> type = scope.boundFact(binding);
    expect(",", form);
    Token message = take();
    if (message.kind() != Token.Kind.STRING) {
      throw new SyntaxException(message, form);
    }
    expect(")", form);
    expect(";", form);
    if (!peek().is("end")) {
      throw new SyntaxException(
          peek(), "a rule has one consequence; found " + peek().shown() + " after " + at.shown());
    }
    return TemplateParser.parse(message, type, scope);
  }

  // ---- tokens, also for ConditionParser

  Token peek() {
    return tokens.get(next);
  }

  Token take() {
    Token token = tokens.get(next);
    if (token.kind() != Token.Kind.END) {
      next++;
    }
    return token;
  }

  boolean accept(String symbol) {
    if (peek().is(symbol)) {
      next++;
      return true;
    }
    return false;
  }

  Token expect(String symbol, String why) {
    if (!peek().is(symbol)) {
      throw new SyntaxException(
          peek(), "expected '%s', found %s: %s".formatted(symbol, peek().shown(), why));
    }
    return take();
  }

  /**
   * Looks past the parenthesis that comes next: {@code (a + 1) * 2 > b} starts with a sum, {@code
   * (a || b)} does not.
   */
  boolean sumInParentheses() {
    if (closing[next] < 0) {
      return false;
    }
    Token after = tokens.get(closing[next] + 1);
    return SUM_FOLLOWERS.contains(after.text()) && after.kind() != Token.Kind.STRING;
  }

  /** Finds for every parenthesis the one that closes it, once, so that no nesting costs more. */
  private void matchParentheses() {
    closing = new int[tokens.size()];
    ArrayDeque<Integer> open = new ArrayDeque<>();
    for (int i = 0; i < closing.length; i++) {
      closing[i] = -1;
      if (tokens.get(i).is("(")) {
        open.push(i);
      } else if (tokens.get(i).is(")") && !open.isEmpty()) {
        closing[open.pop()] = i;
      }
    }
  }

  /** Counts a field or constant of the rule at hand. */
  void countOperand(Token at) {
    if (++operands > MAX_OPERANDS) {
      throw new SyntaxException(
          at,
          "the rule compares more than %d fields and constants; split it".formatted(MAX_OPERANDS));
    }
  }

  private void problem(SyntaxException e) {
    problems.add(new RuleProblem(file, e.line, e.column, ruleName, String.valueOf(e.getMessage())));
  }

  /** What the names of a rule mean. */
  static final class Scope {
    final Vocabulary vocabulary;
    final Set<String> imported;
    private final Map<String, Long> parameters;
    private final Map<String, FactType<?>> facts;
    private final Map<String, Operand> values;
    final @Nullable FactType<?> self;
    private final boolean quantified;

    Scope(Vocabulary vocabulary, Set<String> imported, Map<String, Long> parameters) {
      this(vocabulary, imported, parameters, new HashMap<>(), new HashMap<>(), null, false);
    }

    private Scope(
        Vocabulary vocabulary,
        Set<String> imported,
        Map<String, Long> parameters,
        Map<String, FactType<?>> facts,
        Map<String, Operand> values,
        @Nullable FactType<?> self,
        boolean quantified) {
      this.vocabulary = vocabulary;
      this.imported = imported;
      this.parameters = parameters;
      this.facts = facts;
      this.values = values;
      this.self = self;
      this.quantified = quantified;
    }

    /** Returns the scope inside a pattern of a type; bindings made there are seen after it, too. */
    Scope within(FactType<?> type, boolean inQuantifier) {
      return new Scope(vocabulary, imported, parameters, facts, values, type, inQuantifier);
    }

    void bindFact(Token binding, FactType<?> type) {
      refuseTaken(binding);
      facts.put(binding.text(), type);
    }

    void bindField(Token binding, Token field) {
      refuseTaken(binding);
      if (quantified) {
        throw new SyntaxException(binding, "a pattern under not or exists binds nothing");
      }
      values.put(binding.text(), fieldOf(self(), field));
    }

    void bindParameter(Token binding, Token name) {
      refuseTaken(binding);
      if (!parameters.containsKey(name.text())) {
        throw new SyntaxException(
            name,
            "the rule declares no parameter %s; add @param(\"%s = 60\")"
                .formatted(name.text(), name.text()));
      }
      values.put(binding.text(), new Operand.Parameter(name.text()));
    }

    private void refuseTaken(Token binding) {
      if (facts.containsKey(binding.text()) || values.containsKey(binding.text())) {
        throw new SyntaxException(binding, binding.text() + " is bound twice; take another name");
      }
    }

    FactType<?> boundFact(Token binding) {
      FactType<?> type = facts.get(binding.text());
      if (type == null) {
        throw new SyntaxException(
            binding,
            "%s is not bound to a fact; bind a pattern, such as $r : MrRequest( .. )"
                .formatted(binding.shown()));
      }
      return type;
    }

    @Nullable FactType<?> factBehind(String name) {
      return facts.get(name);
    }

    @Nullable Operand valueBehind(String name) {
      return values.get(name);
    }

    Set<String> parameterNames() {
      return parameters.keySet();
    }

    FactType<?> self() {
      if (self == null) {
        throw new IllegalStateException("no pattern");
      }
      return self;
    }

    static Operand.FieldOf<?> fieldOf(FactType<?> type, Token name) {
      Operand.FieldOf<?> field = find(type, name.text());
      if (field == null) {
        List<String> names = type.fields().stream().map(f -> f.name()).toList();
        throw new SyntaxException(
            name,
            "%s has no field %s%s; it has %s"
                .formatted(type.name(), name.text(), Nearest.hint(name.text(), names), names));
      }
      return field;
    }

    static <F> Operand.@Nullable FieldOf<F> find(FactType<F> type, String name) {
      return type.field(name).map(field -> new Operand.FieldOf<>(type, field)).orElse(null);
    }
  }
}
