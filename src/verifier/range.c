/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scalar domain: mutual deduction, transfer functions, branch refinement and prediction.
 */
#include "verifier/range.h"

#define LOW32 0xffffffffull
#define UP(x, v)                                                                                   \
	do {                                                                                       \
		if ((x) < (v))                                                                     \
			(x) = (v);                                                                 \
	} while (0)
#define DOWN(x, v)                                                                                 \
	do {                                                                                       \
		if ((x) > (v))                                                                     \
			(x) = (v);                                                                 \
	} while (0)

static void forget64(struct scalar *s)
{
	s->smin = INT64_MIN;
	s->smax = INT64_MAX;
	s->umin = 0;
	s->umax = UINT64_MAX;
}

static void forget32(struct scalar *s)
{
	s->s32min = INT32_MIN;
	s->s32max = INT32_MAX;
	s->u32min = 0;
	s->u32max = UINT32_MAX;
}

void scalar_forget_ranges(struct scalar *s)
{
	forget64(s);
	forget32(s);
}

struct scalar scalar_unknown(void)
{
	struct scalar s = {.tn = TNUM_UNKNOWN};

	scalar_forget_ranges(&s);
	return s;
}

struct scalar scalar_const(u64 v)
{
	return (struct scalar){.tn = tnum_const(v),
			       .smin = (s64)v,
			       .smax = (s64)v,
			       .umin = v,
			       .umax = v,
			       .s32min = (s32)v,
			       .s32max = (s32)v,
			       .u32min = (u32)v,
			       .u32max = (u32)v};
}

void scalar_set_const(struct scalar *s, u64 v)
{
	*s = scalar_const(v);
}

void scalar_set_const32(struct scalar *s, u32 v)
{
	s->tn = tnum_join(s->tn, tnum_const(v));
	s->s32min = s->s32max = (s32)v;
	s->u32min = s->u32max = v;
}

bool scalar_is_unknown(const struct scalar *s)
{
	return tnum_is_unknown(s->tn) && s->smin == INT64_MIN && s->smax == INT64_MAX && !s->umin &&
	       s->umax == UINT64_MAX && s->s32min == INT32_MIN && s->s32max == INT32_MAX &&
	       !s->u32min && s->u32max == UINT32_MAX;
}

const char *scalar_broken(const struct scalar *s)
{
	if (s->umin > s->umax || s->smin > s->smax || s->u32min > s->u32max ||
	    s->s32min > s->s32max)
		return "range bounds violation";
	if (tnum_is_const(s->tn)) {
		u64 v = s->tn.value;

		if (s->umin != v || s->umax != v || s->smin != (s64)v || s->smax != (s64)v)
			return "const tnum out of sync with range bounds";
	}
	if (tnum_is_const(tnum_lo32(s->tn))) {
		u32 v = (u32)s->tn.value;

		if (s->u32min != v || s->u32max != v || s->s32min != (s32)v || s->s32max != (s32)v)
			return "const subreg tnum out of sync with range bounds";
	}
	return NULL;
}

/* --- mutual deduction --- */

/* Smallest member above @x; the largest one when there is none. */
static u64 next_member(struct tnum t, u64 x)
{
	u64 top = t.value | t.mask, next;

	return x < top && tnum_at_least(t, x + 1, &next) ? next : top;
}

/* Intervals from the tristate number; a single common member makes a constant. */
static void ranges_from_tnum(struct scalar *s)
{
	struct tnum t = s->tn, h = tnum_lo32(t);
	u64 sign = 1ull << 63, top, next;

	UP(s->s32min, (s32)(h.value | (h.mask & 0x80000000u)));
	DOWN(s->s32max, (s32)(h.value | (h.mask & 0x7fffffffu)));
	UP(s->u32min, (u32)h.value);
	DOWN(s->u32max, (u32)(h.value | h.mask));

	UP(s->smin, (s64)(t.value | (t.mask & sign)));
	DOWN(s->smax, (s64)(t.value | (t.mask & ~sign)));
	UP(s->umin, t.value);
	DOWN(s->umax, t.value | t.mask);

	/*
	 * Where the set is empty (the edge of a branch that is never taken) the same rules give
	 * some constant, as in the kernel: what follows is dead code, checked with that value.
	 */
	top = t.value | t.mask;
	next = next_member(t, s->umin);
	if (tnum_has(t, s->umin)) {
		if (next > s->umax)
			*s = scalar_const(s->umin);
	} else if (next == top) {
		*s = scalar_const(top);
	} else if (next <= s->umax && next_member(t, next) > s->umax) {
		*s = scalar_const(next);
	}
}

