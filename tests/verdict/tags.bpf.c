/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of functions with global linkage: their types and their tags. */
#include "common.h"

#define TAG(t) __attribute__((btf_decl_tag("arg:" t)))
#define MAP_ARENA 33

struct mm_struct {
	int map_count;
} __attribute__((preserve_access_index));
struct task_struct {
	int pid;
	struct task_struct *real_parent;
	struct mm_struct *active_mm;
} __attribute__((preserve_access_index));
struct unknown_struct {
	int a;
};
struct pair {
	long a, b;
};
union either {
	int a;
	long b;
};
enum color { RED, GREEN };
struct incomplete;

struct {
	__uint(type, MAP_ARENA);
	__uint(map_flags, 1 << 10);
	__uint(max_entries, 10);
	__uint(map_extra, 0x10000000);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, int);
	__type(value, struct pair);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;
extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags, struct bpf_dynptr *ptr) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *ptr, __u32 offset, void *buf,
			      __u32 size) __ksym;

long result;
const volatile int never = 0;

/* One function and two programs that call it. */
/* A NULL that the compiler knows nothing of. */
#define NIL                                                                                        \
	({                                                                                         \
		void *nil_ = NULL;                                                                 \
		asm volatile("" : "+r"(nil_));                                                     \
		nil_;                                                                              \
	})
#define F __attribute__((noinline, weak)) int

F takes_int(int a)
{
	return a + 1;
}
SEC("tc") int ok_int(struct __sk_buff *ctx)
{
	return takes_int(ctx->mark);
}
SEC("tc") int no_int_pointer(struct __sk_buff *ctx)
{
	return takes_int((long)ctx);
}

F takes_enum(enum color c)
{
	return c == GREEN;
}
SEC("tc") int ok_enum(struct __sk_buff *ctx)
{
	return takes_enum(ctx->mark);
}

F takes_pair(struct pair *p)
{
	return p ? p->b : 0;
}
SEC("tc") int ok_pair_stack(void *ctx)
{
	struct pair p = {1, 2};

	return takes_pair(&p);
}
SEC("tc") int ok_pair_null(void *ctx)
{
	return takes_pair(NIL);
}
SEC("tc") int ok_pair_maybe_null(void *ctx)
{
	int key = 0;

	return takes_pair(bpf_map_lookup_elem(&array, &key));
}
SEC("tc") int no_pair_short(void *ctx)
{
	long one = 1;

	return takes_pair((void *)&one);
}
SEC("tc") int no_pair_number(struct __sk_buff *ctx)
{
	return takes_pair((void *)(long)ctx->mark);
}
SEC("tc") int no_pair_context(struct __sk_buff *ctx)
{
	return takes_pair((void *)ctx);
}

F unchecked_pair(struct pair *p)
{
	return p->b;
}
SEC("tc") int no_unchecked_pair(void *ctx)
{
	struct pair p = {1, 2};

	return unchecked_pair(&p);
}

F beyond_pair(struct pair *p)
{
	return p ? (&p->b)[1] : 0;
}
SEC("tc") int no_beyond_pair(void *ctx)
{
	struct pair p = {1, 2};

	return beyond_pair(&p);
}

F nonnull_pair(struct pair *p TAG("nonnull"))
{
	return p->b;
}
SEC("tc") int ok_nonnull(void *ctx)
{
	struct pair p = {1, 2};

	return nonnull_pair(&p);
}
SEC("tc") int ok_nonnull_null(void *ctx)
{
	return nonnull_pair(NIL);
}
SEC("tc") int no_nonnull_maybe(void *ctx)
{
	int key = 1;

	return nonnull_pair(bpf_map_lookup_elem(&array, (int[]){result}));
}

F nullable_pair(struct pair *p TAG("nullable"))
{
	return p ? p->b : 0;
}
SEC("tc") int no_nullable_memory(void *ctx)
{
	return nullable_pair(NIL);
}

F context(struct __sk_buff *ctx)
{
	return ctx->len;
}
SEC("tc") int ok_context(struct __sk_buff *ctx)
{
	return context(ctx);
}
SEC("tc") int no_context_stack(struct __sk_buff *ctx)
{
	struct __sk_buff skb = {};

	return context(&skb);
}
SEC("tc") int no_context_offset(struct __sk_buff *ctx)
{
	return context((void *)ctx + 8);
}

F other_context(struct xdp_md *ctx)
{
	return ctx ? ctx->ingress_ifindex : 0;
}
SEC("tc") int no_other_context(struct __sk_buff *ctx)
{
	return other_context((void *)ctx);
}

