/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of kernel functions: typed by BTF, ruled by flags and by suffixes of parameter names.
 */
#include "verifier/env.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

struct kcall {
	const struct skep_kfunc_row *row;
	const struct skep_btf *btf;
	const char *name;
	const struct btf_type *proto;
	u32 btf_id;
	u32 ref_id, release_regno;
	u64 constant;
	bool has_constant;
	struct vf_dynptr dynptr; /* the initialised one */
	struct vf_iter iter;
	const struct skep_btf_field *root; /* of the list or tree it works on */
	bool owned;			   /* the counted object passed is the program's */
	struct reg counted;
	s32 callback;
	struct skep_map_facts *map; /* that work or a callback belongs to */
	u32 map_uid;
};

static struct skep_kfunc_ref *find_ref(const struct env *env, const struct bpf_insn *insn)
{
	for (u32 i = 0; i < env->nr_kfuncs; i++)
		if (env->kfuncs[i].btf_id == (u32)insn->imm && env->kfuncs[i].fd_off == insn->off)
			return &env->kfuncs[i];
	return NULL;
}

int vf_kfunc_resolve(struct env *env, u32 idx)
{
	const struct bpf_insn *in = &env->insns[idx];
	const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);
	const struct btf_type *t;
	struct skep_kfunc_ref *p;
	int fd, err;

	if (!btf) {
		vf_say(env,
		       "calling kernel function is not supported without CONFIG_DEBUG_INFO_BTF\n");
		return -SKEP_ENOTSUPP;
	}
	if (!env->req->gpl) {
		vf_say(env, "cannot call kernel function from non-GPL compatible program\n");
		return -EINVAL;
	}
	/* An unresolved weak reference: fine as long as it is never reached. */
	if (!in->imm && !in->off)
		return 0;
	if (find_ref(env, in))
		return 0;
	if (in->off) {
		if (in->off < 0) {
			vf_say(env, "negative offset disallowed for kernel module function call\n");
			vf_say(env, "failed to find BTF for kernel function\n");
			return -EINVAL;
		}
		err = env->host->fd_array ? env->host->fd_array(env->host->priv, (u32)in->off, &fd)
					  : -EPROTO;
		if (err) {
			vf_say(env, "kfunc offset > 0 without fd_array is invalid\n");
			vf_say(env, "failed to find BTF for kernel function\n");
			return err;
		}
		err = env->host->btf_by_fd(env->host->priv, fd, &btf);
		if (err) {
			vf_say(env, "invalid module BTF fd specified\n");
			vf_say(env, "failed to find BTF for kernel function\n");
			return err;
		}
	}
	t = skep_btf_type(btf, (u32)in->imm);
	if (!t || skep_btf_kind(t) != BTF_KIND_FUNC) {
		vf_say(env, "kernel btf_id %u is not a function\n", (u32)in->imm);
		return -EINVAL;
	}
	if (!strncmp(skep_btf_name(btf, t), "bpf_xdp_metadata_rx_", 20)) {
		vf_say(env, "metadata kfuncs require device-bound program\n");
		return -EINVAL;
	}
	if (env->nr_kfuncs >= 256) {
		vf_say(env, "too many different kernel function calls\n");
		return -E2BIG;
	}
	p = skep_realloc(env->kfuncs, (env->nr_kfuncs + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	env->kfuncs = p;
	env->kfuncs[env->nr_kfuncs++] =
		(struct skep_kfunc_ref){.row = skep_kfunc_row(skep_btf_name(btf, t)),
					.btf = btf,
					.btf_id = (u32)in->imm,
					.fd_off = in->off};
	return 0;
}

bool vf_kfunc_is_iter_next(const struct env *env, u32 idx)
{
	const struct skep_kfunc_ref *r = find_ref(env, &env->insns[idx]);

	return r && r->row && r->row->flags & SKEP_KF_ITER_NEXT;
}

static const char *kfunc_name(const struct env *env, u32 idx)
{
	const struct skep_kfunc_ref *r = find_ref(env, &env->insns[idx]);

	return env->insns[idx].src_reg == BPF_PSEUDO_KFUNC_CALL && r && r->row ? r->row->name : "";
}

bool vf_kfunc_calls_back(const struct env *env, u32 idx)
{
	return !strcmp(kfunc_name(env, idx), "bpf_rbtree_add_impl");
}

bool vf_kfunc_calls_later(const struct env *env, u32 idx)
{
	const char *name = kfunc_name(env, idx);

	return !strcmp(name, "bpf_wq_set_callback_impl") ||
	       !strncmp(name, "bpf_task_work_schedule_", 23);
}

bool vf_kfunc_throws(const struct env *env, u32 idx)
{
	return !strcmp(kfunc_name(env, idx), "bpf_throw");
}

u32 vf_kfunc_nr_args(const struct env *env, const struct bpf_insn *in)
{
	const struct skep_kfunc_ref *r = find_ref(env, in);

	if (!r || !r->row || !(r->row->contexts >> env->ctx_id & 1))
		return 5;
	return skep_btf_vlen(skep_btf_type(r->btf, skep_btf_type(r->btf, r->btf_id)->type));
}

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n >= m && !strcmp(name + n - m, suffix);
}