/* Low half from the whole: when the upper half is the same, or the range passes one wrap. */
static void half_from_whole(struct scalar *s)
{
	if (s->umin >> 32 == s->umax >> 32) {
		UP(s->u32min, (u32)s->umin);
		DOWN(s->u32max, (u32)s->umax);
		if ((s32)s->umin <= (s32)s->umax) {
			UP(s->s32min, (s32)s->umin);
			DOWN(s->s32max, (s32)s->umax);
		}
	}
	if (s->smin >> 32 == s->smax >> 32) {
		if ((u32)s->smin <= (u32)s->smax) {
			UP(s->u32min, (u32)s->smin);
			DOWN(s->u32max, (u32)s->smax);
		}
		if ((s32)s->smin <= (s32)s->smax) {
			UP(s->s32min, (s32)s->smin);
			DOWN(s->s32max, (s32)s->smax);
		}
	}
	/* Halves that run through …ffffffff to …00000000 are one signed interval. */
	if ((u32)(s->umin >> 32) + 1 == (u32)(s->umax >> 32) && (s32)s->umin < 0 &&
	    (s32)s->umax >= 0) {
		UP(s->s32min, (s32)s->umin);
		DOWN(s->s32max, (s32)s->umax);
	}
	if ((u32)(s->smin >> 32) + 1 == (u32)(s->smax >> 32) && (s32)s->smin < 0 &&
	    (s32)s->smax >= 0) {
		UP(s->s32min, (s32)s->smin);
		DOWN(s->s32max, (s32)s->smax);
	}
}

static void signs_of_half(struct scalar *s)
{
	if ((s32)s->u32min <= (s32)s->u32max) {
		UP(s->s32min, (s32)s->u32min);
		DOWN(s->s32max, (s32)s->u32max);
	}
	if ((u32)s->s32min <= (u32)s->s32max) {
		UP(s->u32min, (u32)s->s32min);
		DOWN(s->u32max, (u32)s->s32max);
	} else if (s->u32max < (u32)s->s32min) {
		/* The unsigned range meets only the non-negative part. */
		s->s32min = (s32)s->u32min;
		DOWN(s->u32max, (u32)s->s32max);
	} else if ((u32)s->s32max < s->u32min) {
		s->s32max = (s32)s->u32max;
		UP(s->u32min, (u32)s->s32min);
	}
}

static void signs_of_whole(struct scalar *s)
{
	if ((s64)s->umin <= (s64)s->umax) {
		UP(s->smin, (s64)s->umin);
		DOWN(s->smax, (s64)s->umax);
	}
	if ((u64)s->smin <= (u64)s->smax) {
		UP(s->umin, (u64)s->smin);
		DOWN(s->umax, (u64)s->smax);
	} else if (s->umax < (u64)s->smin) {
		s->smin = (s64)s->umin;
		DOWN(s->umax, (u64)s->smax);
	} else if ((u64)s->smax < s->umin) {
		s->smax = (s64)s->umax;
		UP(s->umin, (u64)s->smin);
	}
}

