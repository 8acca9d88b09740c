/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random bpf(2) calls: commands, sizes, pointers, half-valid attrs.
 *
 *	fuzz_bpf [--seconds N] [--seed S] [--calls N] [--threads N]
 *
 * A call is built from what the command expects (real descriptors, readable buffers, plausible
 * sizes) and then, often, spoilt in one or two places; now and then memory runs out in it. System
 * calls that attached programs look at happen in between. With threads, each makes its calls with
 * the descriptors of all. The oracle is: no crash, no hang, no leak (sanitizers, the count of
 * allocations), no descriptor left behind.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/rcu.h"
#include "base/uaccess.h"
#include "hook/hook.h"
#include "isa/uapi.h"
#include "obj/fd.h"
#include "sys/sys.h"

#define MAX_FDS 48

enum kind { MAP, PROG, BTF, LINK, NR_KINDS };

/* All threads' descriptors. Whoever takes one out of the table closes it. */
static struct {
	int fd;
	enum kind kind;
} fds[MAX_FDS];
static unsigned int nr_fds;
static pthread_mutex_t fds_lock = PTHREAD_MUTEX_INITIALIZER;

static __thread uint64_t rng_state;
static __thread uint8_t *arena; /* 64 KiB of readable bytes, followed by a page that is not readable */
static const size_t arena_size = 65536;

static uint32_t rnd(void)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return (uint32_t)((rng_state * 0x2545f4914f6cdd1dull) >> 32);
}

static uint32_t below(uint32_t n)
{
	return rnd() % n;
}

static uint64_t pointer(void)
{
	switch (below(12)) {
	case 0:
		return 0;
	case 1:
		return 8;
	case 2:
		return (uint64_t)(arena + arena_size - below(64)); /* runs off the end */
	case 3:
		return (uint64_t)rnd() << 32 | rnd();
	default:
		return (uint64_t)(arena + below(arena_size / 2) / 8 * 8);
	}
}

/* Mostly of the kind asked for, mostly one of ours. */
static uint32_t descriptor(enum kind kind)
{
	uint32_t ret = below(4) ? below(64) : rnd();

	pthread_mutex_lock(&fds_lock);
	if (nr_fds && below(8)) {
		unsigned int i = below(nr_fds);

		for (unsigned int n = below(8) ? nr_fds : 0; n && fds[i].kind != kind; n--)
			i = (i + 1) % nr_fds;
		ret = (uint32_t)fds[i].fd;
	}
	pthread_mutex_unlock(&fds_lock);
	return ret;
}

static void keep_descriptor(int fd, enum kind kind)
{
	pthread_mutex_lock(&fds_lock);
	if (nr_fds < MAX_FDS) {
		fds[nr_fds].fd = fd;
		fds[nr_fds++].kind = kind;
		fd = -1;
	}
	pthread_mutex_unlock(&fds_lock);
	if (fd >= 0)
		close(fd);
}

static uint32_t number(void)
{
	static const uint32_t nice[] = {0, 1, 2, 3, 4, 8, 16, 64, 4096, 65536, 1u << 31, UINT32_MAX};

	return below(4) ? nice[below(sizeof(nice) / sizeof(*nice))] : rnd();
}

static void fill_arena(void)
{
	for (int i = 0; i < 64; i++)
		((uint32_t *)arena)[below(arena_size / 4)] = below(3) ? number() : descriptor(below(NR_KINDS));
}

static uint32_t build_btf(uint8_t *to)
{
	/* int; struct { int; }; and damage. */
	static const uint32_t types[] = {1, 1u << 24, 4, 32, 5, 4u << 24 | 1, 4, 7, 1, 0};
	static const char strs[] = "\0int\0st\0a";
	struct btf_header h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h),
			       .type_len = sizeof(types), .str_off = sizeof(types),
			       .str_len = sizeof(strs)};
	uint32_t size = sizeof(h) + sizeof(types) + sizeof(strs);

	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h), types, sizeof(types));
	memcpy(to + sizeof(h) + sizeof(types), strs, sizeof(strs));
	while (!below(3))
		to[below(size)] = (uint8_t)rnd();
	return size;
}

#define OP(c, d, s, o, i)                                                                          \
	((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (int)(i)})

static uint32_t put(struct bpf_insn *to, const struct bpf_insn *from, uint32_t n)
{
	memcpy(to, from, n * sizeof(*from));
	return n;
}

