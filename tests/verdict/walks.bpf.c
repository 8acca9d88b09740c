/* SPDX-License-Identifier: BSD-2-Clause */
/* Structures of the kernel read through typed pointers, and what may still be done with those. */
#include "common.h"

#define CORE __attribute__((preserve_access_index))
struct list_head {
	struct list_head *next, *prev;
} CORE;
struct mm_struct {
	unsigned long start_code;
} CORE;
struct cgroup {
	int level;
} CORE;
struct css_set {
	struct cgroup *dfl_cgrp;
} CORE;
struct task_struct {
	int pid, tgid;
	char comm[16];
	struct task_struct *group_leader, *real_parent, *parent, *last_wakee;
	struct list_head tasks;
	struct mm_struct *mm;
	struct css_set *cgroups;
	void *stack;
	unsigned int flags;
} CORE;

extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern struct cgroup *bpf_cgroup_acquire(struct cgroup *c) __ksym;
extern void bpf_cgroup_release(struct cgroup *c) __ksym;
extern void *bpf_cast_to_kern_ctx(void *obj) __ksym;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

char bytes[64];
long sink;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, long);
} storage SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

#define PROG(kind, name, ...)                                                                      \
	SEC(kind) int name(__u64 *ctx)                                                             \
	{                                                                                          \
		struct task_struct *t = (void *)ctx[0], *p;                                        \
		__u32 key = 1;                                                                     \
                                                                                                   \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
#define TASK(name, ...) PROG("tp_btf/sched_wakeup", name, __VA_ARGS__)
#define READ(x) sink = (long)*(volatile typeof(x) *)&(x)
#define RAW(type, ptr, off) (*(volatile type *)((char *)(ptr) + (off)))

/* Reading. */
TASK(ok_pid, READ(t->pid))
TASK(ok_deep, READ(t->group_leader->real_parent->group_leader->pid))
TASK(ok_list, READ(t->tasks.next->next->prev))
TASK(ok_mm_unchecked, READ(t->mm->start_code))
TASK(ok_comm, READ(t->comm[15]))
TASK(no_write, RAW(int, t, 64) = 1)
TASK(no_write_deep, RAW(int, t->group_leader, 64) = 1)
TASK(no_index, sink = bpf_get_prandom_u32() & 7; sink = RAW(char, t, sink))
TASK(no_negative, sink = RAW(char, t, -1))
TASK(no_past, sink = RAW(char, t, 1 << 20))
TASK(ok_void, READ(*(int *)t->stack))
TASK(ok_void_value, READ(t->stack))
TASK(ok_flags_narrow, sink = *(volatile unsigned short *)&t->flags)
TASK(no_list_past, sink = RAW(long, t->tasks.next, 16))
TASK(ok_probe_read, bpf_probe_read_kernel(&sink, 8, t->mm))
TASK(no_number, sink = (long)t & 63)
TASK(ok_number, sink = (long)t)
TASK(no_as_memory, bpf_map_lookup_elem(&hash, t))
TASK(no_as_format_argument, bpf_skb_output(t, &hash, 0, t, 8))

/* Null, compared. */
TASK(ok_checked, if (t) READ(t->pid))
TASK(ok_deep_checked, p = t->group_leader; if (p) READ(p->pid))
TASK(no_other_null, p = 0; asm volatile("" : "+r"(p)); READ(p->pid))
PROG("tp_btf/sched_switch", ok_second, struct task_struct *n = (void *)ctx[2]; READ(n->pid))
PROG("tp_btf/sched_switch", no_fourth, struct task_struct *n = (void *)ctx[4]; READ(n->pid))
PROG("tp_btf/sched_switch", no_first, READ(t->pid))

/* Trusted, walked. */
#define HOLD(from) p = bpf_task_acquire(from); if (p) bpf_task_release(p)
TASK(ok_acquire, HOLD(t))
TASK(ok_acquire_leader, HOLD(t->group_leader))
TASK(ok_acquire_parent, HOLD(t->real_parent))
TASK(no_acquire_wakee, HOLD(t->last_wakee))
TASK(no_acquire_twice_walked, HOLD(t->group_leader->last_wakee))
TASK(no_acquire_offset, HOLD((void *)t + 8))
TASK(no_acquire_current_number, HOLD((void *)bpf_get_current_task()))
TASK(ok_acquire_current, HOLD(bpf_get_current_task_btf()))
TASK(no_acquire_kept, p = bpf_task_acquire(t))
TASK(no_acquire_unchecked, p = bpf_task_acquire(t); bpf_task_release(p))
TASK(no_release_trusted, bpf_task_release(t))
TASK(no_release_twice, p = bpf_task_acquire(t); if (p) { bpf_task_release(p); bpf_task_release(p); })
TASK(no_read_after_release, p = bpf_task_acquire(t); if (p) { bpf_task_release(p); READ(p->pid); })
TASK(no_walk_after_release, p = bpf_task_acquire(t); if (p) { struct task_struct *l = p->group_leader; bpf_task_release(p); HOLD(l->last_wakee); })
TASK(ok_from_pid, p = bpf_task_from_pid(1); if (p) { READ(p->pid); bpf_task_release(p); })
TASK(no_from_pid_unchecked, p = bpf_task_from_pid(1); READ(p->pid))
TASK(no_cgroup_as_task, HOLD((void *)t->cgroups->dfl_cgrp))
TASK(ok_cgroup, struct cgroup *c = bpf_cgroup_acquire(t->cgroups->dfl_cgrp); if (c) bpf_cgroup_release(c))
TASK(no_cgroup_of_mm, struct cgroup *c = bpf_cgroup_acquire((void *)t->mm); if (c) bpf_cgroup_release(c))
TASK(ok_storage, long *v = bpf_task_storage_get(&storage, t, 0, 1); if (v) *v = 1)
TASK(no_storage_number, long *v = bpf_task_storage_get(&storage, (void *)ctx[0] + 8, 0, 1); if (v) *v = 1)
TASK(ok_storage_leader, long *v = bpf_task_storage_get(&storage, t->group_leader, 0, 1); if (v) *v = 1)
TASK(no_storage_mm, long *v = bpf_task_storage_get(&storage, (void *)t->mm, 0, 1); if (v) *v = 1)

/* Sections of RCU, where the program may sleep. */
#define SLEEPY(name, ...)                                                                          \
	SEC("syscall") int name(void *ctx)                                                         \
	{                                                                                          \
		struct task_struct *t = bpf_get_current_task_btf(), *p;                            \
		char room[8];                                                                      \
                                                                                                   \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
SLEEPY(ok_rcu_parent, bpf_rcu_read_lock(); HOLD(t->real_parent); bpf_rcu_read_unlock())
SLEEPY(no_parent_without_rcu, HOLD(t->real_parent))
SLEEPY(ok_parent_read_without_rcu, READ(t->real_parent->pid))
SLEEPY(no_parent_after_rcu, bpf_rcu_read_lock(); p = t->real_parent; bpf_rcu_read_unlock(); p = bpf_task_acquire(p); if (p) bpf_task_release(p))
SLEEPY(ok_parent_read_after_rcu, bpf_rcu_read_lock(); p = t->real_parent; bpf_rcu_read_unlock(); READ(p->pid))
SLEEPY(ok_acquired_after_rcu, bpf_rcu_read_lock(); p = bpf_task_acquire(t->real_parent); bpf_rcu_read_unlock(); if (p) bpf_task_release(p))
SLEEPY(no_rcu_kept, bpf_rcu_read_lock())
SLEEPY(no_rcu_sleeps, bpf_rcu_read_lock(); bpf_copy_from_user(room, 8, 0); bpf_rcu_read_unlock())
SLEEPY(ok_rcu_then_sleeps, bpf_rcu_read_lock(); bpf_rcu_read_unlock(); bpf_copy_from_user(room, 8, 0))
SLEEPY(no_rcu_one_path, if (t->pid > 5) bpf_rcu_read_lock(); bpf_rcu_read_unlock())

/* Casts. */
struct __sk_buff;
struct sk_buff {
	unsigned int len;
} CORE;
SEC("tc") int ok_kernel_skb(struct __sk_buff *skb)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);

	READ(k->len);
	return 0;
}

