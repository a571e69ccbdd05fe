package org.pinwise.registrar.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.rules.model.Memory;

/**
 * Memory that a {@link BufferArena} has made, and what it is.
 *
 * @param segment the memory, as long as was asked for; lives as long as its arena
 * @param pages what it is made of: the first of the choices that could be had
 * @param mappedBytes what is mapped for it: whole pages
 * @param memory the facts of it, for {@code Registration.memory}
 * @param fileDescriptor that of the memfd behind it, which the arena closes; empty for other pages
 * @param passedOver why choices that were declared before {@code pages} could not be had, in their
 *     order; empty where the first could
 */
public record Buffer(
    MemorySegment segment,
    Pages pages,
    long mappedBytes,
    Memory memory,
    OptionalInt fileDescriptor,
    List<BufferException> passedOver) {

  private static final Pattern MAPPING = Pattern.compile("([0-9a-f]{1,16})-([0-9a-f]{1,16}) .*");
  private static final Pattern HUGE = Pattern.compile("AnonHugePages:\\s+(\\d{1,12}) kB");

  /** Makes the value. */
  public Buffer {
    passedOver = List.copyOf(passedOver);
  }

  /**
   * How many bytes of the mappings that this buffer touches are transparent huge pages now, as
   * {@code /proc/self/smaps} says; the kernel joins mappings of the same kind that touch each
   * other, and then counts those of its neighbours, too. Takes milliseconds in a large process.
   *
   * @return empty where the kernel does not say
   */
  public OptionalLong transparentHugeBytes() {
    long from = segment.address();
    long end = from + mappedBytes;
    long bytes = 0;
    boolean found = false;
    boolean inside = false;
    try (BufferedReader lines =
        Files.newBufferedReader(Path.of("/proc/self/smaps"), StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher mapping = MAPPING.matcher(line);
        if (mapping.matches()) {
          inside =
              Long.compareUnsigned(Long.parseUnsignedLong(mapping.group(1), 16), end) < 0
                  && Long.compareUnsigned(Long.parseUnsignedLong(mapping.group(2), 16), from) > 0;
          continue;
        }
        Matcher huge = inside ? HUGE.matcher(line) : null;
        if (huge != null && huge.matches()) {
          bytes += Long.parseLong(huge.group(1)) << 10;
          found = true;
        }
      }
    } catch (IOException e) {
      return OptionalLong.empty();
    }
    return found ? OptionalLong.of(bytes) : OptionalLong.empty();
  }
}
