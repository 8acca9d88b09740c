/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynptrs: slices and what ends them, clones, halves, functions and callbacks, rings on all paths. */
#include "common.h"

extern int bpf_dynptr_from_skb(struct __sk_buff *s, __u64 flags, struct bpf_dynptr *p) __ksym;
extern int bpf_dynptr_from_skb_meta(struct __sk_buff *s, __u64 flags, struct bpf_dynptr *p) __ksym;
extern int bpf_dynptr_from_xdp(struct xdp_md *x, __u64 flags, struct bpf_dynptr *p) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *p, __u32 off, void *b, __u32 b__szk) __ksym;
extern void *bpf_dynptr_slice_rdwr(const struct bpf_dynptr *p, __u32 off, void *b,
				   __u32 b__szk) __ksym;
extern int bpf_dynptr_clone(const struct bpf_dynptr *p, struct bpf_dynptr *c) __ksym;
extern int bpf_dynptr_adjust(const struct bpf_dynptr *p, __u32 start, __u32 end) __ksym;
extern __u32 bpf_dynptr_size(const struct bpf_dynptr *p) __ksym;
extern bool bpf_dynptr_is_null(const struct bpf_dynptr *p) __ksym;
extern bool bpf_dynptr_is_rdonly(const struct bpf_dynptr *p) __ksym;
extern int bpf_dynptr_memset(struct bpf_dynptr *p, __u32 off, __u32 size, __u8 val) __ksym;
extern int bpf_dynptr_copy(struct bpf_dynptr *d, __u32 d_off, struct bpf_dynptr *s, __u32 s_off,
			   __u32 size) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long[4]);
} array SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct bpf_dynptr);
} kept SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} user_ring SEC(".maps");

char bytes[64];
long result;

#define TC(name) SEC("tc") int name(struct __sk_buff *skb)
#define SKB(d)                                                                                     \
	struct bpf_dynptr d;                                                                       \
	if (bpf_dynptr_from_skb(skb, 0, &d))                                                       \
	return 0
#define RING(d)                                                                                    \
	struct bpf_dynptr d;                                                                       \
	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d)
#define MEM(d)                                                                                     \
	struct bpf_dynptr d;                                                                       \
	bpf_dynptr_from_mem(bytes, sizeof(bytes), 0, &d)
#define READ(p) (result = *(volatile char *)(p))

/* Slices, and what ends them. */
#define AFTER(name, act)                                                                           \
	TC(name)                                                                                   \
	{                                                                                          \
		SKB(d);                                                                            \
		char b[8], *p = bpf_dynptr_slice(&d, 0, b, 8);                                     \
                                                                                                   \
		if (!p)                                                                            \
			return 0;                                                                  \
		act;                                                                               \
		READ(p);                                                                           \
		return 0;                                                                          \
	}
AFTER(ok_after_none, (void)0)
AFTER(no_after_store, bpf_skb_store_bytes(skb, 0, bytes, 4, 0))
AFTER(no_after_pull, bpf_skb_pull_data(skb, 0))
AFTER(no_after_write, bpf_dynptr_write(&d, 0, bytes, 4, 0))
AFTER(ok_after_read, bpf_dynptr_read(bytes, 4, &d, 0, 0))
AFTER(ok_after_load, bpf_skb_load_bytes(skb, 0, bytes, 4))
AFTER(ok_after_adjust, bpf_dynptr_adjust(&d, 1, 2))
AFTER(ok_after_size, result = bpf_dynptr_size(&d))
AFTER(ok_after_is_null, result = bpf_dynptr_is_null(&d))
AFTER(ok_after_memset, bpf_dynptr_memset(&d, 0, 4, 1))
AFTER(ok_after_copy, bpf_dynptr_copy(&d, 0, &d, 4, 4))
AFTER(ok_after_made_again, bpf_dynptr_from_skb(skb, 0, &d))
AFTER(ok_after_overwritten, *(volatile long *)&d = 0)
AFTER(ok_after_second_overwritten, ((volatile long *)&d)[1] = 0)
AFTER(ok_after_hash, bpf_get_hash_recalc(skb))
AFTER(no_after_vlan, bpf_skb_vlan_pop(skb))
AFTER(no_after_csum, bpf_l3_csum_replace(skb, 0, 0, 0, 2))
AFTER(no_after_redirect, bpf_clone_redirect(skb, 1, 0))
AFTER(ok_after_slice, READ(bpf_dynptr_slice(&d, 8, b, 8) ?: (void *)b))
AFTER(ok_after_buffer_written, b[0] = 1)
AFTER(no_after_past, READ(p + 8))
AFTER(ok_after_last, READ(p + 7))
AFTER(no_after_before, READ(p - 1))
AFTER(no_after_slice_written, *(volatile char *)p = 1)

