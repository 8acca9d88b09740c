// SPDX-License-Identifier: BSD-2-Clause
/* Kernel objects: walks, trust, RCU, references, kfuncs. */
#include "common.h"

extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;

const volatile __u32 target_tgid = 0;
#define GETPGID 121

__u64 parent_seen, same_leader, comm_ok, acquired, found, missing, depth;
char comm[16];

SEC("tp_btf/sys_enter")
int BPF_PROG(walk, struct pt_regs *regs, long id)
{
	struct task_struct *t = bpf_get_current_task_btf();

	if (t->tgid != target_tgid || id != GETPGID)
		return 0;
	parent_seen = t->real_parent != NULL;
	same_leader = t->group_leader == t->group_leader->group_leader;
	bpf_get_current_comm(comm, sizeof(comm));
	comm_ok = comm[0] == t->comm[0] && comm[1] == t->comm[1];
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(acquire, struct pt_regs *regs, long id)
{
	struct task_struct *t = bpf_get_current_task_btf(), *a;

	if (t->tgid != target_tgid || id != GETPGID)
		return 0;
	a = bpf_task_acquire(t);
	if (!a)
		return 0;
	acquired += a->pid == t->pid;
	bpf_task_release(a);
	a = bpf_task_from_pid(t->pid);
	if (a) {
		found++;
		bpf_task_release(a);
	}
	a = bpf_task_from_pid(-5);
	if (a)
		bpf_task_release(a);
	else
		missing++;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(probe, struct pt_regs *regs, long id)
{
	struct task_struct *t = bpf_get_current_task_btf();
	int pid = 0;

	if (t->tgid != target_tgid || id != GETPGID)
		return 0;
	bpf_probe_read_kernel(&pid, sizeof(pid), &t->group_leader->pid);
	depth = pid == t->tgid;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_no_release, struct pt_regs *regs, long id)
{
	bpf_task_acquire(bpf_get_current_task_btf());
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_release_twice, struct pt_regs *regs, long id)
{
	struct task_struct *a = bpf_task_acquire(bpf_get_current_task_btf());

	if (!a)
		return 0;
	bpf_task_release(a);
	bpf_task_release(a);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_release_current, struct pt_regs *regs, long id)
{
	bpf_task_release(bpf_get_current_task_btf());
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(walked_acquire, struct pt_regs *regs, long id)
{
	struct task_struct *t = bpf_get_current_task_btf(), *a;

	a = bpf_task_acquire(t->real_parent->real_parent->real_parent);
	if (a)
		bpf_task_release(a);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_rcu_unlock, struct pt_regs *regs, long id)
{
	bpf_rcu_read_unlock();
	return 0;
}

SEC("syscall")
int rcu_section(void *ctx)
{
	int r;

	bpf_rcu_read_lock();
	r = bpf_get_current_task_btf()->real_parent != NULL;
	bpf_rcu_read_unlock();
	return r;
}

SEC("syscall")
int bad_rcu_left_locked(void *ctx)
{
	bpf_rcu_read_lock();
	return 0;
}

SEC("syscall")
int bad_sleep_in_rcu(void *ctx)
{
	char c = 0;

	bpf_rcu_read_lock();
	bpf_copy_from_user(&c, 1, 0);
	bpf_rcu_read_unlock();
	return c;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_sleepable_helper, struct pt_regs *regs, long id)
{
	char c = 0;

	bpf_copy_from_user(&c, 1, 0);
	return c;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_field, struct pt_regs *regs, long id)
{
	return *(volatile int *)((char *)bpf_get_current_task_btf() + 1000000);
}

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} marks SEC(".maps");

__u64 marked;

/* Through pointers that a walk gave: whoever answers must not trust them blindly. */
SEC("tp_btf/sys_enter")
int BPF_PROG(storage_of_parents, struct pt_regs *regs, long id)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 *v;

	if (t->tgid != target_tgid || id != GETPGID)
		return 0;
	v = bpf_task_storage_get(&marks, t->real_parent->real_parent, 0,
				 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (v)
		marked = 1;
	bpf_task_storage_delete(&marks, t->real_parent->real_parent);
	return 0;
}