static void whole_from_half(struct scalar *s)
{
	UP(s->umin, (s->umin & ~LOW32) | s->u32min);
	DOWN(s->umax, (s->umax & ~LOW32) | s->u32max);
	UP(s->smin, (s64)(((u64)s->smin & ~LOW32) | s->u32min));
	DOWN(s->smax, (s64)(((u64)s->smax & ~LOW32) | s->u32max));

	/* A number that fits in s32 with a non-negative low half is that half. */
	if (s->s32min >= 0 && s->smin >= INT32_MIN && s->smax <= INT32_MAX) {
		s->smin = s->s32min;
		s->smax = s->s32max;
		s->umin = (u64)s->s32min;
		s->umax = (u64)s->s32max;
		s->tn = tnum_intersect(s->tn, tnum_range(s->umin, s->umax));
	}
}

static void tnum_from_ranges(struct scalar *s)
{
	struct tnum whole = tnum_intersect(s->tn, tnum_range(s->umin, s->umax));
	struct tnum half = tnum_intersect(tnum_lo32(whole), tnum_range(s->u32min, s->u32max));

	s->tn = tnum_join(whole, half);
}

void scalar_sync(struct scalar *s)
{
	ranges_from_tnum(s);
	for (int round = 0; round < 3; round++) {
		half_from_whole(s);
		signs_of_half(s);
		signs_of_whole(s);
		whole_from_half(s);
	}
	tnum_from_ranges(s);
	ranges_from_tnum(s);
}

bool scalar_range_within(const struct scalar *outer, const struct scalar *inner)
{
	return outer->umin <= inner->umin && outer->umax >= inner->umax &&
	       outer->smin <= inner->smin && outer->smax >= inner->smax &&
	       outer->u32min <= inner->u32min && outer->u32max >= inner->u32max &&
	       outer->s32min <= inner->s32min && outer->s32max >= inner->s32max;
}

/* --- width changes --- */

static void whole_is_half(struct scalar *s)
{
	s->umin = s->u32min;
	s->umax = s->u32max;
	/* A signed half that may be negative zero-extends to anything of the unsigned one. */
	if (s->s32min >= 0) {
		s->smin = s->s32min;
		s->smax = s->s32max;
	} else {
		s->smin = 0;
		s->smax = UINT32_MAX;
	}
}

void scalar_zext32(struct scalar *s)
{
	s->tn = tnum_lo32(s->tn);
	whole_is_half(s);
}

void scalar_truncate(struct scalar *s, u32 bytes)
{
	u64 keep;

	if (bytes >= 8)
		return; /* nothing is cut off; the signed view below would not hold */
	keep = (1ull << bytes * 8) - 1;
	s->tn = tnum_cast(s->tn, (u8)bytes);
	if ((s->umin & ~keep) == (s->umax & ~keep)) {
		s->umin &= keep;
		s->umax &= keep;
	} else {
		s->umin = 0;
		s->umax = keep;
	}
	s->smin = (s64)s->umin;
	s->smax = (s64)s->umax;
	/* 32-bit views of a narrower number follow from the whole. */
	if (bytes < 4)
		forget32(s);
	scalar_sync(s);
}

static s64 sext(u64 v, u32 bytes)
{
	return bytes == 1 ? (s8)v : bytes == 2 ? (s16)v : bytes == 4 ? (s32)v : (s64)v;
}

void scalar_sign_extend(struct scalar *s, u32 bytes)
{
	u32 bits = bytes * 8;
	u64 lo_mask = (1ull << bits) - 1;
	s64 a, b, lo, hi;

	if (scalar_is_const(s)) {
		*s = scalar_const((u64)sext(s->tn.value, bytes));
		return;
	}
	lo = sext(1ull << (bits - 1), bytes);
	hi = (s64)(lo_mask >> 1);
	/* The dropped part is the same at both ends, so the kept part is an interval. */
	if (((u64)s->smin & ~lo_mask) == ((u64)s->smax & ~lo_mask)) {
		a = sext((u64)s->smin, bytes);
		b = sext((u64)s->smax, bytes);
		if ((a >= 0) == (b >= 0)) {
			lo = SKEP_MIN(a, b);
			hi = SKEP_MAX(a, b);
			*s = (struct scalar){.tn = tnum_range((u64)lo, (u64)hi),
					     .smin = lo,
					     .smax = hi,
					     .umin = (u64)lo,
					     .umax = (u64)hi,
					     .s32min = (s32)lo,
					     .s32max = (s32)hi,
					     .u32min = (u32)lo,
					     .u32max = (u32)hi};
			return;
		}
	}
	*s = scalar_unknown();
	s->smin = lo;
	s->smax = hi;
	s->s32min = (s32)lo;
	s->s32max = (s32)hi;
}

