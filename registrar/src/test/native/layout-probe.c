/*
 * layout-probe.c - prints what infiniband/verbs.h says about the structs and constants that the Java layers use, one "key=value" a line, values in decimal:
 *
 *   size.STRUCT            sizeof
 *   align.STRUCT           alignment
 *   offset.STRUCT.FIELD    offset of a field; nested fields are joined by dots
 *   width.STRUCT.FIELD     size of that field
 *   const.NAME             value of an enum constant or an errno
 *
 * A test compiles it and compares; a new field in a Java layout gets a line here.
 *
 *   gcc -O1 -Wall -Wextra -Werror -o layout-probe layout-probe.c
 *
 * Not here, because Debian's header (rdma-core 44) lacks them: IBV_ACCESS_FLUSH_GLOBAL (bit 8) and IBV_ACCESS_FLUSH_PERSISTENT (bit 9). The lab
 * shows by behaviour what the kernel makes of these bits.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdio.h>

#define STRUCT(s)                                                                                                                                  \
  do {                                                                                                                                             \
    printf("size." #s "=%zu\n", sizeof(struct s));                                                                                                 \
    printf("align." #s "=%zu\n", _Alignof(struct s));                                                                                              \
  } while (0)
#define FIELD(s, f)                                                                                                                                \
  do {                                                                                                                                             \
    printf("offset." #s "." #f "=%zu\n", offsetof(struct s, f));                                                                                   \
    printf("width." #s "." #f "=%zu\n", sizeof(((struct s *)0)->f));                                                                               \
  } while (0)
#define CONST(c) printf("const." #c "=%lld\n", (long long)(c))

static void memory_regions(void) {
  STRUCT(ibv_mr);
  FIELD(ibv_mr, context);
  FIELD(ibv_mr, pd);
  FIELD(ibv_mr, addr);
  FIELD(ibv_mr, length);
  FIELD(ibv_mr, handle);
  FIELD(ibv_mr, lkey);
  FIELD(ibv_mr, rkey);
  STRUCT(ibv_pd);
  FIELD(ibv_pd, context);
  FIELD(ibv_pd, handle);
  STRUCT(ibv_sge);
  FIELD(ibv_sge, addr);
  FIELD(ibv_sge, length);
  FIELD(ibv_sge, lkey);

  CONST(IBV_ACCESS_LOCAL_WRITE);
  CONST(IBV_ACCESS_REMOTE_WRITE);
  CONST(IBV_ACCESS_REMOTE_READ);
  CONST(IBV_ACCESS_REMOTE_ATOMIC);
  CONST(IBV_ACCESS_MW_BIND);
  CONST(IBV_ACCESS_ZERO_BASED);
  CONST(IBV_ACCESS_ON_DEMAND);
  CONST(IBV_ACCESS_HUGETLB);
  CONST(IBV_ACCESS_RELAXED_ORDERING);
  CONST(IBV_ACCESS_OPTIONAL_FIRST);
  CONST(IBV_ACCESS_OPTIONAL_RANGE);

  CONST(IBV_REREG_MR_CHANGE_TRANSLATION);
  CONST(IBV_REREG_MR_CHANGE_PD);
  CONST(IBV_REREG_MR_CHANGE_ACCESS);
  CONST(IBV_ADVISE_MR_ADVICE_PREFETCH);
  CONST(IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE);
  CONST(IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT);
  CONST(IBV_ADVISE_MR_FLAG_FLUSH);
}

static void devices(void) {
  STRUCT(ibv_device);
  FIELD(ibv_device, node_type);
  FIELD(ibv_device, transport_type);
  FIELD(ibv_device, name);
  FIELD(ibv_device, dev_name);
  FIELD(ibv_device, dev_path);
  FIELD(ibv_device, ibdev_path);
  STRUCT(ibv_context);
  FIELD(ibv_context, device);
  FIELD(ibv_context, ops);
  FIELD(ibv_context, cmd_fd);
  FIELD(ibv_context, async_fd);
  FIELD(ibv_context, num_comp_vectors);
  FIELD(ibv_context, mutex);
  FIELD(ibv_context, abi_compat);
  STRUCT(ibv_context_ops);

  CONST(IBV_NODE_UNKNOWN);
  CONST(IBV_NODE_CA);
  CONST(IBV_NODE_RNIC);
  CONST(IBV_TRANSPORT_IB);
  CONST(IBV_TRANSPORT_IWARP);

  /* The functions that the header inlines. A verbs_context ends with the ibv_context that applications hold, and is there only if that one's
   * abi_compat is __VERBS_ABI_IS_EXTENDED; a function is there only if sz >= sizeof(verbs_context) - its offset and the pointer is not null. */
  STRUCT(verbs_context);
  FIELD(verbs_context, query_port);
  FIELD(verbs_context, advise_mr);
  FIELD(verbs_context, alloc_null_mr);
  FIELD(verbs_context, reg_dm_mr);
  FIELD(verbs_context, alloc_dm);
  FIELD(verbs_context, free_dm);
  FIELD(verbs_context, query_rt_values);
  FIELD(verbs_context, query_device_ex);
  FIELD(verbs_context, priv);
  FIELD(verbs_context, sz);
  FIELD(verbs_context, context);
  printf("const.__VERBS_ABI_IS_EXTENDED=%llu\n", (unsigned long long)(size_t)__VERBS_ABI_IS_EXTENDED);
}

