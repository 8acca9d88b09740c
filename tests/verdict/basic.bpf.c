/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps, packets, loops and subprograms as compilers write them. */
#include "common.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} lru SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 64);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, 8);
	__uint(value_size, 8);
} trie SEC(".maps");

SEC("xdp") int ok_lru_checked(struct xdp_md *ctx)
{
	__u32 key = ctx->rx_queue_index;
	__u64 *v = bpf_map_lookup_elem(&lru, &key);

	return v ? *v & 1 : XDP_PASS;
}

SEC("xdp") int no_lru_unchecked(struct xdp_md *ctx)
{
	__u32 key = ctx->rx_queue_index;
	__u64 *v = bpf_map_lookup_elem(&lru, &key);

	return *v & 1;
}

SEC("xdp") int ok_trie(struct xdp_md *ctx)
{
	__u64 key = ctx->rx_queue_index;
	__u64 *v = bpf_map_lookup_elem(&trie, &key);

	return v ? *v & 1 : XDP_PASS;
}

SEC("xdp") int ok_packet(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	return data + 14 <= end ? data[13] & 1 : XDP_PASS;
}

SEC("xdp") int no_packet_short(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	return data + 13 <= end ? data[13] & 1 : XDP_PASS;
}
