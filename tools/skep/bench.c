/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep bench: the same object on skep, on the kernel, and as native C, in one interleaved run.
 *
 * Every engine is a worker process. A round asks each in turn for a short measurement, in an
 * order that rotates, so that a noisy moment hits all of them; a figure is the median over the
 * rounds, lo and hi are the 10th and 90th percentiles, and a ratio is the median of the ratios
 * within rounds.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "skep.h"

#define MAX_ROUNDS 200
#define MAX_PARAMS 4

static const char help[] =
	"Usage: skep bench [OPTION]... {local-storage|bpf-loop|verify}...\n"
	"\n"
	"Measure one BPF object on several engines in one interleaved run.\n"
	"\n"
	"  local-storage   task-storage look-ups, maps=1..1000, access=sequential|interleaved;\n"
	"                  and as a control hash-map look-ups of random keys, keys=10..4194304\n"
	"  bpf-loop        iterations of an empty bpf_loop callback, loops=10..1000000\n"
	"  verify          the verifier, per instruction processed, by its own clock;\n"
	"                  program=loop|wide|limit|stack|maps|calls|rounds\n"
	"\n"
	"  -e, --engine=LIST    of skep, kernel, native (default: all that work here)\n"
	"  -s, --set=NAME=LIST  only these values of a parameter, for example maps=1,16,1000\n"
	"  -r, --rounds=N       measurements per engine and row (11)\n"
	"  -t, --time=SECONDS   length of one measurement (0.05)\n"
	"  -f, --format=FORMAT  text (default) or json\n"
	"  -h, --help           this text\n"
	"\n"
	"A ratio is skep's advantage: the other engine's time divided by skep's, above 1 is\n"
	"better. The kernel engine needs bpf(2) (usually root). The exit status is 0, 1 when an\n"
	"engine that was asked for by name cannot run, 2 for wrong usage.\n";

enum { SKEP, KERNEL, NATIVE, NR_ENGINES };
static const char *const engine_names[NR_ENGINES] = {"skep", "kernel", "native"};

struct param {
	const char *name, *value;
};

struct row {
	const char *bench;
	struct param params[MAX_PARAMS];
	int nr_params;
};

struct worker {
	pid_t pid;
	FILE *to, *from;
	char why[200]; /* it does not run */
	double ns[MAX_ROUNDS], important[MAX_ROUNDS];
};

struct options {
	bool wanted[NR_ENGINES], named;
	const char *set_name[MAX_PARAMS];
	char *set_values[MAX_PARAMS];
	int nr_sets;
	int rounds;
	double seconds;
	bool json;
};

/* --- workers --- */

