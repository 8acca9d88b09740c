/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scalar domain against concrete numbers: tristate numbers exhaustively at 5 bits, all views
 * together at random in 64.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verifier/range.h"

static u64 seed = 88172645463325252ull;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Mostly numbers near powers of two and near zero, where rules go wrong. */
static u64 number(void)
{
	u64 v = rnd();

	switch (v & 7) {
	case 0:
		return rnd() & 15;
	case 1:
		return ~(rnd() & 15);
	case 2:
		return (1ull << (rnd() & 63)) + (rnd() & 3) - 1;
	case 3:
		return (u32)rnd();
	case 4:
		return (u64)(s64)(s32)rnd();
	case 5:
		return 0x7fffffffull + (rnd() & 7) - 3;
	default:
		return rnd() >> (rnd() & 63);
	}
}

static bool member(const struct scalar *s, u64 x)
{
	return tnum_has(s->tn, x) && x >= s->umin && x <= s->umax && (s64)x >= s->smin &&
	       (s64)x <= s->smax && (u32)x >= s->u32min && (u32)x <= s->u32max &&
	       (s32)x >= s->s32min && (s32)x <= s->s32max;
}

/* A set that holds @a and @b, by one of its views or several. */
static struct scalar around(u64 a, u64 b)
{
	struct scalar s = scalar_unknown();
	u64 how = rnd();

	if (how & 1) {
		s.umin = SKEP_MIN(a, b);
		s.umax = SKEP_MAX(a, b);
	}
	if (how & 2) {
		s.smin = SKEP_MIN((s64)a, (s64)b);
		s.smax = SKEP_MAX((s64)a, (s64)b);
	}
	if (how & 4) {
		s.u32min = SKEP_MIN((u32)a, (u32)b);
		s.u32max = SKEP_MAX((u32)a, (u32)b);
	}
	if (how & 8) {
		s.s32min = SKEP_MIN((s32)a, (s32)b);
		s.s32max = SKEP_MAX((s32)a, (s32)b);
	}
	if (how & 16) {
		s.tn.mask = (a ^ b) | (rnd() & rnd());
		s.tn.value = a & ~s.tn.mask;
	}
	scalar_sync(&s);
	return s;
}

static const u8 alu_ops[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_AND,  BPF_OR,
			     BPF_XOR, BPF_LSH, BPF_RSH, BPF_ARSH, BPF_NEG};

static u64 compute(u8 op, bool is64, u64 a, u64 b)
{
	u32 n = (u32)b & (is64 ? 63 : 31);
	u64 r;

	switch (op) {
	case BPF_ADD:
		r = a + b;
		break;
	case BPF_SUB:
		r = a - b;
		break;
	case BPF_MUL:
		r = a * b;
		break;
	case BPF_AND:
		r = a & b;
		break;
	case BPF_OR:
		r = a | b;
		break;
	case BPF_XOR:
		r = a ^ b;
		break;
	case BPF_LSH:
		r = is64 ? a << n : (u32)a << n;
		break;
	case BPF_RSH:
		r = is64 ? a >> n : (u32)a >> n;
		break;
	case BPF_ARSH:
		r = is64 ? (u64)((s64)a >> n) : (u64)(u32)((s32)a >> n);
		break;
	default:
		r = -a;
		break;
	}
	return is64 ? r : (u32)r;
}

static void sync_keeps_members(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2000000; i++) {
		u64 a = number(), b = number();
		struct scalar s = around(a, b);

		assert_true(member(&s, a));
		assert_true(member(&s, b));
		assert_null(scalar_broken(&s));
	}
}

static void alu_contains_results(void **state)
{
	(void)state;
	for (u32 i = 0; i < 3000000; i++) {
		u8 op = alu_ops[rnd() % ARRAY_SIZE(alu_ops)];
		bool is64 = rnd() & 1, shift = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;
		u64 a = number(), b = shift ? rnd() % (is64 ? 64 : 32) : number();
		struct scalar x = around(a, number());
		struct scalar y = rnd() & 1 || shift ? scalar_const(b) : around(b, number());

		if (scalar_alu(op, is64, &x, &y) || is64)
			assert_true(member(&x, compute(op, is64, a, b)));
		assert_null(scalar_broken(&x));
	}
}

