/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of map types: what the verifier needs to know of each.
 */
#ifndef SKEP_SPEC_MAP_TYPE_H
#define SKEP_SPEC_MAP_TYPE_H

#include "isa/uapi.h"

enum {
	SKEP_MAP_SLEEPABLE_OK = 1 << 0, /* sleepable programs may use it */
	SKEP_MAP_DIRECT_VALUE = 1 << 1, /* ldimm64 src 2 */
	SKEP_MAP_OF_MAPS = 1 << 2,
	SKEP_MAP_LOCAL_STORAGE = 1 << 3,
	SKEP_MAP_PERCPU = 1 << 4,
	SKEP_MAP_ONLY_HELPERS = 1 << 5, /* only helpers in the list may take it */
	SKEP_MAP_IMPLEMENTED = 1 << 6,	/* map/ has it */
	SKEP_MAP_FOR_EACH = 1 << 7,
};

struct skep_map_type_row {
	u32 type;
	const char *name; /* "array": as in libbpf's names */
	u32 flags;
	const u16 *helpers; /* ONLY_HELPERS: 0-terminated ids */
};

const struct skep_map_type_row *skep_map_type(u32 type); /* NULL beyond the last */

/* May helper @id be given a map of @type? (both directions of the kernel's table) */
bool skep_map_helper_ok(u32 type, u32 helper_id);

#endif
