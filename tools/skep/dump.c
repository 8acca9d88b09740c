/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep dump: the instructions of a program after loading.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <capstone/capstone.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skep.h"
#include "skep/skep.h"

static const char help[] =
	"Usage: skep dump [OPTION]... OBJECT\n"
	"\n"
	"Load the programs of OBJECT and show what runs.\n"
	"\n"
	"  -p, --prog=NAME   only the program NAME\n"
	"  -x, --xlated      instructions as rewritten after verification (default)\n"
	"  -j, --jited       machine code, disassembled\n"
	"  -h, --help        this text\n"
	"\n"
	"The exit status is 0, 1 when OBJECT does not load, or 2 for wrong usage.\n";

static int warn_only(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, fmt, ap) : 0;
}

static void dump_xlated(const struct bpf_insn *insns, unsigned int n)
{
	char text[256];

	for (unsigned int i = 0; i < n; i++) {
		skep_disasm_insn(&insns[i], text, sizeof(text));
		printf("%6u: %s\n", i, text);
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			i++;
	}
}

static void dump_jited(const uint8_t *code, size_t size, uint64_t at)
{
	cs_insn *insns;
	size_t n;
	csh cs;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &cs)) {
		fprintf(stderr, "skep dump: no x86-64 disassembler\n");
		return;
	}
	cs_option(cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	n = cs_disasm(cs, code, size, at, 0, &insns);
	for (size_t i = 0; i < n; i++)
		printf("%8zx:  %-10s %s\n", (size_t)(insns[i].address - at), insns[i].mnemonic,
		       insns[i].op_str);
	if (n)
		cs_free(insns, n);
	cs_close(&cs);
}

static int dump_prog(const struct bpf_program *p, bool jited)
{
	struct bpf_prog_info info;
	unsigned int len = sizeof(info), size;
	int fd = bpf_program__fd(p), err;
	void *code;

	memset(&info, 0, sizeof(info));
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	size = jited ? info.jited_prog_len : info.xlated_prog_len;
	if (!err && jited && !size) {
		/* Without room the kernel tells no length. */
		size = 1u << 20;
	}
	code = err ? NULL : calloc(1, size);
	if (!code)
		return 1;
	memset(&info, 0, sizeof(info));
	if (jited) {
		info.jited_prog_len = size;
		info.jited_prog_insns = (uint64_t)(uintptr_t)code;
	} else {
		info.xlated_prog_len = size;
		info.xlated_prog_insns = (uint64_t)(uintptr_t)code;
	}
	len = sizeof(info);
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (!err) {
		printf("%s:\n", bpf_program__name(p));
		if (jited && !info.jited_prog_len)
			printf("  (interpreted: no machine code)\n");
		else if (jited)
			dump_jited(code, info.jited_prog_len, 0);
		else
			dump_xlated(code, info.xlated_prog_len / sizeof(struct bpf_insn));
	}
	free(code);
	return err ? 1 : 0;
}

int cmd_dump(int argc, char **argv)
{
	static const struct option longs[] = {
		{"prog", required_argument, NULL, 'p'},
		{"xlated", no_argument, NULL, 'x'},
		{"jited", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *name = NULL;
	bool jited = false, found = false;
	struct bpf_object *obj;
	struct bpf_program *p;
	int opt, ret = 0;

	while ((opt = getopt_long(argc, argv, "p:xjh", longs, NULL)) != -1) {
		switch (opt) {
		case 'p':
			name = optarg;
			break;
		case 'x':
			jited = false;
			break;
		case 'j':
			jited = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK;
		default:
			fputs(help, stderr);
			return EXIT_USAGE_ERROR;
		}
	}
	if (optind + 1 != argc) {
		fputs(help, stderr);
		return EXIT_USAGE_ERROR;
	}
	libbpf_set_print(warn_only);
	obj = bpf_object__open_file(argv[optind], NULL);
	if (!obj) {
		fprintf(stderr, "skep dump: %s: %s\n", argv[optind], strerror(errno));
		return EXIT_REJECTED;
	}
	bpf_object__for_each_program(p, obj)
	{
		bool wanted = !name || !strcmp(name, bpf_program__name(p));

		bpf_program__set_autoload(p, wanted);
		found |= wanted;
	}
	if (!found) {
		fprintf(stderr, "skep dump: no program named %s\n", name ? name : "(any)");
		ret = EXIT_REJECTED;
	} else if (bpf_object__load(obj)) {
		fprintf(stderr, "skep dump: %s does not load\n", argv[optind]);
		ret = EXIT_REJECTED;
	} else {
		bpf_object__for_each_program(p, obj) if (bpf_program__autoload(p)) ret |=
			dump_prog(p, jited);
	}
	bpf_object__close(obj);
	return ret;
}