static void width_changes_contain_results(void **state)
{
	static const u32 sizes[] = {1, 2, 4};

	(void)state;
	for (u32 i = 0; i < 1000000; i++) {
		u64 a = number(), t;
		struct scalar s = around(a, number()), r = s;
		u32 n = sizes[rnd() % 3];

		scalar_truncate(&r, n);
		t = a & ((1ull << n * 8) - 1);
		assert_true(member(&r, t));
		r = s;
		scalar_sign_extend(&r, n);
		scalar_sync(&r);
		assert_true(member(&r, (u64)((s64)(a << (64 - n * 8)) >> (64 - n * 8))));
		if (n < 4) {
			r = s;
			scalar_sign_extend32(&r, n);
			assert_true(
				member(&r, (u32)((s32)((u32)a << (32 - n * 8)) >> (32 - n * 8))));
		}
		r = s;
		scalar_bswap(&r, 64);
		assert_true(member(&r, __builtin_bswap64(a)));
	}
}

static bool holds(u8 op, bool is32, u64 a, u64 b)
{
	s64 sa = is32 ? (s32)a : (s64)a, sb = is32 ? (s32)b : (s64)b;

	if (is32) {
		a = (u32)a;
		b = (u32)b;
	}
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	case BPF_JSLE:
		return sa <= sb;
	default:
		return a & b;
	}
}

static void branches_keep_what_passes(void **state)
{
	static const u8 ops[] = {BPF_JEQ,  BPF_JNE,  BPF_JGT,  BPF_JGE,	 BPF_JLT, BPF_JLE,
				 BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE, BPF_JSET};

	(void)state;
	for (u32 i = 0; i < 3000000; i++) {
		u8 op = ops[rnd() % ARRAY_SIZE(ops)];
		bool is32 = rnd() & 1, outcome;
		u64 a = number(), b = rnd() & 1 ? number() : a + (rnd() & 3) - 1;
		struct scalar x = around(a, number());
		struct scalar y = rnd() & 1 ? scalar_const(b) : around(b, number());
		int p = scalar_predict(op, is32, &x, &y);

		outcome = holds(op, is32, a, b);
		if (p >= 0) {
			assert_int_equal(p, outcome);
			continue;
		}
		scalar_refine(op, is32, outcome, &x, &y);
		assert_true(member(&x, a));
		assert_true(member(&y, b));
	}
}

/* All tristate numbers of 5 bits, in all pairs. */
static void tnum_exhaustive(void **state)
{
	(void)state;
	for (u32 am = 0; am < 32; am++) {
		for (u32 av = 0; av < 32; av++) {
			struct tnum a = {av, am};

			if (av & am)
				continue;
			for (u64 x = 0; x < 34; x++) {
				u64 got, want = 0;
				bool found = false;

				for (want = x; want < 64 && !found; want++)
					found = tnum_has(a, want);
				assert_int_equal(tnum_at_least(a, x, &got), found);
				if (found)
					assert_int_equal(got, want - 1);
			}
			for (u32 bm = 0; bm < 32; bm++) {
				for (u32 bv = 0; bv < 32; bv++) {
					struct tnum b = {bv, bm};
					struct tnum add, sub, mul, and, or, xor;

					if (bv & bm)
						continue;
					add = tnum_add(a, b);
					sub = tnum_sub(a, b);
					mul = tnum_mul(a, b);
					and = tnum_and(a, b);
					or = tnum_or(a, b);
					xor = tnum_xor(a, b);
					for (u32 x = 0; x < 32; x++) {
						if (!tnum_has(a, x))
							continue;
						for (u32 y = 0; y < 32; y++) {
							if (!tnum_has(b, y))
								continue;
							assert_true(tnum_has(add, (u64)x + y));
							assert_true(tnum_has(sub, (u64)x - y));
							assert_true(tnum_has(mul, (u64)x * y));
							assert_true(tnum_has(and, x & y));
							assert_true(tnum_has(or, x | y));
							assert_true(tnum_has(xor, x ^ y));
						}
					}
				}
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tnum_exhaustive),
		cmocka_unit_test(sync_keeps_members),
		cmocka_unit_test(alu_contains_results),
		cmocka_unit_test(width_changes_contain_results),
		cmocka_unit_test(branches_keep_what_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