void scalar_sign_extend32(struct scalar *s, u32 bytes)
{
	u32 bits = bytes * 8;
	u32 lo_mask = (1u << bits) - 1;
	s32 a, b, lo, hi;

	if (scalar_is_const32(s)) {
		*s = scalar_const((u32)sext(s->tn.value, bytes));
		return;
	}
	lo = (s32)sext(1ull << (bits - 1), bytes);
	hi = (s32)(lo_mask >> 1);
	if (((u32)s->s32min & ~lo_mask) == ((u32)s->s32max & ~lo_mask)) {
		a = (s32)sext((u32)s->s32min, bytes);
		b = (s32)sext((u32)s->s32max, bytes);
		if ((a >= 0) == (b >= 0)) {
			s->s32min = SKEP_MIN(a, b);
			s->s32max = SKEP_MAX(a, b);
			s->u32min = (u32)s->s32min;
			s->u32max = (u32)s->s32max;
			s->tn = tnum_join(tnum_const(0), tnum_range(s->u32min, s->u32max));
			scalar_zext32(s);
			scalar_sync(s);
			return;
		}
	}
	s->s32min = lo;
	s->s32max = hi;
	s->u32min = 0;
	s->u32max = UINT32_MAX;
	s->tn = tnum_lo32(TNUM_UNKNOWN);
	scalar_zext32(s);
	scalar_sync(s);
}

/* --- arithmetic --- */

/* Signed view from an unsigned interval, if it does not cross the sign. */
static void s64_from_u64(struct scalar *d)
{
	if ((s64)d->umin <= (s64)d->umax) {
		d->smin = (s64)d->umin;
		d->smax = (s64)d->umax;
	} else {
		d->smin = INT64_MIN;
		d->smax = INT64_MAX;
	}
}

static void s32_from_u32(struct scalar *d)
{
	if ((s32)d->u32min <= (s32)d->u32max) {
		d->s32min = (s32)d->u32min;
		d->s32max = (s32)d->u32max;
	} else {
		d->s32min = INT32_MIN;
		d->s32max = INT32_MAX;
	}
}

static void add(struct scalar *d, const struct scalar *s)
{
	bool lo_wraps, hi_wraps;

	if (__builtin_add_overflow(d->smin, s->smin, &d->smin) |
	    __builtin_add_overflow(d->smax, s->smax, &d->smax)) {
		d->smin = INT64_MIN;
		d->smax = INT64_MAX;
	}
	lo_wraps = __builtin_add_overflow(d->umin, s->umin, &d->umin);
	hi_wraps = __builtin_add_overflow(d->umax, s->umax, &d->umax);
	if (lo_wraps != hi_wraps) {
		d->umin = 0;
		d->umax = UINT64_MAX;
	}
	if (__builtin_add_overflow(d->s32min, s->s32min, &d->s32min) |
	    __builtin_add_overflow(d->s32max, s->s32max, &d->s32max)) {
		d->s32min = INT32_MIN;
		d->s32max = INT32_MAX;
	}
	lo_wraps = __builtin_add_overflow(d->u32min, s->u32min, &d->u32min);
	hi_wraps = __builtin_add_overflow(d->u32max, s->u32max, &d->u32max);
	if (lo_wraps != hi_wraps) {
		d->u32min = 0;
		d->u32max = UINT32_MAX;
	}
	d->tn = tnum_add(d->tn, s->tn);
}

