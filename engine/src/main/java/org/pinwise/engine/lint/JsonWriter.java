package org.pinwise.engine.lint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.pinwise.rules.spi.Severity;

/** Writes findings as JSON of the schema {@code pinwise-lint/1}. */
final class JsonWriter implements LintWriter {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final JsonGenerator json;
  private final List<LintProblem> problems = new ArrayList<>();

  JsonWriter(Appendable out) {
    this.json = generator(out);
    write(() -> {
      json.writeStartObject();
      json.writeStringField("schema", "pinwise-lint/1");
      json.writeArrayFieldStart("findings");
    });
  }

  /** Something that writes JSON. */
  interface Writing {
    void write() throws IOException;
  }

  static void write(Writing writing) {
    try {
      writing.write();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonGenerator generator(Appendable out) {
    try {
      return FACTORY.createGenerator(new AppendableWriter(out)).useDefaultPrettyPrinter();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void found(Diagnostic d) {
    write(() -> {
      json.writeStartObject();
      json.writeStringField("file", d.file());
      json.writeNumberField("line", d.place().line());
      json.writeNumberField("column", d.place().column());
      json.writeStringField("rule", d.rule());
      json.writeStringField("severity", Output.lower(d.severity()));
      json.writeStringField("message", d.message());
      json.writeStringField("remediation", d.remediation());
      json.writeStringField("reference", d.reference());
      json.writeArrayFieldStart("related");
      for (Diagnostic.Related related : d.related()) {
        json.writeStartObject();
        json.writeStringField("file", related.file());
        json.writeNumberField("line", related.place().line());
        json.writeNumberField("column", related.place().column());
        json.writeStringField("fact", related.fact());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    });
  }

  @Override
  public void problem(LintProblem problem) {
    problems.add(problem);
  }

  @Override
  public void end(LintSummary summary) {
    write(() -> {
      json.writeEndArray();
      json.writeArrayFieldStart("problems");
      for (LintProblem problem : problems) {
        json.writeStartObject();
        json.writeStringField("place", problem.place());
        json.writeStringField("message", problem.message());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeObjectFieldStart("summary");
      json.writeNumberField("files", summary.files());
      json.writeNumberField("statements", summary.statements());
      for (Severity severity : Severity.values()) {
        json.writeNumberField(
            Output.lower(severity) + "s", summary.findings().getOrDefault(severity, 0L));
      }
      json.writeNumberField("problems", summary.problems());
      json.writeNumberField("suppressed", summary.suppressed());
      json.writeNumberField("undecided", summary.undecided());
      json.writeNumberField("otherFiles", summary.other());
      json.writeObjectFieldStart("skipped");
      for (Map.Entry<String, Long> one :
          summary.skipped().entrySet().stream()
              .sorted(Comparator.comparing(Map.Entry::getKey))
              .toList()) {
        json.writeNumberField(one.getKey(), one.getValue());
      }
      json.writeEndObject();
      json.writeEndObject();
      json.writeEndObject();
      json.writeRaw('\n');
      json.flush();
    });
  }

  /** Gives an Appendable to what wants a Writer. */
  private static final class AppendableWriter extends Writer {
    private final Appendable out;

    AppendableWriter(Appendable out) {
      this.out = out;
    }

    @Override
    public void write(char[] chars, int offset, int length) throws IOException {
      out.append(new String(chars, offset, length));
    }

    @Override
    public void flush() {
      // what is behind the Appendable is its owner's
    }

    @Override
    public void close() {
      // what is behind the Appendable is its owner's
    }
  }
}
