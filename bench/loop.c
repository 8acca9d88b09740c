/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf-loop: iterations of bpf_loop with four callbacks, and of an open-coded iterator.
 *
 * The native twin is a loop that calls through a pointer which the compiler cannot see through,
 * as a library's loop would.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "loop.skel.h"

#define ROUNDS 1000
#define VALUES 1024

static const char *const names[] = {"empty", "count", "lookup", "stop", "iterator"};

static struct loop_bpf *skel;
static unsigned int nr_loops, callback;

static void read_params(void)
{
	const char *name = bench_param("callback", "empty");

	nr_loops = bench_number("loops", 1000);
	while (callback < 5 && strcmp(names[callback], name))
		callback++;
	if (callback == 5)
		bench_skip("callback must be empty, count, lookup, stop or iterator");
	if (!nr_loops || nr_loops > 1u << 23)
		bench_skip("loops must be 1 to %u", 1u << 23);
}

static void load(void)
{
	int err;

	read_params();
	skel = loop_bpf__open();
	if (!skel)
		bench_skip("the object cannot be opened");
	skel->rodata->target_tgid = (unsigned int)getpid();
	skel->rodata->trigger_nr = SYS_getpgid;
	skel->rodata->nr_loops = nr_loops;
	skel->rodata->callback = callback;
	skel->bss->limit = UINT64_MAX;
	err = loop_bpf__load(skel);
	if (err)
		bench_skip("the object was refused: %s", strerror(-err));
	if (loop_bpf__attach(skel))
		bench_skip("the program could not be attached");
}

/* --- native --- */

struct counting {
	uint64_t sum, limit;
};

static uint64_t data[VALUES], values[VALUES], sum;
static volatile uint64_t limit = UINT64_MAX;
static long hits;

static long empty(uint32_t i, void *ctx)
{
	(void)i;
	(void)ctx;
	return 0;
}

static long count(uint32_t i, void *ctx)
{
	struct counting *c = ctx;

	c->sum += i;
	return 0;
}

static long look_up(uint32_t i, void *ctx)
{
	struct counting *c = ctx;

	c->sum += values[i % VALUES];
	return 0;
}

static long stop(uint32_t i, void *ctx)
{
	struct counting *c = ctx;

	c->sum += data[i % VALUES] ^ i;
	return c->sum > c->limit;
}

static long loop(uint32_t n, long (*call)(uint32_t, void *), void *ctx)
{
	for (uint32_t i = 0; i < n; i++)
		if (call(i, ctx))
			return i + 1;
	return n;
}

static long iterate(uint32_t n, struct counting *c)
{
	for (uint32_t i = 0; i < n; i++) {
		c->sum += i;
		__asm__ volatile("" : "+r"(i)); /* not by formula */
	}
	return n;
}

static void run_native(void *unused)
{
	static long (*volatile calls[])(uint32_t, void *) = {empty, count, look_up, stop, NULL};
	long (*call)(uint32_t, void *) = calls[callback];

	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		struct counting c = {0, limit};

		hits += call ? loop(nr_loops, call, &c) : iterate(nr_loops, &c);
		sum += c.sum;
	}
}

static void native(bool vector)
{
	(void)vector;
	read_params();
}

static bool measure(double seconds, struct bench_result *ret)
{
	if (!skel)
		return bench_repeat(seconds, run_native, NULL, &hits, NULL, ret);
	return bench_repeat(seconds, bench_getpgid, NULL, &skel->bss->hits, NULL, ret);
}

const struct bench bench_loop = {"bpf-loop", load, native, measure};
