/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps that programs may only read, or only write, with each helper that does either. */
#include "common.h"

#define MAP_OF(name, kind, flags)                                                                  \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, 4);                                                            \
		__uint(map_flags, flags);                                                          \
		__type(key, __u32);                                                                \
		__type(value, __u64);                                                              \
	} name SEC(".maps")
#define QUEUE_OF(name, kind, flags)                                                                \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, 4);                                                            \
		__uint(map_flags, flags);                                                          \
		__uint(value_size, 8);                                                             \
	} name SEC(".maps")
MAP_OF(array_r, BPF_MAP_TYPE_ARRAY, BPF_F_RDONLY_PROG);
MAP_OF(array_w, BPF_MAP_TYPE_ARRAY, BPF_F_WRONLY_PROG);
MAP_OF(array, BPF_MAP_TYPE_ARRAY, 0);
MAP_OF(array_user_r, BPF_MAP_TYPE_ARRAY, BPF_F_RDONLY);
MAP_OF(array_user_w, BPF_MAP_TYPE_ARRAY, BPF_F_WRONLY);
MAP_OF(hash_r, BPF_MAP_TYPE_HASH, BPF_F_RDONLY_PROG);
MAP_OF(hash_w, BPF_MAP_TYPE_HASH, BPF_F_WRONLY_PROG);
MAP_OF(hash, BPF_MAP_TYPE_HASH, 0);
MAP_OF(percpu_r, BPF_MAP_TYPE_PERCPU_HASH, BPF_F_RDONLY_PROG);
MAP_OF(percpu_w, BPF_MAP_TYPE_PERCPU_HASH, BPF_F_WRONLY_PROG);
MAP_OF(lru_r, BPF_MAP_TYPE_LRU_HASH, BPF_F_RDONLY_PROG);
MAP_OF(lru_w, BPF_MAP_TYPE_LRU_HASH, BPF_F_WRONLY_PROG);
MAP_OF(devs, BPF_MAP_TYPE_DEVMAP, 0);
MAP_OF(cpus, BPF_MAP_TYPE_CPUMAP, 0);
MAP_OF(socks, BPF_MAP_TYPE_SOCKMAP, 0);
QUEUE_OF(queue_r, BPF_MAP_TYPE_QUEUE, BPF_F_RDONLY_PROG);
QUEUE_OF(queue_w, BPF_MAP_TYPE_QUEUE, BPF_F_WRONLY_PROG);
QUEUE_OF(queue, BPF_MAP_TYPE_QUEUE, 0);
QUEUE_OF(piles_r, BPF_MAP_TYPE_STACK, BPF_F_RDONLY_PROG);
QUEUE_OF(piles_w, BPF_MAP_TYPE_STACK, BPF_F_WRONLY_PROG);
QUEUE_OF(bloom_r, BPF_MAP_TYPE_BLOOM_FILTER, BPF_F_RDONLY_PROG);
QUEUE_OF(bloom_w, BPF_MAP_TYPE_BLOOM_FILTER, BPF_F_WRONLY_PROG);

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 4);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_RDONLY_PROG);
	__uint(key_size, 8);
	__uint(value_size, 8);
} trie_r SEC(".maps");

static long count(void *map, __u32 *key, __u64 *v, __u64 *n)
{
	*n += *key;
	return 0;
}

static long reads(void *map, __u32 *key, __u64 *v, __u64 *n)
{
	*n += *v;
	return 0;
}

static long writes(void *map, __u32 *key, __u64 *v, __u64 *n)
{
	*v = *n;
	return 0;
}

