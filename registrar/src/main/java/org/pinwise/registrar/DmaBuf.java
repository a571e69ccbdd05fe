package org.pinwise.registrar;

/**
 * A part of a dma-buf: memory that another device, such as a GPU, exports as a file descriptor.
 *
 * <p>The kernel takes the buffer behind the descriptor, so this may be closed once the part is
 * registered. Nobody in this process keeps the memory itself: that is for who exported it.
 *
 * @param fd the file descriptor of the dma-buf
 * @param offset where the part starts in the buffer, in bytes
 * @param length how long it is, in bytes
 */
public record DmaBuf(int fd, long offset, long length) {

  /** Checks what no kernel needs to be asked for. */
  public DmaBuf {
    if (fd < 0 || offset < 0 || length < 0) {
      throw new IllegalArgumentException(
          "descriptor %d, offset %d, length %d: none may be negative\nMaybe the export failed."
              .formatted(fd, offset, length));
    }
  }
}
