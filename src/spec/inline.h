/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout descriptors: what generated code may know about live objects.
 *
 * map and kern fill them with offsetof of their own structs; rewrite emits loads from them. A
 * program's map argument is the address of the map's `struct skep_map`.
 */
#ifndef SKEP_SPEC_INLINE_H
#define SKEP_SPEC_INLINE_H

#include "base/types.h"
#include "isa/facts.h"

enum skep_map_inline_kind {
	SKEP_INLINE_NONE,
	SKEP_INLINE_ARRAY, /* value = *(map + values_off) + (key & index_mask?) * stride if key <
			      max */
	SKEP_INLINE_ARRAY_OF_MAPS, /* as ARRAY, then one load: the inner map or NULL */
	SKEP_INLINE_PERCPU_ARRAY,  /* as ARRAY, plus the virtual CPU's base */
	SKEP_INLINE_STORAGE,	   /* local storage of any kind of owner */
};

/* Constant for one map. */
struct skep_map_inline {
	u8 kind; /* enum skep_map_inline_kind */
	u32 max_entries;
	u32 stride;	   /* bytes between values, 8-aligned */
	void *values;	   /* address of element 0 (of virtual CPU 0) */
	u64 percpu_stride; /* bytes between virtual CPUs' copies */
	u32 storage_slot;  /* local storage: the map's number */
};

/*
 * Constant for the process.
 *
 * Local storage, for all kinds of owners: an owner's view is at address V. V + owner_table_off
 * holds a pointer T to the owner's table, never NULL; T + table_len_off holds its length L (u32,
 * at least table_min_len); slot i is at T + table_slots_off + 8 * i, NULL or the address of the
 * value. A map's number is the u32 at map + map_slot_off; always < 1 << 16. So a hit is: load T,
 * load i, i < L, load slot, non-NULL. V may be what a walk through unfilled fields ended in: NULL
 * or a small offset from it, below 1 << 31; objects are never there.
 */
struct skep_run_inline {
	s32 owner_table_off; /* negative: skep's part lies before the view */
	s32 table_len_off, table_slots_off;
	u32 table_min_len;
	s32 map_slot_off;
	/* Thread-local words as fs-relative offsets (initial-exec), for the JIT. */
	s64 tls_current_off; /* u64: address of the current task's view */
	s64 tls_cpu_off;     /* u32: number of the virtual CPU that this run holds */
	struct skep_tail_inline tail;
};

#endif
