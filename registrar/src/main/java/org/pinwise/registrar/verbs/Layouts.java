package org.pinwise.registrar.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * The structs of {@code infiniband/verbs.h} that this package reads, for 64-bit Linux.
 *
 * <p>Members carry the C names: a test compares every size and offset with what the C compiler
 * makes of the header. Members that nobody reads are there for the offsets of those after them;
 * they are one block where that is enough.
 */
final class Layouts {

  /** {@code struct ibv_device}. */
  static final StructLayout IBV_DEVICE =
      MemoryLayout.structLayout(
              MemoryLayout.sequenceLayout(16, JAVA_BYTE).withName("_ops"),
              JAVA_INT.withName("node_type"),
              JAVA_INT.withName("transport_type"),
              MemoryLayout.sequenceLayout(64, JAVA_BYTE).withName("name"),
              MemoryLayout.sequenceLayout(64, JAVA_BYTE).withName("dev_name"),
              MemoryLayout.sequenceLayout(256, JAVA_BYTE).withName("dev_path"),
              MemoryLayout.sequenceLayout(256, JAVA_BYTE).withName("ibdev_path"))
          .withByteAlignment(8)
          .withName("ibv_device");

  /** {@code struct ibv_context}. */
  static final StructLayout IBV_CONTEXT =
      MemoryLayout.structLayout(
              ADDRESS.withName("device"),
              MemoryLayout.sequenceLayout(32, JAVA_LONG).withName("ops"),
              JAVA_INT.withName("cmd_fd"),
              JAVA_INT.withName("async_fd"),
              JAVA_INT.withName("num_comp_vectors"),
              MemoryLayout.paddingLayout(4),
              MemoryLayout.sequenceLayout(5, JAVA_LONG).withName("mutex"),
              JAVA_LONG.withName("abi_compat"))
          .withName("ibv_context");

  /**
   * The end of {@code struct verbs_context}, from {@code advise_mr} on.
   *
   * <p>The struct grows at its beginning, and {@code context} stays its last member. So only
   * distances from the end hold for every version of the library, and only they are used.
   */
  static final StructLayout VERBS_CONTEXT_TAIL =
      MemoryLayout.structLayout(
              ADDRESS.withName("advise_mr"),
              MemoryLayout.sequenceLayout(25, ADDRESS).withName("alloc_null_mr"),
              ADDRESS.withName("query_device_ex"),
              ADDRESS.withName("ibv_destroy_flow"),
              ADDRESS.withName("ABI_placeholder2"),
              ADDRESS.withName("ibv_create_flow"),
              ADDRESS.withName("ABI_placeholder1"),
              ADDRESS.withName("open_qp"),
              ADDRESS.withName("create_qp_ex"),
              ADDRESS.withName("get_srq_num"),
              ADDRESS.withName("create_srq_ex"),
              ADDRESS.withName("open_xrcd"),
              ADDRESS.withName("close_xrcd"),
              JAVA_LONG.withName("_ABI_placeholder3"),
              JAVA_LONG.withName("sz"),
              IBV_CONTEXT.withName("context"))
          .withName("verbs_context");

  /** {@code struct ibv_sge}. */
  static final StructLayout IBV_SGE =
      MemoryLayout.structLayout(
              JAVA_LONG.withName("addr"), JAVA_INT.withName("length"), JAVA_INT.withName("lkey"))
          .withName("ibv_sge");

  /** {@code struct ibv_mr}. */
  static final StructLayout IBV_MR =
      MemoryLayout.structLayout(
              ADDRESS.withName("context"),
              ADDRESS.withName("pd"),
              JAVA_LONG.withName("addr"),
              JAVA_LONG.withName("length"),
              JAVA_INT.withName("handle"),
              JAVA_INT.withName("lkey"),
              JAVA_INT.withName("rkey"),
              MemoryLayout.paddingLayout(4))
          .withName("ibv_mr");

