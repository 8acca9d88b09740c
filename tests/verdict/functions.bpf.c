/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions: arguments by their types and tags, results, frames and their stack, tail calls,
 * callbacks and what they share with their callers.
 */
#include "common.h"

#define TAG(x) __attribute__((btf_decl_tag("arg:" #x)))
#define CTX TAG(ctx)
#define NONNULL TAG(nonnull)
#define NULLABLE TAG(nullable)
#define TRUSTED TAG(trusted)
#define UNTRUSTED TAG(untrusted)

/* Keeps the compiler from knowing X. */
#define HIDE(x) asm volatile("" : "+r"(x))

char bytes[64];
struct task_struct {
	int pid;
} __attribute__((preserve_access_index));
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;

struct pair {
	__u64 a, b;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct pair);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct pair);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} progs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} user_ring SEC(".maps");

struct timed {
	struct bpf_timer timer;
	long n;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct timed);
} timers SEC(".maps");

/* Static functions are walked with what their callers know. */
static NOINLINE int static_index(long i)
{
	return bytes[i];
}

static NOINLINE long static_id(long x)
{
	HIDE(x);
	return x;
}

SEC("tc") int ok_static_index(struct __sk_buff *skb)
{
	__u32 i = skb->len;

	return i < 64 ? static_index(i) & 1 : 0;
}

SEC("tc") int no_static_index(struct __sk_buff *skb)
{
	__u32 i = skb->len;

	return i < 65 ? static_index(i) & 1 : 0;
}

SEC("tc") int ok_static_result(struct __sk_buff *skb)
{
	return bytes[static_id(skb->len & 63)];
}

SEC("tc") int no_static_result(struct __sk_buff *skb)
{
	return bytes[static_id(skb->len & 64)];
}

/* Global ones are not: their results are any number, their arguments as well. */
NOINLINE int global_index(long i)
{
	return i >= 0 && i < 64 ? bytes[i] : 0;
}

NOINLINE int global_index_wide(long i)
{
	return i >= 0 && i < 65 ? bytes[i] : 0;
}

NOINLINE int global_trusting(long i)
{
	return bytes[i];
}

NOINLINE long global_id(long x)
{
	HIDE(x);
	return x;
}

SEC("tc") int ok_global_index(struct __sk_buff *skb)
{
	return global_index(skb->len) & 1;
}

SEC("tc") int no_global_index(struct __sk_buff *skb)
{
	return global_index_wide(skb->len) & 1;
}

SEC("tc") int no_global_trusting(struct __sk_buff *skb)
{
	return global_trusting(skb->len & 63) & 1;
}

SEC("tc") int no_global_result(struct __sk_buff *skb)
{
	return bytes[global_id(skb->len & 63)];
}

SEC("tc") int ok_global_result(struct __sk_buff *skb)
{
	return bytes[global_id(skb->len) & 63];
}

/* A global function that is never reached is not looked at. */
SEC("tc") int ok_global_dead(struct __sk_buff *skb)
{
	long x = 0;

	asm volatile("%0 = 0" : "=r"(x));
	if (x)
		return global_index_wide(skb->len) & 1;
	return 0;
}

/* Memory of the size of what is pointed to, perhaps NULL. */
NOINLINE int global_pair(struct pair *p)
{
	return p ? (int)p->b : 0;
}

NOINLINE int global_pair_unchecked(struct pair *p)
{
	return (int)p->b;
}

NOINLINE int global_pair_past(struct pair *p)
{
	return p ? (int)p[1].a : 0;
}

NOINLINE int global_pair_nonnull(struct pair *p NONNULL)
{
	return (int)p->b;
}

NOINLINE int global_pair_write(struct pair *p NONNULL)
{
	p->a = 1;
	return 0;
}

NOINLINE int global_int(int *p)
{
	return p ? *p : 0;
}

NOINLINE int global_two(struct pair *p NONNULL, struct pair *q NULLABLE)
{
	return (int)(p->a + (q ? q->a : 0));
}

