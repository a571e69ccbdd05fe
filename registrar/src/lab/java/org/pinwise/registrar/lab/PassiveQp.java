package org.pinwise.registrar.lab;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.HexFormat;
import java.util.List;

/**
 * The passive end of an RC connection: a queue pair in this process that a {@link WirePeer} reads,
 * writes and swaps memory through. It posts and polls nothing; being ready to receive is all that
 * remote access needs. It allows every remote operation, so that what decides is the region.
 *
 * <p>After an error the connection is dead: open a new one.
 */
final class PassiveQp implements AutoCloseable {

  private static final byte PORT = 1;

  private static final int IBV_QPT_RC = 2;
  private static final int IBV_QPS_INIT = 1;
  private static final int IBV_QPS_RTR = 2;
  private static final int IBV_MTU_1024 = 3;
  private static final int REMOTE_WRITE_READ_ATOMIC = 2 | 4 | 8;

  private static final int IBV_QP_STATE = 1;
  private static final int IBV_QP_ACCESS_FLAGS = 1 << 3;
  private static final int IBV_QP_PKEY_INDEX = 1 << 4;
  private static final int IBV_QP_PORT = 1 << 5;
  private static final int IBV_QP_AV = 1 << 7;
  private static final int IBV_QP_PATH_MTU = 1 << 8;
  private static final int IBV_QP_RQ_PSN = 1 << 12;
  private static final int IBV_QP_MIN_RNR_TIMER = 1 << 15;
  private static final int IBV_QP_MAX_DEST_RD_ATOMIC = 1 << 17;
  private static final int IBV_QP_DEST_QPN = 1 << 20;
  private static final int TO_INIT =
      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  private static final int TO_RTR =
      IBV_QP_STATE
          | IBV_QP_AV
          | IBV_QP_PATH_MTU
          | IBV_QP_DEST_QPN
          | IBV_QP_RQ_PSN
          | IBV_QP_MAX_DEST_RD_ATOMIC
          | IBV_QP_MIN_RNR_TIMER;

  private static final MemoryLayout GID =
      MemoryLayout.sequenceLayout(2, JAVA_LONG).withName("dgid");

  private static final StructLayout CAPACITY =
      MemoryLayout.structLayout(
          JAVA_INT.withName("max_send_wr"),
          JAVA_INT.withName("max_recv_wr"),
          JAVA_INT.withName("max_send_sge"),
          JAVA_INT.withName("max_recv_sge"),
          JAVA_INT.withName("max_inline_data"));

  private static final StructLayout INIT_ATTR =
      MemoryLayout.structLayout(
              ADDRESS.withName("qp_context"),
              ADDRESS.withName("send_cq"),
              ADDRESS.withName("recv_cq"),
              ADDRESS.withName("srq"),
              CAPACITY.withName("cap"),
              JAVA_INT.withName("qp_type"),
              JAVA_INT.withName("sq_sig_all"),
              MemoryLayout.paddingLayout(4))
          .withName("ibv_qp_init_attr");

  private static final StructLayout ROUTE =
      MemoryLayout.structLayout(
          GID,
          JAVA_INT.withName("flow_label"),
          JAVA_BYTE.withName("sgid_index"),
          JAVA_BYTE.withName("hop_limit"),
          JAVA_BYTE.withName("traffic_class"),
          MemoryLayout.paddingLayout(1));

  private static final StructLayout PATH =
      MemoryLayout.structLayout(
          ROUTE.withName("grh"),
          JAVA_SHORT.withName("dlid"),
          JAVA_BYTE.withName("sl"),
          JAVA_BYTE.withName("src_path_bits"),
          JAVA_BYTE.withName("static_rate"),
          JAVA_BYTE.withName("is_global"),
          JAVA_BYTE.withName("port_num"),
          MemoryLayout.paddingLayout(1));

