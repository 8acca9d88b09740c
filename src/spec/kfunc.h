/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of kfuncs: flags and the contexts that may call them; prototypes come from BTF.
 *
 * A kfunc is found by (BTF object, FUNC id); the row is looked up by the FUNC's name, so that the
 * presented kernel decides which exist. A kfunc of the presented kernel without a row here is
 * known to nobody: "calling kernel function %s is not allowed" is given only where the kernel
 * gives it; otherwise the load fails with a message that skep lacks it.
 */
#ifndef SKEP_SPEC_KFUNC_H
#define SKEP_SPEC_KFUNC_H

#include "isa/uapi.h"

enum {
	SKEP_KF_ACQUIRE = 1 << 0,
	SKEP_KF_RELEASE = 1 << 1,
	SKEP_KF_RET_NULL = 1 << 2,
	SKEP_KF_TRUSTED_ARGS = 1 << 4,
	SKEP_KF_SLEEPABLE = 1 << 5,
	SKEP_KF_DESTRUCTIVE = 1 << 6,
	SKEP_KF_RCU = 1 << 7,
	SKEP_KF_ITER_NEW = 1 << 8,
	SKEP_KF_ITER_NEXT = 1 << 9,
	SKEP_KF_ITER_DESTROY = 1 << 10,
	SKEP_KF_RCU_PROTECTED = 1 << 11,
	SKEP_KF_FASTCALL = 1 << 12,
	SKEP_KF_ARENA_RET = 1 << 13,
	SKEP_KF_ARENA_ARG1 = 1 << 14,
	SKEP_KF_ARENA_ARG2 = 1 << 15,
};

struct skep_kfunc_row {
	const char *name;
	u32 flags;
	u64 contexts;	  /* 1 << enum skep_ctx_id */
	bool implemented; /* helper/ has a body; otherwise loads that use it are refused */
};

const struct skep_kfunc_row *skep_kfunc_row(const char *name); /* NULL: not in the table */
const struct skep_kfunc_row *skep_kfunc_rows(u32 *ret_n);

/* Can a map that dies let go of a reference to the kernel's struct @name? */
bool skep_kptr_has_dtor(const char *name);

#endif
