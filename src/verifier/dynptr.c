/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynptrs: descriptors of memory in two slots of the stack, made, read and destroyed by calls.
 *
 * A slot's spill tells of the dynptr that it is half of: its kind (iter_phase), whether it is the
 * first half (iter_depth), its id, and the reference that goes with ring-buffer memory. A dynptr
 * that a program is handed and may not change is a register of kind RK_DYNPTR with the same
 * fields. Memory that was taken from one (dynptr_data, slices) remembers its id (map_uid): it is
 * forgotten when the dynptr is overwritten.
 */
#include "verifier/env.h"

#include <string.h>

enum { HALVES = 2 };

static const char *const kind_names[] = {
	[VF_DYN_LOCAL] = "local", [VF_DYN_RINGBUF] = "ringbuf",	  [VF_DYN_SKB] = "skb",
	[VF_DYN_XDP] = "xdp",	  [VF_DYN_SKB_META] = "skb_meta",
};

const char *vf_dynptr_name(u32 kind)
{
	return kind < ARRAY_SIZE(kind_names) && kind_names[kind] ? kind_names[kind] : "unknown";
}

/* Slot of the first half (the higher address is spi - 1). -ERANGE: not on the stack so far. */
static int place(struct env *env, const struct reg *r, u32 *ret_spi)
{
	s32 off = r->off + (s32)r->v.tn.value;

	if (!scalar_is_const(&r->v)) {
		vf_say(env, "%s has to be at a constant offset\n", "dynptr");
		return -EINVAL;
	}
	if (off % 8) {
		vf_say(env, "cannot pass in %s at an offset=%d\n", "dynptr", off);
		return -EINVAL;
	}
	if (off > -8 * HALVES || off < -VF_STACK_SIZE) {
		/* The last slot alone cannot hold one. */
		if (off == -8) {
			vf_say(env, "cannot pass in %s at an offset=%d\n", "dynptr", off);
			return -EINVAL;
		}
		return -ERANGE;
	}
	*ret_spi = (u32)(-off - 1) / 8;
	return *ret_spi < env->cur->frame[r->frameno]->nr_slots ? 0 : -ERANGE;
}

static bool is_half(const struct slot *s)
{
	for (u32 b = 0; b < 8; b++)
		if (s->type[b] != SK_DYNPTR)
			return false;
	return true;
}

static void set_half(struct slot *s, u32 kind, bool first, u32 id, u32 ref_id)
{
	reg_set_ptr(&s->spill, RK_DYNPTR, 0);
	s->spill.iter_phase = (u8)kind;
	s->spill.iter_depth = first;
	s->spill.id = id;
	s->spill.ref_id = ref_id;
	memset(s->type, SK_DYNPTR, sizeof(s->type));
}

static void clear_half(struct env *env, struct frame *f, u32 spi)
{
	reg_set_not_init(&f->slots[spi].spill);
	memset(f->slots[spi].type, SK_INVALID, sizeof(f->slots[spi].type));
	vf_touch_slot(env, spi);
}

static void forget_slices(struct env *env, u32 id)
{
	struct frame *f;
	struct reg *r;

	vf_for_each_reg(env->cur, f, r)
	{
		if (r->kind == RK_MEM && r->map_uid == id)
			reg_set_unknown(r);
	}
}

int vf_destroy_dynptr(struct env *env, struct frame *f, u32 spi)
{
	struct slot *s = &f->slots[spi];
	u32 id;

	if (s->type[7] != SK_DYNPTR && s->type[0] != SK_DYNPTR)
		return 0;
	if (!s->spill.iter_depth)
		spi++;
	if (f->slots[spi].spill.iter_phase == VF_DYN_RINGBUF) {
		vf_say(env, "cannot overwrite referenced dynptr\n");
		return -EINVAL;
	}
	id = f->slots[spi].spill.id;
	clear_half(env, f, spi);
	clear_half(env, f, spi - 1);
	forget_slices(env, id);
	return 0;
}

static int make(struct env *env, u32 regno, u32 kind, u32 parent_ref)
{
	struct reg *r = &vf_regs(env)[regno];
	struct frame *f;
	u32 spi, id, ref = 0;
	int err;

	for (u32 i = 0; i < HALVES; i++) {
		err = vf_check_mem(env, env->insn_idx, regno, (s32)i * 8, 8, ACCESS_WRITE, -1,
				   false, false);
		if (err)
			return err;
	}
	err = place(env, r, &spi);
	if (err)
		return err;
	f = env->cur->frame[r->frameno];
	/* What was half overwritten goes whole. */
	err = vf_destroy_dynptr(env, f, spi);
	if (!err)
		err = vf_destroy_dynptr(env, f, spi - 1);
	if (err)
		return err;
	id = ++env->id_gen;
	if (kind == VF_DYN_RINGBUF) {
		err = parent_ref ? (int)parent_ref : vf_acquire_ref(env, env->insn_idx);
		if (err < 0)
			return err;
		ref = (u32)err;
	}
	set_half(&f->slots[spi], kind, true, id, ref);
	set_half(&f->slots[spi - 1], kind, false, id, ref);
	vf_touch_slot(env, spi);
	vf_touch_slot(env, spi - 1);
	return 0;
}

