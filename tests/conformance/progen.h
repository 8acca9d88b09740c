/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs that are safe to run: every register and the stack are set before use, jumps
 * go forward, loops count down. Addresses never reach R0.
 */
#ifndef SKEP_TESTS_PROGEN_H
#define SKEP_TESTS_PROGEN_H

#include "isa/facts.h"

#define GEN_MAX 4096

struct gen {
	struct bpf_insn in[GEN_MAX];
	u32 n;
	u32 starts[4], nr_subprogs;
	u32 loops[2]; /* calls of bpf_loop: in subprogram 0 to 1, in 1 to 2; 0: none */
};

/* Main and one function it calls. */
void gen_plain(struct gen *g, u64 seed);
/* Main that calls bpf_loop (helper @loop_id) with a callback, which may do so once more. */
void gen_loops(struct gen *g, u64 seed, u32 loop_id);
/* Buffers of 64 bytes whose addresses programs made from now on may hold; 0: none. */
void gen_buffers(u64 a, u64 b);
void gen_dump(const struct gen *g);

#endif
