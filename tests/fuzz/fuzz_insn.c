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

#include "base/alloc.h"
#include "base/rcu.h"
#include "base/uaccess.h"
#include "isa/uapi.h"
#include "obj/fd.h"
#include "sys/sys.h"

#define MAX_INSNS 80

static uint64_t rng_state = 0x9876543;
static struct skep_caller caller;
static int array_fd, hash_fd, ring_fd, lock_fd;
static uint32_t prog_type;
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
	struct bpf_insn in[MAX_INSNS + 96];
	uint32_t n;
	uint32_t calls[8], nr_calls;	     /* instructions that call the function at the end */
	uint32_t callbacks[8], nr_callbacks; /* that take its address */
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

static void scratch(struct prog *p)
{
	for (uint32_t r = 1; r < 6; r++)
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, r, 0, 0, constant());
}

static void load_map(struct prog *p, uint32_t r, int fd)
{
	emit(p, BPF_LD | BPF_IMM | BPF_DW, r, BPF_PSEUDO_MAP_FD, 0, fd);
	emit(p, 0, 0, 0, 0, 0);
}

static void stack_address(struct prog *p, uint32_t r, int off)
{
	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, r, 10, 0, 0);
	emit(p, BPF_ALU64 | BPF_ADD | BPF_K, r, 0, 0, off);
}

static void call(struct prog *p, int helper)
{
	emit(p, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

/* What differs from run to run must not reach the result. */
static void forget(struct prog *p)
{
	emit(p, BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, 0);
}

static void helper(struct prog *p)
{
	switch (below(9)) {
	case 0:
		call(p, below(2) ? BPF_FUNC_ktime_get_ns : BPF_FUNC_get_prandom_u32);
		forget(p);
		break;
	case 1: /* update */
		emit(p, BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, (int)below(6));
		load_map(p, 1, below(2) ? array_fd : hash_fd);
		stack_address(p, 2, -4);
		stack_address(p, 3, -64);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, (int)below(3));
		call(p, BPF_FUNC_map_update_elem);
		break;
	case 2:
		emit(p, BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, (int)below(6));
		load_map(p, 1, hash_fd);
		stack_address(p, 2, -4);
		call(p, BPF_FUNC_map_delete_elem);
		break;
	case 3: /* reserve, write, submit or discard */
		load_map(p, 1, ring_fd);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 16);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0);
		call(p, BPF_FUNC_ringbuf_reserve);
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4, 0);
		emit(p, BPF_ST | BPF_MEM | BPF_DW, 0, 0, (int)below(2) * 8 + !below(30), 1);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 1, 0, 0, 0);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 1);
		call(p, below(2) ? BPF_FUNC_ringbuf_submit : BPF_FUNC_ringbuf_discard);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 3);
		break;
	case 4: /* lock, add, unlock; r9 keeps the value */
		emit(p, BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0);
		load_map(p, 1, lock_fd);
		stack_address(p, 2, -4);
		call(p, BPF_FUNC_map_lookup_elem);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 9, 0, 0, 0);
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 6, 0);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 1, 9, 0, 0);
		call(p, BPF_FUNC_spin_lock);
		emit(p, BPF_ST | BPF_MEM | BPF_W, 9, 0, below(30) ? 4 : 0, constant());
		emit(p, BPF_LDX | BPF_MEM | BPF_W, 8, 9, 4, 0);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 1, 9, 0, 0);
		call(p, BPF_FUNC_spin_unlock);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 8, 0, 0, 1);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 9, 0, 0, 1);
		break;
	case 5: /* a function with two numbers */
		if (p->nr_calls == 8)
			return;
		emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 1, 6 + below(4), 0, 0);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, constant());
		p->calls[p->nr_calls++] = p->n;
		emit(p, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
		break;
	case 6: /* a loop by callback */
		if (p->nr_callbacks == 8)
			return;
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, (int)below(40));
		p->callbacks[p->nr_callbacks++] = p->n;
		emit(p, BPF_LD | BPF_IMM | BPF_DW, 2, BPF_PSEUDO_FUNC, 0, 0);
		emit(p, 0, 0, 0, 0, 0);
		stack_address(p, 3, -8 * (1 + (int)below(8)));
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 0);
		call(p, BPF_FUNC_loop);
		break;
	case 7: /* a loop that may be left */
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 9, 0, 0, 0);
		emit(p, 0xe5 /* may_goto */, 0, 0, 3, 0);
		emit(p, BPF_ALU64 | BPF_ADD | BPF_K, 9, 0, 0, 1);
		emit(p, BPF_JMP | BPF_JGT | BPF_K, 9, 0, 1, (int)below(50));
		emit(p, BPF_JMP | BPF_JA, 0, 0, -4, 0);
		return;
	default: /* the packet, below what was compared */
		if (prog_type != BPF_PROG_TYPE_XDP)
			return;
		emit(p, BPF_LDX | BPF_MEM | BPF_DW, 1, 10, -72, 0);
		emit(p, BPF_LDX | BPF_MEM | BPF_W, 2, 1, 0, 0);
		emit(p, BPF_LDX | BPF_MEM | BPF_W, 3, 1, 4, 0);
		emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 4, 2, 0, 0);
		emit(p, BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, 0, 1 + (int)below(80));
		emit(p, BPF_JMP | BPF_JGT | BPF_X, 4, 3, 2, 0);
		emit(p, BPF_LDX | BPF_MEM | BPF_B, 7, 2, (int)below(12), 0);
		emit(p, BPF_STX | BPF_MEM | BPF_B, 2, 7, 0, 0);
	}
	scratch(p);
}

