package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.facts.AccessParser;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;

/**
 * Reads C and C++ sources: a call of the {@code ibv_reg_mr} family whose flags are a literal
 * expression ({@code IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ}, a number, casts and
 * parentheses around them) is judged as a request; what is not literal in it is unknown. Any other
 * call is counted as skipped. Comments, strings and declarations are no calls; conditional
 * compilation and macros are not followed.
 */
final class SourceCodeReader implements ConfigReader {
  /** The calls, and which of their arguments is what. */
  private enum Call {
    REG_MR("ibv_reg_mr", Verb.REG_MR, 4, 2),
    REG_MR_IOVA("ibv_reg_mr_iova", Verb.REG_MR_IOVA, 5, 2),
    REG_MR_IOVA2("ibv_reg_mr_iova2", Verb.REG_MR_IOVA, 5, 2),
    REG_DMABUF_MR("ibv_reg_dmabuf_mr", Verb.REG_DMABUF_MR, 6, 2),
    REG_DM_MR("ibv_reg_dm_mr", Verb.REG_DM_MR, 5, 3);

    private final String function;
    private final Verb verb;
    private final int arguments;
    private final int length;

    /** The access is the last argument, as in infiniband/verbs.h. */
    Call(String function, Verb verb, int arguments, int length) {
      this.function = function;
      this.verb = verb;
      this.arguments = arguments;
      this.length = length;
    }

    static @Nullable Call of(String function) {
      for (Call call : values()) {
        if (call.function.equals(function)) {
          return call;
        }
      }
      return null;
    }
  }

