/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep run: start a program with its bpf(2) answered by skep.
 *
 * The work is done by libskep.so, preloaded into the program; this command finds the library,
 * looks at the target's ELF header, sets the environment and execs. A program that cannot be
 * preloaded (static, set-user-id) is refused here rather than let loose on the real bpf(2).
 *
 * Sanitizer runtimes insist on coming first in the list of libraries, so the one that the target
 * was linked with, or else libskep's own, is preloaded before libskep.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "skep.h"

/* As shells and env(1) answer. */
#define EXIT_USAGE 125
#define EXIT_CANNOT_EXEC 126
#define EXIT_NOT_FOUND 127

#define LIBRARY "libskep.so"

static const char help[] =
	"Usage: skep run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	"\n"
	"Run COMMAND with its bpf(2) answered by skep instead of the kernel. No privileges are\n"
	"needed. Programs that COMMAND loads are verified, compiled and fired by COMMAND's own\n"
	"system calls.\n"
	"\n"
	"  -t, --trace[=FILE]   print each bpf(2) with its attr, result and reason (to stderr)\n"
	"  -c, --cpus=N         present N virtual CPUs (default: the host's)\n"
	"  -b, --btf=FILE       present FILE as /sys/kernel/btf/vmlinux (default: the host's;\n"
	"                       `builtin': the small one that hosts without BTF get)\n"
	"  -e, --engine=ENGINE  run programs by `jit' (default) or `interp'\n"
	"  -V, --verdict-only   verify as the presented kernel would, whether skep can run a\n"
	"                       program or not; maps hold nothing and nothing runs\n"
	"  -h, --help           this text\n"
	"\n"
	"The exit status is COMMAND's own; 125: wrong usage, 126: COMMAND cannot be run under\n"
	"skep, 127: COMMAND was not found.\n";

/* --- the library --- */

static bool readable(const char *path)
{
	return access(path, R_OK) == 0;
}

/* Beside this executable in a build tree, below ../lib when installed; SKEP_LIB overrides. */
static bool find_library(char ret_path[PATH_MAX])
{
	static const char *const places[] = {
		"../src/" LIBRARY,
		"src/" LIBRARY,
		"../../src/" LIBRARY,
		LIBRARY,
		"../lib/" LIBRARY,
		"../lib/skep/" LIBRARY,
		"../lib/x86_64-linux-gnu/" LIBRARY,
		"../lib64/" LIBRARY,
	};
	const char *given = getenv("SKEP_LIB");
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n;
	char *slash;

	if (given && *given)
		return realpath(given, ret_path) && readable(ret_path);
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return false;
	self[n] = 0;
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		if (readable(path) && realpath(path, ret_path))
			return true;
	}
	return false;
}

/* --- the target --- */

/* execvp's search. 0 with the path, or the exit status for a reason that was printed. */
static int find_command(const char *name, char ret_path[PATH_MAX])
{
	const char *dirs = getenv("PATH");
	bool denied = false;

	if (strchr(name, '/')) {
		snprintf(ret_path, PATH_MAX, "%s", name);
		if (access(ret_path, F_OK)) {
			fprintf(stderr, "skep run: %s: %s\n", name, strerror(errno));
			return EXIT_NOT_FOUND;
		}
		if (access(ret_path, X_OK)) {
			fprintf(stderr, "skep run: %s: %s\n", name, strerror(errno));
			return EXIT_CANNOT_EXEC;
		}
		return 0;
	}
	for (const char *d = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; *d;) {
		size_t n = strcspn(d, ":");
		struct stat st;

		snprintf(ret_path, PATH_MAX, "%.*s%s%s", (int)n, d, n ? "/" : "", name);
		if (!stat(ret_path, &st) && S_ISREG(st.st_mode)) {
			if (!access(ret_path, X_OK))
				return 0;
			denied = true;
		}
		d += n + (d[n] == ':');
	}
	fprintf(stderr, "skep run: %s: %s\n", name, denied ? "permission denied" : "not found");
	return denied ? EXIT_CANNOT_EXEC : EXIT_NOT_FOUND;
}

struct target {
	const uint8_t *data;
	size_t size;
	bool is_elf, is_dynamic;
	bool is_library_instrumented;
	char sanitizer[64]; /* its runtime's soname, or "" */
};