/* The function at the end, which is a callback as well. */
static void finish_calls(struct prog *p)
{
	uint32_t start = p->n;

	if (!p->nr_calls && !p->nr_callbacks)
		return;
	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 0, 0);
	for (uint32_t n = below(4); n; n--)
		emit(p, BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, constant());
	emit(p, BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, 1);
	emit(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	for (uint32_t i = 0; i < p->nr_calls; i++)
		p->in[p->calls[i]].imm = (int)(start - p->calls[i] - 1);
	for (uint32_t i = 0; i < p->nr_callbacks; i++)
		p->in[p->callbacks[i]].imm = (int)(start - p->callbacks[i] - 1);
}

static void build(struct prog *p)
{
	uint32_t want = 24 + below(MAX_INSNS - 30);

	p->n = p->nr_calls = p->nr_callbacks = 0;
	emit(p, BPF_STX | BPF_MEM | BPF_DW, 10, 1, -72, 0); /* the context */
	for (uint32_t r = 0; r < 10; r++)
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, r, 0, 0, constant());
	/* Uninitialised stack may be read, and would differ between runs. */
	for (int off = -64; off < 0; off += 8)
		emit(p, BPF_ST | BPF_MEM | BPF_DW, 10, 0, off, constant());
	while (p->n < want) {
		switch (below(13)) {
		case 12:
			helper(p);
			break;
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
	finish_calls(p);
}

static int load(const struct prog *p)
{
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;

	memset(&u, 0, sizeof(u));
	u.attr.prog_type = prog_type;
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

	for (uint32_t k;;) { /* what programs added, by any key */
		memset(&u, 0, sizeof(u));
		u.attr.map_fd = (uint32_t)hash_fd;
		u.attr.next_key = (uint64_t)&k;
		if (skep_bpf(&caller, BPF_MAP_GET_NEXT_KEY, (uint64_t)&u, sizeof(u)))
			break;
		memset(&u, 0, sizeof(u));
		u.attr.map_fd = (uint32_t)hash_fd;
		u.attr.key = (uint64_t)&k;
		skep_bpf(&caller, BPF_MAP_DELETE_ELEM, (uint64_t)&u, sizeof(u));
	}
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

static int make_map(uint32_t type, uint32_t key_size, uint32_t value_size, uint32_t entries, int btf)
{
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;

	memset(&u, 0, sizeof(u));
	u.attr.map_type = type;
	u.attr.key_size = key_size;
	u.attr.value_size = value_size;
	u.attr.max_entries = entries;
	if (btf >= 0) {
		u.attr.btf_fd = (uint32_t)btf;
		u.attr.btf_key_type_id = 1;
		u.attr.btf_value_type_id = 3;
	}
	return (int)skep_bpf(&caller, BPF_MAP_CREATE, (uint64_t)&u, sizeof(u));
}

/* 1: int, 2: struct bpf_spin_lock { int val }, 3: struct { lock; int val } */
static int load_btf(void)
{
	static const uint32_t types[] = {
		1, 1u << 24, 4, 1u << 24 | 32,
		5, 4u << 24 | 1, 4, 19, 1, 0,
		0, 4u << 24 | 2, 8, 23, 2, 0, 19, 1, 32,
	};
	static const char strs[] = "\0int\0bpf_spin_lock\0val\0lock";
	struct btf_header h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h),
			       .type_len = sizeof(types), .str_off = sizeof(types),
			       .str_len = sizeof(strs)};
	uint8_t data[sizeof(h) + sizeof(types) + sizeof(strs)];
	union {
		union bpf_attr attr;
		uint8_t bytes[SKEP_ATTR_SIZE];
	} u;

	memcpy(data, &h, sizeof(h));
	memcpy(data + sizeof(h), types, sizeof(types));
	memcpy(data + sizeof(h) + sizeof(types), strs, sizeof(strs));
	memset(&u, 0, sizeof(u));
	u.attr.btf = (uint64_t)data;
	u.attr.btf_size = sizeof(data);
	return (int)skep_bpf(&caller, BPF_BTF_LOAD, (uint64_t)&u, sizeof(u));
}

