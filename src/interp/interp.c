/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter: one switch over opcodes, written to be read beside RFC 9669.
 *
 * A BPF call is a C call of run(), so frames and registers lie on the C stack; the verifier
 * bounds their number and size. Undefined C is kept out: arithmetic is unsigned, shifts are
 * masked, memory goes through memcpy-like typed accesses that allow any alignment.
 */
#include "interp/interp.h"

#include <alloca.h>
#include <string.h>

#include "base/pool.h"
#include "base/uaccess.h"
#include "isa/insn.h"

/* Called before each instruction; tests that include this file look over its shoulder. */
#ifndef SKEP_INTERP_TRACE
#define SKEP_INTERP_TRACE(p, pc, r)
#endif

typedef u64 (*skep_call_fn)(u64, u64, u64, u64, u64);

/*
 * Function values: bit 63, the subprogram in bits 62..47, the program's address in 46..0. User
 * addresses of x86-64 have none of the upper bits, so the two engines' values differ.
 */
#define FUNC_TAG (1ull << 63)
#define FUNC_SHIFT 47

static u64 func_value(const struct skep_vprog *p, u32 subprog)
{
	return FUNC_TAG | (u64)subprog << FUNC_SHIFT | (u64)(uintptr_t)p;
}

static u64 load(const void *at, u32 bytes, bool sign)
{
	union {
		u8 b;
		u16 h;
		u32 w;
		u64 d;
	} v = {.d = 0};

	memcpy(&v, at, bytes);
	if (!sign)
		return v.d;
	switch (bytes) {
	case 1:
		return (u64)(s64)(s8)v.b;
	case 2:
		return (u64)(s64)(s16)v.h;
	case 4:
		return (u64)(s64)(s32)v.w;
	default:
		return v.d;
	}
}

/* A load of the kind that rewrite left to us: see enum skep_mem_kind. */
static u64 load_insn(const struct bpf_insn *in, u8 kind, u64 base)
{
	u64 addr = base + (u64)(s64)in->off;
	u32 bytes = skep_insn_bytes(in);
	bool sign = BPF_MODE(in->code) == SKEP_BPF_MEMSX;
	u64 raw = 0;

	if (kind == SKEP_MEM_BTF)
		return skep_arena_has(in->off < 0 ? addr : base)
			       ? load((void *)(uintptr_t)addr, bytes, sign)
			       : 0;
	if (kind == SKEP_MEM_PROBE) {
		if (skep_probe_read(&raw, addr, bytes))
			return 0;
		return load(&raw, bytes, sign);
	}
	return load((void *)(uintptr_t)addr, bytes, sign);
}

static void store(u64 addr, u64 v, u32 bytes)
{
	memcpy((void *)(uintptr_t)addr, &v, bytes);
}

#define AT(type, addr) ((type *)(uintptr_t)(addr))

/* Sized dispatch of one GCC atomic builtin; the result is the old value, zero-extended. */
#define ATOMIC_FETCH(op, addr, v, bytes)                                                           \
	((bytes) == 8 ? op(AT(u64, addr), v, __ATOMIC_SEQ_CST)                                     \
		      : (u64)op(AT(u32, addr), (u32)(v), __ATOMIC_SEQ_CST))

