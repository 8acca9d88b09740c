/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to the context, by the program type's field table: the uapi struct is what programs
 * are written against, the run-time context is what they are given.
 *
 * Both are little-endian, so a narrow load of byte d of a field is a load at d of its run-time
 * twin, and what a shorter twin lacks reads as zero.
 */
#include <errno.h>

#include "rewrite/code.h"
#include "spec/ctx.h"
#include "spec/prog_type.h"

static const struct skep_ctx_field *field_at(const struct skep_prog_type_row *row, u32 off)
{
	u32 i;

	for (i = 0; i < row->nr_fields; i++)
		if (off >= row->fields[i].off &&
		    off < (u32)row->fields[i].off + row->fields[i].size)
			return &row->fields[i];
	return NULL;
}

static void load_field(struct rw *rw, const struct bpf_insn *in, const struct skep_ctx_field *f)
{
	u32 bytes = skep_insn_bytes(in), at = (u32)in->off - f->off, rt = f->rt_size;

	if (f->value != SKEP_FV_SCALAR) {
		rw_put(rw, SKEP_LDX(BPF_DW, in->dst_reg, in->src_reg, f->rt_off));
		return;
	}
	if (bytes > f->size) /* two adjacent fields, adjacent at run time as well */
		rt = bytes;
	if (at >= rt) {
		rw_put(rw, SKEP_MOV64_IMM(in->dst_reg, 0));
		return;
	}
	bytes = SKEP_MIN(bytes, rt - at);
	rw_put(rw, SKEP_LDX(skep_insn_size_code(bytes), in->dst_reg, in->src_reg, f->rt_off + at));
}

static void store_field(struct rw *rw, const struct bpf_insn *in, const struct skep_ctx_field *f)
{
	u32 bytes = skep_insn_bytes(in), at = (u32)in->off - f->off, rt = f->rt_size;
	bool reg = BPF_CLASS(in->code) == BPF_STX;
	struct bpf_insn put = *in;

	if (bytes > f->size)
		rt = bytes;
	if (at >= rt)
		return;
	put.off = (s16)(f->rt_off + at);
	if (at || bytes >= rt) { /* part of the field, or all of it */
		put.code = (put.code & (u8)~0x18) | skep_insn_size_code(SKEP_MIN(bytes, rt - at));
		rw_put(rw, put);
		return;
	}
	if (bytes < f->size) {
		rw_put(rw, put);
		return;
	}
	/* the twin is wider: its upper part is zero */
	if (reg && bytes == 4) {
		rw_put(rw, SKEP_MOV32_REG(SKEP_REG_AX, in->src_reg));
	} else if (reg) {
		rw_put(rw, SKEP_MOV64_REG(SKEP_REG_AX, in->src_reg));
		rw_put(rw, SKEP_ALU64_IMM(BPF_AND, SKEP_REG_AX, bytes == 1 ? 0xff : 0xffff));
	} else {
		rw_put(rw, SKEP_MOV32_IMM(SKEP_REG_AX,
					  bytes == 4 ? (u32)in->imm
						     : (u32)in->imm & ((1u << 8 * bytes) - 1)));
	}
	rw_put(rw, SKEP_STX(skep_insn_size_code(rt), in->dst_reg, SKEP_REG_AX, f->rt_off));
}

void rw_ctx_access(struct rw *rw, u32 i)
{
	const struct skep_prog_type_row *row = skep_prog_type(rw->p->prog_type);
	const struct bpf_insn *in = &rw->in.insns[i];
	const struct skep_ctx_field *f;

	rw_synth(rw);
	if (!row || row->access != SKEP_CTX_TABLE) {
		rw_copy(rw, i); /* arrays and flat memory lie where the program looks */
		return;
	}
	f = in->off < 0 ? NULL : field_at(row, (u32)in->off);
	if (!f) {
		rw->err = rw->err ? rw->err : -EINVAL;
		return;
	}
	if (BPF_CLASS(in->code) == BPF_LDX)
		load_field(rw, in, f);
	else
		store_field(rw, in, f);
}

