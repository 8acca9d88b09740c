/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs through bpf(2), whoever answers it: one line a program, with the verdict and the
 * result. Two runs, one on skep and one on the kernel, must print the same (compare-whole).
 *
 * usage: whole [PROGRAMS [SEED]]
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isa/insn.h"
#include "progen.h"

#define LOOP_ID 181

static long bpf(int cmd, union bpf_attr *a)
{
	long r = syscall(__NR_bpf, cmd, a, sizeof(*a));

	return r < 0 ? -errno : r;
}

/* Type 3: int f(void), the function that every subprogram is said to be. */
static int make_btf(void)
{
	static const struct {
		struct btf_header h;
		u32 types[4 + 3 + 3];
		char strings[8];
	} btf = {
		{.magic = BTF_MAGIC,
		 .version = BTF_VERSION,
		 .hdr_len = sizeof(struct btf_header),
		 .type_len = 40,
		 .str_off = 40,
		 .str_len = 8},
		{1, BTF_KIND_INT << 24, 4, BTF_INT_SIGNED << 24 | 32, /* 1: int */
		 0, BTF_KIND_FUNC_PROTO << 24, 1,		      /* 2: int (void) */
		 5, BTF_KIND_FUNC << 24, 2},			      /* 3: f */
		"\0int\0f",
	};
	union bpf_attr a = {0};

	a.btf = (uintptr_t)&btf;
	a.btf_size = sizeof(btf);
	return (int)bpf(BPF_BTF_LOAD, &a);
}

static int btf_fd;

static void run(const struct gen *g, u32 n)
{
	struct bpf_func_info funcs[5] = {{.type_id = 3}};
	static struct bpf_insn in[GEN_MAX + 8];
	union bpf_attr a = {.prog_type = BPF_PROG_TYPE_SYSCALL};
	u64 r0 = 0;
	u32 i, at = 0;
	long fd, err;

	/* main becomes a function of a program that stores all of its result */
	in[at++] = SKEP_MOV64_REG(6, 1);
	in[at++] = SKEP_CALL(SKEP_CALL_SUBPROG, 3);
	in[at++] = SKEP_STX(BPF_DW, 6, 0, 0);
	in[at++] = SKEP_MOV64_IMM(0, 0);
	in[at++] = SKEP_EXIT;
	memcpy(in + at, g->in, g->n * sizeof(*in));
	for (i = at; i < at + g->n; i++) {
		if (!skep_insn_is_ldimm64(&in[i]))
			continue;
		if (in[i].src_reg == SKEP_PSEUDO_FUNC) /* its number becomes its distance */
			in[i].imm = (s32)(g->starts[in[i].imm] + at - i - 1);
		i++;
	}
	a.insns = (uintptr_t)in;
	a.insn_cnt = at + g->n;
	a.license = (uintptr_t) "GPL";
	a.prog_flags = SKEP_PROG_F_SLEEPABLE;
	for (i = 0; i < g->nr_subprogs; i++)
		funcs[i + 1] = (struct bpf_func_info){.insn_off = at + g->starts[i], .type_id = 3};
	a.prog_btf_fd = (u32)btf_fd;
	a.func_info = (uintptr_t)funcs;
	a.func_info_cnt = g->nr_subprogs + 1;
	a.func_info_rec_size = sizeof(funcs[0]);
	fd = bpf(BPF_PROG_LOAD, &a);
	if (fd < 0) {
		printf("%u: load %ld\n", n, fd);
		return;
	}
	a = (union bpf_attr){0};
	a.test.prog_fd = (u32)fd;
	a.test.ctx_in = (uintptr_t)&r0;
	a.test.ctx_size_in = sizeof(r0);
	err = bpf(BPF_PROG_TEST_RUN, &a);
	printf("%u: run %ld r0 %llx\n", n, err, (unsigned long long)r0);
	close((int)fd);
}

int main(int argc, char **argv)
{
	static struct gen g;
	u32 programs = argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : 300, i;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	btf_fd = make_btf();
	if (btf_fd < 0) {
		printf("skipped: no BTF: %d\n", btf_fd);
		return 77;
	}
	for (i = 0; i < programs; i++) {
		if (i % 2)
			gen_plain(&g, seed * 1000003 + i);
		else
			gen_loops(&g, seed * 1000003 + i, LOOP_ID);
		run(&g, i);
	}
	return 0;
}
