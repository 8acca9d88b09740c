/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kfuncs that the presented kernel may lack: with an acquired task, and with an iterator whose
 * state's type it may lack too.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct task_struct {
	int pid, tgid;
} __attribute__((preserve_access_index));

struct bpf_iter_num {
	unsigned long long __opaque[1];
} __attribute__((aligned(8)));

extern struct task_struct *bpf_task_from_pid(long long pid) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

char LICENSE[] SEC("license") = "GPL";

struct args {
	int pid, tgid, sum;
};

SEC("syscall")
int find(struct args *a)
{
	struct task_struct *t;
	struct bpf_iter_num it;
	int *v;

	bpf_rcu_read_lock();
	bpf_rcu_read_unlock();
	bpf_iter_num_new(&it, 1, 5);
	while ((v = bpf_iter_num_next(&it)))
		a->sum += *v;
	bpf_iter_num_destroy(&it);
	t = bpf_task_from_pid(a->pid);
	if (!t)
		return 1;
	a->tgid = t->tgid;
	bpf_task_release(t);
	return 0;
}
