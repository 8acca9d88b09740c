/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computations in the C that BPF and an application share, on one block of data.
 *
 * The same text is compiled for BPF and for the machine, by one clang at one level. Loops have
 * constant bounds and indices are masked, since a verifier must see that they stay inside; the
 * native form pays for that too.
 */
#ifndef BENCH_COMPUTE_H
#define BENCH_COMPUTE_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
#else
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#endif

#define COMPUTE_FN static __attribute__((noinline))
#ifdef __clang__
#define NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define NO_UNROLL
#endif
/* The compiler must not conclude anything about @x from where it comes. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

#define TEXT 1024
#define WORDS 256
#define NODES 1024
#define SIDE 16

struct compute {
	u8 text[TEXT];	    /* printable, with digits, blanks and key=value pairs */
	u8 packet[128];	    /* Ethernet, IPv4 with options, TCP with options */
	u8 needle[8];	    /* occurs once, near the end of text */
	u32 words[WORDS];   /* any numbers */
	u32 sorted[WORDS];  /* scratch */
	u32 crc_table[256]; /* of the polynomial 0xedb88320 */
	u32 left[SIDE * SIDE], right[SIDE * SIDE], product[SIDE * SIDE];
	struct {
		u16 child[2]; /* 0: none */
		u16 value;    /* 0: none */
	} nodes[NODES];	      /* a binary trie of prefixes, root 0 */
	u8 scratch[2 * TEXT];
	u16 row[64];
};

#ifndef COMPUTE_DATA_ONLY /* the layout of the data is enough */

/* --- hashing --- */

COMPUTE_FN u64 do_crc32(struct compute *d)
{
	u32 crc = ~0u;

	NO_UNROLL
	for (u32 i = 0; i < TEXT; i++)
		crc = d->crc_table[(crc ^ d->text[i]) & 255] ^ crc >> 8;
	return ~crc;
}

COMPUTE_FN u64 do_fnv(struct compute *d)
{
	u64 h = 0xcbf29ce484222325ull;

	NO_UNROLL
	for (u32 i = 0; i < TEXT; i++)
		h = (h ^ d->text[i]) * 0x100000001b3ull;
	return h;
}

static inline u64 rotate64(u64 x, u32 n)
{
	return x << n | x >> (64 - n);
}

static inline u32 rotate32(u32 x, u32 n)
{
	return x << n | x >> (32 - n);
}

#define SIP_ROUND(a, b, c, e)                                                                      \
	do {                                                                                       \
		a += b, b = rotate64(b, 13) ^ a, a = rotate64(a, 32);                              \
		c += e, e = rotate64(e, 16) ^ c;                                                   \
		a += e, e = rotate64(e, 21) ^ a;                                                   \
		c += b, b = rotate64(b, 17) ^ c, c = rotate64(c, 32);                              \
	} while (0)

/* SipHash-2-4. */
COMPUTE_FN u64 do_siphash(struct compute *d)
{
	const u64 *w = (const u64 *)d->text;
	u64 a = 0x736f6d6570736575ull, b = 0x646f72616e646f6dull;
	u64 c = 0x6c7967656e657261ull, e = 0x7465646279746573ull;

	NO_UNROLL
	for (u32 i = 0; i < TEXT / 8; i++) {
		e ^= w[i];
		SIP_ROUND(a, b, c, e);
		SIP_ROUND(a, b, c, e);
		a ^= w[i];
	}
	c ^= 0xff;
	SIP_ROUND(a, b, c, e);
	SIP_ROUND(a, b, c, e);
	SIP_ROUND(a, b, c, e);
	SIP_ROUND(a, b, c, e);
	return a ^ b ^ c ^ e;
}

#define QUARTER(a, b, c, d)                                                                        \
	do {                                                                                       \
		a += b, d = rotate32(d ^ a, 16);                                                   \
		c += d, b = rotate32(b ^ c, 12);                                                   \
		a += b, d = rotate32(d ^ a, 8);                                                    \
		c += d, b = rotate32(b ^ c, 7);                                                    \
	} while (0)

/* ChaCha's rounds on four words at a time: more state than there are registers. */
COMPUTE_FN u64 do_chacha(struct compute *d)
{
	u32 x[16];
	u64 sum = 0;

	NO_UNROLL
	for (u32 block = 0; block < 8; block++) {
		for (u32 i = 0; i < 16; i++)
			x[i] = d->words[(block * 16 + i) & (WORDS - 1)];
		NO_UNROLL
		for (u32 round = 0; round < 10; round++) {
			QUARTER(x[0], x[4], x[8], x[12]);
			QUARTER(x[1], x[5], x[9], x[13]);
			QUARTER(x[2], x[6], x[10], x[14]);
			QUARTER(x[3], x[7], x[11], x[15]);
			QUARTER(x[0], x[5], x[10], x[15]);
			QUARTER(x[1], x[6], x[11], x[12]);
			QUARTER(x[2], x[7], x[8], x[13]);
			QUARTER(x[3], x[4], x[9], x[14]);
		}
		for (u32 i = 0; i < 16; i++)
			sum += x[i];
	}
	return sum;
}

