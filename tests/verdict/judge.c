/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict on each program of an object, one line a program, from whichever bpf(2) this process
 * has: judge OBJECT [PROGRAM]
 *
 *   name TAB verdict TAB processed TAB final message TAB expected message
 *
 * verdict: "ok" or the errno's name; "refused" where the load fails with EPERM and an empty log
 * (program types that a system forbids by policy) or where the type itself is unknown. The final
 * message is the last line of the log before the statistics. The expected message is the program's
 * decl tag "msg:…", for programs that a kernel at hand refuses so. With PROGRAM: that one's whole
 * log of level 2 instead.
 *
 * A program with decl tags "target:PROGRAM" and "func:FUNCTION" is to extend that function of
 * another program of the object, which is loaded first.
 *
 * Each program is loaded alone, from an object opened afresh, with unmodified libbpf. Section
 * names that libbpf is too old to know are given their types as `skep verify' does.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alone.h"

#define LOG_SIZE (64u << 20)

static char *log_buf;
static char warning[1024];

static int keep_warning(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && !warning[0])
		vsnprintf(warning, sizeof(warning), fmt, ap);
	return 0;
}

/* Number N of the program's decl tag "PREFIX…", or NULL. */
static const char *tag(const struct btf *btf, const char *func, const char *prefix)
{
	unsigned int n = btf ? btf__type_cnt(btf) : 0;

	for (unsigned int i = 1; i < n; i++) {
		const struct btf_type *t = btf__type_by_id(btf, i), *f;
		const char *s = btf__name_by_offset(btf, t->name_off);

		if (!btf_is_decl_tag(t) || strncmp(s, prefix, strlen(prefix)))
			continue;
		f = btf__type_by_id(btf, t->type);
		if (btf_is_func(f) && !strcmp(btf__name_by_offset(btf, f->name_off), func))
			return s + strlen(prefix);
	}
	return NULL;
}

static struct bpf_object *targets[4];
static unsigned int nr_targets;

/*
 * Load the program that decl tag "target:PROGRAM" on program @name says to extend, which may itself
 * extend one: its descriptor, 0 without such a tag, or -errno. Its object is in targets[].
 */
static int load_target(const char *path, const char *name, const struct btf *btf)
{
	const char *target = tag(btf, name, "target:");
	struct bpf_object *obj;
	struct bpf_program *p;
	int fd, err;

	if (!target || nr_targets == sizeof(targets) / sizeof(*targets))
		return 0;
	fd = load_target(path, target, btf);
	if (fd < 0)
		return fd;
	obj = bpf_object__open_file(path, NULL);
	if (!obj)
		return -errno;
	targets[nr_targets++] = obj;
	bpf_object__for_each_program(p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), target));
	p = bpf_object__find_program_by_name(obj, target);
	if (!p)
		return -ENOENT;
	err = fd ? bpf_program__set_attach_target(p, fd, tag(btf, target, "func:")) : 0;
	if (!err)
		err = bpf_object__load(obj);
	return err ? err : bpf_program__fd(p);
}

static int load(const char *path, const char *name, const struct btf *btf, unsigned int level)
{
	const char *flags = tag(btf, name, "flags:"), *func = tag(btf, name, "func:");
	struct alone_opts o = {.path = path,
			       .program = name,
			       .log_level = level,
			       .flags = flags ? (unsigned int)strtoul(flags, NULL, 0) : 0,
			       .target_func = func,
			       .log = log_buf,
			       .log_size = LOG_SIZE};
	int err;

	log_buf[0] = 0;
	o.target_fd = err = load_target(path, name, btf);
	warning[0] = 0;
	if (err >= 0)
		err = skep_load_alone(&o);
	while (nr_targets)
		bpf_object__close(targets[--nr_targets]);
	return err;
}

/* The reason: the log's last line before the statistics, without its newline; cut at 200. */
static void final_message(char *to, size_t size)
{
	char *stats = strstr(log_buf, "\nprocessed "), *end, *start;

	for (char *s = stats; s; s = strstr(s + 1, "\nprocessed "))
		stats = s;
	end = stats ? stats : log_buf + strlen(log_buf);
	if (!strncmp(log_buf, "processed ", 10))
		end = log_buf;
	while (end > log_buf && end[-1] == '\n')
		end--;
	for (start = end; start > log_buf && start[-1] != '\n';)
		start--;
	/* What was wrong with the arguments stands before. */
	if (!strncmp(start, "Caller passes invalid args", 26) && start > log_buf) {
		for (end = --start; start > log_buf && start[-1] != '\n';)
			start--;
	}
	snprintf(to, size, "%.*s", (int)(end - start > 200 ? 200 : end - start), start);
}

static const char *errno_name(int err)
{
	const char *s;

	if (err == 524)
		return "ENOTSUPP";
	s = strerrorname_np(err);
	return s ? s : "?";
}

/* Does whoever answers here know programs of the section's type at all? */
static bool has_type(const char *section)
{
	enum bpf_prog_type type;
	enum bpf_attach_type attach;

	return libbpf_prog_type_by_name(section, &type, &attach) ||
	       libbpf_probe_bpf_prog_type(type, NULL);
}

static void judge(const char *path, const char *name, const char *section, const struct btf *btf)
{
	const char *expected = tag(btf, name, "msg:"), *stats;
	unsigned int processed = 0;
	char message[256] = "";
	int err = load(path, name, btf, 4);

	stats = strstr(log_buf, "processed ");
	if (stats)
		processed = (unsigned int)strtoul(stats + 10, NULL, 10);
	if (!log_buf[0] && (err == -EPERM || (err == -EINVAL && !has_type(section)))) {
		printf("%s\trefused\t0\t\t%s\n", name, expected ? expected : "");
		return;
	}
	if (err) {
		load(path, name, btf, 1);
		final_message(message, sizeof(message));
		if (!log_buf[0])
			snprintf(message, sizeof(message), "before verification");
	}
	printf("%s\t%s\t%u\t%s\t%s\n", name, err ? errno_name(-err) : "ok", processed, message,
	       expected ? expected : "");
}

static int probe(void)
{
	struct bpf_insn insns[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
				   {.code = BPF_JMP | BPF_EXIT}};

	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, NULL, "GPL", insns, 2, NULL) < 0;
}

int main(int argc, char **argv)
{
	struct bpf_object *obj;
	struct bpf_program *p;

	if (argc < 2) {
		fprintf(stderr, "usage: judge --probe | OBJECT [PROGRAM]\n");
		return 2;
	}
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	libbpf_set_print(keep_warning);
	if (!strcmp(argv[1], "--probe"))
		return probe();
	log_buf = malloc(LOG_SIZE);
	obj = bpf_object__open_file(argv[1], NULL);
	if (!log_buf || !obj) {
		fprintf(stderr, "judge: %s: %s\n%s", argv[1], strerror(errno), warning);
		return 2;
	}
	if (argc > 2) {
		int err = load(argv[1], argv[2], bpf_object__btf(obj), 2);

		printf("%s%s\nverdict %d\n", log_buf, warning, err);
		return 0;
	}
	bpf_object__for_each_program(p, obj) judge(
		argv[1], bpf_program__name(p), bpf_program__section_name(p), bpf_object__btf(obj));
	bpf_object__close(obj);
	return 0;
}
