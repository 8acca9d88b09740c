/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies of helpers and kfuncs, by theme, bound to the rows of spec/.
 *
 * A body takes five words and returns one (the program's R1-R5 and R0). It runs in an RCU read
 * section with a virtual CPU held, may be called inside the application's malloc or a signal
 * handler, and therefore uses neither libc's allocator nor stdio.
 */
#ifndef SKEP_HELPER_HELPER_H
#define SKEP_HELPER_HELPER_H

#include "base/pool.h"
#include "kern/task.h"

typedef u64 (*skep_body_fn)(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

/* Body of helper @id; @prog_type chooses among variants. NULL: skep has none. */
skep_body_fn skep_helper_body(u32 id, u32 prog_type);
/* Body of the kfunc called @name; NULL: none. */
skep_body_fn skep_kfunc_body(const char *name);

struct skep_body {
	u32 id;
	skep_body_fn fn;
};
struct skep_kfunc_impl {
	const char *name;
	skep_body_fn fn;
};

/* Tables of the themes, ended by a row without a function. */
extern const struct skep_body skep_map_bodies[], skep_time_bodies[], skep_task_bodies[],
	skep_probe_bodies[], skep_text_bodies[], skep_ringbuf_bodies[], skep_loop_bodies[],
	skep_trace_bodies[], skep_packet_bodies[], skep_xdp_bodies[], skep_storage_bodies[],
	skep_cgroup_bodies[];
extern const struct skep_kfunc_impl skep_kfunc_impls[], skep_cgroup_kfunc_impls[];

/*
 * A task argument. The verifier's word that a walked pointer is never NULL holds for the kernel,
 * whose tasks all have parents and the like; a view's field that skep does not fill reads 0, and
 * what a program reaches through it is NULL or NULL plus an offset. NULL then.
 */
static inline struct skep_task *skep_task_arg(u64 r)
{
	return skep_arena_has(r) ? skep_task_of_view(r) : NULL;
}

#define SKEP_BODY(name)                                                                            \
	static u64 name(u64 r1 __attribute__((unused)), u64 r2 __attribute__((unused)),            \
			u64 r3 __attribute__((unused)), u64 r4 __attribute__((unused)),            \
			u64 r5 __attribute__((unused)))

#endif
