/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The n-th allocation fails, for n = 0, 1, … until a whole scenario passes: BTF, maps of many
 * kinds, programs, links, runs, information, closing.
 *
 *	fault_test [FIRST [LAST]]
 *
 * A call may answer -ENOMEM and nothing else it would not answer with memory; what it made before
 * must be gone after the descriptors are closed.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/rcu.h"
#include "base/uaccess.h"
#include "hook/hook.h"
#include "isa/uapi.h"
#include "obj/fd.h"
#include "sys/sys.h"

#define MAX_FDS 32

union attr {
	union bpf_attr a;
	uint8_t bytes[SKEP_ATTR_SIZE];
};

static struct skep_caller caller;
static int fds[MAX_FDS];
static unsigned int nr_fds, failed;
static const char *step; /* what is being done */
static long ordinal;

static const char btf_strings[] = "\0int\0main\0callback\0arg";

#define AT_INT 1
#define AT_MAIN 5
#define AT_CALLBACK 10
#define AT_ARG 19

static const uint32_t btf_types[] = {
	AT_INT,	     1u << 24, 4, 1u << 24 | 32,		   /* 1: int */
	0,	     13u << 24 | 1, 1, AT_ARG, 1,		   /* 2: int (int arg) */
	AT_MAIN,     12u << 24 | 1, 2,				   /* 3: main */
	AT_CALLBACK, 12u << 24, 2,				   /* 4: static callback */
};

static long call(const char *what, int cmd, union attr *u)
{
	long ret;

	step = what;
	ret = skep_bpf(&caller, cmd, (uint64_t)u, sizeof(*u));
	if (ret < 0 && (ret != -ENOMEM || ordinal < 0)) {
		printf("allocation %ld: %s: %s\n", ordinal, what, strerror((int)-ret));
		failed++;
	}
	return ret;
}

static int keep(long fd)
{
	if (fd >= 0)
		fds[nr_fds++] = (int)fd;
	return (int)fd;
}

static int load_btf(void)
{
	uint8_t data[256];
	struct btf_header h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h),
			       .type_len = sizeof(btf_types), .str_off = sizeof(btf_types),
			       .str_len = sizeof(btf_strings)};
	union attr u = {0};

	memcpy(data, &h, sizeof(h));
	memcpy(data + sizeof(h), btf_types, sizeof(btf_types));
	memcpy(data + sizeof(h) + sizeof(btf_types), btf_strings, sizeof(btf_strings));
	u.a.btf = (uint64_t)data;
	u.a.btf_size = sizeof(h) + sizeof(btf_types) + sizeof(btf_strings);
	return keep(call("BTF_LOAD", BPF_BTF_LOAD, &u));
}

static int make_map(uint32_t type, uint32_t key, uint32_t value, uint32_t entries, int btf, int inner)
{
	union attr u = {0};

	u.a.map_type = type;
	u.a.key_size = key;
	u.a.value_size = value;
	u.a.max_entries = entries;
	u.a.inner_map_fd = (uint32_t)inner;
	if (btf >= 0) {
		u.a.btf_fd = (uint32_t)btf;
		u.a.btf_key_type_id = 1;
		u.a.btf_value_type_id = 1;
	}
	if (type == BPF_MAP_TYPE_TASK_STORAGE)
		u.a.map_flags = BPF_F_NO_PREALLOC;
	return keep(call("MAP_CREATE", BPF_MAP_CREATE, &u));
}

static long element(int cmd, int map, uint32_t key, const void *value)
{
	union attr u = {0};

	u.a.map_fd = (uint32_t)map;
	u.a.key = (uint64_t)&key;
	u.a.value = (uint64_t)value;
	return call("an element", cmd, &u);
}

#define OP(c, d, s, o, i)                                                                          \
	{                                                                                          \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)                \
	}
