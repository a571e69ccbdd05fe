package org.pinwise.registrar.verbs;

import java.util.List;

/**
 * The devices that the library can open now.
 *
 * @param devices in the library's order; empty if the kernel has RDMA support and no device
 */
public record DeviceList(List<DeviceInfo> devices) implements Result<DeviceList> {

  /** Copies the list. */
  public DeviceList {
    devices = List.copyOf(devices);
  }
}
