/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Acquiring and stealing virtual CPUs; base/vcpu.h has the protocol.
 *
 * A nested entry (signal handler) between any two steps of the slow path finds running == 0 and
 * takes a lease for itself, possibly another one than the interrupted path gets; the unused one
 * stays in the name of this thread and can be stolen, since its owner's `cpu` is elsewhere.
 */
#include "base/vcpu.h"

#include <linux/membarrier.h>

#include "base/lock.h"
#include "base/pool.h"
#include "base/raw.h"

struct skep_vcpu skep_vcpus[SKEP_MAX_VCPUS];
u32 skep_nr_vcpus;
SKEP_TLS struct skep_vthread *skep_vthread_self;
SKEP_TLS u32 skep_cpu_number;

static struct skep_pool vthreads = SKEP_POOL_INIT(sizeof(struct skep_vthread));
static bool have_membarrier;

/* Highest CPU number in /sys/devices/system/cpu/possible ("0-3" or "0,2-5"), plus one. */
static u32 host_possible_cpus(void)
{
	char buf[128] = "";
	long fd = skep_raw(__NR_openat, -100, "/sys/devices/system/cpu/possible", 0 /* O_RDONLY */);
	long n;
	u32 last = 0;

	if (fd < 0)
		return 1;
	n = skep_raw(__NR_read, fd, buf, sizeof(buf));
	skep_raw(__NR_close, fd);
	for (long i = 0; i < n;) {
		u32 v = 0;
		bool any = false;

		for (; i < n && buf[i] >= '0' && buf[i] <= '9'; i++, any = true)
			v = v * 10 + (u32)(buf[i] - '0');
		if (any)
			last = SKEP_MAX(last, v);
		else
			i++;
	}
	return last + 1;
}

void skep_vcpu_init(u32 n)
{
	if (skep_nr_vcpus)
		return;
	if (!n)
		n = host_possible_cpus();
	n = SKEP_MIN(n, SKEP_MAX_VCPUS);
	for (u32 i = 0; i < SKEP_MAX_VCPUS; i++)
		skep_vcpus[i].id = i;
	have_membarrier =
		skep_raw(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
	__atomic_store_n(&skep_nr_vcpus, n, __ATOMIC_RELEASE);
}

/* Make every other running thread's earlier stores visible, and ours to it. */
static void fence_everybody(void)
{
	if (have_membarrier)
		skep_raw(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	else
		skep_raw(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static bool take_free(struct skep_vthread *t, struct skep_vcpu *v)
{
	struct skep_vthread *none = NULL;

	return !SKEP_READ(v->owner) &&
	       __atomic_compare_exchange_n(&v->owner, &none, t, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static bool steal(struct skep_vthread *t, struct skep_vcpu *v)
{
	struct skep_vthread *o = SKEP_READ(v->owner);
	bool won = false;

	if (!o)
		return take_free(t, v);
	if (o == t)
		return true; /* a lease left behind by a nested entry */
	if (SKEP_READ(o->running) && SKEP_READ(o->cpu) == v)
		return false;
	/* A handler's program must not find a lease of ours that is not ours yet. */
	skep_busy_enter();
	if (!__atomic_exchange_n(&v->claimed, 1, __ATOMIC_ACQUIRE)) {
		won = __atomic_compare_exchange_n(&v->owner, &o, t, false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED);
		if (won) {
			fence_everybody();
			if (__atomic_load_n(&o->running, __ATOMIC_ACQUIRE) &&
			    SKEP_READ(o->cpu) == v) {
				/* It entered before it could see us; nobody else writes owner. */
				__atomic_store_n(&v->owner, o, __ATOMIC_RELEASE);
				won = false;
			}
		}
		__atomic_store_n(&v->claimed, 0, __ATOMIC_RELEASE);
	}
	skep_busy_leave();
	return won;
}

static struct skep_vcpu *acquire_for(struct skep_vthread *t)
{
	u32 n = __atomic_load_n(&skep_nr_vcpus, __ATOMIC_ACQUIRE);

	for (;;) {
		for (u32 i = 0; i < n; i++)
			if (take_free(t, &skep_vcpus[i]))
				return &skep_vcpus[i];
		for (u32 i = 0; i < n; i++)
			if (steal(t, &skep_vcpus[i]))
				return &skep_vcpus[i];
		skep_raw(__NR_sched_yield);
	}
}

struct skep_vcpu *skep_vcpu_acquire(void)
{
	struct skep_vthread *t = skep_vthread_self;
	struct skep_vcpu *v;

	if (unlikely(!skep_nr_vcpus))
		skep_vcpu_init(0);
	if (unlikely(!t)) {
		skep_arena_init();
		t = skep_pool_alloc(&vthreads);
		if (!t)
			__builtin_trap(); /* the arena holds 2^30 of them */
		if (skep_vthread_self) {  /* a nested entry made one meanwhile */
			skep_pool_free(&vthreads, t);
			t = skep_vthread_self;
		} else {
			SKEP_WRITE(t->cpu, &skep_vcpus[0]); /* a thief may look */
			skep_vthread_self = t;
		}
	}
	for (;;) {
		v = acquire_for(t);
		SKEP_WRITE(t->cpu, v);
		SKEP_WRITE(t->running, 1);
		barrier();
		if (likely(SKEP_READ(v->owner) == t)) {
			skep_cpu_number = v->id;
			return v;
		}
		SKEP_WRITE(t->running, 0); /* stolen before we ran */
	}
}

void skep_vcpu_thread_exit(void)
{
	struct skep_vthread *t = skep_vthread_self;

	if (!t)
		return;
	skep_vthread_self = NULL;
	for (u32 i = 0; i < skep_nr_vcpus; i++) {
		struct skep_vthread *o = t;

		__atomic_compare_exchange_n(&skep_vcpus[i].owner, &o, NULL, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	}
	skep_pool_free(&vthreads, t);
}

void skep_vcpu_fork_child(void)
{
	for (u32 i = 0; i < SKEP_MAX_VCPUS; i++) {
		skep_vcpus[i].claimed = 0;
		if (skep_vcpus[i].owner != skep_vthread_self)
			skep_vcpus[i].owner = NULL;
	}
}
