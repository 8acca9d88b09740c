/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random bpf(2) calls: commands, sizes, pointers, half-valid attrs.
 *
 *	fuzz_bpf [--seconds N] [--seed S] [--calls N]
 *
 * A call is built from what the command expects (real descriptors, readable buffers, plausible
 * sizes) and then, often, spoilt in one or two places. The oracle is: no crash, no hang, no leak
 * (sanitizers), no descriptor left behind.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/rcu.h"
#include "base/uaccess.h"
#include "isa/uapi.h"
#include "obj/fd.h"
#include "sys/sys.h"

#define MAX_FDS 48

static uint64_t rng_state;
static int fds[MAX_FDS];
static unsigned int nr_fds;
static uint8_t *arena; /* 64 KiB of readable bytes, followed by a page that is not readable */
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

static uint32_t descriptor(void)
{
	return nr_fds && below(8) ? (uint32_t)fds[below(nr_fds)] : below(4) ? below(64) : rnd();
}

static uint32_t number(void)
{
	static const uint32_t nice[] = {0, 1, 2, 3, 4, 8, 16, 64, 4096, 65536, 1u << 31, UINT32_MAX};

	return below(4) ? nice[below(sizeof(nice) / sizeof(*nice))] : rnd();
}

static void fill_arena(void)
{
	for (int i = 0; i < 64; i++)
		((uint32_t *)arena)[below(arena_size / 4)] = below(3) ? number() : descriptor();
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

static uint32_t build_insns(struct bpf_insn *in)
{
	uint32_t n = 0, body = below(6);

	in[n++] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = (int)below(3)};
	while (body--)
		in[n++] = (struct bpf_insn){.code = (uint8_t)rnd(), .dst_reg = below(11),
					    .src_reg = below(11), .off = (int16_t)(below(16) - 8),
					    .imm = (int)number()};
	in[n++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	return n;
}

static void map_create(union bpf_attr *a)
{
	a->map_type = below(3) ? 1 + below(34) : number();
	if (below(2))
		a->map_type = (uint32_t[]){1, 2, 6, 12, 13, 27, 29}[below(7)];
	a->key_size = a->map_type == BPF_MAP_TYPE_RINGBUF ? 0 : below(4) ? 4 : below(600);
	a->value_size = a->map_type == BPF_MAP_TYPE_RINGBUF ? 0 : below(4) ? 1 + below(64) : number();
	a->max_entries = a->map_type == BPF_MAP_TYPE_RINGBUF ? 4096u << below(4) : below(64);
	a->map_flags = below(3) ? 0 : 1u << below(20);
	if (a->map_type == BPF_MAP_TYPE_TASK_STORAGE) {
		a->map_flags = BPF_F_NO_PREALLOC;
		a->max_entries = 0;
		a->btf_key_type_id = 1;
		a->btf_value_type_id = 1;
		a->btf_fd = descriptor();
		a->value_size = 4;
	}
	a->inner_map_fd = descriptor();
	if (!below(20))
		a->max_entries = number();
}

static void prog_load(union bpf_attr *a)
{
	uint8_t *at = arena + below(1000) * 8;

	a->prog_type = below(4) ? (uint32_t[]){1, 3, 6, 17, 31}[below(5)] : below(40);
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

	/* A huge map is a valid request for much memory: not what is looked for. */
	if (cmd == BPF_MAP_CREATE)
		return;
	for (uint32_t n = below(3); n; n--) {
		uint32_t off = below(SKEP_ATTR_SIZE / 4) * 4, v = number();

		memcpy(b + off, &v, 4);
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
		a->map_fd = descriptor();
		a->key = pointer();
		a->value = pointer();
		a->flags = below(4) ? 0 : below(8);
		break;
	case BPF_PROG_TEST_RUN:
		a->test.prog_fd = descriptor();
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
		a->info.bpf_fd = descriptor();
		a->info.info = pointer();
		a->info.info_len = below(400);
		break;
	default:
		for (int i = 0; i < 8; i++)
			((uint32_t *)a)[i] = below(2) ? descriptor() : number();
	}
	if (!below(2))
		spoil(a, cmd);
	return below(8) ? SKEP_ATTR_SIZE : below(5000);
}

static void close_some(void)
{
	while (nr_fds > MAX_FDS / 2 || (nr_fds && !below(16))) {
		uint32_t i = below(nr_fds);

		close(fds[i]);
		fds[i] = fds[--nr_fds];
	}
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

int main(int argc, char **argv)
{
	struct skep_caller caller = {.ua = skep_uaccess_self, .capable = true};
	unsigned long calls = 0, max_calls = 0, good = 0;
	unsigned int before = 0;
	long seconds = 5, live = 0;
	time_t end;
	union {
		union bpf_attr attr;
		uint8_t bytes[8192];
	} u;

	rng_state = 0x1234567;
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			rng_state = strtoull(argv[i + 1], NULL, 0) | 1;
		else if (!strcmp(argv[i], "--calls"))
			max_calls = strtoul(argv[i + 1], NULL, 0);
	}
	arena = mmap(NULL, arena_size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(arena + arena_size, 4096, PROT_NONE); /* kept, so that nothing else comes to lie there */
	memset(&u, 0, sizeof(u));
	skep_init();
	end = time(NULL) + seconds;
	while (max_calls ? calls < max_calls : time(NULL) < end) {
		int cmd = below(10) ? (int)below(SKEP_BPF_NR_CMDS) : (int)rnd();
		uint64_t at = below(16) ? (uint64_t)&u : pointer();
		uint32_t size;
		long ret;

		fill_arena();
		if (below(3))
			cmd = (int[]){0, 0, 1, 2, 3, 4, 5, 5, 5, 10, 10, 15, 18, 22}[below(14)];
		size = build(cmd, &u.attr);
		ret = skep_bpf(&caller, cmd, at, size);
		good += ret >= 0;
		/* Commands that hand out a descriptor. */
		if (ret > 2 && nr_fds < MAX_FDS && skep_fd_is_ours((int)ret) &&
		    cmd != BPF_MAP_LOOKUP_ELEM)
			fds[nr_fds++] = (int)ret;
		close_some();
		calls++;
		if (calls == 2000) {
			before = open_descriptors();
			live = skep_alloc_live();
		}
	}
	while (nr_fds)
		close(fds[--nr_fds]);
	skep_fd_reap();
	skep_rcu_drain();
	printf("%lu calls, %lu succeeded, descriptors %u -> %u, allocations %ld -> %ld\n", calls, good,
	       before, open_descriptors(), live, skep_alloc_live());
	if (before && open_descriptors() > before + 4) {
		printf("descriptors leaked\n");
		return 1;
	}
	return good ? 0 : 1;
}
