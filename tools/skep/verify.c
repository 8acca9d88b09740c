/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep verify: the presented kernel's verdict on each program of BPF object files.
 *
 * Each program is loaded alone, so that one rejected program does not hide the others, and many
 * are loaded at a time, each by a thread with an object of its own. This process's own bpf(2) is
 * skep's (the tool links libskep before libbpf), told to give verdicts only: what the presented
 * kernel has is judged, whether skep can run it or not. What is presented is settled before
 * libskep is loaded, so the options that change it start the tool afresh.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alone.h"
#include "skep.h"

#define LOG_SIZE (16u << 20)
#define MAX_JOBS 64

static const char help[] =
	"Usage: skep verify [OPTION]... OBJECT...\n"
	"\n"
	"Verify every program in each OBJECT (.bpf.o), as the presented kernel would: no\n"
	"privilege is needed, nothing runs, and the host's bpf(2) is not asked.\n"
	"\n"
	"  -p, --prog=NAME     only the program NAME\n"
	"  -b, --btf=FILE      present FILE as the kernel's BTF (default: the host's; `builtin':\n"
	"                      the small one that hosts without BTF get)\n"
	"  -r, --release=X.Y.Z present this kernel release (LINUX_KERNEL_VERSION)\n"
	"  -c, --config=FILE   present FILE, plain or gzip, as the kernel's configuration\n"
	"                      (CONFIG_... externs)\n"
	"  -j, --jobs=N        verify N programs at a time (default: the number of CPUs)\n"
	"  -l, --log-level=N   print the verifier's log: 1 the path taken, 2 everything, 4 "
	"statistics\n"
	"  -R, --runnable      refuse what skep itself could not run\n"
	"  -q, --quiet         print rejected programs only\n"
	"  -h, --help          this text\n"
	"\n"
	"A rejected program is followed by the end of its log. The exit status is 0 when all\n"
	"were accepted, 1 when one was rejected, 2 for wrong usage or an unreadable object.\n";

struct options {
	const char *prog;
	const char *btf, *release, *config;
	unsigned int log_level;
	unsigned int jobs;
	bool quiet, runnable;
};

/* One program to verify, and what there is to say of it. */
struct item {
	const char *path;
	char *name;
	char *text;
	size_t text_len;
	int status; /* EXIT_* */
	bool done;
};

struct work {
	const struct options *o;
	struct item *items;
	size_t nr, next, printed;
	pthread_mutex_t lock;
};

/* The first warning of a load: the reason, where libbpf itself refuses. */
static _Thread_local char first_warning[512];

static int keep_warnings(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && !first_warning[0])
		vsnprintf(first_warning, sizeof(first_warning), fmt, ap);
	return 0;
}

/* The last lines of the log, which say why. */
static void print_tail(FILE *to, const char *log)
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
		fprintf(to, "    %.*s\n", (int)(end - p), p);
		p = end + 1;
	}
}

/* Load the program alone, with its log in @log[LOG_SIZE]. libbpf's result. */
static int load(const struct item *it, unsigned int level, char *log)
{
	const struct alone_opts o = {.path = it->path,
				     .program = it->name,
				     .log_level = level,
				     .log = log,
				     .log_size = LOG_SIZE};

	first_warning[0] = 0;
	return skep_load_alone(&o);
}

static void verify_item(struct item *it, const struct options *o, char *log)
{
	FILE *to = open_memstream(&it->text, &it->text_len);
	int err;

	it->status = EXIT_USAGE_ERROR;
	if (!to)
		return;
	err = load(it, o->log_level ? o->log_level : 4, log);
	/* The statistics do not say why; the path taken does, unless it is too long for a log. */
	if (err && log[0] && !o->log_level && load(it, 1, log) == -ENOSPC)
		load(it, 4, log);
	if (err && !log[0]) {
		/* Refused before verification, or by libbpf itself. */
		fprintf(to, "%s: %s: rejected: %s\n    %s", it->path, it->name, strerror(-err),
			first_warning[0] ? first_warning : "(no reason was given)\n");
	} else if (err) {
		fprintf(to, "%s: %s: rejected: %s\n", it->path, it->name, strerror(-err));
		print_tail(to, log);
	} else if (!o->quiet) {
		const char *stats = strstr(log, "processed ");

		fprintf(to, "%s: %s: accepted%s%.*s%s\n", it->path, it->name, stats ? " (" : "",
			stats ? (int)strcspn(stats, "\n") : 0, stats ? stats : "",
			stats ? ")" : "");
	}
	if (!err && o->log_level)
		fputs(log, to);
	fclose(to);
	it->status = err ? EXIT_REJECTED : EXIT_OK;
}

/* What is finished, as far as it is in order. */
static void print_done(struct work *w)
{
	while (w->printed < w->nr && w->items[w->printed].done) {
		struct item *it = &w->items[w->printed++];

		if (it->text)
			fwrite(it->text, 1, it->text_len, stdout);
		free(it->text);
		it->text = NULL;
	}
	fflush(stdout);
}

static void *worker(void *arg)
{
	struct work *w = arg;
	char *log = malloc(LOG_SIZE);

	for (;;) {
		struct item *it;

		pthread_mutex_lock(&w->lock);
		it = w->next < w->nr && log ? &w->items[w->next++] : NULL;
		pthread_mutex_unlock(&w->lock);
		if (!it)
			break;
		verify_item(it, w->o, log);
		pthread_mutex_lock(&w->lock);
		it->done = true;
		print_done(w);
		pthread_mutex_unlock(&w->lock);
	}
	free(log);
	return NULL;
}

