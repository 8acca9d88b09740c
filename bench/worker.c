/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One engine of one row: makes the benchmark ready, then measures on request.
 *
 *	skep-bench-worker BENCH ENGINE NAME=VALUE...
 *
 * Whether the object runs on skep or on the kernel is decided by who started us (skep run), not
 * here. Protocol: prints "note TEXT" any number of times and then "ready", or "skip REASON"; then
 * for each line "SECONDS" on stdin prints "HITS IMPORTANT NANOSECONDS".
 */
#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static const struct bench *const benches[] = {
	&bench_calls, &bench_cgrp_storage, &bench_storage_call, &bench_compile, &bench_compute,
	&bench_load,  &bench_storage,	   &bench_loop,		&bench_verify};

static struct {
	const char *name, *value;
} params[BENCH_MAX_PARAMS];
static int nr_params;

const char *bench_param(const char *name, const char *usual)
{
	for (int i = 0; i < nr_params; i++)
		if (!strcmp(params[i].name, name))
			return params[i].value;
	return usual;
}

unsigned int bench_number(const char *name, unsigned int usual)
{
	const char *value = bench_param(name, NULL);

	return value ? (unsigned int)strtoul(value, NULL, 0) : usual;
}

static void say(const char *word, const char *fmt, va_list ap)
{
	printf("%s ", word);
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
}

void bench_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("skip", fmt, ap);
	va_end(ap);
	exit(0);
}

void bench_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("note", fmt, ap);
	va_end(ap);
}

uint64_t bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

bool bench_repeat(double seconds, void (*trigger)(void *arg), void *arg, const long *hits,
		  const long *important, struct bench_result *ret)
{
	long hits_before = *hits, important_before = important ? *important : 0;
	uint64_t start = bench_now(), end = start + (uint64_t)(seconds * 1e9), now;

	do {
		trigger(arg);
		now = bench_now();
	} while (now < end);
	ret->hits = *(const volatile long *)hits - hits_before;
	ret->important = important ? *(const volatile long *)important - important_before : 0;
	ret->ns = now - start;
	return ret->hits > 0;
}

void bench_getpgid(void *unused)
{
	(void)unused;
	syscall(SYS_getpgid, 0);
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	return getenv("SKEP_BENCH_DEBUG") ? vfprintf(stderr, fmt, ap) : 0;
}

static void parse(int argc, char **argv)
{
	for (int i = 3; i < argc && nr_params < BENCH_MAX_PARAMS; i++) {
		char *eq = strchr(argv[i], '=');

		if (!eq) {
			fprintf(stderr, "skep-bench-worker: %s: not NAME=VALUE\n", argv[i]);
			exit(2);
		}
		*eq = 0;
		params[nr_params].name = argv[i];
		params[nr_params++].value = eq + 1;
	}
}

static const struct bench *find(const char *name)
{
	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches); i++)
		if (!strcmp(benches[i]->name, name))
			return benches[i];
	fprintf(stderr, "skep-bench-worker: there is no benchmark `%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct bench *b;
	bool vector;
	char line[64];

	if (argc < 3) {
		fprintf(stderr, "Usage: skep-bench-worker BENCH ENGINE NAME=VALUE...\n");
		return 2;
	}
	libbpf_set_print(quiet);
	b = find(argv[1]);
	parse(argc, argv);
	vector = !strcmp(argv[2], "vector");
	if (vector || !strcmp(argv[2], "native")) {
		if (!b->native)
			bench_skip("there is no native form of it");
		b->native(vector);
	} else {
		b->load();
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		struct bench_result r = {0};

		if (!b->measure(atof(line), &r))
			printf("failed\n");
		else
			printf("%ld %ld %llu\n", r.hits, r.important, (unsigned long long)r.ns);
		fflush(stdout);
	}
	return 0;
}
