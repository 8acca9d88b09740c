/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the fields of a view are.
 */
#include "kern/view.h"

void skep_view_resolve(const struct skep_btf *btf, const char *type, struct skep_view_field *f,
		       u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u32 off, size;

		f[i].known = btf && !skep_btf_field(btf, type, f[i].name, &off, &size) &&
			     size == f[i].size;
		if (f[i].known)
			f[i].off = off;
	}
}

u32 skep_view_size(const struct skep_btf *btf, const char *type)
{
	u32 id = btf ? skep_btf_find(btf, type, BTF_KIND_STRUCT) : 0;
	s64 size = id ? skep_btf_size(btf, id) : 0;

	return size > 0 ? (u32)size : 0;
}
