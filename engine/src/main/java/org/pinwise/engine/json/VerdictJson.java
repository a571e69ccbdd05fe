package org.pinwise.engine.json;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.UndecidedRule;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.Why;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.MrRequest;

/**
 * Writes a verdict as JSON, {@code pinwise-verdict/1}. The text is ASCII, all keys are always there
 * and in one order, and what is not known is null.
 *
 * <p>A reader's numbers may be doubles, in which unsigned 64-bit numbers do not survive: addresses
 * are strings of hexadecimal digits, lengths strings of decimal digits, as the schema says.
 *
 * {@snippet :
 * String json = VerdictJson.compact(validator.validate(facts));
 * }
 */
public final class VerdictJson {
  /** The value of the key {@code schema}. */
  public static final String SCHEMA = "pinwise-verdict/1";

  private VerdictJson() {}

  /** Returns the verdict on one line, without a line break at its end. */
  public static String compact(Verdict verdict) {
    return compact(verdict, null);
  }

  /**
   * Returns the verdict on one line, without a line break at its end.
   *
   * @param why what decided each rule, see {@link org.pinwise.engine.MrValidator#why}; null where
   *     it was not asked for
   */
  public static String compact(Verdict verdict, @Nullable List<Why> why) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonTree.FACTORY.createGenerator(text)) {
      new Writer(json).verdict(verdict, why);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Returns what stands for a verdict where a line is no request. */
  static String error(long line, String problem) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonTree.FACTORY.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("schema", "pinwise-error/1");
      json.writeNumberField("line", line);
      json.writeStringField("error", problem);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Returns the verdict on many lines, indented, without a line break at its end. */
  public static String indented(Verdict verdict) {
    return indented(verdict, null);
  }

  /**
   * Returns the verdict on many lines, indented, without a line break at its end.
   *
   * @param why what decided each rule, see {@link org.pinwise.engine.MrValidator#why}; null where
   *     it was not asked for
   */
  public static String indented(Verdict verdict, @Nullable List<Why> why) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonTree.FACTORY.createGenerator(text)) {
      json.setPrettyPrinter(JsonTree.printer());
      new Writer(json).verdict(verdict, why);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Returns the JSON Schema (2020-12) of what this class writes. */
  public static String schema() {
    return JsonTree.schema("pinwise-verdict-1");
  }

  /** Writes the parts of one verdict. */
  private record Writer(JsonGenerator json) {

    void verdict(Verdict verdict, @Nullable List<Why> why) throws IOException {
      json.writeStartObject();
      json.writeStringField("schema", SCHEMA);
      json.writeStringField("decision", verdict.decision());
      texts("errno", verdict.errno());
      json.writeArrayFieldStart("findings");
      for (Finding finding : verdict.findings()) {
        finding(finding);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("undecided");
      for (UndecidedRule rule : verdict.undecided()) {
        undecided(rule);
      }
      json.writeEndArray();
      texts("assumed", verdict.assumed());
      texts("disabled", verdict.disabled());
      texts("trusted", verdict.trusted());
      json.writeFieldName("request");
      request(verdict.request());
      access("effectiveAccess", verdict.effectiveAccess().orElse(null));
      json.writeFieldName("corrected");
      request(verdict.corrected().orElse(null));
      why(why);
      json.writeEndObject();
    }

    private void why(@Nullable List<Why> all) throws IOException {
      if (all == null) {
        json.writeNullField("why");
        return;
      }
      json.writeArrayFieldStart("why");
      for (Why why : all) {
        json.writeStartObject();
        json.writeStringField("rule", why.rule());
        json.writeStringField(
            "state",
            switch (why.truth()) {
              case TRUE -> "reports";
              case UNKNOWN -> "undecided";
              case FALSE -> "silent";
            });
        json.writeBooleanField("covered", why.covered());
        json.writeBooleanField("trusted", why.trusted());
        json.writeArrayFieldStart("reasons");
        for (Why.Reason reason : why.reasons()) {
          json.writeStartObject();
          json.writeStringField("condition", reason.condition());
          json.writeObjectFieldStart("values");
          for (Map.Entry<String, String> value : new TreeMap<>(reason.values()).entrySet()) {
            json.writeStringField(value.getKey(), value.getValue());
          }
          json.writeEndObject();
          json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
      }
      json.writeEndArray();
    }

    private void finding(Finding finding) throws IOException {
      json.writeStartObject();
      json.writeStringField("rule", finding.rule());
      json.writeStringField("severity", lower(finding.severity()));
      text("stage", finding.stage());
      text("errno", finding.errno());
      json.writeStringField("origin", lower(finding.origin()));
      json.writeStringField("message", finding.message());
      json.writeObjectFieldStart("arguments");
      for (Map.Entry<String, String> argument : new TreeMap<>(finding.arguments()).entrySet()) {
        json.writeStringField(argument.getKey(), argument.getValue());
      }
      json.writeEndObject();
      json.writeStringField("remediation", finding.remediation());
      json.writeStringField("reference", finding.reference());
      text("later", finding.later());
      texts("restsOn", finding.restsOn());
      json.writeBooleanField("live", finding.live());
      json.writeEndObject();
    }

    private void undecided(UndecidedRule rule) throws IOException {
      json.writeStartObject();
      json.writeStringField("rule", rule.rule());
      json.writeStringField("severity", lower(rule.severity()));
      text("stage", rule.stage());
      text("errno", rule.errno());
      json.writeStringField("summary", rule.summary());
      texts("needs", rule.needs());
      texts("verified", rule.verified());
      json.writeEndObject();
    }

    private void request(@Nullable MrRequest request) throws IOException {
      if (request == null) {
        json.writeNull();
        return;
      }
      json.writeStartObject();
      text("verb", request.verb() == null ? null : lower(request.verb()));
      access("access", request.accessArgument());
      text("address", hex(request.rawAddress()));
      Long length = request.rawLength();
      text("length", length == null ? null : Long.toUnsignedString(length));
      text("iova", hex(request.rawIova()));
      if (request.uses() == null) {
        json.writeNullField("uses");
      } else {
        texts("uses", request.uses().stream().sorted().map(VerdictJson::lower).toList());
      }
      if (request.regionAccess() != null) { // of windows alone
        texts("regionAccess", request.regionAccess().stream().sorted().toList());
      }
      json.writeEndObject();
    }

    private void access(String key, @Nullable Access access) throws IOException {
      if (access == null) {
        json.writeNullField(key);
        return;
      }
      List<String> parts = new ArrayList<>();
      for (AccessFlag flag : access.flags()) {
        parts.add(flag.name());
      }
      if (access.unknownBits() != 0) {
        parts.add("0x%x".formatted(access.unknownBits()));
      }
      texts(key, parts);
    }

    private void texts(String key, Collection<?> texts) throws IOException {
      json.writeArrayFieldStart(key);
      for (Object text : texts) {
        json.writeString(text.toString());
      }
      json.writeEndArray();
    }

    private void text(String key, @Nullable Object text) throws IOException {
      if (text == null) {
        json.writeNullField(key);
      } else {
        json.writeStringField(key, text.toString());
      }
    }

    private static @Nullable String hex(@Nullable Long number) {
      return number == null ? null : "0x%x".formatted(number);
    }
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
