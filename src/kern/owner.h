/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Owners of local storage: what tasks, cgroups, sockets and inodes have in common.
 *
 * A kernel object is skep's part followed by the view that programs hold pointers to. The owner is
 * the last member of every skep's part, one cache line: it lies at the same negative offset from
 * the view whatever the object is, so one recipe of generated code (spec/inline.h) serves all
 * kinds. Its words are at the line's end: a view that lies inside another view (the cgroup inside
 * a cgroup_root) can stand for an owner that is dead with 16 bytes before it (skep_owner_dummy).
 *
 * What the table holds and who may touch it is map/local_storage.c's affair. Objects that are
 * owners are type-stable memory, and go back to their pool a grace period after
 * skep_owner_end(): who finds an owner through one of its elements has it for a read section.
 */
#ifndef SKEP_KERN_OWNER_H
#define SKEP_KERN_OWNER_H

#include "base/lock.h"
#include "base/rcu.h"
#include "base/types.h"

/* Slots are indexed by the map's number among the maps of this kind of owner. */
struct skep_storage_table {
	u32 len; /* never less than SKEP_STORAGE_MIN_SLOTS */
	struct skep_rcu_head rcu;
	void *slots[]; /* NULL, or the address of a value */
};

/* The smallest table, one cache line: generated code looks below this without asking. */
#define SKEP_STORAGE_MIN_SLOTS 5u

struct skep_storage_owner {
	u8 unused[44];
	u32 charged; /* under the lock: bytes that count against a limit */
	struct skep_lock lock;
	u32 dead;			  /* under the lock: nothing is created any more */
	struct skep_storage_table *table; /* never NULL */
} __attribute__((aligned(64)));

#define SKEP_OWNER_OFF ((s32) - (s32)sizeof(struct skep_storage_owner))

/* What owners without storage point to: all slots NULL. */
extern struct skep_storage_table *const skep_storage_empty;
/* Set by map/: takes the storage of an owner that ends. */
extern void (*skep_storage_free)(struct skep_storage_owner *o);

static inline struct skep_storage_owner *skep_owner_of_view(u64 view)
{
	return (struct skep_storage_owner *)(view - sizeof(struct skep_storage_owner));
}

/* A new owner, not published yet. */
static inline void skep_owner_init(struct skep_storage_owner *o)
{
	o->charged = 0;
	o->lock.word = 0;
	o->dead = 0;
	o->table = skep_storage_empty;
}

/* The 16 bytes before @view, inside another view, say that it owns nothing. */
static inline void skep_owner_dummy(void *view)
{
	struct skep_storage_owner *o = skep_owner_of_view((u64)view);

	o->lock.word = 0;
	o->dead = 1;
	o->table = skep_storage_empty;
}

/* The object is gone: its storage goes, none is made any more. Once. */
static inline void skep_owner_end(struct skep_storage_owner *o)
{
	if (skep_storage_free)
		skep_storage_free(o);
}

#endif