static bool is_scalar_type(const struct btf_type *t)
{
	u32 k = skep_btf_kind(t);

	return k == BTF_KIND_INT || k == BTF_KIND_ENUM || k == BTF_KIND_ENUM64;
}

bool vf_is_scalar_struct(const struct skep_btf *btf, const struct btf_type *t, u32 depth)
{
	const struct btf_member *m = skep_btf_members(t);

	if (!skep_btf_is_struct(t) || depth >= 4)
		return false;
	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		const struct btf_type *mt = skep_btf_skip_mods(btf, m[i].type, NULL);

		if (skep_btf_is_struct(mt)) {
			if (!vf_is_scalar_struct(btf, mt, depth + 1))
				return false;
			continue;
		}
		if (skep_btf_kind(mt) == BTF_KIND_ARRAY) {
			if (!skep_btf_array(mt)->nelems)
				return false;
			mt = skep_btf_skip_mods(btf, skep_btf_array(mt)->type, NULL);
		}
		if (!is_scalar_type(mt))
			return false;
	}
	return true;
}

/* --- arguments --- */

static int iter_arg(struct env *env, struct kcall *k, u32 regno, const struct btf_type *ref,
		    u32 ref_type_id)
{
	int err;

	k->iter.row = k->row;
	k->iter.btf = k->btf;
	k->iter.btf_id = ref_type_id;
	k->iter.nr_slots = (u32)(ref->size + 7) / 8;
	if (k->row->flags & SKEP_KF_ITER_NEW)
		return vf_iter_new(env, &k->iter, regno);
	if (k->row->flags & SKEP_KF_ITER_DESTROY)
		return vf_iter_destroy(env, &k->iter, regno);
	err = vf_iter_find(env, &k->iter, regno);
	k->ref_id = k->iter.ref_id; /* the element goes with its iterator */
	return err;
}

static bool is_ctx_type(struct env *env, const struct kcall *k, const struct btf_type *ref)
{
	const char *n = skep_btf_name(k->btf, ref), *c = env->ptype->ctx_name;

	return *n && c && !strcmp(n, c);
}

/* Which kernel struct a socket register stands for. */
static bool as_btf(struct env *env, const struct reg *r, const struct skep_btf **ret_btf,
		   u32 *ret_id)
{
	const char *name = r->kind == RK_SOCKET	       ? "sock"
			   : r->kind == RK_SOCK_COMMON ? "sock_common"
			   : r->kind == RK_TCP_SOCK    ? "tcp_sock"
			   : r->kind == RK_MAP_PTR     ? "bpf_map"
						       : NULL;

	if (r->kind == RK_BTF) {
		*ret_btf = r->btf;
		*ret_id = r->btf_id;
		return true;
	}
	if (!name)
		return false;
	*ret_btf = env->host->kernel_btf(env->host->priv);
	*ret_id = skep_btf_find(*ret_btf, name, BTF_KIND_STRUCT);
	return *ret_id != 0;
}

/* One is what the other will be when it is complete ("nf_conn___init"): not to be mixed up. */
static bool init_alias(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	if (n < m)
		return init_alias(b, a);
	return n > m && !strncmp(a, b, m) && !strcmp(a + m, "___init");
}

static int btf_arg(struct env *env, struct kcall *k, u32 regno, const struct btf_type *ref,
		   u32 ref_type_id)
{
	struct reg *r = &vf_regs(env)[regno];
	bool release = k->row->flags & SKEP_KF_RELEASE, strict;
	const struct skep_btf *btf;
	char name[64];
	u32 id;

	if (!as_btf(env, r, &btf, &id) ||
	    (r->kind == RK_BTF && r->flags & ~(RF_TRUSTED | RF_RCU | RF_ALLOC))) {
		vf_say(env, "arg#%u is %s expected %s or socket\n", regno - 1, vf_reg_name(r, name),
		       "ptr_");
		return -EINVAL;
	}
	strict = (release && r->ref_id) ||
		 init_alias(vf_type_name(btf, id), vf_type_name(k->btf, ref_type_id));
	if (!vf_btf_match(env, btf, id, (u32)r->off, k->btf, ref_type_id, strict)) {
		const struct btf_type *t = skep_btf_type(btf, id);

		vf_say(env,
		       "kernel function %s args#%u expected pointer to %s %s but R%u has a pointer "
		       "to %s %s\n",
		       k->name, regno - 1, vf_btf_kind_str(ref), skep_btf_name(k->btf, ref), regno,
		       vf_btf_kind_str(t), skep_btf_name(btf, t));
		return -EINVAL;
	}
	return 0;
}

