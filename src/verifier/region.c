/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions in which some things may not be done: locks held, interrupts off.
 *
 * Plain locks allow one at a time; resilient ones nest, are released in reverse order, and may
 * fail. Saved interrupt flags live in a slot of the stack each and are restored in reverse order,
 * by the call that fits the one that made them.
 */
#include "verifier/env.h"

#include <string.h>

static const char *lock_name(u8 kind)
{
	return kind == REF_LOCK ? "bpf_spin" : "bpf_res_spin";
}

int vf_spin_lock(struct env *env, u32 regno, u8 kind, bool lock)
{
	const struct reg *r = &vf_regs(env)[regno];
	const u32 resilient = 1u << REF_RES_LOCK | 1u << REF_RES_LOCK_IRQ;
	const void *owner = vf_lock_owner(r);
	struct state *st = env->cur;
	int err;

	err = vf_check_field(env, regno,
			     kind == REF_LOCK ? SKEP_FIELD_SPIN_LOCK : SKEP_FIELD_RES_SPIN_LOCK);
	if (err)
		return err;
	if (lock) {
		if (kind == REF_LOCK && vf_holds_lock(st, 1u << REF_LOCK, 0, NULL)) {
			vf_say(env, "Locking two bpf_spin_locks are not allowed\n");
			return -EINVAL;
		}
		if (kind != REF_LOCK && vf_holds_lock(st, resilient, r->id, owner)) {
			vf_say(env, "Acquiring the same lock again, AA deadlock detected\n");
			return -EINVAL;
		}
		return vf_acquire_lock(env, env->insn_idx, kind, r->id, owner);
	}
	if (!st->active_locks) {
		vf_say(env, "%s_unlock without taking a lock\n", lock_name(kind));
		return -EINVAL;
	}
	if (!vf_holds_lock(st, 1u << kind, r->id, owner)) {
		vf_say(env, "%s_unlock of different lock\n", lock_name(kind));
		return -EINVAL;
	}
	if (r->id != st->active_lock_id || owner != st->active_lock_ptr) {
		vf_say(env, "%s_unlock cannot be out of order\n", lock_name(kind));
		return -EINVAL;
	}
	vf_release_lock(st, kind, r->id, owner);
	vf_forget_non_owning(env);
	return 0;
}

/* --- interrupt flags --- */

static int flag_place(struct env *env, const struct reg *r, u32 *ret_spi)
{
	s32 off = r->off + (s32)r->v.tn.value;

	if (!scalar_is_const(&r->v)) {
		vf_say(env, "%s has to be at a constant offset\n", "irq_flag");
		return -EINVAL;
	}
	if (off % 8) {
		vf_say(env, "cannot pass in %s at an offset=%d\n", "irq_flag", off);
		return -EINVAL;
	}
	if (off >= 0 || off < -VF_STACK_SIZE)
		return -ERANGE;
	*ret_spi = (u32)(-off - 1) / 8;
	return *ret_spi < env->cur->frame[r->frameno]->nr_slots ? 0 : -ERANGE;
}

static bool all_bytes(const struct slot *s, u8 type)
{
	for (u32 i = 0; i < 8; i++)
		if (s->type[i] != type)
			return false;
	return true;
}

static int save_flag(struct env *env, u32 regno, bool lock)
{
	const struct reg *r = &vf_regs(env)[regno];
	struct slot *s;
	u32 spi = 0;
	int err = flag_place(env, r, &spi), id;
	bool taken = false;

	if (!err) {
		s = &env->cur->frame[r->frameno]->slots[spi];
		for (u32 i = 0; i < 8; i++)
			taken |= s->type[i] == SK_DYNPTR || s->type[i] == SK_ITER ||
				 s->type[i] == SK_IRQ_FLAG;
	}
	if ((err && err != -ERANGE) || taken) {
		vf_say(env, "expected uninitialized irq flag as arg#%u\n", regno - 1);
		return -EINVAL;
	}
	err = vf_check_mem(env, env->insn_idx, regno, 0, 8, ACCESS_WRITE, -1, false, false);
	if (!err)
		err = flag_place(env, r, &spi);
	if (err)
		return err;
	id = vf_acquire_irq(env, env->insn_idx);
	if (id < 0)
		return id;
	s = &env->cur->frame[r->frameno]->slots[spi];
	reg_set_ptr(&s->spill, RK_STACK, 0);
	s->spill.iter_phase = lock;
	s->spill.ref_id = (u32)id;
	memset(s->type, SK_IRQ_FLAG, sizeof(s->type));
	vf_touch_slot(env, spi);
	return 0;
}

static int restore_flag(struct env *env, u32 regno, bool lock)
{
	const struct reg *r = &vf_regs(env)[regno];
	struct slot *s;
	u32 spi = 0;
	int err = flag_place(env, r, &spi);

	if (err || !all_bytes(&env->cur->frame[r->frameno]->slots[spi], SK_IRQ_FLAG)) {
		vf_say(env, "expected an initialized irq flag as arg#%u\n", regno - 1);
		return -EINVAL;
	}
	vf_stack_read(env, r->frameno, 1ull << spi);
	s = &env->cur->frame[r->frameno]->slots[spi];
	if (s->spill.iter_phase != lock) {
		vf_say(env, "irq flag acquired by %s kfuncs cannot be restored with %s kfuncs\n",
		       s->spill.iter_phase ? "lock" : "native", lock ? "lock" : "native");
		return -EINVAL;
	}
	err = vf_release_irq(env, s->spill.ref_id);
	if (err)
		return err;
	reg_set_not_init(&s->spill);
	memset(s->type, SK_INVALID, sizeof(s->type));
	vf_touch_slot(env, spi);
	return 0;
}

int vf_irq_flag(struct env *env, u32 regno, bool lock, bool save)
{
	if (vf_regs(env)[regno].kind != RK_STACK) {
		vf_say(env, "arg#%u doesn't point to an irq flag on stack\n", regno - 1);
		return -EINVAL;
	}
	return save ? save_flag(env, regno, lock) : restore_flag(env, regno, lock);
}

/* --- what may be called --- */

bool vf_call_under_lock_ok(const struct env *env, const struct bpf_insn *in)
{
	static const char *const allowed[] = {
		"bpf_list_",	 "bpf_rbtree_", "bpf_refcount_acquire", "bpf_iter_num_",
		"bpf_res_spin_", "bpf_arena_",	"bpf_stream_vprintk",
	};
	const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);
	const struct btf_type *t;

	if (!in->src_reg)
		return in->imm == BPF_FUNC_spin_unlock;
	if (in->src_reg != BPF_PSEUDO_KFUNC_CALL)
		return true; /* subprograms are walked, or refused by themselves */
	t = in->off || !btf ? NULL : skep_btf_type(btf, (u32)in->imm);
	for (u32 i = 0; t && i < ARRAY_SIZE(allowed); i++)
		if (!strncmp(skep_btf_name(btf, t), allowed[i], strlen(allowed[i])))
			return true;
	return false;
}

const char *vf_atomic_region(const struct env *env)
{
	const struct state *st = env->cur;

	return st->rcu_depth	   ? "rcu_read_lock"
	       : st->preempt_depth ? "non-preemptible"
	       : st->active_irq_id ? "IRQ-disabled"
				   : NULL;
}
