/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From bytecode to x86-64: control flow, calls, frames and the passes over a program.
 *
 * A function's frame has only what it uses: rbp where R10 occurs, the stack's bytes, the
 * callee-saved registers it touches; rsp is 16-aligned where it calls out. Jumps start short and
 * grow until all fit; since they never shrink again, this ends. Every pass emits everything, so
 * the last one is the code.
 */
#include "jit/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/raw.h"
#include "jit/emit.h"
#include "jit/pack.h"

#define MAX_PASSES 64

static const struct skep_target *call_target(const struct jit *j, const struct bpf_insn *in)
{
	return in->src_reg == SKEP_CALL_SUBPROG ? NULL : &j->p->targets[in->imm];
}

static void plan_frame(struct jit *j)
{
	const struct skep_subprog *s = &j->p->subprogs[j->sub];
	struct jit_frame *f = &j->frame;
	u32 used = 0, i, total;
	bool may_goto = false;

	*f = (struct jit_frame){0};
	for (i = s->start; i < s->start + s->len; i++) {
		const struct bpf_insn *in = &j->p->insns[i];
		const struct skep_target *t;

		if (skep_insn_is_ldimm64(in)) {
			used |= 1u << in->dst_reg;
			i++;
			continue;
		}
		used |= skep_insn_reads(in) | skep_insn_writes(in);
		may_goto |= skep_insn_is_may_goto(in);
		if (in->code == (BPF_JMP | BPF_CALL)) {
			t = call_target(j, in);
			f->calls |= !t || !t->tls_size;
		}
		f->calls |= j->p->facts[i].mem == SKEP_MEM_PROBE;
	}
	f->has_rbp = (used >> 10 & 1) || may_goto;
	if (f->has_rbp)
		f->size = SKEP_ALIGN_UP((u32)s->stack_depth, 8u);
	if (may_goto) {
		f->size += 8;
		f->may_goto = -(s32)f->size;
	}
	for (i = 6; i <= 9; i++)
		if (used >> i & 1)
			f->saved[f->nr_saved++] = jit_reg[i];
	if (used >> SKEP_REG_LOOP & 1)
		f->saved[f->nr_saved++] = jit_reg[SKEP_REG_LOOP];
	total = 8 + 8 * f->has_rbp + f->size + 8 * f->nr_saved;
	if (f->calls && total % 16)
		f->size += 8;
}

static void prologue(struct jit *j)
{
	const struct jit_frame *f = &j->frame;
	u32 i;

	if (f->has_rbp) {
		emit_push(j, RBP);
		emit_mov_rr(j, true, RBP, RSP);
	}
	if (f->size == 8 && !f->has_rbp)
		emit_push(j, RAX);
	else if (f->size)
		emit_alu_ri(j, true, 5, RSP, (s32)f->size);
	for (i = 0; i < f->nr_saved; i++)
		emit_push(j, f->saved[i]);
	if (f->may_goto) {
		emit_rm(j, true, 0xc7, 0, RBP, f->may_goto);
		emit4(j, SKEP_MAX_LOOPS);
	}
}

/* Everything but ret. */
static void unwind(struct jit *j)
{
	const struct jit_frame *f = &j->frame;
	u32 i;

	for (i = f->nr_saved; i-- > 0;)
		emit_pop(j, f->saved[i]);
	if (f->has_rbp && f->size)
		emit1(j, 0xc9);
	else if (f->has_rbp)
		emit_pop(j, RBP);
	else if (f->size == 8)
		emit_pop(j, T1);
	else if (f->size)
		emit_alu_ri(j, true, 0, RSP, (s32)f->size);
}