#define CLONED(name, act)                                                                          \
	TC(name)                                                                                   \
	{                                                                                          \
		SKB(d);                                                                            \
		struct bpf_dynptr c;                                                               \
		char b[8], *p;                                                                     \
                                                                                                   \
		bpf_dynptr_clone(&d, &c);                                                          \
		p = bpf_dynptr_slice(&c, 0, b, 8);                                                 \
		if (!p)                                                                            \
			return 0;                                                                  \
		act;                                                                               \
		READ(p);                                                                           \
		return 0;                                                                          \
	}
CLONED(ok_cloned, (void)0)
CLONED(ok_cloned_first_overwritten, *(volatile long *)&d = 0)
CLONED(ok_cloned_overwritten, *(volatile long *)&c = 0)
CLONED(no_cloned_first_write, bpf_dynptr_write(&d, 0, bytes, 4, 0))
CLONED(ok_cloned_again, bpf_dynptr_clone(&d, &c))
CLONED(ok_cloned_onto_itself, bpf_dynptr_clone(&c, &c))
CLONED(no_cloned_onto_first, bpf_dynptr_clone(&c, &d); bpf_dynptr_write(&d, 0, bytes, 4, 0))
CLONED(ok_cloned_onto_first, bpf_dynptr_clone(&c, &d))

TC(no_slice_buffer_overlaps)
{
	SKB(d);
	char *p = bpf_dynptr_slice_rdwr(&d, 0, &d, 8);

	if (p)
		READ(p);
	return 0;
}
TC(no_slice_none)
{
	SKB(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 0);

	if (p)
		READ(p);
	return 0;
}
TC(ok_slice_none_unread)
{
	SKB(d);
	return bpf_dynptr_slice(&d, 0, NULL, 0) != NULL;
}
TC(no_slice_null_long)
{
	SKB(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 16);

	if (p)
		READ(p + 16);
	return 0;
}
TC(ok_slice_offset_random)
{
	SKB(d);
	char *p = bpf_dynptr_slice(&d, bpf_get_prandom_u32(), NULL, 16);

	if (p)
		READ(p + 15);
	return 0;
}
TC(ok_slice_kept_buffer_of_map)
{
	SKB(d);
	char *p = bpf_dynptr_slice_rdwr(&d, 0, bytes, 16);

	if (p)
		p[0] = 1;
	return 0;
}
TC(ok_slice_negative) { SKB(d); return bpf_dynptr_slice(&d, 0, NULL, -1) != NULL; }
TC(ok_slice_negative_2) { SKB(d); char *p = bpf_dynptr_slice(&d, 0, NULL, -1); if (p) READ(p); return 0; }
TC(ok_slice_huge) { SKB(d); char *p = bpf_dynptr_slice(&d, 0, NULL, 1 << 28); if (p) READ(p + 100000); return 0; }
TC(ok_local_slice_after_write)
{
	MEM(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 8);

	if (!p)
		return 0;
	bpf_dynptr_write(&d, 0, bytes, 4, 0);
	READ(p);
	return 0;
}
TC(no_write_from_slice)
{
	SKB(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 8);

	if (p)
		bpf_dynptr_read(p, 8, &d, 0, 0);
	return 0;
}
TC(ok_write_from_slice)
{
	SKB(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 8);

	if (p)
		bpf_dynptr_write(&d, 0, p, 8, 0);
	return 0;
}

/* Data. */
#define DATA(name, size, act)                                                                      \
	TC(name)                                                                                   \
	{                                                                                          \
		MEM(d);                                                                            \
		char *p = bpf_dynptr_data(&d, 0, size);                                            \
                                                                                                   \
		if (!p)                                                                            \
			return 0;                                                                  \
		act;                                                                               \
		return 0;                                                                          \
	}