/* File offset of a virtual address; 0 when no segment has it. */
static size_t offset_of(const struct target *t, const Elf64_Ehdr *eh, uint64_t addr)
{
	for (unsigned int i = 0; i < eh->e_phnum; i++) {
		const Elf64_Phdr *ph = (const void *)(t->data + eh->e_phoff + i * sizeof(*ph));

		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr < ph->p_filesz)
			return ph->p_offset + (addr - ph->p_vaddr);
	}
	return 0;
}

static bool is_sanitizer(const char *soname)
{
	static const char *const runtimes[] = {"libasan.so", "libtsan.so", "libubsan.so",
					       "liblsan.so", "libclang_rt."};

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (!strncmp(soname, runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

static void look_at_needed(struct target *t, const Elf64_Ehdr *eh, const Elf64_Phdr *dyn)
{
	size_t n = dyn->p_filesz / sizeof(Elf64_Dyn), strtab = 0;
	const Elf64_Dyn *d = (const void *)(t->data + dyn->p_offset);

	if (dyn->p_offset + dyn->p_filesz > t->size)
		return;
	for (size_t i = 0; i < n && d[i].d_tag != DT_NULL; i++)
		if (d[i].d_tag == DT_STRTAB)
			strtab = offset_of(t, eh, d[i].d_un.d_ptr);
	for (size_t i = 0; strtab && i < n && d[i].d_tag != DT_NULL; i++) {
		size_t at = strtab + d[i].d_un.d_val;
		const char *name = (const char *)t->data + at;

		if (d[i].d_tag != DT_NEEDED || at >= t->size ||
		    strnlen(name, t->size - at) >= sizeof(t->sanitizer))
			continue;
		if (is_sanitizer(name)) {
			strcpy(t->sanitizer, name);
			return;
		}
	}
}

static void inspect(struct target *t)
{
	const Elf64_Ehdr *eh = (const void *)t->data;
	const Elf64_Phdr *dyn = NULL;

	if (t->size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return; /* a script: its interpreter inherits the environment */
	t->is_elf = true;
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_phentsize != sizeof(*dyn) ||
	    eh->e_phoff > t->size || eh->e_phnum * sizeof(*dyn) > t->size - eh->e_phoff)
		return;
	for (unsigned int i = 0; i < eh->e_phnum; i++) {
		const Elf64_Phdr *ph = (const void *)(t->data + eh->e_phoff + i * sizeof(*ph));

		if (ph->p_type == PT_INTERP)
			t->is_dynamic = true;
		if (ph->p_type == PT_DYNAMIC)
			dyn = ph;
	}
	if (dyn)
		look_at_needed(t, eh, dyn);
}

static void look_into(int fd, off_t size, struct target *t)
{
	void *map = size ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;

	if (map == MAP_FAILED)
		return;
	t->data = map;
	t->size = (size_t)size;
	inspect(t);
	munmap(map, (size_t)size);
	t->data = NULL;
}

/* 0, or the exit status for a reason that was printed. */
static int check_target(const char *path, struct target *t)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return 0; /* executable but not readable: execve will say */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		fprintf(stderr, "skep run: %s: not a regular file\n", path);
		close(fd);
		return EXIT_CANNOT_EXEC;
	}
	if ((st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0) {
		fprintf(stderr,
			"skep run: %s is set-user-id or set-group-id: the loader ignores "
			"preloaded libraries there\n",
			path);
		close(fd);
		return EXIT_CANNOT_EXEC;
	}
	look_into(fd, st.st_size, t);
	close(fd);
	if (t->is_elf && !t->is_dynamic) {
		fprintf(stderr,
			"skep run: %s is statically linked or not an x86-64 program: libskep "
			"cannot be preloaded and its bpf(2) would reach the kernel\n",
			path);
		return EXIT_CANNOT_EXEC;
	}
	return 0;
}

/* A library built with a sanitizer needs its runtime in every program. */
static void look_at_library(const char *library, struct target *t)
{
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	struct target lib = {0};
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		look_into(fd, st.st_size, &lib);
	close(fd);
	if (!*lib.sanitizer)
		return;
	t->is_library_instrumented = true;
	if (!*t->sanitizer)
		strcpy(t->sanitizer, lib.sanitizer);
}

/* --- the command --- */

static int set_preload(const char *library, const char *sanitizer)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;
	int err;

	if (asprintf(&value, "%s%s%s%s%s", sanitizer, *sanitizer ? ":" : "", library,
		     old && *old ? ":" : "", old ? old : "") < 0)
		return -ENOMEM;
	err = setenv("LD_PRELOAD", value, 1);
	free(value);
	return err ? -ENOMEM : 0;
}

/*
 * ThreadSanitizer sees what the library asks of libc, but not the locks and grace periods that
 * order it, unless the library is instrumented.
 */
static int tell_tsan(const struct target *t)
{
	const char *old = getenv("TSAN_OPTIONS");
	char *value;
	int err;

	if (t->is_library_instrumented || !strstr(t->sanitizer, "tsan") ||
	    (old && strstr(old, "ignore_noninstrumented_modules")))
		return 0;
	if (asprintf(&value, "%s%signore_noninstrumented_modules=1", old ? old : "",
		     old && *old ? ":" : "") < 0)
		return -ENOMEM;
	err = setenv("TSAN_OPTIONS", value, 1);
	free(value);
	return err ? -ENOMEM : 0;
}

static bool valid_number(const char *s)
{
	char *end;
	long n = strtol(s, &end, 10);

	return end != s && !*end && n >= 1 && n <= 256;
}

/* 0, -1 after --help, or an exit status. */
static int parse(int argc, char **argv)
{
	static const struct option options[] = {
		{"trace", optional_argument, NULL, 't'},
		{"cpus", required_argument, NULL, 'c'},
		{"btf", required_argument, NULL, 'b'},
		{"engine", required_argument, NULL, 'e'},
		{"verdict-only", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	char path[PATH_MAX];
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "+tc:b:e:Vh", options, NULL)) != -1) {
		switch (c) {
		case 't':
			setenv("SKEP_TRACE", "1", 1);
			if (optarg)
				setenv("SKEP_TRACE_FILE", optarg, 1);
			break;
		case 'c':
			if (!valid_number(optarg)) {
				fprintf(stderr, "skep run: --cpus takes a number from 1 to 256\n");
				return EXIT_USAGE;
			}
			setenv("SKEP_CPUS", optarg, 1);
			break;
		case 'b':
			if (!strcmp(optarg, "builtin")) {
				setenv("SKEP_BTF", optarg, 1);
				break;
			}
			if (!realpath(optarg, path) || access(path, R_OK)) {
				fprintf(stderr, "skep run: %s: %s\n", optarg, strerror(errno));
				return EXIT_USAGE;
			}
			setenv("SKEP_BTF", path, 1);
			break;
		case 'e':
			if (strcmp(optarg, "jit") && strcmp(optarg, "interp")) {
				fprintf(stderr, "skep run: --engine takes `jit' or `interp'\n");
				return EXIT_USAGE;
			}
			setenv("SKEP_ENGINE", optarg, 1);
			break;
		case 'V':
			setenv("SKEP_VERDICT_ONLY", "1", 1);
			break;
		case 'h':
			fputs(help, stdout);
			return -1;
		default:
			fprintf(stderr, "Try `skep run --help'.\n");
			return EXIT_USAGE;
		}
	}
	if (optind >= argc) {
		fprintf(stderr, "skep run: no command given\nTry `skep run --help'.\n");
		return EXIT_USAGE;
	}
	return 0;
}

int cmd_run(int argc, char **argv)
{
	char library[PATH_MAX], path[PATH_MAX];
	struct target target = {0};
	int err = parse(argc, argv);

	if (err)
		return err < 0 ? 0 : err;
	if (!find_library(library)) {
		fprintf(stderr, "skep run: %s was not found beside this executable; set SKEP_LIB\n",
			LIBRARY);
		return EXIT_USAGE;
	}
	err = find_command(argv[optind], path);
	if (!err)
		err = check_target(path, &target);
	if (err)
		return err;
	look_at_library(library, &target);
	if (set_preload(library, target.sanitizer) || tell_tsan(&target)) {
		fprintf(stderr, "skep run: out of memory\n");
		return EXIT_USAGE;
	}
	execv(path, argv + optind);
	if (errno == ENOEXEC) /* a script without #! is the shell's, as for env(1) */
		execvp(path, argv + optind);
	fprintf(stderr, "skep run: %s: %s\n", path, strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC;
}
