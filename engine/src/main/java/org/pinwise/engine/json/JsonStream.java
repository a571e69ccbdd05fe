package org.pinwise.engine.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;

/**
 * Writes JSON piece by piece, indented and in ASCII, for texts that grow with what is read. Methods
 * throw UncheckedIOException where that fails. Not thread-safe.
 */
public final class JsonStream {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final JsonGenerator json;

  /** Makes a stream that writes to where {@code out} does. */
  public JsonStream(Appendable out) {
    try {
      this.json = FACTORY.createGenerator(new AppendableWriter(out)).useDefaultPrettyPrinter();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Something that writes JSON. */
  private interface Writing {
    void write() throws IOException;
  }

  private static void write(Writing writing) {
    try {
      writing.write();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts an object that is the text or an item of an array. */
  public void beginObject() {
    write(json::writeStartObject);
  }

  /** Starts an object that is a field. */
  public void beginObject(String name) {
    write(() -> json.writeObjectFieldStart(name));
  }

  /** Ends an object. */
  public void endObject() {
    write(json::writeEndObject);
  }

  /** Starts an array that is a field. */
  public void beginArray(String name) {
    write(() -> json.writeArrayFieldStart(name));
  }

  /** Ends an array. */
  public void endArray() {
    write(json::writeEndArray);
  }

  /** Writes a field that holds text. */
  public void text(String name, String value) {
    write(() -> json.writeStringField(name, value));
  }

  /** Writes a field that holds a number. */
  public void number(String name, long value) {
    write(() -> json.writeNumberField(name, value));
  }

  /** Writes a field that is true or false. */
  public void flag(String name, boolean value) {
    write(() -> json.writeBooleanField(name, value));
  }

  /** Ends the text with its last line; to be called once, last. */
  public void end() {
    write(() -> {
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
