/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pointers to kernel objects kept in map values: loaded, stored, exchanged.
 *
 * A tag on the pointer's type says what it is: kptr_untrusted (plain, good for reading with care),
 * kptr (holds a reference; changed by bpf_kptr_xchg alone), percpu_kptr (of per-CPU memory).
 */
#include "verifier/env.h"

#include <string.h>

/* The kernel's type of that name, or the program's own. */
static void target(const struct env *env, const struct skep_btf_field *f,
		   const struct skep_btf **ret_btf, u32 *ret_id)
{
	const struct skep_btf *kernel = env->host->kernel_btf(env->host->priv);
	const struct btf_type *t = skep_btf_type(f->btf, f->type_id);
	const char *name = skep_btf_name(f->btf, t);
	u32 id = kernel && *name && !skep_btf_is_kernel(f->btf)
			 ? skep_btf_find(kernel, name, BTF_KIND_STRUCT)
			 : 0;

	*ret_btf = id ? kernel : f->btf;
	*ret_id = id ? id : f->type_id;
}

/* Objects of the kernel that outlive their last reference by a grace period. */
static bool rcu_protected(const struct skep_btf *btf, u32 id)
{
	static const char *const names[] = {"cgroup", "bpf_cpumask", "task_struct",
					    "bpf_crypto_ctx"};

	if (!skep_btf_is_kernel(btf))
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(vf_type_name(btf, id), names[i]))
			return true;
	return false;
}

int vf_kptr_fits(struct env *env, const struct skep_btf_field *f, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];
	bool unref = f->kind == SKEP_FIELD_KPTR_UNREF;
	const struct skep_btf *btf;
	char name[64], want[64];
	const char *type = "";
	u32 id, allowed;

	target(env, f, &btf, &id);
	if (r->kind != RK_BTF)
		goto bad;
	type = vf_type_name(r->btf, r->btf_id);
	allowed = RF_MAYBE_NULL;
	if (skep_btf_is_kernel(r->btf))
		allowed |= RF_TRUSTED | RF_RCU | (unref ? RF_UNTRUSTED : 0u);
	else
		allowed |= RF_ALLOC | (f->kind == SKEP_FIELD_KPTR_PERCPU ? RF_PERCPU : 0u);
	if (r->flags & ~allowed) {
		type = "";
		goto bad;
	}
	if (vf_check_no_off(env, r, regno, true))
		return -EACCES;
	if (vf_btf_match(env, r->btf, r->btf_id, (u32)r->off, btf, id, !unref))
		return 0;
bad:
	vf_reg_name(r, name);
	if (unref) {
		vf_kind_name(RK_BTF, RF_UNTRUSTED, want);
		vf_say(env, "invalid kptr access, R%u type=%s%s expected=%s%s or %s%s\n", regno,
		       name, type, "ptr_", vf_type_name(btf, id), want, vf_type_name(btf, id));
	} else {
		vf_say(env, "invalid kptr access, R%u type=%s%s expected=%s%s\n", regno, name, type,
		       "ptr_", vf_type_name(btf, id));
	}
	return -EINVAL;
}

static void load(struct env *env, const struct skep_btf_field *f, u32 regno)
{
	bool percpu = f->kind == SKEP_FIELD_KPTR_PERCPU;
	struct reg *dst = &vf_regs(env)[regno];
	const struct skep_btf *btf;
	u32 id, flags = RF_MAYBE_NULL;

	target(env, f, &btf, &id);
	if (f->kind == SKEP_FIELD_UPTR) {
		reg_set_ptr(dst, RK_MEM, RF_MAYBE_NULL);
		dst->mem_size = (u32)skep_btf_size(f->btf, f->type_id);
		dst->id = ++env->id_gen;
		return;
	}
	if (vf_in_rcu(env) &&
	    (percpu || (f->kind == SKEP_FIELD_KPTR_REF && rcu_protected(btf, id)))) {
		flags |= RF_RCU;
		if (percpu)
			flags |= RF_PERCPU;
		else if (!skep_btf_is_kernel(btf))
			flags |= RF_ALLOC;
	} else {
		flags |= RF_UNTRUSTED;
	}
	reg_set_btf(dst, btf, id, flags);
	dst->id = ++env->id_gen;
}

