/* SPDX-License-Identifier: BSD-2-Clause */
/* Global functions further: kinds of arguments, contexts by program type, what is held across calls. */
#include "common.h"
#include <linux/bpf_perf_event.h>

#define TAG(x) __attribute__((btf_decl_tag("arg:" #x)))
#define HIDE(x) asm volatile("" : "+r"(x))

extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;
extern int bpf_dynptr_adjust(const struct bpf_dynptr *p, __u32 start, __u32 end) __ksym;

struct task_struct {
	int pid;
	struct task_struct *group_leader;
} __attribute__((preserve_access_index));

char bytes[64];
struct pair {
	__u64 a, b;
};
struct big {
	char c[200];
};
struct opaque;
enum color { RED, BLUE };
union both {
	__u64 a;
	__u32 b;
};
typedef struct pair pair_t;

struct elem {
	long a;
	struct bpf_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct elem);
} locks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct pair);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__uint(map_flags, BPF_F_WRONLY_PROG);
	__type(key, __u32);
	__type(value, struct pair);
} wronly SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

/* Weak, so that no caller knows what they do. */
#define FUNC __weak NOINLINE int
FUNC g_color(enum color c) { HIDE(c); return c; }
FUNC g_char(char c) { HIDE(c); return bytes[c & 63]; }
FUNC g_u8(__u8 c) { return c < 64 ? bytes[c] : 0; }
FUNC g_u8_trusting(__u8 c) { return bytes[c >> 2]; }
FUNC g_bool(bool b) { return b; }
FUNC g_bool_index(bool b) { return bytes[b]; }
FUNC g_five(long a, long b, long c, long d, long e) { return bytes[(a + b + c + d + e) & 63]; }
FUNC g_pair(struct pair *p) { return p ? p->b : 0; }
FUNC g_pair_t(pair_t *p) { return p ? p->b : 0; }
FUNC g_const(const struct pair *p) { return p ? p->b : 0; }
FUNC g_const_write(const struct pair *p) { if (p) ((struct pair *)p)->b = 1; return 0; }
FUNC g_both(union both *p) { return p ? p->b : 0; }
FUNC g_opaque(struct opaque *p) { return p != 0; }
FUNC g_big(struct big *p) { return p ? p->c[199] : 0; }
FUNC g_array(int (*p)[4]) { return p ? (*p)[3] : 0; }
FUNC g_array_past(int (*p)[4]) { return p ? *((volatile int *)p + 4) : 0; }
FUNC g_char_pointer(char *p) { return p ? *p : 0; }
FUNC g_char_pointer_past(char *p) { return p ? ((volatile char *)p)[1] : 0; }
FUNC g_pointer_pointer(struct pair **p) { return p ? *p != 0 : 0; }
FUNC g_enum_pointer(enum color *p) { return p ? *p : 0; }
FUNC g_long_pointer(long *p TAG(nonnull)) { *p = 1; return 0; }
FUNC g_function(int (*f)(void)) { return f != 0; }
FUNC g_struct_value(struct pair p) { return p.a; }
FUNC g_void_result(long x) { HIDE(x); return 0; }
FUNC g_uninitialised(long a, long b) { HIDE(b); return a & b; }
__weak NOINLINE __u64 g_u64(long x) { HIDE(x); return x; }
__weak NOINLINE char g_char_result(long x) { HIDE(x); return x; }
__weak NOINLINE bool g_bool_result(long x) { HIDE(x); return x & 1; }
__weak NOINLINE enum color g_enum_result(long x) { HIDE(x); return x; }
FUNC g_dynptr(const struct bpf_dynptr *d) { char c[8]; return bpf_dynptr_read(c, 8, (void *)d, 0, 0); }
FUNC g_dynptr_write(const struct bpf_dynptr *d) { return bpf_dynptr_write((void *)d, 0, bytes, 8, 0); }
FUNC g_dynptr_adjust(const struct bpf_dynptr *d) { return bpf_dynptr_adjust(d, 1, 2); }
FUNC g_dynptr_discard(struct bpf_dynptr *d) { bpf_ringbuf_discard_dynptr(d, 0); return 0; }
FUNC g_calls(struct pair *p) { return g_pair(p); }
FUNC g_calls_wrong(struct pair *p TAG(nonnull)) { return g_big((void *)p); }
FUNC g_time(void) { return bpf_ktime_get_ns(); }
FUNC g_leaks(void) { bpf_ringbuf_reserve(&ring, 8, 0); return 0; }
FUNC g_rcu_lock(void) { bpf_rcu_read_lock(); return 0; }
FUNC g_rcu_both(void) { bpf_rcu_read_lock(); bpf_rcu_read_unlock(); return 0; }
FUNC g_preempt_enable(void) { bpf_preempt_enable(); return 0; }
FUNC g_sleeps(void) { char c[8]; return bpf_copy_from_user(c, 8, 0); }
FUNC g_calls_sleeps(void) { return g_sleeps(); }
FUNC g_untrusted_mem(struct pair *p TAG(untrusted)) { return p->a; }
FUNC g_untrusted_mem_write(struct pair *p TAG(untrusted)) { p->a = 1; return 0; }
FUNC g_untrusted_int(int *p TAG(untrusted)) { return *p; }
FUNC g_untrusted_task(struct task_struct *p TAG(untrusted)) { return p->pid; }
FUNC g_trusted_task(struct task_struct *p TAG(trusted)) { return p->pid; }
FUNC g_plain_task(struct task_struct *p) { return p ? p->pid : 0; }
FUNC g_trusted_pair(struct pair *p TAG(trusted)) { return p->a; }
FUNC g_odd_tag(struct pair *p TAG(odd)) { return p ? p->a : 0; }
FUNC g_nonnull_twice(struct pair *p TAG(nonnull) TAG(nonnull)) { return p->a; }
FUNC g_nonnull_nullable(struct task_struct *p TAG(trusted) TAG(nonnull)) { return p->pid; }
FUNC g_ctx_twice(void *a TAG(ctx), void *b TAG(ctx)) { return a == b; }
FUNC g_ctx_number(long x TAG(ctx)) { return x; }
FUNC g_ctx_second(long x, struct __sk_buff *skb) { return skb->len + x; }
static NOINLINE int s_pair(struct pair *p) { return p->b; }
FUNC g_through_static(struct pair *p) { return p ? s_pair(p) : 0; }
FUNC g_through_static_unchecked(struct pair *p) { HIDE(p); return s_pair(p); }
FUNC g_itself(long x) { int r = 0; if (x > 5) r = g_itself(x - 1); HIDE(r); return r; }
__weak int g_weak(struct pair *p) { return p ? p->b : 0; }
__weak int g_weak_wrong(struct pair *p) { HIDE(p); return p->b; }
__attribute__((visibility("hidden"))) NOINLINE int g_hidden(struct pair *p) { HIDE(p); return p->b; }

