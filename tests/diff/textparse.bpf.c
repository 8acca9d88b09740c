// SPDX-License-Identifier: BSD-2-Clause
/* Parsing of text in packets: bounded loops, state machines, variable offsets. */
#include "common.h"

#define MAX_TEXT 12

__u64 methods[4];
__u32 longest;
char last_word[16];

struct cursor {
	void *pos, *end;
};

static __always_inline int peek(struct cursor *c)
{
	unsigned char *p = c->pos;

	return p + 1 > (unsigned char *)c->end ? -1 : *p;
}

static __always_inline int is_letter(int ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

SEC("xdp")
int words(struct xdp_md *ctx)
{
	struct cursor c = {(void *)(long)ctx->data, (void *)(long)ctx->data_end};
	__u32 run = 0, best = 0, n = 0;

	for (int i = 0; i < MAX_TEXT; i++) {
		int ch = peek(&c);

		if (ch < 0)
			break;
		c.pos++;
		if (is_letter(ch)) {
			run++;
			if (run < sizeof(last_word))
				last_word[run & 15] = ch;
		} else {
			if (run) {
				n++;
				if (run > best)
					best = run;
			}
			run = 0;
		}
	}
	longest = best;
	return n;
}

/* The same over 128 bytes is more than the verifier will walk. */
SEC("xdp")
int bad_words(struct xdp_md *ctx)
{
	struct cursor c = {(void *)(long)ctx->data, (void *)(long)ctx->data_end};
	__u32 run = 0, best = 0, n = 0;

	for (int i = 0; i < 128; i++) {
		int ch = peek(&c);

		if (ch < 0)
			break;
		c.pos++;
		if (is_letter(ch)) {
			run++;
			if (run < sizeof(last_word))
				last_word[run & 15] = ch;
		} else {
			if (run) {
				n++;
				if (run > best)
					best = run;
			}
			run = 0;
		}
	}
	longest = best;
	return n;
}

/* Decimal numbers, one state a byte. */
SEC("xdp")
int numbers(struct xdp_md *ctx)
{
	unsigned char *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	enum { OUT, IN } state = OUT;
	__u64 value = 0, sum = 0;

	for (int i = 0; i < 64; i++) {
		if (p + i + 1 > end)
			break;
		switch (state) {
		case OUT:
			if (p[i] >= '0' && p[i] <= '9') {
				value = p[i] - '0';
				state = IN;
			}
			break;
		case IN:
			if (p[i] >= '0' && p[i] <= '9') {
				value = value * 10 + (p[i] - '0');
			} else {
				sum += value;
				state = OUT;
			}
			break;
		}
	}
	return sum;
}

/* Type-length-value records, each found through the one before. */
SEC("xdp")
int tlv(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 off = 0, seen = 0;

	for (int i = 0; i < 10; i++) {
		unsigned char *t = data + off;

		if (off > 1000 || (void *)(t + 2) > end)
			break;
		methods[t[0] & 3]++;
		off += 2 + (t[1] & 31);
		seen++;
	}
	return seen * 1000 + off;
}

static long count_byte(__u32 i, unsigned char (*histogram)[16])
{
	(*histogram)[(i * 7) & 15]++;
	return 0;
}

SEC("xdp")
int by_loop(struct xdp_md *ctx)
{
	unsigned char histogram[16] = {};
	__u32 n = ctx->data_end - ctx->data;

	bpf_loop(n & 255, count_byte, &histogram, 0);
	return histogram[0] + histogram[7] * 100 + histogram[15] * 10000;
}

struct sorter {
	__u32 v[8];
};

static long bubble(__u32 i, struct sorter *s)
{
	for (int k = 0; k < 7; k++)
		if (s->v[k] > s->v[k + 1]) {
			__u32 t = s->v[k];

			s->v[k] = s->v[k + 1];
			s->v[k + 1] = t;
		}
	return 0;
}

SEC("xdp")
int sort(struct xdp_md *ctx)
{
	unsigned char *p = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct sorter s = {};

	if (p + 8 > end)
		return 0;
	for (int i = 0; i < 8; i++)
		s.v[i] = p[i] * 37 % 101;
	bpf_loop(8, bubble, &s, 0);
	return s.v[0] | s.v[3] << 8 | s.v[7] << 16;
}

SEC("xdp")
int bad_tlv(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 off = 0;

	for (int i = 0; i < 4; i++) {
		unsigned char *t = data + off;

		if ((void *)(t + 2) > end)
			break;
		off += t[1] + t[off & 1];
	}
	return *(unsigned char *)(data + off);
}
