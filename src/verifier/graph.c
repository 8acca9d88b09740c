/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that programs allocate, and the lists and trees that own them.
 *
 * An object is owned by whoever holds its reference. Put into a list or tree, under the lock of
 * the same allocation, it belongs to that; what pointed to it may go on looking at it until the
 * lock is released (RF_NON_OWN), and is good for nothing then.
 */
#include "verifier/env.h"

#include <string.h>

#include "base/alloc.h"

struct vf_object {
	struct vf_object *next;
	const struct skep_btf *btf;
	u32 id;
	bool any;
	struct skep_btf_record rec;
};

enum { PERCPU_OBJECT_MAX = 512 };

/* Special fields of the program's struct @id, NULL when it has none. */
static const struct skep_btf_record *object_record(struct env *env, const struct skep_btf *btf,
						   u32 id)
{
	struct vf_object *o = env->objects;

	while (o && (o->btf != btf || o->id != id))
		o = o->next;
	if (!o) {
		o = skep_zalloc(sizeof(*o));
		if (!o) {
			env->internal_error = true;
			return NULL;
		}
		o->btf = btf;
		o->id = id;
		o->any = !skep_btf_is_kernel(btf) && skep_btf_is_object(btf, id) &&
			 !skep_btf_parse_fields(btf, id, skep_btf_type(btf, id)->size,
						SKEP_FIELDS_OF_OBJECT, &o->rec) &&
			 o->rec.nr;
		o->next = env->objects;
		env->objects = o;
	}
	return o->any ? &o->rec : NULL;
}

void vf_free_objects(struct env *env)
{
	while (env->objects) {
		struct vf_object *o = env->objects;

		env->objects = o->next;
		skep_free(o);
	}
}

const struct skep_btf_record *vf_record(struct env *env, const struct reg *r)
{
	if (r->kind == RK_MAP_VALUE)
		return r->map->record;
	if (r->kind == RK_BTF && r->flags & RF_ALLOC)
		return object_record(env, r->btf, r->btf_id);
	return NULL;
}

bool vf_may_spin_lock(struct env *env, const struct reg *r)
{
	const struct skep_btf_record *rec = vf_record(env, r);

	return rec && rec->mask & (1u << SKEP_FIELD_SPIN_LOCK | 1u << SKEP_FIELD_RES_SPIN_LOCK);
}

const void *vf_lock_owner(const struct reg *r)
{
	return r->kind == RK_MAP_VALUE ? (const void *)r->map : r->btf;
}

/* --- allocation --- */

int vf_new_object(struct env *env, u64 type, bool percpu, struct reg *r0)
{
	const struct skep_btf *btf = env->req->prog_btf;
	const struct btf_type *t;
	u32 id = (u32)type;

	if (type != id) {
		vf_say(env, "local type ID argument must be in range [0, U32_MAX]\n");
		return -EINVAL;
	}
	if (!btf) {
		vf_say(env, "bpf_obj_new/bpf_percpu_obj_new requires prog BTF\n");
		return -EINVAL;
	}
	t = skep_btf_type(btf, id);
	if (!t || skep_btf_kind(t) != BTF_KIND_STRUCT) {
		vf_say(env,
		       "bpf_obj_new/bpf_percpu_obj_new type ID argument must be of a struct\n");
		return -EINVAL;
	}
	if (percpu && t->size > PERCPU_OBJECT_MAX) {
		vf_say(env, "bpf_percpu_obj_new type size (%u) is greater than %d\n", t->size,
		       PERCPU_OBJECT_MAX);
		return -EINVAL;
	}
	/* Its own fields are told of before what is no number. */
	if (percpu && !vf_is_scalar_struct(btf, t, 0) && !object_record(env, btf, id)) {
		vf_say(env, "bpf_percpu_obj_new type ID argument must be of a struct of scalars\n");
		return -EINVAL;
	}
	if (percpu && object_record(env, btf, id)) {
		vf_say(env, "bpf_percpu_obj_new type ID argument must not contain special "
			    "fields\n");
		return -EINVAL;
	}
	reg_set_btf(r0, btf, id, RF_ALLOC | (percpu ? RF_PERCPU : 0u));
	return 0;
}

