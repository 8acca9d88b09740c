/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the answers of bpf(2): contract [--listed | --random SEED CALLS | --probe]
 *
 * --listed prints the part that is known to differ between skep and the kernel.
 */
#include "contract.h"

#include <fcntl.h>
#include <stdarg.h>

union attr A __attribute__((aligned(PAGE)));
struct bad_ptr bad_ptrs[3] = {{"NULL", 0}, {"8", 8}, {"edge", 0}};
struct other_fd other_fds[8];
static unsigned int nr_calls;
static uint8_t *edge_page;

long call_at(int cmd, const void *attr, unsigned int size)
{
	long r = syscall(__NR_bpf, cmd, attr, size);

	nr_calls++;
	return r < 0 ? -errno : r;
}

long call(int cmd, unsigned int size)
{
	return call_at(cmd, &A, size);
}

const char *err_name(long r)
{
	static char unknown[24];
	const char *name;

	if (r >= 0)
		return "ok";
	name = strerrorname_np((int)-r);
	if (name)
		return name;
	snprintf(unknown, sizeof(unknown), "%ld", -r);
	return unknown;
}

void say(long r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(": %s\n", err_name(r));
}

void say_bytes(const void *p, size_t n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(": ");
	for (size_t i = 0; i < n; i++)
		printf("%02x", ((const uint8_t *)p)[i]);
	printf("\n");
}

void say_value(uint64_t v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(": %llu\n", (unsigned long long)v);
}

static bool gives_fd(int cmd)
{
	return cmd == BPF_MAP_CREATE || cmd == BPF_PROG_LOAD || cmd == BPF_BTF_LOAD ||
	       cmd == BPF_RAW_TRACEPOINT_OPEN || cmd == BPF_LINK_CREATE ||
	       cmd == BPF_MAP_GET_FD_BY_ID || cmd == BPF_PROG_GET_FD_BY_ID ||
	       cmd == BPF_BTF_GET_FD_BY_ID || cmd == BPF_LINK_GET_FD_BY_ID ||
	       cmd == BPF_ENABLE_STATS;
}

long try(int cmd, const char *fmt, ...)
{
	long r = call(cmd, ATTR_SIZE);
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(": %s\n", err_name(r));
	if (r >= 0 && gives_fd(cmd))
		close((int)r);
	return r;
}

static void runs_print(struct runs *s)
{
	printf(s->any ? "; " : "%s: ", s->name);
	s->any = true;
	if (s->from == s->to)
		printf("%u %s", s->from, err_name(s->r));
	else
		printf("%u-%u %s", s->from, s->to, err_name(s->r));
}

void runs_add(struct runs *s, unsigned int at, long r)
{
	if (r > 0)
		r = 0;
	if (s->open && s->r == r) {
		s->to = at;
		return;
	}
	if (s->open)
		runs_print(s);
	s->open = true;
	s->from = s->to = at;
	s->r = r;
}

void runs_end(struct runs *s)
{
	if (s->open)
		runs_print(s);
	printf("\n");
}

void *edge(size_t n)
{
	return edge_page + PAGE - n;
}

static int must(long r, const char *what)
{
	if (r < 0) {
		printf("cannot make %s: %s\n", what, err_name(r));
		fflush(stdout);
		_exit(2);
	}
	return (int)r;
}

int map_new(uint32_t type, uint32_t key, uint32_t value, uint32_t max, uint32_t flags)
{
	ATTR(.map_type = type, .key_size = key, .value_size = value, .max_entries = max,
	     .map_flags = flags);
	return must(call(BPF_MAP_CREATE, ATTR_SIZE), "a map");
}

int prog_new_insns(uint32_t type, uint32_t attach_type, const struct bpf_insn *in, uint32_t n)
{
	ATTR(.prog_type = type, .insn_cnt = n, .insns = PTR(in), .license = PTR("GPL"),
	     .expected_attach_type = attach_type);
	if (type == BPF_PROG_TYPE_SYSCALL)
		A.u.prog_flags = BPF_F_SLEEPABLE;
	return must(call(BPF_PROG_LOAD, ATTR_SIZE), "a program");
}

int prog_new(uint32_t type, uint32_t attach_type, int32_t imm)
{
	struct bpf_insn in[] = {MOV_IMM(0, imm), EXIT()};

	return prog_new_insns(type, attach_type, in, 2);
}

int raw_tp_new(void)
{
	int prog = prog_new(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), link;

	ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog, .raw_tracepoint.name = PTR("sys_enter"));
	link = must(call(BPF_RAW_TRACEPOINT_OPEN, ATTR_SIZE), "a link");
	close(prog);
	return link;
}

