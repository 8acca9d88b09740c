/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 (FIPS 180-4) of a buffer, in one call.
 *
 * The constants are what the standard says they are, computed at first use: the first 32 bits of
 * the fractional parts of the square roots of the first 8 primes and of the cube roots of the
 * first 64, in integers.
 */
#include "base/sha256.h"

#include <string.h>

#include "base/lock.h"

#define BLOCK 64u

static u32 ror(u32 x, u32 n)
{
	return x >> n | x << (32 - n);
}

/* Largest r with r^k <= p << (32 * k), in steps of one bit; its low half is the fraction. */
static u32 root_fraction(u32 p, u32 k)
{
	u64 r = 0;

	for (u64 bit = 1ull << 36; bit; bit >>= 1) {
		u64 t = r | bit;
		unsigned __int128 sq = (unsigned __int128)t * t, limit;

		if (k == 2) {
			limit = (unsigned __int128)p << 64;
		} else {
			/* t^3 <= p << 96, compared as t^2 <= (p << 96) / t. */
			limit = ((unsigned __int128)p << 96) / t;
		}
		if (sq <= limit)
			r = t;
	}
	return (u32)r;
}

static u32 cube_roots[64], square_roots[8];

static void make_constants(void)
{
	static struct skep_lock once;
	static bool done;
	u32 n = 0;

	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		return;
	skep_lock(&once);
	if (done)
		n = 64;
	for (u32 p = 2; n < 64; p++) {
		bool prime = true;

		for (u32 d = 2; d * d <= p && prime; d++)
			prime = p % d;
		if (!prime)
			continue;
		if (n < 8)
			square_roots[n] = root_fraction(p, 2);
		cube_roots[n++] = root_fraction(p, 3);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	skep_unlock(&once);
}

static void block(u32 h[8], const u8 *p)
{
	u32 w[64], v[8];

	for (u32 i = 0; i < 16; i++)
		w[i] = (u32)p[4 * i] << 24 | (u32)p[4 * i + 1] << 16 | (u32)p[4 * i + 2] << 8 |
		       p[4 * i + 3];
	for (u32 i = 16; i < 64; i++) {
		u32 a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + w[i - 7] +
		       (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
	}
	memcpy(v, h, sizeof(v));
	for (u32 i = 0; i < 64; i++) {
		u32 choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
		u32 major = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		u32 t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) + choose +
			 cube_roots[i] + w[i];
		u32 t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) + major;

		memmove(v + 1, v, 7 * sizeof(u32));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (u32 i = 0; i < 8; i++)
		h[i] += v[i];
}

void skep_sha256(const void *data, size_t n, u8 ret_digest[32])
{
	u8 last[2 * BLOCK] = {0};
	const u8 *p = data;
	u64 bits = (u64)n * 8;
	u32 h[8], left, end;

	make_constants();
	memcpy(h, square_roots, sizeof(h));
	for (; n >= BLOCK; n -= BLOCK, p += BLOCK)
		block(h, p);
	left = (u32)n;
	memcpy(last, p, left);
	last[left] = 0x80;
	end = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
	for (u32 i = 0; i < 8; i++)
		last[end - 1 - i] = (u8)(bits >> (8 * i));
	block(h, last);
	if (end > BLOCK)
		block(h, last + BLOCK);
	for (u32 i = 0; i < 8; i++)
		for (u32 b = 0; b < 4; b++)
			ret_digest[4 * i + b] = (u8)(h[i] >> (24 - 8 * b));
}