int vf_check_kptr(struct env *env, const struct skep_btf_field *f, int value_regno)
{
	const struct bpf_insn *in = &env->insns[env->insn_idx];
	u8 cls = BPF_CLASS(in->code);

	if (!env->host->verdict_only) {
		vf_say(env, "skep: %s fields are not implemented yet\n",
		       skep_btf_field_name(f->kind));
		return -EINVAL;
	}
	if (BPF_MODE(in->code) != BPF_MEM) {
		vf_say(env, "kptr in map can only be accessed using BPF_MEM instruction mode\n");
		return -EACCES;
	}
	if (cls != BPF_LDX &&
	    (f->kind == SKEP_FIELD_KPTR_REF || f->kind == SKEP_FIELD_KPTR_PERCPU)) {
		vf_say(env, "store to referenced kptr disallowed\n");
		return -EACCES;
	}
	if (cls != BPF_LDX && f->kind == SKEP_FIELD_UPTR) {
		vf_say(env, "store to uptr disallowed\n");
		return -EACCES;
	}
	if (cls == BPF_LDX) {
		load(env, f, (u32)value_regno);
		return 0;
	}
	if (cls == BPF_STX)
		return reg_is_null(&vf_regs(env)[value_regno]) ||
				       !vf_kptr_fits(env, f, (u32)value_regno)
			       ? 0
			       : -EACCES;
	if (in->imm) {
		vf_say(env, "BPF_ST imm must be 0 when storing to kptr at off=%u\n", f->off);
		return -EACCES;
	}
	return 0;
}

int vf_kptr_slot(struct env *env, u32 regno, const struct skep_btf_field **ret)
{
	const struct reg *r = &vf_regs(env)[regno];
	const struct skep_btf_record *rec;
	bool some = false;
	u32 off;

	if (r->kind == RK_MAP_VALUE && !r->map->btf) {
		vf_say(env, "map '%s' has to have BTF in order to use bpf_kptr_xchg\n",
		       r->map->name);
		return -EINVAL;
	}
	rec = vf_record(env, r);
	if (!scalar_is_const(&r->v)) {
		vf_say(env,
		       "R%u doesn't have constant offset. kptr has to be at the constant offset\n",
		       regno);
		return -EINVAL;
	}
	off = (u32)(r->off + (s64)r->v.tn.value);
	for (u32 i = 0; rec && i < rec->nr; i++) {
		const struct skep_btf_field *f = &rec->fields[i];

		if (f->kind != SKEP_FIELD_KPTR_UNREF && f->kind != SKEP_FIELD_KPTR_REF &&
		    f->kind != SKEP_FIELD_KPTR_PERCPU)
			continue;
		some = true;
		if (f->off != off)
			continue;
		if (f->kind == SKEP_FIELD_KPTR_UNREF) {
			vf_say(env, "off=%u kptr isn't referenced kptr\n", off);
			return -EACCES;
		}
		*ret = f;
		return 0;
	}
	if (!some) {
		vf_say(env, "R%u has no valid kptr\n", regno);
		return -EINVAL;
	}
	vf_say(env, "off=%u doesn't point to kptr\n", off);
	return -EACCES;
}

void vf_kptr_result(struct env *env, const struct skep_btf_field *f, struct reg *r0)
{
	const struct skep_btf *btf;
	u32 id, flags = RF_MAYBE_NULL;

	target(env, f, &btf, &id);
	if (!skep_btf_is_kernel(btf))
		flags |= RF_ALLOC | (f->kind == SKEP_FIELD_KPTR_PERCPU ? RF_PERCPU : 0u);
	reg_set_btf(r0, btf, id, flags);
}