static void device_attributes(void) {
  STRUCT(ibv_device_attr);
  FIELD(ibv_device_attr, fw_ver);
  FIELD(ibv_device_attr, node_guid);
  FIELD(ibv_device_attr, sys_image_guid);
  FIELD(ibv_device_attr, max_mr_size);
  FIELD(ibv_device_attr, page_size_cap);
  FIELD(ibv_device_attr, vendor_id);
  FIELD(ibv_device_attr, vendor_part_id);
  FIELD(ibv_device_attr, hw_ver);
  FIELD(ibv_device_attr, max_qp);
  FIELD(ibv_device_attr, max_qp_wr);
  FIELD(ibv_device_attr, device_cap_flags);
  FIELD(ibv_device_attr, max_sge);
  FIELD(ibv_device_attr, max_sge_rd);
  FIELD(ibv_device_attr, max_cq);
  FIELD(ibv_device_attr, max_cqe);
  FIELD(ibv_device_attr, max_mr);
  FIELD(ibv_device_attr, max_pd);
  FIELD(ibv_device_attr, max_qp_rd_atom);
  FIELD(ibv_device_attr, max_ee_rd_atom);
  FIELD(ibv_device_attr, max_res_rd_atom);
  FIELD(ibv_device_attr, max_qp_init_rd_atom);
  FIELD(ibv_device_attr, max_ee_init_rd_atom);
  FIELD(ibv_device_attr, atomic_cap);
  FIELD(ibv_device_attr, max_ee);
  FIELD(ibv_device_attr, max_rdd);
  FIELD(ibv_device_attr, max_mw);
  FIELD(ibv_device_attr, max_raw_ipv6_qp);
  FIELD(ibv_device_attr, max_raw_ethy_qp);
  FIELD(ibv_device_attr, max_mcast_grp);
  FIELD(ibv_device_attr, max_mcast_qp_attach);
  FIELD(ibv_device_attr, max_total_mcast_qp_attach);
  FIELD(ibv_device_attr, max_ah);
  FIELD(ibv_device_attr, max_fmr);
  FIELD(ibv_device_attr, max_map_per_fmr);
  FIELD(ibv_device_attr, max_srq);
  FIELD(ibv_device_attr, max_srq_wr);
  FIELD(ibv_device_attr, max_srq_sge);
  FIELD(ibv_device_attr, max_pkeys);
  FIELD(ibv_device_attr, local_ca_ack_delay);
  FIELD(ibv_device_attr, phys_port_cnt);

  STRUCT(ibv_query_device_ex_input);
  FIELD(ibv_query_device_ex_input, comp_mask);
  STRUCT(ibv_device_attr_ex);
  FIELD(ibv_device_attr_ex, orig_attr);
  FIELD(ibv_device_attr_ex, comp_mask);
  FIELD(ibv_device_attr_ex, odp_caps);
  FIELD(ibv_device_attr_ex, odp_caps.general_caps);
  FIELD(ibv_device_attr_ex, odp_caps.per_transport_caps);
  FIELD(ibv_device_attr_ex, odp_caps.per_transport_caps.rc_odp_caps);
  FIELD(ibv_device_attr_ex, odp_caps.per_transport_caps.uc_odp_caps);
  FIELD(ibv_device_attr_ex, odp_caps.per_transport_caps.ud_odp_caps);
  FIELD(ibv_device_attr_ex, completion_timestamp_mask);
  FIELD(ibv_device_attr_ex, hca_core_clock);
  FIELD(ibv_device_attr_ex, device_cap_flags_ex);
  FIELD(ibv_device_attr_ex, tso_caps);
  FIELD(ibv_device_attr_ex, rss_caps);
  FIELD(ibv_device_attr_ex, max_wq_type_rq);
  FIELD(ibv_device_attr_ex, packet_pacing_caps);
  FIELD(ibv_device_attr_ex, raw_packet_caps);
  FIELD(ibv_device_attr_ex, tm_caps);
  FIELD(ibv_device_attr_ex, cq_mod_caps);
  FIELD(ibv_device_attr_ex, max_dm_size);
  FIELD(ibv_device_attr_ex, pci_atomic_caps);
  FIELD(ibv_device_attr_ex, pci_atomic_caps.fetch_add);
  FIELD(ibv_device_attr_ex, pci_atomic_caps.swap);
  FIELD(ibv_device_attr_ex, pci_atomic_caps.compare_swap);
  FIELD(ibv_device_attr_ex, xrc_odp_caps);
  FIELD(ibv_device_attr_ex, phys_port_cnt_ex);
  STRUCT(ibv_odp_caps);
  FIELD(ibv_odp_caps, general_caps);
  FIELD(ibv_odp_caps, per_transport_caps);
  FIELD(ibv_odp_caps, per_transport_caps.rc_odp_caps);
  FIELD(ibv_odp_caps, per_transport_caps.uc_odp_caps);
  FIELD(ibv_odp_caps, per_transport_caps.ud_odp_caps);

  CONST(IBV_DEVICE_RESIZE_MAX_WR);
  CONST(IBV_DEVICE_BAD_PKEY_CNTR);
  CONST(IBV_DEVICE_BAD_QKEY_CNTR);
  CONST(IBV_DEVICE_RAW_MULTI);
  CONST(IBV_DEVICE_AUTO_PATH_MIG);
  CONST(IBV_DEVICE_CHANGE_PHY_PORT);
  CONST(IBV_DEVICE_UD_AV_PORT_ENFORCE);
  CONST(IBV_DEVICE_CURR_QP_STATE_MOD);
  CONST(IBV_DEVICE_SHUTDOWN_PORT);
  CONST(IBV_DEVICE_INIT_TYPE);
  CONST(IBV_DEVICE_PORT_ACTIVE_EVENT);
  CONST(IBV_DEVICE_SYS_IMAGE_GUID);
  CONST(IBV_DEVICE_RC_RNR_NAK_GEN);
  CONST(IBV_DEVICE_SRQ_RESIZE);
  CONST(IBV_DEVICE_N_NOTIFY_CQ);
  CONST(IBV_DEVICE_MEM_WINDOW);
  CONST(IBV_DEVICE_UD_IP_CSUM);
  CONST(IBV_DEVICE_XRC);
  CONST(IBV_DEVICE_MEM_MGT_EXTENSIONS);
  CONST(IBV_DEVICE_MEM_WINDOW_TYPE_2A);
  CONST(IBV_DEVICE_MEM_WINDOW_TYPE_2B);
  CONST(IBV_DEVICE_RC_IP_CSUM);
  CONST(IBV_DEVICE_RAW_IP_CSUM);
  CONST(IBV_DEVICE_MANAGED_FLOW_STEERING);
  CONST(IBV_DEVICE_RAW_SCATTER_FCS);
  CONST(IBV_DEVICE_PCI_WRITE_END_PADDING);
  CONST(IBV_ODP_SUPPORT);
  CONST(IBV_ODP_SUPPORT_IMPLICIT);
  CONST(IBV_ODP_SUPPORT_SEND);
  CONST(IBV_ODP_SUPPORT_RECV);
  CONST(IBV_ODP_SUPPORT_WRITE);
  CONST(IBV_ODP_SUPPORT_READ);
  CONST(IBV_ODP_SUPPORT_ATOMIC);
  CONST(IBV_ODP_SUPPORT_SRQ_RECV);
  CONST(IBV_ATOMIC_NONE);
  CONST(IBV_ATOMIC_HCA);
  CONST(IBV_ATOMIC_GLOB);
}