  private static final Set<String> SUFFIXES =
      Set.of(".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".cu", ".cuh");

  /** What is skipped in the summary's words. */
  static final String SKIPPED = "calls whose access flags are no literal";

  /** A call with more characters is not read: a file of open parentheses would take its square. */
  private static final int MAX_CALL = 4_096;

  private static final Pattern FUNCTION = Pattern.compile("\\bibv_reg_(?:mr|dmabuf|dm)\\w*+");
  private static final Pattern DEFINE = Pattern.compile("[ \\t]*#[ \\t]*define[ \\t]+");
  private static final Pattern TYPED =
      Pattern.compile("\\s*(?:(?:const|struct)\\s+){0,4}+ibv_pd\\b[^,]*");
  private static final Pattern CAST =
      Pattern.compile(
          "\\(\\s*(?:(?:const|unsigned|signed|enum)\\s+){0,4}(?:int|unsigned|long|u?int\\d\\d_t|ibv_access_flags)\\s*\\)");
  private static final Pattern STATIC_CAST = Pattern.compile("static_cast\\s*<[\\w\\s:]{1,60}>");
  private static final Pattern FLAGS = Pattern.compile("[\\s(]*(?:IBV_ACCESS_\\w+|\\d\\w*)[\\s)]*");
  private static final Pattern NUMBER = Pattern.compile("(0[xX][0-9a-fA-F]+|\\d+)[uUlL]{0,3}");

  @Override
  public String format() {
    return "C or C++ source";
  }

  @Override
  public boolean reads(Source source) {
    return SUFFIXES.stream().anyMatch(source::hasSuffix);
  }

  /** An argument without what is around it, and where it starts. */
  private record Argument(String text, int at) {}

  @Override
  public void read(Source source, Statements into) {
    if (!source.text().contains("ibv_reg_")) {
      return;
    }
    String text = code(source.text());
    Matcher function = FUNCTION.matcher(text);
    int from = 0;
    while (function.find(from)) {
      from = function.end();
      Call call = Call.of(function.group());
      int open = skipBlanks(text, function.end());
      if (call == null || open >= text.length() || text.charAt(open) != '(') {
        continue;
      }
      Matcher define =
          DEFINE.matcher(text).region(Math.max(0, function.start() - 40), function.start());
      if (define.find() && define.end() == function.start()) {
        continue; // it defines a macro of that name
      }
      List<Argument> arguments = new ArrayList<>();
      int end = arguments(text, open, arguments);
      if (end < 0) {
        from = -end; // calls within this one are not told from each other
        into.problem(
            source.at(function.start()),
            "the call of %s does not end within %d characters".formatted(call.function, MAX_CALL));
      } else if (!TYPED.matcher(arguments.get(0).text()).lookingAt()) {
        call(source, call, function.start(), arguments, into);
      }
    }
  }

  private static void call(
      Source source, Call call, int at, List<Argument> arguments, Statements into) {
    Argument flags = arguments.get(arguments.size() - 1);
    Access access = arguments.size() == call.arguments ? access(flags.text()) : null;
    if (access == null) {
      into.skipped(SKIPPED);
      return;
    }
    MrRequest.Builder request = MrRequest.builder().verb(call.verb).access(access);
    Map<String, Place> places = new LinkedHashMap<>();
    Place whole = source.at(at);
    places.put("request.verb", whole);
    Argument length = arguments.get(call.length);
    Long bytes = number(length.text());
    if (bytes != null) {
      request.length(bytes);
      places.put("request.length", source.at(length.at()));
    }
    Long address = call.verb == Verb.REG_DM_MR ? null : number(arguments.get(1).text());
    if (address != null && call.verb != Verb.REG_DMABUF_MR) {
      request.address(address);
      places.put("request.address", source.at(arguments.get(1).at()));
    }
    for (String field : List.of("access", "unknownBits", "unknownOptionalBits")) {
      places.put("request." + field, source.at(flags.at()));
    }
    into.add(Statement.ofCall(Facts.of(request.build()), places, whole, Optional.empty()));
  }

  /** Returns the access of a literal expression; null where it is something else. */
  private static @Nullable Access access(String text) {
    String plain = STATIC_CAST.matcher(CAST.matcher(text).replaceAll(" ")).replaceAll(" ");
    List<String> parts = new ArrayList<>();
    for (String part : plain.split("\\|", -1)) {
      if (!FLAGS.matcher(part).matches()) {
        return null;
      }
      String name = part.replaceAll("[\\s()]", "");
      Matcher number = NUMBER.matcher(name);
      parts.add(number.matches() ? number.group(1) : name);
    }
    try {
      return AccessParser.parse(String.join("|", parts));
    } catch (IllegalArgumentException e) {
      return null; // a name that the library does not have
    }
  }

  /** Returns a literal number as a bit pattern; null where it is none. */
  private static @Nullable Long number(String text) {
    String plain = text.strip();
    switch (plain) {
      case "NULL", "nullptr" -> {
        return 0L;
      }
      case "SIZE_MAX", "UINT64_MAX", "-1", "(size_t)-1", "(size_t) -1", "~0ULL", "~0UL" -> {
        return -1L;
      }
      default -> {
        Matcher number = NUMBER.matcher(plain);
        return number.matches() && number.group(1).length() < 19
            ? Long.decode(number.group(1))
            : null;
      }
    }
  }

  /** Finds the arguments of a call; returns where it ends, or less than 0 where it does not. */
  private static int arguments(String text, int open, List<Argument> into) {
    int depth = 0;
    int start = open + 1;
    int limit = Math.min(text.length(), open + MAX_CALL);
    for (int i = open; i < limit; i++) {
      switch (text.charAt(i)) {
        case '(', '[', '{' -> depth++;
        case ']', '}' -> depth--;
        case ')' -> {
          depth--;
          if (depth == 0) {
            into.add(argument(text, start, i));
            return i;
          }
        }
        case ',' -> {
          if (depth == 1) {
            into.add(argument(text, start, i));
            start = i + 1;
          }
        }
        case ';' -> {
          return -i;
        }
        default -> {}
      }
    }
    return -limit;
  }

  private static Argument argument(String text, int from, int to) {
    int start = Math.min(to, skipBlanks(text, from));
    return new Argument(text.substring(start, to).strip(), start);
  }

  private static int skipBlanks(String text, int from) {
    int at = from;
    while (at < text.length()
        && (Character.isWhitespace(text.charAt(at)) || text.charAt(at) == '\\')) {
      at++;
    }
    return at;
  }

  /** Returns a source in which comments and strings are blank, so that places stay as they are. */
  private static String code(String text) {
    char[] code = text.toCharArray();
    int i = 0;
    while (i < code.length) {
      int end = end(text, i);
      if (end > i) {
        for (int j = i; j < end; j++) {
          code[j] = code[j] == '\n' ? '\n' : ' ';
        }
        i = end;
      } else {
        i++;
      }
    }
    return new String(code);
  }

  /** Returns where a comment or a string ends that starts at a place; the place where none does. */
  private static int end(String text, int at) {
    char c = text.charAt(at);
    if (text.startsWith("//", at)) {
      return lineEnd(text, at);
    }
    if (text.startsWith("/*", at)) {
      int end = text.indexOf("*/", at + 2);
      return end < 0 ? text.length() : end + 2;
    }
    if (text.startsWith("R\"", at)
        && (at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1)))) {
      int limit = Math.min(text.length(), at + 20);
      int paren = Source.find(text, '(', at, limit);
      if (paren < limit) {
        int end = text.indexOf(")" + text.substring(at + 2, paren) + "\"", paren);
        return end < 0 ? text.length() : end + paren - at;
      }
    }
    boolean digitSeparator = c == '\'' && at > 0 && Character.isLetterOrDigit(text.charAt(at - 1));
    boolean quote = c == '"' || (c == '\'' && !digitSeparator);
    return quote ? quoteEnd(text, at, c) : at;
  }

  private static int lineEnd(String text, int at) {
    int end = text.indexOf('\n', at);
    return end < 0 ? text.length() : end;
  }

  /** A string ends at its quote, or where the line does. */
  private static int quoteEnd(String text, int at, char quote) {
    for (int i = at + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == quote) {
        return i + 1;
      } else if (c == '\n') {
        return i;
      }
    }
    return text.length();
  }
}