static void nops(struct jit *j, u32 n)
{
	static const u8 nop[9][9] = {
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
		{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	};

	while (n) {
		u32 k = SKEP_MIN(n, 9u);

		emit_bytes(j, nop[k - 1], k);
		n -= k;
	}
}

void jit_cold_zero(struct jit *j, u8 dst, u32 from, u32 back)
{
	if (j->nr_cold == j->cap_cold) {
		u32 cap = j->cap_cold ? 2 * j->cap_cold : 64;
		struct jit_cold *c = skep_realloc(j->cold, cap * sizeof(*c));

		if (!c) {
			j->oom = true;
			return;
		}
		j->cold = c;
		j->cap_cold = cap;
	}
	j->cold[j->nr_cold++] = (struct jit_cold){from, back, dst};
}

static void emit_cold(struct jit *j)
{
	u32 i;

	for (i = 0; i < j->nr_cold; i++) {
		const struct jit_cold *c = &j->cold[i];

		patch4(j, c->from, j->n - (c->from + 4));
		emit_rr(j, false, 0x31, c->dst, c->dst);
		emit1(j, 0xe9);
		emit4(j, c->back - (j->n + 4));
	}
	j->nr_cold = 0;
}

/* Jump (@cc < 0) or conditional jump of instruction @pc to instruction @target. */
void jit_jump(struct jit *j, u32 pc, s32 cc, u32 target)
{
	s64 d = (s64)j->off[target] - (s64)(j->n + 2);

	if (!j->is_long[pc] && !is_s8(d) && !j->guessing) {
		j->is_long[pc] = 1;
		j->grown = true;
	}
	if (!j->is_long[pc]) {
		emit1(j, cc < 0 ? 0xeb : (u8)(0x70 | cc));
		emit1(j, (u8)d);
		return;
	}
	if (cc < 0) {
		emit1(j, 0xe9);
	} else {
		emit1(j, 0x0f);
		emit1(j, (u8)(0x80 | cc));
	}
	emit4(j, j->off[target] - (j->n + 4));
}

s32 jit_cc(u8 op)
{
	switch (op) {
	case BPF_JEQ:
		return CC_E;
	case BPF_JNE:
	case BPF_JSET:
		return CC_NE;
	case BPF_JGT:
		return CC_A;
	case BPF_JGE:
		return CC_AE;
	case BPF_JLT:
		return CC_B;
	case BPF_JLE:
		return CC_BE;
	case BPF_JSGT:
		return CC_G;
	case BPF_JSGE:
		return CC_GE;
	case BPF_JSLT:
		return CC_L;
	case BPF_JSLE:
		return CC_LE;
	default:
		return -1;
	}
}

s32 jit_compare(struct jit *j, const struct bpf_insn *in)
{
	bool w = BPF_CLASS(in->code) == BPF_JMP, set = BPF_OP(in->code) == BPF_JSET;
	u8 a = jit_reg[in->dst_reg], b = jit_reg[in->src_reg];
	s32 cc = jit_cc(BPF_OP(in->code));

	if (cc < 0)
		return -1;
	if (BPF_SRC(in->code) == BPF_X) {
		emit_rr(j, w, set ? 0x85 : 0x3b, a, b);
	} else if (set && (u32)in->imm <= 0x7f) {
		emit_rr8(j, false, 0xf6, 0, a);
		emit1(j, (u8)in->imm);
	} else if (set) {
		/* a non-negative mask does not look at the upper half */
		emit_rr(j, w && in->imm < 0, 0xf7, 0, a);
		emit4(j, (u32)in->imm);
	} else if (!in->imm) {
		emit_rr(j, w, 0x85, a, a);
	} else {
		emit_alu_ri(j, w, 7, a, in->imm);
	}
	return cc;
}

static int emit_cond(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	s32 cc = jit_compare(j, in);

	if (cc < 0)
		return -EINVAL;
	jit_jump(j, pc, cc, (u32)skep_insn_target(in, pc));
	return 0;
}

static void emit_may_goto(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];

	/* counter--; below zero: go */
	emit_rm(j, true, 0x83, 5, RBP, j->frame.may_goto);
	emit1(j, 1);
	jit_jump(j, pc, CC_S, (u32)skep_insn_target(in, pc));
}

/* op reg, fs:[off] */
static void emit_tls(struct jit *j, bool w, u8 reg, s32 off)
{
	emit1(j, 0x64);
	emit_rex(j, w, reg, 0, 0, false);
	emit1(j, 0x8b);
	emit1(j, (u8)((reg & 7) << 3 | 4)); /* [disp32], no base */
	emit1(j, 0x25);
	emit4(j, (u32)off);
}