static void ports(void) {
  STRUCT(ibv_port_attr);
  FIELD(ibv_port_attr, state);
  FIELD(ibv_port_attr, max_mtu);
  FIELD(ibv_port_attr, active_mtu);
  FIELD(ibv_port_attr, gid_tbl_len);
  FIELD(ibv_port_attr, lid);
  FIELD(ibv_port_attr, link_layer);
  CONST(IBV_PORT_ACTIVE);
  CONST(IBV_LINK_LAYER_INFINIBAND);
  CONST(IBV_LINK_LAYER_ETHERNET);
}

/* What a passive end of a connection needs. */
static void queue_pairs(void) {
  printf("size.ibv_gid=%zu\nalign.ibv_gid=%zu\n", sizeof(union ibv_gid), _Alignof(union ibv_gid));
  STRUCT(ibv_qp_cap);
  FIELD(ibv_qp_cap, max_send_wr);
  FIELD(ibv_qp_cap, max_recv_wr);
  FIELD(ibv_qp_cap, max_send_sge);
  FIELD(ibv_qp_cap, max_recv_sge);
  FIELD(ibv_qp_cap, max_inline_data);
  STRUCT(ibv_qp_init_attr);
  FIELD(ibv_qp_init_attr, qp_context);
  FIELD(ibv_qp_init_attr, send_cq);
  FIELD(ibv_qp_init_attr, recv_cq);
  FIELD(ibv_qp_init_attr, srq);
  FIELD(ibv_qp_init_attr, cap);
  FIELD(ibv_qp_init_attr, qp_type);
  FIELD(ibv_qp_init_attr, sq_sig_all);
  STRUCT(ibv_qp);
  FIELD(ibv_qp, context);
  FIELD(ibv_qp, pd);
  FIELD(ibv_qp, handle);
  FIELD(ibv_qp, qp_num);
  FIELD(ibv_qp, state);
  FIELD(ibv_qp, qp_type);
  STRUCT(ibv_global_route);
  FIELD(ibv_global_route, dgid);
  FIELD(ibv_global_route, flow_label);
  FIELD(ibv_global_route, sgid_index);
  FIELD(ibv_global_route, hop_limit);
  FIELD(ibv_global_route, traffic_class);
  STRUCT(ibv_ah_attr);
  FIELD(ibv_ah_attr, grh);
  FIELD(ibv_ah_attr, dlid);
  FIELD(ibv_ah_attr, sl);
  FIELD(ibv_ah_attr, src_path_bits);
  FIELD(ibv_ah_attr, static_rate);
  FIELD(ibv_ah_attr, is_global);
  FIELD(ibv_ah_attr, port_num);
  STRUCT(ibv_qp_attr);
  FIELD(ibv_qp_attr, qp_state);
  FIELD(ibv_qp_attr, cur_qp_state);
  FIELD(ibv_qp_attr, path_mtu);
  FIELD(ibv_qp_attr, path_mig_state);
  FIELD(ibv_qp_attr, qkey);
  FIELD(ibv_qp_attr, rq_psn);
  FIELD(ibv_qp_attr, sq_psn);
  FIELD(ibv_qp_attr, dest_qp_num);
  FIELD(ibv_qp_attr, qp_access_flags);
  FIELD(ibv_qp_attr, cap);
  FIELD(ibv_qp_attr, ah_attr);
  FIELD(ibv_qp_attr, ah_attr.grh.dgid);
  FIELD(ibv_qp_attr, ah_attr.grh.sgid_index);
  FIELD(ibv_qp_attr, ah_attr.grh.hop_limit);
  FIELD(ibv_qp_attr, ah_attr.is_global);
  FIELD(ibv_qp_attr, ah_attr.port_num);
  FIELD(ibv_qp_attr, alt_ah_attr);
  FIELD(ibv_qp_attr, pkey_index);
  FIELD(ibv_qp_attr, alt_pkey_index);
  FIELD(ibv_qp_attr, en_sqd_async_notify);
  FIELD(ibv_qp_attr, sq_draining);
  FIELD(ibv_qp_attr, max_rd_atomic);
  FIELD(ibv_qp_attr, max_dest_rd_atomic);
  FIELD(ibv_qp_attr, min_rnr_timer);
  FIELD(ibv_qp_attr, port_num);
  FIELD(ibv_qp_attr, timeout);
  FIELD(ibv_qp_attr, retry_cnt);
  FIELD(ibv_qp_attr, rnr_retry);
  FIELD(ibv_qp_attr, alt_port_num);
  FIELD(ibv_qp_attr, alt_timeout);
  FIELD(ibv_qp_attr, rate_limit);

  CONST(IBV_QPT_RC);
  CONST(IBV_QPS_RESET);
  CONST(IBV_QPS_INIT);
  CONST(IBV_QPS_RTR);
  CONST(IBV_MTU_1024);
  CONST(IBV_QP_STATE);
  CONST(IBV_QP_ACCESS_FLAGS);
  CONST(IBV_QP_PKEY_INDEX);
  CONST(IBV_QP_PORT);
  CONST(IBV_QP_AV);
  CONST(IBV_QP_PATH_MTU);
  CONST(IBV_QP_RQ_PSN);
  CONST(IBV_QP_MIN_RNR_TIMER);
  CONST(IBV_QP_MAX_DEST_RD_ATOMIC);
  CONST(IBV_QP_DEST_QPN);
  CONST(IBV_WC_SUCCESS);
  CONST(IBV_WC_LOC_PROT_ERR);
  CONST(IBV_WC_WR_FLUSH_ERR);
  CONST(IBV_WC_REM_INV_REQ_ERR);
  CONST(IBV_WC_REM_ACCESS_ERR);
  CONST(IBV_WC_REM_OP_ERR);
  CONST(IBV_WC_RETRY_EXC_ERR);
}

