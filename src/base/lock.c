/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slow paths of base/lock.h: spin briefly, then sleep on the futex word.
 */
#include "base/lock.h"

#include <linux/futex.h>

#include "base/raw.h"

SKEP_TLS u32 skep_busy;

void skep_lock_wait(struct skep_lock *l)
{
	for (int i = 0; i < 64; i++) {
		u32 free_word = 0;

		if (__atomic_compare_exchange_n(&l->word, &free_word, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		__builtin_ia32_pause();
	}
	while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE) != 0)
		skep_raw(__NR_futex, &l->word, FUTEX_WAIT_PRIVATE, 2, 0);
}

void skep_lock_wake(struct skep_lock *l)
{
	skep_raw(__NR_futex, &l->word, FUTEX_WAKE_PRIVATE, 1);
}
