/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks: one object per thread of the owner process.
 *
 * A task is skep's part followed by the view: a zeroed block laid out as the presented kernel's
 * struct task_struct, which programs read (base/pool.h says why that never faults). Filled view
 * fields: pid, tgid, comm, group_leader, real_parent (a stub task with pid), start_time, flags,
 * real_cred/cred (uid, gid), nsproxy and mm stay NULL; docs/parity.md has the list.
 *
 * Life: made at a thread's first entry into a program; freed when the thread exits (pthread key
 * destructor), after its local storage. References by programs (bpf_task_acquire) keep the
 * memory from being reused, not the thread alive.
 */
#ifndef SKEP_KERN_TASK_H
#define SKEP_KERN_TASK_H

#include "base/types.h"
#include "btf/btf.h"
#include "kern/owner.h"

struct skep_cgroup;

/* skep's part; the view starts right after it, at SKEP_TASK_VIEW_OFF. */
struct skep_task {
	u64 refs;
	s32 pid, tgid; /* tid and pid in Linux terms: pid = thread */
	u64 start_boottime_ns;
	bool dead;
	struct skep_task *hash_next;
	/* Scratch views for this thread's hooks: struct pt_regs by the presented BTF. */
	void *pt_regs_view; /* depth 0; deeper nesting uses the following ones */
	u32 pt_regs_depth;
	/* cgroup2 (kern/cgroup.c): referenced, as last read, by this thread if not the first time
	 */
	struct skep_cgroup *cgroup;
	u64 cgroup_ns;
	u32 cgroup_generation;
	struct skep_rcu_head rcu;
	struct skep_storage_owner owner; /* last: see kern/owner.h */
} __attribute__((aligned(64)));

/* Hooks that may nest on one thread: a call, and those of signal handlers on top of it. */
#define SKEP_TASK_REGS_DEPTH 8u

#define SKEP_TASK_VIEW_OFF sizeof(struct skep_task)

static inline void *skep_task_view(struct skep_task *t)
{
	return (char *)t + SKEP_TASK_VIEW_OFF;
}
static inline struct skep_task *skep_task_of_view(u64 view)
{
	return (struct skep_task *)(view - SKEP_TASK_VIEW_OFF);
}

/* This thread's view address, 0 before its first entry: what current is to generated code. */
extern SKEP_TLS u64 skep_current_view;

/* Lay tasks out by @kernel_btf (NULL: no fields). Once, before the first task. */
int skep_task_init(const struct skep_btf *kernel_btf);

/* This thread's task, made on first use. NULL only when memory is short. Any context. */
struct skep_task *skep_task_current(void);
/* Refresh comm and credentials in the view (cheap; called where programs read them). */
void skep_task_refresh(struct skep_task *t);
/* Referenced task by Linux tid of a thread of this process, made if need be; NULL: no such. */
struct skep_task *skep_task_by_tid(s32 tid);
/*
 * Referenced task behind a pidfd. NULL with *ret_err -EBADF (not a pidfd), -ESRCH or -ENOENT (no
 * thread of this process).
 */
struct skep_task *skep_task_by_pidfd(int fd, int *ret_err);
void skep_task_get(struct skep_task *t);
bool skep_task_get_unless_zero(struct skep_task *t);
void skep_task_put(struct skep_task *t);

void skep_task_fork_child(void);

/* Byte offsets of pt_regs fields in the presented BTF: ax, di, si, dx, r10, r8, r9, orig_ax, … */
struct skep_pt_regs_layout {
	u32 size;
	u32 di, si, dx, r10, r8, r9, ax, orig_ax, ip, sp, cs, ss, flags;
};
extern struct skep_pt_regs_layout skep_pt_regs_layout;

#endif
