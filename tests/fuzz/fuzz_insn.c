/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random instructions through verify-and-run.
 *
 *	fuzz_insn [--seconds N] [--seed S] [--programs N]
 *
 * Programs are built to be accepted now and then: registers are mostly initialised, memory is
 * reached through map values, the stack, packets, with masks and compares before use. What is
 * accepted runs (test_run), first by the interpreter, then by the JIT on the same input; results
 * and map contents must agree, and the sanitizers must be silent.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/rcu.h"
#include "base/uaccess.h"
#include "isa/uapi.h"
#include "obj/fd.h"
#include "sys/sys.h"

#define MAX_INSNS 80

static uint64_t rng_state = 0x9876543;
static struct skep_caller caller;
static int array_fd, hash_fd;
static char vlog[1 << 16];

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

struct prog {
	struct bpf_insn in[MAX_INSNS + 32];
	uint32_t n;
};

static void emit(struct prog *p, uint8_t code, uint32_t dst, uint32_t src, int off, int imm)
{
	p->in[p->n++] = (struct bpf_insn){
		.code = code, .dst_reg = dst & 15, .src_reg = src & 15, .off = (int16_t)off, .imm = imm};
}

static int constant(void)
{
	static const int nice[] = {0, 1, -1, 2, 7, 8, 63, 64, 255, 4096, INT32_MAX, INT32_MIN};

	return below(3) ? nice[below(12)] : (int)rnd();
}

static void alu(struct prog *p)
{
	static const uint8_t ops[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND, BPF_LSH,
				      BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH};
	uint8_t op = ops[below(13)], cls = below(2) ? BPF_ALU64 : BPF_ALU;
	uint32_t dst = below(10), src = below(10);
	bool reg = below(2);
	int imm = constant(), off = 0;

	if (op == BPF_NEG) {
		emit(p, cls | op, dst, 0, 0, 0);
		return;
	}
	if (!reg && (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH))
		imm &= cls == BPF_ALU ? 31 : 63;
	if (!reg && (op == BPF_DIV || op == BPF_MOD) && !imm)
		imm = 3;
	if ((op == BPF_DIV || op == BPF_MOD) && !below(3))
		off = 1;
	if (op == BPF_MOV && reg && !below(3))
		off = below(2) ? 8 : 16;
	emit(p, cls | op | (reg ? BPF_X : BPF_K), dst, reg ? src : 0, off, reg ? 0 : imm);
}

static void jump(struct prog *p)
{
	static const uint8_t ops[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
				      BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE};
	bool reg = below(2);

	emit(p, (below(2) ? BPF_JMP : BPF_JMP32) | ops[below(11)] | (reg ? BPF_X : BPF_K), below(10),
	     reg ? below(10) : 0, below(6), reg ? 0 : constant());
}

static void stack(struct prog *p)
{
	static const uint8_t sizes[] = {BPF_B, BPF_H, BPF_W, BPF_DW};
	uint8_t size = sizes[below(4)];
	int bytes = size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
	int off = -(int)(1 + below(8)) * bytes;

	switch (below(3)) {
	case 0:
		emit(p, BPF_STX | BPF_MEM | size, 10, below(10), off, 0);
		break;
	case 1:
		emit(p, BPF_ST | BPF_MEM | size, 10, 0, off, constant());
		break;
	default:
		emit(p, BPF_LDX | BPF_MEM | size, below(10), 10, off, 0);
	}
}

/* r0 = lookup(map, key on the stack); if (r0) use it at a masked index. */
static void map_value(struct prog *p)
{
	uint32_t index = 6 + below(4);

	emit(p, BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, (int)below(5));
	emit(p, BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, below(2) ? array_fd : hash_fd);
	emit(p, 0, 0, 0, 0, 0);
	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0);
	emit(p, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
	emit(p, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	for (uint32_t r = 1; r < 6; r++)
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, r, 0, 0, constant());
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 5 + (below(8) == 0), 0);
	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 3, index, 0, 0);
	emit(p, BPF_ALU64 | BPF_AND | BPF_K, 3, 0, 0, below(6) ? 31 : (int)below(128));
	emit(p, BPF_ALU64 | BPF_ADD | BPF_X, 0, 3, 0, 0);
	if (below(2))
		emit(p, BPF_LDX | BPF_MEM | (below(2) ? BPF_B : BPF_DW), 3, 0, (int)below(33), 0);
	else
		emit(p, BPF_STX | BPF_MEM | (below(2) ? BPF_W : BPF_H), 0, 4, (int)below(33), 0);
	emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, constant());
	emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, constant());
}

static void atomic(struct prog *p)
{
	static const int ops[] = {BPF_ADD, BPF_OR, BPF_AND, BPF_XOR, BPF_ADD | BPF_FETCH,
				  BPF_OR | BPF_FETCH, BPF_AND | BPF_FETCH, BPF_XOR | BPF_FETCH,
				  BPF_XCHG, BPF_CMPXCHG};

	emit(p, BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, constant());
	emit(p, BPF_STX | BPF_ATOMIC | (below(2) ? BPF_W : BPF_DW), 10, below(10), -8, ops[below(10)]);
}

