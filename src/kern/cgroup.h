/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cgroups: one object per directory of the host's cgroup file systems that somebody asked for.
 *
 * Filled view fields: kn (and its id), level, self.cgroup, self.id (of the root), self.parent,
 * root (its hierarchy_id), ancestors[] up to SKEP_CGROUP_MAX_LEVEL. docs/parity.md has the list.
 *
 * A cgroup is identified by its file system and inode number, which is its kernfs id; neither
 * comes back after a removal. Removal is noticed when the cgroup is looked up by descriptor or id
 * and when a thread's cgroup is read again: then its storage goes. Objects of living cgroups stay.
 */
#ifndef SKEP_KERN_CGROUP_H
#define SKEP_KERN_CGROUP_H

#include "kern/owner.h"
#include "kern/task.h"

#define SKEP_CGROUP_MAX_LEVEL 32u

/* skep's part; the view, a struct cgroup, starts right after it. */
struct skep_cgroup {
	u64 refs;
	u64 dev, ino;  /* of the directory */
	u32 hierarchy; /* 0: cgroup2 */
	u32 level;     /* 0: the root, as far as this process sees */
	bool dead;
	struct skep_cgroup *parent; /* referenced; NULL at level 0 */
	struct skep_cgroup *hash_next;
	void *css_set; /* view of a struct css_set whose dfl_cgrp this is; cgroup2 only */
	void *kn;      /* view of the struct kernfs_node */
	void *root;    /* view of the struct cgroup_root, which the cgroup at level 0 owns */
	char *path;    /* of the directory when it was first seen */
	u32 path_bytes;
	struct skep_rcu_head rcu;
	struct skep_storage_owner owner; /* last: see kern/owner.h */
} __attribute__((aligned(64)));

static inline void *skep_cgroup_view(struct skep_cgroup *c)
{
	return c + 1;
}
static inline struct skep_cgroup *skep_cgroup_of_view(u64 view)
{
	return (struct skep_cgroup *)view - 1;
}

/* Lay cgroups out by @kernel_btf (NULL: no fields). Idempotent. 0 or -ENOMEM. */
int skep_cgroup_init(const struct skep_btf *kernel_btf);

/*
 * Referenced cgroup whose directory is open at @fd. NULL with *ret_err: -EBADF (not open, or no
 * cgroup directory), -ENOENT (removed), -ENOMEM.
 */
struct skep_cgroup *skep_cgroup_by_fd(int fd, int *ret_err);
/* Referenced cgroup2 cgroup by id; NULL: none that this process can see. Any context. */
struct skep_cgroup *skep_cgroup_by_id(u64 id);
/*
 * Referenced cgroup of thread @tid in the cgroup v1 hierarchy with this number (0: cgroup2), read
 * now; NULL: no such. Any context.
 */
struct skep_cgroup *skep_cgroup_of_thread(s32 tid, u32 hierarchy);

void skep_cgroup_get(struct skep_cgroup *c);
bool skep_cgroup_get_unless_zero(struct skep_cgroup *c);
void skep_cgroup_put(struct skep_cgroup *c); /* takes NULL */

/* Ancestor at @level, the cgroup itself at its own; NULL: none. Borrowed. */
struct skep_cgroup *skep_cgroup_ancestor(struct skep_cgroup *c, s32 level);

/*
 * The cgroup2 cgroup of @t as last read, borrowed for a read section; NULL when memory is short.
 * It is read again, if @t is the calling thread, when it is older than SKEP_CGROUP_FRESH_NS or
 * something was asked of skep (bpf(2)) since.
 */
#define SKEP_CGROUP_FRESH_NS 10000000ull
struct skep_cgroup *skep_task_cgroup(struct skep_task *t);

/*
 * Non-zero: programs look at `task->cgroups', so that entering one keeps the current task's
 * fresh (run/). Set for good by the first program that does.
 */
extern u32 skep_cgroup_watched;
void skep_cgroup_watch(void);
/* Where `cgroups' is in a task's view; 0: nowhere. */
u32 skep_cgroup_task_off(void);
/* A control-path call came: what is known of threads' cgroups may be old. */
void skep_cgroup_expire(void);

void skep_cgroup_fork_child(void);

#endif