#define CALL(kind, name, ...)                                                                      \
	SEC(kind) int name(void *ctx)                                                              \
	{                                                                                          \
		__u32 key = bpf_get_prandom_u32();                                                 \
		__u64 x = 0;                                                                       \
                                                                                                   \
		asm volatile("" : : "r"(&x), "r"(&key) : "memory");                                \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
#define TC(name, ...) CALL("tc", name, __VA_ARGS__)
#define FIND(m) __u64 *v = bpf_map_lookup_elem(&m, &key); if (!v) return 0
#define READ asm volatile("%0 = *(u64 *)(%1 + 0)" : "=r"(x) : "r"(v))
#define WRITE *v = 1

TC(ok_update, bpf_map_update_elem(&hash, &key, &x, 0))
TC(no_update_r, bpf_map_update_elem(&hash_r, &key, &x, 0))
TC(ok_update_w, bpf_map_update_elem(&hash_w, &key, &x, 0))
TC(no_update_array_r, bpf_map_update_elem(&array_r, &key, &x, 0))
TC(ok_update_array_w, bpf_map_update_elem(&array_w, &key, &x, 0))
TC(ok_update_array_user_r, bpf_map_update_elem(&array_user_r, &key, &x, 0))
TC(no_update_percpu_r, bpf_map_update_elem(&percpu_r, &key, &x, 0))
TC(ok_update_percpu_w, bpf_map_update_elem(&percpu_w, &key, &x, 0))
TC(no_update_lru_r, bpf_map_update_elem(&lru_r, &key, &x, 0))
TC(ok_update_lru_w, bpf_map_update_elem(&lru_w, &key, &x, 0))
TC(no_update_trie_r, bpf_map_update_elem(&trie_r, &x, &x, 0))
TC(ok_lookup_trie_r, bpf_map_lookup_elem(&trie_r, &x))
TC(ok_delete, bpf_map_delete_elem(&hash, &key))
TC(no_delete_r, bpf_map_delete_elem(&hash_r, &key))
TC(ok_delete_w, bpf_map_delete_elem(&hash_w, &key))
TC(no_delete_array_r, bpf_map_delete_elem(&array_r, &key))
TC(no_delete_lru_r, bpf_map_delete_elem(&lru_r, &key))
TC(ok_lookup_r, FIND(hash_r); READ)
TC(no_lookup_r, FIND(hash_r); WRITE)
TC(no_lookup_w, FIND(hash_w); READ)
TC(ok_lookup_w, FIND(hash_w); WRITE)
TC(ok_lookup_user_w, FIND(array_user_w); READ)
TC(ok_lookup_user_r, FIND(array_user_r); WRITE)
TC(no_lookup_percpu_r, FIND(percpu_r); WRITE)
TC(no_lookup_percpu_w, FIND(percpu_w); READ)
TC(no_lookup_of_cpu_r, __u64 *v = bpf_map_lookup_percpu_elem(&percpu_r, &key, 0); if (v) WRITE)
TC(ok_lookup_of_cpu_r, __u64 *v = bpf_map_lookup_percpu_elem(&percpu_r, &key, 0); if (v) READ)
TC(no_lookup_of_cpu_w, __u64 *v = bpf_map_lookup_percpu_elem(&percpu_w, &key, 0); if (v) READ)
TC(ok_push, bpf_map_push_elem(&queue, &x, 0))
TC(no_push_r, bpf_map_push_elem(&queue_r, &x, 0))
TC(ok_push_w, bpf_map_push_elem(&queue_w, &x, 0))
TC(ok_pop, bpf_map_pop_elem(&queue, &x))
TC(no_pop_r, bpf_map_pop_elem(&queue_r, &x))
TC(ok_pop_w, bpf_map_pop_elem(&queue_w, &x))
TC(ok_peek_r, bpf_map_peek_elem(&queue_r, &x))
TC(ok_peek_w, bpf_map_peek_elem(&queue_w, &x))
TC(no_push_pile_r, bpf_map_push_elem(&piles_r, &x, 0))
TC(no_pop_pile_r, bpf_map_pop_elem(&piles_r, &x))
TC(ok_push_pile_w, bpf_map_push_elem(&piles_w, &x, 0))
TC(no_push_bloom_r, bpf_map_push_elem(&bloom_r, &x, 0))
TC(ok_push_bloom_w, bpf_map_push_elem(&bloom_w, &x, 0))
TC(ok_peek_bloom_r, bpf_map_peek_elem(&bloom_r, &x))
TC(ok_peek_bloom_w, bpf_map_peek_elem(&bloom_w, &x))
TC(ok_each_r, bpf_for_each_map_elem(&hash_r, count, &x, 0))
TC(ok_each_reads_r, bpf_for_each_map_elem(&hash_r, reads, &x, 0))
TC(no_each_writes_r, bpf_for_each_map_elem(&hash_r, writes, &x, 0))
TC(ok_each_w, bpf_for_each_map_elem(&hash_w, count, &x, 0))
TC(no_each_reads_w, bpf_for_each_map_elem(&hash_w, reads, &x, 0))
TC(ok_each_writes_w, bpf_for_each_map_elem(&hash_w, writes, &x, 0))
TC(no_each_writes_array_r, bpf_for_each_map_elem(&array_r, writes, &x, 0))
TC(ok_value_r_as_memory, FIND(hash_r); bpf_map_update_elem(&hash, &key, v, 0))
TC(no_value_w_as_memory, FIND(hash_w); bpf_map_update_elem(&hash, &key, v, 0))
TC(no_value_r_filled, FIND(hash_r); bpf_skb_load_bytes(ctx, 0, v, 8))
TC(ok_value_w_filled, FIND(hash_w); bpf_skb_load_bytes(ctx, 0, v, 8))
TC(no_value_r_popped_into, FIND(hash_r); bpf_map_pop_elem(&queue, v))
TC(ok_value_w_popped_into, FIND(hash_w); bpf_map_pop_elem(&queue, v))
TC(ok_value_r_pushed, FIND(hash_r); bpf_map_push_elem(&queue, v, 0))
TC(no_value_w_pushed, FIND(hash_w); bpf_map_push_elem(&queue, v, 0))
TC(no_value_r_number, FIND(hash_r); bpf_strtol("1", 2, 0, (void *)v))
TC(ok_value_w_number, FIND(hash_w); bpf_strtol("1", 2, 0, (void *)v))
TC(ok_value_r_stored, FIND(hash_r); bpf_skb_store_bytes(ctx, 0, v, 8, 0))
TC(no_value_w_stored, FIND(hash_w); bpf_skb_store_bytes(ctx, 0, v, 8, 0))
TC(no_update_devs, bpf_map_update_elem(&devs, &key, &x, 0))
TC(no_delete_devs, bpf_map_delete_elem(&devs, &key))
TC(no_update_cpus, bpf_map_update_elem(&cpus, &key, &x, 0))
CALL("xdp", no_write_devs, __u32 *v = bpf_map_lookup_elem(&devs, &key); if (v) WRITE)
CALL("xdp", ok_read_devs, __u32 *v = bpf_map_lookup_elem(&devs, &key); if (v) READ)
CALL("xdp", ok_redirect_devs, bpf_redirect_map(&devs, 0, 0))
TC(ok_delete_socks, bpf_map_delete_elem(&socks, &key))
