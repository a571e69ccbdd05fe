package org.pinwise.registrar;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A line of the table of speeds. A program that measures prints it to standard output, as a JSON
 * object on a line of its own ({@link #print}); {@link Bench} reads it there. Immutable.
 *
 * @param what what was measured
 * @param unit the unit of ours and of the reference
 * @param ours the value; one for each of the sizes; none where it was not measured
 * @param sizes how much of something there was for each value, where growth was measured
 * @param reference what was measured beside it in the same run; null where there is nothing
 * @param referenceIs what that is, in words
 * @param bound what the target is about
 * @param limit the target's number
 * @param note why it was not measured, or what else is to be said
 */
public record Row(
    String what,
    String unit,
    List<Double> ours,
    List<Double> sizes,
    @Nullable Double reference,
    String referenceIs,
    Bound bound,
    double limit,
    String note) {

  /** What a target is about. */
  public enum Bound {
    /** Nothing was aimed at. */
    NONE(""),
    /** At most so much. */
    AT_MOST("atMost"),
    /** At least so much. */
    AT_LEAST("atLeast"),
    /** At most so many times the reference. */
    AT_MOST_TIMES("atMostTimes"),
    /** At least so many times the reference. */
    AT_LEAST_TIMES("atLeastTimes"),
    /** At most so much more than the reference. */
    AT_MOST_MORE("atMostMore");

    private final String key;

    Bound(String key) {
      this.key = key;
    }

    private static Bound of(String key) {
      for (Bound bound : values()) {
        if (bound.key.equals(key) && bound != NONE) {
          return bound;
        }
      }
      throw new IllegalArgumentException("no such key of a row: " + key);
    }
  }

  /** Keeps immutable copies. */
  public Row {
    ours = List.copyOf(ours);
    sizes = List.copyOf(sizes);
  }

  /** Makes a row of something that was measured. */
  public static Row of(String what, double ours, String unit) {
    return new Row(what, unit, List.of(ours), List.of(), null, "", Bound.NONE, 0, "");
  }

  /** Makes a row of something that was measured for several sizes. */
  public static Row growth(String what, List<Double> sizes, List<Double> ours, String unit) {
    return new Row(what, unit, ours, sizes, null, "", Bound.NONE, 0, "");
  }

  /** Makes a row of something that could not be measured. */
  public static Row notMeasured(String what, String why) {
    return new Row(what, "", List.of(), List.of(), null, "", Bound.NONE, 0, why);
  }

  /** Returns the row with what it is compared with. */
  public Row beside(double other, String is) {
    return new Row(what, unit, ours, sizes, other, is, bound, limit, note);
  }

  /** Returns the row with a target. */
  public Row target(Bound about, double number) {
    return new Row(what, unit, ours, sizes, reference, referenceIs, about, number, note);
  }

  /** Returns the row with a word more. */
  public Row note(String text) {
    return new Row(what, unit, ours, sizes, reference, referenceIs, bound, limit, text);
  }

  /** Returns whether it was measured. */
  public boolean measured() {
    return !ours.isEmpty();
  }

  /** Returns ours through the reference; null where there is none. */
  public @Nullable Double ratio() {
    return reference == null ? null : (Double) (ours.get(0) / reference);
  }

  /** Returns whether the target was reached; null where nothing was aimed at, or not measured. */
  public @Nullable Boolean met() {
    if (bound == Bound.NONE || !measured()) {
      return null;
    }
    double value = ours.get(0);
    double other = reference == null ? Double.NaN : reference;
    return switch (bound) {
      case AT_MOST -> value <= limit;
      case AT_LEAST -> value >= limit;
      case AT_MOST_TIMES -> value <= limit * other;
      case AT_LEAST_TIMES -> value >= limit * other;
      case AT_MOST_MORE -> value <= limit + other;
      case NONE -> throw new IllegalStateException();
    };
  }

  /**
   * Returns the exponent that fits the values best as a power of the sizes: 1 is linear, 0 is no
   * growth.
   */
  public double exponent() {
    double meanX = sizes.stream().mapToDouble(Math::log).average().orElse(0);
    double meanY = ours.stream().mapToDouble(Math::log).average().orElse(0);
    double both = 0;
    double square = 0;
    for (int i = 0; i < sizes.size(); i++) {
      double along = Math.log(sizes.get(i)) - meanX;
      both += along * (Math.log(ours.get(i)) - meanY);
      square += along * along;
    }
    return both / square;
  }

  /** Returns the target in words. */
  public String targetInWords() {
    return switch (bound) {
      case NONE -> "";
      case AT_MOST -> "at most " + number(limit) + " " + unit;
      case AT_LEAST -> "at least " + number(limit) + " " + unit;
      case AT_MOST_TIMES -> "at most " + number(limit) + " x";
      case AT_LEAST_TIMES -> "at least " + number(limit) + " x";
      case AT_MOST_MORE -> "at most " + number(limit) + " " + unit + " more";
    };
  }

  /** Three digits are more than a benchmark is good for. */
  public static String number(double value) {
    double size = Math.abs(value);
    String format =
        size >= 100 || value == Math.rint(value) ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }

  /** Prints it for {@link Bench}. */
  public void print() {
    System.out.println(json());
  }

  /**
   * Prints it and, where it missed its target, a profile of it, which is made only then.
   *
   * @param profile says where the time or the memory goes, in a few lines for people
   */
  public void print(Supplier<String> profile) {
    print();
    if (Boolean.FALSE.equals(met())) {
      new Profile(what, profile.get()).print();
    }
  }

  /**
   * What a program says of a row that missed its target; on a line of its own, as the row is.
   *
   * @param row what was measured
   * @param text where the time or the memory goes, in lines
   */
  record Profile(String row, String text) {
    private static final String KEY = "profile";

    /** Returns whether a printed line is a profile. */
    static boolean isOn(String line) {
      return line.startsWith("{\"" + KEY + "\":");
    }

    private void print() {
      System.out.println(
          object(json -> {
            json.writeStringField(KEY, row);
            json.writeStringField("text", text);
          }));
    }

    /**
     * Reads a profile that was printed.
     *
     * @throws IOException if it is no JSON
     */
    static Profile parse(String line) throws IOException {
      try (JsonParser json = new JsonFactory().createParser(line)) {
        json.nextToken();
        json.nextToken();
        String row = json.nextTextValue();
        json.nextToken();
        return new Profile(row, json.nextTextValue());
      }
    }
  }

  /** Writes what stands in an object. */
  @FunctionalInterface
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private String json() {
    return object(this::fields);
  }

  private static String object(Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Writes it as an object: what was said, and what follows of it. */
  void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    fields(json);
    json.writeEndObject();
  }

  private void fields(JsonGenerator json) throws IOException {
    json.writeStringField("row", what);
    if (!measured()) {
      json.writeStringField("notMeasured", note);
      return;
    }
    if (sizes.isEmpty()) {
      json.writeNumberField("ours", ours.get(0));
    } else {
      array(json, "sizes", sizes);
      array(json, "series", ours);
      json.writeNumberField("exponent", exponent());
    }
    json.writeStringField("unit", unit);
    if (reference != null) {
      json.writeNumberField("reference", reference);
      json.writeStringField("referenceIs", referenceIs);
      json.writeNumberField("ratio", ours.get(0) / reference);
    }
    if (bound != Bound.NONE) {
      json.writeNumberField(bound.key, limit);
    }
    Boolean met = met();
    if (met != null) {
      json.writeBooleanField("met", met);
    }
    if (!note.isEmpty()) {
      json.writeStringField("note", note);
    }
  }

  private static void array(JsonGenerator json, String name, List<Double> values)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (double value : values) {
      json.writeNumber(value);
    }
    json.writeEndArray();
  }

  /**
   * Reads a row that was printed.
   *
   * @throws IOException if it is no JSON
   * @throws IllegalArgumentException if it is no row
   */
  static Row parse(String line) throws IOException {
    try (JsonParser json = new JsonFactory().createParser(line)) {
      json.nextToken();
      return read(json);
    }
  }

  /** Reads a row whose object has begun. */
  static Row read(JsonParser json) throws IOException {
    Row row = new Row("", "", List.of(), List.of(), null, "", Bound.NONE, 0, "");
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = json.currentName();
      json.nextToken();
      row = row.with(key, json);
    }
    if (row.what.isEmpty() || (!row.measured() && row.note.isEmpty())) {
      throw new IllegalArgumentException("a row without a name, or without a value: " + row);
    }
    return row;
  }

  private Row with(String key, JsonParser json) throws IOException {
    return switch (key) {
      case "row" ->
          new Row(json.getText(), unit, ours, sizes, reference, referenceIs, bound, limit, note);
      case "unit" ->
          new Row(what, json.getText(), ours, sizes, reference, referenceIs, bound, limit, note);
      case "ours" ->
          new Row(
              what,
              unit,
              List.of(json.getDoubleValue()),
              sizes,
              reference,
              referenceIs,
              bound,
              limit,
              note);
      case "series" ->
          new Row(what, unit, numbers(json), sizes, reference, referenceIs, bound, limit, note);
      case "sizes" ->
          new Row(what, unit, ours, numbers(json), reference, referenceIs, bound, limit, note);
      case "reference" -> beside(json.getDoubleValue(), referenceIs);
      case "referenceIs" ->
          new Row(what, unit, ours, sizes, reference, json.getText(), bound, limit, note);
      case "note", "notMeasured" -> note(json.getText());
      case "ratio", "met", "exponent" -> this; // follow of the rest
      default -> target(Bound.of(key), json.getDoubleValue());
    };
  }

  private static List<Double> numbers(JsonParser json) throws IOException {
    List<Double> numbers = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      numbers.add(json.getDoubleValue());
    }
    return numbers;
  }
}
