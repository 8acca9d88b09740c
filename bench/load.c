/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load: PROG_LOAD of programs of a given number of instructions, from the system call to its
 * return; compile: its parts, the verdict, rewriting and the JIT, per instruction.
 *
 * The program mixes what programs are made of: arithmetic, the stack, branches, and look-ups in an
 * array and a hash map with their tests. There is no native form.
 */
#include <bpf/bpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "skep.h"

static struct bpf_insn *insns;
static size_t len, cap;
static bool only_compile;
static int (*load_stats)(struct skep_load_stats *stats, size_t size);

static void put(__u8 code, __u8 dst, __u8 src, __s16 off, __s32 imm)
{
	if (len < cap)
		insns[len] = (struct bpf_insn){
			.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm};
	len++;
}

#define ALU(op, dst, imm) put(BPF_ALU64 | (op) | BPF_K, dst, 0, 0, imm)
#define ALUX(op, dst, src) put(BPF_ALU64 | (op) | BPF_X, dst, src, 0, 0)
#define JMP(op, dst, imm, off) put(BPF_JMP | (op) | BPF_K, dst, 0, off, imm)
#define LOAD(size, dst, src, off) put(BPF_LDX | BPF_MEM | (size), dst, src, off, 0)
#define STORE(size, dst, off, src) put(BPF_STX | BPF_MEM | (size), dst, src, off, 0)

/* 16 instructions: compute and keep on the stack. */
static void put_arithmetic(size_t i)
{
	__s16 slot = (__s16)(-16 - 8 * (__s16)(i % 8));

	LOAD(BPF_DW, 1, 10, slot);
	ALUX(BPF_MOV, 2, 1);
	ALU(BPF_LSH, 2, 13);
	ALU(BPF_RSH, 1, 51);
	ALUX(BPF_OR, 2, 1);
	ALUX(BPF_XOR, 2, 6);
	ALU(BPF_ADD, 6, (__s32)i + 1);
	ALUX(BPF_MOV, 3, 2);
	ALU(BPF_AND, 3, 1023);
	JMP(BPF_JGT, 3, 512, 2);
	ALUX(BPF_ADD, 6, 3);
	ALU(BPF_MUL, 6, 31);
	STORE(BPF_DW, 10, slot, 2);
	ALU(BPF_MOV, 1, 0);
	ALU(BPF_MOV, 2, 0);
	ALU(BPF_MOV, 3, 0);
}

/* 14 instructions: look up and count. */
static void put_lookup(size_t i, int fd)
{
	put(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, (__s32)(i % 16));
	ALUX(BPF_MOV, 2, 10);
	ALU(BPF_ADD, 2, -4);
	put(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, fd);
	put(0, 0, 0, 0, 0);
	put(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	JMP(BPF_JEQ, 0, 0, 4);
	LOAD(BPF_DW, 1, 0, 0);
	ALU(BPF_ADD, 1, 1);
	STORE(BPF_DW, 0, 0, 1);
	ALUX(BPF_ADD, 6, 1);
	ALU(BPF_MOV, 0, 0);
	ALU(BPF_MOV, 1, 0);
	ALU(BPF_MOV, 2, 0);
}

static int make_map(enum bpf_map_type type)
{
	int fd = bpf_map_create(type, "load", 4, 64, 16, NULL);

	if (fd < 0)
		bench_skip("no map: %s", strerror(errno));
	return fd;
}

static void make(size_t n)
{
	int array = make_map(BPF_MAP_TYPE_ARRAY), hash = make_map(BPF_MAP_TYPE_HASH);

	cap = n;
	insns = calloc(n, sizeof(*insns));
	if (!insns)
		bench_skip("not enough memory");
	ALU(BPF_MOV, 6, 1);
	for (__s16 i = 0; i < 9; i++)
		put(BPF_ST | BPF_MEM | BPF_DW, 10, 0, (__s16)(-8 - 8 * i), i);
	for (size_t i = 0; len + 32 < n; i++) {
		put_arithmetic(i);
		if (i % 4 == 3)
			put_lookup(i, i % 8 == 3 ? array : hash);
	}
	while (len + 2 < n)
		ALU(BPF_ADD, 6, 1);
	ALU(BPF_MOV, 0, 0);
	put(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static bool load_once(void)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "load", "GPL", insns, len, NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void load(void)
{
	make(bench_number("insns", 1000));
	if (!load_once())
		bench_skip("the program was refused: %s", strerror(errno));
}

static void load_compile(void)
{
	load_stats =
		(int (*)(struct skep_load_stats *, size_t))dlsym(RTLD_DEFAULT, "skep_load_stats");
	if (!load_stats)
		bench_skip("the kernel does not tell");
	only_compile = true;
	load();
}

static uint64_t part_of(const struct skep_load_stats *s)
{
	const char *part = bench_param("part", "jit");

	return !strcmp(part, "verify")	  ? s->verify_ns
	       : !strcmp(part, "rewrite") ? s->rewrite_ns
					  : s->compile_ns;
}

static bool measure(double seconds, struct bench_result *ret)
{
	struct skep_load_stats before = {0}, after = {0};
	uint64_t start, enough = (uint64_t)(seconds * 1e9), now = bench_now();

	if (only_compile)
		load_stats(&before, sizeof(before));
	for (start = now; ret->hits == 0 || now - start < enough; now = bench_now()) {
		if (!load_once())
			return false;
		ret->hits++;
	}
	ret->ns = now - start;
	if (only_compile) {
		load_stats(&after, sizeof(after));
		ret->hits = (long)(after.insns - before.insns);
		ret->ns = part_of(&after) - part_of(&before);
	}
	return ret->hits > 0;
}

const struct bench bench_load = {"load", load, NULL, measure};
const struct bench bench_compile = {"compile", load_compile, NULL, measure};
