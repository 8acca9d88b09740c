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

#include "base/types.h"

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
	skep_trace_bodies[], skep_packet_bodies[], skep_xdp_bodies[];
extern const struct skep_kfunc_impl skep_kfunc_impls[];

#define SKEP_BODY(name)                                                                            \
	static u64 name(u64 r1 __attribute__((unused)), u64 r2 __attribute__((unused)),            \
			u64 r3 __attribute__((unused)), u64 r4 __attribute__((unused)),            \
			u64 r5 __attribute__((unused)))

#endif
