package org.pinwise.registrar.watch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.registrar.watch.Tool.UnreadableException;

/**
 * What a process has pinned and may lock.
 *
 * @param pinnedBytes what all of its regions pin, each for itself: {@code VmPin}
 * @param memlockBytes the soft limit of locked memory; {@link Long#MAX_VALUE} for unlimited
 * @param unbound whether it has CAP_IPC_LOCK, so that the limit does not bind
 */
public record ProcessLimits(long pinnedBytes, long memlockBytes, boolean unbound) {
  private static final Pattern PINNED = Pattern.compile("(?m)^VmPin:\\s+(\\d{1,15}) kB$");
  private static final Pattern CAPABILITIES = Pattern.compile("(?m)^CapEff:\\s+([0-9a-f]{16})$");
  private static final Pattern MEMLOCK = Pattern.compile("Max locked memory\\s+(\\w{1,19})\\s");

  /** {@code CAP_IPC_LOCK}, {@code include/uapi/linux/capability.h}. */
  private static final int CAP_IPC_LOCK = 14;

  /**
   * Reads them.
   *
   * @param process the folder in {@code /proc}
   * @throws UnreadableException if the kernel does not tell; says why
   */
  static ProcessLimits read(Path process) throws UnreadableException {
    try {
      String status = Files.readString(process.resolve("status"), StandardCharsets.ISO_8859_1);
      String limits = Files.readString(process.resolve("limits"), StandardCharsets.ISO_8859_1);
      String memlock = find(MEMLOCK, limits, process.resolve("limits"), "Max locked memory");
      long capabilities =
          Long.parseUnsignedLong(
              find(CAPABILITIES, status, process.resolve("status"), "CapEff"), 16);
      return new ProcessLimits(
          Long.parseLong(find(PINNED, status, process.resolve("status"), "VmPin")) << 10,
          memlock.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(memlock),
          (capabilities & (1L << CAP_IPC_LOCK)) != 0);
    } catch (IOException | NumberFormatException e) {
      throw new UnreadableException("%s cannot be read: %s".formatted(process, e.getMessage()));
    }
  }

  private static String find(Pattern pattern, String text, Path file, String name)
      throws UnreadableException {
    Matcher matcher = pattern.matcher(text);
    if (matcher.find()) {
      return matcher.group(1);
    }
    throw new UnreadableException("%s has no %s".formatted(file, name));
  }
}