DATA(ok_data_last, 8, READ(p + 7))
DATA(no_data_past, 8, READ(p + 8))
DATA(no_data_none, 0, READ(p))
DATA(ok_data_none, 0, result = 1)
DATA(ok_data_longer_than_memory, 1024, READ(p + 1023))
DATA(no_data_random, bpf_get_prandom_u32() & 7, result = 1)
DATA(ok_data_written, 8, p[0] = 1)
DATA(no_data_after_first, 8, *(volatile long *)&d = 0; READ(p))
DATA(no_data_after_made_again, 8, bpf_dynptr_from_mem(bytes, 64, 0, &d); READ(p))
DATA(ok_data_after_memset, 8, bpf_dynptr_memset(&d, 0, 1, 1); READ(p))
DATA(ok_data_negative, -1, result = 1)
DATA(no_data_negative, -1, READ(p - 1))
DATA(no_data_as_dynptr_source, 8, struct bpf_dynptr e; bpf_dynptr_from_mem(p, 8, 0, &e))
DATA(ok_data_as_buffer, 8, bpf_dynptr_read(p, 8, &d, 0, 0))
DATA(no_data_as_buffer_long, 8, bpf_dynptr_read(p, 9, &d, 0, 0))
TC(ok_data_of_skb) { SKB(d); return bpf_dynptr_data(&d, 0, 8) != NULL; }
TC(no_mem_of_stack) { long b = 0; struct bpf_dynptr d; return bpf_dynptr_from_mem(&b, 8, 0, &d); }
TC(ok_mem_none) { struct bpf_dynptr d; return bpf_dynptr_from_mem(bytes, 0, 0, &d); }
TC(ok_mem_flags) { struct bpf_dynptr d; return bpf_dynptr_from_mem(bytes, 8, 77, &d); }
TC(ok_mem_random) { struct bpf_dynptr d; return bpf_dynptr_from_mem(bytes, bpf_get_prandom_u32() & 63, 0, &d); }
TC(no_mem_random) { struct bpf_dynptr d; return bpf_dynptr_from_mem(bytes, bpf_get_prandom_u32() & 127, 0, &d); }