  /** {@code struct ibv_device_attr}. */
  static final StructLayout IBV_DEVICE_ATTR =
      MemoryLayout.structLayout(
              MemoryLayout.sequenceLayout(64, JAVA_BYTE).withName("fw_ver"),
              JAVA_LONG.withName("node_guid"),
              JAVA_LONG.withName("sys_image_guid"),
              JAVA_LONG.withName("max_mr_size"),
              JAVA_LONG.withName("page_size_cap"),
              JAVA_INT.withName("vendor_id"),
              JAVA_INT.withName("vendor_part_id"),
              JAVA_INT.withName("hw_ver"),
              JAVA_INT.withName("max_qp"),
              JAVA_INT.withName("max_qp_wr"),
              JAVA_INT.withName("device_cap_flags"),
              JAVA_INT.withName("max_sge"),
              JAVA_INT.withName("max_sge_rd"),
              JAVA_INT.withName("max_cq"),
              JAVA_INT.withName("max_cqe"),
              JAVA_INT.withName("max_mr"),
              JAVA_INT.withName("max_pd"),
              JAVA_INT.withName("max_qp_rd_atom"),
              JAVA_INT.withName("max_ee_rd_atom"),
              JAVA_INT.withName("max_res_rd_atom"),
              JAVA_INT.withName("max_qp_init_rd_atom"),
              JAVA_INT.withName("max_ee_init_rd_atom"),
              JAVA_INT.withName("atomic_cap"),
              JAVA_INT.withName("max_ee"),
              JAVA_INT.withName("max_rdd"),
              JAVA_INT.withName("max_mw"),
              JAVA_INT.withName("max_raw_ipv6_qp"),
              JAVA_INT.withName("max_raw_ethy_qp"),
              JAVA_INT.withName("max_mcast_grp"),
              JAVA_INT.withName("max_mcast_qp_attach"),
              JAVA_INT.withName("max_total_mcast_qp_attach"),
              JAVA_INT.withName("max_ah"),
              JAVA_INT.withName("max_fmr"),
              JAVA_INT.withName("max_map_per_fmr"),
              JAVA_INT.withName("max_srq"),
              JAVA_INT.withName("max_srq_wr"),
              JAVA_INT.withName("max_srq_sge"),
              JAVA_SHORT.withName("max_pkeys"),
              JAVA_BYTE.withName("local_ca_ack_delay"),
              JAVA_BYTE.withName("phys_port_cnt"),
              MemoryLayout.paddingLayout(4))
          .withName("ibv_device_attr");

  /** {@code struct ibv_device_attr_ex}. */
  static final StructLayout IBV_DEVICE_ATTR_EX =
      MemoryLayout.structLayout(
              IBV_DEVICE_ATTR.withName("orig_attr"),
              JAVA_INT.withName("comp_mask"),
              MemoryLayout.paddingLayout(4),
              MemoryLayout.structLayout(
                      JAVA_LONG.withName("general_caps"),
                      MemoryLayout.structLayout(
                              JAVA_INT.withName("rc_odp_caps"),
                              JAVA_INT.withName("uc_odp_caps"),
                              JAVA_INT.withName("ud_odp_caps"))
                          .withName("per_transport_caps"),
                      MemoryLayout.paddingLayout(4))
                  .withName("odp_caps"),
              JAVA_LONG.withName("completion_timestamp_mask"),
              JAVA_LONG.withName("hca_core_clock"),
              JAVA_LONG.withName("device_cap_flags_ex"),
              MemoryLayout.sequenceLayout(2, JAVA_INT).withName("tso_caps"),
              MemoryLayout.sequenceLayout(4, JAVA_LONG).withName("rss_caps"),
              JAVA_INT.withName("max_wq_type_rq"),
              MemoryLayout.sequenceLayout(3, JAVA_INT).withName("packet_pacing_caps"),
              JAVA_INT.withName("raw_packet_caps"),
              MemoryLayout.sequenceLayout(5, JAVA_INT).withName("tm_caps"),
              MemoryLayout.sequenceLayout(2, JAVA_SHORT).withName("cq_mod_caps"),
              MemoryLayout.paddingLayout(4),
              JAVA_LONG.withName("max_dm_size"),
              MemoryLayout.structLayout(
                      JAVA_SHORT.withName("fetch_add"),
                      JAVA_SHORT.withName("swap"),
                      JAVA_SHORT.withName("compare_swap"))
                  .withName("pci_atomic_caps"),
              MemoryLayout.paddingLayout(2),
              JAVA_INT.withName("xrc_odp_caps"),
              JAVA_INT.withName("phys_port_cnt_ex"))
          .withName("ibv_device_attr_ex");

  /** The whole structs, for the test; {@link #VERBS_CONTEXT_TAIL} is compared from its end. */
  static final List<StructLayout> WHOLE =
      List.of(IBV_DEVICE, IBV_CONTEXT, IBV_MR, IBV_SGE, IBV_DEVICE_ATTR, IBV_DEVICE_ATTR_EX);

  private Layouts() {}

  /**
   * The offset of a member.
   *
   * @param path its name, and those of the structs that it is in, outermost first
   */
  static long offset(StructLayout struct, String... path) {
    PathElement[] elements = new PathElement[path.length];
    for (int i = 0; i < path.length; i++) {
      elements[i] = PathElement.groupElement(path[i]);
    }
    return struct.byteOffset(elements);
  }
}