static int mem_arg(struct env *env, struct kcall *k, u32 regno, const struct btf_type *ref,
		   u32 ref_type_id, const struct btf_param *next, const char *pname)
{
	struct reg *r = &vf_regs(env)[regno];
	const char *nname = next ? skep_btf_str(k->btf, next->name_off) : "";
	/* A size that is no number makes no pair. */
	bool sized = (ends(nname, "__sz") || ends(nname, "__szk")) &&
		     vf_regs(env)[regno + 1].kind == RK_SCALAR;
	struct reg saved;
	s64 size;
	int err;

	if (!(is_scalar_type(ref) || vf_is_scalar_struct(k->btf, ref, 0) ||
	      (sized && !ref_type_id))) {
		vf_say(env,
		       "arg#%u pointer type %s %s must point to %sscalar, or struct with scalar\n",
		       regno - 1, vf_btf_kind_str(ref), skep_btf_name(k->btf, ref),
		       sized ? "void, " : "");
		return -EINVAL;
	}
	if (r->kind == RK_NOT_INIT) {
		err = vf_check_no_off(env, r, regno, true);
		return err ? err : -EACCES;
	}
	if (sized) {
		if (reg_is_null(r) && ends(pname, "__opt"))
			return 0;
		err = vf_check_mem_size(env, regno, regno + 1, MEM_READ, true, true);
		if (!err)
			err = vf_check_mem_size(env, regno, regno + 1, MEM_WRITE, true, true);
		if (err)
			vf_say(env,
			       "arg#%u arg#%u memory, len pair leads to invalid memory access\n",
			       regno - 1, regno);
		return err;
	}
	size = skep_btf_size(k->btf, ref_type_id);
	if (size < 0) {
		vf_say(env, "arg#%u reference type('%s %s') size cannot be determined: %d\n",
		       regno - 1, vf_btf_kind_str(ref), skep_btf_name(k->btf, ref), (int)size);
		return -EINVAL;
	}
	if (reg_is_null(r))
		return 0;
	saved = *r;
	r->flags &= (u16)~RF_MAYBE_NULL;
	err = vf_check_helper_mem(env, regno, (u32)size, MEM_READ, true, true);
	if (!err)
		err = vf_check_helper_mem(env, regno, (u32)size, MEM_WRITE, true, true);
	if (saved.flags & RF_MAYBE_NULL)
		*r = saved;
	return err;
}

static int dynptr_arg(struct env *env, struct kcall *k, u32 regno, bool uninit)
{
	u32 kind = VF_DYN_ANY, mode = uninit ? VF_DYN_UNINIT : 0, ref = 0;

	if (vf_regs(env)[regno].kind == RK_DYNPTR)
		mode |= VF_DYN_RDONLY;
	if (uninit && !strcmp(k->name, "bpf_dynptr_from_skb")) {
		kind = VF_DYN_SKB;
	} else if (uninit && !strcmp(k->name, "bpf_dynptr_from_skb_meta")) {
		kind = VF_DYN_SKB_META;
	} else if (uninit && !strcmp(k->name, "bpf_dynptr_from_xdp")) {
		kind = VF_DYN_XDP;
	} else if (uninit && !strcmp(k->name, "bpf_dynptr_clone")) {
		kind = k->dynptr.kind;
		ref = k->dynptr.ref_id;
	} else if (uninit) {
		vf_say(env, "skep: kernel function %s is not supported yet\n", k->name);
		return -EINVAL;
	}
	return vf_check_dynptr(env, regno, kind, mode, ref, &k->dynptr);
}

static bool is_graph_arg(const char *type)
{
	return !strcmp(type, "bpf_list_head") || !strcmp(type, "bpf_list_node") ||
	       !strcmp(type, "bpf_rb_root") || !strcmp(type, "bpf_rb_node");
}

/* Trusted, as what is passed for kernel objects must be, or at least RCU protected. */
static int check_trust(struct env *env, const struct kcall *k, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];

	if (reg_is_trusted(r))
		return 0;
	if (!(k->row->flags & SKEP_KF_RCU)) {
		vf_say(env, "R%u must be referenced or trusted\n", regno);
		return -EINVAL;
	}
	if (!reg_is_rcu(r)) {
		vf_say(env, "R%u must be a rcu pointer\n", regno);
		return -EINVAL;
	}
	return 0;
}

static int release_off(struct env *env, const struct kcall *k, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];

	if (!(k->row->flags & SKEP_KF_RELEASE) || !r->ref_id || !r->off)
		return 0;
	vf_say(env,
	       "R%u must have zero offset when passed to release func or trusted arg to kfunc\n",
	       regno);
	return -EINVAL;
}