NOINLINE int global_two_plain(struct pair *p NONNULL, struct pair *q)
{
	return (int)(p->a + (q ? q->a : 0));
}

NOINLINE int global_two_unchecked(struct pair *p NONNULL, struct pair *q)
{
	return (int)(p->a + q->a);
}

NOINLINE int global_void(void *p)
{
	return p != 0;
}

#define WITH(name, call)                                                                           \
	SEC("tc") int name(struct __sk_buff *skb)                                                  \
	{                                                                                          \
		struct pair pair = {1, 2}, other = {3, 4};                                         \
		__u32 key = skb->len, zero = 0;                                                    \
		struct pair *v = bpf_map_lookup_elem(&array, &key);                                \
		int n = 1;                                                                         \
		void *null = 0, *here = &pair;                                                     \
                                                                                                   \
		HIDE(null);                                                                        \
		asm volatile("" : "+r"(here) : "r"(&other), "r"(&n) : "memory");                    \
		n = call;                                                                          \
		return n & 1;                                                                      \
	}
/* A plain NULL passes for memory that is tagged as there. */
WITH(ok_pair, global_pair(here))
WITH(ok_pair_null, global_pair(null))
WITH(no_pair_unchecked, global_pair_unchecked(here))
WITH(no_pair_past, global_pair_past(here))
WITH(ok_pair_nonnull, global_pair_nonnull(here))
WITH(ok_pair_nonnull_null, global_pair_nonnull(null))
WITH(no_pair_nonnull_maybe, global_pair_nonnull(v))
WITH(ok_pair_nonnull_checked, v ? global_pair_nonnull(v) : 0)
WITH(ok_pair_maybe, global_pair(v))
WITH(ok_pair_write, global_pair_write(here))
WITH(no_pair_number, global_pair((void *)(long)skb->len))
WITH(no_pair_ctx, global_pair((void *)skb))
WITH(no_pair_small, global_pair((void *)&bytes[49]))
WITH(ok_pair_bytes, global_pair((void *)&bytes[48]))
WITH(ok_int, global_int(&n))
WITH(ok_int_key, global_int((int *)&key))
WITH(no_two_nullable, global_two(here, &other))
WITH(ok_two, global_two_plain(here, &other))
WITH(ok_two_null, global_two_plain(here, null))
WITH(ok_two_null_first, global_two_plain(null, here))
WITH(no_two_unchecked, global_two_unchecked(here, here))
WITH(ok_two_same, global_two_plain(here, here))
WITH(no_void, global_void(here))
WITH(no_pointer_as_number, global_id((long)here))
WITH(no_pair_rdonly, global_pair_write((void *)bpf_map_lookup_elem(&hash, &key)))

/* What the function wrote is not known any more. */
SEC("tc") NAKED int no_written_by_global(void)
{
	asm volatile("*(u64 *)(r10 - 8) = 5; *(u64 *)(r10 - 16) = 5; r1 = r10; r1 += -16; call global_pair_write;"
		     "r1 = *(u64 *)(r10 - 8); r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0); r0 = 0; exit;"
		     : : __imm_addr(bytes));
}

SEC("tc") NAKED int ok_not_written_by_global(void)
{
	asm volatile("*(u64 *)(r10 - 24) = 5; *(u64 *)(r10 - 16) = 5; r1 = r10; r1 += -16; call global_pair_write;"
		     "r1 = *(u64 *)(r10 - 24); r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0); r0 = 0; exit;"
		     : : __imm_addr(bytes));
}

/* The context: by its type, or by the tag. */
NOINLINE int global_skb(struct __sk_buff *skb)
{
	return skb->len;
}

NOINLINE int global_ctx(void *ctx CTX)
{
	return ((struct __sk_buff *)ctx)->len;
}

NOINLINE int global_xdp(struct xdp_md *ctx)
{
	return ctx->rx_queue_index;
}

SEC("tc") int ok_skb(struct __sk_buff *skb)
{
	return global_skb(skb) & 1;
}

SEC("tc") int no_skb_stack(struct __sk_buff *skb)
{
	struct __sk_buff fake = {};

	return global_skb(&fake) & 1;
}

