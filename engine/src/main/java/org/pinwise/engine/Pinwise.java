package org.pinwise.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** This version of Pinwise. */
public final class Pinwise {
  private static final String FILE = "pinwise.properties";

  private Pinwise() {}

  /** Returns the version, such as {@code 0.1.0}. */
  public static String version() {
    try (InputStream in = Pinwise.class.getResourceAsStream(FILE)) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty("version", "0");
    } catch (IOException e) {
      throw new UncheckedIOException(FILE + " in Pinwise's own jar cannot be read", e);
    }
  }
}
