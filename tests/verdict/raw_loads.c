/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads that no loader makes: records of functions and lines, descriptors, addresses and counts
 * that are wrong. One line each: name, errno, the log's last line. Run on Linux and under skep.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/btf.h>

#define MOV(dst, i) ((struct bpf_insn){.code = 0xb7, .dst_reg = dst, .imm = i})
#define EXIT ((struct bpf_insn){.code = 0x95})
#define CALL(s, o, i) ((struct bpf_insn){.code = 0x85, .src_reg = s, .off = o, .imm = i})
#define LD64(dst, s, i) ((struct bpf_insn){.code = 0x18, .dst_reg = dst, .src_reg = s, .imm = i})
#define REST(i) ((struct bpf_insn){.imm = i})
#define LD_ABS ((struct bpf_insn){.code = 0x30, .imm = 0})
#define COPY(dst, src) ((struct bpf_insn){.code = 0xbf, .dst_reg = dst, .src_reg = src})

enum { INT = 1, PROTO_INT, MAIN, SUB, PROTO_VOID, NOTHING, PROTO_SIX, SIX, NR_RECORDS = 300 };

static char log_buf[1 << 20];
static struct btf *kernel;
static int prog_btf, array_fd, progs_fd;

static struct {
	struct bpf_insn insns[4096];
	uint32_t n;
	struct {
		uint32_t insn_off, type_id, more;
	} funcs[NR_RECORDS];
	uint32_t nr_funcs, func_size;
	struct {
		uint32_t insn_off, file, line, col, more;
	} lines[NR_RECORDS];
	uint32_t nr_lines, line_size;
	int fd_array[80], nr_fds;
	bool has_fd_array, counted;
	uint32_t type, attach_type, attach_btf_id;
	const char *license;
} load;

static long sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr)) < 0 ? -errno : 0;
}

static void begin(void)
{
	memset(&load, 0, sizeof(load));
	load.func_size = 8;
	load.line_size = 16;
	load.type = BPF_PROG_TYPE_SCHED_CLS;
	load.license = "GPL";
}

static void put(struct bpf_insn in)
{
	load.insns[load.n++] = in;
}

static void func(uint32_t off, uint32_t type)
{
	load.funcs[load.nr_funcs].insn_off = off;
	load.funcs[load.nr_funcs++].type_id = type;
}

static void line(uint32_t off)
{
	load.lines[load.nr_lines].insn_off = off;
	load.lines[load.nr_lines].file = load.lines[load.nr_lines].line = 1;
	load.lines[load.nr_lines++].col = 1 << 10;
}

/* Records of the size that is claimed, one after the other. */
static void *packed(const void *from, uint32_t step, uint32_t size, uint32_t n)
{
	char *to = calloc(n + 1, size);

	for (uint32_t i = 0; i < n; i++)
		memcpy(to + i * size, (const char *)from + i * step, size < step ? size : step);
	return to;
}

static void try(const char *name)
{
	void *funcs = packed(load.funcs, sizeof(load.funcs[0]), load.func_size, load.nr_funcs);
	void *lines = packed(load.lines, sizeof(load.lines[0]), load.line_size, load.nr_lines);
	/* fd_array_cnt, which older headers lack, lies behind prog_token_fd. */
	enum { FD_ARRAY_CNT = 148, SIZE = 152 };
	union {
		union bpf_attr attr;
		char bytes[SIZE];
		uint32_t words[SIZE / 4];
	} u = {0};
	union bpf_attr attr = {
		.prog_type = load.type,
		.insns = (uintptr_t)load.insns,
		.insn_cnt = load.n,
		.license = (uintptr_t)load.license,
		.log_buf = (uintptr_t)log_buf,
		.log_size = sizeof(log_buf),
		.log_level = 1,
		.expected_attach_type = load.attach_type,
		.attach_btf_id = load.attach_btf_id,
	};
	char *end, *start;
	long err;

	if (load.nr_funcs || load.nr_lines) {
		attr.prog_btf_fd = (uint32_t)prog_btf;
		attr.func_info = (uintptr_t)funcs;
		attr.func_info_cnt = load.nr_funcs;
		attr.func_info_rec_size = load.func_size;
		attr.line_info = (uintptr_t)lines;
		attr.line_info_cnt = load.nr_lines;
		attr.line_info_rec_size = load.line_size;
	}
	if (load.has_fd_array)
		attr.fd_array = (uintptr_t)load.fd_array;
	memcpy(&u.attr, &attr, sizeof(attr) < FD_ARRAY_CNT ? sizeof(attr) : FD_ARRAY_CNT);
	if (load.counted)
		u.words[FD_ARRAY_CNT / 4] = (uint32_t)load.nr_fds;
	log_buf[0] = 0;
	err = syscall(__NR_bpf, BPF_PROG_LOAD, &u, SIZE);
	if (err >= 0)
		close((int)err);
	err = err < 0 ? errno : 0;
	end = strstr(log_buf, "processed ");
	end = end ? end : log_buf + strlen(log_buf);
	while (end > log_buf && end[-1] == '\n')
		end--;
	for (start = end; start > log_buf && start[-1] != '\n';)
		start--;
	*end = 0;
	/* Numbers of types are one kernel's own. */
	for (char *id = strstr(start, "btf_id "); id; id = NULL) {
		char *digits = id + 7;
		size_t n = strspn(digits, "0123456789");

		if (n)
			memmove(digits + 1, digits + n, strlen(digits + n) + 1), *digits = 'N';
	}
	printf("%s\t%s\t%s\n", name,
	       !err	    ? "ok"
	       : err == 524 ? "ENOTSUPP"
			    : strerrorname_np((int)err),
	       err ? start : "");
	free(funcs);
	free(lines);
}

