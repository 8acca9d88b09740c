/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The passes, in order.
 *
 * Loops come before lowering, so that a callback's body is lowered where it was put; folding
 * comes between, so that a bound from read-only data reaches a division; dead writes go last,
 * when inlining has made arguments superfluous.
 */
#include "rewrite/rewrite.h"

#include "rewrite/code.h"

/* Some instruction jumps back. */
static bool has_loop(const struct rw *rw)
{
	for (u32 i = 0; i < rw->in.len; i++)
		if (rw->in.target[i] != RW_NO_TARGET && rw->in.target[i] <= i &&
		    skep_insn_is_jump(&rw->in.insns[i]))
			return true;
	return false;
}

/* What inlining left to do. Code that runs once is not worth the passes that loops are. */
static void tidy(struct rw *rw)
{
	rw_jumps(rw);
	rw_dead_writes(rw); /* dead arguments hide stored registers from the next */
	rw_forward(rw);
	rw_bounds(rw);
	if (!rw->err && has_loop(rw)) {
		rw_jumps(rw);
		rw_tails(rw);
		rw_jumps(rw);
		rw_forward(rw); /* blocks are longer now */
		rw_dead_writes(rw);
		rw_promote(rw);
		rw_forward(rw); /* loads have become copies */
	}
	rw_dead_writes(rw);
	rw_jumps(rw);
}

int skep_rewrite(struct skep_vprog *p, const struct skep_rewrite_host *host)
{
	struct rw rw;
	int err = rw_start(&rw, p, host);

	if (!err) {
		rw_dead_code(&rw);
		if (!host->no_inline) {
			rw_loops(&rw);
			rw_fold(&rw);
		}
		rw_lower(&rw);
		if (!host->no_inline && host->run_inline)
			p->tail = host->run_inline->tail;
		if (!host->no_inline)
			tidy(&rw);
		err = rw.err ? rw.err : rw_finish(&rw);
	}
	rw_fini(&rw);
	return err;
}
