/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RCU: liburcu's bulletproof flavour behind the kernel's names.
 *
 * Bulletproof: threads that skep did not make register themselves at their first read section.
 * Readers nest and never block. A writer unpublishes, calls skep_rcu_synchronize() and frees.
 *
 * skep_rcu_synchronize() waits for every reader, hence must not be called inside a read section,
 * from a program run, or with a lock held that a reader may want. skep_rcu_defer() hands an
 * object to be freed after a grace period from any context (no allocation, lock-free push); the
 * work is done by the next control-path call (skep_rcu_drain()).
 */
#ifndef SKEP_BASE_RCU_H
#define SKEP_BASE_RCU_H

#include "base/types.h"

/* The inlined readers are less aligned than their type says, which sanitizers report. */
#ifndef SKEP_SANITIZED
#define URCU_INLINE_SMALL_FUNCTIONS
#define _LGPL_SOURCE
#endif
#include <urcu-bp.h>
#include <urcu/static/urcu-bp.h> /* urcu_bp_reader: has this thread registered? */

/*
 * ThreadSanitizer does not look into liburcu: tell it that what readers did comes before the end
 * of the grace period.
 */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
extern char skep_rcu_readers;
#define skep_rcu_tsan_reader_left() __tsan_release(&skep_rcu_readers)
#define skep_rcu_tsan_waited() __tsan_acquire(&skep_rcu_readers)
#else
#define skep_rcu_tsan_reader_left() ((void)0)
#define skep_rcu_tsan_waited() ((void)0)
#endif

/* This thread has registered once. */
extern SKEP_TLS bool skep_rcu_registered;

static inline void skep_rcu_read_lock(void)
{
	if (unlikely(!URCU_TLS(urcu_bp_reader)))
		skep_rcu_registered = true;
	urcu_bp_read_lock();
}
static inline void skep_rcu_read_unlock(void)
{
	skep_rcu_tsan_reader_left();
	urcu_bp_read_unlock();
}

/*
 * Has this thread's registration been taken back, as at its end? liburcu does that holding a lock
 * with signals open: a handler that registered again would wait for the thread below it.
 */
static inline bool skep_rcu_leaving(void)
{
	return !URCU_TLS(urcu_bp_reader) && skep_rcu_registered;
}

/* Is this thread inside a read section? A signal handler may be, without knowing. */
static inline bool skep_rcu_in_section(void)
{
	return URCU_TLS(urcu_bp_reader) && urcu_bp_read_ongoing();
}

/* Publish and read pointers: release and consume (as acquire) order. */
#define skep_rcu_assign(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)
#define skep_rcu_deref(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)

struct skep_rcu_head {
	struct skep_rcu_head *next;
	void (*func)(struct skep_rcu_head *head);
};

void skep_rcu_synchronize(void);
/* Any context, lock-free; @func runs later on a control path, outside any read section. */
void skep_rcu_defer(struct skep_rcu_head *head, void (*func)(struct skep_rcu_head *head));
/*
 * Called, when set, each time many objects wait: from any context, must only wake somebody who
 * then calls skep_rcu_drain().
 */
extern void (*skep_rcu_kick)(void);
#define SKEP_RCU_KICK_EVERY 256

/*
 * Control path: run what was deferred before this call (after one grace period); cheap if none.
 * Does nothing inside a read section (a handler that interrupted a program): waiting for oneself
 * would not end, and the next call does the work.
 */
void skep_rcu_drain(void);

#endif