/* --- types --- */

static uint32_t words[256], nr_words;

static void type(uint32_t name, uint32_t kind, uint32_t vlen, uint32_t size)
{
	words[nr_words++] = name;
	words[nr_words++] = kind << 24 | vlen;
	words[nr_words++] = size;
}

static int make_btf(void)
{
	static const char strs[] = "\0int\0main\0sub\0nothing\0six\0a";
	struct {
		struct btf_header h;
		char rest[2048];
	} b = {.h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(b.h)}};
	union bpf_attr attr = {0};

	type(1, BTF_KIND_INT, 0, 4);
	words[nr_words++] = 1 << 24 | 32;
	type(0, BTF_KIND_FUNC_PROTO, 0, INT);
	type(5, BTF_KIND_FUNC, BTF_FUNC_GLOBAL, PROTO_INT);
	type(10, BTF_KIND_FUNC, BTF_FUNC_STATIC, PROTO_INT);
	type(0, BTF_KIND_FUNC_PROTO, 0, 0);
	type(14, BTF_KIND_FUNC, BTF_FUNC_STATIC, PROTO_VOID);
	type(0, BTF_KIND_FUNC_PROTO, 6, INT);
	for (int i = 0; i < 6; i++) {
		words[nr_words++] = 26;
		words[nr_words++] = INT;
	}
	type(22, BTF_KIND_FUNC, BTF_FUNC_GLOBAL, PROTO_SIX);
	b.h.type_len = nr_words * 4;
	b.h.str_off = b.h.type_len;
	b.h.str_len = sizeof(strs);
	memcpy(b.rest, words, b.h.type_len);
	memcpy(b.rest + b.h.str_off, strs, sizeof(strs));
	attr.btf = (uintptr_t)&b;
	attr.btf_size = (uint32_t)sizeof(b.h) + b.h.type_len + b.h.str_len;
	return (int)syscall(__NR_bpf, BPF_BTF_LOAD, &attr, sizeof(attr));
}