#define SET(d, i) OP(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define COPY(d, s) OP(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define PLUS(d, i) OP(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define MAP(d, fd) OP(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, 0, fd), OP(0, 0, 0, 0, 0)
#define HELPER(f) OP(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define LEAVE() OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int load(uint32_t type, const struct bpf_insn *insns, uint32_t n, int btf, uint32_t callback)
{
	struct bpf_func_info funcs[2] = {{0, 3}, {callback, 4}};
	union attr u = {0};
	static char vlog[1 << 16];

	u.a.prog_type = type;
	u.a.insns = (uint64_t)insns;
	u.a.insn_cnt = n;
	u.a.license = (uint64_t) "GPL";
	u.a.prog_btf_fd = (uint32_t)btf;
	u.a.func_info_rec_size = sizeof(*funcs);
	u.a.func_info_cnt = callback ? 2 : 1;
	u.a.func_info = (uint64_t)funcs;
	u.a.log_level = 2;
	u.a.log_buf = (uint64_t)vlog;
	u.a.log_size = sizeof(vlog);
	*vlog = 0;
	n = (uint32_t)call("PROG_LOAD", BPF_PROG_LOAD, &u);
	if (ordinal < 0 && (int)n < 0)
		puts(vlog);
	return keep((int)n);
}

/* Look up, store for the task, send, loop. */
static int load_tracer(int btf, int array, int hash, int ring, int storage)
{
	const struct bpf_insn in[] = {
		OP(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 1),
		OP(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -16, 7),
		MAP(1, array), COPY(2, 10), PLUS(2, -4), HELPER(BPF_FUNC_map_lookup_elem),
		OP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0),
		SET(1, 1),
		OP(BPF_STX | BPF_ATOMIC | BPF_W, 0, 1, 0, BPF_ADD),
		MAP(1, hash), COPY(2, 10), PLUS(2, -4), COPY(3, 10), PLUS(3, -16), SET(4, 0),
		HELPER(BPF_FUNC_map_update_elem),
		MAP(1, ring), COPY(2, 10), PLUS(2, -16), SET(3, 8), SET(4, 0),
		HELPER(BPF_FUNC_ringbuf_output),
		HELPER(BPF_FUNC_get_current_task_btf),
		MAP(1, storage), COPY(2, 0), SET(3, 0), SET(4, BPF_LOCAL_STORAGE_GET_F_CREATE),
		HELPER(BPF_FUNC_task_storage_get),
		SET(1, 4),
		OP(BPF_LD | BPF_IMM | BPF_DW, 2, BPF_PSEUDO_FUNC, 0, 6), OP(0, 0, 0, 0, 0),
		SET(3, 0), SET(4, 0), HELPER(BPF_FUNC_loop),
		SET(0, 0), LEAVE(),
		SET(0, 0), LEAVE(),
	};
	uint32_t n = sizeof(in) / sizeof(*in);

	return load(BPF_PROG_TYPE_RAW_TRACEPOINT, in, n, btf, n - 2);
}

static int load_filter(int btf, int outer)
{
	const struct bpf_insn in[] = {
		OP(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		MAP(1, outer), COPY(2, 10), PLUS(2, -4), HELPER(BPF_FUNC_map_lookup_elem),
		OP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4, 0),
		COPY(1, 0), COPY(2, 10), PLUS(2, -4), HELPER(BPF_FUNC_map_lookup_elem),
		SET(0, 0), LEAVE(),
	};

	return load(BPF_PROG_TYPE_SOCKET_FILTER, in, sizeof(in) / sizeof(*in), btf, 0);
}

static long attach(int prog)
{
	union attr u = {0};

	u.a.raw_tracepoint.prog_fd = (uint32_t)prog;
	u.a.raw_tracepoint.name = (uint64_t) "sys_enter";
	return keep(call("RAW_TRACEPOINT_OPEN", BPF_RAW_TRACEPOINT_OPEN, &u));
}

static long run(int prog, bool is_filter)
{
	uint64_t ctx[2] = {0};
	uint8_t packet[64] = {0}, back[64];
	union attr u = {0};

	u.a.test.prog_fd = (uint32_t)prog;
	if (is_filter) {
		u.a.test.data_in = (uint64_t)packet;
		u.a.test.data_size_in = sizeof(packet);
		u.a.test.data_out = (uint64_t)back;
		u.a.test.data_size_out = sizeof(back);
		u.a.test.repeat = 2;
	} else {
		u.a.test.ctx_in = (uint64_t)ctx;
		u.a.test.ctx_size_in = sizeof(ctx);
	}
	return call("PROG_TEST_RUN", BPF_PROG_TEST_RUN, &u);
}

