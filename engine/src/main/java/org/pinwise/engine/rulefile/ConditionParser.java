package org.pinwise.engine.rulefile;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field.Kind;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Condition.Relation;
import org.pinwise.rules.spi.Operand;

/** Reads the conditions of a pattern, and checks their types; see {@link Guide#GRAMMAR}. */
final class ConditionParser {
  /** Deeper nesting is refused, so that no rule file exhausts the stack. */
  static final int MAX_DEPTH = 32;

  private static final Set<String> OPERATORS = Set.of("not", "in", "contains", "memberOf");

  private final RuleFileParser tokens;
  private final RuleFileParser.Scope scope;
  private int depth;

  ConditionParser(RuleFileParser tokens, RuleFileParser.Scope scope) {
    this.tokens = tokens;
    this.scope = scope;
  }

  Condition condition() {
    enter();
    List<Condition> any = new ArrayList<>();
    do {
      any.add(and());
    } while (tokens.accept("||"));
    depth--;
    return any.size() == 1 ? any.get(0) : new Condition.Any(any);
  }

  private Condition and() {
    List<Condition> all = new ArrayList<>();
    do {
      all.add(unary());
    } while (tokens.accept("&&"));
    return all.size() == 1 ? all.get(0) : new Condition.All(all);
  }

  private Condition unary() {
    if (tokens.peek().is("!")) {
      enter();
      tokens.take();
      Condition negated = new Condition.Not(unary());
      depth--;
      return negated;
    }
    if (tokens.peek().is("(") && !tokens.sumInParentheses()) {
      tokens.take();
      Condition inner = condition();
      tokens.expect(")", "the parenthesis is closed after the condition");
      return inner;
    }
    return comparison();
  }

  private Condition comparison() {
    Token at = tokens.peek();
    Operand left = sum();
    Token operator = tokens.peek();
    boolean negated = operator.is("not");
    if (negated) {
      tokens.take();
      operator = tokens.peek();
    }
    if (operator.is("in")) {
      return oneOf(at, left, negated);
    }
    if (operator.is("contains")) {
      tokens.take();
      Token memberAt = tokens.peek();
      return contains(at, left, memberAt, operand(), negated);
    }
    if (operator.is("memberOf")) {
      tokens.take();
      Token setAt = tokens.peek();
      return contains(setAt, operand(), at, left, negated);
    }
    if (negated) {
      throw new SyntaxException(
          operator, "after 'not' comes in, contains or memberOf, not " + operator.shown());
    }
    for (Relation relation : Relation.values()) {
      if (operator.is(relation.symbol())) {
        tokens.take();
        return compare(at, left, relation, operator);
      }
    }
    if (left instanceof Operand.FieldOf<?> field && field.field().kind() == Kind.BOOLEAN) {
      refuseOperatorAfter(operator);
      return new Condition.Holds(field);
    }
    refuseOperatorAfter(operator);
    throw new SyntaxException(
        at, "%s is %s and no condition; compare it with something".formatted(left, left.kind()));
  }

  private static void refuseOperatorAfter(Token operator) {
    if (operator.is(",") || operator.is(")") || operator.is("&&") || operator.is("||")) {
      return;
    }
    throw new SyntaxException(
        operator,
        switch (operator.text()) {
          case "=" -> "'=' does not compare; use ==";
          case "&", "|", "^", "~" ->
              "bit operators are not allowed; use: access contains AccessFlag.NAME";
          case "matches", "soundslike", "str", "excludes" ->
              "%s is not allowed; use ==, in, contains".formatted(operator.text());
          case "(", "[", "." -> "calls and accesses are not allowed; a condition reads fields";
          default -> "expected an operator such as ==, in or contains, found " + operator.shown();
        });
  }

  private Condition compare(Token at, Operand left, Relation relation, Token operator) {
    Token rightAt = tokens.peek();
    Operand right = sum();
    if (!left.readsFact() && !right.readsFact()) {
      throw new SyntaxException(at, "the comparison reads no field, so it is constant; drop it");
    }
    String leftKind = left.kind();
    String rightKind = right.kind();
    if (!leftKind.equals(rightKind)) {
      throw new SyntaxException(
          rightAt, "%s is %s, but %s is %s".formatted(left, leftKind, right, rightKind));
    }
    boolean number = leftKind.equals("a number");
    if (!number && relation != Relation.EQUAL && relation != Relation.NOT_EQUAL) {
      throw new SyntaxException(
          operator, "%s is %s, which has no order; use == or !=".formatted(left, leftKind));
    }
    if (leftKind.startsWith("a set")) {
      throw new SyntaxException(operator, left + " is a set; use: contains");
    }
    return new Condition.Compare(left, relation, right);
  }

