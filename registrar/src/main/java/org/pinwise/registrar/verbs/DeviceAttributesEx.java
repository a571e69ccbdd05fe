package org.pinwise.registrar.verbs;

/**
 * The extended attributes of a device: {@code struct ibv_device_attr_ex}, ibv_query_device_ex(3).
 *
 * <p>Values are raw, as in {@link DeviceAttributes}. A field that the library or the kernel does
 * not know is 0, which for a capability means "not there".
 *
 * @param attributes {@code orig_attr}
 * @param odpGeneralCaps {@code odp_caps.general_caps}: 1 on-demand paging, 2 implicit too
 * @param rcOdpCaps {@code odp_caps.per_transport_caps.rc_odp_caps}: bits of {@code enum
 *     ibv_odp_transport_cap_bits}
 * @param ucOdpCaps {@code odp_caps.per_transport_caps.uc_odp_caps}
 * @param udOdpCaps {@code odp_caps.per_transport_caps.ud_odp_caps}
 * @param xrcOdpCaps {@code xrc_odp_caps}
 * @param deviceCapFlagsEx {@code device_cap_flags_ex}: 64 bits, the lower half as {@code
 *     device_cap_flags}
 * @param maxDmSize {@code max_dm_size}, unsigned: bytes of on-device memory
 * @param pciAtomicFetchAdd {@code pci_atomic_caps.fetch_add}: operand sizes, 4, 8 and 16
 * @param pciAtomicSwap {@code pci_atomic_caps.swap}
 * @param pciAtomicCompareSwap {@code pci_atomic_caps.compare_swap}
 * @param physPortCntEx {@code phys_port_cnt_ex}, unsigned: the port count where it may exceed 255
 */
public record DeviceAttributesEx(
    DeviceAttributes attributes,
    long odpGeneralCaps,
    int rcOdpCaps,
    int ucOdpCaps,
    int udOdpCaps,
    int xrcOdpCaps,
    long deviceCapFlagsEx,
    long maxDmSize,
    int pciAtomicFetchAdd,
    int pciAtomicSwap,
    int pciAtomicCompareSwap,
    int physPortCntEx)
    implements Result<DeviceAttributesEx> {}
