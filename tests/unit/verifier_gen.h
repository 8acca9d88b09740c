/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs that are nearly valid, in the notation of verifier_asm.h: numbers, branches,
 * stack, map values, packets, calls. Maps: 0 a hash of 4 and 8 bytes, 1 an array of 4 times 8, 2 an
 * array of one value of 64, 3 a ring, 6 a frozen string.
 */
#ifndef SKEP_TESTS_VERIFIER_GEN_H
#define SKEP_TESTS_VERIFIER_GEN_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"

static u64 rnd_state;

static u32 rnd(u32 n)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return n ? (u32)(rnd_state >> 11) % n : 0;
}

static char prog_text[1 << 16];
static u32 prog_len;

static void emit(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	prog_len += (u32)vsnprintf(prog_text + prog_len, sizeof(prog_text) - prog_len, fmt, ap);
	va_end(ap);
}

static int interesting(void)
{
	static const int v[] = {0,
				1,
				-1,
				2,
				7,
				8,
				15,
				16,
				31,
				32,
				63,
				64,
				255,
				256,
				4095,
				0x7fffffff,
				(int)0x80000000,
				(int)0xfffffff0,
				0x10000,
				0xffff,
				-8,
				-255,
				100,
				1000};

	return rnd(4) ? v[rnd(ARRAY_SIZE(v))] : (int)(rnd(0xffffffff) - rnd(0xffffffff));
}

/* Registers that hold numbers: r6, r7, r8, and r0. r9 is a map value (or anything). */
static int num_reg(void)
{
	static const int r[] = {6, 7, 8, 6, 7, 0};

	return r[rnd(ARRAY_SIZE(r))];
}

static void random_alu(void)
{
	static const char *const ops[] = {"+=",	  "-=", "*=", "|=", "&=", "^=", "<<=", ">>=",
					  "s>>=", "/=", "%=", "=",  "+=", "&=", "&="};
	u32 op = rnd(ARRAY_SIZE(ops));
	char c = rnd(3) ? 'r' : 'w';
	int imm = interesting();

	if (rnd(12) == 0) {
		emit("%c%d = -%c%d\n", c, num_reg(), c, num_reg());
		return;
	}
	if (rnd(14) == 0) {
		static const char *const sx[] = {"s8", "s16"};

		emit("%c%d = (%s)%c%d\n", c, num_reg(), sx[rnd(2)], c, num_reg());
		return;
	}
	if (rnd(20) == 0) {
		int r = num_reg();
		static const char *const sw[] = {"bswap16", "bswap32", "bswap64", "be16",
						 "le16",    "be32",    "le32",	  "be64"};

		emit("r%d = %s r%d\n", r, sw[rnd(8)], r);
		return;
	}
	if (rnd(2)) {
		emit("%c%d %s %c%d\n", c, num_reg(), ops[op], c, num_reg());
		return;
	}
	if (op >= 6 && op <= 8)
		imm = (int)rnd(c == 'r' ? 64 : 32);
	if ((op == 9 || op == 10) && !imm)
		imm = 3;
	emit("%c%d %s %d\n", c, num_reg(), ops[op], imm);
}

static void random_cond(u32 label)
{
	static const char *const ops[] = {
		"==", "!=", ">", ">=", "<", "<=", "s>", "s>=", "s<", "s<=", "&"};
	char c = rnd(3) ? 'r' : 'w';

	if (rnd(2))
		emit("if %c%d %s %c%d goto l%u\n", c, num_reg(), ops[rnd(11)], c, num_reg(), label);
	else
		emit("if %c%d %s %d goto l%u\n", c, num_reg(), ops[rnd(11)], interesting(), label);
}

