/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every load and store of every context, one program each: prints what is accepted.
 *
 * usage: ctx_sweep [TYPE ATTACH_TYPE]
 *
 * A line is "type/attach r|w size: offsets"; a load's offset is followed by what the log calls
 * the loaded value, when that is a pointer. Run on the kernel and through skep, then compare.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	int type, attach, size, ret;
} sweeps[] = {
	{1, 0, 192, 0},	  {2, 0, 168, 0},   {3, 0, 192, 0},  {4, 0, 192, 0},  {5, 0, 24, 0},
	{6, 0, 24, 0},	  {6, 33, 24, 0},   {6, 35, 24, 0},  {7, 0, 184, 0},  {8, 0, 192, 0},
	{8, 1, 192, 0},	  {9, 2, 80, 0},    {9, 34, 80, 0},  {9, 12, 80, 0},  {9, 13, 80, 0},
	{10, 0, 192, 0},  {11, 0, 192, 0},  {12, 0, 192, 0}, {13, 3, 224, 0}, {14, 4, 192, 0},
	{14, 5, 192, 0},  {14, 38, 192, 0}, {15, 6, 12, 0},  {16, 7, 80, 0},  {17, 0, 96, 0},
	{18, 8, 72, 0},	  {18, 9, 72, 0},   {18, 10, 72, 0}, {18, 11, 72, 0}, {18, 14, 72, 0},
	{18, 15, 72, 0},  {18, 19, 72, 1},  {18, 20, 72, 1}, {18, 29, 72, 1}, {18, 30, 72, 1},
	{18, 31, 72, 1},  {18, 32, 72, 1},  {18, 49, 72, 0}, {18, 50, 72, 0}, {18, 51, 72, 1},
	{18, 52, 72, 1},  {18, 53, 72, 1},  {19, 0, 192, 0}, {21, 39, 64, 0}, {21, 40, 64, 0},
	{22, 17, 192, 0}, {23, 18, 8, 0},   {24, 0, 96, 0},  {25, 21, 40, 0}, {25, 22, 40, 0},
	{30, 36, 72, 0},  {32, 45, 16, 0},
};

static char text[65536];

static int load(int type, int attach, const struct bpf_insn *code, unsigned nr)
{
	union bpf_attr a = {
		.prog_type = type,
		.expected_attach_type = attach,
		.insns = (uintptr_t)code,
		.insn_cnt = nr,
		.license = (uintptr_t) "GPL",
		.log_level = 2,
		.log_buf = (uintptr_t)text,
		.log_size = sizeof(text),
	};
	int fd;

	*text = 0;
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
	if (fd >= 0)
		close(fd);
	return fd;
}

/* What the log says of R0 after the load: "ctx() R0_w=pkt(r=0)". */
static void print_kind(void)
{
	char *p = strstr(text, "R0=");
	size_t n;

	if (!p)
		return;
	p += 3;
	n = strcspn(p, " \n(");
	if (n && strncmp(p, "scalar", 6) && (*p < '0' || *p > '9'))
		printf("=%.*s", (int)n, p);
}

static void sweep(int type, int attach, int size, int ret)
{
	static const int sz[] = {BPF_B, BPF_H, BPF_W, BPF_DW};

	for (int w = 0; w < 2; w++) {
		for (int s = 0; s < 4; s++) {
			printf("%d/%d %c %d:", type, attach, "rw"[w], 1 << s);
			for (int off = 0; off < size + 8; off++) {
				struct bpf_insn code[] = {
					{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2},
					{.code = (w ? BPF_STX : BPF_LDX) | BPF_MEM | sz[s],
					 .dst_reg = w,
					 .src_reg = w ? 2 : 1,
					 .off = (short)off},
					{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = ret},
					{.code = BPF_JMP | BPF_EXIT},
				};

				if (load(type, attach, code, 4) < 0)
					continue;
				printf(" %d", off);
				if (!w)
					print_kind();
			}
			printf("\n");
		}
	}
}

/* Which of -1..4 it may return. */
static void sweep_return(int type, int attach)
{
	printf("%d/%d ret:", type, attach);
	for (int r = -1; r < 5; r++) {
		struct bpf_insn code[] = {
			{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = r},
			{.code = BPF_JMP | BPF_EXIT},
		};

		if (load(type, attach, code, 2) >= 0)
			printf(" %d", r);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof(sweeps) / sizeof(*sweeps); i++) {
		if (argc == 3 &&
		    (atoi(argv[1]) != sweeps[i].type || atoi(argv[2]) != sweeps[i].attach))
			continue;
		sweep(sweeps[i].type, sweeps[i].attach, sweeps[i].size, sweeps[i].ret);
		sweep_return(sweeps[i].type, sweeps[i].attach);
	}
	return 0;
}
