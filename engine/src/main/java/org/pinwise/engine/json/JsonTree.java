package org.pinwise.engine.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes maps, collections, texts, truth values and nothing as JSON. Numbers are texts of their
 * digits, because a reader's numbers may be doubles, in which 64 bits do not survive; an {@link
 * Integer} is a number. The text is ASCII.
 */
public final class JsonTree {
  static final JsonFactory FACTORY =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private JsonTree() {}

  /** A text that is JSON already. */
  public record Raw(String json) {}

  /** Returns a value on many lines, indented, without a line break at its end. */
  public static String indented(@Nullable Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.setPrettyPrinter(printer());
      write(json, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  static DefaultPrettyPrinter printer() {
    return new DefaultPrettyPrinter(
            Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator(""))
        .withObjectIndenter(new DefaultIndenter("  ", "\n"));
  }

  private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Raw raw) {
      json.writeRawValue(raw.json());
    } else if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName(String.valueOf(entry.getKey()));
        write(json, entry.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof Collection<?> items) {
      json.writeStartArray();
      for (Object item : items) {
        write(json, item);
      }
      json.writeEndArray();
    } else if (value instanceof Boolean truth) {
      json.writeBoolean(truth);
    } else if (value instanceof Integer number) {
      json.writeNumber(number);
    } else {
      json.writeString(value.toString());
    }
  }

  /**
   * Returns a JSON Schema (2020-12) that comes with the engine.
   *
   * @param name such as {@code pinwise-doctor-1}
   */
  public static String schema(String name) {
    String file = "/org/pinwise/engine/" + name + ".schema.json";
    try (InputStream in = JsonTree.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the engine's jar holds no " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