static bool worker_start(struct worker *w, int engine, const struct row *row)
{
	char self[PATH_MAX], exe[PATH_MAX], args[MAX_PARAMS][64], line[256];
	char *argv[MAX_PARAMS + 10];
	const char *dir = tool_dir();
	int in[2], out[2], n = 0;

	snprintf(exe, sizeof(exe), "%s/bench/skep-bench-worker", dir);
	if (access(exe, X_OK))
		snprintf(exe, sizeof(exe), "%s/../libexec/skep/skep-bench-worker", dir);
	snprintf(self, sizeof(self), "%s/skep", dir);
	if (engine == SKEP) {
		argv[n++] = self;
		argv[n++] = "run";
		if (!strcmp(row->bench, "verify"))
			argv[n++] = "--verdict-only";
		argv[n++] = "--";
	}
	argv[n++] = exe;
	argv[n++] = (char *)row->bench;
	argv[n++] = (char *)engine_names[engine];
	for (int i = 0; i < row->nr_params; i++) {
		snprintf(args[i], sizeof(args[i]), "%s=%s", row->params[i].name,
			 row->params[i].value);
		argv[n++] = args[i];
	}
	argv[n] = NULL;
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	fflush(stdout);
	w->pid = fork();
	if (w->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execv(argv[0], argv);
		printf("skip %s: %s\n", argv[0], strerror(errno));
		fflush(stdout);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	w->to = fdopen(in[1], "w");
	w->from = fdopen(out[0], "r");
	if (!fgets(line, sizeof(line), w->from)) {
		snprintf(w->why, sizeof(w->why), "the worker ended early");
	} else if (!strncmp(line, "skip ", 5)) {
		line[strcspn(line, "\n")] = 0;
		snprintf(w->why, sizeof(w->why), "%.190s", line + 5);
	}
	return !w->why[0];
}

static void worker_stop(struct worker *w)
{
	if (!w->pid)
		return;
	fclose(w->to);
	fclose(w->from);
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
}

static bool worker_measure(struct worker *w, double seconds, int round)
{
	long hits, important;
	unsigned long long ns;
	char line[128];

	fprintf(w->to, "%g\n", seconds);
	fflush(w->to);
	if (!fgets(line, sizeof(line), w->from) ||
	    sscanf(line, "%ld %ld %llu", &hits, &important, &ns) != 3 || hits <= 0) {
		snprintf(w->why, sizeof(w->why), "a measurement failed");
		return false;
	}
	if (round >= 0) {
		w->ns[round] = (double)ns / (double)hits;
		w->important[round] = (double)important / (double)ns * 1000;
	}
	return true;
}

/* --- statistics --- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct figure {
	double median, lo, hi;
};

static struct figure summarize(const double *v, int n)
{
	double s[MAX_ROUNDS];

	memcpy(s, v, (size_t)n * sizeof(*s));
	qsort(s, (size_t)n, sizeof(*s), compare);
	return (struct figure){
		n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2,
		s[n / 10],
		s[n - 1 - n / 10],
	};
}

static double median_ratio(const struct worker *over, const struct worker *under, int n)
{
	double r[MAX_ROUNDS];

	for (int i = 0; i < n; i++)
		r[i] = over->ns[i] / under->ns[i];
	return summarize(r, n).median;
}

/* --- output --- */

static bool first_json = true;

static void print_json(const struct row *row, struct worker w[], const bool ran[], int e, int n)
{
	struct figure f = summarize(w[e].ns, n);

	printf("%s\n  {\"bench\": \"%s\", \"params\": {", first_json ? "[" : ",", row->bench);
	first_json = false;
	for (int i = 0; i < row->nr_params; i++) {
		const char *v = row->params[i].value;
		bool number = strspn(v, "0123456789") == strlen(v);

		printf("%s\"%s\": %s%s%s", i ? ", " : "", row->params[i].name, number ? "" : "\"",
		       v, number ? "" : "\"");
	}
	printf("}, \"engine\": \"%s\", \"metric\": \"latency\", \"unit\": \"ns/op\", \"median\": "
	       "%.4f, "
	       "\"lo\": %.4f, \"hi\": %.4f",
	       engine_names[e], f.median, f.lo, f.hi);
	if (e == SKEP && ran[KERNEL])
		printf(", \"ratio\": %.3f", median_ratio(&w[KERNEL], &w[SKEP], n));
	else
		printf(", \"ratio\": null");
	if (e == SKEP && ran[NATIVE])
		printf(", \"ratio_native\": %.3f", median_ratio(&w[NATIVE], &w[SKEP], n));
	else
		printf(", \"ratio_native\": null");
	printf("}");
}

static void print_head(const struct row *row, const struct options *o)
{
	printf("%s (ns/op, median [10%%..90%%] of %d rounds)\n", row->bench, o->rounds);
	for (int i = 0; i < row->nr_params; i++)
		printf("%-12s", row->params[i].name);
	for (int e = 0; e < NR_ENGINES; e++)
		if (o->wanted[e])
			printf("%-28s", engine_names[e]);
	printf("%12s%12s\n", "vs kernel", "vs native");
}

static void print_text(const struct row *row, struct worker w[], const bool ran[],
		       const struct options *o)
{
	for (int i = 0; i < row->nr_params; i++)
		printf("%-12s", row->params[i].value);
	for (int e = 0; e < NR_ENGINES; e++) {
		char cell[64] = "-";

		if (!o->wanted[e])
			continue;
		if (ran[e]) {
			struct figure f = summarize(w[e].ns, o->rounds);

			snprintf(cell, sizeof(cell), "%.2f [%.2f..%.2f]", f.median, f.lo, f.hi);
		}
		printf("%-28s", cell);
	}
	if (ran[SKEP] && ran[KERNEL])
		printf("%10.2f x", median_ratio(&w[KERNEL], &w[SKEP], o->rounds));
	else
		printf("%12s", "-");
	if (ran[SKEP] && ran[NATIVE])
		printf("%10.2f x", median_ratio(&w[NATIVE], &w[SKEP], o->rounds));
	else
		printf("%12s", "-");
	printf("\n");
}

/* --- rows --- */

/* 0, or 1 when an engine asked for by name cannot run. */
static int run_row(const struct row *row, const struct options *o)
{
	static struct worker w[NR_ENGINES];
	static bool told[NR_ENGINES];
	bool ran[NR_ENGINES] = {false};
	int ret = 0;

	memset(w, 0, sizeof(w));
	for (int e = 0; e < NR_ENGINES; e++)
		ran[e] = o->wanted[e] && worker_start(&w[e], e, row) &&
			 worker_measure(&w[e], o->seconds / 2, -1);
	for (int r = 0; r < o->rounds; r++)
		for (int i = 0; i < NR_ENGINES; i++) {
			int e = (i + r) % NR_ENGINES;

			if (ran[e])
				ran[e] = worker_measure(&w[e], o->seconds, r);
		}
	for (int e = 0; e < NR_ENGINES; e++) {
		worker_stop(&w[e]);
		if (o->wanted[e] && !ran[e]) {
			ret |= o->named;
			if (!told[e])
				fprintf(stderr, "skep bench: %s: %s\n", engine_names[e], w[e].why);
			told[e] = true;
		}
		if (o->json && ran[e])
			print_json(row, w, ran, e, o->rounds);
	}
	if (!o->json)
		print_text(row, w, ran, o);
	fflush(stdout);
	return ret;
}

static const char *chosen(const struct options *o, const char *name, const char *usual)
{
	for (int i = 0; i < o->nr_sets; i++)
		if (!strcmp(o->set_name[i], name))
			return o->set_values[i];
	return usual;
}

static int run_bench(const char *bench, const char *outer, const char *outer_values,
		     const char *inner, const char *inner_values, const struct options *o)
{
	char *a = strdup(chosen(o, outer, outer_values)), *save_a = NULL;
	bool head = false;
	int ret = 0;

	for (char *x = strtok_r(a, ",", &save_a); x; x = strtok_r(NULL, ",", &save_a)) {
		char *b = strdup(inner ? chosen(o, inner, inner_values) : "-"), *save_b = NULL;

		for (char *y = strtok_r(b, ",", &save_b); y; y = strtok_r(NULL, ",", &save_b)) {
			struct row row = {.bench = bench};

			if (inner)
				row.params[row.nr_params++] = (struct param){inner, y};
			row.params[row.nr_params++] = (struct param){outer, x};
			if (!head && !o->json)
				print_head(&row, o);
			head = true;
			ret |= run_row(&row, o);
		}
		free(b);
	}
	free(a);
	return ret;
}

/* Both tables, or the one whose parameter was set. */
static int run_local_storage(const struct options *o)
{
	bool maps = chosen(o, "maps", NULL), keys = chosen(o, "keys", NULL);
	int ret = 0;

	if (maps || !keys)
		ret |= run_bench("local-storage", "maps", "1,10,16,17,24,32,100,1000", "access",
				 "sequential,interleaved", o);
	if (keys || !maps)
		ret |= run_bench("local-storage", "keys", "10,1000,10000,100000,4194304", NULL,
				 NULL, o);
	return ret;
}

static int parse_engines(struct options *o, char *list)
{
	char *save = NULL;

	memset(o->wanted, 0, sizeof(o->wanted));
	o->named = true;
	for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		int e = 0;

		while (e < NR_ENGINES && strcmp(engine_names[e], s))
			e++;
		if (e == NR_ENGINES) {
			fprintf(stderr, "skep bench: unknown engine `%s' (skep, kernel, native)\n",
				s);
			return -1;
		}
		o->wanted[e] = true;
	}
	return 0;
}

