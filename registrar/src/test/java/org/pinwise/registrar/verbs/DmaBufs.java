package org.pinwise.registrar.verbs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Simulated devices for which some descriptors are dma-bufs, whatever they are in this process. */
public final class DmaBufs {

  private DmaBufs() {}

  /**
   * A simulated machine whose descriptors are described in a folder, as in /proc/self/fdinfo.
   *
   * @param descriptors an empty folder
   * @param fd the descriptor that is a dma-buf; the next one is open and is none
   * @param size the size of the dma-buf
   */
  public static Verbs simulated(SimulatedDevice device, Path descriptors, int fd, long size) {
    try {
      Files.writeString(
          descriptors.resolve(Integer.toString(fd)),
          """
          pos:\t0
          flags:\t02
          mnt_id:\t15
          ino:\t1025
          size:\t%d
          count:\t1
          exp_name:\tudmabuf
          """
              .formatted(size));
      Files.writeString(
          descriptors.resolve(Integer.toString(fd + 1)),
          "pos:\t0\nflags:\t0100002\nmnt_id:\t22\nino:\t7\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new SimulatedVerbs(device, descriptors);
  }
}
