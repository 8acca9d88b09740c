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
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "skep.h"

#define MAX_ROUNDS 200
#define MAX_SETS 8
#define MAX_NOTES 4

static const char help_head[] =
	"Usage: skep bench [OPTION]... {BENCHMARK|all}...\n"
	"\n"
	"Measure one BPF object on several engines in one interleaved run.\n"
	"\n";
static const char help_tail[] =
	"\n"
	"  -e, --engine=LIST    of skep, kernel, native, vector (default: all that work here)\n"
	"  -s, --set=NAME=LIST  only these values of a parameter, for example maps=1,16,1000\n"
	"  -r, --rounds=N       measurements per engine and row (11)\n"
	"  -t, --time=SECONDS   length of one measurement (0.05)\n"
	"  -f, --format=FORMAT  text (default) or json\n"
	"  -h, --help           this text\n"
	"\n"
	"A ratio is skep's advantage: the other engine's time divided by skep's, above 1 is\n"
	"better. `elided' is a loop that compiled to nothing: there is no time to compare. The\n"
	"vector engine is native C built with the vectorisers, native C without them. The\n"
	"kernel engine needs bpf(2) (usually root). The exit status is 0, 1 when an engine that\n"
	"was asked for by name cannot run, 2 for wrong usage.\n";

static const char *const engine_names[BENCH_NR_ENGINES] = {"skep", "kernel", "native", "vector"};

struct param {
	const char *name, *value;
};

struct row {
	const struct bench_table *table;
	struct param params[BENCH_MAX_PARAMS];
	int nr_params;
};

struct worker {
	pid_t pid;
	FILE *to, *from;
	char why[200]; /* it does not run */
	char notes[MAX_NOTES][120];
	int nr_notes;
	double ns[MAX_ROUNDS], important[MAX_ROUNDS];
};

struct options {
	bool wanted[BENCH_NR_ENGINES], named;
	const char *set_name[MAX_SETS];
	char *set_values[MAX_SETS];
	int nr_sets;
	int rounds;
	double seconds;
	bool json;
};

/* --- workers --- */

/* Read up to "ready" (true) or the reason why not. */
static bool worker_ready(struct worker *w)
{
	char line[256];

	while (fgets(line, sizeof(line), w->from)) {
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, "ready"))
			return true;
		if (!strncmp(line, "skip ", 5)) {
			snprintf(w->why, sizeof(w->why), "%.190s", line + 5);
			return false;
		}
		if (!strncmp(line, "note ", 5) && w->nr_notes < MAX_NOTES)
			snprintf(w->notes[w->nr_notes++], sizeof(w->notes[0]), "%.110s", line + 5);
	}
	snprintf(w->why, sizeof(w->why), "the worker ended early");
	return false;
}