SEC("tc") int no_skb_inside(struct __sk_buff *skb)
{
	return global_skb((void *)&skb->mark) & 1;
}

SEC("tc") int ok_ctx_tag(struct __sk_buff *skb)
{
	return global_ctx(skb) & 1;
}

SEC("tc") int no_ctx_tag_stack(struct __sk_buff *skb)
{
	return global_ctx(bytes) & 1;
}

SEC("tc") int no_xdp_in_tc(struct __sk_buff *skb)
{
	return global_xdp((void *)skb) & 1;
}

SEC("xdp") int ok_xdp(struct xdp_md *ctx)
{
	return global_xdp(ctx) & 1;
}

/* Tasks. */
NOINLINE int global_task(struct task_struct *t TRUSTED)
{
	struct task_struct *p = bpf_task_acquire(t);

	if (p)
		bpf_task_release(p);
	return 0;
}

NOINLINE int global_task_nullable(struct task_struct *t TRUSTED NULLABLE)
{
	struct task_struct *p;

	if (!t)
		return 0;
	p = bpf_task_acquire(t);
	if (p)
		bpf_task_release(p);
	return 0;
}

NOINLINE int global_task_nullable_unchecked(struct task_struct *t TRUSTED NULLABLE)
{
	struct task_struct *p = bpf_task_acquire(t);

	if (p)
		bpf_task_release(p);
	return 0;
}

NOINLINE int global_task_untrusted(struct task_struct *t UNTRUSTED)
{
	struct task_struct *p = bpf_task_acquire(t);

	if (p)
		bpf_task_release(p);
	return 0;
}

NOINLINE int global_task_released(struct task_struct *t TRUSTED)
{
	bpf_task_release(t);
	return 0;
}

#define TASK(name, call)                                                                           \
	SEC("tp_btf/sched_wakeup") int name(__u64 *ctx)                                            \
	{                                                                                          \
		struct task_struct *t = (void *)ctx[0];                                            \
                                                                                                   \
		return call;                                                                       \
	}
TASK(ok_task, global_task(t))
TASK(no_task_null, global_task(0))
TASK(ok_task_nullable, global_task_nullable(0))
TASK(no_task_nullable_unchecked, global_task_nullable_unchecked(t))
TASK(no_task_untrusted, global_task_untrusted(t))
TASK(no_task_released, global_task_released(t))
TASK(no_task_number, global_task((void *)bpf_get_current_task()))
TASK(no_task_stack, global_task((void *)bytes))

/* Results of functions. */
NOINLINE void global_returns_void(long x)
{
	HIDE(x);
}

NOINLINE struct pair *global_returns_pointer(struct pair *p)
{
	HIDE(p);
	return p;
}

SEC("tc") int no_returns_void(struct __sk_buff *skb)
{
	global_returns_void(skb->len);
	return 0;
}

SEC("tc") int no_returns_pointer(struct __sk_buff *skb)
{
	struct pair pair = {};

	return global_returns_pointer(&pair) != 0;
}

static NOINLINE struct pair *static_lookup(__u32 key)
{
	return bpf_map_lookup_elem(&array, &key);
}

SEC("tc") int ok_returns_value(struct __sk_buff *skb)
{
	struct pair *p = static_lookup(skb->len);

	return p ? p->b & 1 : 0;
}

SEC("tc") int no_returns_value(struct __sk_buff *skb)
{
	struct pair *p = static_lookup(skb->len);

	return p->b & 1;
}

#define STATIC(name, text)                                                                         \
	static NOINLINE __attribute__((used)) NAKED long name(void)                                                    \
	{                                                                                          \
		asm volatile(text : : __imm_addr(bytes));                                          \
	}
#define MAIN(kind, name, text)                                                                     \
	SEC(kind) NAKED int name(void)                                                             \
	{                                                                                          \
		asm volatile(text "9: r0 = 0; exit;"                                               \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), [loop] "i"(bpf_loop),            \
			       [tail] "i"(bpf_tail_call), __imm_addr(bytes), __imm_addr(progs));   \
	}