static void random_mem(void)
{
	static const char *const sz[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32"};
	static const int bytes[] = {1, 2, 4, 8, 1, 2, 4};
	u32 s = rnd(7);
	int off = -(int)(1 + rnd(4)) * 8 + (rnd(3) ? 0 : (int)rnd(8 / (u32)bytes[s]) * bytes[s]);

	switch (rnd(8)) {
	case 0:
	case 1:
		emit("r%d = *(%s *)(r10 %c %d)\n", num_reg(), sz[s], off < 0 ? '-' : '+', abs(off));
		break;
	case 2:
	case 3:
		emit("*(%s *)(r10 - %d) = r%d\n", sz[s & 3], -off, num_reg());
		break;
	case 4:
		emit("*(%s *)(r10 - %d) = %d\n", sz[s & 3], -off, rnd(2) ? 0 : interesting());
		break;
	case 5:
		emit("r2 = r10\nr2 += -32\nr%d &= %u\nr2 += r%d\n*(u8 *)(r2 + 0) = %u\n", 6,
		     rnd(32), 6, rnd(2));
		break;
	case 6:
		emit("r9 = value 2 0\nr%d &= %u\nr9 += r%d\nr%d = *(%s *)(r9 + %u)\n", 7, rnd(80),
		     7, num_reg(), sz[s], rnd(16));
		break;
	default:
		emit("r9 = value 2 %u\nr9 += r%d\nr%d = *(%s *)(r9 + %u)\n", rnd(8), num_reg(),
		     num_reg(), sz[s], rnd(16));
		break;
	}
}

static void random_call(u32 k)
{
	switch (rnd(8)) {
	case 0:
	case 1:
		emit("call 7\n");
		break;
	case 2:
		emit("r1 = map %u\nr2 = r10\nr2 += -%u\ncall 1\nif r0 == 0 goto n%u\nr%d = *(u64 "
		     "*)(r0 + 0)\nn%u:\nr0 = 0\n",
		     rnd(2), 4 + 4 * rnd(3), k, 6 + (int)rnd(3), k);
		break;
	case 3:
		emit("r1 = map 1\nr2 = r10\nr2 += -%u\ncall 1\nif r0 == 0 goto n%u\nr9 = r0\nr9 += "
		     "r%d\nr%d = *(u8 *)(r9 + 0)\nn%u:\nr0 = 0\n",
		     8 * (1 + rnd(2)), k, 6 + (int)rnd(2), 6 + (int)rnd(3), k);
		break;
	case 4:
		emit("r1 = r%d\nr2 = r%d\ncall sub\n", 6 + (int)rnd(3), 6 + (int)rnd(3));
		break;
	case 5:
		emit("r1 = r%d\nr2 = r10\nr2 += -%u\ncall sub2\n", 6 + (int)rnd(3),
		     8 * (1 + rnd(4)));
		break;
	case 6:
		emit("r1 = map 0\nr2 = r10\nr2 += -4\nr3 = r10\nr3 += -%u\nr4 = 0\ncall 2\n",
		     8 + rnd(16));
		break;
	default:
		emit("r1 = r10\nr1 += -%u\nr2 = r%d\nr2 &= %u\nr3 = value 6 0\ncall 182\n",
		     8 * (1 + rnd(4)), 6 + (int)rnd(3), rnd(40));
		break;
	}
}

static void random_program(u32 mode)
{
	u32 n = 6 + rnd(30), labels = 0, open[64], nr_open = 0, loops = 0;
	bool subs = mode & 1;

	prog_len = 0;
	emit("r6 = %d\ncall 7\nr7 = r0\nr8 = *(u64 *)(r10 - 40)\nr9 = r10\n", interesting());
	if (rnd(2))
		emit("r6 = r7\n");
	for (u32 i = 0; i < n; i++) {
		u32 k = rnd(16);

		if (nr_open && rnd(5) == 0) {
			emit("l%u:\n", open[--nr_open]);
			continue;
		}
		if (k < 7) {
			random_alu();
		} else if (k < 10 && nr_open < 60) {
			open[nr_open++] = labels;
			random_cond(labels++);
		} else if (k < 13) {
			random_mem();
		} else if (k < 15) {
			if (subs)
				random_call(1000 + i);
			else
				emit("call 7\n");
		} else if (loops < 2) {
			u32 l = labels++;
			int r = 6 + (int)rnd(3);

			/* A loop that may or may not end. */
			emit("r%d = 0\nl%u:\nr%d += 1\n", r, l, r);
			random_alu();
			if (rnd(4) == 0)
				random_mem();
			emit("if r%d < %u goto l%u\n", r, 2 + rnd(20), l);
			loops++;
		}
	}
	while (nr_open)
		emit("l%u:\n", open[--nr_open]);
	emit("r0 = 0\nexit\n");
	if (!strstr(prog_text, "call sub"))
		return;
	if (strstr(prog_text, "call sub\n")) {
		emit("sub:\nr6 = r1\nr7 = r2\nr8 = r1\nr0 = r2\n");
		for (u32 i = rnd(6); i > 0; i--)
			random_alu();
		emit("exit\n");
	}
	if (strstr(prog_text, "call sub2\n")) {
		emit("sub2:\nr6 = r1\nr7 = 0\nr8 = 1\nr0 = r1\n");
		if (rnd(2))
			emit("*(u64 *)(r2 + 0) = r1\n");
		for (u32 i = rnd(6); i > 0; i--)
			random_alu();
		if (rnd(2))
			emit("r0 = *(u64 *)(r2 + 0)\n");
		emit("exit\n");
	}
}

/* Loads along pointers of kernel objects, at offsets that may or may not be members. */
static __attribute__((unused)) void random_walk(void)
{
	static const char *const roots[] = {
		"task_struct", "sk_buff",  "file",	    "inode",  "cgroup",
		"mm_struct",   "sock",	   "super_block",   "dentry", "pid",
		"net_device",  "bpf_prog", "request_queue", "page"};
	static const char *const sz[] = {"u64", "u64", "u64", "u64", "u32", "u16", "u8", "s32"};
	static const u32 bytes[] = {8, 8, 8, 8, 4, 2, 1, 4};
	u32 root = rnd(ARRAY_SIZE(roots)), reach = rnd(2) ? 400 : 4000;

	prog_len = 0;
	if (rnd(2))
		emit("r6 = *(u64 *)(r1 + 0)\n");
	else
		emit("r1 = 0\nr2 = $%s\nkfunc bpf_rdonly_cast\nr6 = r0\n", roots[root]);
	for (u32 i = 1 + rnd(4); i > 0; i--) {
		u32 s = rnd(8);

		if (rnd(8) == 0)
			emit("if r6 == 0 goto out\n");
		emit("r6 = *(%s *)(r6 + %u)\n", sz[s],
		     rnd(20) ? rnd(reach) / bytes[s] * bytes[s] : rnd(reach));
	}
	emit("out:\nr0 = 0\nexit\n");
}

/* --- structured programs: loops of every kind, references, packets, callbacks --- */

static u32 next_label, nr_cbs, budget;
static bool in_cb, is_xdp;

static void block(u32 depth);

static void cond_to(u32 label)
{
	random_cond(label);
}

static void safe_store(void)
{
	int off = 8 * (1 + (int)rnd(4));

	if (rnd(2))
		emit("*(u64 *)(r10 - %d) = r%d\n", off, 6 + (int)rnd(3));
	else
		emit("r%d = *(u64 *)(r10 - %d)\n", 6 + (int)rnd(3), off);
}

static void use_index(void)
{
	int r = 6 + (int)rnd(3);

	if (rnd(3))
		emit("if r%d > %u goto +4\n", r, rnd(70));
	else
		emit("r0 = 0\nr0 = 0\n");
	emit("r1 = value 2 0\nr1 += r%d\nr%d = *(u8 *)(r1 + 0)\n", r, 6 + (int)rnd(3));
}

static void statement(u32 depth)
{
	u32 a = next_label, b = next_label + 1, k = rnd(16), slot = 56 + 8 * depth;

	if (budget)
		budget--;
	next_label += 2;
	switch (k) {
	case 0:
	case 1:
	case 2:
		random_alu();
		break;
	case 3:
	case 4:
		safe_store();
		break;
	case 5:
		cond_to(a);
		block(depth + 1);
		emit("l%u:\n", a);
		break;
	case 6:
		cond_to(a);
		block(depth + 1);
		emit("goto l%u\nl%u:\n", b, a);
		block(depth + 1);
		emit("l%u:\n", b);
		break;
	case 7:
		emit("l%u:\nmay_goto l%u\n", a, b);
		block(depth + 1);
		emit("goto l%u\nl%u:\n", a, b);
		break;
	case 8:
	case 9:
		emit("r1 = r10\nr1 += -%u\nr2 = 0\nr3 = %u\nkfunc bpf_iter_num_new\n", slot,
		     1 + rnd(10));
		emit("l%u:\nr1 = r10\nr1 += -%u\nkfunc bpf_iter_num_next\nif r0 == 0 goto l%u\n", a,
		     slot, b);
		if (rnd(2))
			emit("r%d = *(u32 *)(r0 + 0)\n", 6 + (int)rnd(3));
		block(depth + 1);
		emit("goto l%u\nl%u:\nr1 = r10\nr1 += -%u\n", a, b, slot);
		if (rnd(15))
			emit("kfunc bpf_iter_num_destroy\n");
		break;
	case 10:
		if (in_cb || nr_cbs >= 3) {
			use_index();
			break;
		}
		if (rnd(2))
			emit("r1 = %u\n", rnd(6));
		else
			emit("r1 = r%d\n", 6 + (int)rnd(3));
		emit("r2 = func s_cb%u_ip\nr3 = r10\nr3 += -%u\nr4 = 0\ncall 181\n", nr_cbs++,
		     8 * (1 + rnd(4)));
		if (rnd(2))
			emit("r%d = r0\n", 6 + (int)rnd(3));
		break;
	case 11:
		emit("r1 = map 3\nr2 = 8\nr3 = 0\ncall 131\nif r0 == 0 goto l%u\nr9 = r0\n", a);
		if (rnd(2))
			emit("*(u64 *)(r9 + %u) = r%d\n", rnd(8) ? 0 : 4, 6 + (int)rnd(3));
		if (rnd(4) == 0)
			block(depth + 1);
		if (rnd(12))
			emit("r1 = r9\nr2 = 0\ncall 132\n");
		emit("l%u:\nr9 = 0\n", a);
		break;
	case 12:
		if (!is_xdp || in_cb) {
			use_index();
			break;
		}
		emit("r1 = *(u64 *)(r10 - 48)\nr2 = *(u32 *)(r1 + 0)\nr3 = *(u32 *)(r1 + 4)\n");
		if (rnd(2))
			emit("r%d &= %u\nr2 += r%d\n", 6, rnd(256), 6);
		emit("r4 = r2\nr4 += %u\n", rnd(24));
		emit("if r4 %s r3 goto l%u\n", rnd(4) ? ">" : ">=", a);
		emit("r%d = *(u%u *)(r2 + %u)\n", 6 + (int)rnd(3), 8u << rnd(4), rnd(20));
		emit("l%u:\n", a);
		break;
	case 13:
	case 14:
		use_index();
		break;
	default:
		emit("call 7\nr%d = r0\n", 6 + (int)rnd(3));
		if (rnd(2))
			emit("r%d &= %u\n", 6 + (int)rnd(3), rnd(64));
		break;
	}
}

static void block(u32 depth)
{
	u32 n = depth > 3 ? 1 : 1 + rnd(4);

	while (n-- && budget)
		statement(depth);
}

static __attribute__((unused)) void random_structured(void)
{
	u32 cbs;

	prog_len = next_label = nr_cbs = 0;
	budget = 14;
	in_cb = false;
	emit("*(u64 *)(r10 - 48) = r1\nr6 = %u\ncall 7\nr7 = r0\nr8 = 0\nr9 = 0\n", rnd(64));
	for (u32 i = 0; i < 4; i++)
		if (rnd(3))
			emit("*(u64 *)(r10 - %u) = %u\n", 8 * (i + 1), rnd(10));
	while (budget)
		statement(0);
	emit("r0 = 0\nexit\n");
	cbs = nr_cbs;
	in_cb = true;
	for (u32 i = 0; i < cbs; i++) {
		emit("s_cb%u_ip:\nr6 = r1\nr9 = r2\nr7 = *(u64 *)(r9 + 0)\nr8 = %u\n", i, rnd(10));
		budget = 5;
		if (rnd(2))
			emit("r0 = r7\n");
		else
			emit("r0 = 0\n");
		while (budget)
			statement(1);
		if (rnd(2))
			emit("r1 = 0\n");
		/* r9 may be gone: the context was the caller's stack. */
		emit("r0 = %u\nexit\n", rnd(10) ? rnd(2) : 2);
	}
}

/* Instructions of any bits, mostly defined opcodes. */
static __attribute__((unused)) void random_bytes(void)
{
	static const u8 codes[] = {0x07, 0x0f, 0xb7, 0xbf, 0x61, 0x71, 0x69, 0x79, 0x63, 0x7b, 0x62,
				   0x7a, 0x15, 0x1d, 0x25, 0x2d, 0x55, 0x5d, 0xb4, 0xbc, 0x04, 0x0c,
				   0x85, 0x18, 0xdb, 0xc3, 0x05, 0x06, 0x16, 0x1e, 0x95, 0x87, 0x57,
				   0x67, 0x77, 0xc7, 0xd4, 0xdc, 0xd7, 0x91, 0x81, 0x20, 0x30, 0x28,
				   0xe5, 0x8d, 0xd3, 0x40, 0x50, 0x27, 0x37, 0x97};
	u32 n = 2 + rnd(12);

	prog_len = 0;
	for (u32 i = 0; i < n; i++) {
		u32 c = rnd(8) ? codes[rnd(ARRAY_SIZE(codes))] : rnd(256);
		int imm = rnd(3) ? (int)rnd(32) - 8 : interesting();

		if (c == 0x85 && rnd(3))
			imm = 1 + (int)rnd(211);
		emit(".insn %u %u %u %d %d\n", c, rnd(30) ? rnd(11) : rnd(16),
		     rnd(3) ? rnd(3) : rnd(16), (int)rnd(3) - 1 + (rnd(4) ? 0 : -8 * (int)rnd(4)),
		     imm);
		if (c == 0x18)
			emit(".insn 0 0 0 0 %d\n", (int)rnd(3) - 1);
	}
	emit("r0 = 0\nexit\n");
}

static void random_seed(u64 seed)
{
	rnd_state = seed * 0x9e3779b97f4a7c15ull + 1;
	for (int k = 0; k < 8; k++)
		rnd(1);
}

#endif
