/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointers moved by constants, then passed where only the start of an object will do. */
#include "common.h"

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));
struct bpf_map {
	__u32 id;
} __attribute__((preserve_access_index));
extern int bpf_dynptr_from_skb(struct __sk_buff *s, __u64 flags, struct bpf_dynptr *p) __ksym;
extern __u32 bpf_dynptr_size(const struct bpf_dynptr *p) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *p, __u32 off, void *b, __u32 b__szk) __ksym;
extern int bpf_dynptr_clone(const struct bpf_dynptr *p, struct bpf_dynptr *c) __ksym;
extern int bpf_dynptr_adjust(const struct bpf_dynptr *p, __u32 start, __u32 end) __ksym;
extern void *bpf_cast_to_kern_ctx(void *obj) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} user_ring SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} socks SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, int);
} socks_int SEC(".maps");
char bytes[64];
long result;
#define MOVE(p, n) ({ void *q = (void *)(p); asm volatile("%0 += " #n : "+r"(q)); q; })
#define TC(name) SEC("tc") int name(struct __sk_buff *skb)
#define DRAIN(name, expr)                                                                          \
	static long cb_##name(struct bpf_dynptr *d, void *ctx) { expr; return 0; }                 \
	TC(name) { return bpf_user_ringbuf_drain(&user_ring, cb_##name, NULL, 0); }

/* The dynptr of a callback. */
DRAIN(ok_const_read, bpf_dynptr_read(bytes, 8, d, 0, 0))
DRAIN(no_const_read_moved, bpf_dynptr_read(bytes, 8, MOVE(d, 8), 0, 0))
DRAIN(no_const_read_moved_16, bpf_dynptr_read(bytes, 8, MOVE(d, 16), 0, 0))
DRAIN(no_const_write_moved, bpf_dynptr_write(MOVE(d, 16), 0, bytes, 8, 0))
DRAIN(no_const_data_moved, result = (long)bpf_dynptr_data(MOVE(d, 16), 0, 8))
DRAIN(ok_const_size, result = bpf_dynptr_size(d))
DRAIN(no_const_size_moved, result = bpf_dynptr_size(MOVE(d, 16)))
DRAIN(no_const_size_before, result = bpf_dynptr_size(MOVE(d, -16)))
DRAIN(ok_const_size_back, result = bpf_dynptr_size(MOVE(MOVE(d, 16), -16)))
DRAIN(no_const_size_far, result = bpf_dynptr_size(MOVE(d, 100000)))
DRAIN(no_const_size_random, result = bpf_dynptr_size((void *)d + (bpf_get_prandom_u32() & 16)))
DRAIN(no_const_slice_moved, result = (long)bpf_dynptr_slice(MOVE(d, 16), 0, NULL, 8))
DRAIN(no_const_adjust_moved, bpf_dynptr_adjust(MOVE(d, 16), 0, 1))
DRAIN(no_const_clone_moved, struct bpf_dynptr c; bpf_dynptr_clone(MOVE(d, 16), &c))
DRAIN(no_const_submit, bpf_ringbuf_submit_dynptr(d, 0))
DRAIN(no_const_made, bpf_dynptr_from_mem(bytes, 64, 0, d))
NOINLINE int global_size(const struct bpf_dynptr *d) { return bpf_dynptr_size(d); }
NOINLINE int global_size_moved(const struct bpf_dynptr *d) { return bpf_dynptr_size(MOVE(d, 16)); }
NOINLINE int global_read_moved(const struct bpf_dynptr *d) { return bpf_dynptr_read(bytes, 8, MOVE(d, 8), 0, 0); }
DRAIN(ok_const_global, result = global_size(d))
DRAIN(no_const_global_moved, result = global_size(MOVE(d, 16)))
TC(no_global_size_moved) { struct bpf_dynptr d; bpf_dynptr_from_mem(bytes, 64, 0, &d); return global_size_moved(&d); }
TC(no_global_read_moved) { struct bpf_dynptr d; bpf_dynptr_from_mem(bytes, 64, 0, &d); return global_read_moved(&d); }

/* The context. */
TC(ok_ctx) { struct bpf_dynptr d; return bpf_dynptr_from_skb(skb, 0, &d) & 1; }
TC(no_ctx_moved) { struct bpf_dynptr d; return bpf_dynptr_from_skb(MOVE(skb, 8), 0, &d) & 1; }
TC(ok_ctx_back) { struct bpf_dynptr d; return bpf_dynptr_from_skb(MOVE(MOVE(skb, 8), -8), 0, &d) & 1; }
TC(no_ctx_cast_moved) { return bpf_cast_to_kern_ctx(MOVE(skb, 8)) != NULL; }
TC(no_ctx_helper_moved) { return bpf_get_hash_recalc(MOVE(skb, 8)) & 1; }
NOINLINE int global_ctx(struct __sk_buff *skb) { return skb->len & 1; }
TC(ok_ctx_global) { return global_ctx(skb); }
TC(no_ctx_global_moved) { return global_ctx(MOVE(skb, 8)); }

/* Objects. */
TC(no_task_release_moved) { struct task_struct *t = bpf_task_from_pid(1); if (t) bpf_task_release(MOVE(t, 8)); return 0; }
TC(ok_task_release_back) { struct task_struct *t = bpf_task_from_pid(1); if (t) bpf_task_release(MOVE(MOVE(t, 8), -8)); return 0; }
TC(no_record_moved) { long *p = bpf_ringbuf_reserve(&ring, 16, 0); if (p) bpf_ringbuf_submit(MOVE(p, 8), 0); return 0; }
TC(ok_record_back) { long *p = bpf_ringbuf_reserve(&ring, 16, 0); if (p) bpf_ringbuf_submit(MOVE(MOVE(p, 8), -8), 0); return 0; }
TC(no_sock_moved) { struct bpf_sock *s = skb->sk; return s ? bpf_skc_to_tcp_sock(MOVE(s, 8)) != NULL : 0; }

/* What socket maps take. */
TC(no_hash_number) { __u64 k = 0; __u64 v = 1; return bpf_map_update_elem(&socks, &k, &v, 0) & 1; }
TC(no_int_number) { int k = 0; int v = 1; return bpf_map_update_elem(&socks_int, &k, &v, 0) & 1; }
TC(no_int_value_of_map) { int k = 0; return bpf_map_update_elem(&socks_int, &k, bytes, 0) & 1; }
TC(no_int_packet) { int k = 0; void *p = (void *)(long)skb->data; if (p + 8 > (void *)(long)skb->data_end) return 0; return bpf_map_update_elem(&socks_int, &k, p, 0) & 1; }
TC(no_int_null) { int k = 0; return bpf_map_update_elem(&socks_int, &k, NULL, 0) & 1; }
SEC("sk_reuseport") int no_reuse_number(void *ctx) { int k = 0; int v = 1; return bpf_map_update_elem(&socks_int, &k, &v, 0) & 1; }
SEC("sk_lookup") int no_lookup_number(void *ctx) { int k = 0; int v = 1; return bpf_map_update_elem(&socks_int, &k, &v, 0) & 1; }
SEC("socket") int no_socket_number(void *ctx) { int k = 0; int v = 1; return bpf_map_update_elem(&socks_int, &k, &v, 0) & 1; }
SEC("sk_skb/stream_verdict") int no_verdict_number(void *ctx) { int k = 0; int v = 1; return bpf_map_update_elem(&socks_int, &k, &v, 0) & 1; }
SEC("sockops") int no_ops_number(void *ctx) { int k = 0; int v = 1; return bpf_map_update_elem(&socks_int, &k, &v, 0) & 1; }
SEC("raw_tp") int no_raw_number(void *ctx) { int k = 0; int v = 1; return bpf_map_update_elem(&socks_int, &k, &v, 0) & 1; }
SEC("sk_skb/stream_verdict") int no_verdict_delete(void *ctx) { int k = 0; return bpf_map_delete_elem(&socks_int, &k) & 1; }
SEC("sockops") int ok_ops_delete(void *ctx) { int k = 0; return bpf_map_delete_elem(&socks_int, &k) & 1; }
SEC("raw_tp") int no_raw_delete(void *ctx) { int k = 0; return bpf_map_delete_elem(&socks_int, &k) & 1; }