static int parse_set(struct options *o, char *arg)
{
	char *eq = strchr(arg, '=');

	if (!eq || o->nr_sets == MAX_PARAMS) {
		fprintf(stderr, "skep bench: --set wants NAME=VALUE[,VALUE]...\n");
		return -1;
	}
	*eq = 0;
	o->set_name[o->nr_sets] = arg;
	o->set_values[o->nr_sets++] = eq + 1;
	return 0;
}

static int parse_option(struct options *o, int opt)
{
	switch (opt) {
	case 'e':
		return parse_engines(o, optarg);
	case 's':
		return parse_set(o, optarg);
	case 'r':
		o->rounds = atoi(optarg);
		return o->rounds >= 1 && o->rounds <= MAX_ROUNDS ? 0 : -1;
	case 't':
		o->seconds = atof(optarg);
		return o->seconds > 0 ? 0 : -1;
	case 'f':
		o->json = !strcmp(optarg, "json");
		return o->json || !strcmp(optarg, "text") ? 0 : -1;
	default:
		return -1;
	}
}

int cmd_bench(int argc, char **argv)
{
	static const struct option longs[] = {
		{"engine", required_argument, NULL, 'e'},
		{"set", required_argument, NULL, 's'},
		{"rounds", required_argument, NULL, 'r'},
		{"time", required_argument, NULL, 't'},
		{"format", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct options o = {.wanted = {true, true, true}, .rounds = 11, .seconds = 0.05};
	int opt, ret = 0;

	while ((opt = getopt_long(argc, argv, "e:s:r:t:f:h", longs, NULL)) != -1) {
		if (opt == 'h') {
			fputs(help, stdout);
			return EXIT_OK;
		}
		if (parse_option(&o, opt)) {
			fputs(help, stderr);
			return EXIT_USAGE_ERROR;
		}
	}
	if (optind == argc) {
		fputs(help, stderr);
		return EXIT_USAGE_ERROR;
	}
	for (; optind < argc; optind++) {
		if (!strcmp(argv[optind], "local-storage")) {
			ret |= run_local_storage(&o);
		} else if (!strcmp(argv[optind], "bpf-loop")) {
			ret |= run_bench("bpf-loop", "loops", "10,100,1000,10000,100000", NULL,
					 NULL, &o);
		} else if (!strcmp(argv[optind], "verify")) {
			ret |= run_bench("verify", "program",
					 "loop,wide,limit,stack,maps,calls,rounds", NULL, NULL, &o);
		} else {
			fprintf(stderr, "skep bench: unknown benchmark `%s'\n", argv[optind]);
			return EXIT_USAGE_ERROR;
		}
	}
	if (o.json)
		printf("%s\n", first_json ? "[]" : "\n]");
	return ret;
}