static long inform(int fd)
{
	uint8_t info[512] = {0};
	union attr u = {0};

	u.a.info.bpf_fd = (uint32_t)fd;
	u.a.info.info = (uint64_t)info;
	u.a.info.info_len = sizeof(info);
	return call("OBJ_GET_INFO_BY_FD", BPF_OBJ_GET_INFO_BY_FD, &u);
}

/* True: everything succeeded. */
static bool scenario(void)
{
	const uint64_t args[6] = {0}, value = 5;
	int btf, array, hash, percpu, ring, storage, outer, tracer, filter;

	if ((btf = load_btf()) < 0 ||
	    (array = make_map(BPF_MAP_TYPE_ARRAY, 4, 4, 4, btf, 0)) < 0 ||
	    (hash = make_map(BPF_MAP_TYPE_HASH, 4, 8, 8, -1, 0)) < 0 ||
	    (percpu = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 2, -1, 0)) < 0 ||
	    (ring = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, -1, 0)) < 0 ||
	    (storage = make_map(BPF_MAP_TYPE_TASK_STORAGE, 4, 4, 0, btf, 0)) < 0 ||
	    (outer = make_map(BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 2, -1, array)) < 0)
		return false;
	if (element(BPF_MAP_UPDATE_ELEM, hash, 3, &value) ||
	    element(BPF_MAP_UPDATE_ELEM, outer, 0, &array) || inform(percpu))
		return false;
	if ((tracer = load_tracer(btf, array, hash, ring, storage)) < 0 ||
	    (filter = load_filter(btf, outer)) < 0)
		return false;
	if (run(filter, true) || run(tracer, false) || attach(tracer) < 0)
		return false;
	step = "firing";
	for (int i = 0; i < 3; i++) {
		skep_hook_sys_enter(SYS_getpgid, args);
		skep_hook_sys_exit(SYS_getpgid, args, 0);
	}
	for (unsigned int i = 0; i < nr_fds; i++)
		if (inform(fds[i]))
			return false;
	return !element(BPF_MAP_DELETE_ELEM, hash, 3, NULL) &&
	       !element(BPF_MAP_DELETE_ELEM, outer, 0, NULL);
}

static void close_all(void)
{
	step = "closing";
	while (nr_fds)
		close(fds[--nr_fds]);
	skep_fd_reap();
	skep_rcu_drain();
	skep_fd_reap();
}

int main(int argc, char **argv)
{
	long first = argc > 1 ? atol(argv[1]) : 0, last = argc > 2 ? atol(argv[2]) : 100000, live;
	bool whole;

	caller = (struct skep_caller){.ua = skep_uaccess_self, .capable = true};
	skep_init();
	/* The kernel's BTF and what else is made once. */
	for (int i = 0; i < 3; i++) {
		ordinal = -1;
		whole = scenario();
		close_all();
		if (!whole) {
			printf("the scenario fails with memory\n");
			return 1;
		}
	}
	live = skep_alloc_live();
	for (ordinal = first, whole = false; ordinal < last && !whole && failed < 10; ordinal++) {
		const char *at;

		skep_alloc_fail_after(ordinal);
		whole = scenario();
		at = step;
		close_all(); /* without memory too */
		skep_alloc_fail_after(-1);
		close_all();
		for (int i = 0; i < 200 && skep_alloc_live() != live; i++) /* the reaper has some */
			usleep(1000);
		if (skep_alloc_live() != live) {
			printf("allocation %ld, failed at %s: %ld left behind\n", ordinal, at,
			       skep_alloc_live() - live);
			live = skep_alloc_live();
			failed++;
		}
	}
	printf("%ld allocations failed, %u failures\n", ordinal - first, failed);
	return failed || (!whole && argc < 3);
}