/*
 * A tail call by what is known of arrays, programs and runs (skep_tail_inline); R1-R5 are lost
 * where it is not made. All programs of an array are compiled or none is, so an entry is there.
 */
static void emit_tail_fast(struct jit *j)
{
	const struct skep_tail_inline *t = &j->p->tail;
	u32 out[4], n = 0;

	emit_mov_rr(j, false, RDX, RDX);
	emit_rm(j, false, 0x3b, RDX, RSI, t->map_len_off);
	out[n++] = emit_jcc_short(j, CC_AE);
	emit_rm(j, true, 0x8b, T1, RSI, t->map_slots_off);
	/* T1 = [T1 + rdx * 8] */
	emit_rex(j, true, T1, RDX, T1, false);
	emit1(j, 0x8b);
	emit1(j, (u8)((T1 & 7) << 3 | 4));
	emit1(j, (u8)(3 << 6 | (RDX & 7) << 3 | (T1 & 7)));
	emit_rr(j, true, 0x85, T1, T1);
	out[n++] = emit_jcc_short(j, CC_E);
	emit_tls(j, true, T2, t->tls_run_off);
	emit_rm(j, false, 0x81, 7, T2, t->run_count_off);
	emit4(j, SKEP_MAX_TAIL_CALLS);
	out[n++] = emit_jcc_short(j, CC_AE);
	emit_rm(j, true, 0x8b, RAX, T1, t->prog_entry_off);
	emit_rr(j, true, 0x85, RAX, RAX);
	out[n++] = emit_jcc_short(j, CC_E);
	emit_rm(j, false, 0xff, 0, T2, t->run_count_off); /* inc */
	emit_rm(j, true, 0x89, T1, T2, t->run_prog_off);
	unwind(j);
	emit_rr(j, false, 0xff, 4, RAX);
	while (n)
		land_short(j, out[--n]);
}

/* The program at the address that the helper answers replaces this function. */
static void emit_tail_call(struct jit *j, const struct skep_target *t)
{
	u32 next;

	if (j->p->tail.known) {
		emit_tail_fast(j);
		return;
	}
	emit_push(j, RDI);
	emit_alu_ri(j, true, 5, RSP, 8);
	emit_call(j, t->fn);
	emit_alu_ri(j, true, 0, RSP, 8);
	emit_pop(j, RDI);
	emit_rr(j, true, 0x85, RAX, RAX);
	next = emit_jcc_short(j, CC_E);
	unwind(j);
	emit_rr(j, false, 0xff, 4, RAX);
	land_short(j, next);
}

static int emit_bpf_call(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	const struct skep_target *t = call_target(j, in);
	u32 i, to = pc + 1 + (u32)in->imm;

	if (!t) {
		for (i = 0; i < j->p->nr_subprogs; i++)
			if (j->p->subprogs[i].start == to)
				break;
		if (i == j->p->nr_subprogs)
			return -EINVAL;
		emit1(j, 0xe8);
		emit4(j, j->sub_off[i] - (j->n + 4));
		return 0;
	}
	if (t->tls_size) {
		emit_tls(j, t->tls_size == 8, RAX, t->tls_off);
	} else if (t->id == BPF_FUNC_tail_call && !t->is_kfunc) {
		emit_tail_call(j, t);
	} else {
		emit_call(j, t->fn);
	}
	return 0;
}

static int emit_ld(struct jit *j, const struct bpf_insn *in)
{
	u8 dst = jit_reg[in->dst_reg];

	if (!skep_insn_is_ldimm64(in))
		return -EINVAL;
	if (in->src_reg != SKEP_PSEUDO_FUNC) {
		emit_mov_addr(j, dst, skep_insn_imm64(in));
		return 0;
	}
	if ((u32)in->imm >= j->p->nr_subprogs)
		return -EINVAL;
	emit_rex(j, true, dst, 0, 0, false);
	emit1(j, 0x8d);
	emit1(j, (u8)((dst & 7) << 3 | 5));
	emit4(j, j->sub_off[in->imm] - (j->n + 4));
	return 0;
}