static void sub(struct scalar *d, const struct scalar *s)
{
	bool lo_wraps, hi_wraps;

	if (__builtin_sub_overflow(d->smin, s->smax, &d->smin) |
	    __builtin_sub_overflow(d->smax, s->smin, &d->smax)) {
		d->smin = INT64_MIN;
		d->smax = INT64_MAX;
	}
	lo_wraps = __builtin_sub_overflow(d->umin, s->umax, &d->umin);
	hi_wraps = __builtin_sub_overflow(d->umax, s->umin, &d->umax);
	if (lo_wraps != hi_wraps) {
		d->umin = 0;
		d->umax = UINT64_MAX;
	}
	if (__builtin_sub_overflow(d->s32min, s->s32max, &d->s32min) |
	    __builtin_sub_overflow(d->s32max, s->s32min, &d->s32max)) {
		d->s32min = INT32_MIN;
		d->s32max = INT32_MAX;
	}
	lo_wraps = __builtin_sub_overflow(d->u32min, s->u32max, &d->u32min);
	hi_wraps = __builtin_sub_overflow(d->u32max, s->u32min, &d->u32max);
	if (lo_wraps != hi_wraps) {
		d->u32min = 0;
		d->u32max = UINT32_MAX;
	}
	d->tn = tnum_sub(d->tn, s->tn);
}

/* The extremes of a product lie at the corners; one overflow and nothing is known. */
static void mul(struct scalar *d, const struct scalar *s)
{
	s64 dc[2] = {d->smin, d->smax}, sc[2] = {s->smin, s->smax};
	s32 dh[2] = {d->s32min, d->s32max}, sh[2] = {s->s32min, s->s32max};
	s64 lo = INT64_MAX, hi = INT64_MIN, p;
	s32 hlo = INT32_MAX, hhi = INT32_MIN, hp;
	bool over = false, hover = false;

	for (int i = 0; i < 4; i++) {
		over |= __builtin_mul_overflow(dc[i & 1], sc[i >> 1], &p);
		DOWN(lo, p);
		UP(hi, p);
		hover |= __builtin_mul_overflow(dh[i & 1], sh[i >> 1], &hp);
		DOWN(hlo, hp);
		UP(hhi, hp);
	}
	d->smin = over ? INT64_MIN : lo;
	d->smax = over ? INT64_MAX : hi;
	d->s32min = hover ? INT32_MIN : hlo;
	d->s32max = hover ? INT32_MAX : hhi;
	if (__builtin_mul_overflow(d->umax, s->umax, &d->umax) |
	    __builtin_mul_overflow(d->umin, s->umin, &d->umin)) {
		d->umin = 0;
		d->umax = UINT64_MAX;
	}
	if (__builtin_mul_overflow(d->u32max, s->u32max, &d->u32max) |
	    __builtin_mul_overflow(d->u32min, s->u32min, &d->u32min)) {
		d->u32min = 0;
		d->u32max = UINT32_MAX;
	}
	d->tn = tnum_mul(d->tn, s->tn);
}

static void bitwise(u8 op, struct scalar *d, const struct scalar *s)
{
	bool known = scalar_is_const(d) && scalar_is_const(s);
	bool known32 = scalar_is_const32(d) && scalar_is_const32(s);
	struct tnum h;

	d->tn = op == BPF_AND  ? tnum_and(d->tn, s->tn)
		: op == BPF_OR ? tnum_or(d->tn, s->tn)
			       : tnum_xor(d->tn, s->tn);
	h = tnum_lo32(d->tn);
	if (known32) {
		scalar_set_const32(d, (u32)h.value);
	} else {
		if (op == BPF_AND) {
			d->u32min = (u32)h.value;
			d->u32max = SKEP_MIN(d->u32max, s->u32max);
		} else {
			d->u32min = op == BPF_OR ? SKEP_MAX(d->u32min, s->u32min) : (u32)h.value;
			d->u32max = (u32)(h.value | h.mask);
		}
		s32_from_u32(d);
	}
	if (known) {
		scalar_set_const(d, d->tn.value);
		return;
	}
	if (op == BPF_AND) {
		d->umin = d->tn.value;
		d->umax = SKEP_MIN(d->umax, s->umax);
	} else {
		d->umin = op == BPF_OR ? SKEP_MAX(d->umin, s->umin) : d->tn.value;
		d->umax = d->tn.value | d->tn.mask;
	}
	s64_from_u64(d);
	ranges_from_tnum(d);
}