static void atomic(const struct bpf_insn *in, u64 *r)
{
	u64 addr = r[in->dst_reg] + (u64)(s64)in->off;
	u32 bytes = skep_insn_bytes(in);
	u64 v = r[in->src_reg], old = 0;

	switch (in->imm) {
	case SKEP_BPF_LOAD_ACQ:
		addr = r[in->src_reg] + (u64)(s64)in->off;
		switch (bytes) {
		case 1:
			v = __atomic_load_n(AT(u8, addr), __ATOMIC_ACQUIRE);
			break;
		case 2:
			v = __atomic_load_n(AT(u16, addr), __ATOMIC_ACQUIRE);
			break;
		case 4:
			v = __atomic_load_n(AT(u32, addr), __ATOMIC_ACQUIRE);
			break;
		default:
			v = __atomic_load_n(AT(u64, addr), __ATOMIC_ACQUIRE);
		}
		r[in->dst_reg] = v;
		return;
	case SKEP_BPF_STORE_REL:
		switch (bytes) {
		case 1:
			__atomic_store_n(AT(u8, addr), (u8)v, __ATOMIC_RELEASE);
			return;
		case 2:
			__atomic_store_n(AT(u16, addr), (u16)v, __ATOMIC_RELEASE);
			return;
		case 4:
			__atomic_store_n(AT(u32, addr), (u32)v, __ATOMIC_RELEASE);
			return;
		default:
			__atomic_store_n(AT(u64, addr), v, __ATOMIC_RELEASE);
			return;
		}
	case BPF_CMPXCHG:
		old = r[0];
		if (bytes == 8) {
			__atomic_compare_exchange_n(AT(u64, addr), &old, v, false, __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST);
		} else {
			u32 old32 = (u32)old;

			__atomic_compare_exchange_n(AT(u32, addr), &old32, (u32)v, false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
			old = old32;
		}
		r[0] = old;
		return;
	case BPF_XCHG:
		old = ATOMIC_FETCH(__atomic_exchange_n, addr, v, bytes);
		break;
	case BPF_ADD:
	case BPF_ADD | BPF_FETCH:
		old = ATOMIC_FETCH(__atomic_fetch_add, addr, v, bytes);
		break;
	case BPF_OR:
	case BPF_OR | BPF_FETCH:
		old = ATOMIC_FETCH(__atomic_fetch_or, addr, v, bytes);
		break;
	case BPF_AND:
	case BPF_AND | BPF_FETCH:
		old = ATOMIC_FETCH(__atomic_fetch_and, addr, v, bytes);
		break;
	case BPF_XOR:
	case BPF_XOR | BPF_FETCH:
		old = ATOMIC_FETCH(__atomic_fetch_xor, addr, v, bytes);
		break;
	}
	if (in->imm & BPF_FETCH)
		r[in->src_reg] = old;
}

/* Quotient or remainder; division by zero gives 0, modulo by zero the dividend. */
static u64 div64(u64 a, u64 b, bool mod, bool sign)
{
	if (!b)
		return mod ? a : 0;
	if (!sign)
		return mod ? a % b : a / b;
	if (b == (u64)-1) /* the one overflow, INT64_MIN / -1, wraps */
		return mod ? 0 : -a;
	return mod ? (u64)((s64)a % (s64)b) : (u64)((s64)a / (s64)b);
}

static u32 div32(u32 a, u32 b, bool mod, bool sign)
{
	if (!b)
		return mod ? a : 0;
	if (!sign)
		return mod ? a % b : a / b;
	if (b == (u32)-1)
		return mod ? 0 : -a;
	return mod ? (u32)((s32)a % (s32)b) : (u32)((s32)a / (s32)b);
}

static u64 sext(u64 v, u32 bits)
{
	return (u64)((s64)(v << (64 - bits)) >> (64 - bits));
}

static u64 bswap(u64 v, u32 bits)
{
	switch (bits) {
	case 16:
		return __builtin_bswap16((u16)v);
	case 32:
		return __builtin_bswap32((u32)v);
	default:
		return __builtin_bswap64(v);
	}
}

/* The machine is little-endian: "to little" only truncates. */
static u64 end(const struct bpf_insn *in, u64 v)
{
	if (BPF_CLASS(in->code) == BPF_ALU64 || BPF_SRC(in->code) == BPF_TO_BE)
		return bswap(v, (u32)in->imm);
	return in->imm == 64 ? v : v & ((1ull << in->imm) - 1);
}

static u64 alu64(const struct bpf_insn *in, u64 a, u64 b)
{
	switch (BPF_OP(in->code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return div64(a, b, false, in->off);
	case BPF_MOD:
		return div64(a, b, true, in->off);
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << (b & 63);
	case BPF_RSH:
		return a >> (b & 63);
	case BPF_ARSH:
		return (u64)((s64)a >> (b & 63));
	case BPF_NEG:
		return -a;
	case BPF_END:
		return end(in, a);
	default: /* BPF_MOV */
		return in->off && BPF_SRC(in->code) == BPF_X ? sext(b, (u32)in->off) : b;
	}
}

static u32 alu32(const struct bpf_insn *in, u32 a, u32 b)
{
	switch (BPF_OP(in->code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return div32(a, b, false, in->off);
	case BPF_MOD:
		return div32(a, b, true, in->off);
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << (b & 31);
	case BPF_RSH:
		return a >> (b & 31);
	case BPF_ARSH:
		return (u32)((s32)a >> (b & 31));
	case BPF_NEG:
		return -a;
	default: /* BPF_MOV */
		return in->off && BPF_SRC(in->code) == BPF_X ? (u32)sext(b, (u32)in->off) : b;
	}
}

static bool taken(u8 op, u64 a, u64 b, s64 sa, s64 sb)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return a & b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	default: /* BPF_JSLE */
		return sa <= sb;
	}
}

static bool cond(const struct bpf_insn *in, const u64 *r)
{
	u64 a = r[in->dst_reg];
	u64 b = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] : (u64)(s64)in->imm;

	if (BPF_CLASS(in->code) == BPF_JMP)
		return taken(BPF_OP(in->code), a, b, (s64)a, (s64)b);
	return taken(BPF_OP(in->code), (u32)a, (u32)b, (s32)a, (s32)b);
}

