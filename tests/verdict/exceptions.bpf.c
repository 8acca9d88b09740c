/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions: bpf_throw ends the program, through a callback or with the value thrown. */
#include "common.h"

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

extern void bpf_throw(__u64 cookie) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;

#define CATCH(name) __attribute__((btf_decl_tag("exception_callback:" #name)))
/* What nobody calls is left out of a program: name it where no path leads. */
const volatile int never = 0;
#define KEEP(name)                                                                                 \
	if (never)                                                                                 \
	result = (long)name

struct elem {
	struct bpf_spin_lock lock;
	long a;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__type(key, int);
	__type(value, int);
} progs SEC(".maps");

long result;

SEC("tc") int ok_throw(struct __sk_buff *ctx)
{
	bpf_throw(0);
	return 1;
}

SEC("tc") int ok_throw_if(struct __sk_buff *ctx)
{
	if (ctx->mark == 3)
		bpf_throw(ctx->mark);
	return 1;
}

SEC("cgroup_skb/ingress") int ok_throw_in_range(struct __sk_buff *ctx)
{
	if (ctx->mark == 3)
		bpf_throw(1);
	return 1;
}

SEC("cgroup_skb/ingress") int no_throw_out_of_range(struct __sk_buff *ctx)
{
	if (ctx->mark == 3)
		bpf_throw(8);
	return 1;
}

SEC("cgroup_skb/ingress") int no_throw_unknown(struct __sk_buff *ctx)
{
	if (ctx->mark == 3)
		bpf_throw(ctx->len);
	return 1;
}

SEC("tc") int no_throw_reference(struct __sk_buff *ctx)
{
	struct task_struct *t = bpf_task_from_pid(1);

	if (!t)
		return 0;
	if (ctx->mark == 3)
		bpf_throw(8);
	bpf_task_release(t);
	return 1;
}

SEC("tc") int no_throw_locked(struct __sk_buff *ctx)
{
	int key = 0;
	struct elem *e = bpf_map_lookup_elem(&elems, &key);

	if (!e)
		return 0;
	bpf_spin_lock(&e->lock);
	if (e->a)
		bpf_throw(8);
	bpf_spin_unlock(&e->lock);
	return 1;
}

SEC("tc") int no_throw_in_rcu(struct __sk_buff *ctx)
{
	bpf_rcu_read_lock();
	if (ctx->mark)
		bpf_throw(8);
	bpf_rcu_read_unlock();
	return 1;
}

SEC("tc") int no_throw_no_preempt(struct __sk_buff *ctx)
{
	bpf_preempt_disable();
	if (ctx->mark)
		bpf_throw(8);
	bpf_preempt_enable();
	return 1;
}

static NOINLINE int throws(struct __sk_buff *ctx)
{
	if (ctx->mark == 1)
		bpf_throw(ctx->len);
	return ctx->len;
}

static NOINLINE int always_throws(int n)
{
	bpf_throw(n);
	return 0;
}

SEC("tc") int ok_throw_in_function(struct __sk_buff *ctx)
{
	return throws(ctx);
}

SEC("tc") int no_throw_in_function_reference(struct __sk_buff *ctx)
{
	struct task_struct *t = bpf_task_from_pid(1);
	int r;

	if (!t)
		return 0;
	r = throws(ctx);
	bpf_task_release(t);
	return r;
}

SEC("tc") int ok_always_throws(struct __sk_buff *ctx)
{
	if (ctx->mark)
		always_throws(ctx->mark);
	return 0;
}

NOINLINE int global_throws(struct __sk_buff *ctx)
{
	if (ctx->mark == 1)
		bpf_throw(ctx->len);
	return ctx->len;
}

SEC("tc") int ok_throw_in_global(struct __sk_buff *ctx)
{
	return global_throws(ctx);
}

SEC("tc") int ok_throw_in_global_reference(struct __sk_buff *ctx)
{
	struct task_struct *t = bpf_task_from_pid(1);
	int r;

	if (!t)
		return 0;
	r = global_throws(ctx);
	bpf_task_release(t);
	return r;
}

NOINLINE int catch(__u64 cookie)
{
	return cookie ? 1 : 2;
}