  private static final StructLayout ATTR =
      MemoryLayout.structLayout(
              JAVA_INT.withName("qp_state"),
              JAVA_INT.withName("cur_qp_state"),
              JAVA_INT.withName("path_mtu"),
              JAVA_INT.withName("path_mig_state"),
              JAVA_INT.withName("qkey"),
              JAVA_INT.withName("rq_psn"),
              JAVA_INT.withName("sq_psn"),
              JAVA_INT.withName("dest_qp_num"),
              JAVA_INT.withName("qp_access_flags"),
              CAPACITY.withName("cap"),
              PATH.withName("ah_attr"),
              PATH.withName("alt_ah_attr"),
              JAVA_SHORT.withName("pkey_index"),
              JAVA_SHORT.withName("alt_pkey_index"),
              JAVA_BYTE.withName("en_sqd_async_notify"),
              JAVA_BYTE.withName("sq_draining"),
              JAVA_BYTE.withName("max_rd_atomic"),
              JAVA_BYTE.withName("max_dest_rd_atomic"),
              JAVA_BYTE.withName("min_rnr_timer"),
              JAVA_BYTE.withName("port_num"),
              JAVA_BYTE.withName("timeout"),
              JAVA_BYTE.withName("retry_cnt"),
              JAVA_BYTE.withName("rnr_retry"),
              JAVA_BYTE.withName("alt_port_num"),
              JAVA_BYTE.withName("alt_timeout"),
              MemoryLayout.paddingLayout(1),
              JAVA_INT.withName("rate_limit"),
              MemoryLayout.paddingLayout(4))
          .withName("ibv_qp_attr");

  private static final StructLayout QP =
      MemoryLayout.structLayout(
              ADDRESS.withName("context"),
              ADDRESS.withName("qp_context"),
              ADDRESS.withName("pd"),
              ADDRESS.withName("send_cq"),
              ADDRESS.withName("recv_cq"),
              ADDRESS.withName("srq"),
              JAVA_INT.withName("handle"),
              JAVA_INT.withName("qp_num"))
          .withName("ibv_qp");

  /**
   * The structs that this class lays out, for comparison with the C header. Of {@code ibv_qp} only
   * the part up to {@code qp_num}.
   */
  static final List<StructLayout> LAYOUTS = List.of(INIT_ATTR, ATTR, QP);