STATIC(frame_out, "r0 = r10; exit;")
STATIC(frame_unset, "exit;")
STATIC(frame_r6, "r0 = r6; exit;")
STATIC(frame_r2, "r0 = r2; exit;")
STATIC(frame_r1, "r0 = r1; exit;")
STATIC(frame_keeps, "*(u64 *)(r1 + 0) = r10; r0 = 0; exit;")
STATIC(frame_keeps_its, "*(u64 *)(r1 + 0) = r1; r0 = 0; exit;")
STATIC(frame_writes, "*(u64 *)(r1 + 0) = 5; r0 = 0; exit;")
STATIC(frame_reads, "r0 = *(u64 *)(r1 + 0); exit;")
STATIC(frame_reads_above, "r0 = *(u64 *)(r1 + 8); exit;")
STATIC(frame_breaks_r6, "r6 = 0; r7 = 0; r0 = 0; exit;")
MAIN("tc", no_frame_out, "call frame_out;")
MAIN("tc", no_frame_unset, "call frame_unset; r1 = r0;")
MAIN("tc", no_frame_r6, "r6 = 1; call frame_r6;")
MAIN("tc", no_frame_r2, "call frame_r2;")
MAIN("tc", ok_frame_r2, "r2 = 1; call frame_r2;")
MAIN("tc", no_frame_kept, "r1 = r10; r1 += -8; call frame_keeps;")
MAIN("tc", no_frame_kept_its, "r1 = r10; r1 += -8; call frame_keeps_its; r1 = *(u64 *)(r10 - 8); r0 = *(u64 *)(r1 + 0);")
MAIN("tc", ok_frame_writes, "r1 = r10; r1 += -8; call frame_writes; r1 = *(u64 *)(r10 - 8); r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 58);")
MAIN("tc", no_frame_writes, "r1 = r10; r1 += -8; call frame_writes; r1 = *(u64 *)(r10 - 8); r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 59);")
MAIN("tc", ok_frame_reads, "*(u64 *)(r10 - 8) = 63; r1 = r10; r1 += -8; call frame_reads; r2 = %[bytes] ll; r2 += r0; r0 = *(u8 *)(r2 + 0);")
MAIN("tc", no_frame_reads, "*(u64 *)(r10 - 8) = 64; r1 = r10; r1 += -8; call frame_reads; r2 = %[bytes] ll; r2 += r0; r0 = *(u8 *)(r2 + 0);")
MAIN("tc", no_frame_reads_above, "*(u64 *)(r10 - 8) = 63; r1 = r10; r1 += -8; call frame_reads_above;")
MAIN("tc", ok_frame_breaks_r6, "r6 = r1; call frame_breaks_r6; r0 = *(u32 *)(r6 + 0);")
MAIN("tc", no_frame_breaks_r1, "r6 = r1; call frame_breaks_r6; r0 = *(u32 *)(r1 + 0);")
MAIN("tc", ok_frame_returns_stack, "r1 = r10; r1 += -8; *(u64 *)(r10 - 8) = 0; r6 = r1; call frame_reads; r0 = *(u64 *)(r6 + 0);")
MAIN("tc", no_frame_returns_callers, "r1 = r10; r1 += -8; call frame_r1;")