/* Allocated objects, and the heads and nodes of collections. */
static int object_arg(struct env *env, struct kcall *k, u32 regno, const char *pname,
		      const char *type)
{
	const struct reg *r = &vf_regs(env)[regno];
	bool list = !strncmp(type, "bpf_list_", 9);
	int err;

	if (ends(pname, "__alloc")) {
		err = check_trust(env, k, regno);
		if (!err)
			err = release_off(env, k, regno);
		return err ? err
			   : vf_check_object_arg(env, regno, !strcmp(k->name, "bpf_obj_drop_impl"),
						 !strcmp(k->name, "bpf_percpu_obj_drop_impl"));
	}
	if (ends(pname, "__refcounted_kptr")) {
		k->counted = *r;
		return vf_check_counted_arg(env, regno, &k->owned);
	}
	if (!strcmp(type, "bpf_list_head") || !strcmp(type, "bpf_rb_root"))
		return vf_check_root(env, regno, list ? SKEP_FIELD_LIST_HEAD : SKEP_FIELD_RB_ROOT,
				     &k->root);
	if (list || !strcmp(k->name, "bpf_rbtree_add_impl")) {
		err = vf_check_owned_node(env, regno);
		if (err)
			return err;
	} else {
		if (!(r->kind == RK_BTF && r->flags & RF_NON_OWN) && !r->ref_id) {
			vf_say(env,
			       "%s can only take non-owning or refcounted bpf_rb_node pointer\n",
			       k->name);
			return -EINVAL;
		}
		if (vf_in_less(env)) {
			vf_say(env, "%s not allowed in rbtree cb\n", k->name);
			return -EINVAL;
		}
	}
	return vf_check_node(env, regno, list ? SKEP_FIELD_LIST_NODE : SKEP_FIELD_RB_NODE, k->root);
}

/* A map that goes with the work of an earlier argument, or a map as such. */
static int map_arg(struct env *env, struct kcall *k, u32 regno)
{
	const struct reg *r = &vf_regs(env)[regno];

	if (r->kind != RK_MAP_PTR && r->kind != RK_MAP_VALUE && r->kind != RK_MAP_KEY) {
		vf_say(env, "pointer in R%u isn't map pointer\n", regno);
		return -EINVAL;
	}
	if (k->map && (k->map != r->map || k->map_uid != r->map_uid)) {
		/* Told by what the other map could hold. */
		if (r->map->record && r->map->record->mask & 1u << SKEP_FIELD_WQ)
			vf_say(env,
			       "workqueue pointer in R1 map_uid=%u doesn't match map pointer in R2 "
			       "map_uid=%u\n",
			       k->map_uid, r->map_uid);
		else
			vf_say(env,
			       "bpf_task_work pointer in R2 map_uid=%u doesn't match map pointer "
			       "in R3 map_uid=%u\n",
			       k->map_uid, r->map_uid);
		return -EINVAL;
	}
	k->map = r->map;
	k->map_uid = r->map_uid;
	return check_trust(env, k, regno);
}

static int work_arg(struct env *env, struct kcall *k, u32 regno, enum skep_field_kind kind)
{
	const struct reg *r = &vf_regs(env)[regno];

	if (r->kind != RK_MAP_VALUE) {
		vf_say(env, "arg#%u doesn't point to a map value\n", regno - 1);
		return -EINVAL;
	}
	k->map = r->map;
	k->map_uid = r->map_uid;
	return vf_check_field(env, regno, kind);
}

