package org.pinwise.engine.lint;

import com.fasterxml.jackson.core.JsonGenerator;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pinwise.engine.Pinwise;
import org.pinwise.rules.spi.Severity;

/**
 * Writes findings as SARIF 2.1.0. Results are written as they are heard; what must list rules and
 * problems comes after them, which JSON allows.
 */
final class SarifWriter implements LintWriter {
  private static final String SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

  private final JsonGenerator json;
  private final Map<String, Diagnostic> rules = new TreeMap<>();
  private final List<LintProblem> problems = new ArrayList<>();

  SarifWriter(Appendable out) {
    this.json = JsonWriter.generator(out);
    JsonWriter.write(() -> {
      json.writeStartObject();
      json.writeStringField("$schema", SCHEMA);
      json.writeStringField("version", "2.1.0");
      json.writeArrayFieldStart("runs");
      json.writeStartObject();
      json.writeStringField("columnKind", "utf16CodeUnits");
      json.writeArrayFieldStart("results");
    });
  }

  @Override
  public void found(Diagnostic d) {
    rules.putIfAbsent(d.rule(), d);
    JsonWriter.write(() -> {
      json.writeStartObject();
      json.writeStringField("ruleId", d.rule());
      json.writeStringField("level", level(d.severity()));
      message("message", d.message() + ". " + d.remediation());
      json.writeArrayFieldStart("locations");
      json.writeStartObject();
      location(d.file(), d.place());
      json.writeEndObject();
      json.writeEndArray();
      if (!d.related().isEmpty()) {
        json.writeArrayFieldStart("relatedLocations");
        for (Diagnostic.Related related : d.related()) {
          json.writeStartObject();
          location(related.file(), related.place());
          message("message", related.fact());
          json.writeEndObject();
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    });
  }

  private void location(String file, Place place) {
    JsonWriter.write(() -> {
      json.writeObjectFieldStart("physicalLocation");
      json.writeObjectFieldStart("artifactLocation");
      json.writeStringField("uri", uri(file));
      json.writeEndObject();
      json.writeObjectFieldStart("region");
      json.writeNumberField("startLine", place.line());
      json.writeNumberField("startColumn", place.column());
      json.writeEndObject();
      json.writeEndObject();
    });
  }

  private void message(String field, String text) {
    JsonWriter.write(() -> {
      json.writeObjectFieldStart(field);
      json.writeStringField("text", text);
      json.writeEndObject();
    });
  }

  private static String uri(String file) {
    String path = file.replace('\\', '/');
    try {
      return path.startsWith("/")
          ? new URI("file", "", path, null).toASCIIString()
          // The constructor quotes; "./" keeps a first part with a colon from being a scheme.
          : new URI(null, null, "./" + path, null).toASCIIString().substring(2);
    } catch (URISyntaxException e) {
      return "unnamed";
    }
  }

  private static String level(Severity severity) {
    return switch (severity) {
      case ERROR -> "error";
      case WARNING -> "warning";
      case INFO -> "note";
    };
  }

  @Override
  public void problem(LintProblem problem) {
    problems.add(problem);
  }

  @Override
  public void end(LintSummary summary) {
    JsonWriter.write(() -> {
      json.writeEndArray();
      json.writeArrayFieldStart("invocations");
      json.writeStartObject();
      json.writeBooleanField("executionSuccessful", problems.isEmpty());
      json.writeArrayFieldStart("toolExecutionNotifications");
      for (LintProblem problem : problems) {
        json.writeStartObject();
        json.writeStringField("level", "error");
        message("message", problem.toString());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeEndArray();
      json.writeObjectFieldStart("tool");
      json.writeObjectFieldStart("driver");
      json.writeStringField("name", "pinwise");
      json.writeStringField("version", Pinwise.version());
      json.writeArrayFieldStart("rules");
      for (Diagnostic rule : rules.values()) {
        json.writeStartObject();
        json.writeStringField("id", rule.rule());
        message("help", rule.remediation() + " (" + rule.reference() + ")");
        json.writeObjectFieldStart("defaultConfiguration");
        json.writeStringField("level", level(rule.severity()));
        json.writeEndObject();
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeEndObject();
      json.writeEndObject();
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
      json.flush();
    });
  }
}
