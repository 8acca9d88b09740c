/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF_PROG_TEST_RUN: which requests are refused, with which errno, and what comes back.
 *
 * The expectations are the kernel's answers. The program asks whatever bpf(2) it is started on:
 * the test runs it on skep and, where that is permitted, on the kernel.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isa/insn.h"

static u8 data[80000], out[80000], ctx[4200];
static u32 passed, failed;

static long bpf(int cmd, union bpf_attr *a)
{
	return syscall(__NR_bpf, cmd, a, sizeof(*a)) < 0 ? -errno : 0;
}

static int load(u32 type, u32 flags, const struct bpf_insn *in, u32 n)
{
	union bpf_attr a = {.prog_type = type, .insn_cnt = n, .prog_flags = flags};

	a.insns = (uintptr_t)in;
	a.license = (uintptr_t) "GPL";
	return (int)syscall(__NR_bpf, BPF_PROG_LOAD, &a, sizeof(a));
}

/* One request; pointers are given by whether their sizes or `ptr` bits ask for them. */
struct request {
	const char *name;
	u32 data_in, data_out, ctx_in, ctx_out, repeat, flags, cpu, batch;
	u32 ptr; /* further pointers: 1 data_out, 2 ctx_in, 4 ctx_out, 8 data_in is bad, 16 ctx_in
		    is bad, 32 data_out is bad */
	int skb, xdp, raw_tp, sys; /* expected: 0 or -errno */
};

static const struct request requests[] = {
	{"nothing", .skb = -EINVAL, .xdp = -EINVAL},
	{"smallest packet", .data_in = 14, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"too small", .data_in = 13, .skb = -EINVAL, .xdp = -EINVAL, .raw_tp = -EINVAL,
	 .sys = -EINVAL},
	{"largest skb", .data_in = 3712, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"beyond an skb", .data_in = 3713, .skb = -EINVAL, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"many fragments", .data_in = 70000, .skb = -EINVAL, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"too many fragments", .data_in = 75000, .skb = -EINVAL, .xdp = -ENOMEM, .raw_tp = -EINVAL,
	 .sys = -EINVAL},
	{"repeat", .data_in = 64, .repeat = 3, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"data out", .data_in = 64, .data_out = 64, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"data out without a size", .data_in = 64, .ptr = 1, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"data out too short", .data_in = 64, .data_out = 10, .skb = -ENOSPC, .xdp = -ENOSPC,
	 .raw_tp = -EINVAL, .sys = -EINVAL},
	{"data out unwritable", .data_in = 64, .data_out = 64, .ptr = 32, .skb = -EFAULT,
	 .xdp = -EFAULT, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"data unreadable", .data_in = 64, .ptr = 8, .skb = -EFAULT, .xdp = -EFAULT,
	 .raw_tp = -EINVAL, .sys = -EINVAL},
	{"cpu", .data_in = 64, .cpu = 1, .skb = -EINVAL, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"run on cpu", .data_in = 64, .flags = 1, .skb = -EINVAL, .xdp = -EINVAL, .raw_tp = -EINVAL,
	 .sys = -EINVAL},
	{"unknown flag", .data_in = 64, .flags = 8, .skb = -EINVAL, .xdp = -EINVAL,
	 .raw_tp = -EINVAL, .sys = -EINVAL},
	{"batch", .data_in = 64, .batch = 1, .skb = -EINVAL, .xdp = -EINVAL, .raw_tp = -EINVAL,
	 .sys = -EINVAL},
	{"context without a size", .data_in = 64, .ptr = 2, .skb = -EINVAL, .xdp = -EINVAL,
	 .raw_tp = -EINVAL, .sys = -EINVAL},
	{"part of a context", .data_in = 64, .ctx_in = 8, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"longer context of zeros", .data_in = 64, .ctx_in = 500, .raw_tp = -EINVAL,
	 .sys = -EINVAL},
	{"context beyond a page", .data_in = 64, .ctx_in = 4097, .skb = -E2BIG, .xdp = -E2BIG,
	 .raw_tp = -EINVAL, .sys = -EINVAL},
	{"context out", .data_in = 64, .ctx_out = 192, .raw_tp = -EINVAL, .sys = -EINVAL},
	{"context out too short", .data_in = 64, .ctx_out = 10, .skb = -ENOSPC, .xdp = -ENOSPC,
	 .raw_tp = -EINVAL, .sys = -EINVAL},
	{"only a context", .ctx_in = 8, .skb = -EINVAL, .xdp = -EINVAL},
	{"context and repeat", .ctx_in = 8, .repeat = 1, .skb = -EINVAL, .xdp = -EINVAL,
	 .raw_tp = -EINVAL, .sys = -EINVAL},
	{"twelve arguments", .ctx_in = 96, .skb = -EINVAL, .xdp = -EINVAL},
	{"thirteen arguments", .ctx_in = 104, .skb = -EINVAL, .xdp = -EINVAL, .raw_tp = -EINVAL},
	{"cpu without the flag", .ctx_in = 96, .cpu = 1, .skb = -EINVAL, .xdp = -EINVAL,
	 .raw_tp = -EINVAL},
	{"a cpu", .ctx_in = 96, .flags = 1, .skb = -EINVAL, .xdp = -EINVAL, .sys = -EINVAL},
	{"a cpu that is not there", .ctx_in = 96, .flags = 1, .cpu = 9999, .skb = -EINVAL,
	 .xdp = -EINVAL, .raw_tp = -ENXIO, .sys = -EINVAL},
	{"context unreadable", .ctx_in = 96, .ptr = 16, .skb = -EINVAL, .xdp = -EFAULT,
	 .raw_tp = -EFAULT, .sys = -EFAULT},
};

