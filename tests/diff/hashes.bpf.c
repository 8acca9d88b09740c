// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hashes per CPU and with eviction, from programs. Which key goes is each engine's own affair; that
 * the newest stays, that the bound holds and that an update never fails is not.
 */
#include "common.h"

#define SIZE 64

#define HASH(name, kind)                                                                           \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, SIZE);                                                         \
		__type(key, __u32);                                                                \
		__type(value, __u64);                                                              \
	} name SEC(".maps")

HASH(percpu, BPF_MAP_TYPE_PERCPU_HASH);
HASH(lru, BPF_MAP_TYPE_LRU_HASH);
HASH(lru_percpu, BPF_MAP_TYPE_LRU_PERCPU_HASH);

/* Insert, change in place, read, delete, read again. */
#define BASIC(map)                                                                                 \
	SEC("syscall")                                                                             \
	int map##_basic(void *ctx)                                                                 \
	{                                                                                          \
		__u32 key = 7;                                                                     \
		__u64 value = 40, *v;                                                              \
		int r;                                                                             \
                                                                                                   \
		r = bpf_map_update_elem(&map, &key, &value, BPF_EXIST) ? 1 : 0;                    \
		r += bpf_map_update_elem(&map, &key, &value, BPF_NOEXIST) ? 100 : 0;               \
		r += bpf_map_update_elem(&map, &key, &value, BPF_NOEXIST) ? 10 : 0;                \
		v = bpf_map_lookup_elem(&map, &key);                                               \
		if (v)                                                                             \
			*v += 2;                                                                   \
		v = bpf_map_lookup_elem(&map, &key);                                               \
		r += v ? (int)*v * 1000 : 0;                                                       \
		r += bpf_map_delete_elem(&map, &key) ? 1000000 : 0;                                \
		r += bpf_map_lookup_elem(&map, &key) ? 1000000 : 0;                                \
		return r;                                                                          \
	}

BASIC(percpu)
BASIC(lru)
BASIC(lru_percpu)

/* Four times as many keys as there is room for: each is there right after it was put. */
#define OVERFLOW(map)                                                                              \
	SEC("syscall")                                                                             \
	int map##_overflow(void *ctx)                                                              \
	{                                                                                          \
		int failed = 0, lost = 0;                                                          \
                                                                                                   \
		for (__u32 i = 0; i < 4 * SIZE; i++) {                                             \
			__u32 key = i;                                                             \
			__u64 value = i, *v;                                                       \
                                                                                                   \
			failed += bpf_map_update_elem(&map, &key, &value, BPF_ANY) != 0;           \
			v = bpf_map_lookup_elem(&map, &key);                                       \
			lost += !v || *v != i;                                                     \
		}                                                                                  \
		for (__u32 i = 0; i < 4 * SIZE; i++) {                                             \
			__u32 key = i;                                                             \
                                                                                                   \
			bpf_map_delete_elem(&map, &key);                                           \
		}                                                                                  \
		return failed * 1000 + lost;                                                       \
	}

OVERFLOW(lru)
OVERFLOW(lru_percpu)

static long count(void *map, __u32 *key, __u64 *value, __u64 *ctx)
{
	*ctx += *value + 1;
	return 0;
}

SEC("syscall")
int percpu_walk(void *ctx)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < 10; i++) {
		__u32 key = i;
		__u64 value = i;

		bpf_map_update_elem(&percpu, &key, &value, BPF_ANY);
	}
	bpf_for_each_map_elem(&percpu, count, &sum, 0);
	for (__u32 i = 0; i < 10; i++) {
		__u32 key = i;

		bpf_map_delete_elem(&percpu, &key);
	}
	return sum;
}