#define PUT(...)                                                                                   \
	(n += put(in + n, (const struct bpf_insn[]){__VA_ARGS__},                                   \
		  sizeof((const struct bpf_insn[]){__VA_ARGS__}) / sizeof(struct bpf_insn)))
#define SET(d, i) OP(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define COPY(d, s) OP(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define PLUS(d, i) OP(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define THE_MAP(d) OP(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, 0, map), OP(0, 0, 0, 0, 0)
#define HELPER(f) OP(BPF_JMP | BPF_CALL, 0, 0, 0, f)

/* Something that is accepted with the right map, or with luck. */
static uint32_t build_insns(struct bpf_insn *in)
{
	uint32_t n = 0, body = below(6), map = descriptor(MAP), subprog = 0;

	PUT(OP(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -16, below(3)),
	    OP(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, below(3)));
	switch (below(8)) {
	case 0:
		PUT(THE_MAP(1), COPY(2, 10), PLUS(2, -16), HELPER(BPF_FUNC_map_lookup_elem),
		    OP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1, 0), OP(BPF_ST | BPF_MEM | BPF_B, 0, 0, 0, 1));
		break;
	case 1:
		PUT(THE_MAP(1), COPY(2, 10), PLUS(2, -16), COPY(3, 10), PLUS(3, -8), SET(4, below(4)),
		    HELPER(BPF_FUNC_map_update_elem));
		break;
	case 2:
		PUT(THE_MAP(1), COPY(2, 10), PLUS(2, -16), HELPER(BPF_FUNC_map_delete_elem));
		break;
	case 3:
		PUT(THE_MAP(1), COPY(2, 10), PLUS(2, -16), SET(3, 8 * below(3)), SET(4, 0),
		    HELPER(BPF_FUNC_ringbuf_output));
		break;
	case 4:
		PUT(HELPER(BPF_FUNC_get_current_task_btf), THE_MAP(1), COPY(2, 0), SET(3, 0),
		    SET(4, below(2)), HELPER(BPF_FUNC_task_storage_get),
		    OP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1, 0), OP(BPF_ST | BPF_MEM | BPF_W, 0, 0, 0, 1));
		break;
	case 5: /* an inner map's element */
		PUT(THE_MAP(1), COPY(2, 10), PLUS(2, -16), HELPER(BPF_FUNC_map_lookup_elem),
		    OP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4, 0), COPY(1, 0), COPY(2, 10), PLUS(2, -16),
		    HELPER(BPF_FUNC_map_lookup_elem));
		break;
	case 6:
		PUT(SET(1, below(20)), OP(BPF_LD | BPF_IMM | BPF_DW, 2, BPF_PSEUDO_FUNC, 0, 0),
		    OP(0, 0, 0, 0, 0), SET(3, 0), SET(4, 0), HELPER(BPF_FUNC_loop));
		subprog = n - 5;
		break;
	default:
		in[n++] = SET(0, below(3));
	}
	while (body-- && !below(3))
		in[n++] = OP((uint8_t)rnd(), below(11), below(11), (int16_t)(below(16) - 8), number());
	PUT(SET(0, below(2)), OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	if (subprog) {
		in[subprog].imm = (int)(n - subprog - 1);
		PUT(SET(0, below(8) == 0), OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	}
	return n;
}

static void map_create(union bpf_attr *a)
{
	a->map_type = below(3) ? 1 + below(34) : number();
	if (below(2))
		a->map_type = (uint32_t[]){1, 2, 5, 6, 12, 13, 27, 29}[below(8)];
	a->key_size = a->map_type == BPF_MAP_TYPE_RINGBUF ? 0 : below(8) ? 4 : below(600);
	a->value_size = a->map_type == BPF_MAP_TYPE_RINGBUF ? 0 : below(8) ? 4 + 4 * below(2) : number();
	a->max_entries = a->map_type == BPF_MAP_TYPE_RINGBUF ? 4096u << below(4) : below(64);
	a->map_flags = below(3) ? 0 : 1u << below(20);
	if (a->map_type == BPF_MAP_TYPE_TASK_STORAGE) {
		a->map_flags = BPF_F_NO_PREALLOC;
		a->max_entries = 0;
		a->btf_key_type_id = 1;
		a->btf_value_type_id = 1;
		a->btf_fd = descriptor(BTF);
		a->value_size = 4;
	}
	a->inner_map_fd = descriptor(MAP);
	if (!below(20)) /* not more: a huge map is a valid request for much memory and time */
		a->max_entries = (uint32_t[]){0, 3, 4096, 65536}[below(4)];
}

static void prog_load(union bpf_attr *a)
{
	uint8_t *at = arena + below(1000) * 8;

	a->prog_type = below(4) ? (uint32_t[]){1, 3, 6, 17, 17, 31}[below(6)] : below(40);
	a->insn_cnt = build_insns((struct bpf_insn *)at);
	a->insns = (uint64_t)at;
	strcpy((char *)arena + 60000, "GPL");
	a->license = (uint64_t)(arena + 60000);
	a->prog_flags = a->prog_type == BPF_PROG_TYPE_SYSCALL ? BPF_F_SLEEPABLE : 0;
	if (!below(3)) {
		a->log_level = below(8);
		a->log_buf = (uint64_t)(arena + 32768);
		a->log_size = below(20000);
	}
}

static void spoil(union bpf_attr *a, int cmd)
{
	uint8_t *b = (uint8_t *)a;

	if (cmd == BPF_MAP_CREATE)
		return;
	for (uint32_t n = below(3); n; n--) {
		uint32_t off = below(SKEP_ATTR_SIZE / 4) * 4, v = number();

		memcpy(b + off, &v, 4);
	}
	/* Half a pointer may be one into memory of ours, where an answer must not be asked for. */
	for (uint32_t off = 0; off < SKEP_ATTR_SIZE / 8 * 8; off += 8) {
		uint64_t p;

		memcpy(&p, b + off, 8);
		if (p >> 40 && p < 1ull << 47 && (p < (uint64_t)arena || p >= (uint64_t)arena + arena_size)) {
			p = (uint64_t)(arena + arena_size - 8);
			memcpy(b + off, &p, 8);
		}
	}
}

static uint32_t build(int cmd, union bpf_attr *a)
{
	memset(a, 0, SKEP_ATTR_SIZE);
	switch (cmd) {
	case BPF_MAP_CREATE:
		map_create(a);
		break;
	case BPF_PROG_LOAD:
		prog_load(a);
		break;
	case BPF_BTF_LOAD:
		a->btf = (uint64_t)(arena + 4096);
		a->btf_size = build_btf(arena + 4096);
		break;
	case BPF_MAP_LOOKUP_ELEM:
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_DELETE_ELEM:
	case BPF_MAP_GET_NEXT_KEY:
	case BPF_MAP_LOOKUP_AND_DELETE_ELEM:
		a->map_fd = descriptor(MAP);
		a->key = pointer();
		a->value = pointer();
		a->flags = below(4) ? 0 : below(8);
		break;
	case BPF_PROG_TEST_RUN:
		a->test.prog_fd = descriptor(PROG);
		a->test.data_in = pointer();
		a->test.data_size_in = below(300);
		a->test.data_out = pointer();
		a->test.data_size_out = below(300);
		a->test.repeat = below(4);
		if (!below(3)) {
			a->test.ctx_in = pointer();
			a->test.ctx_size_in = below(200);
		}
		if (below(2)) {
			a->test.data_in = a->test.data_out = 0;
			a->test.data_size_in = a->test.data_size_out = 0;
		}
		break;
	case BPF_OBJ_GET_INFO_BY_FD:
		a->info.bpf_fd = descriptor(below(NR_KINDS));
		a->info.info = pointer();
		a->info.info_len = below(400);
		break;
	case BPF_RAW_TRACEPOINT_OPEN:
		strcpy((char *)arena + 60100, below(2) ? "sys_enter" : "sys_exit");
		a->raw_tracepoint.name = (uint64_t)(arena + 60100);
		a->raw_tracepoint.prog_fd = descriptor(PROG);
		break;
	case BPF_LINK_CREATE:
		a->link_create.prog_fd = descriptor(PROG);
		a->link_create.attach_type = below(3) ? 0 : below(60);
		break;
	case BPF_LINK_DETACH:
		a->link_detach.link_fd = descriptor(LINK);
		break;
	default:
		for (int i = 0; i < 8; i++)
			((uint32_t *)a)[i] = below(2) ? descriptor(below(NR_KINDS)) : number();
	}
	if (!below(3))
		spoil(a, cmd);
	if (cmd == BPF_PROG_TEST_RUN)
		a->test.repeat &= 15; /* four thousand million runs are a valid request too */
	return below(12) ? SKEP_ATTR_SIZE : below(5000);
}

static void close_some(void)
{
	int fd = -1;

	pthread_mutex_lock(&fds_lock);
	if (nr_fds > MAX_FDS / 2 || (nr_fds && !below(100))) {
		unsigned int i = below(nr_fds);

		fd = fds[i].fd;
		fds[i] = fds[--nr_fds];
	}
	pthread_mutex_unlock(&fds_lock);
	if (fd >= 0)
		close(fd);
	skep_fd_reap();
}

static unsigned int open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* The kind of descriptor that @cmd hands out; NR_KINDS: none. */
static enum kind kind_of(int cmd)
{
	switch (cmd) {
	case BPF_MAP_CREATE:
	case BPF_MAP_GET_FD_BY_ID:
		return MAP;
	case BPF_PROG_LOAD:
	case BPF_PROG_GET_FD_BY_ID:
		return PROG;
	case BPF_BTF_LOAD:
	case BPF_BTF_GET_FD_BY_ID:
		return BTF;
	case BPF_RAW_TRACEPOINT_OPEN:
	case BPF_LINK_CREATE:
	case BPF_LINK_GET_FD_BY_ID:
		return LINK;
	default:
		return NR_KINDS;
	}
}

static unsigned long max_calls;
static uint64_t seed = 0x1234567;
static time_t end;
static unsigned long good; /* of all threads */
static unsigned int before;
static long live;

static void close_all(void)
{
	while (nr_fds)
		close(fds[--nr_fds].fd);
	for (int i = 0; i < 3; i++) {
		skep_fd_reap();
		skep_rcu_drain();
		usleep(20000); /* the reaper may have some */
	}
}

static void *make_calls(void *number_of_thread)
{
	const struct skep_caller caller = {.ua = skep_uaccess_self, .capable = true};
	static const uint64_t args[6];
	unsigned long calls = 0;
	union {
		union bpf_attr attr;
		uint8_t bytes[8192];
	} u;

	rng_state = seed + 2 * (uint64_t)number_of_thread;
	arena = mmap(NULL, arena_size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(arena + arena_size, 4096, PROT_NONE); /* kept, so that nothing else comes to lie there */
	memset(&u, 0, sizeof(u));
	while (max_calls ? calls < max_calls : time(NULL) < end) {
		int cmd = below(10) ? (int)below(SKEP_BPF_NR_CMDS) : (int)rnd();
		uint64_t at = below(16) ? (uint64_t)&u : pointer();
		uint32_t size;
		long ret;

		fill_arena();
		if (below(3))
			cmd = (int[]){0, 0, 1, 2, 2, 3, 4, 5, 5, 5, 10, 10, 15, 17, 18, 28}[below(16)];
		if (cmd == BPF_PROG_TEST_RUN || cmd == BPF_MAP_CREATE)
			at = (uint64_t)&u;
		size = build(cmd, &u.attr);
		if (!below(30))
			skep_alloc_fail_after(below(30));
		ret = skep_bpf(&caller, cmd, at, size);
		skep_alloc_fail_after(-1);
		if (ret >= 0) {
			__atomic_fetch_add(&good, 1, __ATOMIC_RELAXED);
			if (kind_of(cmd) != NR_KINDS)
				keep_descriptor((int)ret, kind_of(cmd));
		}
		if (!below(8)) {
			skep_hook_sys_enter(SYS_getpgid, args);
			skep_hook_sys_exit(SYS_getpgid, args, 0);
		}
		close_some();
		calls++;
		if (calls == 2000 && !number_of_thread) {
			before = open_descriptors();
			live = skep_alloc_live();
		}
	}
	return (void *)calls;
}

int main(int argc, char **argv)
{
	unsigned long calls = 0;
	unsigned int after;
	long seconds = 5, left, threads = 1;
	pthread_t t[64];

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0) | 1;
		else if (!strcmp(argv[i], "--calls"))
			max_calls = strtoul(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--threads"))
			threads = atol(argv[i + 1]);
	}
	threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
	skep_init();
	end = time(NULL) + seconds;
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, make_calls, (void *)i);
	for (long i = 0; i < threads; i++) {
		void *n;

		pthread_join(t[i], &n);
		calls += (unsigned long)n;
	}
	close_all();
	after = open_descriptors();
	left = skep_alloc_live();
	printf("%lu calls, %lu succeeded, descriptors %u -> %u, allocations %ld -> %ld\n", calls, good,
	       before, after, live, left);
	if (before && after > before + 4) {
		printf("descriptors leaked\n");
		return 1;
	}
	/* Once made: the kernel's BTF, the task's index, the descriptor table. */
	if (left > 64) {
		printf("memory leaked\n");
		return 1;
	}
	return good ? 0 : 1;
}
