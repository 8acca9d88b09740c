/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small assembler for tests: one instruction a line (or separated by ';'), in the notation of
 * the verifier's log.
 *
 *   r1 = 5            w1 = r2           r1 += r2          r1 s>>= 3        r1 = -r1
 *   r1 = (s8)r2       r1 = bswap16 r1   r1 = be32 r1      r1 = 0x123 ll
 *   r1 = *(u32 *)(r2 + 4)               *(u64 *)(r10 - 8) = r1             *(u32 *)(r10 - 4) = 7
 *   lock *(u64 *)(r1 + 0) += r2         r2 = fetch_add *(u64 *)(r1 + 0)    (xchg, cmpxchg, …)
 *   r1 = load_acquire(u64, r2 + 0)      store_release(u64, r1 + 0, r2)
 *   if r1 s> r2 goto out                goto out          gotol out        may_goto out
 *   call 5            call sub          kfunc bpf_x       exit
 *   r1 = map 2        r1 = value 2 8    r1 = func sub     ldabs u16 12     ldind u8 r1 3
 *   r1 = *(u32 *)(r2 + $task_struct.pid)                                r1 = $struct_name
 *   out:              .insn code dst src off imm
 *
 * A label "g_name_proto" or "s_name_proto" names a subprogram with BTF: global or static, proto
 * letters i int, c context, p int *, l long, q struct { int a, b; } *.
 */
#ifndef SKEP_TESTS_VERIFIER_ASM_H
#define SKEP_TESTS_VERIFIER_ASM_H

#include <linux/bpf.h>

struct vasm {
	struct bpf_insn insns[65536];
	unsigned int n;
	struct {
		char name[48];
		unsigned int at;
	} labels[512];
	unsigned int nr_labels;
	struct {
		char name[48];
		unsigned int at, kind; /* 0 off, 1 imm relative */
	} fixups[8192];
	unsigned int nr_fixups;
	const int *map_fds;
	const char *error;
	/* Type ids of kernel functions and structs by name, and offsets of fields
	 * ("task_struct.pid"). */
	int (*resolve)(const char *name);
};

/* 0, or -1 with a->error. */
int vasm(struct vasm *a, const char *text, const int *map_fds);

#endif
