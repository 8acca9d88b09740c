/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual CPUs: "nobody else is on this CPU while I run", for threads.
 *
 * Their number is fixed at start (SKEP_CPUS, default: the host's possible CPUs). A thread that
 * enters a program holds one until it leaves; the lease is biased: it stays the thread's own
 * until another thread, finding no free one, steals it.
 *
 * The protocol is an asymmetric Dekker handshake. Owner: my running = 1; (compiler barrier);
 * owner still me? Thief: owner = me; membarrier(PRIVATE_EXPEDITED); former owner's running still 0?
 * The thief's membarrier stands for the fence that the owner does not execute, so the hit path has
 * no locked instruction. If the owner was running, the thief puts the lease back and tries the
 * next. Thieves of one vcpu exclude each other: a second one would find the first one's name on
 * the lease and know nothing of the owner that runs.
 *
 * Nested program runs on one thread keep the CPU. Progress: a thief that finds all running
 * yields; a running thread never waits for a vcpu.
 */
#ifndef SKEP_BASE_VCPU_H
#define SKEP_BASE_VCPU_H

#include "base/types.h"

#define SKEP_MAX_VCPUS 256

struct skep_vthread;

struct skep_vcpu {
	struct skep_vthread *owner; /* holder of the lease; NULL: free */
	u32 id;
	u32 claimed; /* a thief is at work: one at a time */
} __attribute__((aligned(64)));

/* A thread's side of the handshake: type-stable, so that a thief may read a dead thread's. */
struct skep_vthread {
	u64 link;	       /* the pool's, kept apart: a dead thread's `running' is 0 */
	u32 running;	       /* nesting depth of programs on this thread */
	struct skep_vcpu *cpu; /* the vcpu last held */
} __attribute__((aligned(64)));

extern struct skep_vcpu skep_vcpus[SKEP_MAX_VCPUS];
extern u32 skep_nr_vcpus; /* constant after skep_vcpu_init() */

/* This thread's side; NULL before its first entry. */
extern SKEP_TLS struct skep_vthread *skep_vthread_self;
/* Number of the vcpu this thread holds or last held: what generated code reads. */
extern SKEP_TLS u32 skep_cpu_number;

/* @n vcpus, 0 for the host's possible CPUs. Idempotent; first call wins. */
void skep_vcpu_init(u32 n);

/* Slow path of skep_vcpu_enter(): acquire or re-acquire. Does not fail, may yield. */
struct skep_vcpu *skep_vcpu_acquire(void);

/* Hold a vcpu until skep_vcpu_leave(). Nests. Async-signal-safe. */
static inline struct skep_vcpu *skep_vcpu_enter(void)
{
	struct skep_vthread *t = skep_vthread_self;

	if (likely(t)) {
		struct skep_vcpu *v = t->cpu;

		SKEP_WRITE(t->running, t->running + 1);
		barrier();
		if (likely(t->running > 1 || SKEP_READ(v->owner) == t))
			return v;
		SKEP_WRITE(t->running, 0);
	}
	return skep_vcpu_acquire();
}

static inline void skep_vcpu_leave(void)
{
	struct skep_vthread *t = skep_vthread_self;

	__atomic_store_n(&t->running, t->running - 1, __ATOMIC_RELEASE);
}

/* The id as programs see it; 0 outside a program. */
static inline u32 skep_vcpu_id(void)
{
	return skep_cpu_number;
}

/* At a thread's end: give the lease and the thread's side back. */
void skep_vcpu_thread_exit(void);

/* In a fork's child: all vcpus are free but this thread's. */
void skep_vcpu_fork_child(void);

#endif
