/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A benchmark: a row of bench_tables[] says what `skep bench` prints, a `struct bench` in a file
 * of its own does the work inside the worker.
 *
 * The worker (worker.c) is started once for each engine of each row, under `skep run` or alone;
 * it neither knows nor cares which. It calls load() or native(), then measure() as often as asked.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_MAX_PARAMS 4

/* Engines; BENCH_VECTOR is native C compiled with the vectorisers. */
enum { BENCH_SKEP, BENCH_KERNEL, BENCH_NATIVE, BENCH_VECTOR, BENCH_NR_ENGINES };

#define BENCH_BPF (1u << BENCH_SKEP | 1u << BENCH_KERNEL)
#define BENCH_USUAL (BENCH_BPF | 1u << BENCH_NATIVE)

enum {
	BENCH_VERDICT_ONLY = 1 << 0, /* under `skep run --verdict-only` */
	BENCH_LOOP = 1 << 1,	/* an op in no time at all means that the loop is gone: `elided` */
	BENCH_GEOMEAN = 1 << 2, /* the mean over the rows is of interest */
};

/*
 * One printed table; a benchmark may have several, chosen by the parameters that are set. The rows
 * are all combinations of the parameters' values, the first parameter outermost.
 */
struct bench_table {
	const char *bench;
	const char *help; /* one line: what an op is */
	struct {
		const char *name, *values; /* values separated by commas */
	} params[BENCH_MAX_PARAMS];
	unsigned int engines; /* 1 << BENCH_SKEP, ... */
	unsigned int flags;
	const char *unit; /* of what is printed; NULL: ns/op */
};

/* tables.c: in the order in which they are listed; ends with a row without a name. */
extern const struct bench_table bench_tables[];

/* --- the worker's side --- */

struct bench_result {
	long hits;	/* ops done, > 0 */
	long important; /* of these, the ones that the benchmark singles out; or 0 */
	uint64_t ns;	/* that they took */
};

struct bench {
	const char *name;
	/* Make ready to measure on skep or the kernel; bench_skip() where that cannot be. */
	void (*load)(void);
	/* The same for native C (@vector: compiled with the vectorisers); NULL: no such form. */
	void (*native)(bool vector);
	/* Work for about @seconds, at least once. False: it failed. */
	bool (*measure)(double seconds, struct bench_result *ret);
};

/* Value of a parameter of this row; @usual where it is not among them. */
const char *bench_param(const char *name, const char *usual);
unsigned int bench_number(const char *name, unsigned int usual);

/* This engine cannot run this row: says why and ends the process. */
void bench_skip(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* A remark printed with the row, once for each engine: what it ran with. Before measuring. */
void bench_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

uint64_t bench_now(void); /* ns, monotonic */

/*
 * Call @trigger(@arg) for about @seconds. *@hits and *@important (may be NULL) are counters that
 * it moves: the result is what they moved by.
 */
bool bench_repeat(double seconds, void (*trigger)(void *arg), void *arg, const long *hits,
		  const long *important, struct bench_result *ret);
/* For that: the system call that the objects take as their trigger. */
void bench_getpgid(void *unused);

/* The benchmarks, one a file. */
extern const struct bench bench_calls, bench_cgrp_storage, bench_compile, bench_compute, bench_load,
	bench_storage, bench_storage_call, bench_loop, bench_verify;

#endif