F tagged_context(void *ctx TAG("ctx"))
{
	return ((struct __sk_buff *)ctx)->len;
}
SEC("tc") int ok_tagged_context(struct __sk_buff *ctx)
{
	return tagged_context(ctx);
}
SEC("tc") int no_tagged_context_null(struct __sk_buff *ctx)
{
	return tagged_context(NIL);
}
F tagged_other_context(struct xdp_md *ctx TAG("ctx"))
{
	return 1;
}
SEC("tc") int no_tagged_other_context(struct __sk_buff *ctx)
{
	return tagged_other_context((void *)ctx);
}
F context_nonnull(struct __sk_buff *ctx TAG("nonnull"))
{
	return 1;
}
SEC("tc") int no_context_nonnull(struct __sk_buff *ctx)
{
	return context_nonnull(ctx);
}

F trusted(struct task_struct *t TAG("trusted"))
{
	return t->pid;
}
SEC("tp_btf/sched_switch") int ok_trusted(__u64 *ctx)
{
	return trusted((void *)ctx[1]);
}
SEC("tc") int ok_trusted_acquired(struct __sk_buff *ctx)
{
	struct task_struct *t = bpf_task_from_pid(1);
	int pid;

	if (!t)
		return 0;
	pid = trusted(t);
	bpf_task_release(t);
	return pid;
}
SEC("tc") int no_trusted_maybe_null(struct __sk_buff *ctx)
{
	struct task_struct *t = bpf_task_from_pid(1);
	int pid = trusted(t);

	if (t)
		bpf_task_release(t);
	return pid;
}
SEC("tc") int no_trusted_null(struct __sk_buff *ctx)
{
	return trusted(NIL);
}
SEC("tc") int no_trusted_stack(struct __sk_buff *ctx)
{
	struct pair p = {};

	return trusted((void *)&p);
}
SEC("raw_tp") int no_trusted_walked(void *ctx)
{
	return trusted(bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct task_struct)));
}

SEC("tp_btf/sched_switch") int ok_trusted_rcu(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[1];

	return trusted(t->real_parent);
}
F trusted_mm(struct mm_struct *mm TAG("trusted"))
{
	return mm->map_count;
}
SEC("tp_btf/sched_switch") int ok_trusted_plain(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[1];

	return trusted_mm(t->active_mm);
}
SEC("tp_btf/sched_switch") int no_trusted_other_type(__u64 *ctx)
{
	return trusted_mm((void *)ctx[1]);
}
SEC("tp_btf/sched_switch") int no_trusted_offset(__u64 *ctx)
{
	return trusted((void *)ctx[1] + 8);
}

F trusted_acquires(struct task_struct *t TAG("trusted"))
{
	t = bpf_task_acquire(t);
	if (!t)
		return 0;
	bpf_task_release(t);
	return 1;
}
SEC("tc") int ok_trusted_acquires(struct __sk_buff *ctx)
{
	return trusted_acquires(bpf_get_current_task_btf());
}

F trusted_nullable(struct task_struct *t TAG("trusted") TAG("nullable"))
{
	return t ? t->pid : 0;
}
SEC("tc") int ok_trusted_nullable(struct __sk_buff *ctx)
{
	return trusted_nullable(NIL) + trusted_nullable(bpf_get_current_task_btf());
}
F trusted_nullable_unchecked(struct task_struct *t TAG("trusted") TAG("nullable"))
{
	return t->pid;
}
SEC("tc") int no_trusted_nullable_unchecked(struct __sk_buff *ctx)
{
	return trusted_nullable_unchecked(bpf_get_current_task_btf());
}

F trusted_nonnull(struct task_struct *t TAG("trusted") TAG("nonnull"))
{
	return t->pid;
}
SEC("tc") int no_trusted_nonnull(struct __sk_buff *ctx)
{
	return trusted_nonnull(bpf_get_current_task_btf());
}

F trusted_unknown(struct unknown_struct *t TAG("trusted"))
{
	return 1;
}
SEC("tc") int no_trusted_unknown(struct __sk_buff *ctx)
{
	return trusted_unknown((void *)bpf_get_current_task_btf());
}
F trusted_int(int *t TAG("trusted"))
{
	return 1;
}
SEC("tc") int no_trusted_int(struct __sk_buff *ctx)
{
	return trusted_int((void *)bpf_get_current_task_btf());
}