static int make_map(uint32_t type, uint32_t value)
{
	union bpf_attr attr = {
		.map_type = type, .key_size = 4, .value_size = value, .max_entries = 1};

	return (int)syscall(__NR_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

/* --- programs --- */

static void two_functions(void)
{
	begin();
	put(CALL(1, 0, 1));
	put(EXIT);
	put(MOV(0, 0));
	put(EXIT);
}

static void functions(void)
{
	two_functions(), func(0, MAIN), func(2, SUB), try("functions");
	two_functions(), func(0, MAIN), func(2, SUB), load.func_size = 4, try("func size 4");
	two_functions(), func(0, MAIN), func(2, SUB), load.func_size = 12, try("func size 12");
	two_functions(), func(0, MAIN), func(2, SUB), load.func_size = 12;
	load.funcs[1].more = 1, try("func tail");
	two_functions(), func(1, MAIN), func(2, SUB), try("func first at 1");
	two_functions(), func(0, MAIN), func(0, SUB), try("func twice at 0");
	two_functions(), func(0, 99), func(2, SUB), try("func no type");
	two_functions(), func(0, INT), func(2, SUB), try("func of int");
	two_functions(), func(0, MAIN), try("func one of two");
	two_functions(), func(0, MAIN), func(1, SUB), func(2, SUB), try("func three of two");
	two_functions(), func(0, MAIN), func(3, SUB), try("func elsewhere");
	two_functions(), func(0, MAIN), func(2, SIX), try("func of six arguments");
	two_functions(), try("functions unnamed");
	begin(), put(CALL(1, 0, 100)), put(EXIT), try("call beyond");
	begin(), put(CALL(1, 0, -5)), put(EXIT), try("call before");
	begin();
	for (int i = 0; i < 256; i++)
		put(CALL(1, 0, 257 + i));
	put(MOV(0, 0)), put(EXIT);
	for (int i = 0; i < 256; i++)
		put(MOV(0, 0)), put(EXIT);
	/* Calls must hit the starts: the k-th function begins at 258 + 2k. */
	for (int i = 0; i < 256; i++)
		load.insns[i].imm = 258 + 2 * i - i - 1;
	try("257 functions");
}

static void put_tail_call(void)
{
	put(LD64(2, 1, progs_fd)), put(REST(0)), put(MOV(3, 0)), put(CALL(0, 0, 12));
}

static void returns(void)
{
	for (int named = 0; named < 3; named++) {
		static const char *const tail[] = {"tail call unnamed", "tail call of int",
						   "tail call of nothing"};
		static const char *const abs[] = {"load unnamed", "load of int", "load of nothing"};
		uint32_t sub = named == 1 ? SUB : NOTHING;

		two_functions();
		load.n = 2;
		put_tail_call(), put(MOV(0, 0)), put(EXIT);
		if (named)
			func(0, MAIN), func(2, sub);
		try(tail[named]);
		two_functions();
		load.n = 2;
		put(COPY(6, 1)), put(LD_ABS), put(MOV(0, 0)), put(EXIT);
		if (named)
			func(0, MAIN), func(2, sub);
		try(abs[named]);
	}
}

static void lines(void)
{
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(2), try("lines");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), try("line of one function");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(3), try("line too late");
	two_functions(), func(0, MAIN), func(2, SUB), line(1), line(2), try("line first at 1");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(2), line(2), try("line twice");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(2), line(9), try("line beyond");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(2);
	load.lines[1].line = 9999, try("line no text");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(2);
	load.lines[1].file = 9999, try("line no file");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(2);
	load.line_size = 20, load.lines[1].more = 1, try("line tail");
	two_functions(), func(0, MAIN), func(2, SUB), line(0), line(2);
	load.line_size = 12, try("line size 12");
	begin(), put(LD64(0, 0, 1)), put(REST(0)), put(EXIT), func(0, MAIN), line(0), line(1);
	try("line inside an instruction");
}

static void immediates(void)
{
	int task = btf__find_by_name_kind(kernel, "task_struct", BTF_KIND_STRUCT);

	begin(), put(LD64(1, 3, 100000000)), put(REST(0)), put(MOV(0, 0)), put(EXIT);
	try("variable no type");
	begin(), put(LD64(1, 3, task)), put(REST(0)), put(MOV(0, 0)), put(EXIT);
	try("variable of struct");
	begin(), put(LD64(1, 3, task)), put(REST(999)), put(MOV(0, 0)), put(EXIT);
	try("variable of no module");
	begin(), put(LD64(1, 5, 0)), put(REST(0)), put(MOV(0, 0)), put(EXIT);
	try("map by index, no array");
	begin(), put(LD64(1, 5, 0)), put(REST(0)), put(MOV(0, 0)), put(EXIT);
	load.has_fd_array = true, load.fd_array[0] = array_fd, try("map by index");
	begin(), put(LD64(1, 4, 3)), put(REST(0)), put(MOV(0, 0)), put(EXIT), put(MOV(0, 0)),
		put(EXIT);
	try("function address unnamed");
	begin(), put(MOV(0, 0)), put(EXIT), load.has_fd_array = load.counted = true;
	load.fd_array[0] = array_fd, load.fd_array[1] = 999, load.nr_fds = 2;
	try("counted descriptors, one bad");
	begin(), put(MOV(0, 0)), put(EXIT), load.has_fd_array = load.counted = true;
	load.fd_array[0] = array_fd, load.fd_array[1] = prog_btf, load.nr_fds = 2;
	try("counted descriptors");
}

static void maps(void)
{
	int fds[65];

	for (int n = 64; n <= 65; n++) {
		begin();
		for (int i = 0; i < n; i++) {
			fds[i] = make_map(BPF_MAP_TYPE_ARRAY, 8);
			put(LD64(1, 1, fds[i])), put(REST(0));
		}
		put(MOV(0, 0)), put(EXIT);
		try(n == 64 ? "64 maps" : "65 maps");
		for (int i = 0; i < n; i++)
			close(fds[i]);
	}
}

static void kernel_functions(void)
{
	int lock = btf__find_by_name_kind(kernel, "bpf_rcu_read_lock", BTF_KIND_FUNC);
	int trap = btf__find_by_name_kind(kernel, "__bpf_trap", BTF_KIND_FUNC);
	uint32_t n = 0;

	begin(), put(CALL(2, 0, 100000000)), put(MOV(0, 0)), put(EXIT), try("kfunc no type");
	begin(), put(CALL(2, 0, 1)), put(MOV(0, 0)), put(EXIT), try("kfunc of int");
	begin(), put(CALL(2, 1, lock)), put(MOV(0, 0)), put(EXIT), try("kfunc offset, no array");
	begin(), put(CALL(2, -1, lock)), put(MOV(0, 0)), put(EXIT), try("kfunc offset below 0");
	begin(), put(CALL(2, 1, lock)), put(MOV(0, 0)), put(EXIT), load.has_fd_array = true;
	load.fd_array[1] = 999, try("kfunc of no module");
	begin(), put(CALL(2, 1, lock)), put(MOV(0, 0)), put(EXIT), load.has_fd_array = true;
	load.fd_array[1] = array_fd, try("kfunc of a map");
	begin(), put(CALL(2, 0, lock)), put(MOV(0, 0)), put(EXIT), load.license = "none";
	try("kfunc no license");
	if (trap > 0)
		begin(), put(CALL(2, 0, trap)), put(MOV(0, 0)), put(EXIT), try("kfunc trap");
	begin();
	for (uint32_t id = 1; id < btf__type_cnt(kernel) && n < 257; id++) {
		const struct btf_type *t = btf__type_by_id(kernel, id);
		const char *name = btf__name_by_offset(kernel, t->name_off);

		if (btf_kind(t) == BTF_KIND_FUNC && !strncmp(name, "__x64_sys_", 10))
			put(CALL(2, 0, (int)id)), n++;
	}
	put(MOV(0, 0)), put(EXIT);
	if (n == 257)
		try("257 kfuncs");
}

static void targets(void)
{
	int task = btf__find_by_name_kind(kernel, "task_struct", BTF_KIND_STRUCT);
	int pid = btf__find_by_name_kind(kernel, "pid_t", BTF_KIND_TYPEDEF);
	int file = btf__find_by_name_kind(kernel, "file", BTF_KIND_STRUCT);
	int tp = btf__find_by_name_kind(kernel, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	int ops = btf__find_by_name_kind(kernel, "tcp_congestion_ops", BTF_KIND_STRUCT);
	struct {
		const char *name;
		uint32_t type, attach, id;
		const char *license;
	} t[] = {
		{"tp_btf nothing", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, 0, "GPL"},
		{"tp_btf no type", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, 100000000, "GPL"},
		{"tp_btf struct", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, (uint32_t)task, "GPL"},
		{"tp_btf typedef", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, (uint32_t)pid, "GPL"},
		{"tp_btf", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, (uint32_t)tp, "GPL"},
		{"tp_btf no license", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, (uint32_t)tp, "x"},
		{"iter struct", BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, (uint32_t)task, "GPL"},
		{"struct_ops nothing", BPF_PROG_TYPE_STRUCT_OPS, 0, 0, "GPL"},
		{"struct_ops no type", BPF_PROG_TYPE_STRUCT_OPS, 0, 100000000, "GPL"},
		{"struct_ops other", BPF_PROG_TYPE_STRUCT_OPS, 0, (uint32_t)file, "GPL"},
		{"struct_ops", BPF_PROG_TYPE_STRUCT_OPS, 0, (uint32_t)ops, "GPL"},
		{"struct_ops member", BPF_PROG_TYPE_STRUCT_OPS, 99, (uint32_t)ops, "GPL"},
		{"struct_ops name", BPF_PROG_TYPE_STRUCT_OPS, 11, (uint32_t)ops, "GPL"},
		{"struct_ops no license", BPF_PROG_TYPE_STRUCT_OPS, 0, (uint32_t)ops, "x"},
		{"socket filter with a target", BPF_PROG_TYPE_SOCKET_FILTER, 0, (uint32_t)tp,
		 "GPL"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		begin(), put(MOV(0, 0)), put(EXIT);
		load.type = t[i].type;
		load.attach_type = t[i].attach;
		load.attach_btf_id = t[i].id;
		load.license = t[i].license;
		try(t[i].name);
	}
}

int main(void)
{
	union bpf_attr attr = {0};

	if (sys_bpf(BPF_PROG_GET_NEXT_ID, &attr) == -EPERM) {
		fprintf(stderr, "skipped: bpf(2) is not permitted here\n");
		return 77;
	}
	kernel = btf__load_vmlinux_btf();
	if (!kernel) {
		fprintf(stderr, "skipped: no types of the kernel\n");
		return 77;
	}
	prog_btf = make_btf();
	array_fd = make_map(BPF_MAP_TYPE_ARRAY, 8);
	progs_fd = make_map(BPF_MAP_TYPE_PROG_ARRAY, 4);
	if (prog_btf < 0 || array_fd < 0 || progs_fd < 0) {
		perror("raw_loads");
		return 1;
	}
	functions();
	returns();
	lines();
	immediates();
	maps();
	kernel_functions();
	targets();
	btf__free(kernel);
	return 0;
}