static void lsh_half(struct scalar *d, u32 n_min, u32 n_max)
{
	d->s32min = INT32_MIN;
	d->s32max = INT32_MAX;
	if (n_max > 31 || d->u32max > 1ull << (31 - n_max)) {
		d->u32min = 0;
		d->u32max = UINT32_MAX;
	} else {
		d->u32min <<= n_min;
		d->u32max <<= n_max;
	}
}

static void shift64(u8 op, struct scalar *d, u32 n)
{
	switch (op) {
	case BPF_LSH:
		/* x << 32 carries the signed half up: the idiom of sign extension. */
		if (n == 32) {
			d->smin = (s64)((u64)(s64)d->s32min << 32);
			d->smax = (s64)((u64)(s64)d->s32max << 32);
		} else {
			d->smin = INT64_MIN;
			d->smax = INT64_MAX;
		}
		if (d->umax > 1ull << (63 - n)) {
			d->umin = 0;
			d->umax = UINT64_MAX;
		} else {
			d->umin <<= n;
			d->umax <<= n;
		}
		lsh_half(d, n, n);
		d->tn = tnum_lsh(d->tn, (u8)n);
		break;
	case BPF_RSH:
		d->smin = INT64_MIN;
		d->smax = INT64_MAX;
		d->umin >>= n;
		d->umax >>= n;
		d->tn = tnum_rsh(d->tn, (u8)n);
		forget32(d);
		break;
	default:
		d->smin >>= n;
		d->smax >>= n;
		d->umin = 0;
		d->umax = UINT64_MAX;
		d->tn = tnum_arsh(d->tn, (u8)n, 64);
		forget32(d);
		break;
	}
	ranges_from_tnum(d);
}

static void shift32(u8 op, struct scalar *d, u32 n)
{
	struct tnum h = tnum_lo32(d->tn);

	switch (op) {
	case BPF_LSH:
		lsh_half(d, n, n);
		h = tnum_lo32(tnum_lsh(h, (u8)n));
		break;
	case BPF_RSH:
		d->s32min = INT32_MIN;
		d->s32max = INT32_MAX;
		d->u32min >>= n;
		d->u32max >>= n;
		h = tnum_rsh(h, (u8)n);
		break;
	default:
		d->s32min >>= n;
		d->s32max >>= n;
		d->u32min = 0;
		d->u32max = UINT32_MAX;
		h = tnum_arsh(h, (u8)n, 32);
		break;
	}
	d->tn = h;
	forget64(d);
	ranges_from_tnum(d);
}

bool scalar_alu(u8 op, bool is64, struct scalar *d, const struct scalar *src)
{
	struct scalar s = *src;

	switch (op) {
	case BPF_ADD:
		add(d, &s);
		break;
	case BPF_SUB:
		sub(d, &s);
		break;
	case BPF_NEG: {
		struct scalar zero = scalar_const(0);

		s = *d;
		*d = zero;
		sub(d, &s);
		break;
	}
	case BPF_MUL:
		mul(d, &s);
		break;
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
		bitwise(op, d, &s);
		break;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		/* A count that is not one constant below the width (all 64 bits of it) tells nothing. */
		if (is64 ? !scalar_is_const(&s) || s.umax > 63
			 : !scalar_is_const32(&s) || s.umax > 31) {
			*d = scalar_unknown();
			return false;
		}
		if (is64)
			shift64(op, d, (u32)s.umax);
		else
			shift32(op, d, s.u32max);
		break;
	default:
		*d = scalar_unknown();
		return false;
	}
	if (!is64)
		scalar_zext32(d);
	scalar_sync(d);
	return true;
}

