/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scalar domain: what is known about one 64-bit number.
 *
 * Five views of one set are kept together and tighten one another (scalar_sync): a tristate
 * number and intervals of the number as u64 and s64 and of its low half as u32 and s32. Pure
 * values: nothing here knows registers, programs or logs.
 *
 * Every transfer function must contain the concrete result of its operation for all members; a
 * refinement must contain all pairs of members that satisfy the condition.
 */
#ifndef SKEP_VERIFIER_RANGE_H
#define SKEP_VERIFIER_RANGE_H

#include "isa/uapi.h"
#include "verifier/tnum.h"

struct scalar {
	struct tnum tn;
	s64 smin, smax;
	u64 umin, umax;
	s32 s32min, s32max;
	u32 u32min, u32max;
};

struct scalar scalar_unknown(void);
struct scalar scalar_const(u64 v);
static inline bool scalar_is_const(const struct scalar *s)
{
	return tnum_is_const(s->tn);
}
static inline bool scalar_is_const32(const struct scalar *s)
{
	return tnum_is_const(tnum_lo32(s->tn));
}
bool scalar_is_unknown(const struct scalar *s);
void scalar_set_const(struct scalar *s, u64 v);
void scalar_set_const32(struct scalar *s, u32 v); /* low half only */
void scalar_forget_ranges(struct scalar *s);	  /* the tristate number stays */
void scalar_sync(struct scalar *s);
/* Name of the broken view ("range bounds violation" …) or NULL: the set is not empty. */
const char *scalar_broken(const struct scalar *s);

/* Truncate to @bytes, zero-extended / sign-extended to 64 bits, or to 32 with upper zero. */
void scalar_truncate(struct scalar *s, u32 bytes);
void scalar_sign_extend(struct scalar *s, u32 bytes);
void scalar_sign_extend32(struct scalar *s, u32 bytes);
void scalar_zext32(struct scalar *s);

/*
 * dst = dst @op src (op: BPF_ADD …); false: the operation tells nothing, *dst is unknown in all
 * its 64 bits (as in the kernel, although a 32-bit operation clears the upper half).
 */
bool scalar_alu(u8 op, bool is64, struct scalar *dst, const struct scalar *src);
void scalar_bswap(struct scalar *s, u32 bits);

/*
 * Outcome of "a op b" (op: BPF_JEQ …): 1 always, 0 never, -1 depends.
 */
int scalar_predict(u8 op, bool is32, const struct scalar *a, const struct scalar *b);
/* Narrow both to the pairs for which "a op b" is @outcome. */
void scalar_refine(u8 op, bool is32, bool outcome, struct scalar *a, struct scalar *b);

/* Every view of @inner lies within @outer's. */
bool scalar_range_within(const struct scalar *outer, const struct scalar *inner);

#endif