static int ptr_arg(struct env *env, struct kcall *k, u32 i, const struct btf_param *p, u32 nr)
{
	const char *pname = skep_btf_str(k->btf, p->name_off);
	u32 regno = i + 1, rid, flags = k->row->flags;
	struct reg *r = &vf_regs(env)[regno];
	const struct btf_type *t = skep_btf_skip_mods(k->btf, p->type, NULL), *ref;
	bool nullable = ends(pname, "__nullable") || ends(pname, "__opt");
	const char *rname;
	char name[64];

	ref = skep_btf_skip_mods(k->btf, t->type, &rid);
	rname = skep_btf_name(k->btf, ref);
	if ((reg_is_null(r) || (reg_is_ptr(r) && r->flags & RF_MAYBE_NULL)) && !nullable) {
		vf_say(env, "Possibly NULL pointer passed to trusted arg%u\n", i);
		return -EACCES;
	}
	if (r->ref_id) {
		if (flags & SKEP_KF_RELEASE && k->ref_id) {
			vf_say(env, "more than one arg with ref_obj_id R%u %u %u\n", regno,
			       r->ref_id, k->ref_id);
			return -EFAULT;
		}
		k->ref_id = r->ref_id;
		if (flags & SKEP_KF_RELEASE)
			k->release_regno = regno;
	}
	if (!strcmp(k->name, "bpf_cast_to_kern_ctx") || is_ctx_type(env, k, ref)) {
		if (r->kind != RK_CTX) {
			vf_say(env, "arg#%u expected pointer to ctx, but got %s\n", i,
			       vf_reg_name(r, name));
			return -EINVAL;
		}
		return vf_check_no_off(env, r, regno, false);
	}
	if (nullable && reg_is_null(r))
		return 0;
	if (!strncmp(rname, "bpf_iter_", 9) &&
	    flags & (SKEP_KF_ITER_NEW | SKEP_KF_ITER_NEXT | SKEP_KF_ITER_DESTROY) && !i)
		return iter_arg(env, k, regno, ref, rid);
	if (ends(pname, "__irq_flag"))
		return vf_irq_flag(env, regno, !strncmp(k->name, "bpf_res_", 8),
				   ends(k->name, "save"));
	if (!strcmp(rname, "bpf_res_spin_lock")) {
		if (r->kind != RK_MAP_VALUE && !(r->kind == RK_BTF && r->flags & RF_ALLOC)) {
			vf_say(env, "arg#%u doesn't point to map value or allocated object\n", i);
			return -EINVAL;
		}
		return vf_spin_lock(env, regno,
				    strstr(k->name, "_irq") ? REF_RES_LOCK_IRQ : REF_RES_LOCK,
				    !strstr(k->name, "unlock"));
	}
	if (!strcmp(rname, "bpf_dynptr"))
		return dynptr_arg(env, k, regno, ends(pname, "__uninit"));
	if (is_graph_arg(rname) || ends(pname, "__alloc") || ends(pname, "__refcounted_kptr"))
		return object_arg(env, k, regno, pname, rname);
	if (ends(pname, "__map"))
		return map_arg(env, k, regno);
	if (!strcmp(rname, "bpf_wq") || !strcmp(rname, "bpf_task_work"))
		return work_arg(env, k, regno,
				!strcmp(rname, "bpf_wq") ? SKEP_FIELD_WQ : SKEP_FIELD_TASK_WORK);
	if (ends(pname, "__str")) {
		const char *s;
		u32 len;

		if (r->kind != RK_MAP_VALUE) {
			vf_say(env, "arg#%u doesn't point to a const string\n", i);
			return -EINVAL;
		}
		return vf_check_const_str(env, regno, &s, &len);
	}
	if (r->kind == RK_BTF || r->kind == RK_SOCKET || r->kind == RK_SOCK_COMMON ||
	    r->kind == RK_TCP_SOCK || r->kind == RK_MAP_PTR) {
		int err;

		if (!skep_btf_is_struct(ref)) {
			vf_say(env,
			       "kernel function %s args#%u pointer type %s %s is not supported\n",
			       k->name, i, vf_btf_kind_str(ref), rname);
			return -EINVAL;
		}
		/* Walked pointers of no known standing are good for no kernel function. */
		err = check_trust(env, k, regno);
		if (!err)
			err = release_off(env, k, regno);
		if (!err)
			err = vf_check_no_off(env, r, regno, r->kind == RK_BTF);
		return err ? err : btf_arg(env, k, regno, ref, rid);
	}
	if (skep_btf_kind(ref) == BTF_KIND_FUNC_PROTO) {
		if (r->kind != RK_FUNC) {
			vf_say(env, "arg%u expected pointer to func\n", i);
			return -EINVAL;
		}
		k->callback = (s32)r->subprog;
		return 0;
	}
	return mem_arg(env, k, regno, ref, rid, i + 1 < nr ? p + 1 : NULL, pname);
}

static int check_args(struct env *env, struct kcall *k)
{
	const struct btf_param *p = skep_btf_params(k->proto);
	u32 nr = skep_btf_vlen(k->proto);

	if (nr > 5) {
		vf_say(env, "Function %s has %u > %d args\n", k->name, nr, 5);
		return -EINVAL;
	}
	for (u32 i = 0; i < nr; i++) {
		const char *pname = skep_btf_str(k->btf, p[i].name_off);
		const struct btf_type *t = skep_btf_skip_mods(k->btf, p[i].type, NULL);
		struct reg *r = &vf_regs(env)[i + 1];
		int err;

		/* Unused, or filled in when the call is bound. */
		if (ends(pname, "__ign") || ends(pname, "__prog"))
			continue;
		/* What holds nothing fits no type: each kind of argument says so itself. */
		if (is_scalar_type(t)) {
			if (r->kind != RK_SCALAR) {
				vf_say(env, "R%u is not a scalar\n", i + 1);
				return -EINVAL;
			}
			if (ends(pname, "__k") || ends(pname, "__szk") ||
			    !strcmp(pname, "rdonly_buf_size") || !strcmp(pname, "rdwr_buf_size")) {
				if (!scalar_is_const(&r->v)) {
					vf_say(env, "R%u must be a known constant\n", i + 1);
					return -EINVAL;
				}
				err = vf_mark_precise(env, i + 1);
				if (err)
					return err;
				k->constant = r->v.tn.value;
				k->has_constant = true;
			}
			continue;
		}
		if (skep_btf_kind(t) != BTF_KIND_PTR) {
			vf_say(env, "Unrecognized arg#%u type %s\n", i, vf_btf_kind_str(t));
			return -EINVAL;
		}
		err = ptr_arg(env, k, i, &p[i], nr);
		if (err)
			return err;
	}
	if (k->row->flags & SKEP_KF_RELEASE && !k->release_regno) {
		vf_say(env, "release kernel function %s expects refcounted PTR_TO_BTF_ID\n",
		       k->name);
		return -EINVAL;
	}
	return 0;
}