/* --- text --- */

/* Where the needle's first occurrence is. */
COMPUTE_FN u64 do_search(struct compute *d)
{
	NO_UNROLL
	for (u32 i = 0; i < TEXT - 8; i++) {
		u32 k = 0;

		if (d->text[i] != d->needle[0])
			continue;
		NO_UNROLL
		for (k = 1; k < 8; k++)
			if (d->text[i + k] != d->needle[k])
				break;
		if (k == 8)
			return i;
	}
	return TEXT;
}

/* Sum of the decimal numbers in the text, and the count of words. */
COMPUTE_FN u64 do_parse(struct compute *d)
{
	u64 sum = 0, number = 0, words = 0;
	u32 in_word = 0;

	NO_UNROLL
	for (u32 i = 0; i < TEXT; i++) {
		u8 c = d->text[i];

		if (c >= '0' && c <= '9') {
			number = number * 10 + (c - '0');
		} else {
			sum += number;
			number = 0;
		}
		if (c == ' ' || c == '\n') {
			in_word = 0;
		} else if (!in_word) {
			in_word = 1;
			words++;
		}
	}
	return sum + (words << 32);
}

COMPUTE_FN u64 do_base64(struct compute *d)
{
	u32 out = 0;

	NO_UNROLL
	for (u32 i = 0; i + 2 < TEXT; i += 3) {
		u32 v = (u32)d->text[i] << 16 | (u32)d->text[i + 1] << 8 | d->text[i + 2];

		NO_UNROLL
		for (s32 shift = 18; shift >= 0; shift -= 6) {
			u32 c = v >> shift & 63;

			c += c < 26    ? 65
			     : c < 52  ? 71
			     : c < 62  ? (u32)-4
			     : c == 62 ? (u32)-19
				       : (u32)-16;
			d->scratch[out++ & (2 * TEXT - 1)] = (u8)c;
		}
	}
	return out + d->scratch[out / 2 & (2 * TEXT - 1)];
}

/* Edit distance of two strings of 48 bytes. */
COMPUTE_FN u64 do_distance(struct compute *d)
{
	enum { N = 24 };

	NO_UNROLL
	for (u32 k = 0; k <= N; k++)
		d->row[k] = (u16)k;
	NO_UNROLL
	for (u32 i = 0; i < N; i++) {
		u32 before = d->row[0];

		d->row[0] = (u16)(i + 1);
		NO_UNROLL
		for (u32 k = 0; k < N; k++) {
			u32 above = d->row[k + 1], best = before + (d->text[i] != d->text[64 + k]);

			if (above + 1 < best)
				best = above + 1;
			if ((u32)d->row[k] + 1 < best)
				best = (u32)d->row[k] + 1;
			d->row[k + 1] = (u16)best;
			before = above;
		}
	}
	return d->row[N];
}

/* --- numbers --- */

/* Shell sort of a copy. */
COMPUTE_FN u64 do_sort(struct compute *d)
{
	enum { N = 64 };

	NO_UNROLL
	for (u32 i = 0; i < N; i++)
		d->sorted[i] = d->words[i];
	NO_UNROLL
	for (u32 gap = 16; gap; gap /= 4) {
		NO_UNROLL
		for (u32 i = gap; i < N; i++) {
			u32 v = d->sorted[i & (N - 1)], k = i;

			NO_UNROLL
			while (k >= gap && k < N && d->sorted[(k - gap) & (N - 1)] > v) {
				d->sorted[k] = d->sorted[(k - gap) & (N - 1)];
				k -= gap;
			}
			d->sorted[k & (N - 1)] = v;
		}
	}
	return d->sorted[N / 2];
}

COMPUTE_FN u64 do_matrix(struct compute *d)
{
	NO_UNROLL
	for (u32 i = 0; i < SIDE; i++)
		NO_UNROLL
	for (u32 k = 0; k < SIDE; k++) {
		u32 sum = 0;

		NO_UNROLL
		for (u32 n = 0; n < SIDE; n++)
			sum += d->left[i * SIDE + n] * d->right[n * SIDE + k];
		d->product[i * SIDE + k] = sum;
	}
	return d->product[SIDE * SIDE / 2];
}

