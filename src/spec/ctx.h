/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run-time contexts: what a program's context pointer points to while it runs.
 *
 * The uapi structs (__sk_buff, xdp_md) exist only for the program's author; rewrite turns each
 * access into one of these fields, as the tables in prog_type.c say. Packet pointers are real
 * addresses; 32-bit uapi fields load them whole.
 */
#ifndef SKEP_SPEC_CTX_H
#define SKEP_SPEC_CTX_H

#include "base/types.h"

struct skep_skb_ctx {
	u64 data, data_end, data_meta;
	u64 sk, flow_keys;
	u64 tstamp, hwtstamp;
	u32 len, pkt_type, mark, queue_mapping, protocol, vlan_present, vlan_tci, vlan_proto;
	u32 priority, ingress_ifindex, ifindex, tc_index;
	u32 cb[5];
	u32 hash, tc_classid, napi_id;
	u32 family, remote_ip4, local_ip4, remote_ip6[4], local_ip6[4], remote_port, local_port;
	u32 wire_len, gso_segs, gso_size;
	u8 tstamp_type;
	void *frame;	  /* the packet buffer behind it: helpers that change the packet */
	u64 mac, network; /* link-layer and network header, for LD_ABS with negative offsets */
};

struct skep_xdp_ctx {
	u64 data, data_end, data_meta;
	u64 data_hard_start, data_hard_end; /* room for adjust_head, adjust_tail */
	u32 ingress_ifindex, rx_queue_index, egress_ifindex;
	void *frame;
};

#endif