/* --- effects and result --- */

static int regions(struct env *env, const struct kcall *k)
{
	struct state *st = env->cur;
	bool sleeps = k->row->flags & SKEP_KF_SLEEPABLE;
	bool lock = !strcmp(k->name, "bpf_rcu_read_lock");
	bool unlock = !strcmp(k->name, "bpf_rcu_read_unlock");
	bool pdis = !strcmp(k->name, "bpf_preempt_disable");
	bool pen = !strcmp(k->name, "bpf_preempt_enable");
	struct frame *f;
	struct reg *r;

	if ((lock || unlock) && vf_in_less(env)) {
		vf_say(env, "Calling bpf_rcu_read_{lock,unlock} in unnecessary rbtree callback\n");
		return -EACCES;
	}
	if (st->rcu_depth) {
		if (lock) {
			vf_say(env, "nested rcu read lock (kernel function %s)\n", k->name);
			return -EINVAL;
		}
		if (unlock) {
			vf_for_each_reg(st, f, r)
			{
				if (reg_is_ptr(r) && r->flags & RF_RCU) {
					r->flags &= (u16) ~(RF_RCU | RF_MAYBE_NULL);
					r->flags |= RF_UNTRUSTED;
				}
			}
			/* Iterators that need the section lose it. */
			for (u32 fi = 0; fi <= st->curframe; fi++)
				for (u32 i = 0; i < st->frame[fi]->nr_slots; i++) {
					struct slot *s = &st->frame[fi]->slots[i];

					if (s->type[7] == SK_ITER && s->spill.flags & RF_RCU) {
						s->spill.flags &= (u16)~RF_RCU;
						s->spill.flags |= RF_UNTRUSTED;
					}
				}
			st->rcu_depth = 0;
		} else if (sleeps) {
			vf_say(env, "kernel func %s is sleepable within rcu_read_lock region\n",
			       k->name);
			return -EACCES;
		}
	} else if (lock) {
		st->rcu_depth = 1;
	} else if (unlock) {
		vf_say(env, "unmatched rcu read unlock (kernel function %s)\n", k->name);
		return -EINVAL;
	}
	if (pdis) {
		st->preempt_depth++;
	} else if (pen) {
		if (!st->preempt_depth) {
			vf_say(env, "unmatched attempt to enable preemption (kernel function %s)\n",
			       k->name);
			return -EINVAL;
		}
		st->preempt_depth--;
	} else if (st->active_irq_id && sleeps) {
		vf_say(env, "kernel func %s is sleepable within IRQ-disabled region\n", k->name);
		return -EACCES;
	} else if (st->preempt_depth && sleeps) {
		vf_say(env, "kernel func %s is sleepable within non-preemptible region\n", k->name);
		return -EACCES;
	}
	return 0;
}

/* The kernel's own struct behind a context, from the pairs that its BTF lists; 0 with a reason. */
static u32 kern_ctx(struct env *env, const struct skep_btf *btf)
{
	u32 id = skep_btf_find(btf, "bpf_ctx_convert", BTF_KIND_STRUCT);
	const struct btf_type *t = id ? skep_btf_type(btf, id) : NULL;
	char name[64];
	int n = snprintf(name, sizeof(name), "BPF_PROG_TYPE_%s_kern", env->ptype->name);

	for (int i = 14; i < n - 5; i++)
		name[i] = (char)toupper((unsigned char)name[i]);
	for (u32 i = 0; t && i < skep_btf_vlen(t); i++) {
		const struct btf_member *m = skep_btf_members(t) + i;

		if (strcmp(skep_btf_str(btf, m->name_off), name))
			continue;
		if (skep_btf_is_struct(skep_btf_type(btf, m->type)))
			return m->type;
		vf_say(env, "kern ctx type id %u is not a struct\n", m->type);
		return 0;
	}
	vf_say(env, "btf_vmlinux is malformed\n");
	return 0;
}

static bool is_new(const char *name)
{
	return !strcmp(name, "bpf_obj_new_impl") || !strcmp(name, "bpf_percpu_obj_new_impl");
}

static bool is_acquire_object(const char *name)
{
	return !strcmp(name, "bpf_refcount_acquire_impl");
}

static bool takes_node(const char *name)
{
	return !strncmp(name, "bpf_list_push_", 14) || !strcmp(name, "bpf_rbtree_add_impl");
}

