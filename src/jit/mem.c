/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads, stores and atomics.
 */
#include <errno.h>

#include "base/pool.h"
#include "base/uaccess.h"
#include "jit/emit.h"

static void emit_load(struct jit *j, u8 dst, u8 base, s32 off, u32 bytes, bool sign)
{
	switch (bytes) {
	case 1:
		emit_rm(j, sign, sign ? 0x0fbe : 0x0fb6, dst, base, off);
		break;
	case 2:
		emit_rm(j, sign, sign ? 0x0fbf : 0x0fb7, dst, base, off);
		break;
	case 4:
		emit_rm(j, sign, sign ? 0x63 : 0x8b, dst, base, off);
		break;
	default:
		emit_rm(j, true, 0x8b, dst, base, off);
	}
}

/* 0 outside the arena of views: one compare of the upper address bits, and the load. */
static void load_btf(struct jit *j, u8 dst, u8 base, s32 off, u32 bytes, bool sign)
{
	u32 from, back;

	if (off < 0)
		emit_rm(j, true, 0x8d, T1, base, off);
	else
		emit_mov_rr(j, true, T1, base);
	emit_shift_ri(j, true, 5, T1, SKEP_ARENA_SHIFT);
	emit_alu_ri(j, false, 7, T1, (s32)j->arena);
	emit1(j, 0x0f);
	emit1(j, 0x80 | CC_NE);
	emit4(j, 0);
	from = j->n - 4;
	emit_load(j, dst, base, off, bytes, sign);
	back = j->n;
	jit_cold_zero(j, dst, from, back);
}

static u64 probe(u64 addr, u64 bytes)
{
	u64 v = 0;

	return skep_probe_read(&v, addr, bytes) ? 0 : v;
}

/* Any address: a call out, with every register that BPF code can see kept. */
static void load_probe(struct jit *j, u8 dst, u8 base, s32 off, u32 bytes, bool sign)
{
	static const u8 keep[] = {RAX, RDI, RSI, RDX, RCX, R8, R10};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keep); i++)
		emit_push(j, keep[i]);
	emit_alu_ri(j, true, 5, RSP, 8);
	emit_rm(j, true, 0x8d, RDI, base, off);
	emit_mov_ri(j, RSI, bytes);
	emit_call(j, (void *)probe);
	emit_mov_rr(j, true, T1, RAX);
	emit_alu_ri(j, true, 0, RSP, 8);
	for (i = ARRAY_SIZE(keep); i-- > 0;)
		emit_pop(j, keep[i]);
	if (!sign || bytes == 8)
		emit_mov_rr(j, true, dst, T1);
	else if (bytes == 1)
		emit_rr8(j, true, 0x0fbe, dst, T1);
	else
		emit_rr(j, true, bytes == 2 ? 0x0fbf : 0x63, dst, T1);
}

int jit_load(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u8 dst = jit_reg[in->dst_reg], src = jit_reg[in->src_reg];
	bool sign = BPF_MODE(in->code) == SKEP_BPF_MEMSX;
	u32 bytes = skep_insn_bytes(in);

	if (!sign && BPF_MODE(in->code) != BPF_MEM)
		return -EINVAL;
	switch (j->p->facts[pc].mem) {
	case SKEP_MEM_BTF:
		load_btf(j, dst, src, in->off, bytes, sign);
		break;
	case SKEP_MEM_PROBE:
		load_probe(j, dst, src, in->off, bytes, sign);
		break;
	default:
		emit_load(j, dst, src, in->off, bytes, sign);
	}
	return 0;
}

static void emit_store(struct jit *j, u8 src, u8 base, s32 off, u32 bytes)
{
	if (bytes == 2)
		emit1(j, 0x66);
	emit_rex(j, bytes == 8, src, 0, base, bytes == 1 && src >= RSP);
	emit1(j, bytes == 1 ? 0x88 : 0x89);
	emit_mem(j, src, base, off);
}

