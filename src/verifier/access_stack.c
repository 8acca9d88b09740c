/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack: spilling and filling registers, bytes of known and unknown content.
 *
 * Offsets are from the frame pointer, -512 .. -1. Byte b at offset o lies in slot (-o-1)/8 at
 * index (-o-1)%8, so index 7 is a slot's lowest address, where spills start.
 */
#include "verifier/env.h"

#include <stdio.h>

static struct frame *frame_of(struct env *env, const struct reg *r)
{
	return env->cur->frame[r->frameno];
}

static u32 spi_of(s32 off)
{
	return (u32)(-off - 1) / 8;
}

static u8 *byte_at(struct frame *f, s32 off)
{
	return &f->slots[spi_of(off)].type[(u32)(-off - 1) % 8];
}

static int remember(struct env *env, const struct frame *f, u32 spi)
{
	struct hist h = {.stack_access = true, .frameno = (u8)f->frameno, .spi = (u8)spi};

	return vf_push_hist(env, env->cur, &h);
}

static void var_text(const struct reg *r, char *buf, size_t n)
{
	if (scalar_is_const(&r->v))
		snprintf(buf, n, "%lld", (long long)r->v.tn.value);
	else
		snprintf(buf, n, "(0x%llx; 0x%llx)", (unsigned long long)r->v.tn.value,
			 (unsigned long long)r->v.tn.mask);
}

/* Is [min+off, max+off+size) inside the stack? Grows the frame to hold it. */
static int check_bounds(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind)
{
	const struct reg *r = &vf_regs(env)[regno];
	const char *how = kind == ACCESS_READ ? " read from" : " write to";
	struct frame *f = frame_of(env, r);
	struct sub *sub = &env->subs[f->subprog];
	s64 lo, hi;
	u32 depth;
	char var[48];
	int err = 0;

	if (scalar_is_const(&r->v)) {
		lo = (s64)r->v.tn.value + off;
		hi = lo + size;
	} else {
		if (r->v.smax >= VF_MAX_OFF || r->v.smin <= -VF_MAX_OFF) {
			vf_say(env, "invalid unbounded variable-offset%s stack R%u\n", how, regno);
			return -EACCES;
		}
		lo = r->v.smin + off;
		hi = r->v.smax + off + size;
	}
	if (lo < -VF_STACK_SIZE || lo > -1)
		err = -EACCES;
	else if (hi > 0)
		err = -EINVAL;
	if (err) {
		var_text(r, var, sizeof(var));
		if (scalar_is_const(&r->v))
			vf_say(env, "invalid%s stack R%u off=%d size=%u\n", how, regno, (int)lo,
			       size);
		else
			vf_say(env,
			       "invalid variable-offset%s stack R%u var_off=%s off=%d size=%u\n",
			       how, regno, var, off, size);
		return err;
	}
	depth = ((u32)-lo + 7) & ~7u;
	sub->stack_depth = SKEP_MAX(sub->stack_depth, depth);
	return frame_grow(f, depth / 8);
}

/* --- writing --- */

static void scrub(struct slot *s)
{
	for (u32 i = 0; i < 8; i++)
		if (s->type[i] != SK_INVALID)
			s->type[i] = SK_MISC;
	reg_set_not_init(&s->spill);
}

/* No copy any more. Its delta stays, unused, and tells it from one that never had any. */
static void drop_id(struct reg *r)
{
	r->id = 0;
	r->link = LINK_NONE;
}

static void spill(struct frame *f, u32 spi, const struct reg *r, u32 size)
{
	struct slot *s = &f->slots[spi];
	u32 i;

	if (slot_is_special(s))
		scrub(s);
	s->spill = *r;
	for (i = 8; i > 8 - size; i--)
		s->type[i - 1] = SK_SPILL;
	/* The bytes above: what is not zero or untouched is no part of a spill any more. */
	for (; i; i--)
		if (s->type[i - 1] != SK_ZERO && s->type[i - 1] != SK_INVALID)
			s->type[i - 1] = SK_MISC;
}

static bool fits(const struct reg *r, u32 size)
{
	return size >= 8 || r->v.umax < 1ull << (size * 8);
}

