/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs to both verifiers.
 */
#include "verifier_gen.h"

static int random_mode;

static int random_programs(u64 seed, u32 count, bool verbose)
{
	u32 bad[4] = {0};

	for (u32 i = 0; i < count; i++) {
		struct test t = {.name = "random", .type = SF, .text = prog_text};
		char name[64];
		int r;

		random_seed(seed + i);
		if (random_mode == 'w') {
			t.type = TRC;
			t.attach = BPF_TRACE_RAW_TP;
			t.attach_name = "sched_process_exit";
			random_walk();
		} else if (random_mode == 'b') {
			static const u32 types_[] = {SF, XDP, CLS, RTP, TP};

			t.type = types_[rnd(5)];
			random_bytes();
		} else if (random_mode == 's') {
			is_xdp = rnd(2);
			t.type = is_xdp ? XDP : SF;
			random_structured();
		} else {
			random_program(rnd(2));
		}
		snprintf(name, sizeof(name), "seed %llu", (unsigned long long)(seed + i));
		t.name = name;
		if (rnd(3) == 0)
			t.flags = SKEP_PROG_F_TEST_STATE_FREQ;
		if (verbose)
			puts(prog_text);
		r = run(&t, verbose);
		bad[r]++;
	}
	printf("%u programs: %u agree, %u differ, %u accepted wrongly, %u logs differ\n", count,
	       bad[0], bad[1], bad[2], bad[3]);
	return bad[1] + bad[2] ? 1 : 0;
}