static void build(struct prog *p)
{
	uint32_t want = 24 + below(MAX_INSNS - 30);

	p->n = 0;
	for (uint32_t r = 0; r < 10; r++)
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, r, 0, 0, constant());
	/* Uninitialised stack may be read, and would differ between runs. */
	for (int off = -64; off < 0; off += 8)
		emit(p, BPF_ST | BPF_MEM | BPF_DW, 10, 0, off, constant());
	while (p->n < want) {
		switch (below(12)) {
		case 0:
		case 1:
			jump(p);
			break;
		case 2:
		case 3:
			stack(p);
			break;
		case 4:
			map_value(p);
			break;
		case 5:
			atomic(p);
			break;
		case 6:
			if (!below(6)) { /* anything */
				emit(p, (uint8_t)rnd(), below(11), below(11), (int)below(9) - 4, constant());
				break;
			}
			/* fall through */
		default:
			alu(p);
		}
	}
	for (int i = 0; i < 6; i++)
		emit(p, BPF_ALU64 | BPF_XOR | BPF_K, below(10), 0, 0, 0);
	emit(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int load(const struct prog *p)
{
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;

	memset(&u, 0, sizeof(u));
	u.attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	u.attr.insns = (uint64_t)p->in;
	u.attr.insn_cnt = p->n;
	u.attr.license = (uint64_t) "GPL";
	u.attr.log_level = below(16) ? 0 : 1 + below(2);
	if (u.attr.log_level) {
		u.attr.log_buf = (uint64_t)vlog;
		u.attr.log_size = sizeof(vlog);
	}
	return (int)skep_bpf(&caller, BPF_PROG_LOAD, (uint64_t)&u, sizeof(u));
}

static void reset_maps(void)
{
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;
	uint8_t value[64];

	for (uint32_t k = 0; k < 4; k++)
		for (int m = 0; m < 2; m++) {
			memset(&u, 0, sizeof(u));
			memset(value, (int)k + 1, sizeof(value));
			u.attr.map_fd = (uint32_t)(m ? hash_fd : array_fd);
			u.attr.key = (uint64_t)&k;
			u.attr.value = (uint64_t)value;
			skep_bpf(&caller, BPF_MAP_UPDATE_ELEM, (uint64_t)&u, sizeof(u));
		}
}

/* Contents of both maps as one number. */
static uint64_t digest(void)
{
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;
	uint64_t h = 14695981039346656037ull;
	uint8_t value[64];

	for (uint32_t k = 0; k < 4; k++)
		for (int m = 0; m < 2; m++) {
			memset(&u, 0, sizeof(u));
			u.attr.map_fd = (uint32_t)(m ? hash_fd : array_fd);
			u.attr.key = (uint64_t)&k;
			u.attr.value = (uint64_t)value;
			skep_bpf(&caller, BPF_MAP_LOOKUP_ELEM, (uint64_t)&u, sizeof(u));
			for (size_t i = 0; i < sizeof(value); i++)
				h = (h ^ value[i]) * 1099511628211ull;
		}
	return h;
}

static long run(int fd, uint32_t *ret_val)
{
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;
	uint8_t packet[64];
	long ret;

	memset(&u, 0, sizeof(u));
	memset(packet, 5, sizeof(packet));
	u.attr.test.prog_fd = (uint32_t)fd;
	u.attr.test.data_in = (uint64_t)packet;
	u.attr.test.data_size_in = sizeof(packet);
	u.attr.test.repeat = 1;
	ret = skep_bpf(&caller, BPF_PROG_TEST_RUN, (uint64_t)&u, sizeof(u));
	*ret_val = u.attr.test.retval;
	return ret;
}

/* 0 rejected, 1 accepted and both engines agree, -1 they differ. */
static int one(const struct prog *p)
{
	uint32_t val[2] = {0, 0};
	uint64_t maps[2] = {0, 0};
	long ret[2];

	for (int e = 0; e < 2; e++) {
		int fd;

		setenv("SKEP_ENGINE", e ? "jit" : "interp", 1);
		setenv("SKEP_INLINE", e ? "1" : "0", 1);
		fd = load(p);
		if (fd < 0)
			return 0;
		reset_maps();
		ret[e] = run(fd, &val[e]);
		maps[e] = digest();
		close(fd);
		skep_fd_reap();
	}
	return ret[0] == ret[1] && val[0] == val[1] && maps[0] == maps[1] ? 1 : -1;
}

static void print_program(const struct prog *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		printf("%3u: %02x %u %u %d %d\n", i, p->in[i].code, p->in[i].dst_reg, p->in[i].src_reg,
		       p->in[i].off, p->in[i].imm);
}

static int make_map(uint32_t type)
{
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;

	memset(&u, 0, sizeof(u));
	u.attr.map_type = type;
	u.attr.key_size = 4;
	u.attr.value_size = 64;
	u.attr.max_entries = 4;
	return (int)skep_bpf(&caller, BPF_MAP_CREATE, (uint64_t)&u, sizeof(u));
}

int main(int argc, char **argv)
{
	unsigned long programs = 0, max_programs = 0, accepted = 0;
	long seconds = 5;
	time_t end;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			rng_state = strtoull(argv[i + 1], NULL, 0) | 1;
		else if (!strcmp(argv[i], "--programs"))
			max_programs = strtoul(argv[i + 1], NULL, 0);
	}
	caller = (struct skep_caller){.ua = skep_uaccess_self, .capable = true};
	array_fd = make_map(BPF_MAP_TYPE_ARRAY);
	hash_fd = make_map(BPF_MAP_TYPE_HASH);
	if (array_fd < 0 || hash_fd < 0)
		return 1;
	end = time(NULL) + seconds;
	while (max_programs ? programs < max_programs : time(NULL) < end) {
		uint64_t seed = rng_state;
		struct prog p;
		int r;

		build(&p);
		r = one(&p);
		programs++;
		accepted += r > 0;
		if (r < 0) {
			printf("engines differ, seed %#llx\n", (unsigned long long)seed);
			print_program(&p);
			return 1;
		}
	}
	close(array_fd);
	close(hash_fd);
	skep_fd_reap();
	skep_rcu_drain();
	printf("%lu programs, %lu accepted and run\n", programs, accepted);
	return accepted ? 0 : 1;
}