static int write_fixed(struct env *env, struct frame *f, s32 off, u32 size, int value_regno)
{
	struct frame *cur = vf_frame(env);
	struct reg *r = value_regno >= 0 ? &cur->regs[value_regno] : NULL, imm;
	const struct bpf_insn *insn = &env->insns[env->insn_idx];
	bool is_st = BPF_CLASS(insn->code) == BPF_ST;
	u32 spi = spi_of(off);
	struct slot *s = &f->slots[spi];
	int err = vf_destroy_dynptr(env, f, spi);
	u8 type = SK_MISC;

	if (err)
		return err;
	vf_touch_slot(env, spi);
	if (r && !(off % 8) && r->kind == RK_SCALAR) {
		bool ok = fits(r, size);

		if (ok)
			vf_link_scalar(env, r);
		spill(f, spi, r, size);
		if (!ok)
			drop_id(&s->spill);
		return remember(env, f, spi);
	}
	if (!r && !(off % 8) && is_st) {
		imm = (struct reg){0};
		reg_set_const(&imm, (u64)(s64)insn->imm);
		spill(f, spi, &imm, size);
		return remember(env, f, spi);
	}
	if (r && reg_is_ptr(r)) {
		if (size != 8) {
			vf_say(env, "invalid size of register spill\n");
			return -EACCES;
		}
		if (f != cur && r->kind == RK_STACK) {
			vf_say(env,
			       "cannot spill pointers to stack into stack frame of the caller\n");
			return -EINVAL;
		}
		spill(f, spi, r, size);
		return remember(env, f, spi);
	}
	if (slot_is_spill(s) || slot_is_special(s) || s->type[0] == SK_SPILL)
		scrub(s);
	reg_set_not_init(&s->spill);
	if ((r && reg_is_null(r)) || (!r && is_st && !insn->imm)) {
		if (r) {
			err = vf_mark_precise(env, (u32)value_regno);
			if (err)
				return err;
		}
		type = SK_ZERO;
	}
	for (u32 i = 0; i < size; i++)
		*byte_at(f, off + (s32)i) = type;
	return 0;
}

static int write_var(struct env *env, const struct reg *ptr, struct frame *f, s32 off, u32 size,
		     int value_regno)
{
	s32 lo = (s32)(ptr->v.smin + off), hi = (s32)(ptr->v.smax + off + size);
	struct reg *r = value_regno >= 0 ? &vf_regs(env)[value_regno] : NULL;
	const struct bpf_insn *insn = &env->insns[env->insn_idx];
	bool zero = r ? reg_is_null(r) : BPF_CLASS(insn->code) == BPF_ST && !insn->imm;
	bool relied = false;
	int err;

	for (s32 o = lo; o < hi; o++) {
		err = vf_destroy_dynptr(env, f, spi_of(o));
		if (err)
			return err;
	}
	for (s32 o = lo; o < hi; o++) {
		struct slot *s = &f->slots[spi_of(o)];
		u8 *type = byte_at(f, o);

		vf_touch_slot(env, spi_of(o));
		if (zero && *type == SK_SPILL && slot_is_scalar(s) && reg_is_null(&s->spill)) {
			relied = true;
			continue;
		}
		/* A number spilled here is one no more, also in the bytes that stay. */
		if (slot_is_spill(s) || slot_is_special(s))
			scrub(s);
		if (zero && *type == SK_ZERO)
			relied = true;
		else
			*type = SK_MISC;
	}
	if (relied && r)
		return vf_mark_precise(env, (u32)value_regno);
	return 0;
}

/* --- reading --- */

/* Bytes [lo, hi) into a register: zero if all are. */
static void read_bytes(struct env *env, struct frame *f, s32 lo, s32 hi, struct reg *dst)
{
	bool zero = true;

	for (s32 o = lo; zero && o < hi; o++) {
		vf_touch_slot(env, spi_of(o));
		zero = *byte_at(f, o) == SK_ZERO;
	}
	if (zero)
		reg_set_const(dst, 0);
	else
		reg_set_unknown(dst);
}

static int bad_read(struct env *env, s32 off, u32 i, u32 size)
{
	vf_say(env, "invalid read from stack off %d+%u size %u\n", off, i, size);
	return -EACCES;
}

static int read_fixed(struct env *env, struct frame *f, s32 off, u32 size, int value_regno)
{
	u32 spi = spi_of(off), spill_size = 1, spills = 0, zeros = 0;
	struct reg *dst = value_regno >= 0 ? &vf_regs(env)[value_regno] : NULL;
	struct slot *s = &f->slots[spi];
	struct reg *r = &s->spill;

	vf_touch_slot(env, spi);
	if (!slot_is_spill(s)) {
		for (u32 i = 0; i < size; i++) {
			u8 t = *byte_at(f, off + (s32)i);

			if (t != SK_MISC && t != SK_ZERO && t != SK_INVALID)
				return bad_read(env, off, i, size);
		}
		if (dst)
			read_bytes(env, f, off, off + (s32)size, dst);
		return 0;
	}
	while (spill_size < 8 && s->type[7 - spill_size] == SK_SPILL)
		spill_size++;
	if (size == 8 && spill_size == 8) {
		if (dst) {
			*dst = *r;
			dst->precise = false;
			dst->subreg_def = 0;
		}
		return remember(env, f, spi);
	}
	if (r->kind != RK_SCALAR) {
		vf_say(env, "invalid size of register fill\n");
		return -EACCES;
	}
	if (!dst)
		return 0;
	if (size <= spill_size && !(off % 8)) {
		*dst = *r;
		dst->precise = false;
		dst->subreg_def = 0;
		if (!fits(r, size))
			drop_id(dst);
		return remember(env, f, spi);
	}
	for (u32 i = 0; i < size; i++) {
		u8 t = *byte_at(f, off + (s32)i);

		spills += t == SK_SPILL;
		zeros += t == SK_ZERO;
		if (t != SK_SPILL && t != SK_ZERO && t != SK_MISC && t != SK_INVALID)
			return bad_read(env, off, i, size);
	}
	if (spills == size && reg_is_null(r)) {
		reg_set_const(dst, 0);
		return remember(env, f, spi);
	}
	if (zeros == size)
		reg_set_const(dst, 0);
	else
		reg_set_unknown(dst);
	return 0;
}

