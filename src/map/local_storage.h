/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local storage operations for helpers. The map's type and the owner's kind agree: the verifier
 * has seen to it.
 */
#ifndef SKEP_MAP_LOCAL_STORAGE_H
#define SKEP_MAP_LOCAL_STORAGE_H

#include "kern/owner.h"
#include "obj/map.h"

/*
 * The value of @o in @m, or NULL when there is none. With @create: made, zeroed or a copy of
 * @init (may be NULL); NULL then means no memory, a dead owner, a socket's limit, or that storage
 * of this kind is being worked on by what this program interrupts (unless @may_nest). In an RCU
 * section, holding no lock; the value stays valid until the section ends.
 */
void *skep_storage_get(struct skep_map *m, struct skep_storage_owner *o, const void *init,
		       bool create, bool may_nest);
/* 0, -ENOENT, or -EBUSY (see @may_nest above). */
s64 skep_storage_delete(struct skep_map *m, struct skep_storage_owner *o, bool may_nest);

/* Has @o a value in a map with BPF_F_CLONE? Any context. */
bool skep_storage_has_clones(struct skep_storage_owner *o);
/* Copy the values of @from in maps with BPF_F_CLONE to @to. Any context, holding no lock. */
void skep_storage_clone(struct skep_storage_owner *from, struct skep_storage_owner *to);

/*
 * When set, called before a value is made or replaced, with no lock held: the entry of the kernel's
 * bpf_local_storage_update. Set and cleared by hook/.
 */
extern void (*skep_storage_updating)(const struct skep_storage_owner *o, const struct skep_map *m,
				     const void *value, u64 flags);

/* Offsets for generated code (spec/inline.h). */
void skep_storage_inline(struct skep_run_inline *ret);

#endif