/* Stack: 512 bytes along a chain; frames, rounded up to 16. Private where probes run. */
STATIC(deep_256, "*(u64 *)(r10 - 256) = 0; r0 = 0; exit;")
STATIC(deep_264, "*(u64 *)(r10 - 264) = 0; r0 = 0; exit;")
STATIC(deep_512, "*(u64 *)(r10 - 512) = 0; r0 = 0; exit;")
STATIC(deep_twice, "*(u64 *)(r10 - 128) = 0; call deep_256; r0 = 0; exit;")
MAIN("tc", ok_deep, "*(u64 *)(r10 - 256) = 0; call deep_256;")
MAIN("tc", no_deep, "*(u64 *)(r10 - 256) = 0; call deep_264;")
MAIN("tc", no_deep_caller, "*(u64 *)(r10 - 264) = 0; call deep_256;")
MAIN("tc", ok_deep_rounded, "*(u64 *)(r10 - 248) = 0; call deep_256;")
MAIN("tc", ok_deep_side_by_side, "*(u64 *)(r10 - 256) = 0; call deep_256; call deep_256;")
MAIN("tc", ok_deep_three, "*(u64 *)(r10 - 128) = 0; call deep_twice;")
MAIN("tc", no_deep_three, "*(u64 *)(r10 - 136) = 0; call deep_twice;")
MAIN("tc", no_deep_all, "call deep_512; *(u64 *)(r10 - 8) = 0;")
MAIN("tp/sched/sched_switch", ok_deep_private, "*(u64 *)(r10 - 512) = 0; call deep_512;")
MAIN("raw_tp/sched_switch", ok_deep_raw_private, "*(u64 *)(r10 - 512) = 0; call deep_512;")
MAIN("perf_event", ok_deep_perf_private, "*(u64 *)(r10 - 512) = 0; call deep_512;")
MAIN("xdp", no_deep_xdp, "*(u64 *)(r10 - 512) = 0; call deep_512;")

/* Frames: eight. */
STATIC(down_1, "r0 = 0; exit;")
STATIC(down_2, "call down_1; exit;")
STATIC(down_3, "call down_2; exit;")
STATIC(down_4, "call down_3; exit;")
STATIC(down_5, "call down_4; exit;")
STATIC(down_6, "call down_5; exit;")
STATIC(down_7, "call down_6; exit;")
STATIC(down_8, "call down_7; exit;")
STATIC(itself, "call itself; exit;")
STATIC(itself_sometimes, "if r1 == 0 goto 1f; r1 = 0; call itself_sometimes; 1: r0 = 0; exit;")
MAIN("tc", ok_down, "call down_7;")
MAIN("tc", no_down, "call down_8;")
MAIN("tc", no_itself, "call itself;")
MAIN("tc", no_itself_sometimes, "r1 = 1; call itself_sometimes;")

/* Tail calls. */
NOINLINE int tails_globally(struct __sk_buff *skb)
{
	bpf_tail_call(skb, &progs, 1);
	return 0;
}

SEC("tc") int ok_tail(struct __sk_buff *skb)
{
	bpf_tail_call(skb, &progs, 1);
	return 0;
}

SEC("tc") int no_tail_array(struct __sk_buff *skb)
{
	bpf_tail_call(skb, &array, 1);
	return 0;
}

SEC("tc") int no_tail_stack(struct __sk_buff *skb)
{
	bpf_tail_call(bytes, &progs, 1);
	return 0;
}

static NOINLINE __attribute__((used)) NAKED int tails_naked(void)
{
	asm volatile("*(u64 *)(r10 - 256) = 0; r2 = %[progs] ll; r3 = 1; call %[tail]; r0 = 0; exit;"
		     : : [tail] "i"(bpf_tail_call), __imm_addr(progs));
}

MAIN("tc", ok_tail_in_static, "*(u64 *)(r10 - 240) = 0; call tails_naked;")
MAIN("tc", no_tail_in_static, "*(u64 *)(r10 - 248) = 0; call tails_naked;")

SEC("tc") int ok_tail_in_global(struct __sk_buff *skb)
{
	return tails_globally(skb) & 1;
}

SEC("tc") int no_tail_reference(struct __sk_buff *skb)
{
	long *r = bpf_ringbuf_reserve(&ring, 8, 0);

	if (!r)
		return 0;
	bpf_tail_call(skb, &progs, 1);
	bpf_ringbuf_discard(r, 0);
	return 0;
}

SEC("tc") int no_tail_packet(struct __sk_buff *skb)
{
	__u8 *data = (void *)(long)skb->data;

	if (data + 8 > (__u8 *)(long)skb->data_end)
		return 0;
	tails_globally(skb);
	return data[0] & 1;
}

/* Callbacks: what they know is what holds at every turn. */
struct state {
	long i, n;
	void *p;
};

#define CALLBACK(name, text)                                                                       \
	static long name(__u32 i, struct state *s)                                                 \
	{                                                                                          \
		text;                                                                              \
	}