/* Rings. */
TC(ok_ring_clone_discarded) { RING(d); struct bpf_dynptr c; bpf_dynptr_clone(&d, &c); bpf_ringbuf_discard_dynptr(&c, 0); return 0; }
TC(no_ring_clone_both) { RING(d); struct bpf_dynptr c; bpf_dynptr_clone(&d, &c); bpf_ringbuf_discard_dynptr(&c, 0); bpf_ringbuf_discard_dynptr(&d, 0); return 0; }
TC(no_ring_clone_none) { RING(d); struct bpf_dynptr c; bpf_dynptr_clone(&d, &c); return 0; }
TC(no_ring_clone_overwritten) { RING(d); struct bpf_dynptr c; bpf_dynptr_clone(&d, &c); *(volatile long *)&c = 0; bpf_ringbuf_discard_dynptr(&d, 0); return 0; }
TC(no_ring_made_over) { RING(d); bpf_ringbuf_reserve_dynptr(&ring, 8, 0, &d); bpf_ringbuf_discard_dynptr(&d, 0); return 0; }
TC(no_ring_cloned_over) { RING(d); MEM(e); bpf_dynptr_clone(&e, &d); return 0; }
TC(no_ring_cloned_over_clone) { RING(d); MEM(e); struct bpf_dynptr c; bpf_dynptr_clone(&d, &c); bpf_dynptr_clone(&e, &c); bpf_ringbuf_discard_dynptr(&d, 0); return 0; }
TC(no_ring_one_path) { RING(d); if (skb->len) return 0; bpf_ringbuf_discard_dynptr(&d, 0); return 0; }
TC(ok_ring_both_paths) { RING(d); if (skb->len) bpf_ringbuf_submit_dynptr(&d, 0); else bpf_ringbuf_discard_dynptr(&d, 0); return 0; }
TC(ok_ring_used_again) { RING(d); bpf_ringbuf_discard_dynptr(&d, 0); bpf_dynptr_from_mem(bytes, 64, 0, &d); return bpf_dynptr_size(&d) & 1; }
TC(no_ring_size_after) { RING(d); bpf_ringbuf_discard_dynptr(&d, 0); return bpf_dynptr_size(&d) & 1; }
TC(no_ring_clone_size_after) { RING(d); struct bpf_dynptr c; bpf_dynptr_clone(&d, &c); bpf_ringbuf_discard_dynptr(&d, 0); return bpf_dynptr_size(&c) & 1; }
TC(no_ring_data_of_clone_after) { RING(d); struct bpf_dynptr c; bpf_dynptr_clone(&d, &c); char *p = bpf_dynptr_data(&c, 0, 8); bpf_ringbuf_submit_dynptr(&d, 0); if (p) READ(p); return 0; }
TC(no_ring_data_as_record) { RING(d); char *p = bpf_dynptr_data(&d, 0, 8); if (p) bpf_ringbuf_submit(p, 0); else bpf_ringbuf_submit_dynptr(&d, 0); return 0; }
TC(no_ring_tail_call) { RING(d); bpf_tail_call(skb, &array, 0); bpf_ringbuf_discard_dynptr(&d, 0); return 0; }
static NOINLINE void discard(struct bpf_dynptr *d) { bpf_ringbuf_discard_dynptr(d, 0); }
static NOINLINE void reserve(struct bpf_dynptr *d) { bpf_ringbuf_reserve_dynptr(&ring, 8, 0, d); }
TC(ok_ring_function) { RING(d); discard(&d); return 0; }
TC(no_ring_function_twice) { RING(d); discard(&d); discard(&d); return 0; }
TC(ok_ring_functions) { struct bpf_dynptr d; reserve(&d); discard(&d); return 0; }
TC(no_ring_functions_kept) { struct bpf_dynptr d; reserve(&d); return 0; }
static int discard_in_loop(__u32 i, struct bpf_dynptr *d) { bpf_ringbuf_discard_dynptr(d, 0); return 1; }
static int write_in_loop(__u32 i, struct bpf_dynptr *d) { bpf_dynptr_write(d, 0, bytes, 4, 0); return 0; }
static int size_in_loop(__u32 i, struct bpf_dynptr *d) { result = bpf_dynptr_size(d); return 0; }
static int make_in_loop(__u32 i, struct bpf_dynptr *d) { bpf_dynptr_from_mem(bytes, 64, 0, d); return 0; }
static int overwrite_in_loop(__u32 i, struct bpf_dynptr *d) { *(volatile long *)d = 0; return 0; }
TC(no_ring_loop_discard) { RING(d); bpf_loop(1, discard_in_loop, &d, 0); return 0; }
TC(ok_ring_loop_write) { RING(d); bpf_loop(3, write_in_loop, &d, 0); discard(&d); return 0; }
TC(ok_loop_size) { MEM(d); bpf_loop(3, size_in_loop, &d, 0); return 0; }
TC(no_loop_size_unset) { struct bpf_dynptr d; bpf_loop(3, size_in_loop, &d, 0); return 0; }
TC(no_loop_made) { struct bpf_dynptr d; bpf_loop(3, make_in_loop, &d, 0); return bpf_dynptr_size(&d) & 1; }
TC(ok_loop_made_over) { MEM(d); bpf_loop(3, make_in_loop, &d, 0); return bpf_dynptr_size(&d) & 1; }
TC(no_loop_overwritten) { MEM(d); bpf_loop(3, overwrite_in_loop, &d, 0); return bpf_dynptr_size(&d) & 1; }
TC(no_ring_loop_overwritten) { RING(d); bpf_loop(3, overwrite_in_loop, &d, 0); return 0; }
TC(no_slice_loop_write)
{
	SKB(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 8);

	bpf_loop(3, write_in_loop, &d, 0);
	if (p)
		READ(p);
	return 0;
}
TC(ok_slice_loop_made)
{
	MEM(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 8);

	bpf_loop(3, make_in_loop, &d, 0);
	if (p)
		READ(p);
	return 0;
}
NOINLINE int global_size(const struct bpf_dynptr *d) { return bpf_dynptr_size(d); }
NOINLINE int global_write(const struct bpf_dynptr *d) { return bpf_dynptr_write(d, 0, bytes, 4, 0); }
NOINLINE int global_adjust(const struct bpf_dynptr *d) { return bpf_dynptr_adjust(d, 1, 2); }
NOINLINE int global_discard(struct bpf_dynptr *d) { bpf_ringbuf_discard_dynptr(d, 0); return 0; }
TC(ok_global_size) { MEM(d); return global_size(&d); }
TC(ok_global_adjust) { MEM(d); return global_adjust(&d); }
TC(no_global_size_unset) { struct bpf_dynptr d; return global_size(&d); }
TC(no_global_discard) { RING(d); global_discard(&d); return 0; }
TC(ok_slice_global_write)
{
	SKB(d);
	char *p = bpf_dynptr_slice(&d, 0, NULL, 8);

	if (!p)
		return 0;
	global_write(&d);
	READ(p);
	return 0;
}
TC(ok_ring_global) { RING(d); global_size(&d); discard(&d); return 0; }
TC(no_global_null) { return global_size(NULL); }
static long drained_clone(struct bpf_dynptr *d, void *ctx) { struct bpf_dynptr c; bpf_dynptr_clone(d, &c); return bpf_dynptr_size(&c) & 1; }
static long drained_onto(struct bpf_dynptr *d, void *ctx) { MEM(c); bpf_dynptr_clone(&c, d); return 0; }
static long drained_adjust(struct bpf_dynptr *d, void *ctx) { bpf_dynptr_adjust(d, 0, 1); return 0; }
static long drained_memset(struct bpf_dynptr *d, void *ctx) { bpf_dynptr_memset(d, 0, 1, 1); return 0; }
static long drained_overwrite(struct bpf_dynptr *d, void *ctx) { *(volatile long *)d = 0; return 0; }
static long drained_read(struct bpf_dynptr *d, void *ctx) { result = *(volatile long *)d; return 0; }
static long drained_next(struct bpf_dynptr *d, void *ctx) { return bpf_dynptr_size((void *)d + 8) & 1; }
TC(ok_drain_clone) { return bpf_user_ringbuf_drain(&user_ring, drained_clone, NULL, 0); }
TC(no_drain_onto) { return bpf_user_ringbuf_drain(&user_ring, drained_onto, NULL, 0); }
TC(ok_drain_adjust) { return bpf_user_ringbuf_drain(&user_ring, drained_adjust, NULL, 0); }
TC(ok_drain_memset) { return bpf_user_ringbuf_drain(&user_ring, drained_memset, NULL, 0); }
TC(no_drain_overwrite) { return bpf_user_ringbuf_drain(&user_ring, drained_overwrite, NULL, 0); }
TC(no_drain_read) { return bpf_user_ringbuf_drain(&user_ring, drained_read, NULL, 0); }
TC(no_drain_next) { return bpf_user_ringbuf_drain(&user_ring, drained_next, NULL, 0); }

