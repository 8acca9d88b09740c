/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of spec/map_type.h. Facts: Linux 6.18.
 */
#include "spec/map_type.h"

#define S SKEP_MAP_SLEEPABLE_OK
#define I SKEP_MAP_IMPLEMENTED
#define O SKEP_MAP_ONLY_HELPERS

/* Helper ids that take the map types marked ONLY_HELPERS; 0 ends a list. */
static const u16 h_prog_array[] = {12, 0};
static const u16 h_perf[] = {22, 25, 55, 111, 121, 0};
static const u16 h_stack_trace[] = {27, 0};
static const u16 h_cgroup_array[] = {33, 37, 0};
static const u16 h_of_maps[] = {1, 0};
static const u16 h_devmap[] = {51, 1, 0};
static const u16 h_sockmap[] = {52, 53, 60, 82, 1, 3, 2, 0};
static const u16 h_cpumap[] = {51, 0};
static const u16 h_sockhash[] = {72, 70, 71, 82, 1, 3, 2, 0};
static const u16 h_cgroup_storage[] = {81, 0};
static const u16 h_reuseport[] = {82, 0};
static const u16 h_queue[] = {87, 88, 89, 0};
static const u16 h_sk_storage[] = {107, 108, 194, 0};
static const u16 h_struct_ops[] = {0};
static const u16 h_ringbuf[] = {130, 131, 134, 198, 199, 200, 0};
static const u16 h_inode_storage[] = {145, 146, 194, 0};
static const u16 h_task_storage[] = {156, 157, 194, 0};
static const u16 h_bloom[] = {89, 87, 0};
static const u16 h_user_ringbuf[] = {209, 0};
static const u16 h_cgrp_storage[] = {210, 211, 194, 0};

static const struct skep_map_type_row rows[SKEP_NR_MAP_TYPES] = {
	[0] = {0, "unspec", 0, NULL},
	[1] = {1, "hash", S | I | SKEP_MAP_FOR_EACH, NULL},
	[2] = {2, "array", S | I | SKEP_MAP_DIRECT_VALUE | SKEP_MAP_FOR_EACH, NULL},
	[3] = {3, "prog_array", I | O, h_prog_array},
	[4] = {4, "perf_event_array", O, h_perf},
	[5] = {5, "percpu_hash", S | I | SKEP_MAP_PERCPU | SKEP_MAP_FOR_EACH, NULL},
	[6] = {6, "percpu_array", S | I | SKEP_MAP_PERCPU | SKEP_MAP_FOR_EACH, NULL},
	[7] = {7, "stack_trace", O, h_stack_trace},
	[8] = {8, "cgroup_array", O, h_cgroup_array},
	[9] = {9, "lru_hash", S | I | SKEP_MAP_FOR_EACH, NULL},
	[10] = {10, "lru_percpu_hash", S | I | SKEP_MAP_PERCPU | SKEP_MAP_FOR_EACH, NULL},
	[11] = {11, "lpm_trie", 0, NULL},
	[12] = {12, "array_of_maps", S | I | O | SKEP_MAP_OF_MAPS, h_of_maps},
	[13] = {13, "hash_of_maps", S | I | O | SKEP_MAP_OF_MAPS, h_of_maps},
	[14] = {14, "devmap", O, h_devmap},
	[15] = {15, "sockmap", O, h_sockmap},
	[16] = {16, "cpumap", O, h_cpumap},
	[17] = {17, "xskmap", O, h_devmap},
	[18] = {18, "sockhash", O, h_sockhash},
	[19] = {19, "cgroup_storage", O, h_cgroup_storage},
	[20] = {20, "reuseport_sockarray", O, h_reuseport},
	[21] = {21, "percpu_cgroup_storage", O | SKEP_MAP_PERCPU, h_cgroup_storage},
	[22] = {22, "queue", S | O, h_queue},
	[23] = {23, "stack", S | O, h_queue},
	[24] = {24, "sk_storage", S | I | O | SKEP_MAP_LOCAL_STORAGE, h_sk_storage},
	[25] = {25, "devmap_hash", O, h_devmap},
	[26] = {26, "struct_ops", O, h_struct_ops},
	[27] = {27, "ringbuf", S | I | O, h_ringbuf},
	[28] = {28, "inode_storage", S | I | O | SKEP_MAP_LOCAL_STORAGE, h_inode_storage},
	[29] = {29, "task_storage", S | I | O | SKEP_MAP_LOCAL_STORAGE, h_task_storage},
	[30] = {30, "bloom_filter", O, h_bloom},
	[31] = {31, "user_ringbuf", S | O, h_user_ringbuf},
	[32] = {32, "cgrp_storage", S | I | O | SKEP_MAP_LOCAL_STORAGE, h_cgrp_storage},
	[33] = {33, "arena", S | SKEP_MAP_DIRECT_VALUE, NULL},
};

/* Helpers that take only maps whose row lists them. */
static bool is_special_helper(u32 id)
{
	for (u32 t = 0; t < SKEP_NR_MAP_TYPES; t++)
		for (const u16 *h = rows[t].helpers; h && *h; h++)
			if (*h == id && id > 3)
				return true;
	return false;
}

const struct skep_map_type_row *skep_map_type(u32 type)
{
	return type < SKEP_NR_MAP_TYPES ? &rows[type] : NULL;
}

bool skep_map_helper_ok(u32 type, u32 id)
{
	const struct skep_map_type_row *r = skep_map_type(type);

	if (!r)
		return false;
	if (id == 195) /* map_lookup_percpu_elem */
		return r->flags & SKEP_MAP_PERCPU && type != 21;
	if (id == 164) /* for_each_map_elem */
		return !(r->flags & SKEP_MAP_ONLY_HELPERS);
	if (r->flags & SKEP_MAP_ONLY_HELPERS) {
		for (const u16 *h = r->helpers; *h; h++)
			if (*h == id)
				return true;
		/* Queue-like and keyless maps pass the table; their keys are refused later. */
		return id <= 3 &&
		       (type == 22 || type == 23 || type == 27 || type == 30 || type == 31);
	}
	return !is_special_helper(id);
}