CALLBACK(cb_zero, return 0)
CALLBACK(cb_one, return 1)
CALLBACK(cb_two, return 2)
CALLBACK(cb_random, return bpf_get_prandom_u32() & 1)
CALLBACK(cb_wide, return bpf_get_prandom_u32() & 3)
CALLBACK(cb_up, s->i++; return 0)
CALLBACK(cb_set, s->i = 64; return 0)
CALLBACK(cb_set_less, s->i = 5; return 0)
CALLBACK(cb_use, bytes[s->i & 63] = 1; return 0)
CALLBACK(cb_trust, bytes[s->i] = 1; return 0)
CALLBACK(cb_trust_set, bytes[s->i] = 1; s->i = 64; return 0)
CALLBACK(cb_trust_set_less, bytes[s->i] = 1; s->i = 5; return 0)
CALLBACK(cb_trust_up, bytes[s->i] = 1; s->i++; return 0)
CALLBACK(cb_trust_up_bounded, bytes[s->i] = 1; if (s->i < 63) s->i++; return 0)
CALLBACK(cb_index, bytes[i] = 1; return 0)
CALLBACK(cb_index_bounded, if (i < 64) bytes[i] = 1; return 0)
CALLBACK(cb_ruin, s->p = 0; return 0)
CALLBACK(cb_follow, *(char *)s->p = 1; return 0)
CALLBACK(cb_follow_ruin, *(char *)s->p = 1; s->p = 0; return 0)
CALLBACK(cb_nest, bpf_loop(4, cb_up, s, 0); return 0)
CALLBACK(cb_nest_trust, bpf_loop(4, cb_trust, s, 0); return 0)
CALLBACK(cb_nest_twice, bpf_loop(4, cb_nest, s, 0); return 0)
CALLBACK(cb_reserve, bpf_ringbuf_reserve(&ring, 8, 0); return 0)
CALLBACK(cb_release, bpf_ringbuf_discard(s->p, 0); return 0)
CALLBACK(cb_reserve_release, void *r = bpf_ringbuf_reserve(&ring, 8, 0); if (r) bpf_ringbuf_discard(r, 0); return 0)

#define LOOP(name, times, cb, after)                                                               \
	SEC("tc") int name(struct __sk_buff *skb)                                                  \
	{                                                                                          \
		struct state s = {};                                                               \
		void *p = bytes;                                                                   \
                                                                                                   \
		HIDE(p);                                                                           \
		s.p = p;                                                                           \
		bpf_loop(times, cb, &s, 0);                                                        \
		after;                                                                             \
		return 0;                                                                          \
	}
LOOP(ok_cb_zero, 10, cb_zero, )
LOOP(ok_cb_one, 10, cb_one, )
LOOP(no_cb_two, 10, cb_two, )
LOOP(ok_cb_random, 10, cb_random, )
LOOP(no_cb_wide, 10, cb_wide, )
LOOP(ok_up_then_index, 10, cb_up, bytes[s.i] = 1)
LOOP(ok_up_64_then_index, 63, cb_up, bytes[s.i] = 1)
LOOP(no_up_64_then_index, 64, cb_up, bytes[s.i] = 1)
LOOP(no_up_then_index, skb->len, cb_up, bytes[s.i] = 1)
LOOP(ok_up_then_bounded, 10, cb_up, if (s.i >= 0 && s.i < 64) bytes[s.i] = 1)
LOOP(no_set_then_index, 10, cb_set, bytes[s.i] = 1)
LOOP(ok_set_less_then_index, 10, cb_set_less, bytes[s.i] = 1)
LOOP(ok_use, 10, cb_use, )
LOOP(ok_trust, 10, cb_trust, )
LOOP(no_trust_set, 10, cb_trust_set, )
LOOP(ok_trust_set_once, 1, cb_trust_set, )
LOOP(no_trust_set_random, skb->len, cb_trust_set, )
LOOP(ok_trust_set_less, 10, cb_trust_set_less, )
LOOP(ok_trust_up_few, 10, cb_trust_up, )
LOOP(ok_trust_up_all, 64, cb_trust_up, )
LOOP(no_trust_up_more, 65, cb_trust_up, )
LOOP(no_trust_up_random, skb->len, cb_trust_up, )
LOOP(ok_trust_up_bounded, 1000, cb_trust_up_bounded, )
LOOP(no_index, 64, cb_index, )
LOOP(ok_index_bounded, 100, cb_index_bounded, )
LOOP(ok_follow, 10, cb_follow, )
LOOP(no_follow_ruin, 10, cb_follow_ruin, )
LOOP(ok_follow_ruin_once, 1, cb_follow_ruin, )
LOOP(no_ruin_then_follow, 10, cb_ruin, *(char *)s.p = 1)
LOOP(ok_ruin_never, 0, cb_ruin, *(char *)s.p = 1)
LOOP(ok_nest, 10, cb_nest, )
LOOP(no_nest_then_index, skb->len, cb_nest, bytes[s.i] = 1)
LOOP(ok_nest_trust, 10, cb_nest_trust, )
LOOP(ok_nest_twice, 10, cb_nest_twice, )
LOOP(no_cb_reserve, 10, cb_reserve, )
LOOP(ok_cb_reserve_release, 10, cb_reserve_release, )