/* Read, copied and kept as bytes. */
TC(no_bytes_read) { MEM(d); result = *(volatile long *)&d; return 0; }
TC(no_bytes_kept) { MEM(d); int k = 0; return bpf_map_update_elem(&kept, &k, &d, 0); }
TC(no_bytes_of_map) { int k = 0; struct bpf_dynptr *d = bpf_map_lookup_elem(&kept, &k); return d ? bpf_dynptr_size(d) & 1 : 0; }
TC(no_bytes_map_made) { int k = 0; struct bpf_dynptr *d = bpf_map_lookup_elem(&kept, &k); return d ? bpf_dynptr_from_mem(bytes, 8, 0, d) : 0; }
TC(no_bytes_output) { MEM(d); return bpf_ringbuf_output(&ring, &d, 16, 0); }
TC(no_bytes_helper_over) { MEM(d); bpf_get_current_comm(&d, 16); return bpf_dynptr_size(&d) & 1; }
TC(no_ring_helper_over) { RING(d); bpf_get_current_comm(&d, 16); return 0; }
TC(no_ring_read_over) { RING(d); MEM(e); bpf_dynptr_read(&d, 16, &e, 0, 0); return 0; }
TC(no_shifted) { MEM(d); return bpf_dynptr_size((void *)&d + 8) & 1; }
TC(ok_copy) { MEM(d); SKB(e); return bpf_dynptr_copy(&d, 0, &e, 0, 8); }
TC(no_copy_unset) { MEM(d); struct bpf_dynptr e; return bpf_dynptr_copy(&d, 0, &e, 0, 8); }
TC(ok_rdonly) { SKB(d); return bpf_dynptr_is_rdonly(&d); }

