/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep's own descriptors: where they are put and which numbers they have.
 *
 * A bit per number, set and cleared by atomic operations: any thread may ask.
 */
#include "base/fd_own.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/raw.h"

/* Above what applications use, below the usual soft limit of 1024. */
#define FLOOR 700

u64 skep_fd_own_bits[SKEP_FD_BITS / 64];
u32 skep_fd_own_count;

static int lowest_wanted(void)
{
	struct rlimit rl = {0};

	if (skep_raw(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, &rl) || rl.rlim_cur > FLOOR + 64)
		return FLOOR;
	return (int)(rl.rlim_cur / 3 * 2);
}

static void remember(int fd)
{
	if ((u32)fd >= SKEP_FD_BITS)
		return;
	__atomic_fetch_or(&skep_fd_own_bits[fd / 64], 1ull << (fd % 64), __ATOMIC_RELAXED);
	__atomic_fetch_add(&skep_fd_own_count, 1, __ATOMIC_RELEASE);
}

static void forget(int fd)
{
	if ((u32)fd >= SKEP_FD_BITS)
		return;
	__atomic_fetch_and(&skep_fd_own_bits[fd / 64], ~(1ull << (fd % 64)), __ATOMIC_RELAXED);
	__atomic_fetch_sub(&skep_fd_own_count, 1, __ATOMIC_RELEASE);
}

int skep_fd_own(int fd)
{
	long up = skep_raw(__NR_fcntl, fd, F_DUPFD_CLOEXEC, lowest_wanted());

	if (up >= 0) {
		skep_raw(__NR_close, fd);
		fd = (int)up;
	}
	remember(fd);
	return fd;
}

void skep_fd_own_close(int fd)
{
	forget(fd);
	skep_raw(__NR_close, fd);
}

int skep_fd_own_dup(int fd)
{
	long up = skep_raw(__NR_fcntl, fd, F_DUPFD_CLOEXEC, lowest_wanted());

	if (up < 0)
		return (int)up;
	remember((int)up);
	forget(fd);
	return (int)up;
}

int skep_fd_own_next(u32 from)
{
	if (!SKEP_READ(skep_fd_own_count))
		return -1;
	for (u32 w = from / 64; w < ARRAY_SIZE(skep_fd_own_bits); w++) {
		u64 bits = SKEP_READ(skep_fd_own_bits[w]);

		if (w == from / 64)
			bits &= ~0ull << (from % 64);
		if (bits)
			return (int)(w * 64 + (u32)__builtin_ctzll(bits));
	}
	return -1;
}

static struct skep_lock slots_lock;
static int **slots;
static u32 nr_slots, room;

int skep_fd_own_keep(int *slot)
{
	int err = 0;

	skep_lock(&slots_lock);
	if (nr_slots == room) {
		u32 more = room ? room * 2 : 16;
		int **grown = skep_realloc(slots, more * sizeof(*slots));

		if (grown) {
			slots = grown;
			room = more;
		} else {
			err = -ENOMEM;
		}
	}
	if (!err) {
		*slot = skep_fd_own(*slot);
		slots[nr_slots++] = slot;
	}
	skep_unlock(&slots_lock);
	return err;
}

void skep_fd_own_drop(int *slot)
{
	skep_lock(&slots_lock);
	for (u32 i = 0; i < nr_slots; i++) {
		if (slots[i] != slot)
			continue;
		slots[i] = slots[--nr_slots];
		skep_fd_own_close(*slot);
		*slot = -1;
		break;
	}
	skep_unlock(&slots_lock);
}

bool skep_fd_own_moved(int fd, int up)
{
	bool found = false;

	skep_lock(&slots_lock);
	for (u32 i = 0; i < nr_slots && !found; i++) {
		found = *slots[i] == fd;
		if (found)
			SKEP_WRITE(*slots[i], up);
	}
	skep_unlock(&slots_lock);
	return found;
}

void skep_fd_own_fork_child(void)
{
	skep_lock_reset(&slots_lock);
	/* The holders are copies of the parent's: they have nothing here, and may keep anew. */
	while (nr_slots)
		*slots[--nr_slots] = -1;
	for (u32 w = 0; w < ARRAY_SIZE(skep_fd_own_bits); w++)
		while (skep_fd_own_bits[w])
			skep_fd_own_close(
				(int)(w * 64 + (u32)__builtin_ctzll(skep_fd_own_bits[w])));
	skep_fd_own_count = 0;
}
