/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open-coded iterators: objects in slots of the stack, made, stepped and destroyed by calls.
 *
 * Each slot's spill names the iterator's type; the first one also carries the reference that ends
 * with its destruction, whether it is active or drained, and how often it was stepped. Stepping
 * forks: on one path there is an element, on the other the iterator is drained. Loops over them
 * converge because numbers that do not matter are widened against the step before.
 */
#include "verifier/env.h"

#include <string.h>

static const char *shown(const struct vf_iter *it)
{
	const char *name = vf_type_name(it->btf, it->btf_id);

	return strncmp(name, "bpf_iter_", 9) ? name : name + 9;
}

/* Slot of the lowest address. -ERANGE: not on the stack so far. */
static int place(struct env *env, const struct reg *r, u32 nr, u32 *ret_spi)
{
	s32 off = r->off + (s32)r->v.tn.value;

	if (!scalar_is_const(&r->v)) {
		vf_say(env, "%s has to be at a constant offset\n", "iter");
		return -EINVAL;
	}
	if (off % 8) {
		vf_say(env, "cannot pass in %s at an offset=%d\n", "iter", off);
		return -EINVAL;
	}
	if (off >= 0 || off < -VF_STACK_SIZE || (u32)(-off - 1) / 8 + 1 < nr)
		return -ERANGE;
	*ret_spi = (u32)(-off - 1) / 8;
	return 0;
}

static bool slots_free(const struct frame *f, u32 spi, u32 nr)
{
	for (u32 i = 0; i < nr && spi - i < f->nr_slots; i++)
		for (u32 b = 0; b < 8; b++)
			if (f->slots[spi - i].type[b] == SK_ITER ||
			    f->slots[spi - i].type[b] == SK_DYNPTR ||
			    f->slots[spi - i].type[b] == SK_IRQ_FLAG)
				return false;
	return true;
}

static bool slots_hold(const struct frame *f, u32 spi, const struct vf_iter *it)
{
	if (spi >= f->nr_slots)
		return false;
	for (u32 i = 0; i < it->nr_slots; i++) {
		const struct slot *s = &f->slots[spi - i];

		if (s->spill.btf != it->btf || s->spill.btf_id != it->btf_id ||
		    (i == 0) != (s->spill.ref_id != 0))
			return false;
		for (u32 b = 0; b < 8; b++)
			if (s->type[b] != SK_ITER)
				return false;
	}
	return true;
}

static int check_pointer(struct env *env, u32 regno)
{
	if (vf_regs(env)[regno].kind == RK_STACK)
		return 0;
	vf_say(env, "arg#%u expected pointer to an iterator on stack\n", regno - 1);
	return -EINVAL;
}

int vf_iter_new(struct env *env, const struct vf_iter *it, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];
	struct frame *f;
	u32 spi = 0;
	int err, id;

	/* It takes a lock that interrupts take too. */
	if (!strcmp(it->row->name, "bpf_iter_css_task_new") &&
	    env->req->prog_type != BPF_PROG_TYPE_LSM && !env->cur->in_sleepable &&
	    !vf_is_iter_prog(env)) {
		vf_say(env,
		       "css_task_iter is only allowed in bpf_lsm, bpf_iter and sleepable progs\n");
		return -EINVAL;
	}
	err = check_pointer(env, regno);
	if (err)
		return err;
	f = env->cur->frame[r->frameno];
	err = place(env, r, it->nr_slots, &spi);
	/* Where no such place is, the writes that make it are refused. */
	if ((err && err != -ERANGE) ||
	    (!err && spi < f->nr_slots && !slots_free(f, spi, it->nr_slots))) {
		vf_say(env, "expected uninitialized iter_%s as arg #%u\n", shown(it), regno - 1);
		return -EINVAL;
	}
	for (u32 i = 0; i < it->nr_slots; i++) {
		err = vf_check_mem(env, env->insn_idx, regno, (s32)i * 8, 8, ACCESS_WRITE, -1,
				   false, false);
		if (err)
			return err;
	}
	id = vf_acquire_ref(env, env->insn_idx);
	if (id < 0)
		return id;
	for (u32 i = 0; i < it->nr_slots; i++) {
		struct slot *s = &f->slots[spi - i];

		reg_set_ptr(&s->spill, RK_STACK, 0);
		if (it->row->flags & SKEP_KF_RCU_PROTECTED)
			s->spill.flags |= vf_in_rcu(env) ? RF_RCU : RF_UNTRUSTED;
		s->spill.btf = it->btf;
		s->spill.btf_id = it->btf_id;
		s->spill.iter_phase = ITER_ACTIVE;
		s->spill.ref_id = i ? 0 : (u32)id;
		memset(s->type, SK_ITER, 8);
		vf_touch_slot(env, spi - i);
	}
	return 0;
}

int vf_iter_find(struct env *env, struct vf_iter *it, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];
	const struct reg *first;
	struct frame *f;
	u32 spi = 0;
	int err = check_pointer(env, regno);

	if (err)
		return err;
	f = env->cur->frame[r->frameno];
	err = place(env, r, it->nr_slots, &spi);
	if (err || !slots_hold(f, spi, it)) {
		vf_say(env, "expected an initialized iter_%s as arg #%u\n", shown(it), regno - 1);
		return -EINVAL;
	}
	first = &f->slots[spi].spill;
	if (first->flags & RF_UNTRUSTED) {
		vf_say(env, "expected an RCU CS when using %s\n", it->row->name);
		return -EPROTO;
	}
	for (u32 i = 0; i < it->nr_slots; i++)
		vf_stack_read(env, f->frameno, 1ull << (spi - i));
	it->frameno = r->frameno;
	it->spi = spi;
	it->ref_id = first->ref_id;
	it->rcu = first->flags & RF_RCU;
	return 0;
}

int vf_iter_destroy(struct env *env, struct vf_iter *it, u32 regno)
{
	int err = vf_iter_find(env, it, regno);
	struct frame *f;

	if (err)
		return err;
	f = env->cur->frame[it->frameno];
	f->slots[it->spi].spill.ref_id = 0;
	err = vf_release_ref(env, it->ref_id);
	for (u32 i = 0; i < it->nr_slots; i++) {
		reg_set_not_init(&f->slots[it->spi - i].spill);
		memset(f->slots[it->spi - i].type, SK_INVALID, 8);
		vf_touch_slot(env, it->spi - i);
	}
	return err;
}

int vf_iter_step(struct env *env, const struct vf_iter *it)
{
	struct state *st = env->cur, *next, *p;
	struct reg *first = &st->frame[it->frameno]->slots[it->spi].spill;

	if (first->iter_phase == ITER_ACTIVE) {
		for (p = st->parent ? st->parent->parent : NULL; p; p = p->parent)
			if (p->insn_idx == env->insn_idx && p->curframe == st->curframe)
				break;
		next = vf_push_branch(env, env->insn_idx + 1, env->insn_idx);
		if (!next)
			return -ENOMEM;
		next->frame[it->frameno]->slots[it->spi].spill.iter_depth++;
		if (p)
			vf_widen(env, p, next);
		next->frame[next->curframe]->regs[0].flags &= (u16)~RF_MAYBE_NULL;
	}
	first->iter_phase = ITER_DRAINED;
	vf_touch_slot(env, it->spi);
	reg_set_const(&vf_regs(env)[0], 0);
	return 0;
}