#define CALL(kind, name, ...)                                                                      \
	SEC(kind) int name(void *ctx)                                                              \
	{                                                                                          \
		__u32 key = bpf_get_prandom_u32();                                                 \
		struct pair pair = {}, *here = &pair;                                              \
		void *null = 0, *skb = ctx;                                                        \
                                                                                                   \
		HIDE(null);                                                                        \
		asm volatile("" : "+r"(here) : "r"(&key) : "memory");                              \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
#define TC(name, ...) CALL("tc", name, __VA_ARGS__)
#define FIND(m) void *v = bpf_map_lookup_elem(&m, &key); if (!v) return 0

/* Numbers. */
TC(ok_enum, g_color(key))
TC(no_enum_pointer_given, long p = (long)here; HIDE(p); g_color(p))
TC(ok_char, g_char(key))
TC(ok_u8, g_u8(key))
TC(no_u8_trusting, g_u8_trusting(key & 1))
TC(ok_bool, g_bool(key))
TC(no_bool_index, g_bool_index(key & 1))
TC(ok_five, g_five(1, 2, 3, 4, 5))
TC(ok_u64, bytes[g_u64(key) & 63] = 1)
TC(no_u64, bytes[g_u64(key)] = 1)
TC(ok_char_result, bytes[(g_char_result(key) + 128) >> 2] = 1)
TC(no_char_result, long n = g_u64(key); bytes[((signed char)n + 128) >> 1] = 1)
TC(ok_bool_result, g_bool_result(key))
TC(ok_enum_result, g_enum_result(key))

/* Memory. */
TC(ok_pair, g_pair(here))
TC(ok_typedef, g_pair_t(here))
TC(ok_const, g_const(here))
TC(ok_const_write, g_const_write(here))
TC(ok_union, g_both((void *)here))
TC(no_opaque, g_opaque((void *)here))
TC(no_big, g_big((void *)here))
TC(no_big_bytes, g_big((void *)bytes))
TC(ok_big_null, g_big(null))
TC(ok_array, g_array((void *)here))
TC(no_array_past, g_array_past((void *)here))
TC(ok_char_pointer, g_char_pointer((void *)here))
TC(no_char_pointer_past, g_char_pointer_past((void *)here))
TC(ok_pointer_pointer, g_pointer_pointer((void *)here))
TC(ok_enum_pointer, g_enum_pointer((void *)here))
TC(no_function, g_function((void *)here))
TC(ok_long_pointer, g_long_pointer((void *)here))
TC(ok_long_pointer_value, FIND(array); g_long_pointer(v))
TC(no_long_pointer_past, FIND(array); g_long_pointer(v + 16))
TC(no_long_pointer_lock, FIND(locks); g_long_pointer(v + 8))
TC(ok_long_pointer_beside_lock, FIND(locks); g_long_pointer(v))
TC(no_pair_of_wronly, FIND(wronly); g_pair(v))
TC(ok_pair_of_packet, __u8 *d = (void *)(long)((struct __sk_buff *)ctx)->data; if (d + 16 > (__u8 *)(long)((struct __sk_buff *)ctx)->data_end) return 0; g_pair((void *)d))
TC(no_pair_of_packet, __u8 *d = (void *)(long)((struct __sk_buff *)ctx)->data; if (d + 15 > (__u8 *)(long)((struct __sk_buff *)ctx)->data_end) return 0; g_pair((void *)d))
TC(ok_pair_of_record, void *r = bpf_ringbuf_reserve(&ring, 16, 0); if (r) { g_pair(r); bpf_ringbuf_discard(r, 0); })
TC(no_pair_of_record, void *r = bpf_ringbuf_reserve(&ring, 15, 0); if (r) { g_pair(r); bpf_ringbuf_discard(r, 0); })
TC(ok_calls, g_calls(here))
TC(no_calls_wrong, g_calls_wrong(here))
TC(ok_through_static, g_through_static(here))
TC(no_through_static, g_through_static_unchecked(here))
TC(ok_weak, g_weak(here))
TC(no_weak, g_weak_wrong(here))
TC(ok_hidden, g_hidden(here))
TC(no_itself, g_itself(key))
SEC("tc") NAKED int no_second_argument_unset(void)
{
	asm volatile("r1 = 0; call g_uninitialised; r0 = 0; exit;");
}

/* Dynptrs. */
#define DYNPTR struct bpf_dynptr d; bpf_dynptr_from_mem(bytes, 64, 0, &d)
#define RECORD struct bpf_dynptr d; bpf_ringbuf_reserve_dynptr(&ring, 8, 0, &d)
TC(ok_dynptr, DYNPTR; g_dynptr(&d))
TC(ok_dynptr_write, DYNPTR; g_dynptr_write(&d))
TC(ok_dynptr_adjust, DYNPTR; g_dynptr_adjust(&d))
TC(no_dynptr_memory, g_dynptr((void *)here))
TC(no_dynptr_null, g_dynptr(null))
TC(ok_dynptr_record, RECORD; g_dynptr(&d); bpf_ringbuf_discard_dynptr(&d, 0))
TC(no_dynptr_record_kept, RECORD; g_dynptr(&d))
TC(no_dynptr_discard, RECORD; g_dynptr_discard(&d); bpf_ringbuf_discard_dynptr(&d, 0))

/* Tags. */
TC(no_untrusted_mem, g_untrusted_mem((void *)(long)key))
TC(no_untrusted_mem_here, g_untrusted_mem(here))
TC(no_untrusted_mem_write, g_untrusted_mem_write(here))
TC(ok_untrusted_int, g_untrusted_int(null))
TC(no_trusted_pair, g_trusted_pair(here))
TC(no_odd_tag, g_odd_tag(here))
TC(ok_nonnull_twice, g_nonnull_twice(here))
TC(ok_ctx_twice, g_ctx_twice(ctx, ctx))
TC(no_ctx_twice, g_ctx_twice(ctx, here))
TC(no_ctx_number, g_ctx_number((long)skb))
TC(ok_ctx_second, g_ctx_second(key, skb))
TC(no_ctx_second, g_ctx_second(key, (void *)here))
#define TASK(name, ...)                                                                            \
	SEC("tp_btf/sched_wakeup") int name(__u64 *ctx)                                            \
	{                                                                                          \
		struct task_struct *t = (void *)ctx[0];                                            \
                                                                                                   \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
TASK(ok_trusted, g_trusted_task(t))
TASK(ok_trusted_walked, g_trusted_task(t->group_leader))
TASK(no_trusted_inside, g_trusted_task((void *)t + 8))
TASK(ok_untrusted, g_untrusted_task(t))
TASK(ok_untrusted_walked, g_untrusted_task(t->group_leader))
TASK(ok_untrusted_number, g_untrusted_task((void *)5))
TASK(no_plain_task, g_plain_task(t))
TASK(no_nonnull_trusted, g_nonnull_nullable(t))

/* Contexts by the type of program. */
FUNC g_regs(struct pt_regs *c) { return *(volatile __u64 *)c & 1; }
FUNC g_user_regs(bpf_user_pt_regs_t *c) { return *(volatile __u64 *)c & 1; }
FUNC g_perf(struct bpf_perf_event_data *c) { return c->sample_period & 1; }
FUNC g_raw(struct bpf_raw_tracepoint_args *c) { return *(volatile __u64 *)c & 1; }
FUNC g_raw_u64(__u64 *c) { return c ? *c & 1 : 0; }
FUNC g_any_tag(void *c TAG(ctx)) { return *(volatile __u64 *)((char *)c + 8) & 1; }
FUNC g_first_tag(void *c TAG(ctx)) { return *(volatile bool *)c & 1; }
FUNC g_xdp(struct xdp_md *c) { return c->rx_queue_index & 1; }
FUNC g_sk_buff(struct __sk_buff *c) { return c->len & 1; }
FUNC g_sock_ops(struct bpf_sock_ops *c) { return c->op & 1; }
FUNC g_sock_addr(struct bpf_sock_addr *c) { return c->family & 1; }
FUNC g_sysctl(struct bpf_sysctl *c) { return c->write & 1; }
FUNC g_sockopt(struct bpf_sockopt *c) { return c->level & 1; }
FUNC g_lookup(struct bpf_sk_lookup *c) { return c->family & 1; }
FUNC g_device(struct bpf_cgroup_dev_ctx *c) { return c->major & 1; }
FUNC g_msg(struct sk_msg_md *c) { return c->family & 1; }
FUNC g_reuseport(struct sk_reuseport_md *c) { return c->len & 1; }
#define IN(kind, name, func) CALL(kind, name, func(ctx))
IN("kprobe/do_exit", ok_kprobe_user_regs, g_user_regs)
IN("kprobe/do_exit", ok_kprobe_regs, g_regs)
IN("kprobe/do_exit", ok_kprobe_tag, g_any_tag)
IN("perf_event", ok_perf, g_perf)
IN("perf_event", ok_perf_tag, g_any_tag)
IN("perf_event", no_perf_regs, g_xdp)
IN("raw_tp/sys_enter", ok_raw, g_raw)
IN("raw_tp/sys_enter", no_raw_u64, g_raw_u64)
IN("raw_tp/sys_enter", ok_raw_tag, g_any_tag)
IN("tp/sched/sched_switch", ok_tp_tag, g_any_tag)
IN("tp/sched/sched_switch", no_tp_u64, g_raw_u64)
IN("tp_btf/sched_switch", ok_tp_btf_tag, g_first_tag)
IN("syscall", ok_syscall_tag, g_any_tag)
IN("xdp", ok_xdp, g_xdp)
IN("xdp", no_xdp_skb, g_sk_buff)
IN("socket", ok_socket, g_sk_buff)
IN("cgroup_skb/egress", ok_cgroup, g_sk_buff)
IN("lwt_in", ok_lwt, g_sk_buff)
IN("sk_skb/stream_verdict", ok_sk_skb, g_sk_buff)
IN("flow_dissector", no_dissector, g_sk_buff)
IN("sockops", ok_sockops, g_sock_ops)
IN("cgroup/bind4", no_bind, g_sysctl)
#define IN1(kind, name, func)                                                                      \
	SEC(kind) int name(void *ctx)                                                              \
	{                                                                                          \
		func(ctx);                                                                         \
		return 1;                                                                          \
	}
IN1("cgroup/bind4", ok_bind, g_sock_addr)
IN1("cgroup/sysctl", ok_sysctl, g_sysctl)
IN1("cgroup/getsockopt", ok_sockopt, g_sockopt)
IN1("sk_lookup", ok_lookup, g_lookup)
IN1("sk_lookup", no_lookup, g_sockopt)
IN1("cgroup/dev", ok_device, g_device)
IN1("sk_msg", ok_msg, g_msg)
IN1("sk_reuseport", ok_reuseport, g_reuseport)

/* The result of a global function at the exit. */
SEC("cgroup/dev") int no_result_returned(void *ctx)
{
	return g_time();
}

SEC("cgroup/dev") int ok_result_masked(void *ctx)
{
	return g_time() & 1;
}

/* What is held across the call. */
#define LOCK struct elem *e = bpf_map_lookup_elem(&locks, &key); if (!e) return 0; bpf_spin_lock(&e->lock)
#define UNLOCK bpf_spin_unlock(&e->lock)
TC(no_locked, LOCK; g_void_result(1); UNLOCK)
TC(ok_unlocked, LOCK; UNLOCK; g_void_result(1))
TC(ok_preempt, bpf_preempt_disable(); g_time(); bpf_preempt_enable())
TC(no_preempt_enabled, bpf_preempt_disable(); g_preempt_enable())
TC(ok_rcu, bpf_rcu_read_lock(); g_time(); bpf_rcu_read_unlock())
TC(no_rcu_locked, g_rcu_lock(); bpf_rcu_read_unlock())
TC(ok_rcu_both, g_rcu_both())
TC(ok_reference, void *r = bpf_ringbuf_reserve(&ring, 16, 0); if (r) { g_time(); bpf_ringbuf_discard(r, 0); })
TC(no_leaks, g_leaks())
TC(no_sleeps, g_sleeps())
CALL("syscall", ok_sleeps, g_sleeps())
CALL("syscall", ok_sleeps_deep, g_calls_sleeps())
CALL("syscall", no_sleeps_in_rcu, bpf_rcu_read_lock(); g_sleeps(); bpf_rcu_read_unlock())
CALL("syscall", no_sleeps_deep_in_rcu, bpf_rcu_read_lock(); g_calls_sleeps(); bpf_rcu_read_unlock())
CALL("syscall", no_sleeps_without_preemption, bpf_preempt_disable(); g_sleeps(); bpf_preempt_enable())
CALL("syscall", ok_time_in_rcu, bpf_rcu_read_lock(); g_time(); bpf_rcu_read_unlock())

static long back(__u32 i, void *c)
{
	return g_time() & 1;
}

static long back_wide(__u32 i, void *c)
{
	return g_time();
}

TC(ok_from_callback, bpf_loop(5, back, 0, 0))
TC(no_from_callback, bpf_loop(5, back_wide, 0, 0))
