/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which kfuncs the module named skep has.
 */
#include "base/alloc.h"
#include "base/log.h"
#include "kern/kernel_btf.h"
#include "load/load.h"
#include "spec/kfunc.h"

struct skep_btf *skep_load_module_btf(const struct skep_btf *kernel)
{
	struct skep_btf *btf = NULL;
	const char **names;
	u32 n, nr = 0;
	const struct skep_kfunc_row *rows = skep_kfunc_rows(&n);

	/* The built-in BTF was made for them all. */
	if (skep_kernel_btf_source() == SKEP_BTF_BUILTIN)
		return NULL;
	names = skep_calloc(n, sizeof(*names));
	if (!names)
		return NULL;
	for (u32 i = 0; i < n; i++)
		if (rows[i].implemented)
			names[nr++] = rows[i].name;
	skep_module_btf_new(kernel, names, nr, &btf);
	skep_free(names);
	return btf;
}
