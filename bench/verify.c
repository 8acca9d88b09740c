/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that keep a verifier busy, made instruction by instruction.
 *
 *   loop    two instructions, half a million rounds: the walk itself
 *   wide    100,000 instructions walked ten times, each time with another number in r6
 *   limit   the same, eleven times: E2BIG at a million
 *   stack   spills, fills and partial overwrites in 64 slots
 *   maps    look-ups, null checks, bounded accesses
 *   calls   subprograms that call one another
 *   rounds  a bpf_loop callback that calls bpf_loop
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define LOG_SIZE 65536

struct verify_stats {
	int err; /* 0 or -errno of the load */
	unsigned int processed, total_states, peak_states;
	unsigned long long ns; /* the verifier's own "verification time" */
};

struct verify_bench {
	struct bpf_insn *insns;
	size_t n, cap;
	char *log;
	/* functions that are called back need types */
	int btf_fd;
	struct bpf_func_info funcs[4];
	__u32 nr_funcs;
};

static void put(struct verify_bench *b, __u8 code, __u8 dst, __u8 src, __s16 off, __s32 imm)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? b->cap * 2 : 1024;
		b->insns = realloc(b->insns, b->cap * sizeof(*b->insns));
		if (!b->insns)
			abort();
	}
	b->insns[b->n++] = (struct bpf_insn){
		.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm};
}

#define ALU(op, dst, imm) put(b, BPF_ALU64 | (op) | BPF_K, dst, 0, 0, imm)
#define ALUX(op, dst, src) put(b, BPF_ALU64 | (op) | BPF_X, dst, src, 0, 0)
#define JMP(op, dst, imm, off) put(b, BPF_JMP | (op) | BPF_K, dst, 0, off, imm)
#define LOAD(size, dst, src, off) put(b, BPF_LDX | BPF_MEM | (size), dst, src, off, 0)
#define STORE(size, dst, off, src) put(b, BPF_STX | BPF_MEM | (size), dst, src, off, 0)
#define CALL(id) put(b, BPF_JMP | BPF_CALL, 0, 0, 0, id)
#define EXIT() put(b, BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static void load_map(struct verify_bench *b, int dst, int fd)
{
	put(b, BPF_LD | BPF_IMM | BPF_DW, (__u8)dst, BPF_PSEUDO_MAP_FD, 0, fd);
	put(b, 0, 0, 0, 0, 0);
}

/* r6 = one of 0..n-1, on n paths that never meet: each number is asked for at the end. */
static void fork_paths(struct verify_bench *b, int n)
{
	CALL(BPF_FUNC_get_prandom_u32);
	ALUX(BPF_MOV, 7, 0);
	for (int i = 0; i < n - 1; i++) {
		ALU(BPF_MOV, 6, i);
		JMP(BPF_JEQ, 7, i, (__s16)(2 * (n - 1 - i) - 1));
	}
	ALU(BPF_MOV, 6, n - 1);
}

static void join_paths(struct verify_bench *b, int n)
{
	for (int i = 0; i < n; i++) {
		JMP(BPF_JNE, 6, i, 1);
		ALU(BPF_MOV, 0, i);
	}
	ALU(BPF_MOV, 0, 0);
	EXIT();
}

static void make_loop(struct verify_bench *b)
{
	ALU(BPF_MOV, 0, 0);
	ALU(BPF_ADD, 0, 1);
	JMP(BPF_JLT, 0, 499990, -2);
	EXIT();
}

static void make_wide(struct verify_bench *b, int paths)
{
	const size_t length = 99900;

	fork_paths(b, paths);
	ALU(BPF_MOV, 1, 1);
	ALU(BPF_MOV, 2, 2);
	while (b->n < length) {
		ALUX(BPF_ADD, 1, 2);
		ALU(BPF_AND, 1, 0xff);
		ALUX(BPF_XOR, 2, 1);
		STORE(BPF_DW, 10, -8, 1);
		LOAD(BPF_W, 3, 10, -8);
		ALU(BPF_LSH, 3, 3);
		JMP(BPF_JGT, 3, 4096, 1);
		ALUX(BPF_MOV, 2, 3);
		ALU(BPF_MOV, 1, 7);
		ALU(BPF_MOV, 2, 9);
	}
	join_paths(b, paths);
}

