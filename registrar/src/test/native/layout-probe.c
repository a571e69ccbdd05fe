/*
 * What the C compiler makes of infiniband/verbs.h, one key=value a line:
 *
 *   sizeof.STRUCT=bytes   offsetof.STRUCT.MEMBER=bytes   const.NAME=decimal
 *
 * A test compares the Java layouts and constants with it. Build: cc -o layout-probe layout-probe.c
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(s) printf("sizeof." #s "=%zu\n", sizeof(struct s))
#define OFFSET(s, m) printf("offsetof." #s "." #m "=%zu\n", offsetof(struct s, m))
#define CONST(c) printf("const." #c "=%lld\n", (long long)(c))

static void device(void)
{
	SIZE(ibv_device);
	OFFSET(ibv_device, _ops);
	OFFSET(ibv_device, node_type);
	OFFSET(ibv_device, transport_type);
	OFFSET(ibv_device, name);
	OFFSET(ibv_device, dev_name);
	OFFSET(ibv_device, dev_path);
	OFFSET(ibv_device, ibdev_path);
}

static void context(void)
{
	SIZE(ibv_context);
	OFFSET(ibv_context, device);
	OFFSET(ibv_context, ops);
	OFFSET(ibv_context, cmd_fd);
	OFFSET(ibv_context, async_fd);
	OFFSET(ibv_context, num_comp_vectors);
	OFFSET(ibv_context, mutex);
	OFFSET(ibv_context, abi_compat);

	SIZE(verbs_context);
	OFFSET(verbs_context, query_port);
	OFFSET(verbs_context, advise_mr);
	OFFSET(verbs_context, alloc_null_mr);
	OFFSET(verbs_context, query_device_ex);
	OFFSET(verbs_context, ibv_destroy_flow);
	OFFSET(verbs_context, ABI_placeholder2);
	OFFSET(verbs_context, ibv_create_flow);
	OFFSET(verbs_context, ABI_placeholder1);
	OFFSET(verbs_context, open_qp);
	OFFSET(verbs_context, create_qp_ex);
	OFFSET(verbs_context, get_srq_num);
	OFFSET(verbs_context, create_srq_ex);
	OFFSET(verbs_context, open_xrcd);
	OFFSET(verbs_context, close_xrcd);
	OFFSET(verbs_context, _ABI_placeholder3);
	OFFSET(verbs_context, sz);
	OFFSET(verbs_context, context);
}

static void region(void)
{
	SIZE(ibv_pd);
	OFFSET(ibv_pd, context);
	OFFSET(ibv_pd, handle);

	SIZE(ibv_mr);
	OFFSET(ibv_mr, context);
	OFFSET(ibv_mr, pd);
	OFFSET(ibv_mr, addr);
	OFFSET(ibv_mr, length);
	OFFSET(ibv_mr, handle);
	OFFSET(ibv_mr, lkey);
	OFFSET(ibv_mr, rkey);
}

static void attributes(void)
{
	SIZE(ibv_device_attr);
	OFFSET(ibv_device_attr, fw_ver);
	OFFSET(ibv_device_attr, node_guid);
	OFFSET(ibv_device_attr, sys_image_guid);
	OFFSET(ibv_device_attr, max_mr_size);
	OFFSET(ibv_device_attr, page_size_cap);
	OFFSET(ibv_device_attr, vendor_id);
	OFFSET(ibv_device_attr, vendor_part_id);
	OFFSET(ibv_device_attr, hw_ver);
	OFFSET(ibv_device_attr, max_qp);
	OFFSET(ibv_device_attr, max_qp_wr);
	OFFSET(ibv_device_attr, device_cap_flags);
	OFFSET(ibv_device_attr, max_sge);
	OFFSET(ibv_device_attr, max_sge_rd);
	OFFSET(ibv_device_attr, max_cq);
	OFFSET(ibv_device_attr, max_cqe);
	OFFSET(ibv_device_attr, max_mr);
	OFFSET(ibv_device_attr, max_pd);
	OFFSET(ibv_device_attr, max_qp_rd_atom);
	OFFSET(ibv_device_attr, max_ee_rd_atom);
	OFFSET(ibv_device_attr, max_res_rd_atom);
	OFFSET(ibv_device_attr, max_qp_init_rd_atom);
	OFFSET(ibv_device_attr, max_ee_init_rd_atom);
	OFFSET(ibv_device_attr, atomic_cap);
	OFFSET(ibv_device_attr, max_ee);
	OFFSET(ibv_device_attr, max_rdd);
	OFFSET(ibv_device_attr, max_mw);
	OFFSET(ibv_device_attr, max_raw_ipv6_qp);
	OFFSET(ibv_device_attr, max_raw_ethy_qp);
	OFFSET(ibv_device_attr, max_mcast_grp);
	OFFSET(ibv_device_attr, max_mcast_qp_attach);
	OFFSET(ibv_device_attr, max_total_mcast_qp_attach);
	OFFSET(ibv_device_attr, max_ah);
	OFFSET(ibv_device_attr, max_fmr);
	OFFSET(ibv_device_attr, max_map_per_fmr);
	OFFSET(ibv_device_attr, max_srq);
	OFFSET(ibv_device_attr, max_srq_wr);
	OFFSET(ibv_device_attr, max_srq_sge);
	OFFSET(ibv_device_attr, max_pkeys);
	OFFSET(ibv_device_attr, local_ca_ack_delay);
	OFFSET(ibv_device_attr, phys_port_cnt);

	SIZE(ibv_device_attr_ex);
	OFFSET(ibv_device_attr_ex, orig_attr);
	OFFSET(ibv_device_attr_ex, comp_mask);
	OFFSET(ibv_device_attr_ex, odp_caps);
	OFFSET(ibv_device_attr_ex, odp_caps.general_caps);
	OFFSET(ibv_device_attr_ex, odp_caps.per_transport_caps);
	OFFSET(ibv_device_attr_ex, odp_caps.per_transport_caps.rc_odp_caps);
	OFFSET(ibv_device_attr_ex, odp_caps.per_transport_caps.uc_odp_caps);
	OFFSET(ibv_device_attr_ex, odp_caps.per_transport_caps.ud_odp_caps);
	OFFSET(ibv_device_attr_ex, completion_timestamp_mask);
	OFFSET(ibv_device_attr_ex, hca_core_clock);
	OFFSET(ibv_device_attr_ex, device_cap_flags_ex);
	OFFSET(ibv_device_attr_ex, tso_caps);
	OFFSET(ibv_device_attr_ex, rss_caps);
	OFFSET(ibv_device_attr_ex, max_wq_type_rq);
	OFFSET(ibv_device_attr_ex, packet_pacing_caps);
	OFFSET(ibv_device_attr_ex, raw_packet_caps);
	OFFSET(ibv_device_attr_ex, tm_caps);
	OFFSET(ibv_device_attr_ex, cq_mod_caps);
	OFFSET(ibv_device_attr_ex, max_dm_size);
	OFFSET(ibv_device_attr_ex, pci_atomic_caps);
	OFFSET(ibv_device_attr_ex, pci_atomic_caps.fetch_add);
	OFFSET(ibv_device_attr_ex, pci_atomic_caps.swap);
	OFFSET(ibv_device_attr_ex, pci_atomic_caps.compare_swap);
	OFFSET(ibv_device_attr_ex, xrc_odp_caps);
	OFFSET(ibv_device_attr_ex, phys_port_cnt_ex);
}

static void constants(void)
{
	CONST(IBV_NODE_UNKNOWN);
	CONST(IBV_NODE_CA);
	CONST(IBV_NODE_SWITCH);
	CONST(IBV_NODE_ROUTER);
	CONST(IBV_NODE_RNIC);
	CONST(IBV_NODE_USNIC);
	CONST(IBV_NODE_USNIC_UDP);
	CONST(IBV_NODE_UNSPECIFIED);

	CONST(IBV_TRANSPORT_UNKNOWN);
	CONST(IBV_TRANSPORT_IB);
	CONST(IBV_TRANSPORT_IWARP);
	CONST(IBV_TRANSPORT_USNIC);
	CONST(IBV_TRANSPORT_USNIC_UDP);
	CONST(IBV_TRANSPORT_UNSPECIFIED);

	CONST(IBV_ACCESS_LOCAL_WRITE);
	CONST(IBV_ACCESS_REMOTE_WRITE);
	CONST(IBV_ACCESS_REMOTE_READ);
	CONST(IBV_ACCESS_REMOTE_ATOMIC);
	CONST(IBV_ACCESS_MW_BIND);
	CONST(IBV_ACCESS_ZERO_BASED);
	CONST(IBV_ACCESS_ON_DEMAND);
	CONST(IBV_ACCESS_HUGETLB);
	CONST(IBV_ACCESS_RELAXED_ORDERING);
	CONST(IBV_ACCESS_OPTIONAL_RANGE);

	CONST(IBV_ATOMIC_NONE);
	CONST(IBV_ATOMIC_HCA);
	CONST(IBV_ATOMIC_GLOB);
	CONST(IBV_ODP_SUPPORT);
	CONST(IBV_ODP_SUPPORT_IMPLICIT);
	CONST(IBV_DEVICE_MEM_WINDOW);
	CONST(IBV_DEVICE_MEM_WINDOW_TYPE_2A);
	CONST(IBV_DEVICE_MEM_WINDOW_TYPE_2B);

	CONST(EPERM);
	CONST(ENOENT);
	CONST(EINTR);
	CONST(EIO);
	CONST(ENXIO);
	CONST(EBADF);
	CONST(EAGAIN);
	CONST(ENOMEM);
	CONST(EACCES);
	CONST(EFAULT);
	CONST(EBUSY);
	CONST(ENODEV);
	CONST(EINVAL);
	CONST(ENFILE);
	CONST(EMFILE);
	CONST(ENOSPC);
	CONST(ENOSYS);
	CONST(EOVERFLOW);
	CONST(EPROTONOSUPPORT);
	CONST(EOPNOTSUPP);
	CONST(ETIMEDOUT);
}

int main(void)
{
	device();
	context();
	region();
	attributes();
	constants();
	return 0;
}