int vf_check_object_arg(struct env *env, u32 regno, bool drop, bool percpu_drop)
{
	const struct reg *r = &vf_regs(env)[regno];

	if (r->kind == RK_BTF && r->flags == RF_ALLOC) {
		if (!drop) {
			vf_say(env, "arg#%u expected for bpf_obj_drop_impl()\n", regno - 1);
			return -EINVAL;
		}
	} else if (r->kind == RK_BTF && r->flags == (RF_ALLOC | RF_PERCPU)) {
		if (!percpu_drop) {
			vf_say(env, "arg#%u expected for bpf_percpu_obj_drop_impl()\n", regno - 1);
			return -EINVAL;
		}
	} else {
		vf_say(env, "arg#%u expected pointer to allocated object\n", regno - 1);
		return -EINVAL;
	}
	if (!r->ref_id) {
		vf_say(env, "allocated object must be referenced\n");
		return -EINVAL;
	}
	return 0;
}

int vf_check_counted_arg(struct env *env, u32 regno, bool *ret_owned)
{
	const struct reg *r = &vf_regs(env)[regno];
	const struct skep_btf_record *rec;

	if (r->kind != RK_BTF || !(r->flags & RF_ALLOC)) {
		vf_say(env, "arg#%u is neither owning or non-owning ref\n", regno - 1);
		return -EINVAL;
	}
	*ret_owned = !(r->flags & RF_NON_OWN);
	rec = vf_record(env, r);
	if (!rec) {
		vf_say(env, "verifier bug: Couldn't find btf_record\n");
		return -EFAULT;
	}
	if (!(rec->mask & 1u << SKEP_FIELD_REFCOUNT)) {
		vf_say(env, "arg#%u doesn't point to a type with bpf_refcount field\n", regno - 1);
		return -EINVAL;
	}
	return 0;
}

/* --- owners --- */

static void set_non_owning(struct env *env, struct reg *r)
{
	const struct skep_btf_record *rec = vf_record(env, r);

	r->flags |= RF_NON_OWN;
	/* Counted objects live on for a grace period. */
	if (rec && rec->mask & 1u << SKEP_FIELD_REFCOUNT)
		r->flags |= RF_RCU;
}

int vf_give_away(struct env *env, u32 ref_id)
{
	struct frame *f;
	struct reg *r;

	if (!vf_drop_ref_entry(env->cur, ref_id))
		return -EFAULT;
	vf_for_each_reg(env->cur, f, r)
	{
		if (r->ref_id == ref_id) {
			r->ref_id = 0;
			set_non_owning(env, r);
		}
	}
	return 0;
}

void vf_forget_non_owning(struct env *env)
{
	struct frame *f;
	struct reg *r;

	vf_for_each_reg(env->cur, f, r)
	{
		if (r->kind == RK_BTF && r->flags & RF_NON_OWN)
			reg_set_unknown(r);
	}
}

static const struct skep_btf_field *field_at(const struct skep_btf_record *rec, s64 off,
					     enum skep_field_kind kind)
{
	for (u32 i = 0; rec && i < rec->nr; i++)
		if (rec->fields[i].kind == kind && rec->fields[i].off == off)
			return &rec->fields[i];
	return NULL;
}

static int const_place(struct env *env, u32 regno, const char *what, s64 *ret_off)
{
	const struct reg *r = &vf_regs(env)[regno];

	if (!scalar_is_const(&r->v)) {
		vf_say(env,
		       "R%u doesn't have constant offset. %s has to be at the constant offset\n",
		       regno, what);
		return -EINVAL;
	}
	*ret_off = (s64)(u32)(r->off + (s64)r->v.tn.value);
	return 0;
}

