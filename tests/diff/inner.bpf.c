// SPDX-License-Identifier: BSD-2-Clause
/* Maps of maps. */
#include "common.h"

struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 3);
	__type(key, __u32);
	__type(value, __u64);
};

struct inner first SEC(".maps"), second SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u32);
	__array(values, struct inner);
} outer SEC(".maps") = {.values = {&first, &second}};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u64);
	__array(values, struct inner);
} outer_hash SEC(".maps");

SEC("syscall")
int through(void *ctx)
{
	int r = 0;

#pragma unroll
	for (__u32 n = 0; n < 6; n++) {
		__u32 i = n, k = 2;
		void *map = bpf_map_lookup_elem(&outer, &i);
		__u64 *v;

		if (!map) {
			r += 10;
			continue;
		}
		v = bpf_map_lookup_elem(map, &k);
		if (v)
			*v += n + 1;
	}
	return r;
}

SEC("syscall")
int through_hash(void *ctx)
{
	__u64 k = 1;

	return bpf_map_lookup_elem(&outer_hash, &k) != NULL;
}

SEC("syscall")
int bad_inner_null(void *ctx)
{
	__u32 i = 0;
	void *map = bpf_map_lookup_elem(&outer, &i);
	__u64 *v = bpf_map_lookup_elem(map, &i);

	return v ? *v : 0;
}
