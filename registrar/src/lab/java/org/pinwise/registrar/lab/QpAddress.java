package org.pinwise.registrar.lab;

import java.util.HexFormat;

/**
 * What one end of an RC connection tells the other: queue pair number, first packet number, GID (16
 * bytes as hexadecimal digits).
 */
record QpAddress(int queuePair, int packet, String gid) {

  /** Reads the three words of {@link #toString()}. */
  static QpAddress parse(String text) {
    String[] words = text.split(" ");
    if (words.length != 3 || words[2].length() != 32) {
      throw new IllegalArgumentException("not \"QPN PSN GID\": " + text);
    }
    return new QpAddress(
        Integer.parseUnsignedInt(words[0]), Integer.parseUnsignedInt(words[1]), words[2]);
  }

  byte[] gidBytes() {
    return HexFormat.of().parseHex(gid);
  }

  @Override
  public String toString() {
    return Integer.toUnsignedString(queuePair) + " " + Integer.toUnsignedString(packet) + " " + gid;
  }
}