void scalar_bswap(struct scalar *s, u32 bits)
{
	struct tnum t = tnum_bswap(bits == 64 ? s->tn : tnum_cast(s->tn, (u8)(bits / 8)), (u8)bits);

	*s = scalar_unknown();
	s->tn = t;
	scalar_sync(s);
}

/* --- branches --- */

struct views {
	struct tnum t;
	u64 umin, umax;
	s64 smin, smax;
};

static struct views view(const struct scalar *s, bool is32)
{
	if (is32)
		return (struct views){tnum_lo32(s->tn), s->u32min, s->u32max, s->s32min, s->s32max};
	return (struct views){s->tn, s->umin, s->umax, s->smin, s->smax};
}

static bool disjoint(const struct scalar *a, const struct scalar *b, bool is32)
{
	struct views x = view(a, is32), y = view(b, is32);

	if (!tnum_overlap(x.t, y.t) || x.umin > y.umax || x.umax < y.umin || x.smin > y.smax ||
	    x.smax < y.smin)
		return true;
	return !is32 && (a->u32min > b->u32max || a->u32max < b->u32min || a->s32min > b->s32max ||
			 a->s32max < b->s32min);
}

int scalar_predict(u8 op, bool is32, const struct scalar *a, const struct scalar *b)
{
	struct views x = view(a, is32), y = view(b, is32);

	switch (op) {
	case BPF_JEQ:
	case BPF_JNE:
		if (tnum_is_const(x.t) && tnum_is_const(y.t))
			return (x.t.value == y.t.value) == (op == BPF_JEQ);
		return disjoint(a, b, is32) ? op == BPF_JNE : -1;
	case BPF_JSET: {
		struct tnum c = tnum_is_const(y.t) ? y.t : x.t;
		struct tnum v = tnum_is_const(y.t) ? x.t : y.t;

		if (!tnum_is_const(c))
			return -1;
		if (v.value & c.value)
			return 1;
		return (v.value | v.mask) & c.value ? -1 : 0;
	}
	case BPF_JGT:
		return x.umin > y.umax ? 1 : x.umax <= y.umin ? 0 : -1;
	case BPF_JGE:
		return x.umin >= y.umax ? 1 : x.umax < y.umin ? 0 : -1;
	case BPF_JLT:
		return x.umax < y.umin ? 1 : x.umin >= y.umax ? 0 : -1;
	case BPF_JLE:
		return x.umax <= y.umin ? 1 : x.umin > y.umax ? 0 : -1;
	case BPF_JSGT:
		return x.smin > y.smax ? 1 : x.smax <= y.smin ? 0 : -1;
	case BPF_JSGE:
		return x.smin >= y.smax ? 1 : x.smax < y.smin ? 0 : -1;
	case BPF_JSLT:
		return x.smax < y.smin ? 1 : x.smin >= y.smax ? 0 : -1;
	case BPF_JSLE:
		return x.smax <= y.smin ? 1 : x.smin > y.smax ? 0 : -1;
	}
	return -1;
}

static void refine_equal(bool is32, struct scalar *a, struct scalar *b)
{
	struct tnum t;

	if (is32) {
		a->u32min = b->u32min = SKEP_MAX(a->u32min, b->u32min);
		a->u32max = b->u32max = SKEP_MIN(a->u32max, b->u32max);
		a->s32min = b->s32min = SKEP_MAX(a->s32min, b->s32min);
		a->s32max = b->s32max = SKEP_MIN(a->s32max, b->s32max);
		t = tnum_intersect(tnum_lo32(a->tn), tnum_lo32(b->tn));
		a->tn = tnum_join(a->tn, t);
		b->tn = tnum_join(b->tn, t);
		return;
	}
	a->umin = b->umin = SKEP_MAX(a->umin, b->umin);
	a->umax = b->umax = SKEP_MIN(a->umax, b->umax);
	a->smin = b->smin = SKEP_MAX(a->smin, b->smin);
	a->smax = b->smax = SKEP_MIN(a->smax, b->smax);
	a->tn = b->tn = tnum_intersect(a->tn, b->tn);
}