/* Population counts, leading zeros and reversal, without instructions for them. */
COMPUTE_FN u64 do_bits(struct compute *d)
{
	u64 sum = 0;

	NO_UNROLL
	for (u32 i = 0; i < WORDS; i++) {
		u32 x = d->words[i], p = x, r = x, z = 0;

		OPAQUE(p);
		p -= p >> 1 & 0x55555555;
		p = (p & 0x33333333) + (p >> 2 & 0x33333333);
		p = (p + (p >> 4)) & 0x0f0f0f0f;
		sum += p * 0x01010101 >> 24;
		r = (r >> 1 & 0x55555555) | (r & 0x55555555) << 1;
		r = (r >> 2 & 0x33333333) | (r & 0x33333333) << 2;
		r = (r >> 4 & 0x0f0f0f0f) | (r & 0x0f0f0f0f) << 4;
		r = (r >> 8 & 0x00ff00ff) | (r & 0x00ff00ff) << 8;
		sum ^= rotate32(r, 16);
		if (!(x >> 16))
			z += 16, x <<= 16;
		if (!(x >> 24))
			z += 8, x <<= 8;
		if (!(x >> 28))
			z += 4, x <<= 4;
		sum += z;
	}
	return sum;
}

/* Primes below 1,024 by sieve. */
COMPUTE_FN u64 do_sieve(struct compute *d)
{
	u32 primes = 0;

	NO_UNROLL
	for (u32 i = 0; i < TEXT; i++)
		d->scratch[i] = 1;
	NO_UNROLL
	for (u32 i = 2; i < TEXT; i++) {
		if (!d->scratch[i])
			continue;
		primes++;
		if (i < 32)
			NO_UNROLL
		for (u32 k = i * i; k < TEXT; k += i)
			d->scratch[k] = 0;
	}
	return primes;
}

/* --- networks --- */

/* Longest prefix of sixteen addresses in a binary trie. */
COMPUTE_FN u64 do_lpm(struct compute *d)
{
	u64 sum = 0;

	NO_UNROLL
	for (u32 i = 0; i < 16; i++) {
		u32 address = d->words[i], at = 0, best = 0;

		NO_UNROLL
		for (u32 bit = 0; bit < 32; bit++) {
			if (d->nodes[at].value)
				best = d->nodes[at].value;
			at = d->nodes[at].child[address >> 31] & (NODES - 1);
			if (!at)
				break;
			address <<= 1;
		}
		sum += best;
	}
	return sum;
}

/* The Internet checksum of the packet, by 16-bit words. */
COMPUTE_FN u64 do_checksum(struct compute *d)
{
	const u16 *w = (const u16 *)d->text;
	u32 sum = 0;

	NO_UNROLL
	for (u32 i = 0; i < TEXT / 2; i++)
		sum += w[i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)~sum;
}

static inline u32 be16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static inline u32 be32(const u8 *p)
{
	return be16(p) << 16 | be16(p + 2);
}

/* Addresses, ports, flags, and the options of both headers. */
COMPUTE_FN u64 do_packet(struct compute *d)
{
	const u8 *p = d->packet;
	u32 at = 14, end, kind, mss = 0, scale = 0, hash;

	if (be16(p + 12) != 0x0800)
		return 0;
	end = at + (p[at] & 15) * 4;
	hash = be32(p + 26) * 31 + be32(p + 30);
	if (p[23] != 6 || end > 80)
		return hash;
	at = end & 63;
	hash = hash * 31 + be16(p + at) + be16(p + at + 2);
	end = at + (p[at + 12] >> 4) * 4;
	at += 20;
	NO_UNROLL
	for (u32 n = 0; n < 20 && at < end && at < 120; n++) {
		kind = p[at];
		if (!kind)
			break;
		if (kind == 1) {
			at++;
			continue;
		}
		if (kind == 2)
			mss = be16(p + (at + 2 & 63));
		else if (kind == 3)
			scale = p[at + 2 & 127];
		if (p[at + 1] < 2)
			break;
		at += p[at + 1];
	}
	return hash + mss + scale + p[d->packet[47] & 127];
}

/* Histogram of bytes, and its entropy's poor relation: the sum of squares. */
COMPUTE_FN u64 do_histogram(struct compute *d)
{
	u64 sum = 0;

	NO_UNROLL
	for (u32 i = 0; i < WORDS; i++)
		d->sorted[i] = 0;
	NO_UNROLL
	for (u32 i = 0; i < TEXT; i++)
		d->sorted[d->text[i]]++;
	NO_UNROLL
	for (u32 i = 0; i < WORDS; i++)
		sum += (u64)d->sorted[i] * d->sorted[i];
	return sum;
}

#endif

#define COMPUTE_LIST(X)                                                                            \
	X(crc32)                                                                                   \
	X(fnv)                                                                                     \
	X(siphash)                                                                                 \
	X(chacha) X(search) X(parse) X(base64) X(distance) X(sort) X(matrix) X(bits) X(sieve)      \
		X(lpm) X(checksum) X(packet) X(histogram)

#endif