static int emit_insn(struct jit *j, u32 pc)
{
	const struct bpf_insn *in = &j->p->insns[pc];
	u32 target;

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return jit_alu(j, pc);
	case BPF_LDX:
		return jit_load(j, pc);
	case BPF_ST:
		return jit_store(j, pc);
	case BPF_STX:
		if (BPF_MODE(in->code) == BPF_ATOMIC)
			return jit_atomic(j, pc);
		return jit_store(j, pc);
	case BPF_LD:
		return emit_ld(j, in);
	}
	switch (BPF_OP(in->code)) {
	case BPF_CALL:
		return emit_bpf_call(j, pc);
	case BPF_EXIT:
		unwind(j);
		emit1(j, 0xc3);
		return 0;
	case BPF_JA:
		target = (u32)skep_insn_target(in, pc);
		if (target != pc + 1)
			jit_jump(j, pc, -1, target);
		return 0;
	case SKEP_BPF_JCOND:
		emit_may_goto(j, pc);
		return 0;
	default:
		return emit_cond(j, pc);
	}
}

static void set_off(struct jit *j, u32 pc)
{
	if (j->off[pc] != j->n) {
		j->off[pc] = j->n;
		j->grown = true;
	}
}

/* One pass over everything. 0 or -errno; j->grown: something moved, another one is needed. */
static int emit_all(struct jit *j)
{
	const struct skep_vprog *p = j->p;
	u32 i, end, fused;
	int err;

	j->n = 0;
	j->grown = false;
	for (j->sub = 0; j->sub < p->nr_subprogs; j->sub++) {
		const struct skep_subprog *s = &p->subprogs[j->sub];

		while (j->n % 16)
			emit1(j, 0xcc);
		if (j->sub_off[j->sub] != j->n) {
			j->sub_off[j->sub] = j->n;
			j->grown = true;
		}
		plan_frame(j);
		prologue(j);
		end = s->start + s->len;
		for (i = s->start; i < end; i++) {
			if (j->is_target[i] == 2)
				nops(j, -j->n & 15);
			set_off(j, i);
			fused = jit_fuse(j, i, end);
			if (fused) {
				for (fused--; fused; fused--)
					set_off(j, ++i);
				continue;
			}
			err = emit_insn(j, i);
			if (err)
				return err;
			if (skep_insn_is_ldimm64(&p->insns[i]))
				set_off(j, ++i);
		}
		emit_cold(j);
	}
	set_off(j, p->len);
	return j->oom ? -ENOMEM : 0;
}

static int find_targets(struct jit *j)
{
	const struct skep_vprog *p = j->p;
	u32 i;

	for (i = 0; i < p->len; i++) {
		const struct bpf_insn *in = &p->insns[i];
		s64 t;

		if (skep_insn_is_ldimm64(in)) {
			i++;
			continue;
		}
		if (in->dst_reg >= SKEP_NR_REGS || in->src_reg >= SKEP_NR_REGS)
			return -EINVAL;
		if (in->code == (BPF_JMP | BPF_CALL) && in->src_reg != SKEP_CALL_SUBPROG &&
		    (u32)in->imm >= p->nr_targets)
			return -EINVAL;
		if (!skep_insn_is_jump(in))
			continue;
		t = skep_insn_target(in, i);
		if (t < 0 || t >= p->len)
			return -EINVAL;
		j->is_target[t] = t <= i ? 2 : SKEP_MAX(j->is_target[t], 1);
	}
	return 0;
}

