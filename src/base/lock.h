/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks that may be taken inside a program run.
 *
 * A three-state futex word (0 free, 1 held, 2 held and waited for; U. Drepper, "Futexes Are
 * Tricky"). While a thread holds any of them, skep_busy is non-zero and hooks that fire on this
 * thread (from a signal handler, say) are counted as missed instead of run: the handler's
 * program could otherwise wait for a lock that the interrupted program holds.
 */
#ifndef SKEP_BASE_LOCK_H
#define SKEP_BASE_LOCK_H

#include "base/types.h"

/* >0 while this thread is inside skep and no program may be started on it. */
extern SKEP_TLS u32 skep_busy;

static inline void skep_busy_enter(void)
{
	skep_busy++;
	barrier();
}
static inline void skep_busy_leave(void)
{
	barrier();
	skep_busy--;
}

typedef struct skep_lock {
	u32 word;
} skep_lock_t;

#define SKEP_LOCK_INIT                                                                             \
	{                                                                                          \
		0                                                                                  \
	}

void skep_lock_wait(struct skep_lock *l);
void skep_lock_wake(struct skep_lock *l);

static inline void skep_lock(struct skep_lock *l)
{
	u32 free_word = 0;

	skep_busy_enter();
	if (unlikely(!__atomic_compare_exchange_n(&l->word, &free_word, 1, false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED)))
		skep_lock_wait(l);
}
static inline bool skep_trylock(struct skep_lock *l)
{
	u32 free_word = 0;

	skep_busy_enter();
	if (likely(__atomic_compare_exchange_n(&l->word, &free_word, 1, false, __ATOMIC_ACQUIRE,
					       __ATOMIC_RELAXED)))
		return true;
	skep_busy_leave();
	return false;
}
static inline void skep_unlock(struct skep_lock *l)
{
	if (unlikely(__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2))
		skep_lock_wake(l);
	skep_busy_leave();
}

/* In a fork's child: the lock is free again whoever held it. */
static inline void skep_lock_reset(struct skep_lock *l)
{
	l->word = 0;
}

#endif
