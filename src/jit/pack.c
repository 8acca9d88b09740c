/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs: pages of code near libskep, never writable and executable through one mapping.
 *
 * A pack is one memfd of PACK_SIZE bytes mapped twice. Pieces are cut from it in units of 64
 * bytes, tracked by a bitmap. A pack that has become empty is kept for the next program, as long
 * as it is the only empty one. Where the system refuses to map memfds executable, a pack is
 * anonymous memory for one piece, written first and turned executable (mprotect) when sealed.
 *
 * Nearness: calls to helpers are direct when they reach ±2 GiB, so packs are asked for at
 * addresses stepping away from this file's own code. A refused hint is not an error.
 *
 * Concurrency: the list and the bitmaps are under one lock; code is written by its only owner.
 */
#include "jit/pack.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/memfd.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/raw.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

#define PACK_SIZE (1u << 20)
#define UNIT 64u
#define PAGE 4096u

struct skep_jit_pack {
	struct skep_jit_pack *next;
	u8 *rx, *rw;	/* equal when @single */
	u32 size, used; /* bytes; units in use */
	bool single;
	long pid;  /* a forked child shares the pages: it neither cuts nor clears */
	u64 map[]; /* one bit a unit */
};

static struct skep_lock lock = SKEP_LOCK_INIT;
static struct skep_jit_pack *packs;
static bool no_exec_memfd;

static void *map(void *hint, u32 size, int prot, int flags, int fd)
{
	long r = skep_raw(__NR_mmap, hint, size, prot, flags, fd, 0);

	return r < 0 && r >= -SKEP_MAX_ERRNO ? NULL : (void *)r;
}

static bool is_near(const void *p)
{
	s64 d = (s64)((uintptr_t)p - (uintptr_t)&skep_jit_piece_alloc);

	return d > -(1ll << 30) && d < (1ll << 30);
}

/* Executable or writable pages within reach of our own code, if there is a gap there. */
static void *map_near(u32 size, int prot, int flags, int fd)
{
	uintptr_t self = (uintptr_t)&skep_jit_piece_alloc & ~(uintptr_t)(PACK_SIZE - 1);
	void *p;
	u32 i;

	for (i = 1; i < 512; i++) {
		/* Both directions, in steps that grow: 2 MiB to about 1 GiB away. */
		uintptr_t step = (uintptr_t)(i / 2 + 1) * 4 * PACK_SIZE;
		uintptr_t at = i & 1 ? self - step - size : self + step;

		p = map((void *)at, size, prot, flags | MAP_FIXED_NOREPLACE, fd);
		if (p && is_near(p))
			return p;
		if (p)
			skep_raw(__NR_munmap, p, size);
	}
	return map(NULL, size, prot, flags, fd);
}

static struct skep_jit_pack *pack_new(u32 size, bool single)
{
	struct skep_jit_pack *k = skep_zalloc(sizeof(*k) + (size / UNIT + 63) / 64 * sizeof(u64));
	long fd;