/* Types by the numbers of the enum, then the strings. */
static const uint32_t btf_types[] = {
	/* u32, u64 */
	1,
	BTF_KIND_INT << 24,
	4,
	32,
	5,
	BTF_KIND_INT << 24,
	8,
	64,
	/* struct bpf_spin_lock { u32 val; } */
	9,
	BTF_KIND_STRUCT << 24 | 1,
	4,
	23,
	BTF_U32,
	0,
	/* struct locked { struct bpf_spin_lock lock; u32 a; u64 b; } */
	27,
	BTF_KIND_STRUCT << 24 | 3,
	16,
	34,
	BTF_LOCK,
	0,
	39,
	BTF_U32,
	32,
	41,
	BTF_U64,
	64,
	/* struct plain { u32 a; u64 b at 8; } */
	43,
	BTF_KIND_STRUCT << 24 | 2,
	16,
	39,
	BTF_U32,
	0,
	41,
	BTF_U64,
	64,
	/* s16 */
	49,
	BTF_KIND_INT << 24,
	2,
	16 | BTF_INT_SIGNED << 24,
	/* u32[4] */
	0,
	BTF_KIND_ARRAY << 24,
	0,
	BTF_U32,
	BTF_U32,
	4,
	/* struct later; */
	53,
	BTF_KIND_FWD << 24,
	0,
	/* u32 f(u32 a) */
	0,
	BTF_KIND_FUNC_PROTO << 24 | 1,
	BTF_U32,
	39,
	BTF_U32,
	59,
	BTF_KIND_FUNC << 24 | 0,
	BTF_PROTO,
	/* u32 x in .bss */
	61,
	BTF_KIND_VAR << 24,
	BTF_U32,
	1,
	63,
	BTF_KIND_DATASEC << 24 | 1,
	4,
	BTF_VAR,
	0,
	4,
};
static const char btf_strs[] =
	"\0u32\0u64\0bpf_spin_lock\0val\0locked\0lock\0a\0b\0plain\0s16\0later\0f\0x\0.bss";

const void *btf_bytes(uint32_t *ret_size)
{
	static uint8_t buf[1024];
	struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = sizeof(h),
		.type_len = sizeof(btf_types),
		.str_off = sizeof(btf_types),
		.str_len = sizeof(btf_strs),
	};

	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), btf_types, sizeof(btf_types));
	memcpy(buf + sizeof(h) + sizeof(btf_types), btf_strs, sizeof(btf_strs));
	*ret_size = sizeof(h) + sizeof(btf_types) + sizeof(btf_strs);
	return buf;
}

int btf_new(void)
{
	uint32_t size;
	const void *p = btf_bytes(&size);

	ATTR(.btf = PTR(p), .btf_size = size);
	return must(call(BPF_BTF_LOAD, ATTR_SIZE), "types");
}

static void set_up(void)
{
	struct other_fd *f = other_fds;
	uint8_t *p =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Taken, so that nobody else's mapping comes there. */
	mprotect(p + PAGE, PAGE, PROT_NONE);
	edge_page = p;
	bad_ptrs[2].ptr = PTR(p + PAGE - 1);
	*f++ = (struct other_fd){"closed", 9999};
	*f++ = (struct other_fd){"negative", -1};
	*f++ = (struct other_fd){"file", open("/dev/null", O_RDWR)};
	*f++ = (struct other_fd){"hash", map_new(BPF_MAP_TYPE_HASH, 4, 4, 4, 0)};
	*f++ = (struct other_fd){"program", prog_new(BPF_PROG_TYPE_SOCKET_FILTER, 0, 0)};
	*f++ = (struct other_fd){"btf", btf_new()};
	*f++ = (struct other_fd){"link", raw_tp_new()};
	*f++ = (struct other_fd){"directory", open("/", O_RDONLY)};
}

int main(int argc, char **argv)
{
	unsigned long long seed;
	unsigned int calls;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "--probe")) {
		ATTR(.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4,
		     .max_entries = 1);
		return call(BPF_MAP_CREATE, ATTR_SIZE) < 0;
	}
	set_up();
	if (argc > 1 && !strcmp(argv[1], "--listed")) {
		listed_cases();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--owners")) {
		owner_cases();
		return 0;
	}
	if (argc > 3 && !strcmp(argv[1], "--random")) {
		random_cases(strtoull(argv[2], NULL, 0), (unsigned int)atoi(argv[3]));
		return 0;
	}
	if (argc == 2 && sscanf(argv[1], "--random %llu %u", &seed, &calls) == 2) {
		random_cases(seed, calls); /* one word, for tests */
		return 0;
	}
	sweep_cases();
	map_cases();
	elem_cases();
	mmap_cases();
	storage_cases();
	btf_cases();
	info_cases();
	id_cases();
	prog_cases();
	run_cases();
	link_cases();
	tracing_cases();
	printf("calls: %u\n", nr_calls);
	return 0;
}