static void contexts(void) {
  FIELD(ibv_device, _ops);
  FIELD(verbs_context, ABI_placeholder1);
  FIELD(verbs_context, ABI_placeholder2);
  FIELD(verbs_context, _ABI_placeholder3);
  FIELD(verbs_context, close_xrcd);
  FIELD(verbs_context, create_qp_ex);
  FIELD(verbs_context, create_srq_ex);
  FIELD(verbs_context, get_srq_num);
  FIELD(verbs_context, ibv_create_flow);
  FIELD(verbs_context, ibv_destroy_flow);
  FIELD(verbs_context, open_qp);
  FIELD(verbs_context, open_xrcd);

  CONST(IBV_NODE_ROUTER);
  CONST(IBV_NODE_SWITCH);
  CONST(IBV_NODE_UNSPECIFIED);
  CONST(IBV_NODE_USNIC);
  CONST(IBV_NODE_USNIC_UDP);
  CONST(IBV_TRANSPORT_UNKNOWN);
  CONST(IBV_TRANSPORT_UNSPECIFIED);
  CONST(IBV_TRANSPORT_USNIC);
  CONST(IBV_TRANSPORT_USNIC_UDP);
}

static void errnos(void) {
  CONST(EACCES);
  CONST(EAGAIN);
  CONST(EBADF);
  CONST(EBUSY);
  CONST(EFAULT);
  CONST(EINTR);
  CONST(EINVAL);
  CONST(EIO);
  CONST(EMFILE);
  CONST(ENFILE);
  CONST(ENODEV);
  CONST(ENOENT);
  CONST(ENOMEM);
  CONST(ENOSPC);
  CONST(ENOSYS);
  CONST(ENXIO);
  CONST(EOPNOTSUPP);
  CONST(EOVERFLOW);
  CONST(EPERM);
  CONST(EPROTONOSUPPORT);
  CONST(ETIMEDOUT);
}

int main(void) {
  memory_regions();
  devices();
  device_attributes();
  ports();
  queue_pairs();
  contexts();
  errnos();
  return 0;
}
