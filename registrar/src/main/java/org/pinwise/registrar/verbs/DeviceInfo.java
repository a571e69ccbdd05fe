package org.pinwise.registrar.verbs;

/**
 * A device as listed, not opened: {@code struct ibv_device}.
 *
 * @param name the kernel's name of the device, such as {@code mlx5_0}
 * @param nodeType what it is on its network
 * @param transportType what carries its messages
 * @param devName the name of its character device, such as {@code uverbs0}
 * @param devPath its sysfs folder of class infiniband_verbs
 * @param ibdevPath its sysfs folder of class infiniband
 */
public record DeviceInfo(
    String name,
    NodeType nodeType,
    TransportType transportType,
    String devName,
    String devPath,
    String ibdevPath) {}
