/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One engine of one benchmark: loads the object (or runs the C twin), then measures on request.
 *
 *	skep-bench-worker BENCH ENGINE NAME=VALUE...
 *
 * Whether the object runs on skep or on the kernel is decided by who started us (skep run), not
 * here. Protocol: prints "ready" or "skip REASON"; then for each line "SECONDS" on stdin prints
 * "HITS IMPORTANT NANOSECONDS".
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.skel.h"
#include "native.h"
#include "verify.h"

#define MAX_MAPS 1000

static struct bench_bpf *skel;
static unsigned int nr_maps = 1, nr_keys, nr_loops = 1000;
static bool interleave, use_hash;
static const char *bench, *program = "";
/* Types of the inner map's key and value; libbpf drops the definition once it is loaded. */
static unsigned int storage_key_id, storage_value_id;

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return getenv("SKEP_BENCH_DEBUG") ? vfprintf(stderr, fmt, ap) : 0;
}

static void skip(const char *why)
{
	printf("skip %s\n", why);
	fflush(stdout);
	exit(0);
}

static void parse(int argc, char **argv)
{
	for (int i = 3; i < argc; i++) {
		char *eq = strchr(argv[i], '=');
		const char *value = eq ? eq + 1 : "";

		if (!eq) {
			fprintf(stderr, "skep-bench-worker: %s: not NAME=VALUE\n", argv[i]);
			exit(2);
		}
		*eq = 0;
		if (!strcmp(argv[i], "maps"))
			nr_maps = (unsigned int)atoi(value);
		else if (!strcmp(argv[i], "access"))
			interleave = !strcmp(value, "interleaved");
		else if (!strcmp(argv[i], "keys"))
			nr_keys = (unsigned int)atoi(value), use_hash = true;
		else if (!strcmp(argv[i], "program"))
			program = value;
		else if (!strcmp(argv[i], "loops"))
			nr_loops = (unsigned int)atoi(value);
	}
	if (!nr_maps || nr_maps > MAX_MAPS)
		skip("maps must be 1 to 1000");
}

static void fill_hash(void)
{
	int fd = bpf_map__fd(skel->maps.hash);

	for (unsigned int k = 0; k < nr_keys; k++)
		if (bpf_map_update_elem(fd, &k, &k, BPF_ANY))
			skip("the hash map could not be filled");
}

static void make_storages(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC,
		    .btf_fd = (unsigned int)bpf_object__btf_fd(skel->obj),
		    .btf_key_type_id = storage_key_id, .btf_value_type_id = storage_value_id);
	int outer = bpf_map__fd(skel->maps.storages);

	for (unsigned int i = 0; i < nr_maps; i++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "storage", 4, 4, 0, &opts);

		if (fd < 0 || bpf_map_update_elem(outer, &i, &fd, BPF_ANY))
			skip("a storage map could not be made");
		close(fd);
	}
}

static void load(void)
{
	bool loops = !strcmp(bench, "bpf-loop");
	int err;

	libbpf_set_print(quiet);
	skel = bench_bpf__open();
	if (!skel)
		skip("the object cannot be opened");
	storage_key_id = bpf_map__btf_key_type_id(bpf_map__inner_map(skel->maps.storages));
	storage_value_id = bpf_map__btf_value_type_id(bpf_map__inner_map(skel->maps.storages));
	skel->rodata->target_tgid = (unsigned int)getpid();
	skel->rodata->trigger_nr = SYS_getpgid;
	skel->rodata->nr_maps = nr_maps;
	skel->rodata->interleave = interleave;
	skel->rodata->use_hash = use_hash;
	skel->rodata->nr_keys = nr_keys;
	skel->rodata->nr_loops = nr_loops;
	bpf_program__set_autoload(skel->progs.local_storage, !loops);
	bpf_program__set_autoload(skel->progs.loops, loops);
	if (!use_hash)
		bpf_map__set_max_entries(skel->maps.hash, 1);
	err = bench_bpf__load(skel);
	if (err) {
		char why[128];

		snprintf(why, sizeof(why), "the object was refused: %s", strerror(-err));
		skip(why);
	}
	if (use_hash)
		fill_hash();
	else if (!loops)
		make_storages();
	if (bench_bpf__attach(skel))
		skip("the program could not be attached");
}

/* Loads for as long as asked, at least one; what is counted are instructions processed. */
static int serve_verify(struct verify_bench *b)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		uint64_t ns = 0, enough = (uint64_t)(atof(line) * 1e9);
		long processed = 0;
		struct verify_stats s;

		do {
			if (verify_once(b, &s))
				break;
			processed += s.processed;
			ns += s.ns;
		} while (ns < enough);
		if (getenv("SKEP_BENCH_DEBUG"))
			fprintf(stderr, "err %d, processed %u, states %u, peak %u, %llu ns\n",
				s.err, s.processed, s.total_states, s.peak_states, s.ns);
		printf("%ld 0 %llu\n", processed, (unsigned long long)ns);
		fflush(stdout);
	}
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	struct native_bench *native = NULL;
	struct verify_bench *verify = NULL;
	char line[64];

	if (argc < 3) {
		fprintf(stderr, "Usage: skep-bench-worker BENCH ENGINE NAME=VALUE...\n");
		return 2;
	}
	bench = argv[1];
	parse(argc, argv);
	if (!strcmp(bench, "verify")) {
		verify = strcmp(argv[2], "native") ? verify_new(program) : NULL;
		if (!verify)
			skip("there is no such program, or no native form of it");
	} else if (!strcmp(argv[2], "native")) {
		native = native_new(bench, nr_maps, interleave, nr_keys, nr_loops);
		if (!native)
			skip("there is no native form of it");
	} else {
		load();
	}
	printf("ready\n");
	fflush(stdout);
	if (verify)
		return serve_verify(verify);
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t end, start, now;
		long hits = 0, important = 0;

		if (!native) {
			hits = -skel->bss->hits;
			important = -skel->bss->important_hits;
		}
		start = now_ns();
		end = start + (uint64_t)(atof(line) * 1e9);
		do {
			if (native)
				native_trigger(native, &hits, &important);
			else
				syscall(SYS_getpgid, 0);
			now = now_ns();
		} while (now < end);
		if (!native) {
			hits += skel->bss->hits;
			important += skel->bss->important_hits;
		}
		printf("%ld %ld %llu\n", hits, important, (unsigned long long)(now - start));
		fflush(stdout);
	}
	return 0;
}