int main(int argc, char **argv)
{
	unsigned long programs = 0, max_programs = 0, accepted = 0;
	long seconds = 5, live = 0;
	time_t end;
	int btf;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			rng_state = strtoull(argv[i + 1], NULL, 0) | 1;
		else if (!strcmp(argv[i], "--programs"))
			max_programs = strtoul(argv[i + 1], NULL, 0);
	}
	caller = (struct skep_caller){.ua = skep_uaccess_self, .capable = true};
	array_fd = make_map(BPF_MAP_TYPE_ARRAY, 4, 64, 4, -1);
	hash_fd = make_map(BPF_MAP_TYPE_HASH, 4, 64, 4, -1);
	ring_fd = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, -1);
	btf = load_btf();
	lock_fd = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, btf);
	if (array_fd < 0 || hash_fd < 0 || ring_fd < 0 || lock_fd < 0)
		return 1;
	end = time(NULL) + seconds;
	while (max_programs ? programs < max_programs : time(NULL) < end) {
		uint64_t seed = rng_state;
		struct prog p;
		int r;

		prog_type = below(2) ? BPF_PROG_TYPE_SOCKET_FILTER : BPF_PROG_TYPE_XDP;
		build(&p);
		r = one(&p);
		programs++;
		accepted += r > 0;
		if (programs == 100) {
			skep_rcu_drain();
			live = skep_alloc_live();
		}
		if (r < 0) {
			printf("engines differ, seed %#llx\n", (unsigned long long)seed);
			print_program(&p);
			return 1;
		}
	}
	skep_fd_reap();
	skep_rcu_drain();
	live = programs > 100 ? skep_alloc_live() - live : 0;
	close(array_fd);
	close(hash_fd);
	close(ring_fd);
	close(lock_fd);
	close(btf);
	skep_fd_reap();
	skep_rcu_drain();
	printf("%lu programs, %lu accepted and run, %ld allocations left by them\n", programs, accepted,
	       live);
	return !accepted || live > 32;
}
