/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts of the program types whose programs skep judges but cannot run: which accesses are
 * allowed, without where the fields would lie at run time.
 */
#ifndef SKEP_SPEC_CTX_RULES_H
#define SKEP_SPEC_CTX_RULES_H

#include "base/types.h"

/*
 * Aligned accesses at @lo, @lo + @step, ... that end at @hi or before. A rule may hold for some
 * attach types only.
 */
struct skep_ctx_rule {
	u16 lo, hi;
	u8 step;	  /* 0: at @lo only */
	u8 reads, writes; /* sets of sizes: 1, 2, 4, 8, or'ed */
	u8 value;	  /* enum skep_field_value */
	u64 attach;	  /* set of attach types, 0: every one */
	const char *type; /* SKEP_FV_BTF: the struct's name */
};

/* The rules of @prog_type, NULL when it has none. */
const struct skep_ctx_rule *skep_ctx_rules(u32 prog_type, u32 *ret_nr);

#endif
