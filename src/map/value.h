/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of map values, which step around special fields.
 */
#ifndef SKEP_MAP_VALUE_H
#define SKEP_MAP_VALUE_H

#include "obj/map.h"

/*
 * Copy a value into the map, leaving the bytes of special fields alone; @lock: under the value's
 * bpf_spin_lock (BPF_F_LOCK).
 */
void skep_map_copy_value(const struct skep_map *m, void *dst, const void *src, bool lock);
/* Copy a value out; special fields read as zero. */
void skep_map_read_value(const struct skep_map *m, void *dst, const void *src, bool lock);

#endif