static long ask(int fd, const struct request *r, union bpf_attr *a)
{
	*a = (union bpf_attr){0};
	a->test.prog_fd = (u32)fd;
	a->test.data_size_in = r->data_in;
	a->test.data_in = r->ptr & 8 ? 8 : r->data_in ? (uintptr_t)data : 0;
	a->test.data_size_out = r->data_out;
	a->test.data_out = r->ptr & 32 ? 8 : r->data_out || r->ptr & 1 ? (uintptr_t)out : 0;
	a->test.ctx_size_in = r->ctx_in;
	a->test.ctx_in = r->ptr & 16 ? 8 : r->ctx_in || r->ptr & 2 ? (uintptr_t)ctx : 0;
	a->test.ctx_size_out = r->ctx_out;
	a->test.ctx_out = r->ctx_out || r->ptr & 4 ? (uintptr_t)out : 0;
	a->test.repeat = r->repeat;
	a->test.flags = r->flags;
	a->test.cpu = r->cpu;
	a->test.batch_size = r->batch;
	return bpf(BPF_PROG_TEST_RUN, a);
}

static void check(const char *what, const char *name, long want, long got)
{
	if (want == got) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s: %s: %ld, expected %ld\n", what, name, got, want);
}

static void run_requests(const char *what, int fd, size_t expected)
{
	union bpf_attr a;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		int want = *(const int *)((const char *)&requests[i] + expected);
		long got = ask(fd, &requests[i], &a);

		check(what, requests[i].name, want, got);
		if (!got)
			check(what, "result", 2, a.test.retval);
		if (!got && requests[i].data_in)
			check(what, "size", requests[i].data_in, a.test.data_size_out);
	}
}

/* Which words of __sk_buff may be handed in. */
static void run_skb_fields(int fd)
{
	static const u8 may[] = {8, 32, 36, 40, 48, 52, 56, 60, 64, 152, 156, 164, 176, 184, 188};
	struct request r = {.data_in = 64, .ctx_in = 192};
	union bpf_attr a;
	char name[16];
	u32 off;

	for (off = 0; off < 192; off += 4) {
		if (off == 160) /* wire_len: not below the length */
			continue;
		memset(ctx, 0, sizeof(ctx));
		ctx[off] = 1;
		snprintf(name, sizeof(name), "word %u", off);
		check("skb", name, memchr(may, (int)off, sizeof(may)) ? 0 : -EINVAL,
		      ask(fd, &r, &a));
	}
	memset(ctx, 0, sizeof(ctx));
}

static void run_xdp_context(void)
{
	/* r0 = data_end - data */
	static const struct bpf_insn in[] = {
		SKEP_INSN(BPF_LDX | BPF_MEM | BPF_W, 2, 1, 0, 0),
		SKEP_INSN(BPF_LDX | BPF_MEM | BPF_W, 0, 1, 4, 0),
		SKEP_INSN(BPF_ALU64 | BPF_SUB | BPF_X, 0, 2, 0, 0),
		SKEP_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	static const struct {
		u32 data, data_end, meta, size;
		long err;
		u32 len;
	} c[] = {
		{0, 64, 0, 64, 0, 64},	     {4, 64, 0, 64, 0, 60},
		{48, 64, 0, 64, 0, 16},	     {52, 64, 0, 64, -EINVAL},
		{8, 8, 0, 64, 0, 0},	     {8, 4, 0, 64, -EINVAL},
		{2, 64, 0, 64, -EINVAL},     {0, 65, 0, 64, -EINVAL},
		{0, 64, 4, 64, -EINVAL},     {216, 999, 0, 999, 0, 783},
		{220, 999, 0, 999, -EINVAL}, {0, 5000, 0, 5000, 0, 3520},
	};
	struct xdp_md *md = (struct xdp_md *)ctx;
	int fd = load(BPF_PROG_TYPE_XDP, 0, in, ARRAY_SIZE(in));
	struct request r = {0};
	union bpf_attr a;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		memset(ctx, 0, sizeof(ctx));
		md->data = c[i].data;
		md->data_end = c[i].data_end;
		md->data_meta = c[i].meta;
		r.data_in = c[i].size;
		r.ctx_in = sizeof(*md);
		check("xdp", "context", c[i].err, ask(fd, &r, &a));
		if (!c[i].err)
			check("xdp", "length", c[i].len, a.test.retval);
	}
	memset(ctx, 0, sizeof(ctx));
	close(fd);
}