int jit_store(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u8 base = jit_reg[in->dst_reg];
	u32 bytes = skep_insn_bytes(in);

	if (BPF_MODE(in->code) != BPF_MEM)
		return -EINVAL;
	if (BPF_CLASS(in->code) == BPF_STX) {
		emit_store(j, jit_reg[in->src_reg], base, in->off, bytes);
		return 0;
	}
	if (bytes == 2)
		emit1(j, 0x66);
	emit_rex(j, bytes == 8, 0, 0, base, false);
	emit1(j, bytes == 1 ? 0xc6 : 0xc7);
	emit_mem(j, 0, base, in->off);
	if (bytes == 1)
		emit1(j, (u8)in->imm);
	else if (bytes == 2)
		emit_bytes(j, &in->imm, 2);
	else
		emit4(j, (u32)in->imm);
	return 0;
}

/*
 * and, or, xor with the old value fetched: a compare-exchange loop. rax is R0 and the old value
 * must pass through it, so R0 waits in T2, from where it also serves as base or operand.
 */
static void fetch_loop(struct jit *j, const struct bpf_insn *in, bool w, u8 op)
{
	u8 base = jit_reg[in->dst_reg], src = jit_reg[in->src_reg];
	u8 operand = src == RAX ? T2 : src;
	u32 top;

	if (base == RAX)
		base = T2;
	emit_mov_rr(j, true, T2, RAX);
	emit_rm(j, w, 0x8b, RAX, base, in->off);
	top = j->n;
	emit_mov_rr(j, w, T1, RAX);
	emit_rr(j, w, (u32)op | 2, T1, operand);
	emit1(j, 0xf0);
	emit_rm(j, w, 0x0fb1, T1, base, in->off);
	emit1(j, 0x70 | CC_NE);
	emit1(j, (u8)(top - (j->n + 1)));
	if (src == RAX) {
		if (!w)
			emit_mov_rr(j, false, RAX, RAX);
		return;
	}
	emit_mov_rr(j, w, src, RAX);
	emit_mov_rr(j, true, RAX, T2);
}

int jit_atomic(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u8 base = jit_reg[in->dst_reg], src = jit_reg[in->src_reg];
	u32 bytes = skep_insn_bytes(in);
	bool w = bytes == 8;
	u8 op;

	/* On x86 plain loads acquire and plain stores release. */
	if (in->imm == SKEP_BPF_LOAD_ACQ) {
		emit_load(j, base, src, in->off, bytes, false);
		return 0;
	}
	if (in->imm == SKEP_BPF_STORE_REL) {
		emit_store(j, src, base, in->off, bytes);
		return 0;
	}
	if (bytes < 4)
		return -EINVAL;
	switch (in->imm) {
	case BPF_XCHG:
		emit_rm(j, w, 0x87, src, base, in->off);
		return 0;
	case BPF_CMPXCHG:
		emit1(j, 0xf0);
		emit_rm(j, w, 0x0fb1, src, base, in->off);
		if (!w) /* on success the processor leaves the upper half of rax as it was */
			emit_mov_rr(j, false, RAX, RAX);
		return 0;
	case BPF_ADD | BPF_FETCH:
		emit1(j, 0xf0);
		emit_rm(j, w, 0x0fc1, src, base, in->off);
		return 0;
	case BPF_ADD:
		op = 0x01;
		break;
	case BPF_OR:
	case BPF_OR | BPF_FETCH:
		op = 0x09;
		break;
	case BPF_AND:
	case BPF_AND | BPF_FETCH:
		op = 0x21;
		break;
	case BPF_XOR:
	case BPF_XOR | BPF_FETCH:
		op = 0x31;
		break;
	default:
		return -EINVAL;
	}
	if (in->imm & BPF_FETCH) {
		fetch_loop(j, in, w, op);
	} else {
		emit1(j, 0xf0);
		emit_rm(j, w, op, src, base, in->off);
	}
	return 0;
}
