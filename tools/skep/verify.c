/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep verify: the verdict on each program of BPF object files.
 *
 * Each program is loaded alone, so that one rejected program does not hide the others. This
 * process's own bpf(2) is skep's (the tool links libskep before libbpf).
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skep.h"

#define LOG_SIZE (16u << 20)

static const char help[] =
	"Usage: skep verify [OPTION]... OBJECT...\n"
	"\n"
	"Verify every program in each OBJECT (.bpf.o), as the presented kernel would.\n"
	"\n"
	"  -p, --prog=NAME     only the program NAME\n"
	"  -l, --log-level=N   print the verifier's log: 1 the path taken, 2 everything, 4 "
	"statistics\n"
	"  -q, --quiet         print rejected programs only\n"
	"  -h, --help          this text\n"
	"\n"
	"A rejected program is followed by the end of its log. The exit status is 0 when all\n"
	"were accepted, 1 when one was rejected, 2 for wrong usage or an unreadable object.\n";

struct options {
	const char *prog;
	unsigned int log_level;
	bool quiet;
};

/* The first warning of a load: the reason, where libbpf itself refuses. */
static char first_warning[512];

static int keep_warnings(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && !first_warning[0])
		vsnprintf(first_warning, sizeof(first_warning), fmt, ap);
	return 0;
}

/* The last lines of the log, which say why. */
static void print_tail(const char *log)
{
	size_t n = strlen(log);
	int lines = 0;

	while (n && log[n - 1] == '\n')
		n--;
	for (size_t i = n; i > 0 && lines < 12; i--)
		if (log[i - 1] == '\n' && ++lines == 12) {
			log += i;
			n -= i;
			break;
		}
	for (const char *p = log; p < log + n;) {
		const char *end = memchr(p, '\n', (size_t)(log + n - p));

		if (!end)
			end = log + n;
		printf("    %.*s\n", (int)(end - p), p);
		p = end + 1;
	}
}

/* Load the program @name alone, with its log in @log[LOG_SIZE]. libbpf's result. */
static int load_one(const char *path, const char *name, unsigned int level, char *log)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *p;
	int err;

	if (!obj)
		return -errno;
	bpf_object__for_each_program(p, obj)
	{
		bool is_it = !strcmp(bpf_program__name(p), name);

		bpf_program__set_autoload(p, is_it);
		if (is_it) {
			bpf_program__set_log_buf(p, log, LOG_SIZE);
			bpf_program__set_log_level(p, level);
		}
	}
	log[0] = 0;
	first_warning[0] = 0;
	err = bpf_object__load(obj);
	bpf_object__close(obj);
	return err;
}

/* 0 accepted, 1 rejected, 2 the object cannot be used. */
static int verify_one(const char *path, const char *name, const struct options *o)
{
	char *log = calloc(1, LOG_SIZE);
	int err;

	if (!log)
		return 2;
	err = load_one(path, name, o->log_level ? o->log_level : 4, log);
	/* The statistics do not say why; the path taken does, unless it is too long for a log. */
	if (err && log[0] && !o->log_level && load_one(path, name, 1, log) == -ENOSPC)
		load_one(path, name, 4, log);
	if (err && !log[0]) {
		/* Refused before verification, or by libbpf itself. */
		printf("%s: %s: rejected: %s\n    %s", path, name, strerror(-err), first_warning);
	} else if (err) {
		printf("%s: %s: rejected: %s\n", path, name, strerror(-err));
		print_tail(log);
	} else if (!o->quiet) {
		const char *stats = strstr(log, "processed ");

		printf("%s: %s: accepted%s%.*s%s\n", path, name, stats ? " (" : "",
		       stats ? (int)strcspn(stats, "\n") : 0, stats ? stats : "", stats ? ")" : "");
	}
	if (!err && o->log_level)
		fputs(log, stdout);
	free(log);
	return err ? 1 : 0;
}

static int verify_object(const char *path, const struct options *o)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *p;
	bool found = false;
	int worst = 0;

	if (!obj) {
		char why[128];

		libbpf_strerror(errno, why, sizeof(why));
		fprintf(stderr, "skep verify: %s: %s\n%s", path, why, first_warning);
		return 2;
	}
	bpf_object__for_each_program(p, obj)
	{
		int ret;

		if (o->prog && strcmp(o->prog, bpf_program__name(p)))
			continue;
		found = true;
		ret = verify_one(path, bpf_program__name(p), o);
		worst = ret > worst ? ret : worst;
	}
	bpf_object__close(obj);
	if (!found) {
		fprintf(stderr, "skep verify: %s: no program%s%s\n", path, o->prog ? " named " : "",
			o->prog ? o->prog : "");
		return 2;
	}
	return worst;
}

int cmd_verify(int argc, char **argv)
{
	static const struct option longs[] = {
		{"prog", required_argument, NULL, 'p'},
		{"log-level", required_argument, NULL, 'l'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct options o = {0};
	int opt, worst = 0;

	while ((opt = getopt_long(argc, argv, "p:l:qh", longs, NULL)) != -1) {
		switch (opt) {
		case 'p':
			o.prog = optarg;
			break;
		case 'l':
			o.log_level = (unsigned int)atoi(optarg);
			break;
		case 'q':
			o.quiet = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK;
		default:
			fputs(help, stderr);
			return EXIT_USAGE_ERROR;
		}
	}
	if (optind == argc) {
		fputs(help, stderr);
		return EXIT_USAGE_ERROR;
	}
	libbpf_set_print(keep_warnings);
	for (; optind < argc; optind++) {
		int ret = verify_object(argv[optind], &o);

		worst = ret > worst ? ret : worst;
	}
	return worst;
}
