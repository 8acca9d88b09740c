/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skep-conformance-plugin: one program of an external conformance suite.
 *
 * The runner gives the memory as hex in the first argument and the program, 8 bytes an
 * instruction, as hex on standard input (or after --program); the answer is R0 in hex on standard
 * output. R1 is the memory's address, or 0 without any, and R2 its length. Spaces between bytes are
 * allowed.
 *
 * usage: skep-conformance-plugin [--interpret | --jit] [--program HEX] [MEMORY] < PROGRAM
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "vprog.h"

#define MAX_BYTES (65536 * 8)

/* Drop white space in place; the length. */
static u32 squeeze(char *s)
{
	char *to = s, *from;

	for (from = s; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
	*to = '\0';
	return (u32)(to - s);
}

static char *read_all(FILE *f)
{
	size_t size = 3 * MAX_BYTES, n;
	char *buf = malloc(size + 1);

	if (!buf)
		return NULL;
	n = fread(buf, 1, size, f);
	buf[n] = '\0';
	return buf;
}

int main(int argc, char **argv)
{
	static u8 code[MAX_BYTES], mem[MAX_BYTES];
	char *program = NULL, *memory = NULL;
	struct skep_vprog p;
	bool jit = true;
	int i, n, mem_size = 0;
	u64 r0;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--interpret"))
			jit = false;
		else if (!strcmp(argv[i], "--jit"))
			jit = true;
		else if (!strcmp(argv[i], "--program") && i + 1 < argc)
			program = argv[++i];
		else if (!strncmp(argv[i], "--", 2))
			continue; /* options for other runtimes */
		else if (!memory)
			memory = argv[i];
	}
	if (!program)
		program = read_all(stdin);
	if (!program)
		return 1;
	n = hex_decode(program, squeeze(program), code, sizeof(code));
	if (memory)
		mem_size = hex_decode(memory, squeeze(memory), mem, sizeof(mem));
	if (n <= 0 || n % 8 || mem_size < 0) {
		fprintf(stderr, "malformed program or memory\n");
		return 1;
	}
	if (vprog_from_insns((struct bpf_insn *)code, (u32)n / 8, &p)) {
		fprintf(stderr, "not a program\n");
		return 1;
	}
	if (vprog_run(&p, jit, mem_size ? mem : NULL, (u32)mem_size, &r0)) {
		fprintf(stderr, "cannot be compiled\n");
		return 1;
	}
	printf("%llx\n", (unsigned long long)r0);
	skep_vprog_fini(&p);
	return 0;
}