/* Add the object's programs. EXIT_OK or EXIT_USAGE_ERROR with the reason printed. */
static int add_object(struct work *w, const char *path)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	const char *only = w->o->prog;
	struct bpf_program *p;
	bool found = false;

	if (!obj) {
		char why[128];

		libbpf_strerror(errno, why, sizeof(why));
		fprintf(stderr, "skep verify: %s: %s\n%s", path, why, first_warning);
		return EXIT_USAGE_ERROR;
	}
	bpf_object__for_each_program(p, obj)
	{
		struct item *items;

		if (only && strcmp(only, bpf_program__name(p)))
			continue;
		found = true;
		items = realloc(w->items, (w->nr + 1) * sizeof(*items));
		if (!items)
			return EXIT_USAGE_ERROR;
		w->items = items;
		items[w->nr++] = (struct item){.path = path, .name = strdup(bpf_program__name(p))};
	}
	bpf_object__close(obj);
	if (!found) {
		fprintf(stderr, "skep verify: %s: no program%s%s\n", path, only ? " named " : "",
			only ? only : "");
		return EXIT_USAGE_ERROR;
	}
	return EXIT_OK;
}

static int run(struct work *w)
{
	pthread_t threads[MAX_JOBS];
	unsigned int n = 0;
	int worst = EXIT_OK;

	while (n + 1 < w->o->jobs && n + 1 < w->nr && !pthread_create(&threads[n], NULL, worker, w))
		n++;
	worker(w);
	while (n)
		pthread_join(threads[--n], NULL);
	for (size_t i = 0; i < w->nr; i++) {
		int status = w->items[i].done ? w->items[i].status : EXIT_USAGE_ERROR;

		worst = status > worst ? status : worst;
		free(w->items[i].name);
	}
	free(w->items);
	return worst;
}

/* --- options --- */

/* What libskep reads before main: set, and start again. Returns only when there is nothing to. */
static int present(const struct options *o, char **argv)
{
	char path[PATH_MAX];
	bool again = false;
	const struct {
		const char *var, *value;
		bool file;
	} set[] = {
		{"SKEP_BTF", o->btf, true},
		{"SKEP_RELEASE", o->release, false},
		{"SKEP_KCONFIG", o->config, true},
	};

	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++) {
		const char *value = set[i].value, *now = getenv(set[i].var);

		if (!value)
			continue;
		if (set[i].file && strcmp(value, "builtin")) {
			if (!realpath(value, path) || access(path, R_OK)) {
				fprintf(stderr, "skep verify: %s: %s\n", value, strerror(errno));
				return EXIT_USAGE_ERROR;
			}
			value = path;
		}
		if (now && !strcmp(now, value))
			continue;
		setenv(set[i].var, value, 1);
		again = true;
	}
	if (!again)
		return EXIT_OK;
	execv("/proc/self/exe", argv);
	fprintf(stderr, "skep verify: /proc/self/exe: %s\n", strerror(errno));
	return EXIT_USAGE_ERROR;
}

static bool parse_number(const char *s, unsigned int max, unsigned int *ret)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (end == s || *end || !n || n > max)
		return false;
	*ret = (unsigned int)n;
	return true;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{"prog", required_argument, NULL, 'p'},
		{"btf", required_argument, NULL, 'b'},
		{"release", required_argument, NULL, 'r'},
		{"config", required_argument, NULL, 'c'},
		{"jobs", required_argument, NULL, 'j'},
		{"log-level", required_argument, NULL, 'l'},
		{"runnable", no_argument, NULL, 'R'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	unsigned int a, b, c;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:b:r:c:j:l:Rqh", longs, NULL)) != -1) {
		switch (opt) {
		case 'p':
			o->prog = optarg;
			break;
		case 'b':
			o->btf = optarg;
			break;
		case 'r':
			o->release = optarg;
			if (sscanf(optarg, "%u.%u.%u", &a, &b, &c) == 3)
				break;
			fprintf(stderr, "skep verify: --release takes X.Y.Z, as 6.18.0\n");
			return EXIT_USAGE_ERROR;
		case 'c':
			o->config = optarg;
			break;
		case 'j':
			if (parse_number(optarg, MAX_JOBS, &o->jobs))
				break;
			fprintf(stderr, "skep verify: --jobs takes a number from 1 to %d\n",
				MAX_JOBS);
			return EXIT_USAGE_ERROR;
		case 'l':
			if (parse_number(optarg, 15, &o->log_level))
				break;
			fprintf(stderr, "skep verify: --log-level takes a sum of 1, 2, 4 and 8\n");
			return EXIT_USAGE_ERROR;
		case 'R':
			o->runnable = true;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'h':
			fputs(help, stdout);
			return -1;
		default:
			fputs(help, stderr);
			return EXIT_USAGE_ERROR;
		}
	}
	if (optind == argc) {
		fputs(help, stderr);
		return EXIT_USAGE_ERROR;
	}
	return EXIT_OK;
}

int cmd_verify(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct options o = {.jobs = cpus < 1 ? 1 : cpus > MAX_JOBS ? MAX_JOBS : (unsigned int)cpus};
	struct work w = {.o = &o, .lock = PTHREAD_MUTEX_INITIALIZER};
	int err = parse(argc, argv, &o), bad = EXIT_OK;

	if (err)
		return err < 0 ? EXIT_OK : err;
	err = present(&o, argv - 1);
	if (err)
		return err;
	if (!o.runnable)
		setenv("SKEP_VERDICT_ONLY", "1", 1);
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	libbpf_set_print(keep_warnings);
	for (int i = optind; i < argc; i++) {
		int ret = add_object(&w, argv[i]);

		bad = ret > bad ? ret : bad;
	}
	err = run(&w);
	return err > bad ? err : bad;
}