SEC("tc") int no_kernel_skb_write(struct __sk_buff *skb)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);

	RAW(int, k, 112) = 1;
	return 0;
}

SEC("tc") int no_kernel_skb_of_stack(struct __sk_buff *skb)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(&sink);

	READ(k->len);
	return 0;
}

TASK(ok_cast_number, p = bpf_rdonly_cast((void *)5, bpf_core_type_id_kernel(struct task_struct)); READ(p->pid))
TASK(no_cast_write, p = bpf_rdonly_cast(t, bpf_core_type_id_kernel(struct task_struct)); RAW(int, p, 64) = 1)
TASK(no_cast_acquire, p = bpf_rdonly_cast(t, bpf_core_type_id_kernel(struct task_struct)); HOLD(p))
TASK(no_cast_random, p = bpf_rdonly_cast(t, bpf_get_prandom_u32()); READ(p->pid))
TASK(ok_cast_void, p = bpf_rdonly_cast(t, 0); sink = RAW(long, p, 5000))
TASK(no_cast_void_write, p = bpf_rdonly_cast(t, 0); RAW(long, p, 5000) = 1)
TASK(no_cast_unknown, p = bpf_rdonly_cast(t, 99999999); READ(p->pid))
TASK(no_cast_int, p = bpf_rdonly_cast(t, 1); READ(p->pid))
