/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct bpf_spin_lock: a word inside a map value, taken by programs and by BPF_F_LOCK.
 *
 * The same futex protocol as base/lock.h, so a waiter sleeps; while held, hooks on this thread
 * count as missed.
 */
#ifndef SKEP_OBJ_VALUE_LOCK_H
#define SKEP_OBJ_VALUE_LOCK_H

#include "base/lock.h"

static inline void skep_value_lock(u32 *word)
{
	skep_lock((struct skep_lock *)word);
}
static inline void skep_value_unlock(u32 *word)
{
	skep_unlock((struct skep_lock *)word);
}

#endif
