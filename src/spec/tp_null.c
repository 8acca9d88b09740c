/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-up in the list of tracepoints with unreliable pointer arguments.
 */
#include "spec/tp_null.h"

#include <string.h>

static const struct {
	const char *name;
	u8 arg, what;
} list[] = {
#define SKEP_TP(n, a, w) {n, a, SKEP_TP_ARG_##w},
#include "spec/tp_null.def"
#undef SKEP_TP
	{"", 0, SKEP_TP_ARG_PLAIN},
};

enum skep_tp_arg skep_tp_arg_null(const char *name, u32 arg)
{
	for (u32 i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i].arg == arg && !strcmp(list[i].name, name))
			return list[i].what;
	return SKEP_TP_ARG_PLAIN;
}
