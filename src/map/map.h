/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to map/: what the families share.
 */
#ifndef SKEP_MAP_MAP_H
#define SKEP_MAP_MAP_H

#include "map/value.h"
#include "obj/map.h"
#include "obj/prog.h"

/*
 * Initialise the common part of a new map (embedded first in the family's struct): facts, record
 * and inner pointers made self-consistent, the reference on its BTF taken.
 */
void skep_map_init(struct skep_map *m, const struct skep_map_facts *tmpl,
		   const struct skep_map_ops *ops);

/* Common checks of update flags: -EINVAL for unknown ones or BPF_F_LOCK without a lock. */
int skep_map_check_flags(const struct skep_map *m, u64 flags);

/* The inner map behind descriptor value @fd, checked against @outer's template, referenced. */
struct skep_map *skep_inner_get(const struct skep_map *outer, u32 fd);

/* Look-up of a map of maps by a system call: the inner map's id. */
int skep_inner_sys_lookup(struct skep_map *m, const void *key, void *value, u64 flags);

/* Index maps: the next index as get_next_key. */
int skep_index_next_key(u32 max, const void *key, void *next);

extern const struct skep_map_ops skep_array_ops, skep_percpu_array_ops, skep_array_of_maps_ops;
extern const struct skep_map_ops skep_prog_array_ops;
extern const struct skep_map_ops skep_hash_ops, skep_hash_of_maps_ops;
extern const struct skep_map_ops skep_percpu_hash_ops, skep_lru_hash_ops;
extern const struct skep_map_ops skep_ringbuf_ops;
extern const struct skep_map_ops skep_storage_ops;
extern const struct skep_map_ops skep_simulated_ops;

#endif
