package org.pinwise.engine.lint;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pinwise.engine.Pinwise;
import org.pinwise.engine.json.JsonStream;
import org.pinwise.rules.spi.Severity;

/**
 * Writes findings as SARIF 2.1.0. Results are written as they are heard; what must list rules and
 * problems comes after them, which JSON allows.
 */
final class SarifWriter implements LintWriter {
  private static final String SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

  private final JsonStream json;
  private final Map<String, Diagnostic> rules = new TreeMap<>();
  private final List<LintProblem> problems = new ArrayList<>();

  SarifWriter(Appendable out) {
    this.json = new JsonStream(out);
    json.beginObject();
    json.text("$schema", SCHEMA);
    json.text("version", "2.1.0");
    json.beginArray("runs");
    json.beginObject();
    json.text("columnKind", "utf16CodeUnits");
    json.beginArray("results");
  }

  @Override
  public void found(Diagnostic d) {
    rules.putIfAbsent(d.rule(), d);
    json.beginObject();
    json.text("ruleId", d.rule());
    json.text("level", level(d.severity()));
    message("message", d.message() + ". " + d.remediation());
    json.beginArray("locations");
    json.beginObject();
    location(d.file(), d.place());
    json.endObject();
    json.endArray();
    if (!d.related().isEmpty()) {
      json.beginArray("relatedLocations");
      for (Diagnostic.Related related : d.related()) {
        json.beginObject();
        location(related.file(), related.place());
        message("message", related.fact());
        json.endObject();
      }
      json.endArray();
    }
    json.endObject();
  }

  private void location(String file, Place place) {
    json.beginObject("physicalLocation");
    json.beginObject("artifactLocation");
    json.text("uri", uri(file));
    json.endObject();
    json.beginObject("region");
    json.number("startLine", place.line());
    json.number("startColumn", place.column());
    json.endObject();
    json.endObject();
  }

  /** Braces are placeholders where they are not doubled; SARIF 2.1.0, 3.11.5. */
  private void message(String field, String text) {
    json.beginObject(field);
    json.text("text", text.replace("{", "{{").replace("}", "}}"));
    json.endObject();
  }

  private static String uri(String file) {
    String path = file.replace('\\', '/');
    try {
      return path.startsWith("/")
          ? new URI("file", "", path, null).toASCIIString()
          // The constructor quotes; a colon of the first part would make it a scheme.
          : new URI(null, null, "./" + path, null).toASCIIString().substring(2).replace(":", "%3A");
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
    json.endArray();
    json.beginArray("invocations");
    json.beginObject();
    json.flag("executionSuccessful", problems.isEmpty());
    json.beginArray("toolExecutionNotifications");
    for (LintProblem problem : problems) {
      json.beginObject();
      json.text("level", "error");
      message("message", problem.toString());
      json.endObject();
    }
    json.endArray();
    json.endObject();
    json.endArray();
    json.beginObject("tool");
    json.beginObject("driver");
    json.text("name", "pinwise");
    json.text("version", Pinwise.version());
    json.beginArray("rules");
    for (Diagnostic rule : rules.values()) {
      json.beginObject();
      json.text("id", rule.rule());
      message("help", rule.remediation() + " (" + rule.reference() + ")");
      json.beginObject("defaultConfiguration");
      json.text("level", level(rule.severity()));
      json.endObject();
      if (rule.origin() != null) {
        json.beginObject("properties");
        json.text("origin", Output.lower(rule.origin()));
        json.endObject();
      }
      json.endObject();
    }
    json.endArray();
    json.endObject();
    json.endObject();
    json.endObject();
    json.endArray();
    json.endObject();
    json.end();
  }
}