  private Condition oneOf(Token at, Operand left, boolean negated) {
    tokens.take();
    tokens.expect("(", "the values of in are in parentheses: in (\"a\", \"b\")");
    List<Operand.Constant> values = new ArrayList<>();
    do {
      Token valueAt = tokens.peek();
      Operand value = operand();
      if (!(value instanceof Operand.Constant constant)) {
        throw new SyntaxException(valueAt, "the values of in are constants, not " + value);
      }
      if (!value.kind().equals(left.kind())) {
        throw new SyntaxException(
            valueAt, "%s is %s, but %s is %s".formatted(left, left.kind(), value, value.kind()));
      }
      values.add(constant);
    } while (tokens.accept(","));
    tokens.expect(")", "the values of in end with )");
    if (!left.readsFact()) {
      throw new SyntaxException(at, "the comparison reads no field, so it is constant; drop it");
    }
    return new Condition.OneOf(left, values, negated);
  }

  private static Condition contains(
      Token setAt, Operand set, Token memberAt, Operand member, boolean negated) {
    if (!(set instanceof Operand.FieldOf<?> field) || field.field().kind() != Kind.FLAGS) {
      throw new SyntaxException(setAt, set + " is no set of flags, so it contains nothing");
    }
    Class<?> members = field.field().valueType();
    boolean fits =
        member instanceof Operand.Constant constant
            ? members.isInstance(constant.value())
            : member instanceof Operand.FieldOf<?> other
                && other.field().kind() == Kind.CHOICE
                && other.field().valueType() == members;
    if (!fits) {
      throw new SyntaxException(
          memberAt,
          "%s holds %s constants, and %s is %s"
              .formatted(set, members.getSimpleName(), member, member.kind()));
    }
    return new Condition.Contains(field, member, negated);
  }

  private Operand sum() {
    enter();
    Token at = tokens.peek();
    Operand left = product();
    while (tokens.peek().is("+") || tokens.peek().is("-")) {
      char operator = tokens.take().text().charAt(0);
      left = arithmetic(at, left, operator, product());
    }
    depth--;
    return left;
  }

  private Operand product() {
    Token at = tokens.peek();
    Operand left = operand();
    while (tokens.peek().is("*") || tokens.peek().is("/") || tokens.peek().is("%")) {
      Token operator = tokens.take();
      Token rightAt = tokens.peek();
      Operand right = operand();
      if (!operator.is("*") && !positive(right)) {
        throw new SyntaxException(
            rightAt, "the divisor must be a constant of at least 1, not %s".formatted(right));
      }
      left = arithmetic(at, left, operator.text().charAt(0), right);
    }
    return left;
  }

  private static boolean positive(Operand operand) {
    return operand instanceof Operand.Constant constant
        && constant.value() instanceof Long value
        && value > 0;
  }

  private static Operand arithmetic(Token at, Operand left, char operator, Operand right) {
    for (Operand operand : List.of(left, right)) {
      if (!operand.kind().equals("a number")) {
        throw new SyntaxException(
            at, "%s is %s, and '%s' takes numbers".formatted(operand, operand.kind(), operator));
      }
    }
    return new Operand.Arithmetic(left, operator, right);
  }

  private Operand operand() {
    Token token = tokens.take();
    tokens.countOperand(token);
    if (token.kind() == Token.Kind.STRING) {
      return new Operand.Constant(token.text(), '"' + token.text() + '"');
    }
    if (token.kind() == Token.Kind.NUMBER) {
      return new Operand.Constant(number(token), token.text());
    }
    if (token.kind() == Token.Kind.NAME && !OPERATORS.contains(token.text())) {
      return named(token);
    }
    if (token.is("(")) {
      Operand inner = sum();
      tokens.expect(")", "the parenthesis is closed after the sum");
      return inner;
    }
    if (token.is("-")) {
      throw new SyntaxException(token, "negative numbers are not allowed: no fact is negative");
    }
    throw new SyntaxException(token, "expected a field or a constant, found " + token.shown());
  }