int vf_check_root(struct env *env, u32 regno, enum skep_field_kind kind,
		  const struct skep_btf_field **ret_root)
{
	const u32 locks = 1u << REF_LOCK | 1u << REF_RES_LOCK | 1u << REF_RES_LOCK_IRQ;
	const struct reg *r = &vf_regs(env)[regno];
	const struct skep_btf_record *rec = vf_record(env, r);
	const char *what = skep_btf_field_name(kind);
	const struct skep_btf_field *lock;
	s64 off;
	int err;

	if (r->kind != RK_MAP_VALUE && !(r->kind == RK_BTF && r->flags == RF_ALLOC)) {
		vf_say(env, "arg#%u expected pointer to map value or allocated object\n",
		       regno - 1);
		return -EINVAL;
	}
	if (r->kind == RK_BTF && !r->ref_id) {
		vf_say(env, "allocated object must be referenced\n");
		return -EINVAL;
	}
	err = const_place(env, regno, what, &off);
	if (err)
		return err;
	*ret_root = field_at(rec, off, kind);
	if (!*ret_root) {
		vf_say(env, "%s not found at offset=%u\n", what, (u32)off);
		return -EINVAL;
	}
	if (!env->cur->active_locks || !vf_holds_lock(env->cur, locks, r->id, vf_lock_owner(r))) {
		if (env->cur->active_locks)
			vf_log(env, "held lock and object are not in the same allocation\n");
		lock = skep_btf_record_find(rec, SKEP_FIELD_SPIN_LOCK);
		vf_say(env, "bpf_spin_lock at off=%d must be held for %s\n",
		       lock ? (int)lock->off : -EINVAL, what);
		return -EINVAL;
	}
	return 0;
}

int vf_check_node(struct env *env, u32 regno, enum skep_field_kind kind,
		  const struct skep_btf_field *root)
{
	const struct reg *r = &vf_regs(env)[regno];
	const char *what = skep_btf_field_name(kind);
	const char *holder;
	s64 off;
	int err = const_place(env, regno, what, &off);

	if (err)
		return err;
	if (!field_at(vf_record(env, r), off, kind)) {
		vf_say(env, "%s not found at offset=%u\n", what, (u32)off);
		return -EINVAL;
	}
	holder = vf_type_name(root->btf, root->type_id);
	if (!vf_btf_match(env, r->btf, r->btf_id, 0, root->btf, root->type_id, true)) {
		vf_say(env,
		       "operation on %s expects arg#1 %s at offset=%u in struct %s, but arg is at "
		       "offset=%u in struct %s\n",
		       skep_btf_field_name(root->kind), what, root->node_off, holder, (u32)off,
		       vf_type_name(r->btf, r->btf_id));
		return -EINVAL;
	}
	if (off != root->node_off) {
		vf_say(env, "arg#1 offset=%u, but expected %s at offset=%u in struct %s\n",
		       (u32)off, what, root->node_off, holder);
		return -EINVAL;
	}
	return 0;
}

int vf_check_owned_node(struct env *env, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];

	if (r->kind != RK_BTF || r->flags != RF_ALLOC) {
		vf_say(env, "arg#%u expected pointer to allocated object\n", regno - 1);
		return -EINVAL;
	}
	if (!r->ref_id) {
		vf_say(env, "allocated object must be referenced\n");
		return -EINVAL;
	}
	return 0;
}

void vf_set_node(struct env *env, const struct skep_btf_field *root, bool owned, struct reg *r)
{
	reg_set_btf(r, root->btf, root->type_id, RF_ALLOC);
	r->off = (s32)root->node_off;
	if (!owned)
		set_non_owning(env, r);
}

/* --- the order of a tree --- */

bool vf_in_less(const struct env *env)
{
	const struct frame *f = vf_frame(env);

	return f->in_callback && vf_kfunc_calls_back(env, f->callsite);
}

static int set_less_args(struct env *env, struct frame *caller, struct frame *callee, u32 idx)
{
	const struct reg *r1 = &caller->regs[1];
	const struct skep_btf_field *root =
		field_at(vf_record(env, r1), r1->off + (s64)r1->v.tn.value, SKEP_FIELD_RB_ROOT);

	(void)idx;
	if (!root)
		return -EFAULT;
	/* fn(a, b): nodes of the tree, or the one that is being added */
	vf_set_node(env, root, false, &callee->regs[1]);
	vf_set_node(env, root, false, &callee->regs[2]);
	for (u32 i = 3; i <= 5; i++)
		reg_set_not_init(&callee->regs[i]);
	callee->in_callback = true;
	callee->cb_ret_min = 0;
	callee->cb_ret_max = 1;
	return 0;
}

int vf_call_less(struct env *env, u32 subprog)
{
	return vf_push_callback(env, env->insn_idx, subprog, set_less_args);
}
