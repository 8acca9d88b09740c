/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From verified to executable bytecode: the passes, in order, on one screen (rewrite.c).
 *
 * Sources are the facts of isa/facts.h, the field tables of spec/prog_type.h and the layout
 * descriptors of spec/inline.h; the result runs unchanged on the interpreter and the JIT.
 */
#ifndef SKEP_REWRITE_REWRITE_H
#define SKEP_REWRITE_REWRITE_H

#include "isa/facts.h"
#include "spec/inline.h"

/* Binding to the running subsystem, given by load. */
struct skep_rewrite_host {
	void *priv;
	/* Body of a helper for this program, never NULL for a verified one. */
	void *(*helper_fn)(void *priv, const struct skep_vprog *p, u32 id, const char **ret_name);
	void *(*kfunc_fn)(void *priv, const struct skep_kfunc_ref *ref, const char **ret_name);
	/* Address programs use for "the map" (argument of map helpers). */
	void *(*map_addr)(void *priv, struct skep_map_facts *m);
	/* Address of the value bytes for direct access at @off. */
	void *(*map_value_addr)(void *priv, struct skep_map_facts *m, u32 off);
	/* How look-ups in this map inline; NULL: they do not. */
	const struct skep_map_inline *(*map_inline)(void *priv, const struct skep_map_facts *m);
	/* Inline recipe for local storage of kernel objects and for current; see inline.h. */
	const struct skep_run_inline *run_inline;
	bool no_inline; /* keep every call a call (reference runs) */
};

/* In place. 0, or -errno with the program unusable (but finishable). */
int skep_rewrite(struct skep_vprog *p, const struct skep_rewrite_host *host);

#endif