int vf_check_stack(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		   int value_regno)
{
	struct reg r = vf_regs(env)[regno];
	struct frame *f;
	char var[48];
	int err = check_bounds(env, regno, off, size, kind);

	if (err)
		return err;
	f = frame_of(env, &r);
	if (scalar_is_const(&r.v)) {
		off += (s32)r.v.tn.value;
		if (kind == ACCESS_READ)
			vf_stack_range_read(env, r.frameno, off, off + (s32)size);
		else if (size == 8 && !(off % 8))
			vf_stack_written(env, r.frameno, 1ull << spi_of(off));
		return kind == ACCESS_READ ? read_fixed(env, f, off, size, value_regno)
					   : write_fixed(env, f, off, size, value_regno);
	}
	if (kind == ACCESS_WRITE)
		return write_var(env, &r, f, off, size, value_regno);
	if (value_regno < 0) {
		var_text(&r, var, sizeof(var));
		vf_say(env,
		       "variable offset stack pointer cannot be passed into helper function; "
		       "var_off=%s off=%d size=%u\n",
		       var, off, size);
		return -EACCES;
	}
	err = vf_check_stack_helper(env, regno, off - r.off, size, ACCESS_READ, false, false);
	if (err)
		return err;
	read_bytes(env, f, (s32)(r.v.smin + off), (s32)(r.v.smax + off + size),
		   &vf_regs(env)[value_regno]);
	return 0;
}

int vf_check_stack_helper(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
			  bool zero_ok, bool raw)
{
	struct reg *r = &vf_regs(env)[regno];
	bool fixed = scalar_is_const(&r->v);
	struct frame *f;
	s32 lo, hi;
	char var[48];
	int err;

	off += r->off;
	if (!size && !zero_ok) {
		vf_say(env, "invalid zero-sized read\n");
		return -EACCES;
	}
	err = check_bounds(env, regno, off, size, kind);
	if (err)
		return err;
	f = frame_of(env, r);
	lo = (s32)((fixed ? (s64)r->v.tn.value : r->v.smin) + off);
	hi = (s32)((fixed ? (s64)r->v.tn.value : r->v.smax) + off + size);
	for (s32 o = lo; o < hi; o++) {
		struct slot *s = &f->slots[spi_of(o)];
		u8 *t = byte_at(f, o);

		if (!(raw && fixed))
			vf_stack_range_read(env, f->frameno, o, o + 1);
		if (raw && fixed) {
			/* The caller writes the bytes afterwards. */
			if (*t == SK_DYNPTR) {
				vf_say(env, "potential write to dynptr at off=%d disallowed\n", o);
				return -EACCES;
			}
			continue;
		}
		if (*t == SK_MISC)
			continue;
		if (*t == SK_ZERO || *t == SK_INVALID) {
			if (kind == ACCESS_WRITE)
				*t = SK_MISC;
			continue;
		}
		if (slot_is_spill(s)) {
			if (kind == ACCESS_WRITE)
				scrub(s);
			continue;
		}
		if (fixed) {
			vf_say(env, "invalid read from stack R%u off %d+%d size %u\n", regno, lo,
			       o - lo, size);
		} else {
			var_text(r, var, sizeof(var));
			vf_say(env, "invalid read from stack R%u var_off %s+%d size %u\n", regno,
			       var, o - lo, size);
		}
		return -EACCES;
	}
	return 0;
}

/*
 * A map key whose bytes on the stack, all in one slot, are one known number. The upper bytes of a
 * spilled number count for all of it: it is an index only when they are zero.
 */
bool vf_stack_const_key(struct env *env, const struct reg *key, u32 size, u64 *ret)
{
	struct frame *f;
	struct slot *s;
	s32 off, first;
	u32 spi, zeros = 0, spilled = 0;

	if (key->kind != RK_STACK || !scalar_is_const(&key->v))
		return false;
	f = frame_of(env, key);
	off = key->off + (s32)key->v.tn.value;
	if (off >= 0 || off < -VF_STACK_SIZE || spi_of(off) >= f->nr_slots)
		return false;
	spi = spi_of(off);
	s = &f->slots[spi];
	first = (-off - 1) % 8;
	for (s32 i = first; i >= 0 && s->type[i] == SK_ZERO; i--)
		zeros++;
	if (zeros >= size) {
		*ret = 0;
		return true;
	}
	for (s32 i = first; i >= 0 && s->type[i] == SK_SPILL; i--)
		spilled++;
	if (spilled != size || !slot_is_scalar(s) || !scalar_is_const(&s->spill.v))
		return false;
	*ret = s->spill.v.tn.value;
	/* The decision rests on this slot. */
	{
		u16 regs[VF_MAX_FRAMES] = {0};
		u64 slots[VF_MAX_FRAMES] = {0};

		slots[f->frameno] = 1ull << spi;
		vf_mark_precise_in(env, env->cur, regs, slots, NULL);
	}
	return true;
}