/* The initialised dynptr that R@regno points to or is; NULL. */
static const struct reg *initialised(struct env *env, const struct reg *r)
{
	struct frame *f;
	u32 spi;

	if (r->kind == RK_DYNPTR)
		return r;
	if (place(env, r, &spi))
		return NULL;
	f = env->cur->frame[r->frameno];
	if (!is_half(&f->slots[spi]) || !is_half(&f->slots[spi - 1]) ||
	    !f->slots[spi].spill.iter_depth)
		return NULL;
	vf_stack_read(env, f->frameno, 3ull << (spi - 1));
	return &f->slots[spi].spill;
}

int vf_check_dynptr(struct env *env, u32 regno, u32 kind, u32 mode, u32 parent_ref,
		    struct vf_dynptr *ret)
{
	const struct reg *r = &vf_regs(env)[regno], *d;
	u32 spi;
	int err;

	if (r->kind != RK_STACK && r->kind != RK_DYNPTR) {
		vf_say(env, "arg#%u expected pointer to stack or const struct bpf_dynptr\n",
		       regno - 1);
		return -EINVAL;
	}
	if (r->kind == RK_DYNPTR) {
		err = vf_check_no_off(env, r, regno, false);
		if (err)
			return err;
	}
	if (mode & VF_DYN_UNINIT) {
		err = r->kind == RK_DYNPTR ? -EINVAL : place(env, r, &spi);
		if (err && err != -ERANGE) {
			vf_say(env, "Dynptr has to be an uninitialized dynptr\n");
			return -EINVAL;
		}
		return make(env, regno, kind, parent_ref);
	}
	if (r->kind == RK_DYNPTR && !(mode & VF_DYN_RDONLY)) {
		vf_say(env, "cannot pass pointer to const bpf_dynptr, the helper mutates it\n");
		return -EINVAL;
	}
	d = initialised(env, r);
	if (!d) {
		vf_say(env, "Expected an initialized dynptr as arg #%u\n", regno - 1);
		return -EINVAL;
	}
	if (kind && d->iter_phase != kind) {
		vf_say(env, "Expected a dynptr of type %s as arg #%u\n", vf_dynptr_name(kind),
		       regno - 1);
		return -EINVAL;
	}
	if (r->kind == RK_STACK && !place(env, r, &spi)) {
		vf_touch_slot(env, spi);
		vf_touch_slot(env, spi - 1);
	}
	*ret = (struct vf_dynptr){.kind = d->iter_phase, .id = d->id, .ref_id = d->ref_id};
	return 0;
}

bool vf_dynptr_is_held(struct env *env, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];
	u32 spi;

	return r->kind == RK_STACK && !place(env, r, &spi) &&
	       env->cur->frame[r->frameno]->slots[spi].spill.ref_id != 0;
}

int vf_release_dynptr(struct env *env, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];
	struct state *st = env->cur;
	u32 spi, ref;
	int err;

	if (r->kind == RK_DYNPTR) {
		vf_say(env, "CONST_PTR_TO_DYNPTR cannot be released\n");
		return -EFAULT;
	}
	err = place(env, r, &spi);
	if (err)
		return err;
	ref = st->frame[r->frameno]->slots[spi].spill.ref_id;
	err = vf_release_ref(env, ref);
	if (err)
		return err;
	/* Clones of it describe memory that is gone. */
	for (u32 fi = 0; fi <= st->curframe; fi++)
		for (u32 i = 0; i < st->frame[fi]->nr_slots; i++) {
			struct slot *s = &st->frame[fi]->slots[i];

			if (s->type[7] == SK_DYNPTR && s->spill.ref_id == ref)
				clear_half(env, st->frame[fi], i);
		}
	return 0;
}

void vf_set_const_dynptr(struct env *env, struct reg *r, u32 kind)
{
	reg_set_ptr(r, RK_DYNPTR, 0);
	r->iter_phase = (u8)kind;
	r->iter_depth = 1;
	r->id = ++env->id_gen;
}