  private static final MethodHandle QUERY_GID =
      LabVerbs.downcall(
          "ibv_query_gid", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_BYTE, JAVA_INT, ADDRESS));
  private static final MethodHandle CREATE_CQ =
      LabVerbs.downcall(
          "ibv_create_cq",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle DESTROY_CQ =
      LabVerbs.downcall("ibv_destroy_cq", FunctionDescriptor.of(JAVA_INT, ADDRESS));
  private static final MethodHandle CREATE_QP =
      LabVerbs.downcall("ibv_create_qp", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle MODIFY_QP =
      LabVerbs.downcall(
          "ibv_modify_qp", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle DESTROY_QP =
      LabVerbs.downcall("ibv_destroy_qp", FunctionDescriptor.of(JAVA_INT, ADDRESS));

  private final byte gidIndex;
  private final QpAddress address;
  private MemorySegment completions = MemorySegment.NULL;
  private MemorySegment queuePair = MemorySegment.NULL;

  /**
   * Creates a queue pair that waits for {@link #connect}.
   *
   * @param context the {@code ibv_context*} of an open device
   * @param domain the {@code ibv_pd*} in which the memory is registered
   */
  PassiveQp(MemorySegment context, MemorySegment domain) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment gid = arena.allocate(GID);
      gidIndex = findGid(context, gid);
      completions =
          LabVerbs.create(
              "ibv_create_cq", CREATE_CQ, context, 1, MemorySegment.NULL, MemorySegment.NULL, 0);
      MemorySegment init = arena.allocate(INIT_ATTR);
      set(init, INIT_ATTR, completions, "send_cq");
      set(init, INIT_ATTR, completions, "recv_cq");
      for (String limit : List.of("max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge")) {
        set(init, INIT_ATTR, 1, "cap", limit);
      }
      set(init, INIT_ATTR, IBV_QPT_RC, "qp_type");
      queuePair = LabVerbs.create("ibv_create_qp", CREATE_QP, domain, init);

      MemorySegment attr = arena.allocate(ATTR);
      set(attr, ATTR, IBV_QPS_INIT, "qp_state");
      set(attr, ATTR, PORT, "port_num");
      set(attr, ATTR, REMOTE_WRITE_READ_ATOMIC, "qp_access_flags");
      LabVerbs.check("ibv_modify_qp to INIT", MODIFY_QP, queuePair, attr, TO_INIT);

      int number =
          queuePair.reinterpret(QP.byteSize()).get(JAVA_INT, QP.byteOffset(groupElement("qp_num")));
      String gidText = HexFormat.of().formatHex(gid.toArray(JAVA_BYTE));
      address = new QpAddress(number, number & 0xff_ffff, gidText);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** What the active end connects to. */
  QpAddress address() {
    return address;
  }

  /** Lets the active end in. */
  void connect(QpAddress remote) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(ATTR);
      set(attr, ATTR, IBV_QPS_RTR, "qp_state");
      set(attr, ATTR, IBV_MTU_1024, "path_mtu");
      set(attr, ATTR, remote.queuePair(), "dest_qp_num");
      set(attr, ATTR, remote.packet(), "rq_psn");
      set(attr, ATTR, (byte) 1, "max_dest_rd_atomic");
      set(attr, ATTR, (byte) 12, "min_rnr_timer");
      set(attr, ATTR, (byte) 1, "ah_attr", "is_global");
      set(attr, ATTR, PORT, "ah_attr", "port_num");
      set(attr, ATTR, gidIndex, "ah_attr", "grh", "sgid_index");
      set(attr, ATTR, (byte) 64, "ah_attr", "grh", "hop_limit");
      long gid = ATTR.byteOffset(path("ah_attr", "grh", "dgid"));
      MemorySegment.copy(remote.gidBytes(), 0, attr, JAVA_BYTE, gid, 16);
      LabVerbs.check("ibv_modify_qp to RTR", MODIFY_QP, queuePair, attr, TO_RTR);
    }
  }

  @Override
  public void close() {
    MemorySegment qp = queuePair;
    MemorySegment cq = completions;
    queuePair = MemorySegment.NULL;
    completions = MemorySegment.NULL;
    try {
      if (qp.address() != 0) {
        LabVerbs.check("ibv_destroy_qp", DESTROY_QP, qp);
      }
    } finally {
      if (cq.address() != 0) {
        LabVerbs.check("ibv_destroy_cq", DESTROY_CQ, cq);
      }
    }
  }

  /**
   * The GID of an IPv4 address: over loopback that one works at once, a link-local one may not yet.
   */
  private static byte findGid(MemorySegment context, MemorySegment gid) {
    for (byte index = 0; index < Byte.MAX_VALUE; index++) {
      if ((int) LabVerbs.invoke(QUERY_GID, context, PORT, (int) index, gid) != 0) {
        break;
      }
      byte[] bytes = gid.toArray(JAVA_BYTE);
      if (HexFormat.of().formatHex(bytes).startsWith("00000000000000000000ffff")) {
        return index;
      }
    }
    throw new IllegalStateException("the device has no GID of an IPv4 address");
  }

  private static PathElement[] path(String... names) {
    PathElement[] path = new PathElement[names.length];
    for (int i = 0; i < names.length; i++) {
      path[i] = groupElement(names[i]);
    }
    return path;
  }

  private static void set(MemorySegment struct, StructLayout layout, int value, String... names) {
    struct.set(JAVA_INT, layout.byteOffset(path(names)), value);
  }

  private static void set(MemorySegment struct, StructLayout layout, byte value, String... names) {
    struct.set(JAVA_BYTE, layout.byteOffset(path(names)), value);
  }

  private static void set(
      MemorySegment struct, StructLayout layout, MemorySegment value, String... names) {
    struct.set(ADDRESS, layout.byteOffset(path(names)), value);
  }
}