	if (!k)
		return NULL;
	k->size = size;
	k->single = single;
	k->pid = skep_raw(__NR_getpid);
	if (single) {
		k->rx = map_near(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		k->rw = k->rx;
		if (!k->rx)
			goto fail;
		return k;
	}
	fd = skep_raw(__NR_memfd_create, "skep-jit", MFD_CLOEXEC | MFD_EXEC);
	if (fd == -EINVAL) /* kernels before 6.3 do not know MFD_EXEC */
		fd = skep_raw(__NR_memfd_create, "skep-jit", MFD_CLOEXEC);
	if (fd < 0)
		goto fail;
	if (skep_raw(__NR_ftruncate, fd, size) == 0) {
		k->rw = map(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd);
		k->rx = map_near(size, PROT_READ | PROT_EXEC, MAP_SHARED, (int)fd);
	}
	skep_raw(__NR_close, fd);
	if (k->rw && k->rx)
		return k;
	if (k->rw)
		skep_raw(__NR_munmap, k->rw, size);
	if (k->rx)
		skep_raw(__NR_munmap, k->rx, size);
fail:
	skep_free(k);
	return NULL;
}

static void pack_del(struct skep_jit_pack *k)
{
	skep_raw(__NR_munmap, k->rx, k->size);
	if (k->rw != k->rx)
		skep_raw(__NR_munmap, k->rw, k->size);
	skep_free(k);
}

static bool unit_used(const struct skep_jit_pack *k, u32 u)
{
	return k->map[u / 64] >> (u % 64) & 1;
}

static void unit_set(struct skep_jit_pack *k, u32 from, u32 n, bool used)
{
	u32 u;

	for (u = from; u < from + n; u++) {
		if (used)
			k->map[u / 64] |= 1ull << (u % 64);
		else
			k->map[u / 64] &= ~(1ull << (u % 64));
	}
	k->used += used ? n : -n;
}

/* First fit; the unit or -1. */
static s32 find_units(const struct skep_jit_pack *k, u32 n)
{
	u32 u, run = 0;

	for (u = 0; u < k->size / UNIT; u++) {
		if (!(u % 64) && k->map[u / 64] == ~0ull) {
			u += 63;
			run = 0;
			continue;
		}
		run = unit_used(k, u) ? 0 : run + 1;
		if (run == n)
			return (s32)(u + 1 - n);
	}
	return -1;
}

static void take(struct skep_jit_pack *k, u32 unit, u32 n, struct skep_jit_piece *ret)
{
	unit_set(k, unit, n, true);
	ret->pack = k;
	ret->rx = k->rx + unit * UNIT;
	ret->rw = k->rw + unit * UNIT;
	ret->size = n * UNIT;
}

int skep_jit_piece_alloc(u32 size, struct skep_jit_piece *ret)
{
	u32 n = (size + UNIT - 1) / UNIT;
	u32 whole = SKEP_MAX(PACK_SIZE, SKEP_ALIGN_UP(n * UNIT, PAGE));
	long pid = skep_raw(__NR_getpid);
	struct skep_jit_pack *k;
	s32 unit;

	skep_lock(&lock);
	for (k = packs; k; k = k->next) {
		if (k->single || k->pid != pid || k->size / UNIT - k->used < n)
			continue;
		unit = find_units(k, n);
		if (unit >= 0) {
			take(k, (u32)unit, n, ret);
			skep_unlock(&lock);
			return 0;
		}
	}
	k = no_exec_memfd ? NULL : pack_new(whole, false);
	if (!k) {
		k = pack_new(SKEP_ALIGN_UP(n * UNIT, PAGE), true);
		no_exec_memfd |= k != NULL;
	}
	if (k) {
		k->next = packs;
		packs = k;
		take(k, 0, n, ret);
	}
	skep_unlock(&lock);
	return k ? 0 : -ENOMEM;
}

void skep_jit_piece_trim(struct skep_jit_piece *p, u32 size)
{
	u32 keep = SKEP_MAX((size + UNIT - 1) / UNIT, 1u), have = p->size / UNIT;

	if (keep >= have)
		return;
	skep_lock(&lock);
	unit_set(p->pack, (u32)(p->rx - p->pack->rx) / UNIT + keep, have - keep, false);
	skep_unlock(&lock);
	p->size = keep * UNIT;
}

int skep_jit_piece_seal(struct skep_jit_piece *p)
{
	if (!p->pack->single)
		return 0;
	return (int)skep_raw(__NR_mprotect, p->pack->rx, p->pack->size, PROT_READ | PROT_EXEC);
}

void skep_jit_piece_free(struct skep_jit_piece *p)
{
	struct skep_jit_pack *k = p->pack, **at, *other;
	bool have_empty = false;

	if (!k || (!k->single && k->pid != skep_raw(__NR_getpid)))
		return;
	skep_lock(&lock);
	if (!k->single)
		memset(p->rw, 0xcc, p->size); /* a stale call traps */
	unit_set(k, (u32)(p->rx - k->rx) / UNIT, p->size / UNIT, false);
	for (other = packs; other; other = other->next)
		have_empty |= other != k && !other->single && !other->used;
	if (!k->used && (k->single || have_empty || k->size != PACK_SIZE)) {
		for (at = &packs; *at != k; at = &(*at)->next)
			;
		*at = k->next;
		pack_del(k);
	}
	skep_unlock(&lock);
	*p = (struct skep_jit_piece){0};
}