static void make_stack(struct verify_bench *b)
{
	fork_paths(b, 8);
	for (int i = 1; i <= 64; i++)
		STORE(BPF_DW, 10, (__s16)(-8 * i), i % 2 ? 7 : 10);
	while (b->n < 60000) {
		int i = 1 + (int)(b->n % 63);

		LOAD(BPF_DW, 1, 10, (__s16)(-8 * i));
		STORE(BPF_DW, 10, (__s16)(-8 * i - 8), 1);
		STORE(BPF_W, 10, (__s16)(-8 * i), 7);
		LOAD(BPF_B, 2, 10, (__s16)(-8 * i + 3));
		STORE(BPF_DW, 10, (__s16)(-8 * i), 10);
		JMP(BPF_JEQ, 2, 5, 1);
		STORE(BPF_DW, 10, (__s16)(-8 * i), 7);
		ALU(BPF_MOV, 2, 0);
	}
	join_paths(b, 8);
}

static void make_maps(struct verify_bench *b)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "values", 4, 64, 16, NULL);

	fork_paths(b, 10);
	while (b->n < 40000) {
		put(b, BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 7);
		ALUX(BPF_MOV, 2, 10);
		ALU(BPF_ADD, 2, -4);
		load_map(b, 1, fd);
		CALL(BPF_FUNC_map_lookup_elem);
		JMP(BPF_JEQ, 0, 0, 7);
		LOAD(BPF_DW, 1, 0, 0);
		ALU(BPF_AND, 1, 31);
		ALUX(BPF_ADD, 0, 1);
		LOAD(BPF_DW, 2, 0, 8);
		JMP(BPF_JSGT, 2, 100, 1);
		STORE(BPF_DW, 0, 16, 2);
		ALU(BPF_MOV, 2, 0);
		ALU(BPF_MOV, 1, 0);
	}
	join_paths(b, 10);
}

