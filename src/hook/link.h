/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all attach families share: a link's birth, its end, and its operations as an object.
 */
#ifndef SKEP_HOOK_LINK_H
#define SKEP_HOOK_LINK_H

#include "obj/prog.h"

struct skep_hook_link_ops {
	struct skep_link_ops lops;
	/* Stop firing without waiting for runs in flight. Idempotent. Control path. */
	void (*unhook)(struct skep_link *l);
	/* Free the family's struct; NULL: the link was allocated as is. After a grace period. */
	void (*free)(struct skep_link *l);
};

/*
 * Initialise @l with one reference, taking a reference on @p. It is released by skep_obj_put():
 * unhooked there and then, the program let go and memory freed after a grace period.
 */
void skep_link_init(struct skep_link *l, struct skep_prog *p, const struct skep_hook_link_ops *ops,
		    u32 attach_type, u64 cookie);

/* System-call number of @name ("read"), -1 when there is none; the name of @nr or NULL. */
int skep_sys_nr(const char *name);
const char *skep_sys_name(u32 nr);

/* Numbers beyond this are never in the table. */
#define SKEP_SYS_MAX 512u

#endif