static bool worker_start(struct worker *w, int engine, const struct row *row)
{
	char self[PATH_MAX], exe[PATH_MAX], args[BENCH_MAX_PARAMS][64];
	char *argv[BENCH_MAX_PARAMS + 10];
	const char *dir = tool_dir();
	int in[2], out[2], n = 0;

	snprintf(exe, sizeof(exe), "%s/bench/skep-bench-worker", dir);
	if (access(exe, X_OK))
		snprintf(exe, sizeof(exe), "%s/../libexec/skep/skep-bench-worker", dir);
	snprintf(self, sizeof(self), "%s/skep", dir);
	if (engine == BENCH_SKEP) {
		argv[n++] = self;
		argv[n++] = "run";
		if (row->table->flags & BENCH_VERDICT_ONLY)
			argv[n++] = "--verdict-only";
		argv[n++] = "--";
	}
	argv[n++] = exe;
	argv[n++] = (char *)row->table->bench;
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
	return worker_ready(w);
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

/* No machine does a round of a loop in a fiftieth of a nanosecond: there is none. */
static bool is_elided(const struct row *row, const struct worker *w, int n)
{
	return row->table->flags & BENCH_LOOP && summarize(w->ns, n).median < 0.02;
}

/* --- output --- */

/* What a row gave: the workers and which of them ran. */
struct outcome {
	struct worker w[BENCH_NR_ENGINES];
	bool ran[BENCH_NR_ENGINES];
};

/* skep's advantage over @e; 0: none can be given. */
static double advantage(const struct row *row, const struct outcome *o, int e, int n)
{
	if (!o->ran[BENCH_SKEP] || !o->ran[e] || is_elided(row, &o->w[BENCH_SKEP], n) ||
	    is_elided(row, &o->w[e], n))
		return 0;
	return median_ratio(&o->w[e], &o->w[BENCH_SKEP], n);
}

static const char *unit(const struct bench_table *t)
{
	return t->unit ? t->unit : "ns/op";
}

static bool first_json = true;

static void print_json_ratio(const char *name, double ratio)
{
	if (ratio > 0)
		printf(", \"%s\": %.3f", name, ratio);
	else
		printf(", \"%s\": null", name);
}

static void print_json(const struct row *row, const struct outcome *out, int e, int n)
{
	const struct worker *w = &out->w[e];
	struct figure f = summarize(w->ns, n), important = summarize(w->important, n);

	printf("%s\n  {\"bench\": \"%s\", \"params\": {", first_json ? "[" : ",",
	       row->table->bench);
	first_json = false;
	for (int i = 0; i < row->nr_params; i++) {
		const char *v = row->params[i].value;
		bool number = strspn(v, "0123456789") == strlen(v);

		printf("%s\"%s\": %s%s%s", i ? ", " : "", row->params[i].name, number ? "" : "\"",
		       v, number ? "" : "\"");
	}
	printf("}, \"engine\": \"%s\", \"metric\": \"latency\", \"unit\": \"%s\", "
	       "\"median\": %.4f, \"lo\": %.4f, \"hi\": %.4f",
	       engine_names[e], unit(row->table), f.median, f.lo, f.hi);
	if (important.median > 0)
		printf(", \"important_hits\": %.3f", important.median);
	if (is_elided(row, w, n))
		printf(", \"elided\": true");
	print_json_ratio("ratio", e == BENCH_SKEP ? advantage(row, out, BENCH_KERNEL, n) : 0);
	print_json_ratio("ratio_native",
			 e == BENCH_SKEP ? advantage(row, out, BENCH_NATIVE, n) : 0);
	if (row->table->engines & 1u << BENCH_VECTOR)
		print_json_ratio("ratio_vector",
				 e == BENCH_SKEP ? advantage(row, out, BENCH_VECTOR, n) : 0);
	printf(", \"notes\": [");
	for (int i = 0; i < w->nr_notes; i++)
		printf("%s\"%s\"", i ? ", " : "", w->notes[i]);
	printf("]}");
}

static bool shows(const struct bench_table *t, const struct options *o, int e)
{
	return o->wanted[e] && t->engines >> e & 1;
}

static void print_head(const struct row *row, const struct options *o)
{
	printf("%s: %s (%s, median [10%%..90%%] of %d rounds)\n", row->table->bench,
	       row->table->help, unit(row->table), o->rounds);
	for (int i = 0; i < row->nr_params; i++)
		printf("%-12s", row->params[i].name);
	for (int e = 0; e < BENCH_NR_ENGINES; e++)
		if (shows(row->table, o, e))
			printf("%-28s", engine_names[e]);
	for (int e = BENCH_SKEP + 1; e < BENCH_NR_ENGINES; e++)
		if (shows(row->table, o, e))
			printf("%5s%-7s", "vs ", engine_names[e]);
	printf("\n");
}

static void print_text(const struct row *row, const struct outcome *out, const struct options *o)
{
	for (int i = 0; i < row->nr_params; i++)
		printf("%-12s", row->params[i].value);
	for (int e = 0; e < BENCH_NR_ENGINES; e++) {
		char cell[64] = "-";

		if (!shows(row->table, o, e))
			continue;
		if (out->ran[e] && is_elided(row, &out->w[e], o->rounds)) {
			snprintf(cell, sizeof(cell), "elided");
		} else if (out->ran[e]) {
			struct figure f = summarize(out->w[e].ns, o->rounds);

			int digits = f.median >= 10000 ? 0 : 2;

			snprintf(cell, sizeof(cell), "%.*f [%.*f..%.*f]", digits, f.median, digits,
				 f.lo, digits, f.hi);
		}
		printf("%-28s", cell);
	}
	for (int e = BENCH_SKEP + 1; e < BENCH_NR_ENGINES; e++) {
		double ratio = advantage(row, out, e, o->rounds);

		if (!shows(row->table, o, e))
			continue;
		if (ratio > 0)
			printf("%8.2f x  ", ratio);
		else
			printf("%8s    ", "-");
	}
	printf("\n");
	for (int e = 0; e < BENCH_NR_ENGINES; e++)
		for (int i = 0; out->ran[e] && i < out->w[e].nr_notes; i++)
			printf("    %s: %s\n", engine_names[e], out->w[e].notes[i]);
}

/* --- rows --- */

struct mean {
	double log_sum[BENCH_NR_ENGINES];
	int n[BENCH_NR_ENGINES];
};

static void add_to_mean(struct mean *m, const struct row *row, const struct outcome *out, int n)
{
	for (int e = BENCH_SKEP + 1; e < BENCH_NR_ENGINES; e++) {
		double ratio = advantage(row, out, e, n);

		if (ratio > 0) {
			m->log_sum[e] += log(ratio);
			m->n[e]++;
		}
	}
}

static void print_mean(const struct mean *m)
{
	for (int e = BENCH_SKEP + 1; e < BENCH_NR_ENGINES; e++)
		if (m->n[e])
			printf("geometric mean vs %s: %.2f x (%.2f times its time)\n",
			       engine_names[e], exp(m->log_sum[e] / m->n[e]),
			       exp(-m->log_sum[e] / m->n[e]));
}

/* 0, or 1 when an engine asked for by name cannot run. */
static int run_row(const struct row *row, const struct options *o, struct mean *mean)
{
	static struct outcome out;
	static bool told[BENCH_NR_ENGINES];
	struct worker *w = out.w;
	bool *ran = out.ran;
	int ret = 0;

	memset(&out, 0, sizeof(out));
	for (int e = 0; e < BENCH_NR_ENGINES; e++)
		ran[e] = shows(row->table, o, e) && worker_start(&w[e], e, row) &&
			 worker_measure(&w[e], o->seconds / 2, -1);
	for (int r = 0; r < o->rounds; r++)
		for (int i = 0; i < BENCH_NR_ENGINES; i++) {
			int e = (i + r) % BENCH_NR_ENGINES;

			if (ran[e])
				ran[e] = worker_measure(&w[e], o->seconds, r);
		}
	for (int e = 0; e < BENCH_NR_ENGINES; e++) {
		worker_stop(&w[e]);
		if (shows(row->table, o, e) && !ran[e]) {
			ret |= o->named;
			if (!told[e])
				fprintf(stderr, "skep bench: %s: %s\n", engine_names[e], w[e].why);
			told[e] = true;
		}
		if (o->json && ran[e])
			print_json(row, &out, e, o->rounds);
	}
	add_to_mean(mean, row, &out, o->rounds);
	if (!o->json)
		print_text(row, &out, o);
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

/* All rows that begin as @row does. */
static int run_rows(struct row *row, const struct options *o, struct mean *mean, bool *head)
{
	const struct bench_table *t = row->table;
	int n = row->nr_params, ret = 0;
	char *values, *save = NULL;

	if (n == BENCH_MAX_PARAMS || !t->params[n].name) {
		if (!*head && !o->json)
			print_head(row, o);
		*head = true;
		return run_row(row, o, mean);
	}
	values = strdup(chosen(o, t->params[n].name, t->params[n].values));
	for (char *v = strtok_r(values, ",", &save); v; v = strtok_r(NULL, ",", &save)) {
		row->params[n] = (struct param){t->params[n].name, v};
		row->nr_params = n + 1;
		ret |= run_rows(row, o, mean, head);
	}
	row->nr_params = n;
	free(values);
	return ret;
}

static bool has_param(const struct bench_table *t, const char *name)
{
	for (int i = 0; i < BENCH_MAX_PARAMS && t->params[i].name; i++)
		if (!strcmp(t->params[i].name, name))
			return true;
	return false;
}

/* A parameter is set that only another table of this benchmark has. */
static bool is_passed_over(const struct bench_table *t, const struct options *o)
{
	for (int i = 0; i < o->nr_sets; i++)
		for (const struct bench_table *u = bench_tables; u->bench; u++)
			if (!strcmp(u->bench, t->bench) && has_param(u, o->set_name[i]) &&
			    !has_param(t, o->set_name[i]))
				return true;
	return false;
}

/* Tables of benchmark @name, or all; -1: there is none such. */
static int run_tables(const char *name, const struct options *o)
{
	bool all = !strcmp(name, "all"), known = all;
	int ret = 0;

	for (const struct bench_table *t = bench_tables; t->bench; t++) {
		struct row row = {.table = t};
		struct mean mean = {{0}, {0}};
		bool head = false;

		if (!all && strcmp(name, t->bench))
			continue;
		known = true;
		if (is_passed_over(t, o))
			continue;
		ret |= run_rows(&row, o, &mean, &head);
		if (t->flags & BENCH_GEOMEAN && !o->json)
			print_mean(&mean);
		if (!o->json)
			printf("\n");
	}
	return known ? ret : -1;
}

static void print_help(FILE *to)
{
	const char *last = "";

	fputs(help_head, to);
	for (const struct bench_table *t = bench_tables; t->bench; t++) {
		fprintf(to, "  %-15s %s\n", strcmp(last, t->bench) ? t->bench : "", t->help);
		for (int i = 0; i < BENCH_MAX_PARAMS && t->params[i].name; i++)
			fprintf(to, "%20s%s=%s\n", "", t->params[i].name, t->params[i].values);
		last = t->bench;
	}
	fputs(help_tail, to);
}

static int parse_engines(struct options *o, char *list)
{
	char *save = NULL;

	memset(o->wanted, 0, sizeof(o->wanted));
	o->named = true;
	for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		int e = 0;

		while (e < BENCH_NR_ENGINES && strcmp(engine_names[e], s))
			e++;
		if (e == BENCH_NR_ENGINES) {
			fprintf(stderr,
				"skep bench: unknown engine `%s' (skep, kernel, native, vector)\n",
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

	if (!eq || o->nr_sets == MAX_SETS) {
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
	struct options o = {.wanted = {true, true, true, true}, .rounds = 11, .seconds = 0.05};
	int opt, ret = 0;

	while ((opt = getopt_long(argc, argv, "e:s:r:t:f:h", longs, NULL)) != -1) {
		if (opt == 'h') {
			print_help(stdout);
			return EXIT_OK;
		}
		if (parse_option(&o, opt)) {
			print_help(stderr);
			return EXIT_USAGE_ERROR;
		}
	}
	if (optind == argc) {
		print_help(stderr);
		return EXIT_USAGE_ERROR;
	}
	for (; optind < argc; optind++) {
		int err = run_tables(argv[optind], &o);

		if (err < 0) {
			fprintf(stderr, "skep bench: unknown benchmark `%s'\n", argv[optind]);
			return EXIT_USAGE_ERROR;
		}
		ret |= err;
	}
	if (o.json)
		printf("%s\n", first_json ? "[]" : "\n]");
	return ret;
}
