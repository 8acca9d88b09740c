/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that are long to verify, and the loading of one with its statistics.
 */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

struct verify_bench;

struct verify_stats {
	int err; /* 0 or -errno of the load */
	unsigned int processed, total_states, peak_states;
	unsigned long long ns; /* the verifier's own "verification time" */
};

/* Program @name ("loop", "wide", ...), made; NULL: there is none such. Never freed. */
struct verify_bench *verify_new(const char *name);
/* Load it once. 0, or -1 where the answer cannot be read. */
int verify_once(struct verify_bench *b, struct verify_stats *ret);

#endif
