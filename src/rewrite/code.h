/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code under change: instructions whose jumps hold absolute targets, and passes that copy it.
 *
 * A pass walks the old code in order and puts what replaces each instruction behind the new one.
 * rw_begin() opens the replacement of an old instruction: whoever jumped to the old one will jump
 * there. While a pass runs, targets in the new code are old indices, or new ones marked by
 * rw_new(); rw_end_pass() resolves them. Offsets are computed at the very end (rw_finish()), so
 * no pass cares for their width.
 */
#ifndef SKEP_REWRITE_CODE_H
#define SKEP_REWRITE_CODE_H

#include "isa/insn.h"
#include "rewrite/rewrite.h"

#define RW_NO_TARGET UINT32_MAX
#define RW_NEW (1u << 31)

struct code {
	struct bpf_insn *insns;
	struct skep_fact *facts;
	u32 *target; /* of jumps and calls between subprograms; RW_NO_TARGET */
	u32 len, cap;
};

struct rw {
	struct skep_vprog *p;
	const struct skep_rewrite_host *host;
	struct code in, out;
	u32 *map;	       /* old index -> new index, in.len + 1 entries */
	struct skep_fact fact; /* given to the instructions that are put */
	u32 sub;	       /* subprogram of the walk */
	u32 cap_targets, cap_map;
	u8 *is_target; /* rw_lower(): old instructions that something jumps to */
	u32 drop; /* rw_lower(): old instructions below are what a replacement before them includes
		   */
	int err;  /* first failure; everything after it does nothing */
};

/* Take the program apart and put it together again. */
int rw_start(struct rw *rw, struct skep_vprog *p, const struct skep_rewrite_host *host);
int rw_finish(struct rw *rw);
void rw_fini(struct rw *rw);

void rw_begin_pass(struct rw *rw);
void rw_end_pass(struct rw *rw);

/* The replacement of old instruction @i starts here; its facts go to what is put next. */
void rw_begin(struct rw *rw, u32 i);
/* What is put next stands for no single instruction: plain memory accesses, no call facts. */
static inline void rw_synth(struct rw *rw)
{
	rw->fact.mem = SKEP_MEM_DIRECT;
	rw->fact.call = 0;
	rw->fact.flags = SKEP_FACT_SEEN;
}
/* Put one instruction; its index in the new code. */
u32 rw_put(struct rw *rw, struct bpf_insn insn);
/* Put a jump or call to an old instruction, or to rw_new(index) of the new code. */
u32 rw_put_jump(struct rw *rw, struct bpf_insn insn, u32 target);
void rw_put_imm64(struct rw *rw, u8 dst, u8 src, u64 v);
/* Put old instruction @i as it is (both slots of ldimm64); returns how many slots it has. */
u32 rw_copy(struct rw *rw, u32 i);
static inline u32 rw_new(u32 at)
{
	return at | RW_NEW;
}
/* The jump at new index @at goes to what is put next. */
void rw_land(struct rw *rw, u32 at);

static inline bool rw_has_target(const struct bpf_insn *in)
{
	return skep_insn_is_jump(in) || skep_insn_is_call(in, SKEP_CALL_SUBPROG);
}
static inline u32 rw_slots(const struct bpf_insn *in)
{
	return skep_insn_is_ldimm64(in) ? 2 : 1;
}
/* What is known about the call at old index @i; NULL: nothing. */
const struct skep_call_fact *rw_call_fact(const struct rw *rw, u32 i);
/* Index in targets[] of a callable, added when new. 0 after an error. */
u32 rw_target(struct rw *rw, const struct skep_target *t);

/* One byte for each old instruction: something goes there other than from above. NULL: rw->err. */
u8 *rw_find_targets(struct rw *rw);

/* dead.c: registers live before each old instruction of subprogram @sub, as masks, into @live. */
void rw_liveness(const struct rw *rw, u32 sub, u16 *live);
/* dead.c: tell each instruction's facts which registers nobody reads behind it. */
void rw_mark_dead(struct rw *rw);

/* The passes. */
void rw_dead_code(struct rw *rw);
void rw_loops(struct rw *rw);
void rw_fold(struct rw *rw);
void rw_lower(struct rw *rw);
void rw_jumps(struct rw *rw);
void rw_tails(struct rw *rw);
void rw_forward(struct rw *rw);
void rw_bounds(struct rw *rw);
void rw_promote(struct rw *rw);
void rw_dead_writes(struct rw *rw);

/* ctx.c: context access at @i; LD_ABS and LD_IND. */
void rw_ctx_access(struct rw *rw, u32 i);
void rw_ld_abs(struct rw *rw, u32 i);
/* inline.c: true when the helper call at @i was replaced. */
bool rw_inline_helper(struct rw *rw, u32 i);
/* iter_num.c: true when the call of the kernel function @name at @i was replaced. */
bool rw_inline_kfunc(struct rw *rw, u32 i, const char *name);

/*
 * Programs test the result of a look-up against NULL at once, or after a move or two: a copy of
 * it, what to return. The test behind the call at @i, when that is so; and where it sends what: old
 * instructions. @at RW_NO_TARGET: there is none.
 */
struct null_test {
	u32 at, null, found;
};
struct null_test rw_null_test(const struct rw *rw, u32 i);
/* The moves between the call at @i and the test of its result. */
void rw_put_moves(struct rw *rw, u32 i, const struct null_test *t);
/* lower.c: put the call of helper @id itself. */
void rw_put_helper(struct rw *rw, u32 id);

#endif
