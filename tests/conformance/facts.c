/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verifier's facts against what happens: random programs are verified, then run as they were
 * written; every instruction that runs must be known as reached, and no jump may do what the
 * verifier excluded. (Rewriting removes code on the strength of these facts.)
 *
 * usage: facts [PROGRAMS [SEED [FIRST]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/insn.h"

struct skep_vprog;
static void look(const struct skep_vprog *p, u32 pc, const u64 *r);
#define SKEP_INTERP_TRACE(p, pc, r) look(p, pc, r)
#include "interp/interp.c"

#include "progen.h"
#include "verifier/verifier.h"

static const struct skep_fact *facts;
static s64 wrong;
static const char *how;

static void look(const struct skep_vprog *p, u32 pc, const u64 *r)
{
	const struct bpf_insn *in = &p->insns[pc];
	u8 flags = facts[pc].flags;
	bool is_cond =
		skep_insn_is_jump(in) && BPF_OP(in->code) != BPF_JA && !skep_insn_is_may_goto(in);

	if (wrong >= 0)
		return;
	if (!(flags & SKEP_FACT_SEEN))
		how = "runs, but was not reached";
	else if (is_cond && (flags & SKEP_FACT_NEVER_TAKEN) && cond(in, r))
		how = "jumps, but was said never to";
	else if (is_cond && (flags & SKEP_FACT_ALWAYS_TAKEN) && !cond(in, r))
		how = "does not jump, but was said always to";
	else
		return;
	wrong = pc;
}

static const struct skep_btf *no_btf(void *priv)
{
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct skep_verify_host host = {.kernel_btf = no_btf, .nr_cpus = 4};
	static struct gen g;
	u32 programs = argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : 1500;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	u32 i = argc > 3 ? (u32)strtoul(argv[3], NULL, 0) : 0, passed = 0, failed = 0, rejected = 0;

	for (; i < programs; i++) {
		struct skep_verify_req req = {.host = &host,
					      .insns = g.in,
					      .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
					      .gpl = true};
		struct skep_verify_res res;
		struct skep_vprog p;

		gen_plain(&g, seed * 1000003 + i);
		req.nr_insns = g.n;
		if (skep_verify(&req, &p, &res)) {
			rejected++;
			continue;
		}
		facts = p.facts;
		wrong = -1;
		skep_interp_run(&p, NULL);
		if (wrong < 0) {
			passed++;
		} else if (failed++ < 5) {
			printf("FAIL program %u, seed %llu: instruction %lld %s\n", i,
			       (unsigned long long)seed, (long long)wrong, how);
			if (failed == 1)
				gen_dump(&g);
		}
		skep_vprog_fini(&p);
	}
	printf("%u passed, %u failed, %u skipped\n", passed, failed, rejected);
	return failed || !passed;
}
