/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs BPF objects on whatever answers bpf(2) and prints what can be seen: the verdict on each
 * program, results of test runs, what system calls left in maps.
 *
 *	diff_runner OBJECT...
 *
 * Started twice, with and without skep, the two outputs must be equal (tests/diff/compare).
 * Nothing printed may depend on time, addresses, process ids or object ids.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOG_SIZE (16u << 20)
#define MAX_KEYS 4096
#define CGRP_STORAGE 32 /* older than some headers */

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return getenv("DIFF_DEBUG") ? vfprintf(stderr, fmt, ap) : 0;
}

static void print_hex(const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		printf("%02x", b[i]);
}

/* The line that says why, without the statistics behind it. */
static void print_reason(const char *log)
{
	const char *end = strstr(log, "\nprocessed "), *start;
	const char *verif = strstr(log, "\nverification time");
	const char *loop = strstr(log, "infinite loop detected");

	if (loop) {
		/* Followed by both states, whose details depend on what was pruned. */
		printf("%.*s", (int)strcspn(loop, "\n"), loop);
		return;
	}
	if (verif && (!end || verif < end))
		end = verif;
	if (!end)
		end = log + strlen(log);
	while (end > log && end[-1] == '\n')
		end--;
	for (start = end; start > log && start[-1] != '\n'; start--)
		;
	printf("%.*s", (int)(end - start), start);
}

static struct bpf_object *open_object(const char *path)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_map *m;

	if (!obj)
		return NULL;
	/* Objects filter on the process by a constant of this name. */
	bpf_object__for_each_map(m, obj)
	{
		size_t size;
		void *data = (void *)bpf_map__initial_value(m, &size);
		const struct btf *btf = bpf_object__btf(obj);
		int sec = strstr(bpf_map__name(m), ".rodata")
				  ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC)
				  : -1;

		if (!data || sec < 0)
			continue;
		for (int i = 0; i < btf_vlen(btf__type_by_id(btf, sec)); i++) {
			const struct btf_var_secinfo *v =
				btf_var_secinfos(btf__type_by_id(btf, (unsigned int)sec)) + i;
			const char *name =
				btf__name_by_offset(btf, btf__type_by_id(btf, v->type)->name_off);

			if (!strcmp(name, "target_tgid"))
				*(uint32_t *)((char *)data + v->offset) = (uint32_t)getpid();
		}
	}
	return obj;
}

static void verdicts(const char *path, const char *base)
{
	struct bpf_object *list = open_object(path), *obj;
	struct bpf_program *p, *q;

	if (!list) {
		printf("%s: cannot be opened\n", base);
		return;
	}
	bpf_object__for_each_program(p, list)
	{
		char *log = calloc(1, LOG_SIZE);
		const char *name = bpf_program__name(p);
		int err;

		obj = open_object(path);
		bpf_object__for_each_program(q, obj)
		{
			bool chosen = !strcmp(bpf_program__name(q), name);

			bpf_program__set_autoload(q, chosen);
			if (chosen) {
				bpf_program__set_log_buf(q, log, LOG_SIZE);
				bpf_program__set_log_level(q, 1);
			}
		}
		err = bpf_object__load(obj);
		printf("%s: %s: verdict %d", base, name, err);
		if (err) {
			printf(" ");
			print_reason(log);
		}
		printf("\n");
		bpf_object__close(obj);
		free(log);
	}
	bpf_object__close(list);
}

static void fill_packet(unsigned char *pkt, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pkt[i] = (unsigned char)(i * 7 + 1);
	pkt[12] = 8; /* IPv4 */
	pkt[13] = 0;
	pkt[14] = 0x45;
}

static void test_run(const char *base, struct bpf_program *p)
{
	static const unsigned int sizes[] = {13, 14, 15, 33, 64, 200};
	unsigned char in[256], out[512];
	uint64_t args[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	unsigned char ctx[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);
		int type = bpf_program__type(p), err;
		bool packet = type == BPF_PROG_TYPE_SOCKET_FILTER || type == BPF_PROG_TYPE_XDP ||
			      type == BPF_PROG_TYPE_SCHED_CLS;

		if (packet) {
			fill_packet(in, sizeof(in));
			memset(out, 0, sizeof(out));
			opts.data_in = in;
			opts.data_size_in = sizes[i];
			opts.data_out = out;
			opts.data_size_out = sizeof(out);
			opts.repeat = 1;
		} else if (type == BPF_PROG_TYPE_RAW_TRACEPOINT) {
			opts.ctx_in = args;
			opts.ctx_size_in = sizeof(args);
		} else if (type == BPF_PROG_TYPE_SYSCALL) {
			for (size_t k = 0; k < sizeof(ctx); k++)
				ctx[k] = (unsigned char)k;
			opts.ctx_in = ctx;
			opts.ctx_size_in = sizeof(ctx);
		} else {
			return;
		}
		err = bpf_prog_test_run_opts(bpf_program__fd(p), &opts);
		printf("%s: %s: run %u: %d retval %u", base, bpf_program__name(p),
		       packet ? sizes[i] : 0, err ? -errno : 0, err ? 0 : opts.retval);
		if (packet) {
			printf(" out %u ", opts.data_size_out);
			print_hex(out, opts.data_size_out < sizeof(out) ? opts.data_size_out : 0);
		} else if (type == BPF_PROG_TYPE_SYSCALL) {
			printf(" ctx ");
			print_hex(ctx, sizeof(ctx));
		}
		printf("\n");
		if (!packet)
			return;
	}
}

