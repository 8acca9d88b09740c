/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter: the reference that JIT results are compared with.
 *
 * Frames and registers live on the C stack of the calling thread; nothing is allocated.
 */
#ifndef SKEP_INTERP_INTERP_H
#define SKEP_INTERP_INTERP_H

#include "isa/facts.h"

/* Run the main program (subprog 0) with R1 = @ctx. */
u64 skep_interp_run(const struct skep_vprog *p, const void *ctx);

/*
 * A subprogram as a callback. Function values (ldimm64 PSEUDO_FUNC) under the interpreter are
 * tagged pointers; helpers call callbacks only through skep_call_callback() (run/run.h), which
 * tells the two engines apart.
 */
u64 skep_interp_call(const struct skep_vprog *p, u32 subprog, u64 r1, u64 r2, u64 r3, u64 r4,
		     u64 r5);

/* Is @fn a function value of the interpreter? Then which one; false: it is an address. */
bool skep_interp_func(u64 fn, const struct skep_vprog **ret_p, u32 *ret_subprog);

#endif
