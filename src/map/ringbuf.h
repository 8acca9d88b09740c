/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ring buffer operations for helpers.
 */
#ifndef SKEP_MAP_RINGBUF_H
#define SKEP_MAP_RINGBUF_H

#include "obj/map.h"

/* A record of @size bytes, or NULL: no room, or size too large. */
void *skep_ringbuf_reserve(struct skep_map *m, u64 size);
/* Finish a record; @flags BPF_RB_NO_WAKEUP, BPF_RB_FORCE_WAKEUP. */
void skep_ringbuf_commit(void *sample, u64 flags, bool discard);
/* BPF_RB_AVAIL_DATA and kin; 0 for an unknown question. */
u64 skep_ringbuf_query(struct skep_map *m, u64 what);

#endif