static int special_ptr(struct env *env, const struct kcall *k, struct reg *r0, bool *ret_done)
{
	const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);

	*ret_done = true;
	if (is_new(k->name))
		return vf_new_object(env, k->constant, !strcmp(k->name, "bpf_percpu_obj_new_impl"),
				     r0);
	if (is_acquire_object(k->name)) {
		reg_set_btf(r0, k->counted.btf, k->counted.btf_id, RF_ALLOC);
		return 0;
	}
	if (!strcmp(k->name, "bpf_cast_to_kern_ctx")) {
		u32 id = kern_ctx(env, btf);

		if (!id)
			return -EINVAL;
		reg_set_btf(r0, btf, id, RF_TRUSTED);
		return 0;
	}
	if (!strcmp(k->name, "bpf_dynptr_slice") || !strcmp(k->name, "bpf_dynptr_slice_rdwr")) {
		bool writes = !strcmp(k->name, "bpf_dynptr_slice_rdwr");
		bool pkt = k->dynptr.kind >= VF_DYN_SKB;

		if (writes && !(env->ptype->flags & SKEP_PT_PKT_WRITE)) {
			vf_say(env, "the prog does not allow writes to packet data\n");
			return -EINVAL;
		}
		if (writes)
			env->seen_direct_write = true;
		reg_set_ptr(r0, RK_MEM,
			    RF_MAYBE_NULL | (writes ? 0u : RF_RDONLY) | (pkt ? RF_PKT_SLICE : 0u));
		r0->mem_size = (u32)k->constant;
		/* Linux lets it live on when the dynptr is made anew; what runs here does not. */
		r0->map_uid = vf_will_run(env) ? k->dynptr.id : 0;
		r0->id = ++env->id_gen;
		return 0;
	}
	if (!strcmp(k->name, "bpf_rdonly_cast")) {
		u32 id = (u32)k->constant;
		const struct btf_type *t =
			k->constant <= UINT32_MAX ? skep_btf_type(btf, id) : NULL;

		if (!t) {
			vf_say(env, "Unknown type ID %lld passed to kfunc bpf_rdonly_cast\n",
			       (long long)k->constant);
			return -EINVAL;
		}
		if (skep_btf_kind(t) == BTF_KIND_STRUCT || skep_btf_kind(t) == BTF_KIND_UNION) {
			reg_set_btf(r0, btf, id, RF_UNTRUSTED);
		} else if (!id) {
			reg_set_ptr(r0, RK_MEM, RF_RDONLY | RF_UNTRUSTED);
		} else {
			vf_say(env, "kfunc bpf_rdonly_cast type ID argument must be of a struct or "
				    "void\n");
			return -EINVAL;
		}
		return 0;
	}
	*ret_done = false;
	return 0;
}

static int set_result(struct env *env, const struct kcall *k)
{
	const struct btf_type *t = skep_btf_skip_mods(k->btf, k->proto->type, NULL), *pt;
	struct reg *r0 = &vf_regs(env)[0];
	u32 flags = k->row->flags, id;
	bool done;
	int err;

	if (!k->proto->type)
		return 0;
	if (is_scalar_type(t)) {
		if (flags & SKEP_KF_ACQUIRE) {
			vf_say(env, "acquire kernel function does not return PTR_TO_BTF_ID\n");
			return -EINVAL;
		}
		reg_set_unknown(r0);
		r0->subreg_def = t->size < 8 ? env->insn_idx + 1 : 0;
		return 0;
	}
	if (skep_btf_kind(t) != BTF_KIND_PTR) {
		vf_say(env, "skep: result of kernel function %s is not supported yet\n", k->name);
		return -EINVAL;
	}
	err = special_ptr(env, k, r0, &done);
	if (err)
		return err;
	pt = skep_btf_skip_mods(k->btf, t->type, &id);
	if (done) {
		if (!(flags & SKEP_KF_ACQUIRE))
			return 0;
		/* What the caller owns one of there is another of. */
		if (is_acquire_object(k->name) && k->owned)
			flags &= ~(u32)SKEP_KF_RET_NULL;
	} else if (k->root && is_graph_arg(skep_btf_name(k->btf, pt))) {
		vf_set_node(env, k->root, flags & SKEP_KF_ACQUIRE, r0);
	} else if (!id) {
		reg_set_unknown(r0); /* a pointer to nothing in particular is a number */
	} else if (!skep_btf_is_struct(pt)) {
		s64 size = skep_btf_size(k->btf, id);

		if (size <= 0) {
			vf_say(env,
			       "kernel function %s returns pointer type %s %s is not supported\n",
			       k->name, vf_btf_kind_str(pt), skep_btf_name(k->btf, pt));
			return -EINVAL;
		}
		reg_set_ptr(r0, RK_MEM, RF_RDONLY);
		r0->mem_size = (u32)size;
		r0->ref_id = k->ref_id;
		if (flags & SKEP_KF_RCU_PROTECTED)
			r0->flags |= RF_RCU;
	} else {
		reg_set_btf(r0, k->btf, id, 0);
		if (!strcmp(k->name, "bpf_get_kmem_cache"))
			r0->flags |= RF_UNTRUSTED;
		else if (flags & SKEP_KF_RCU_PROTECTED)
			r0->flags |= RF_RCU;
		if (k->iter.ref_id)
			r0->flags |= k->iter.rcu ? RF_RCU : RF_TRUSTED;
	}
	if (flags & SKEP_KF_RET_NULL) {
		r0->flags |= RF_MAYBE_NULL;
		r0->id = ++env->id_gen;
	}
	if (flags & SKEP_KF_ACQUIRE) {
		int ref = vf_acquire_ref(env, env->insn_idx);

		if (ref < 0)
			return ref;
		r0->ref_id = (u32)ref;
		if (flags & SKEP_KF_RET_NULL)
			r0->id = (u32)ref;
	}
	if (!r0->id && vf_may_spin_lock(env, r0))
		r0->id = ++env->id_gen;
	return 0;
}