/* Packets. */
SEC("xdp") int no_xdp_slice_after_adjust(struct xdp_md *x)
{
	struct bpf_dynptr d;
	char *p;

	bpf_dynptr_from_xdp(x, 0, &d);
	p = bpf_dynptr_slice(&d, 0, NULL, 8);
	if (!p)
		return 0;
	bpf_xdp_adjust_tail(x, 1);
	READ(p);
	return 0;
}
SEC("xdp") int ok_xdp_slice_written(struct xdp_md *x)
{
	struct bpf_dynptr d;
	char b[8], *p;

	bpf_dynptr_from_xdp(x, 0, &d);
	p = bpf_dynptr_slice_rdwr(&d, 0, b, 8);
	if (p)
		*(volatile char *)p = 1;
	return 2;
}
SEC("xdp") int ok_xdp_slice_after_write(struct xdp_md *x)
{
	struct bpf_dynptr d;
	char *p;

	bpf_dynptr_from_xdp(x, 0, &d);
	p = bpf_dynptr_slice(&d, 0, NULL, 8);
	if (!p)
		return 0;
	bpf_dynptr_write(&d, 0, bytes, 8, 0);
	READ(p);
	return 0;
}
SEC("cgroup_skb/egress") int no_egress_rdwr(struct __sk_buff *skb)
{
	SKB(d);
	char b[8], *p = bpf_dynptr_slice_rdwr(&d, 0, b, 8);

	return p != NULL;
}
SEC("cgroup_skb/egress") int ok_egress_write(struct __sk_buff *skb)
{
	SKB(d);
	return bpf_dynptr_write(&d, 0, bytes, 4, 0) & 1;
}
SEC("socket") int ok_socket(struct __sk_buff *skb) { SKB(d); return bpf_dynptr_size(&d); }
TC(ok_meta) { struct bpf_dynptr d; bpf_dynptr_from_skb_meta(skb, 0, &d); return bpf_dynptr_size(&d) & 1; }
TC(no_meta_after_write)
{
	struct bpf_dynptr d;
	char *p;

	bpf_dynptr_from_skb_meta(skb, 0, &d);
	p = bpf_dynptr_slice(&d, 0, NULL, 8);
	if (!p)
		return 0;
	bpf_dynptr_write(&d, 0, bytes, 8, 0);
	READ(p);
	return 0;
}
TC(no_meta_after_pull)
{
	struct bpf_dynptr d;
	char b[8], *p;

	bpf_dynptr_from_skb_meta(skb, 0, &d);
	p = bpf_dynptr_slice_rdwr(&d, 0, b, 8);
	if (!p)
		return 0;
	bpf_skb_pull_data(skb, 0);
	*(volatile char *)p = 1;
	return 0;
}
TC(ok_meta_rdwr)
{
	struct bpf_dynptr d;
	char b[8], *p;

	bpf_dynptr_from_skb_meta(skb, 0, &d);
	p = bpf_dynptr_slice_rdwr(&d, 0, b, 8);
	if (p)
		*(volatile char *)p = 1;
	return 0;
}
TC(ok_meta_data) { struct bpf_dynptr d; bpf_dynptr_from_skb_meta(skb, 0, &d); return bpf_dynptr_data(&d, 0, 8) != NULL; }
TC(ok_meta_clone)
{
	struct bpf_dynptr d, c;

	bpf_dynptr_from_skb_meta(skb, 0, &d);
	bpf_dynptr_clone(&d, &c);
	return bpf_dynptr_size(&c) & 1;
}
SEC("xdp") int no_meta_xdp(struct __sk_buff *skb) { struct bpf_dynptr d; bpf_dynptr_from_skb_meta(skb, 0, &d); return 0; }
