/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of kfuncs: look-up by name.
 */
#include "spec/kfunc.h"

#include <string.h>

static const struct skep_kfunc_row rows[] = {
#define SKEP_KFUNC(n, f, c, i) {.name = n, .flags = f, .contexts = c, .implemented = i},
#include "spec/kfuncs.def"
#undef SKEP_KFUNC
};

const struct skep_kfunc_row *skep_kfunc_row(const char *name)
{
	u32 lo = 0, hi = ARRAY_SIZE(rows);

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		int c = strcmp(rows[mid].name, name);

		if (!c)
			return &rows[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct skep_kfunc_row *skep_kfunc_rows(u32 *ret_n)
{
	*ret_n = ARRAY_SIZE(rows);
	return rows;
}

bool skep_kptr_has_dtor(const char *name)
{
	static const char *const names[] = {
		"task_struct",	       "cgroup",	   "bpf_cpumask", "bpf_crypto_ctx",
		"prog_test_ref_kfunc", "prog_test_member",
	};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}