F untrusted(struct task_struct *t TAG("untrusted"))
{
	return t->pid;
}
SEC("tc") int ok_untrusted(struct __sk_buff *ctx)
{
	return untrusted(bpf_get_current_task_btf());
}
SEC("tc") int ok_untrusted_number(struct __sk_buff *ctx)
{
	return untrusted((void *)(long)ctx->mark);
}
SEC("tc") int ok_untrusted_context(struct __sk_buff *ctx)
{
	return untrusted((void *)ctx);
}
F untrusted_acquires(struct task_struct *t TAG("untrusted"))
{
	t = bpf_task_acquire(t);
	if (t)
		bpf_task_release(t);
	return 1;
}
SEC("tc") int no_untrusted_acquires(struct __sk_buff *ctx)
{
	return untrusted_acquires(bpf_get_current_task_btf());
}
F untrusted_int(int *p TAG("untrusted"))
{
	return p[1000];
}
SEC("tc") int ok_untrusted_int(struct __sk_buff *ctx)
{
	return untrusted_int((void *)ctx);
}
F untrusted_int_write(int *p TAG("untrusted"))
{
	p[0] = 1;
	return 0;
}
SEC("tc") int no_untrusted_int_write(struct __sk_buff *ctx)
{
	return untrusted_int_write((void *)ctx);
}
F untrusted_void(void *p TAG("untrusted"))
{
	return *(int *)p;
}
SEC("tc") int ok_untrusted_void(struct __sk_buff *ctx)
{
	return untrusted_void((void *)ctx);
}
F untrusted_unknown(struct unknown_struct *t TAG("untrusted"))
{
	return t->a;
}
SEC("tc") int no_untrusted_unknown(struct __sk_buff *ctx)
{
	return untrusted_unknown((void *)ctx);
}
F untrusted_nonnull(int *p TAG("untrusted") TAG("nonnull"))
{
	return 1;
}
SEC("tc") int no_untrusted_nonnull(struct __sk_buff *ctx)
{
	return untrusted_nonnull((void *)ctx);
}

F arena(long *p TAG("arena"))
{
	asm volatile("%0 = addr_space_cast(%0, 0, 1)" : "+r"(p));
	return *p;
}
SEC("tc") int ok_arena_number(struct __sk_buff *ctx)
{
	asm volatile("" ::"r"(&pages));
	return arena((void *)(long)ctx->mark);
}
SEC("tc") int ok_arena(struct __sk_buff *ctx)
{
	long p = ctx->mark;

	asm volatile("" ::"r"(&pages));
	asm volatile("%0 = addr_space_cast(%0, 0, 1)" : "+r"(p));
	return arena((long *)p);
}
SEC("tc") int no_arena_stack(struct __sk_buff *ctx)
{
	long p = 0;

	asm volatile("" ::"r"(&pages));
	return arena(&p);
}
F arena_uncast(long *p TAG("arena"))
{
	return *p;
}
SEC("tc") int no_arena_uncast(struct __sk_buff *ctx)
{
	asm volatile("" ::"r"(&pages));
	return arena_uncast((void *)(long)ctx->mark);
}
F arena_nonnull(long *p TAG("arena") TAG("nonnull"))
{
	return 1;
}
SEC("tc") int no_arena_nonnull(struct __sk_buff *ctx)
{
	asm volatile("" ::"r"(&pages));
	return arena_nonnull((void *)(long)ctx->mark);
}

F dynptr(struct bpf_dynptr *d)
{
	long v = 0;

	bpf_dynptr_read(&v, sizeof(v), d, 0, 0);
	return v;
}
SEC("tc") int ok_dynptr(struct __sk_buff *ctx)
{
	struct bpf_dynptr d;

	bpf_dynptr_from_skb(ctx, 0, &d);
	return dynptr(&d);
}
SEC("tc") int ok_dynptr_local(struct __sk_buff *ctx)
{
	struct bpf_dynptr d;
	int key = 0;
	struct pair *p = bpf_map_lookup_elem(&array, &key);

	if (!p)
		return 0;
	bpf_dynptr_from_mem(p, sizeof(*p), 0, &d);
	return dynptr(&d);
}
SEC("tc") int no_dynptr_uninit(struct __sk_buff *ctx)
{
	struct bpf_dynptr d;

	return dynptr(&d);
}
SEC("tc") int no_dynptr_null(struct __sk_buff *ctx)
{
	return dynptr(NIL);
}
F dynptr_writes(struct bpf_dynptr *d)
{
	long v = 0;

	return bpf_dynptr_write(d, 0, &v, sizeof(v), 0);
}
SEC("tc") int ok_dynptr_writes(struct __sk_buff *ctx)
{
	struct bpf_dynptr d;

	bpf_dynptr_from_skb(ctx, 0, &d);
	return dynptr_writes(&d);
}
F dynptr_submits(struct bpf_dynptr *d)
{
	bpf_ringbuf_submit_dynptr(d, 0);
	return 0;
}
SEC("tc") int no_dynptr_submits(struct __sk_buff *ctx)
{
	struct bpf_dynptr d;

	bpf_ringbuf_reserve_dynptr(&ring, 8, 0, &d);
	return dynptr_submits(&d);
}
F dynptr_peeks(struct bpf_dynptr *d)
{
	return *(volatile int *)d;
}
SEC("tc") int no_dynptr_peeks(struct __sk_buff *ctx)
{
	struct bpf_dynptr d;

	bpf_dynptr_from_skb(ctx, 0, &d);
	return dynptr_peeks(&d);
}
F dynptr_nonnull(struct bpf_dynptr *d TAG("nonnull"))
{
	return 1;
}
SEC("tc") int no_dynptr_nonnull(struct __sk_buff *ctx)
{
	struct bpf_dynptr d;

	bpf_dynptr_from_skb(ctx, 0, &d);
	return dynptr_nonnull(&d);
}

