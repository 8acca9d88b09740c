/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small assembler for tests.
 */
#include "verifier_asm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ws(const char **p)
{
	while (**p == ' ' || **p == '\t')
		(*p)++;
}

static int eat(const char **p, const char *tok)
{
	size_t n = strlen(tok);

	ws(p);
	if (strncmp(*p, tok, n))
		return 0;
	/* A word must end where the token does. */
	if (isalnum((unsigned char)tok[n - 1]) &&
	    (isalnum((unsigned char)(*p)[n]) || (*p)[n] == '_'))
		return 0;
	*p += n;
	return 1;
}

static int reg(const char **p, int *ret_r, int *ret_w)
{
	ws(p);
	if ((**p != 'r' && **p != 'w') || !isdigit((unsigned char)(*p)[1]))
		return 0;
	*ret_w = **p == 'w';
	(*p)++;
	*ret_r = (int)strtol(*p, (char **)p, 10);
	return 1;
}

static int (*resolver)(const char *name);

static long long num(const char **p)
{
	long long v;
	char *end;

	ws(p);
	if (**p == '$' && resolver) {
		char name[96];
		unsigned int n = 0;

		(*p)++;
		while (isalnum((unsigned char)**p) || **p == '_' || **p == '.')
			if (n < 95)
				name[n++] = *(*p)++;
		name[n] = 0;
		return resolver(name);
	}
	v = **p == '-' ? strtoll(*p, &end, 0) : (long long)strtoull(*p, &end, 0);
	*p = end;
	return v;
}

static void word(const char **p, char *buf)
{
	unsigned int n = 0;

	ws(p);
	while (isalnum((unsigned char)**p) || **p == '_')
		if (n < 47)
			buf[n++] = *(*p)++;
	buf[n] = 0;
}

static struct bpf_insn *put(struct vasm *a, int code, int dst, int src, int off, int imm)
{
	struct bpf_insn *in = &a->insns[a->n++];

	*in = (struct bpf_insn){.code = (__u8)code,
				.dst_reg = dst & 15,
				.src_reg = src & 15,
				.off = (__s16)off,
				.imm = imm};
	return in;
}

static void fix(struct vasm *a, const char **p, unsigned int kind)
{
	ws(p);
	if (**p == '+' || **p == '-') {
		int v = (int)strtol(*p, (char **)p, 10);

		if (kind)
			a->insns[a->n - 1].imm = v;
		else
			a->insns[a->n - 1].off = (__s16)v;
		return;
	}
	word(p, a->fixups[a->nr_fixups].name);
	a->fixups[a->nr_fixups].at = a->n - 1;
	a->fixups[a->nr_fixups++].kind = kind;
}

static int size_of(const char **p)
{
	if (eat(p, "u8"))
		return BPF_B;
	if (eat(p, "u16"))
		return BPF_H;
	if (eat(p, "u32"))
		return BPF_W;
	if (eat(p, "u64"))
		return BPF_DW;
	if (eat(p, "s8"))
		return BPF_B | 0x100;
	if (eat(p, "s16"))
		return BPF_H | 0x100;
	if (eat(p, "s32"))
		return BPF_W | 0x100;
	return -1;
}

/* "*(u32 *)(r2 + 4)" */
static int mem(const char **p, int *size, int *r, int *off)
{
	int w;

	if (!eat(p, "*") || !eat(p, "("))
		return 0;
	*size = size_of(p);
	if (*size < 0 || !eat(p, "*") || !eat(p, ")") || !eat(p, "(") || !reg(p, r, &w))
		return 0;
	ws(p);
	if (**p == '+')
		(*p)++, *off = (int)num(p);
	else if (**p == '-')
		(*p)++, *off = -(int)num(p);
	else
		*off = 0;
	return eat(p, ")");
}

static const struct {
	const char *text;
	int op;
} alu[] = {{"s>>=", 0xc0}, {"<<=", 0x60},  {">>=", 0x70}, {"+=", 0x00}, {"-=", 0x10},
	   {"*=", 0x20},   {"s/=", 0x130}, {"/=", 0x30},  {"|=", 0x40}, {"&=", 0x50},
	   {"s%=", 0x190}, {"%=", 0x90},   {"^=", 0xa0},  {"=", 0xb0}};
static const struct {
	const char *text;
	int op;
} cmp[] = {{"s>=", 0x70}, {"s<=", 0xd0}, {"s>", 0x60}, {"s<", 0xc0}, {"==", 0x10}, {"!=", 0x50},
	   {">=", 0x30},  {"<=", 0xb0},	 {">", 0x20},  {"<", 0xa0},  {"&", 0x40}};

