/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects: what bpf(2) hands out. A header with a reference count, an id, and a type's operations.
 *
 * Life: created with one reference and no id, invisible; skep_obj_publish() gives it an id;
 * reachable by id or descriptor only when complete. The last put calls ops->release, possibly
 * inside a program run (map-in-map), so release only unpublishes and defers (skep_rcu_defer);
 * memory goes after a grace period, on a control path.
 *
 * Id tables are guarded by one lock each; look-up by id takes it. Ids start at 1 and grow; a
 * freed id is not reused before 2^31 others, as in the kernel.
 */
#ifndef SKEP_OBJ_OBJ_H
#define SKEP_OBJ_OBJ_H

#include "base/rcu.h"
#include "base/types.h"

enum skep_obj_type {
	SKEP_OBJ_MAP,
	SKEP_OBJ_PROG,
	SKEP_OBJ_LINK,
	SKEP_OBJ_BTF,
	SKEP_OBJ_ITER,
	SKEP_OBJ_TOKEN,
	SKEP_NR_OBJ_TYPES,
};

struct skep_obj;

/* Backing of an application's mmap of a descriptor: pages of @memfd from @memfd_off. */
struct skep_mmap_req {
	u64 off, len;	/* as asked, page-aligned */
	int prot;	/* PROT_* as asked */
	int flags;	/* MAP_* as asked */
	bool may_write; /* the descriptor may be written */
	int memfd;	/* answer */
	u64 memfd_off;
	/*
	 * Answer: the first split bytes come from memfd_off, the rest from memfd_off2 (a ring's
	 * data appears twice in a row). split == len: one piece.
	 */
	u64 split, memfd_off2;
	int prot_max; /* answer: what mprotect may later add (PROT_*) */
};

struct skep_obj_ops {
	/* Last reference gone: unpublish and defer. Any context. */
	void (*release)(struct skep_obj *o);
	/* A descriptor's last close (control path or reaper thread); NULL: just the reference. */
	void (*fd_closed)(struct skep_obj *o);
	/* mmap of a descriptor; 0 or -errno. NULL: -ENOTSUPP for maps, -ENODEV for others. */
	int (*mmap)(struct skep_obj *o, struct skep_mmap_req *req);
	/* The pages of a successful mmap are unmapped / mapped (write counts for freeze). */
	void (*mmap_open)(struct skep_obj *o, int prot);
	void (*mmap_close)(struct skep_obj *o, int prot);
	/* Pollable: is there something to read now? NULL: not pollable. Any context. */
	bool (*poll_ready)(struct skep_obj *o);
	/* read(2) of a descriptor (iterators); NULL: -EINVAL. */
	s64 (*read)(struct skep_obj *o, void *buf, size_t n);
	/* Lines of /proc/self/fdinfo after the common ones; returns bytes written. */
	u32 (*fdinfo)(struct skep_obj *o, char *buf, u32 size);
};

struct skep_obj {
	u8 type; /* enum skep_obj_type */
	u32 id;	 /* 0 until published */
	u64 refs;
	const struct skep_obj_ops *ops;
	struct skep_rcu_head rcu;
	struct skep_fd_desc *descs; /* obj/fd.c: descriptors of a pollable object */
};

void skep_obj_init(struct skep_obj *o, enum skep_obj_type type, const struct skep_obj_ops *ops);
/* Give it an id and make it reachable by it. 0 or -ENOMEM. Control path. */
int skep_obj_publish(struct skep_obj *o);
/* Ids up to @id are not given out by skep_obj_publish(); publish_as() gives one of them. */
void skep_obj_reserve_id(enum skep_obj_type type, u32 id);
int skep_obj_publish_as(struct skep_obj *o, u32 id);
/* Take it out of the id table; idempotent. Any context. */
void skep_obj_unpublish(struct skep_obj *o);

static inline struct skep_obj *skep_obj_get(struct skep_obj *o)
{
	__atomic_fetch_add(&o->refs, 1, __ATOMIC_RELAXED);
	return o;
}
/* Reference unless the count is already 0. */
bool skep_obj_get_unless_zero(struct skep_obj *o);
void skep_obj_put(struct skep_obj *o); /* takes NULL */

/* Referenced object, or NULL. */
struct skep_obj *skep_obj_by_id(enum skep_obj_type type, u32 id);
/* Smallest id > @id of this type; 0 when there is none. */
u32 skep_obj_next_id(enum skep_obj_type type, u32 id);

/* In a fork's child: nothing is owned any more; every look-up fails. */
void skep_obj_fork_child(void);

#endif