SEC("tc") int no_cb_release(struct __sk_buff *skb)
{
	struct state s = {.p = bpf_ringbuf_reserve(&ring, 8, 0)};

	if (!s.p)
		return 0;
	bpf_loop(1, cb_release, &s, 0);
	return 0;
}

SEC("tc") int ok_cb_around_record(struct __sk_buff *skb)
{
	struct state s = {};
	void *r = bpf_ringbuf_reserve(&ring, 8, 0);

	if (!r)
		return 0;
	bpf_loop(5, cb_up, &s, 0);
	bpf_ringbuf_discard(r, 0);
	return 0;
}

SEC("tc") int ok_loop_null(struct __sk_buff *skb)
{
	return bpf_loop(5, cb_zero, 0, 0) & 1;
}

SEC("tc") int no_loop_null(struct __sk_buff *skb)
{
	return bpf_loop(5, cb_up, 0, 0) & 1;
}

SEC("tc") int no_loop_flags(struct __sk_buff *skb)
{
	struct state s = {};
	long n = bpf_loop(5, cb_up, &s, 1);

	bytes[n] = 1;
	return 0;
}

NOINLINE long cb_global(__u32 i, void *s)
{
	return 0;
}

SEC("tc") int no_loop_global(struct __sk_buff *skb)
{
	return bpf_loop(5, cb_global, 0, 0) & 1;
}

/* The other functions that call back. */
static long each(void *map, __u32 *key, struct pair *v, struct state *s)
{
	s->n += *key + v->a;
	v->b = 1;
	return 0;
}

static long each_writes_key(void *map, __u32 *key, struct pair *v, struct state *s)
{
	*key = 1;
	return 0;
}

static long each_past_key(void *map, __u32 *key, struct pair *v, struct state *s)
{
	s->n += key[1];
	return 0;
}

static long each_past_value(void *map, __u32 *key, struct pair *v, struct state *s)
{
	s->n += v[1].a;
	return 0;
}

static long each_two(void *map, __u32 *key, struct pair *v, struct state *s)
{
	return 2;
}

static long each_looks_up(void *map, __u32 *key, struct pair *v, struct state *s)
{
	struct pair *p = bpf_map_lookup_elem(map, key);

	if (p)
		s->n += p->b;
	return 0;
}

static long each_looks_up_unchecked(void *map, __u32 *key, struct pair *v, struct state *s)
{
	struct pair *p = bpf_map_lookup_elem(map, key);

	s->n += p->b;
	return 0;
}

#define EACH(name, map, cb)                                                                        \
	SEC("tc") int name(struct __sk_buff *skb)                                                  \
	{                                                                                          \
		struct state s = {};                                                               \
                                                                                                   \
		bpf_for_each_map_elem(&map, cb, &s, 0);                                            \
		return s.n & 1;                                                                    \
	}