/* One line in the format that perf reads, when asked for by SKEP_PERF_MAP=1. */
static void perf_map(const struct jit *j)
{
	const char *want = getenv("SKEP_PERF_MAP");
	char line[256], path[64];
	long fd;
	u32 i;

	if (!want || want[0] != '1')
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", skep_raw(__NR_getpid));
	fd = skep_raw(__NR_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	for (i = 0; i < j->p->nr_subprogs; i++) {
		u32 end = i + 1 < j->p->nr_subprogs ? j->sub_off[i + 1] : j->n;
		const char *name = j->p->subprogs[i].name;
		int n = snprintf(line, sizeof(line), "%llx %x bpf_prog_%s\n",
				 (unsigned long long)(j->base + j->sub_off[i]), end - j->sub_off[i],
				 name && *name ? name : "anon");

		skep_raw(__NR_write, fd, line, SKEP_MIN((u32)n, sizeof(line) - 1));
	}
	skep_raw(__NR_close, fd);
}

static int hand_out(struct jit *j, struct skep_jit_piece *piece, struct skep_jit_image *ret)
{
	u32 i;

	ret->subprogs = skep_calloc(j->p->nr_subprogs, sizeof(void *));
	ret->pack = skep_memdup(piece, sizeof(*piece));
	if (!ret->subprogs || !ret->pack) {
		skep_free(ret->subprogs);
		skep_free(ret->pack);
		return -ENOMEM;
	}
	ret->nr_subprogs = j->p->nr_subprogs;
	for (i = 0; i < ret->nr_subprogs; i++)
		ret->subprogs[i] = piece->rx + j->sub_off[i];
	ret->entry = (u64(*)(const void *))ret->subprogs[0];
	ret->size = j->n;
	ret->insn_off = j->off;
	j->off = NULL;
	return 0;
}

/* Passes over everything into @piece until nothing moves. 1: it does not fit, j->n is needed. */
static int settle(struct jit *j, const struct skep_jit_piece *piece)
{
	u32 pass;

	memset(j->is_long, 0, j->p->len);
	memset(j->off, 0, (j->p->len + 1) * sizeof(*j->off));
	j->guessing = true;
	j->buf = piece->rw;
	j->cap = piece->size;
	j->base = (u64)(uintptr_t)piece->rx;
	for (pass = 0; pass < MAX_PASSES; pass++) {
		int err = emit_all(j);

		if (err || j->n > j->cap)
			return err ? err : 1;
		if (!j->grown && !j->guessing)
			return 0;
		/* in the first pass nothing behind is placed: no jump becomes long because of it */
		j->guessing = false;
	}
	return -EINVAL;
}

static int compile(struct jit *j, struct skep_jit_image *ret)
{
	struct skep_jit_piece piece = {0};
	u32 room = 12 * j->p->len + 64 * j->p->nr_subprogs + 256;
	int err;

	do {
		err = skep_jit_piece_alloc(room, &piece);
		if (err)
			return err;
		err = settle(j, &piece);
		if (err)
			skep_jit_piece_free(&piece);
		room = j->n + j->n / 2;
	} while (err == 1);
	if (err)
		return err;
	err = skep_jit_piece_seal(&piece);
	if (!err) {
		skep_jit_piece_trim(&piece, j->n);
		err = hand_out(j, &piece, ret);
	}
	if (err)
		skep_jit_piece_free(&piece);
	else
		perf_map(j);
	return err;
}

int skep_jit_compile(const struct skep_vprog *p, struct skep_jit_image *ret_image)
{
	struct jit j = {.p = p};
	const char *baseline = getenv("SKEP_JIT_BASELINE");
	struct skep_jit_image image = {0};
	int err = -ENOMEM;

	if (skep_arena_init())
		return -ENOMEM;
	j.bmi2 = __builtin_cpu_supports("bmi2") && !(baseline && baseline[0] == '1');
	j.arena = skep_arena_base >> SKEP_ARENA_SHIFT;
	j.off = skep_calloc(p->len + 1, sizeof(u32));
	j.is_long = skep_zalloc(p->len + 1);
	j.is_target = skep_zalloc(p->len + 1);
	j.sub_off = skep_calloc(p->nr_subprogs + 1, sizeof(u32));
	if (j.off && j.is_long && j.is_target && j.sub_off)
		err = find_targets(&j);
	if (!err)
		err = compile(&j, &image);
	if (!err)
		*ret_image = image;
	skep_free(j.off);
	skep_free(j.is_long);
	skep_free(j.is_target);
	skep_free(j.sub_off);
	skep_free(j.cold);
	return err;
}

void skep_jit_free(struct skep_jit_image *image)
{
	if (image->pack)
		skep_jit_piece_free(image->pack);
	skep_free(image->pack);
	skep_free(image->subprogs);
	skep_free(image->insn_off);
	*image = (struct skep_jit_image){0};
}