/* A constant at the end of an interval is cut off. */
static void refine_differ(bool is32, struct scalar *a, u64 v)
{
	if (is32) {
		a->u32min += a->u32min == (u32)v;
		a->u32max -= a->u32max == (u32)v;
		a->s32min += a->s32min == (s32)v;
		a->s32max -= a->s32max == (s32)v;
		return;
	}
	a->umin += a->umin == v;
	a->umax -= a->umax == v;
	a->smin += a->smin == (s64)v;
	a->smax -= a->smax == (s64)v;
}

static void refine_less(bool is32, bool is_signed, bool strict, struct scalar *a, struct scalar *b)
{
	if (is32 && is_signed) {
		DOWN(a->s32max, b->s32max - strict);
		UP(b->s32min, a->s32min + strict);
	} else if (is32) {
		DOWN(a->u32max, b->u32max - strict);
		UP(b->u32min, a->u32min + strict);
	} else if (is_signed) {
		DOWN(a->smax, b->smax - strict);
		UP(b->smin, a->smin + strict);
	} else {
		DOWN(a->umax, b->umax - strict);
		UP(b->umin, a->umin + strict);
	}
}

static void refine_bits(bool is32, bool set, struct scalar *a, struct scalar *b)
{
	bool b_const = is32 ? scalar_is_const32(b) : scalar_is_const(b);
	struct scalar *x = b_const ? a : b, *c = b_const ? b : a;
	struct tnum t = is32 ? tnum_lo32(x->tn) : x->tn;
	u64 v = is32 ? (u32)c->tn.value : c->tn.value;

	if (!(is32 ? scalar_is_const32(c) : scalar_is_const(c)))
		return;
	if (set) {
		/* Which of several bits is set stays unknown. */
		if (!v || (v & (v - 1)))
			return;
		t = tnum_or(t, tnum_const(v));
	} else {
		scalar_forget_ranges(x);
		t = tnum_and(t, tnum_const(~v));
	}
	x->tn = is32 ? tnum_join(x->tn, t) : t;
}

static u8 negated(u8 op)
{
	switch (op) {
	case BPF_JEQ:
		return BPF_JNE;
	case BPF_JNE:
		return BPF_JEQ;
	case BPF_JGT:
		return BPF_JLE;
	case BPF_JGE:
		return BPF_JLT;
	case BPF_JLT:
		return BPF_JGE;
	case BPF_JLE:
		return BPF_JGT;
	case BPF_JSGT:
		return BPF_JSLE;
	case BPF_JSGE:
		return BPF_JSLT;
	case BPF_JSLT:
		return BPF_JSGE;
	default:
		return BPF_JSGT;
	}
}

void scalar_refine(u8 op, bool is32, bool outcome, struct scalar *a, struct scalar *b)
{
	if (op == BPF_JSET) {
		refine_bits(is32, outcome, a, b);
		goto out;
	}
	if (!outcome)
		op = negated(op);
	switch (op) {
	case BPF_JEQ:
		refine_equal(is32, a, b);
		break;
	case BPF_JNE:
		if (is32 ? scalar_is_const32(b) : scalar_is_const(b))
			refine_differ(is32, a, b->tn.value);
		else if (is32 ? scalar_is_const32(a) : scalar_is_const(a))
			refine_differ(is32, b, a->tn.value);
		break;
	case BPF_JLT:
		refine_less(is32, false, true, a, b);
		break;
	case BPF_JLE:
		refine_less(is32, false, false, a, b);
		break;
	case BPF_JGT:
		refine_less(is32, false, true, b, a);
		break;
	case BPF_JGE:
		refine_less(is32, false, false, b, a);
		break;
	case BPF_JSLT:
		refine_less(is32, true, true, a, b);
		break;
	case BPF_JSLE:
		refine_less(is32, true, false, a, b);
		break;
	case BPF_JSGT:
		refine_less(is32, true, true, b, a);
		break;
	case BPF_JSGE:
		refine_less(is32, true, false, b, a);
		break;
	}
out:
	scalar_sync(a);
	scalar_sync(b);
}
