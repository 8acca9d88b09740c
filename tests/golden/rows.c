/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of helpers, kfuncs and map types with what there is a body for, a line a row;
 * scripts/gen-parity makes documentation of it.
 */
#include <stdio.h>

#include "helper/helper.h"
#include "spec/helper.h"
#include "spec/kfunc.h"
#include "spec/map_type.h"
#include "spec/prog_type.h"

static bool has_body(u32 id)
{
	for (u32 t = 0; t < SKEP_NR_PROG_TYPES; t++)
		if (skep_helper_body(id, t))
			return true;
	return false;
}

int main(void)
{
	const struct skep_kfunc_row *k;
	u32 n;

	for (u32 id = 1; id < 300; id++)
		if (skep_helper_name(id))
			printf("helper\t%s\t%s\n", skep_helper_name(id),
			       has_body(id) ? "yes" : "no");
	k = skep_kfunc_rows(&n);
	for (u32 i = 0; i < n; i++)
		printf("kfunc\t%s\t%s\n", k[i].name, k[i].implemented ? "yes" : "no");
	for (u32 t = 1; t < SKEP_NR_MAP_TYPES; t++)
		printf("map\t%s\t%s\n", skep_map_type(t)->name,
		       skep_map_type(t)->flags & SKEP_MAP_IMPLEMENTED ? "yes" : "no");
	for (u32 t = 1; t < SKEP_NR_PROG_TYPES; t++) {
		const struct skep_prog_type_row *r = skep_prog_type(t);

		printf("prog\t%s\t%s\n", r->name,
		       r->flags & SKEP_PT_RUNNABLE   ? "yes"
		       : r->flags & SKEP_PT_LOADABLE ? "verified"
						     : "no");
	}
	return 0;
}
