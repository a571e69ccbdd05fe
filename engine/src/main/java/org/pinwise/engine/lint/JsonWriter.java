package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.pinwise.engine.json.JsonStream;
import org.pinwise.rules.spi.Severity;

/** Writes findings as JSON of the schema {@code pinwise-lint/1}. */
final class JsonWriter implements LintWriter {
  private final JsonStream json;
  private final List<LintProblem> problems = new ArrayList<>();

  JsonWriter(Appendable out) {
    this.json = new JsonStream(out);
    json.beginObject();
    json.text("schema", "pinwise-lint/1");
    json.beginArray("findings");
  }

  @Override
  public void found(Diagnostic d) {
    json.beginObject();
    json.text("file", d.file());
    json.number("line", d.place().line());
    json.number("column", d.place().column());
    json.text("rule", d.rule());
    json.text("severity", Output.lower(d.severity()));
    if (d.origin() != null) {
      json.text("origin", Output.lower(d.origin()));
    }
    json.text("message", d.message());
    json.text("remediation", d.remediation());
    json.text("reference", d.reference());
    json.beginArray("related");
    for (Diagnostic.Related related : d.related()) {
      json.beginObject();
      json.text("file", related.file());
      json.number("line", related.place().line());
      json.number("column", related.place().column());
      json.text("fact", related.fact());
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }

  @Override
  public void problem(LintProblem problem) {
    problems.add(problem);
  }

  @Override
  public void end(LintSummary summary) {
    json.endArray();
    json.beginArray("problems");
    for (LintProblem problem : problems) {
      json.beginObject();
      json.text("place", problem.place());
      json.text("message", problem.message());
      json.endObject();
    }
    json.endArray();
    json.beginObject("summary");
    json.number("files", summary.files());
    json.number("statements", summary.statements());
    for (Severity severity : Severity.values()) {
      json.number(Output.lower(severity) + "s", summary.findings().getOrDefault(severity, 0L));
    }
    json.number("problems", summary.problems());
    json.number("suppressed", summary.suppressed());
    json.number("undecided", summary.undecided());
    json.number("otherFiles", summary.other());
    json.beginObject("skipped");
    for (Map.Entry<String, Long> one :
        summary.skipped().entrySet().stream()
            .sorted(Comparator.comparing(Map.Entry::getKey))
            .toList()) {
      json.number(one.getKey(), one.getValue());
    }
    json.endObject();
    json.endObject();
    json.endObject();
    json.end();
  }
}