static int assign(struct vasm *a, const char **p, int d, int w)
{
	int size, s, off, sw, cls = w ? BPF_ALU : BPF_ALU64;
	static const char *const rmw[] = {"fetch_add", "fetch_or", "fetch_and",
					  "fetch_xor", "xchg",	   "cmpxchg"};
	static const int rmw_imm[] = {1, 0x41, 0x51, 0xa1, 0xe1, 0xf1};
	struct bpf_insn *in;

	ws(p);
	if (eat(p, "map")) {
		put(a, 0x18, d, 1, 0, a->map_fds[num(p)]);
		put(a, 0, 0, 0, 0, 0);
		return 1;
	}
	if (eat(p, "value")) {
		put(a, 0x18, d, 2, 0, a->map_fds[num(p)]);
		put(a, 0, 0, 0, 0, (int)num(p));
		return 1;
	}
	if (eat(p, "func")) {
		put(a, 0x18, d, 4, 0, 0);
		fix(a, p, 1);
		put(a, 0, 0, 0, 0, 0);
		return 1;
	}
	if (eat(p, "ksym")) {
		put(a, 0x18, d, 3, 0, (int)num(p));
		put(a, 0, 0, 0, 0, 0);
		return 1;
	}
	if (eat(p, "load_acquire(")) {
		size = size_of(p);
		if (!eat(p, ",") || !reg(p, &s, &sw) || !eat(p, "+"))
			return 0;
		put(a, BPF_STX | 0xc0 | size, d, s, (int)num(p), 0x100);
		return eat(p, ")");
	}
	for (unsigned int i = 0; i < 6; i++) {
		if (!eat(p, rmw[i]))
			continue;
		if (!mem(p, &size, &s, &off))
			return 0;
		/* r0 = cmpxchg *(u64 *)(r1 + 0), r2 */
		if (i == 5) {
			int x;

			if (!eat(p, ",") || !reg(p, &x, &sw))
				return 0;
			put(a, BPF_STX | 0xc0 | size, s, x, off, rmw_imm[i]);
		} else {
			put(a, BPF_STX | 0xc0 | size, s, d, off, rmw_imm[i]);
		}
		return 1;
	}
	if (**p == '*') {
		if (!mem(p, &size, &s, &off))
			return 0;
		put(a, BPF_LDX | (size & 0x100 ? 0x80 : BPF_MEM) | (size & 0xff), d, s, off, 0);
		return 1;
	}
	if (**p == '(') {
		int bits;

		(*p)++;
		bits = eat(p, "s8") ? 8 : eat(p, "s16") ? 16 : eat(p, "s32") ? 32 : 0;
		if (!bits || !eat(p, ")") || !reg(p, &s, &sw))
			return 0;
		put(a, cls | BPF_MOV | BPF_X, d, s, bits, 0);
		return 1;
	}
	if (!strncmp(*p, "bswap", 5) || !strncmp(*p, "be", 2) || !strncmp(*p, "le", 2)) {
		int swap = **p == 'b' && (*p)[1] == 's', be = !strncmp(*p, "be", 2);

		*p += swap ? 5 : 2;
		put(a, (swap ? BPF_ALU64 : BPF_ALU) | BPF_END | (be ? BPF_X : 0), d, 0, 0,
		    (int)num(p));
		return reg(p, &s, &sw);
	}
	if (**p == '-' && ((*p)[1] == 'r' || (*p)[1] == 'w')) {
		(*p)++;
		put(a, cls | BPF_NEG, d, 0, 0, 0);
		return reg(p, &s, &sw);
	}
	if (reg(p, &s, &sw)) {
		put(a, cls | BPF_MOV | BPF_X, d, s, 0, 0);
		return 1;
	}
	{
		long long v = num(p);

		if (eat(p, "ll")) {
			put(a, 0x18, d, 0, 0, (int)v);
			put(a, 0, 0, 0, 0, (int)(v >> 32));
			return 1;
		}
		in = put(a, cls | BPF_MOV, d, 0, 0, (int)v);
		(void)in;
		return 1;
	}
}

