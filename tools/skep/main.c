/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep: the Linux BPF subsystem in user space, from the command line.
 */
#include "skep.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "skep/skep.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"run", cmd_run, "run a program with its bpf(2) answered by skep"},
	{"verify", cmd_verify, "verify the programs of BPF objects and say why one is rejected"},
	{"dump", cmd_dump, "show a program's instructions, as rewritten or as machine code"},
	{"bench", cmd_bench, "benchmark skep, the kernel and native C side by side"},
};

#define NR_COMMANDS (sizeof(commands) / sizeof(*commands))

const char *tool_dir(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n < 0)
		return NULL;
	path[n] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	*slash = 0;
	return path;
}

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: skep COMMAND [ARGUMENT]...\n\n"
		"The Linux BPF subsystem in user space: no kernel support, no root, no VM.\n\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(to, "\nTry:\n"
		    "  skep run ./app              an unmodified libbpf application, on skep\n"
		    "  skep run --trace ./app      each bpf(2) with its result and reason\n"
		    "  skep verify prog.bpf.o      the kernel's verdict, without the kernel\n"
		    "  skep bench local-storage    figures and ratios of one run\n"
		    "\n`skep COMMAND --help' explains a command. `skep --version' prints the "
		    "version.\n");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE_ERROR;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("skep %s\n", skep_version());
		return EXIT_OK;
	}
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "skep: unknown command `%s'\n\n", argv[1]);
	usage(stderr);
	return EXIT_USAGE_ERROR;
}
