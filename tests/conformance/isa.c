/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction-set vectors through an engine.
 *
 * usage: isa interp|jit|kernel FILE.vec...
 *
 * The kernel runs a vector as a function of a syscall program whose context is the vector's
 * memory; the wrapper stores all 64 bits of the result there. Memory is handed over writable and
 * exactly as long as the vector says, at the end of a page that nothing follows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isa/insn.h"
#include "vprog.h"

#define MAX_INSNS 4096
#define MAX_MEM 4096

static u32 passed, failed, skipped;

struct vector {
	const char *name;
	struct bpf_insn insns[MAX_INSNS];
	u32 len;
	u8 mem[MAX_MEM];
	u32 mem_size;
	u64 r0;
};

/* One line; -1: malformed. Cuts @line into pieces. */
static int parse(char *line, struct vector *v)
{
	char *save, *insns, *mem, *r0;
	int n;

	v->name = strtok_r(line, "\t\n", &save);
	insns = strtok_r(NULL, "\t\n", &save);
	mem = strtok_r(NULL, "\t\n", &save);
	r0 = strtok_r(NULL, "\t\n", &save);
	if (!v->name || !insns || !mem || !r0)
		return -1;
	n = hex_decode(insns, (u32)strlen(insns), (u8 *)v->insns, sizeof(v->insns));
	if (n <= 0 || n % 8)
		return -1;
	v->len = (u32)n / 8;
	n = strcmp(mem, "-") ? hex_decode(mem, (u32)strlen(mem), v->mem, sizeof(v->mem)) : 0;
	if (n < 0)
		return -1;
	v->mem_size = (u32)n;
	v->r0 = strtoull(r0, NULL, 16);
	return 0;
}

/* @size bytes that end where an unreadable page begins. */
static u8 *guarded(const u8 *data, u32 size)
{
	static u8 *pages;

	if (!pages) {
		pages = mmap(NULL, 2 * MAX_MEM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
		if (pages == MAP_FAILED || mprotect(pages + MAX_MEM, MAX_MEM, PROT_NONE))
			exit(1);
	}
	memcpy(pages + MAX_MEM - size, data, size);
	return pages + MAX_MEM - size;
}

static void run_here(const struct vector *v, bool jit)
{
	struct skep_vprog p;
	u64 r0 = 0;

	if (vprog_from_insns(v->insns, v->len, &p)) {
		printf("FAIL %s: not a program\n", v->name);
		failed++;
		return;
	}
	if (vprog_run(&p, jit, guarded(v->mem, v->mem_size), v->mem_size, &r0)) {
		printf("FAIL %s: does not compile\n", v->name);
		failed++;
	} else if (r0 != v->r0) {
		printf("FAIL %s: r0 %llx, expected %llx\n", v->name, (unsigned long long)r0,
		       (unsigned long long)v->r0);
		failed++;
	} else {
		passed++;
	}
	skep_vprog_fini(&p);
}

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static void run_kernel(const struct vector *v)
{
	static struct bpf_insn in[MAX_INSNS + 8];
	static char log[65536];
	u8 ctx[MAX_MEM + 8] = {0};
	u32 size = SKEP_MAX(SKEP_ALIGN_UP(v->mem_size, 8u), 8u), n = 0;
	union bpf_attr a = {.prog_type = BPF_PROG_TYPE_SYSCALL};
	u64 r0;
	long fd, err;

	in[n++] = SKEP_MOV64_REG(6, 1);
	in[n++] = SKEP_MOV64_IMM(2, v->mem_size);
	in[n++] = SKEP_CALL(SKEP_CALL_SUBPROG, 3);
	in[n++] = SKEP_STX(BPF_DW, 6, 0, size);
	in[n++] = SKEP_MOV64_IMM(0, 0);
	in[n++] = SKEP_EXIT;
	memcpy(in + n, v->insns, v->len * sizeof(*in));
	a.insns = (uintptr_t)in;
	a.insn_cnt = n + v->len;
	a.license = (uintptr_t) "GPL";
	a.prog_flags = SKEP_PROG_F_SLEEPABLE;
	fd = bpf(BPF_PROG_LOAD, &a);
	if (fd < 0) {
		a.log_buf = (uintptr_t)log;
		a.log_size = sizeof(log);
		a.log_level = 1;
		fd = bpf(BPF_PROG_LOAD, &a);
	}
	if (fd < 0) {
		printf("FAIL %s: the kernel refuses it: %s\n%s", v->name, strerror(errno), log);
		failed++;
		return;
	}
	memcpy(ctx, v->mem, v->mem_size);
	a = (union bpf_attr){0};
	a.test.prog_fd = (u32)fd;
	a.test.ctx_in = (uintptr_t)ctx;
	a.test.ctx_size_in = size + 8;
	err = bpf(BPF_PROG_TEST_RUN, &a);
	memcpy(&r0, ctx + size, 8);
	if (err || r0 != v->r0) {
		printf("FAIL %s: kernel error %d, r0 %llx, expected %llx\n", v->name,
		       err ? errno : 0, (unsigned long long)r0, (unsigned long long)v->r0);
		failed++;
	} else {
		passed++;
	}
	close((int)fd);
}

static bool kernel_permits(void)
{
	struct bpf_insn in[] = {SKEP_MOV64_IMM(0, 0), SKEP_EXIT};
	union bpf_attr a = {.prog_type = BPF_PROG_TYPE_SYSCALL, .insn_cnt = 2};
	long fd;

	a.insns = (uintptr_t)in;
	a.license = (uintptr_t) "GPL";
	a.prog_flags = SKEP_PROG_F_SLEEPABLE;
	fd = bpf(BPF_PROG_LOAD, &a);
	if (fd < 0) {
		printf("skipped: bpf(2) refuses syscall programs: %s\n", strerror(errno));
		return false;
	}
	close((int)fd);
	return true;
}

int main(int argc, char **argv)
{
	static char line[MAX_INSNS * 16 + MAX_MEM * 2 + 256];
	static struct vector v;
	bool jit, kernel, skip;
	int i;

	if (argc < 3) {
		fprintf(stderr, "usage: %s interp|jit|kernel FILE.vec...\n", argv[0]);
		return 2;
	}
	jit = !strcmp(argv[1], "jit");
	kernel = !strcmp(argv[1], "kernel");
	skip = kernel && !kernel_permits();
	for (i = 2; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");

		if (!f) {
			perror(argv[i]);
			return 1;
		}
		while (fgets(line, sizeof(line), f)) {
			if (line[0] == '#' || line[0] == '\n')
				continue;
			if (parse(line, &v)) {
				printf("FAIL %s: malformed line\n", argv[i]);
				failed++;
			} else if (skip) {
				skipped++;
			} else if (kernel) {
				run_kernel(&v);
			} else {
				run_here(&v, jit);
			}
		}
		fclose(f);
	}
	printf("%u passed, %u failed", passed, failed);
	printf(skipped ? ", %u skipped\n" : "\n", skipped);
	if (skip && !failed)
		return 77;
	return failed || !passed;
}