/* LD_ABS of a byte: positive offsets from the data, negative ones from a header. */
static void run_ld_abs(void)
{
	static const struct {
		s32 k;
		u32 filter, cls; /* what is read, plus 1; 0: outside */
	} c[] = {
		{0, 16, 2},	   {49, 65, 51},      {50, 0, 52},	   {63, 0, 65},
		{64, 0, 0},	   {-1, 0, 0},	      {-0x100000, 16, 16}, {-0x100000 + 2, 18, 18},
		{-0x200000, 2, 2}, {-0x200001, 0, 0}, {INT32_MAX, 0, 0},
	};
	struct request r = {.data_in = 64};
	union bpf_attr a;
	u32 i, ind;

	for (i = 0; i < 64; i++)
		data[i] = (u8)(i + 1);
	for (i = 0; i < 2 * ARRAY_SIZE(c); i++) {
		s32 k = c[i / 2].k;

		ind = i & 1;
		struct bpf_insn in[] = {
			SKEP_MOV64_REG(6, 1),
			SKEP_MOV64_IMM(7, ind ? k - 3 : 0),
			ind ? SKEP_INSN(BPF_LD | BPF_IND | BPF_B, 0, 7, 0, 3)
			    : SKEP_INSN(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, k),
			SKEP_ALU64_IMM(BPF_ADD, 0, 1),
			SKEP_EXIT,
		};
		int f = load(BPF_PROG_TYPE_SOCKET_FILTER, 0, in, ARRAY_SIZE(in));
		int cls = load(BPF_PROG_TYPE_SCHED_CLS, 0, in, ARRAY_SIZE(in));

		check("ld_abs", "filter", 0, ask(f, &r, &a));
		check("ld_abs", "filter's byte", c[i / 2].filter, a.test.retval);
		check("ld_abs", "cls", 0, ask(cls, &r, &a));
		check("ld_abs", "cls's byte", c[i / 2].cls, a.test.retval);
		close(f);
		close(cls);
	}
}

int main(void)
{
	static const struct bpf_insn two[] = {
		SKEP_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 2),
		SKEP_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	int filter = load(BPF_PROG_TYPE_SOCKET_FILTER, 0, two, 2);
	int cls = load(BPF_PROG_TYPE_SCHED_CLS, 0, two, 2);
	int act = load(BPF_PROG_TYPE_SCHED_ACT, 0, two, 2);
	int xdp = load(BPF_PROG_TYPE_XDP, 0, two, 2);
	int raw_tp = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, two, 2);
	int sys = load(BPF_PROG_TYPE_SYSCALL, SKEP_PROG_F_SLEEPABLE, two, 2);
	int kprobe = load(BPF_PROG_TYPE_KPROBE, 0, two, 2);
	struct request r = {0};
	union bpf_attr a;

	if (filter < 0 || cls < 0 || act < 0 || xdp < 0 || raw_tp < 0 || sys < 0) {
		printf("skipped: bpf(2) refuses programs: %s\n", strerror(errno));
		printf("0 passed, 0 failed, 1 skipped\n");
		return 77;
	}
	run_requests("socket_filter", filter, offsetof(struct request, skb));
	run_requests("sched_cls", cls, offsetof(struct request, skb));
	run_requests("sched_act", act, offsetof(struct request, skb));
	run_requests("xdp", xdp, offsetof(struct request, xdp));
	run_requests("raw_tp", raw_tp, offsetof(struct request, raw_tp));
	run_requests("syscall", sys, offsetof(struct request, sys));
	if (kprobe >= 0) {
		check("kprobe", "no test run", -SKEP_ENOTSUPP, ask(kprobe, &r, &a));
		r.ptr = 2;
		check("kprobe", "context without a size", -EINVAL, ask(kprobe, &r, &a));
	}
	run_skb_fields(filter);
	run_skb_fields(cls);
	run_xdp_context();
	run_ld_abs();
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
