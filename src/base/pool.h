/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Type-stable memory: objects of one size that programs may point to.
 *
 * All pools carve from one reserved address range of SKEP_ARENA_SIZE bytes, aligned to its size,
 * readable from the start, writable as far as it was handed out, and never unmapped. A
 * probe load by a program is therefore a test of the upper address bits and a load; a pointer
 * that outlived its object reads stale memory of the same type, never another type's and never
 * a fault. The range is followed by SKEP_ARENA_GUARD readable bytes so that a base inside the
 * range plus any field offset below the guard stays readable.
 *
 * skep_pool_alloc/free are lock-free (a tagged LIFO) and callable from any context, program runs
 * included. Memory is zeroed on allocation.
 */
#ifndef SKEP_BASE_POOL_H
#define SKEP_BASE_POOL_H

#include "base/types.h"

#define SKEP_ARENA_SHIFT 36
#define SKEP_ARENA_SIZE (1ull << SKEP_ARENA_SHIFT)
#define SKEP_ARENA_GUARD (1ull << 32)

/* First address of the range; constant after the first skep_arena_init(). */
extern u64 skep_arena_base;

/* Reserve the range. Idempotent. 0 or -ENOMEM. */
int skep_arena_init(void);

static inline bool skep_arena_has(u64 addr)
{
	return (addr >> SKEP_ARENA_SHIFT) == (skep_arena_base >> SKEP_ARENA_SHIFT);
}

struct skep_pool {
	u64 free; /* tagged head of the LIFO of free objects, see pool.c */
	u32 size; /* object size, multiple of 64 */
	u32 align;
	u64 live; /* objects handed out, for memory accounting */
};

#define SKEP_POOL_INIT(sz)                                                                         \
	{                                                                                          \
		.size = ((sz) + 63u) & ~63u, .align = 64                                           \
	}

void skep_pool_init(struct skep_pool *p, u32 size);
/* Zeroed object or NULL. Any context. */
void *skep_pool_alloc(struct skep_pool *p);
void skep_pool_free(struct skep_pool *p, void *obj);
/*
 * Memory of any size up to SKEP_SIZED_MAX from pools of size classes: for what programs create at
 * run time (storage elements and tables). Zeroed; any context. @size must be the same at free.
 */
#define SKEP_SIZED_MAX (1u << 20)
void *skep_sized_alloc(u32 size);
void skep_sized_free(void *p, u32 size);
/* Raw, never freed bytes of the range; @align a power of two <= 4096. NULL when it is used up. */
void *skep_arena_alloc(size_t size, size_t align);

#endif