static int check_special(struct env *env, const struct kcall *k)
{
	if (!strcmp(k->name, "__bpf_trap")) {
		vf_say(env, "unexpected __bpf_trap() due to uninitialized variable?\n");
		return -EFAULT;
	}
	return 0;
}

static bool is_res_lock(const struct kcall *k)
{
	return !strcmp(k->name, "bpf_res_spin_lock") ||
	       !strcmp(k->name, "bpf_res_spin_lock_irqsave");
}

int vf_call_kfunc(struct env *env, const struct bpf_insn *insn)
{
	const struct skep_kfunc_ref *ref = find_ref(env, insn);
	struct kcall k = {.callback = -1};
	const struct btf_type *f;
	int err;

	if (!ref) {
		/* Reached although it stands for nothing. */
		vf_say(env, "invalid kernel function call not eliminated in verifier pass\n");
		return -EINVAL;
	}
	f = skep_btf_type(ref->btf, ref->btf_id);
	k.row = ref->row;
	k.btf = ref->btf;
	k.btf_id = ref->btf_id;
	k.name = skep_btf_name(ref->btf, f);
	k.proto = skep_btf_type(ref->btf, f->type);
	if (!k.row || !(k.row->contexts >> env->ctx_id & 1)) {
		vf_say(env, "calling kernel function %s is not allowed\n", k.name);
		return -EACCES;
	}
	if (!k.row->implemented && !env->host->verdict_only) {
		vf_say(env, "skep: kernel function %s is not implemented yet\n", k.name);
		return -EINVAL;
	}
	if (k.row->flags & SKEP_KF_SLEEPABLE && !env->cur->in_sleepable) {
		vf_say(env, "program must be sleepable to call sleepable kfunc %s\n", k.name);
		return -EACCES;
	}
	err = check_special(env, &k);
	if (err)
		return err;
	if (is_res_lock(&k)) {
		/* It may fail, and then nothing is held. */
		struct state *failed = vf_push_branch(env, env->insn_idx + 1, env->insn_idx);
		struct reg *regs;

		if (!failed)
			return -ENOMEM;
		regs = failed->frame[failed->curframe]->regs;
		for (u32 i = 0; i <= 5; i++) {
			regs[i].subreg_def = 0;
			reg_set_not_init(&regs[i]);
		}
		reg_set_unknown(&regs[0]);
		regs[0].v.s32min = -SKEP_MAX_ERRNO;
		regs[0].v.s32max = -1;
		regs[0].v.smin = -SKEP_MAX_ERRNO;
		regs[0].v.smax = -1;
		scalar_sync(&regs[0].v);
		regs[0].subreg_def = env->insn_idx + 1;
	}
	err = check_args(env, &k);
	if (err)
		return err;
	if (k.row->flags & SKEP_KF_RCU_PROTECTED && !vf_in_rcu(env)) {
		vf_say(env, "kernel func %s requires RCU critical section protection\n", k.name);
		return -EACCES;
	}
	err = vf_note_call(env, env->insn_idx, NULL, k.callback);
	if (!err && vf_kfunc_calls_back(env, env->insn_idx))
		err = vf_call_less(env, (u32)k.callback);
	if (!err && vf_kfunc_calls_later(env, env->insn_idx))
		err = vf_call_work(env, (u32)k.callback, !strncmp(k.name, "bpf_wq_", 7));
	if (!err)
		err = regions(env, &k);
	if (err)
		return err;
	if (k.release_regno) {
		err = vf_release_ref(env, vf_regs(env)[k.release_regno].ref_id);
		if (err) {
			vf_say(env, "kfunc %s#%u reference has not been acquired before\n", k.name,
			       k.btf_id);
			return err;
		}
	}
	/* With nothing to catch it, what is thrown is what the program returns. */
	if (vf_kfunc_throws(env, env->insn_idx) && !env->exception_cb) {
		err = vf_check_return(env, 1);
		if (err)
			return err;
	}
	if (takes_node(k.name)) {
		err = vf_give_away(env, vf_regs(env)[2].ref_id);
		if (err) {
			vf_say(env, "kfunc %s#%u reference has not been acquired before\n", k.name,
			       k.btf_id);
			return err;
		}
	}
	vf_clobber_caller_regs(env);
	err = set_result(env, &k);
	if (!err && is_res_lock(&k)) {
		reg_set_const(&vf_regs(env)[0], 0);
		vf_regs(env)[0].subreg_def = env->insn_idx + 1;
	}
	if (!err && k.row->flags & SKEP_KF_ITER_NEXT)
		err = vf_iter_step(env, &k.iter);
	return err;
}
