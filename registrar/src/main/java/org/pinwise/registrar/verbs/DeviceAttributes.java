package org.pinwise.registrar.verbs;

/**
 * What a device says about itself: {@code struct ibv_device_attr}, ibv_query_device(3).
 *
 * <p>Values are raw: a {@code uint64_t} is a long whose sign bit is data (most devices say {@code
 * max_mr_size} 0xffffffffffffffff, here -1), a {@code uint32_t} an int. The maxima are upper limits
 * which may not be possible to reach, says the man page. Fields that say nothing about
 * registration, and those of transports that nobody built, are left out.
 *
 * @param fwVer {@code fw_ver}
 * @param nodeGuid {@code node_guid}; the bytes are in network order, so on x86 this long is swapped
 * @param sysImageGuid {@code sys_image_guid}, as {@code nodeGuid}
 * @param maxMrSize {@code max_mr_size}, unsigned: the largest region, not the sum of all
 * @param pageSizeCap {@code page_size_cap}, unsigned: one bit per page size
 * @param vendorId {@code vendor_id}, unsigned
 * @param vendorPartId {@code vendor_part_id}, unsigned
 * @param hwVer {@code hw_ver}, unsigned
 * @param maxQp {@code max_qp}
 * @param maxQpWr {@code max_qp_wr}
 * @param deviceCapFlags {@code device_cap_flags}, bits of {@code enum ibv_device_cap_flags}
 * @param maxSge {@code max_sge}
 * @param maxSgeRd {@code max_sge_rd}
 * @param maxCq {@code max_cq}
 * @param maxCqe {@code max_cqe}
 * @param maxMr {@code max_mr}
 * @param maxPd {@code max_pd}
 * @param maxQpRdAtom {@code max_qp_rd_atom}
 * @param maxQpInitRdAtom {@code max_qp_init_rd_atom}
 * @param atomicCap {@code atomic_cap}: 0 none, 1 among the queue pairs of this device, 2 also with
 *     the host
 * @param maxMw {@code max_mw}
 * @param maxSrq {@code max_srq}
 * @param physPortCnt {@code phys_port_cnt}, 0 to 255
 */
public record DeviceAttributes(
    String fwVer,
    long nodeGuid,
    long sysImageGuid,
    long maxMrSize,
    long pageSizeCap,
    int vendorId,
    int vendorPartId,
    int hwVer,
    int maxQp,
    int maxQpWr,
    int deviceCapFlags,
    int maxSge,
    int maxSgeRd,
    int maxCq,
    int maxCqe,
    int maxMr,
    int maxPd,
    int maxQpRdAtom,
    int maxQpInitRdAtom,
    int atomicCap,
    int maxMw,
    int maxSrq,
    int physPortCnt)
    implements Result<DeviceAttributes> {}