  private Operand named(Token token) {
    String name = token.text();
    if (name.equals("true") || name.equals("false")) {
      return new Operand.Constant(Boolean.valueOf(name), name);
    }
    if (name.equals("null")) {
      throw new SyntaxException(
          token,
          "null is not allowed: a fact that is not known makes the rule undecided by itself");
    }
    if (name.startsWith("$")) {
      return bound(token);
    }
    if (tokens.peek().is(".") || Character.isUpperCase(name.charAt(0))) {
      return constant(token);
    }
    if (tokens.peek().is("(")) {
      throw new SyntaxException(tokens.peek(), "calls are not allowed; a condition reads fields");
    }
    return RuleFileParser.Scope.fieldOf(scope.self(), token);
  }

  private Operand bound(Token token) {
    Operand value = scope.valueBehind(token.text());
    if (value != null) {
      return value;
    }
    FactType<?> fact = scope.factBehind(token.text());
    if (fact == null) {
      throw new SyntaxException(
          token, token.text() + " is not bound; bind it in a pattern before this one");
    }
    tokens.expect(".", "a bound fact is read by its fields: " + token.text() + ".length");
    Token field = tokens.take();
    if (tokens.peek().is("(")) {
      throw new SyntaxException(tokens.peek(), "calls are not allowed; a condition reads fields");
    }
    return RuleFileParser.Scope.fieldOf(fact, field);
  }

  private Operand constant(Token holder) {
    String name = holder.text();
    boolean known = scope.vocabulary.isChoice(name) || scope.vocabulary.isNumbers(name);
    if (scope.self().field(name).isPresent()) {
      throw new SyntaxException(
          tokens.peek(),
          "%s.%s is a value, and has no fields or methods; compare it itself"
              .formatted(scope.self().key(), name));
    }
    if (!known) {
      List<String> holders =
          scope.vocabulary.importable().stream()
              .filter(n -> scope.vocabulary.isChoice(n) || scope.vocabulary.isNumbers(n))
              .toList();
      throw new SyntaxException(
          holder,
          "%s is no field and holds no constants%s; constants are those of %s"
              .formatted(name, Nearest.hint(name, holders), holders));
    }
    if (!scope.imported.contains(name)) {
      throw new SyntaxException(
          holder, "%s is not imported; add: import %s%s;".formatted(name, Vocabulary.MODEL, name));
    }
    tokens.expect(".", "a constant is written " + name + ".NAME");
    Token constantName = tokens.take();
    @Nullable Object value = scope.vocabulary.constant(name, constantName.text());
    if (value == null) {
      List<String> names = scope.vocabulary.constantNames(name);
      throw new SyntaxException(
          constantName,
          "%s has no constant %s%s; it has %s"
              .formatted(
                  name, constantName.text(), Nearest.hint(constantName.text(), names), names));
    }
    if (tokens.peek().is("(") || tokens.peek().is(".")) {
      throw new SyntaxException(tokens.peek(), "calls are not allowed; a condition reads fields");
    }
    return new Operand.Constant(value, name + "." + constantName.text());
  }

  private static Long number(Token token) {
    String digits = token.text();
    boolean isLong = digits.endsWith("L") || digits.endsWith("l");
    String plain = isLong ? digits.substring(0, digits.length() - 1) : digits;
    long value;
    try {
      value =
          plain.startsWith("0x") || plain.startsWith("0X")
              ? Long.parseLong(plain.substring(2), 16)
              : Long.parseLong(plain);
    } catch (NumberFormatException e) {
      throw new SyntaxException(
          token, "%s is no whole number from 0 to 2^63-1".formatted(token.text()));
    }
    if (!isLong && value > Integer.MAX_VALUE) {
      throw new SyntaxException(
          token, "%s does not fit an int; write %sL".formatted(token.text(), token.text()));
    }
    if (plain.length() > 1 && plain.startsWith("0") && Character.isDigit(plain.charAt(1))) {
      throw new SyntaxException(
          token, "%s would be octal in DRL; drop the leading 0".formatted(token.text()));
    }
    return value;
  }

  private void enter() {
    if (++depth > MAX_DEPTH) {
      throw new SyntaxException(
          tokens.peek(),
          "the condition is nested deeper than %d; split the rule".formatted(MAX_DEPTH));
    }
  }
}
