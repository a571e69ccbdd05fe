package org.pinwise.engine.facts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The configuration space of a PCI function, as far as this user may read it: without privilege,
 * Linux gives the first 64 bytes only, which hold no capability.
 *
 * <p>Offsets: {@code include/uapi/linux/pci_regs.h}.
 */
final class PciFunction {
  private static final int STATUS = 0x06;
  private static final int STATUS_CAP_LIST = 0x10;
  private static final int CAPABILITY_LIST = 0x34;
  private static final int CAP_ID_EXP = 0x10;
  private static final int EXP_DEVCTL = 8;
  private static final int EXP_DEVCTL_RELAX_EN = 0x0010;
  private static final int HEADER = 64;

  /** No list of capabilities has more: 192 bytes of 4 each. */
  private static final int MAX_CAPABILITIES = 48;

  private final ByteBuffer config;

  private PciFunction(byte[] config) {
    this.config = ByteBuffer.wrap(config).order(ByteOrder.LITTLE_ENDIAN);
  }

  static PciFunction read(SystemFiles files, String directory) throws IOException {
    return new PciFunction(files.bytes(directory + "/config"));
  }

  /** Returns "Enable Relaxed Ordering": bit 4 of Device Control in the PCI Express capability. */
  boolean relaxedOrderingEnabled() throws UnknownException {
    if (config.limit() < HEADER) {
      throw new UnknownException("the PCI configuration has %d bytes".formatted(config.limit()));
    }
    if ((config.getShort(STATUS) & STATUS_CAP_LIST) == 0) {
      throw new UnknownException("the PCI function has no capabilities");
    }
    int at = config.get(CAPABILITY_LIST) & 0xfc;
    for (int i = 0; i < MAX_CAPABILITIES && at >= HEADER; i++) {
      if (at + EXP_DEVCTL + 2 > config.limit()) {
        throw new UnknownException(
            "this user may read %d bytes of the PCI configuration only; root reads all"
                .formatted(config.limit()));
      }
      if ((config.get(at) & 0xff) == CAP_ID_EXP) {
        return (config.getShort(at + EXP_DEVCTL) & EXP_DEVCTL_RELAX_EN) != 0;
      }
      at = config.get(at + 1) & 0xfc;
    }
    throw new UnknownException("the PCI function has no PCI Express capability");
  }
}