/* Offsets below these count from the network header and from the link-layer header. */
#define NET_OFF (-0x100000)
#define LL_OFF (-0x200000)

#define SKB_CTX(field) offsetof(struct skep_skb_ctx, field)

/* R1 = where @k counts from; @k as an offset from there in R2. */
static void put_base(struct rw *rw, s32 k)
{
	u32 base = SKB_CTX(data);

	if (k < 0 && k >= NET_OFF) {
		base = SKB_CTX(network);
		k -= NET_OFF;
	} else if (k < 0 && k >= LL_OFF) {
		base = SKB_CTX(mac);
		k -= LL_OFF;
	}
	rw_put(rw, SKEP_LDX(BPF_DW, 1, 6, base));
	rw_put(rw, SKEP_MOV32_IMM(2, k)); /* still negative: far beyond the end as an address */
}

/* The same for an offset in R2 that is known only when the program runs. */
static void put_base_ind(struct rw *rw)
{
	u32 plain, net, done;

	rw_put(rw, SKEP_LDX(BPF_DW, 1, 6, SKB_CTX(data)));
	plain = rw_put_jump(rw, SKEP_INSN(BPF_JMP32 | BPF_JSGE | BPF_K, 2, 0, 0, 0), 0);
	net = rw_put_jump(rw, SKEP_INSN(BPF_JMP32 | BPF_JSGE | BPF_K, 2, 0, 0, NET_OFF), 0);
	rw_put(rw, SKEP_LDX(BPF_DW, 1, 6, SKB_CTX(mac)));
	rw_put(rw, SKEP_ALU32_IMM(BPF_SUB, 2, LL_OFF));
	done = rw_put_jump(rw, SKEP_JA(0), 0);
	rw_land(rw, net);
	rw_put(rw, SKEP_LDX(BPF_DW, 1, 6, SKB_CTX(network)));
	rw_put(rw, SKEP_ALU32_IMM(BPF_SUB, 2, NET_OFF));
	rw_land(rw, plain);
	rw_land(rw, done);
}

/*
 * R0 = big-endian value in the packet at imm (plus the source register); outside the packet the
 * function returns 0. Offsets are signed 32-bit numbers; one that is still negative becomes, zero-
 * extended, an address beyond every packet. R1–R5 are free.
 */
void rw_ld_abs(struct rw *rw, u32 i)
{
	const struct bpf_insn *in = &rw->in.insns[i];
	u32 bytes = skep_insn_bytes(in), bad, out;

	if (bytes == 8) {
		rw->err = rw->err ? rw->err : -EINVAL;
		return;
	}
	rw_synth(rw);
	if (BPF_MODE(in->code) == BPF_IND) {
		rw_put(rw, SKEP_MOV32_REG(2, in->src_reg));
		rw_put(rw, SKEP_ALU32_IMM(BPF_ADD, 2, in->imm));
		put_base_ind(rw);
	} else {
		put_base(rw, in->imm);
	}
	rw_put(rw, SKEP_LDX(BPF_DW, 3, 6, SKB_CTX(data_end)));
	rw_put(rw, SKEP_ALU64_REG(BPF_ADD, 1, 2));
	rw_put(rw, SKEP_MOV64_REG(4, 1));
	rw_put(rw, SKEP_ALU64_IMM(BPF_ADD, 4, bytes));
	bad = rw_put_jump(rw, SKEP_JMP_REG(BPF_JGT, 4, 3, 0), 0);
	rw_put(rw, SKEP_LDX(BPF_SIZE(in->code), 0, 1, 0));
	if (bytes > 1)
		rw_put(rw, SKEP_INSN(BPF_ALU | BPF_END | BPF_TO_BE, 0, 0, 0, 8 * bytes));
	out = rw_put_jump(rw, SKEP_JA(0), 0);
	rw_land(rw, bad);
	rw_put(rw, SKEP_MOV64_IMM(0, 0));
	rw_put(rw, SKEP_EXIT);
	rw_land(rw, out);
}
