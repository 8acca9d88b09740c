/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfer functions of tristate numbers.
 */
#include "verifier/tnum.h"

struct tnum tnum_range(u64 min, u64 max)
{
	u64 differ = min ^ max, below;

	if (!differ)
		return tnum_const(min);
	/* Every bit at or under the highest differing one may vary. */
	below = ~0ull >> __builtin_clzll(differ);
	return (struct tnum){min & ~below, below};
}

bool tnum_at_least(struct tnum t, u64 x, u64 *ret)
{
	u64 clash, keep;
	int top;

	if (tnum_has(t, x)) {
		*ret = x;
		return true;
	}
	/*
	 * Highest bit where x breaks a known bit. If x has 0 where 1 is known, keeping x's unknown
	 * bits above and clearing those below is enough; if it has 1 where 0 is known, the free
	 * bits above, taken as a counter, must be incremented.
	 */
	clash = (x ^ t.value) & ~t.mask;
	top = 63 - __builtin_clzll(clash);
	keep = top == 63 ? 0 : ~0ull << (top + 1);
	if (t.value >> top & 1) {
		*ret = t.value | (x & t.mask & keep);
		return true;
	}
	{
		u64 free_bits = t.mask & keep;
		/* Fixed bits set to one let the carry ripple through them. */
		u64 sum = ((x & free_bits) | ~free_bits);

		if ((x & free_bits) == free_bits)
			return false;
		sum = (sum + 1) & free_bits;
		*ret = t.value | sum;
		return true;
	}
}

struct tnum tnum_add(struct tnum a, struct tnum b)
{
	u64 lo = a.value + b.value;
	u64 hi = lo + a.mask + b.mask;
	u64 mu = (lo ^ hi) | a.mask | b.mask;

	return (struct tnum){lo & ~mu, mu};
}

struct tnum tnum_sub(struct tnum a, struct tnum b)
{
	u64 mid = a.value - b.value;
	u64 mu = ((mid + a.mask) ^ (mid - b.mask)) | a.mask | b.mask;

	return (struct tnum){mid & ~mu, mu};
}

struct tnum tnum_and(struct tnum a, struct tnum b)
{
	u64 ones = a.value & b.value;
	u64 maybe = (a.value | a.mask) & (b.value | b.mask);

	return (struct tnum){ones, maybe & ~ones};
}

struct tnum tnum_or(struct tnum a, struct tnum b)
{
	u64 ones = a.value | b.value;

	return (struct tnum){ones, (a.mask | b.mask) & ~ones};
}

struct tnum tnum_xor(struct tnum a, struct tnum b)
{
	u64 mu = a.mask | b.mask;

	return (struct tnum){(a.value ^ b.value) & ~mu, mu};
}

struct tnum tnum_union(struct tnum a, struct tnum b)
{
	u64 mu = (a.value ^ b.value) | a.mask | b.mask;

	return (struct tnum){a.value & b.value & ~mu, mu};
}

/* Long multiplication; an unknown bit of the multiplier joins "added" and "not added". */
struct tnum tnum_mul(struct tnum a, struct tnum b)
{
	struct tnum acc = tnum_const(0);

	for (; a.value || a.mask; a = tnum_rsh(a, 1), b = tnum_lsh(b, 1)) {
		if (a.value & 1)
			acc = tnum_add(acc, b);
		else if (a.mask & 1)
			acc = tnum_union(acc, tnum_add(acc, b));
	}
	return acc;
}

struct tnum tnum_lsh(struct tnum a, u8 n)
{
	return (struct tnum){a.value << n, a.mask << n};
}

struct tnum tnum_rsh(struct tnum a, u8 n)
{
	return (struct tnum){a.value >> n, a.mask >> n};
}

struct tnum tnum_arsh(struct tnum a, u8 n, u8 bits)
{
	if (bits == 32)
		return (struct tnum){(u32)((s32)a.value >> n), (u32)((s32)a.mask >> n)};
	return (struct tnum){(u64)((s64)a.value >> n), (u64)((s64)a.mask >> n)};
}

struct tnum tnum_cast(struct tnum a, u8 bytes)
{
	u64 keep = bytes >= 8 ? ~0ull : (1ull << bytes * 8) - 1;

	return (struct tnum){a.value & keep, a.mask & keep};
}

static u64 swap_bits(u64 v, u8 bits)
{
	if (bits == 16)
		return __builtin_bswap16((u16)v);
	if (bits == 32)
		return __builtin_bswap32((u32)v);
	return __builtin_bswap64(v);
}

struct tnum tnum_bswap(struct tnum a, u8 bits)
{
	return (struct tnum){swap_bits(a.value, bits), swap_bits(a.mask, bits)};
}

bool tnum_aligned(struct tnum a, u64 align)
{
	return !((a.value | a.mask) & (align - 1));
}
