package org.pinwise.registrar;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One table of all that was measured, for people as Markdown, for programs as JSON; and, beneath
 * it, where the time goes in what missed its target.
 */
final class SpeedTable {
  private static final String SCHEMA = "pinwise-speed/1";

  private final List<Row> rows = new ArrayList<>();
  private final Map<String, String> profiles = new LinkedHashMap<>();
  private final double loadBefore = load();

  void add(Row row) {
    rows.add(row);
  }

  /** Adds all that another has. */
  void addAll(SpeedTable other) {
    rows.addAll(other.rows);
    profiles.putAll(other.profiles);
  }

  /** Returns whether it is known where the time goes in a row. */
  boolean hasProfile(String what) {
    return profiles.containsKey(what);
  }

  /** Adds where the time goes in a row. */
  void profile(String what, String text) {
    profiles.put(what, text);
  }

  List<Row> missed() {
    return rows.stream().filter(row -> Boolean.FALSE.equals(row.met())).toList();
  }

  /** Returns what it was measured on. */
  private static String machine() throws IOException {
    String model =
        Files.readString(Path.of("/proc/cpuinfo"))
            .lines()
            .filter(line -> line.startsWith("model name"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse(System.getProperty("os.arch"));
    return "%d cores of %s, Linux %s, Java %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            model,
            System.getProperty("os.version").replaceAll("[^0-9.].*", ""),
            Runtime.version().toString().replaceAll("\\+.*", ""));
  }

  private static double load() {
    try {
      return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  /** Returns the table, the date and the machine on a line above it, and profiles beneath it. */
  String markdown() throws IOException {
    long aims = rows.stream().filter(row -> row.met() != null).count();
    StringBuilder text = new StringBuilder();
    text.append(
        "%s, %s; load %s before. %d of %d targets met.\n\n"
            .formatted(
                LocalDate.now(ZoneOffset.UTC),
                machine(),
                Row.number(loadBefore),
                aims - missed().size(),
                aims));
    text.append("| what | ours | reference, in the same run | ratio | target | |\n");
    text.append("|---|--:|---|--:|---|---|\n");
    rows.forEach(row -> text.append(line(row)));
    return text.append(profiles()).toString();
  }

  private static String line(Row row) {
    if (!row.measured()) {
      return "| %s | not measured | %s | | | |\n".formatted(row.what(), row.note());
    }
    Double ratio = row.ratio();
    Boolean met = row.met();
    String reference =
        row.reference() == null
            ? ""
            : (Row.number(row.reference()) + " " + row.unit() + " " + row.referenceIs()).strip();
    if (!row.sizes().isEmpty()) {
      reference = "grows as n^" + String.format(Locale.ROOT, "%.2f", row.exponent());
    }
    String note = row.note().isEmpty() ? "" : (reference.isEmpty() ? "" : "; ") + row.note();
    return "| %s | %s %s | %s | %s | %s | %s |\n"
        .formatted(
            row.what(),
            row.ours().stream().map(Row::number).collect(Collectors.joining(" · ")),
            row.unit(),
            reference + note,
            ratio == null ? "" : String.format(Locale.ROOT, "%.2f", ratio),
            row.targetInWords(),
            met == null ? "" : met ? "met" : "**missed**");
  }

  /** Returns, to unfold, where the time goes in what missed; empty where nothing is known. */
  private String profiles() {
    if (profiles.isEmpty()) {
      return "";
    }
    StringBuilder text =
        new StringBuilder("\n<details>\n<summary>Where it goes in what missed</summary>\n");
    profiles.forEach((what, profile) ->
        text.append("\n**%s**\n\n```\n%s\n```\n".formatted(what, profile.strip())));
    return text.append("\n</details>\n").toString();
  }

  void write(Path file) throws IOException {
    try (JsonGenerator json = new JsonFactory().createGenerator(file.toFile(), JsonEncoding.UTF8)) {
      json.setPrettyPrinter(new DefaultPrettyPrinter());
      json.writeStartObject();
      json.writeStringField("schema", SCHEMA);
      json.writeStringField("date", LocalDate.now(ZoneOffset.UTC).toString());
      json.writeStringField("machine", machine());
      json.writeNumberField("loadBefore", loadBefore);
      json.writeArrayFieldStart("rows");
      for (Row row : rows) {
        row.write(json);
      }
      json.writeEndArray();
      json.writeObjectFieldStart("profiles");
      for (Map.Entry<String, String> profile : profiles.entrySet()) {
        json.writeStringField(profile.getKey(), profile.getValue());
      }
      json.writeEndObject();
      json.writeEndObject();
    }
  }
}