static size_t key_size;

static int compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, key_size);
}

static void dump_map(const char *base, struct bpf_map *m)
{
	size_t size = bpf_map__value_size(m);
	int fd = bpf_map__fd(m), cpus = libbpf_num_possible_cpus();
	unsigned int n = 0;
	unsigned char *keys, *value, *prev = NULL;

	key_size = bpf_map__key_size(m);
	if (!key_size || bpf_map__type(m) == BPF_MAP_TYPE_PROG_ARRAY ||
	    bpf_map__type(m) == BPF_MAP_TYPE_ARRAY_OF_MAPS ||
	    bpf_map__type(m) == BPF_MAP_TYPE_HASH_OF_MAPS || strstr(bpf_map__name(m), ".rodata") ||
	    bpf_map__type(m) == BPF_MAP_TYPE_TASK_STORAGE || bpf_map__type(m) == CGRP_STORAGE)
		return;
	if (bpf_map__type(m) == BPF_MAP_TYPE_PERCPU_ARRAY)
		size = (size + 7) / 8 * 8 * (size_t)cpus;
	keys = calloc(MAX_KEYS, key_size);
	value = calloc(1, size + 8);
	while (n < MAX_KEYS && !bpf_map_get_next_key(fd, prev, keys + n * key_size)) {
		prev = keys + n * key_size;
		n++;
	}
	qsort(keys, n, key_size, compare_keys);
	for (unsigned int i = 0; i < n; i++) {
		/* Object names prefix global-data maps: print what follows the last dot. */
		const char *name = strrchr(bpf_map__name(m), '.');

		if (bpf_map_lookup_elem(fd, keys + i * key_size, value))
			continue;
		printf("%s: map %s: ", base, name ? name : bpf_map__name(m));
		print_hex(keys + i * key_size, key_size);
		printf(" -> ");
		if (bpf_map__type(m) == BPF_MAP_TYPE_PERCPU_ARRAY) {
			/* Which CPU ran is chance: print the sum of the words. */
			for (size_t w = 0; w < bpf_map__value_size(m) / 8; w++) {
				uint64_t sum = 0;

				for (int c = 0; c < cpus; c++)
					sum += *(uint64_t *)(value +
							     c * (bpf_map__value_size(m) + 7) / 8 *
								     8 +
							     w * 8);
				printf("%llx ", (unsigned long long)sum);
			}
		} else {
			print_hex(value, size);
		}
		printf("\n");
	}
	free(keys);
	free(value);
}

static int count_record(void *ctx, void *data, size_t size)
{
	const char *base = ctx;

	printf("%s: record ", base);
	print_hex(data, size);
	printf("\n");
	return 0;
}

static void make_calls(void)
{
	for (int i = 0; i < 5; i++)
		syscall(SYS_getpgid, 0);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getpid);
	syscall(SYS_getpgid, 0);
}

static void run(const char *path, const char *base)
{
	struct bpf_object *obj = open_object(path);
	struct bpf_link *links[16] = {NULL};
	struct bpf_program *p;
	struct bpf_map *m;
	int n = 0;

	if (!obj)
		return;
	/* Programs meant to be rejected are named so. */
	bpf_object__for_each_program(p, obj) if (!strncmp(bpf_program__name(p), "bad_", 4))
		bpf_program__set_autoload(p, false);
	if (bpf_object__load(obj)) {
		printf("%s: does not load as a whole\n", base);
		bpf_object__close(obj);
		return;
	}
	bpf_object__for_each_program(p, obj)
	{
		if (!bpf_program__autoload(p))
			continue;
		if (bpf_program__type(p) == BPF_PROG_TYPE_TRACING && n < 16) {
			links[n] = bpf_program__attach(p);
			printf("%s: %s: attach %d\n", base, bpf_program__name(p),
			       links[n] ? 0 : -errno);
			n += links[n] != NULL;
		} else {
			test_run(base, p);
		}
	}
	if (n)
		make_calls();
	while (n)
		bpf_link__destroy(links[--n]);
	bpf_object__for_each_map(m, obj)
	{
		if (bpf_map__type(m) == BPF_MAP_TYPE_RINGBUF) {
			struct ring_buffer *rb =
				ring_buffer__new(bpf_map__fd(m), count_record, (void *)base, NULL);

			printf("%s: ring %s: %d records\n", base, bpf_map__name(m),
			       rb ? ring_buffer__consume(rb) : -errno);
			ring_buffer__free(rb);
		} else {
			dump_map(base, m);
		}
	}
	bpf_object__close(obj);
}

int main(int argc, char **argv)
{
	libbpf_set_print(quiet);
	if (argc == 2 && !strcmp(argv[1], "--probe")) {
		struct bpf_insn insns[] = {
			{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
			{.code = BPF_JMP | BPF_EXIT},
		};

		return bpf_prog_load(BPF_PROG_TYPE_XDP, "probe", "GPL", insns, 2, NULL) < 0;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		const char *base = slash ? slash + 1 : argv[i];

		verdicts(argv[i], base);
		run(argv[i], base);
	}
	return 0;
}
