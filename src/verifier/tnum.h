/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tristate numbers: sets of u64 given by known bits (value) and unknown bits (mask).
 *
 * A member x satisfies (x & ~mask) == value; value & mask is always 0. The transfer functions
 * are those of H. Vishwanathan et al., "Sound, Precise, and Fast Abstract Interpretation with
 * Tristate Numbers" (CGO 2022).
 */
#ifndef SKEP_VERIFIER_TNUM_H
#define SKEP_VERIFIER_TNUM_H

#include "base/types.h"

struct tnum {
	u64 value, mask;
};

#define TNUM_UNKNOWN ((struct tnum){0, ~0ull})

static inline struct tnum tnum_const(u64 v)
{
	return (struct tnum){v, 0};
}
static inline bool tnum_is_const(struct tnum t)
{
	return !t.mask;
}
static inline bool tnum_has(struct tnum t, u64 x)
{
	return (x & ~t.mask) == t.value;
}
static inline bool tnum_is_unknown(struct tnum t)
{
	return t.mask == ~0ull;
}
/* Every member of @inner is a member of @outer. */
static inline bool tnum_contains(struct tnum outer, struct tnum inner)
{
	return !(inner.mask & ~outer.mask) && (inner.value & ~outer.mask) == outer.value;
}
/* Some number is a member of both. */
static inline bool tnum_overlap(struct tnum a, struct tnum b)
{
	return !((a.value ^ b.value) & ~a.mask & ~b.mask);
}
/* Members of both; assumes that they overlap (known bits win). */
static inline struct tnum tnum_intersect(struct tnum a, struct tnum b)
{
	u64 mu = a.mask & b.mask;

	return (struct tnum){(a.value | b.value) & ~mu, mu};
}
static inline struct tnum tnum_lo32(struct tnum t)
{
	return (struct tnum){(u32)t.value, (u32)t.mask};
}
static inline struct tnum tnum_hi32(struct tnum t)
{
	return (struct tnum){t.value & ~0xffffffffull, t.mask & ~0xffffffffull};
}
static inline struct tnum tnum_join(struct tnum hi, struct tnum lo)
{
	return (struct tnum){(hi.value & ~0xffffffffull) | (u32)lo.value,
			     (hi.mask & ~0xffffffffull) | (u32)lo.mask};
}

/* Smallest tnum that holds [min, max]. */
struct tnum tnum_range(u64 min, u64 max);
/* Smallest member >= @x; false when there is none. */
bool tnum_at_least(struct tnum t, u64 x, u64 *ret);
struct tnum tnum_add(struct tnum a, struct tnum b);
struct tnum tnum_sub(struct tnum a, struct tnum b);
struct tnum tnum_and(struct tnum a, struct tnum b);
struct tnum tnum_or(struct tnum a, struct tnum b);
struct tnum tnum_xor(struct tnum a, struct tnum b);
struct tnum tnum_mul(struct tnum a, struct tnum b);
struct tnum tnum_union(struct tnum a, struct tnum b);
struct tnum tnum_lsh(struct tnum a, u8 n);
struct tnum tnum_rsh(struct tnum a, u8 n);
struct tnum tnum_arsh(struct tnum a, u8 n, u8 bits);
struct tnum tnum_cast(struct tnum a, u8 bytes); /* truncation */
struct tnum tnum_bswap(struct tnum a, u8 bits);
/* All members are multiples of @align. */
bool tnum_aligned(struct tnum a, u64 align);

#endif