F strange_tag(int *p TAG("strange"))
{
	return 1;
}
SEC("tc") int no_strange_tag(struct __sk_buff *ctx)
{
	return strange_tag(NIL);
}
F tagged_number(int p TAG("nonnull"))
{
	return p;
}
SEC("tc") int no_tagged_number(struct __sk_buff *ctx)
{
	return tagged_number(ctx->mark);
}
F declared_only(struct incomplete *p)
{
	return p ? 1 : 0;
}
SEC("tc") int no_declared_only(struct __sk_buff *ctx)
{
	return declared_only(NIL);
}
F takes_void(void *p)
{
	return p ? 1 : 0;
}
SEC("tc") int no_void_pointer(struct __sk_buff *ctx)
{
	return takes_void(NIL);
}
F takes_struct(struct pair p)
{
	return p.a;
}
SEC("tc") int no_struct_by_value(struct __sk_buff *ctx)
{
	struct pair p = {1, 2};

	return takes_struct(p);
}
F takes_union(union either *u)
{
	return u ? u->a : 0;
}
SEC("tc") int ok_union_pointer(struct __sk_buff *ctx)
{
	union either u = {.b = 1};

	return takes_union(&u);
}
F takes_array(int (*a)[4])
{
	return a ? (*a)[3] : 0;
}
SEC("tc") int ok_array_pointer(struct __sk_buff *ctx)
{
	int a[4] = {1, 2, 3, 4};

	return takes_array(&a);
}
SEC("tc") int ok_array_short(struct __sk_buff *ctx)
{
	int a[3] = {1, 2, 3};

	return takes_array((void *)a);
}

__attribute__((noinline, weak)) void returns_nothing(int a)
{
	result = a;
}
SEC("tc") int no_returns_nothing(struct __sk_buff *ctx)
{
	returns_nothing(ctx->mark);
	return 0;
}
__attribute__((noinline, weak)) struct pair *returns_pointer(struct pair *p)
{
	return p;
}
SEC("tc") int no_returns_pointer(struct __sk_buff *ctx)
{
	return returns_pointer(NIL) ? 1 : 0;
}
__attribute__((noinline, weak)) long returns_context(struct __sk_buff *ctx)
{
	return (long)ctx;
}
SEC("tc") int no_returns_context(struct __sk_buff *ctx)
{
	return returns_context(ctx);
}

static __attribute__((noinline)) int static_tagged(struct pair *p TAG("nonnull"))
{
	asm volatile("");
	return p->a;
}
SEC("tc") int ok_static_tagged(struct __sk_buff *ctx)
{
	struct pair p = {1, 2};

	return static_tagged(&p);
}
F calls_itself(int n)
{
	return n > 5 ? 5 : calls_itself(n + 1);
}
SEC("tc") int ok_global_recursion(struct __sk_buff *ctx)
{
	return calls_itself(ctx->mark);
}
F never_called(int *p)
{
	return *p;
}
SEC("tc") int ok_never_called(struct __sk_buff *ctx)
{
	if (never)
		return never_called(NIL);
	return 0;
}

F tagged_pair_context(struct pair *ctx TAG("ctx"))
{
	return 1;
}
SEC("tp_btf/sched_switch") int no_tagged_pair_context(__u64 *ctx)
{
	return tagged_pair_context((void *)ctx);
}
F tagged_words_context(__u64 *ctx TAG("ctx"))
{
	return ctx[1] != 0;
}
SEC("tp_btf/sched_switch") int ok_tagged_words_context(__u64 *ctx)
{
	return tagged_words_context(ctx);
}