static void make_calls(struct verify_bench *b)
{
	enum { SUBS = 6, CALLS = 4 };
	size_t calls[CALLS * 16], n = 0, sub;

	/* Six functions, each calling the next four times: some 4^6 bodies walked. */
	fork_paths(b, 10);
	calls[n++] = b->n;
	put(b, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
	join_paths(b, 10);
	for (int s = 0; s < SUBS; s++) {
		sub = b->n;
		for (size_t i = 0; i < n; i++)
			b->insns[calls[i]].imm = (__s32)(sub - calls[i] - 1);
		n = 0;
		CALL(BPF_FUNC_get_prandom_u32);
		ALUX(BPF_MOV, 6, 0);
		for (int i = 0; i < 8; i++) {
			ALU(BPF_AND, 6, 255 - i);
			STORE(BPF_DW, 10, (__s16)(-8 - 8 * (i % 4)), 6);
			ALUX(BPF_ADD, 6, 0);
		}
		for (int i = 0; i < CALLS && s + 1 < SUBS; i++) {
			calls[n++] = b->n;
			put(b, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
		}
		ALU(BPF_MOV, 0, 0);
		EXIT();
	}
}

/* Types for functions at @at: int f(void *). */
static void add_types(struct verify_bench *b, const size_t *at, __u32 n)
{
	struct btf *btf = btf__new_empty();
	const void *raw;
	__u32 size;
	int integer, proto;

	if (!btf)
		return;
	integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(btf, integer);
	btf__add_func_param(btf, "ctx", btf__add_ptr(btf, 0));
	for (; b->nr_funcs < n; b->nr_funcs++) {
		char name[16] = "func_a";

		name[5] = (char)('a' + b->nr_funcs);
		b->funcs[b->nr_funcs].insn_off = (__u32)at[b->nr_funcs];
		b->funcs[b->nr_funcs].type_id =
			(__u32)btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
	}
	raw = btf__raw_data(btf, &size);
	b->btf_fd = raw ? bpf_btf_load(raw, size, NULL) : 0;
	btf__free(btf);
}

static void call_loop(struct verify_bench *b, size_t callback)
{
	ALU(BPF_MOV, 1, 1000);
	put(b, BPF_LD | BPF_IMM | BPF_DW, 2, BPF_PSEUDO_FUNC, 0, (__s32)(callback - b->n - 1));
	put(b, 0, 0, 0, 0, 0);
	ALU(BPF_MOV, 3, 0);
	ALU(BPF_MOV, 4, 0);
	CALL(BPF_FUNC_loop);
}

static void make_rounds(struct verify_bench *b)
{
	enum { LOOPS = 40, LOOP_INSNS = 6, PATHS = 10 };
	size_t at[3] = {0};

	fork_paths(b, PATHS);
	at[1] = b->n + LOOPS * LOOP_INSNS + 2 * PATHS + 2;
	for (int i = 0; i < LOOPS; i++)
		call_loop(b, at[1]);
	join_paths(b, PATHS);
	at[2] = b->n + LOOP_INSNS + 2;
	call_loop(b, at[2]);
	ALU(BPF_MOV, 0, 0);
	EXIT();
	for (int i = 0; i < 200; i++) {
		ALU(BPF_AND, 1, 1023 - i);
		JMP(BPF_JGT, 1, i, 1);
		ALU(BPF_ADD, 1, 3);
	}
	ALU(BPF_MOV, 0, 0);
	EXIT();
	add_types(b, at, 3);
}

/* Program @name, made; NULL: there is none such. */
static struct verify_bench *verify_new(const char *name)
{
	struct verify_bench *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->log = malloc(LOG_SIZE);
	if (!strcmp(name, "loop"))
		make_loop(b);
	else if (!strcmp(name, "wide"))
		make_wide(b, 10);
	else if (!strcmp(name, "limit"))
		make_wide(b, 11);
	else if (!strcmp(name, "stack"))
		make_stack(b);
	else if (!strcmp(name, "maps"))
		make_maps(b);
	else if (!strcmp(name, "calls"))
		make_calls(b);
	else if (!strcmp(name, "rounds"))
		make_rounds(b);
	else
		return NULL;
	return b->log ? b : NULL;
}

static unsigned long long number_after(const char *log, const char *word)
{
	const char *s = strstr(log, word);

	return s ? strtoull(s + strlen(word), NULL, 10) : 0;
}

/* Load it once. 0, or -1 where the answer cannot be read. */
static int verify_once(struct verify_bench *b, struct verify_stats *ret)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_level = 4, .log_buf = b->log,
		    .log_size = LOG_SIZE, .prog_btf_fd = (__u32)b->btf_fd, .func_info = b->funcs,
		    .func_info_cnt = b->nr_funcs, .func_info_rec_size = sizeof(b->funcs[0]));
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "verify", "GPL", b->insns, b->n, &opts);

	ret->err = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	ret->ns = number_after(b->log, "verification time ") * 1000;
	ret->processed = (unsigned int)number_after(b->log, "processed ");
	ret->total_states = (unsigned int)number_after(b->log, "total_states ");
	ret->peak_states = (unsigned int)number_after(b->log, "peak_states ");
	return ret->processed ? 0 : -1;
}

static struct verify_bench *verify;

static void load(void)
{
	verify = verify_new(bench_param("program", ""));
	if (!verify)
		bench_skip("there is no such program");
}

/* What is counted are instructions processed; the time is the verifier's own. */
static bool measure(double seconds, struct bench_result *ret)
{
	uint64_t enough = (uint64_t)(seconds * 1e9);
	struct verify_stats s;

	do {
		if (verify_once(verify, &s))
			return false;
		ret->hits += s.processed;
		ret->ns += s.ns;
	} while (ret->ns < enough);
	if (getenv("SKEP_BENCH_DEBUG"))
		fprintf(stderr, "err %d, processed %u, states %u, peak %u, %llu ns\n", s.err,
			s.processed, s.total_states, s.peak_states, s.ns);
	return true;
}

const struct bench bench_verify = {"verify", load, NULL, measure};