static int line(struct vasm *a, const char *p)
{
	const char *text_ = p;
	char name[48];
	const char *q = p;
	int r, w, s, sw, size, off;

	ws(&p);
	if (!*p || *p == '#')
		return 1;
	word(&q, name);
	if (*q == ':' && *name) {
		strcpy(a->labels[a->nr_labels].name, name);
		a->labels[a->nr_labels++].at = a->n;
		return 1;
	}
	if (eat(&p, ".insn")) {
		int c = (int)num(&p), d = (int)num(&p), x = (int)num(&p), o = (int)num(&p);

		put(a, c, d, x, o, (int)num(&p));
		return 1;
	}
	if (eat(&p, "exit"))
		return put(a, BPF_JMP | BPF_EXIT, 0, 0, 0, 0) != NULL;
	if (eat(&p, "call")) {
		ws(&p);
		if (isdigit((unsigned char)*p)) {
			put(a, BPF_JMP | BPF_CALL, 0, 0, 0, (int)num(&p));
			return 1;
		}
		put(a, BPF_JMP | BPF_CALL, 0, 1, 0, 0);
		fix(a, &p, 1);
		return 1;
	}
	if (eat(&p, "kfunc") && resolver && isalpha((unsigned char)(ws(&p), *p))) {
		word(&p, name);
		return put(a, BPF_JMP | BPF_CALL, 0, 2, 0, resolver(name)) != NULL;
	}
	p = q = text_;
	ws(&p);
	if (eat(&p, "kfunc"))
		return put(a, BPF_JMP | BPF_CALL, 0, 2, 0, (int)num(&p)) != NULL;
	if (eat(&p, "gotol")) {
		put(a, BPF_JMP32 | BPF_JA, 0, 0, 0, 0);
		fix(a, &p, 1);
		return 1;
	}
	if (eat(&p, "goto")) {
		put(a, BPF_JMP | BPF_JA, 0, 0, 0, 0);
		fix(a, &p, 0);
		return 1;
	}
	if (eat(&p, "may_goto")) {
		put(a, 0xe5, 0, 0, 0, 0);
		fix(a, &p, 0);
		return 1;
	}
	if (eat(&p, "ldabs")) {
		size = size_of(&p);
		put(a, BPF_LD | BPF_ABS | size, 0, 0, 0, (int)num(&p));
		return 1;
	}
	if (eat(&p, "ldind")) {
		size = size_of(&p);
		if (!reg(&p, &s, &sw))
			return 0;
		put(a, BPF_LD | BPF_IND | size, 0, s, 0, (int)num(&p));
		return 1;
	}
	if (eat(&p, "if")) {
		if (!reg(&p, &r, &w))
			return 0;
		for (unsigned int i = 0; i < sizeof(cmp) / sizeof(cmp[0]); i++) {
			if (!eat(&p, cmp[i].text))
				continue;
			if (reg(&p, &s, &sw))
				put(a, (w ? BPF_JMP32 : BPF_JMP) | cmp[i].op | BPF_X, r, s, 0, 0);
			else
				put(a, (w ? BPF_JMP32 : BPF_JMP) | cmp[i].op, r, 0, 0,
				    (int)num(&p));
			if (!eat(&p, "goto"))
				return 0;
			fix(a, &p, 0);
			return 1;
		}
		return 0;
	}
	if (eat(&p, "store_release(")) {
		size = size_of(&p);
		if (!eat(&p, ",") || !reg(&p, &r, &w) || !eat(&p, "+"))
			return 0;
		off = (int)num(&p);
		if (!eat(&p, ",") || !reg(&p, &s, &sw))
			return 0;
		put(a, BPF_STX | 0xc0 | size, r, s, off, 0x110);
		return 1;
	}
	if (eat(&p, "lock")) {
		int op;

		if (!mem(&p, &size, &r, &off))
			return 0;
		op = eat(&p, "+=")   ? 0
		     : eat(&p, "|=") ? 0x40
		     : eat(&p, "&=") ? 0x50
		     : eat(&p, "^=") ? 0xa0
				     : -1;
		if (op < 0 || !reg(&p, &s, &sw))
			return 0;
		put(a, BPF_STX | 0xc0 | size, r, s, off, op);
		return 1;
	}
	if (*p == '*') {
		if (!mem(&p, &size, &r, &off) || !eat(&p, "="))
			return 0;
		if (reg(&p, &s, &sw))
			put(a, BPF_STX | BPF_MEM | size, r, s, off, 0);
		else
			put(a, BPF_ST | BPF_MEM | size, r, 0, off, (int)num(&p));
		return 1;
	}
	if (!reg(&p, &r, &w))
		return 0;
	for (unsigned int i = 0; i < sizeof(alu) / sizeof(alu[0]); i++) {
		int cls = w ? BPF_ALU : BPF_ALU64, soff = alu[i].op >> 8;

		if (!eat(&p, alu[i].text))
			continue;
		if (alu[i].op == 0xb0)
			return assign(a, &p, r, w);
		if (reg(&p, &s, &sw))
			put(a, cls | (alu[i].op & 0xff) | BPF_X, r, s, soff, 0);
		else
			put(a, cls | (alu[i].op & 0xff), r, 0, soff, (int)num(&p));
		return 1;
	}
	return 0;
}

int vasm(struct vasm *a, const char *text, const int *map_fds)
{
	static char buf[1024];

	resolver = a->resolve;
	a->n = a->nr_labels = a->nr_fixups = 0;
	a->map_fds = map_fds;
	a->error = NULL;
	while (*text) {
		size_t n = strcspn(text, ";\n");

		if (n >= sizeof(buf))
			return -1;
		memcpy(buf, text, n);
		buf[n] = 0;
		if (!line(a, buf)) {
			a->error = buf;
			return -1;
		}
		text += n + (text[n] != 0);
	}
	for (unsigned int i = 0; i < a->nr_fixups; i++) {
		unsigned int k, at = a->fixups[i].at;

		for (k = 0; k < a->nr_labels; k++)
			if (!strcmp(a->labels[k].name, a->fixups[i].name))
				break;
		if (k == a->nr_labels) {
			a->error = a->fixups[i].name;
			return -1;
		}
		if (a->fixups[i].kind)
			a->insns[at].imm = (int)a->labels[k].at - (int)at - 1;
		else
			a->insns[at].off = (__s16)((int)a->labels[k].at - (int)at - 1);
	}
	return 0;
}
