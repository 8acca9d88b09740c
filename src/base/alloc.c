/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for the control path, counted and able to fail on demand.
 */
#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/raw.h"

static long live;
static long fail_after = -1;

/* True when a test asked this allocation, and each one after it, to fail. */
static bool must_fail(void)
{
	long left = SKEP_READ(fail_after);

	if (likely(left < 0))
		return false;
	if (left == 0)
		return true;
	SKEP_WRITE(fail_after, left - 1);
	return false;
}

static void *counted(void *p)
{
	if (p)
		__atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
	return p;
}

void *skep_alloc(size_t size)
{
	if (size > SKEP_ALLOC_MAX || must_fail())
		return NULL;
	return counted(malloc(size ? size : 1));
}

void *skep_zalloc(size_t size)
{
	return skep_calloc(1, size);
}

void *skep_calloc(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SKEP_ALLOC_MAX || must_fail())
		return NULL;
	return counted(calloc(1, bytes ? bytes : 1));
}

void *skep_realloc(void *p, size_t size)
{
	if (!p)
		return skep_alloc(size);
	if (size > SKEP_ALLOC_MAX || must_fail())
		return NULL;
	return realloc(p, size ? size : 1);
}

void *skep_memdup(const void *p, size_t size)
{
	void *copy = skep_alloc(size);

	if (copy)
		memcpy(copy, p, size);
	return copy;
}

char *skep_strdup(const char *s)
{
	return skep_memdup(s, strlen(s) + 1);
}

void skep_free(void *p)
{
	if (!p)
		return;
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
	free(p);
}

void skep_alloc_fail_after(long n)
{
	SKEP_WRITE(fail_after, n);
}

long skep_alloc_live(void)
{
	return SKEP_READ(live);
}

/* ThreadSanitizer does not see that pages mapped here were unmapped there before. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
static char pages;
#define pages_taken() __tsan_acquire(&pages)
#define pages_given() __tsan_release(&pages)
#else
#define pages_taken() ((void)0)
#define pages_given() ((void)0)
#endif

/* The first 2 GiB are scarce: what is larger does not go there. */
#define LOW_MAX (16u << 20)

static bool failed(long p)
{
	return p < 0 && p >= -SKEP_MAX_ERRNO;
}

long skep_map_low(size_t size, int flags, int fd)
{
	long p = -ENOMEM;

	if (size <= LOW_MAX)
		p = skep_raw(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, flags | MAP_32BIT, fd, 0);
	if (failed(p))
		p = skep_raw(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, flags, fd, 0);
	return p;
}

static void *pages_alloc(size_t size, bool low)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	long p;

	if (!size || size > SKEP_ALLOC_MAX || must_fail())
		return NULL;
	size = SKEP_ALIGN_UP(size, 4096);
	p = low ? skep_map_low(size, flags, -1)
		: skep_raw(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	return failed(p) ? NULL : counted((void *)p);
}

void *skep_pages_alloc(size_t size)
{
	return pages_alloc(size, false);
}

void *skep_pages_alloc_low(size_t size)
{
	return pages_alloc(size, true);
}

void skep_pages_free(void *p, size_t size)
{
	if (!p)
		return;
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
	pages_given();
	skep_raw(__NR_munmap, p, SKEP_ALIGN_UP(size, 4096));
}
