/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs through the interpreter and the JIT: results, registers and stack must agree.
 *
 * usage: random [PROGRAMS [SEED]]
 *
 * A program sets every register, fills a part of the stack, runs random arithmetic, accesses,
 * atomics and forward jumps, some of it in counted loops and in a called function, and folds all
 * registers and stack words into R0. The JIT is tried with and without the processor's newer
 * shifts where it has them (SKEP_JIT_BASELINE=1).
 */
#include <stdio.h>
#include <stdlib.h>

#include "progen.h"
#include "vprog.h"

int main(int argc, char **argv)
{
	static struct gen g;
	u32 programs = argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : 4000, i, passed = 0, failed = 0;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, a, b;

	for (i = 0; i < programs; i++) {
		struct skep_vprog p;

		gen_plain(&g, seed * 1000003 + i);
		if (vprog_from_insns(g.in, g.n, &p))
			return 1;
		if (vprog_run(&p, false, NULL, 0, &a) || vprog_run(&p, true, NULL, 0, &b) ||
		    a != b) {
			if (!failed++) {
				printf("FAIL program %u, seed %llu: interpreter %llx, JIT %llx\n",
				       i, (unsigned long long)seed, (unsigned long long)a,
				       (unsigned long long)b);
				gen_dump(&g);
			}
		} else {
			passed++;
		}
		skep_vprog_fini(&p);
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