static u32 subprog_at(const struct skep_vprog *p, u32 insn)
{
	u32 i;

	for (i = 0; i < p->nr_subprogs; i++)
		if (p->subprogs[i].start == insn)
			return i;
	return 0;
}

/* One call. True: a tail call replaced the function and r[0] is its result. */
static bool call(const struct skep_vprog *p, u32 pc, u64 *r)
{
	const struct bpf_insn *in = &p->insns[pc];
	const struct skep_target *t;

	if (in->src_reg == SKEP_CALL_SUBPROG) {
		r[0] = skep_interp_call(p, subprog_at(p, pc + 1 + (u32)in->imm), r[1], r[2], r[3],
					r[4], r[5]);
		return false;
	}
	t = &p->targets[in->imm];
	if (t->id == BPF_FUNC_tail_call && !t->is_kfunc) {
		u64 ctx = r[1], next = ((skep_call_fn)t->fn)(ctx, r[2], r[3], 0, 0);

		if (!next) {
			r[0] = 0;
			return false;
		}
		r[0] = ((u64(*)(u64))(uintptr_t)next)(ctx);
		return true;
	}
	r[0] = ((skep_call_fn)t->fn)(r[1], r[2], r[3], r[4], r[5]);
	return false;
}

/* @r: R1–R5 are set; R10 is set here to the top of a fresh stack. */
static u64 run(const struct skep_vprog *p, u32 subprog, u64 *r)
{
	u32 depth = SKEP_ALIGN_UP(p->subprogs[subprog].stack_depth, 16u);
	u8 *stack = alloca(depth + 16);
	u32 pc = p->subprogs[subprog].start;
	u32 may_goto = SKEP_MAX_LOOPS;

	r[10] = (u64)(uintptr_t)(stack + depth);
	for (;; pc++) {
		const struct bpf_insn *in = &p->insns[pc];
		u64 *dst = &r[in->dst_reg], src = r[in->src_reg];
		u64 operand = BPF_SRC(in->code) == BPF_X ? src : (u64)(s64)in->imm;

		SKEP_INTERP_TRACE(p, pc, r);
		switch (BPF_CLASS(in->code)) {
		case BPF_ALU64:
			*dst = alu64(in, *dst, operand);
			break;
		case BPF_ALU:
			if (BPF_OP(in->code) == BPF_END)
				*dst = end(in, *dst);
			else
				*dst = alu32(in, (u32)*dst, (u32)operand);
			break;
		case BPF_LDX:
			*dst = load_insn(in, p->facts[pc].mem, src);
			break;
		case BPF_ST:
			store(*dst + (u64)(s64)in->off, (u64)(s64)in->imm, skep_insn_bytes(in));
			break;
		case BPF_STX:
			if (BPF_MODE(in->code) == BPF_ATOMIC)
				atomic(in, r);
			else
				store(*dst + (u64)(s64)in->off, src, skep_insn_bytes(in));
			break;
		case BPF_LD:
			*dst = in->src_reg == SKEP_PSEUDO_FUNC ? func_value(p, (u32)in->imm)
							       : skep_insn_imm64(in);
			pc++;
			break;
		default: /* BPF_JMP, BPF_JMP32 */
			switch (BPF_OP(in->code)) {
			case BPF_CALL:
				if (call(p, pc, r))
					return r[0];
				break;
			case BPF_EXIT:
				return r[0];
			case BPF_JA:
				pc = (u32)(skep_insn_target(in, pc) - 1);
				break;
			case SKEP_BPF_JCOND:
				if (may_goto)
					may_goto--;
				else
					pc = (u32)(skep_insn_target(in, pc) - 1);
				break;
			default:
				if (cond(in, r))
					pc = (u32)(skep_insn_target(in, pc) - 1);
			}
		}
	}
}

u64 skep_interp_call(const struct skep_vprog *p, u32 subprog, u64 r1, u64 r2, u64 r3, u64 r4,
		     u64 r5)
{
	u64 r[16] = {0, r1, r2, r3, r4, r5};

	return run(p, subprog, r);
}

u64 skep_interp_run(const struct skep_vprog *p, const void *ctx)
{
	return skep_interp_call(p, 0, (u64)(uintptr_t)ctx, 0, 0, 0, 0);
}

bool skep_interp_func(u64 fn, const struct skep_vprog **ret_p, u32 *ret_subprog)
{
	if (!(fn & FUNC_TAG))
		return false;
	*ret_p = (const struct skep_vprog *)(uintptr_t)(fn & ((1ull << FUNC_SHIFT) - 1));
	*ret_subprog = (u32)(fn >> FUNC_SHIFT) & 0xffff;
	return true;
}