CATCH(catch)
SEC("tc") int ok_catch(struct __sk_buff *ctx)
{
	KEEP(catch);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

CATCH(catch)
SEC("tc") int ok_catch_unused(struct __sk_buff *ctx)
{
	KEEP(catch);
	return 0;
}

NOINLINE int catch_wide(__u64 cookie)
{
	return cookie;
}

CATCH(catch_wide)
SEC("cgroup_skb/ingress") int no_catch_wide(struct __sk_buff *ctx)
{
	KEEP(catch_wide);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

CATCH(catch)
SEC("cgroup_skb/ingress") int no_catch_two_values(struct __sk_buff *ctx)
{
	KEEP(catch);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

NOINLINE int catch_two(__u64 cookie, __u64 more)
{
	return cookie + more;
}

CATCH(catch_two)
SEC("tc") int no_catch_two(struct __sk_buff *ctx)
{
	KEEP(catch_two);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

NOINLINE int catch_ptr(struct __sk_buff *ctx)
{
	return ctx->len;
}

CATCH(catch_ptr)
SEC("tc") int no_catch_pointer(struct __sk_buff *ctx)
{
	KEEP(catch_ptr);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

NOINLINE int catch_none(void)
{
	return 1;
}

CATCH(catch_none)
SEC("tc") int no_catch_none(struct __sk_buff *ctx)
{
	KEEP(catch_none);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

static NOINLINE int catch_static(__u64 cookie)
{
	asm volatile("");
	return cookie;
}

CATCH(catch_static)
SEC("tc") int no_catch_static(struct __sk_buff *ctx)
{
	if (ctx->mark)
		bpf_throw(ctx->len);
	return catch_static(ctx->len);
}

CATCH(missing)
SEC("tc") int no_catch_missing(struct __sk_buff *ctx)
{
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

CATCH(catch)
SEC("tc") int no_catch_called(struct __sk_buff *ctx)
{
	KEEP(catch);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return catch(ctx->len);
}

CATCH(catch)
CATCH(catch_wide)
SEC("tc") int no_catch_twice(struct __sk_buff *ctx)
{
	KEEP(catch_wide);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

NOINLINE int catch_throws(__u64 cookie)
{
	bpf_throw(cookie);
	return 0;
}

CATCH(catch_throws)
SEC("tc") int no_catch_throws(struct __sk_buff *ctx)
{
	KEEP(catch_throws);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

static long loop_throws(__u32 i, void *ctx)
{
	bpf_throw(i);
	return 0;
}

SEC("tc") int no_throw_in_callback(struct __sk_buff *ctx)
{
	bpf_loop(5, loop_throws, NULL, 0);
	return 0;
}

NOINLINE int catch_one(__u64 cookie)
{
	return cookie ? 1 : 0;
}

CATCH(catch_one)
SEC("cgroup_skb/ingress") int ok_catch_in_range(struct __sk_buff *ctx)
{
	KEEP(catch_one);
	if (ctx->mark)
		bpf_throw(ctx->len);
	return 0;
}

NOINLINE int catch_tail(__u64 cookie)
{
	bpf_tail_call(NULL, &progs, 0);
	return 0;
}

static long tail_user(struct __sk_buff *ctx)
{
	bpf_tail_call(ctx, &progs, 0);
	return 0;
}

CATCH(catch_one)
SEC("tc") int ok_catch_and_tail_call(struct __sk_buff *ctx)
{
	KEEP(catch_one);
	if (ctx->mark)
		bpf_throw(ctx->len);
	tail_user(ctx);
	return 0;
}

static NOINLINE int deep_throws(int n)
{
	if (n > 2)
		bpf_throw(n);
	return n;
}

static long loop_deep(__u32 i, void *ctx)
{
	return deep_throws(i) & 1;
}

SEC("tc") int no_throw_below_callback(struct __sk_buff *ctx)
{
	bpf_loop(5, loop_deep, NULL, 0);
	return 0;
}

SEC("tc") int no_throw_pointer(struct __sk_buff *ctx)
{
	bpf_throw((long)ctx);
	return 0;
}

SEC("socket") int no_throw_socket(struct __sk_buff *ctx)
{
	bpf_throw(0);
	return 0;
}

SEC("tc") NAKED int no_throw_last(void)
{
	asm volatile("r1 = 1;"
		     "if r1 == 1 goto 1f;"
		     "r0 = 0;"
		     "exit;"
		     "1: call %[bpf_throw];"
		     :
		     : [bpf_throw] "i"(bpf_throw));
}

CATCH(catch)
SEC("tc") NAKED int no_throw_last_before_callback(void)
{
	asm volatile("r1 = 1;"
		     "if r1 == 1 goto 1f;"
		     "r0 = 0;"
		     "exit;"
		     "1: call %[bpf_throw];"
		     :
		     : [bpf_throw] "i"(bpf_throw));
}
