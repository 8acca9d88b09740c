/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for the control path: loading, verifying, creating objects.
 *
 * Backed by libc's allocator, counted, and able to fail on demand: tests set the number of
 * allocations that may still succeed. Sizes given by a user pass through skep_calloc, which
 * refuses products that overflow or exceed SKEP_ALLOC_MAX.
 *
 * Context: may sleep. Never from a program run (see base/pool.h), since a hook can fire inside
 * the application's malloc.
 */
#ifndef SKEP_BASE_ALLOC_H
#define SKEP_BASE_ALLOC_H

#include "base/types.h"

#define SKEP_ALLOC_MAX (1ull << 36)

/* All return NULL when memory is short or a test made the allocation fail. */
void *skep_alloc(size_t size);	/* uninitialised */
void *skep_zalloc(size_t size); /* zeroed */
void *skep_calloc(size_t n, size_t size);
void *skep_realloc(void *p, size_t size);
void *skep_memdup(const void *p, size_t size);
char *skep_strdup(const char *s);
void skep_free(void *p); /* takes NULL */

/* Test hook: the allocation after the next @n fails, and every one after it; -1 disables. */
void skep_alloc_fail_after(long n);
/* Test hook: allocations not freed yet. */
long skep_alloc_live(void);

/*
 * Whole pages straight from the kernel: zeroed, page-aligned, usable where malloc is not.
 * @size is rounded up to pages. NULL when memory is short.
 */
void *skep_pages_alloc(size_t size);
/*
 * The same below 2 GiB where there is room and @size is modest: generated code takes such an
 * address as a displacement.
 */
void *skep_pages_alloc_low(size_t size);
/* mmap(2) of @size bytes to read and write, there if it may be. The address, or -errno. */
long skep_map_low(size_t size, int flags, int fd);
void skep_pages_free(void *p, size_t size);

#endif
