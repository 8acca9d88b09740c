/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Grace periods, and deferred work without a thread of its own.
 *
 * skep_rcu_defer() pushes on a lock-free stack; skep_rcu_drain() takes the whole stack with one
 * exchange, waits for a grace period and runs it in the order of submission. Every object on the
 * stack was unpublished before the push, so one grace period after the exchange covers them all.
 */
#include "base/rcu.h"

#include "base/lock.h"

static struct skep_rcu_head *deferred;
static u32 nr_deferred;
SKEP_TLS bool skep_rcu_registered;
void (*skep_rcu_kick)(void);

#ifdef __SANITIZE_THREAD__
char skep_rcu_readers;
#endif

void skep_rcu_synchronize(void)
{
	skep_busy_enter();
	urcu_bp_synchronize_rcu();
	skep_rcu_tsan_waited();
	skep_busy_leave();
}

void skep_rcu_defer(struct skep_rcu_head *head, void (*func)(struct skep_rcu_head *head))
{
	struct skep_rcu_head *old = SKEP_READ(deferred);

	head->func = func;
	do {
		head->next = old;
	} while (!__atomic_compare_exchange_n(&deferred, &old, head, true, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	if (unlikely(__atomic_add_fetch(&nr_deferred, 1, __ATOMIC_RELAXED) % SKEP_RCU_KICK_EVERY ==
		     0)) {
		void (*kick)(void) = SKEP_READ(skep_rcu_kick);

		if (kick)
			kick();
	}
}

void skep_rcu_drain(void)
{
	if (!SKEP_READ(deferred) || skep_rcu_in_section())
		return;
	/* Work may defer more (a map freed puts its BTF): go on until nothing is left. */
	while (SKEP_READ(deferred)) {
		struct skep_rcu_head *h = __atomic_exchange_n(&deferred, NULL, __ATOMIC_ACQUIRE);
		struct skep_rcu_head *in_order = NULL;

		if (!h)
			return;
		skep_rcu_synchronize();
		while (h) {
			struct skep_rcu_head *next = h->next;

			h->next = in_order;
			in_order = h;
			h = next;
		}
		while (in_order) {
			struct skep_rcu_head *next = in_order->next;

			in_order->func(in_order);
			in_order = next;
		}
	}
}
