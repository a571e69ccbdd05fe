package org.pinwise.registrar.watch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import org.pinwise.registrar.watch.Tool.UnreadableException;

/**
 * The functions that a shared library exports, with their addresses in it. Of a function that is
 * there in several versions, the default one, which programs of today are linked to: tools that are
 * given the name alone may take the other one, or the stub by which the library calls itself.
 *
 * <p>Formats: {@code include/uapi/linux/elf.h}; for the versions, the Linux Standard Base.
 */
final class ElfSymbols {
  private static final int SHT_STRTAB_LINK = 40; // sh_link in a section header
  private static final int SHT_DYNSYM = 11;
  private static final int SHT_GNU_VERSYM = 0x6fffffff;
  private static final int STT_FUNC = 2;
  private static final int SECTION_HEADER = 64;
  private static final int SYMBOL = 24;

  /** Set in the version of a symbol that is not the default. */
  private static final int HIDDEN = 0x8000;

  private static final long MAX_BYTES = 256L << 20;

  private ElfSymbols() {}

  /**
   * Reads them.
   *
   * @return addresses by name
   * @throws UnreadableException if it is no 64-bit little-endian library; says why
   */
  static Map<String, Long> read(Path library) throws UnreadableException {
    try (FileChannel channel = FileChannel.open(library, StandardOpenOption.READ)) {
      if (channel.size() > MAX_BYTES) {
        throw new UnreadableException(
            "%s has %d bytes, too many for a library".formatted(library, channel.size()));
      }
      ByteBuffer file = ByteBuffer.allocate((int) channel.size()).order(ByteOrder.LITTLE_ENDIAN);
      int read = 0;
      while (file.hasRemaining() && read >= 0) {
        read = channel.read(file);
      }
      file.flip();
      return read(file);
    } catch (IOException
        | IndexOutOfBoundsException
        | ArithmeticException
        | IllegalArgumentException e) {
      throw new UnreadableException(
          "%s cannot be read as a 64-bit little-endian ELF file: %s"
              .formatted(library, e.getMessage()));
    }
  }

  private static Map<String, Long> read(ByteBuffer file) {
    if (file.getInt(0) != 0x464c457f || file.get(4) != 2 || file.get(5) != 1) {
      throw new IllegalArgumentException("it does not begin as one");
    }
    long sections = file.getLong(40);
    int count = Short.toUnsignedInt(file.getShort(60));
    int symbols = -1;
    int versions = -1;
    for (int i = 0; i < count; i++) {
      int header = Math.toIntExact(sections + (long) i * SECTION_HEADER);
      int type = file.getInt(header + 4);
      symbols = type == SHT_DYNSYM ? header : symbols;
      versions = type == SHT_GNU_VERSYM ? header : versions;
    }
    if (symbols < 0) {
      throw new IllegalArgumentException("it has no dynamic symbols");
    }
    int strings =
        Math.toIntExact(sections + (long) file.getInt(symbols + SHT_STRTAB_LINK) * SECTION_HEADER);
    int names = Math.toIntExact(file.getLong(strings + 24));
    int first = Math.toIntExact(file.getLong(symbols + 24));
    int total = Math.toIntExact(file.getLong(symbols + 32) / SYMBOL);
    int marks = versions < 0 ? -1 : Math.toIntExact(file.getLong(versions + 24));
    Map<String, Long> found = new TreeMap<>();
    for (int i = 0; i < total; i++) {
      int symbol = first + i * SYMBOL;
      boolean function = (file.get(symbol + 4) & 15) == STT_FUNC;
      boolean defined = file.getShort(symbol + 6) != 0;
      boolean hidden = marks >= 0 && (file.getShort(marks + 2 * i) & HIDDEN) != 0;
      if (function && defined && !hidden) {
        found.put(name(file, names + file.getInt(symbol)), file.getLong(symbol + 8));
      }
    }
    return found;
  }

  private static String name(ByteBuffer file, int start) {
    int end = start;
    while (file.get(end) != 0) {
      end++;
    }
    byte[] bytes = new byte[end - start];
    file.get(start, bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