EACH(ok_each, array, each)
EACH(ok_each_hash, hash, each)
EACH(no_each_ring, ring, each)
EACH(no_each_progs, progs, each)
EACH(no_each_writes_key, hash, each_writes_key)
EACH(no_each_past_key, hash, each_past_key)
EACH(no_each_past_value, hash, each_past_value)
EACH(no_each_two, hash, each_two)
EACH(ok_each_looks_up, hash, each_looks_up)
EACH(no_each_looks_up_unchecked, hash, each_looks_up_unchecked)

struct vm_area_struct {
	unsigned long vm_start;
} __attribute__((preserve_access_index));

static long vma_reads(struct task_struct *t, struct vm_area_struct *vma, struct state *s)
{
	s->n = vma->vm_start;
	return 0;
}

static long vma_writes(struct task_struct *t, struct vm_area_struct *vma, struct state *s)
{
	vma->vm_start = 0;
	return 0;
}

static long vma_two(struct task_struct *t, struct vm_area_struct *vma, struct state *s)
{
	return 2;
}

#define VMA(name, cb)                                                                              \
	SEC("raw_tp/sys_enter") int name(void *ctx)                                                \
	{                                                                                          \
		struct state s = {};                                                               \
                                                                                                   \
		bpf_find_vma(bpf_get_current_task_btf(), 0, cb, &s, 0);                            \
		return s.n & 1;                                                                    \
	}
VMA(ok_vma, vma_reads)
VMA(no_vma_writes, vma_writes)
VMA(no_vma_two, vma_two)

static long drain_zero(struct bpf_dynptr *d, struct state *s)
{
	__u64 x = 0;

	bpf_dynptr_read(&x, 8, d, 0, 0);
	s->n += x;
	return 0;
}

static long drain_two(struct bpf_dynptr *d, struct state *s)
{
	return 2;
}

static long drain_submits(struct bpf_dynptr *d, struct state *s)
{
	bpf_ringbuf_discard_dynptr(d, 0);
	return 0;
}

#define DRAIN(name, map, cb)                                                                       \
	SEC("raw_tp/sys_enter") int name(void *ctx)                                                \
	{                                                                                          \
		struct state s = {};                                                               \
                                                                                                   \
		bpf_user_ringbuf_drain(&map, cb, &s, 0);                                           \
		return s.n & 1;                                                                    \
	}
DRAIN(ok_drain, user_ring, drain_zero)
DRAIN(no_drain_ring, ring, drain_zero)
DRAIN(no_drain_two, user_ring, drain_two)
DRAIN(no_drain_submits, user_ring, drain_submits)

static int timer_loops(void *map, __u32 *key, struct timed *v)
{
	struct state s = {};

	bpf_loop(10, cb_up, &s, 0);
	v->n = s.i;
	return 0;
}

static int timer_loops_two(void *map, __u32 *key, struct timed *v)
{
	struct state s = {};

	bpf_loop(10, cb_two, &s, 0);
	return 0;
}

static int timer_one(void *map, __u32 *key, struct timed *v)
{
	return 1;
}

static int timer_leaks(void *map, __u32 *key, struct timed *v)
{
	bpf_ringbuf_reserve(&ring, 8, 0);
	return 0;
}

static int timer_past(void *map, __u32 *key, struct timed *v)
{
	v[1].n = 0;
	return 0;
}

#define TIMER(name, cb)                                                                            \
	SEC("tc") int name(struct __sk_buff *skb)                                                  \
	{                                                                                          \
		__u32 key = 0;                                                                     \
		struct timed *v = bpf_map_lookup_elem(&timers, &key);                              \
                                                                                                   \
		if (v)                                                                             \
			bpf_timer_set_callback(&v->timer, cb);                                     \
		return 0;                                                                          \
	}
TIMER(ok_timer_loops, timer_loops)
TIMER(no_timer_loops_two, timer_loops_two)
TIMER(no_timer_one, timer_one)
TIMER(no_timer_leaks, timer_leaks)
TIMER(no_timer_past, timer_past)
