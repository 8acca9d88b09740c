/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extensions: programs that take the place of a function of another, loaded program.
 *
 * Which function it is must be known (global, called as its type says), and the two types must be
 * the same. From then on the extension is verified as a global function of a program of the
 * target's type: with that type's context, helpers and results.
 */
#include "verifier/env.h"

#include <string.h>

/* What the target program says of the function to be replaced. */
static int check_target(struct env *env, const char *name)
{
	const struct skep_verify_target *tgt = env->req->target;
	const struct skep_subprog *s = NULL;
	const char *why = NULL;

	for (u32 i = 0; i < tgt->nr_subprogs && !s; i++)
		if (tgt->subprogs[i].func_type_id == env->req->attach_btf_id)
			s = &tgt->subprogs[i];
	if (!s) {
		vf_say(env, "Subprog %s doesn't exist\n", name);
		return -EINVAL;
	}
	if (s->is_exception_cb)
		why = "Extension programs cannot attach to exception callback";
	else if (s->unreliable)
		why = "Cannot replace static functions";
	else if (env->subs[0].changes_pkt && !s->changes_pkt)
		why = "Extension program changes packet data, while original does not";
	else if (env->subs[0].might_sleep && !s->might_sleep)
		why = "Extension program may sleep, while original does not";
	else if (tgt->prog_type == BPF_PROG_TYPE_EXT)
		why = "Cannot recursively attach";
	else if (tgt->prog_type == BPF_PROG_TYPE_TRACING &&
		 (tgt->attach_type == BPF_TRACE_FENTRY || tgt->attach_type == BPF_TRACE_FEXIT))
		why = "Cannot extend fentry/fexit";
	if (!why)
		return 0;
	vf_say(env, "%s\n", why);
	return -EINVAL;
}

static bool is_number(const struct btf_type *t)
{
	u32 kind = skep_btf_kind(t);

	return kind == BTF_KIND_INT || kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
}

static bool has_size(const struct btf_type *t)
{
	u32 kind = skep_btf_kind(t);

	return is_number(t) || skep_btf_is_struct(t) || kind == BTF_KIND_FLOAT ||
	       kind == BTF_KIND_DATASEC;
}

struct func {
	const struct skep_btf *btf;
	const struct btf_type *proto;
	const char *name;
};

static int same_arg(struct env *env, const struct func *a, const struct func *b, u32 i)
{
	const struct btf_type *t =
		skep_btf_skip_mods(a->btf, skep_btf_params(a->proto)[i].type, NULL);
	const struct btf_type *u =
		skep_btf_skip_mods(b->btf, skep_btf_params(b->proto)[i].type, NULL);
	const char *s1, *s2;

	if (t->info != u->info) {
		vf_say(env, "arg%u in %s() is %s while %s() has %s\n", i, a->name,
		       vf_btf_kind_str(t), b->name, vf_btf_kind_str(u));
		return -EINVAL;
	}
	if (has_size(t) && t->size != u->size) {
		vf_say(env, "arg%u in %s() has size %u while %s() has %u\n", i, a->name, t->size,
		       b->name, u->size);
		return -EINVAL;
	}
	if (is_number(t))
		return 0;
	if (skep_btf_kind(t) != BTF_KIND_PTR) {
		vf_say(env, "arg%u in %s() has unrecognized type\n", i, a->name);
		return -EINVAL;
	}
	t = skep_btf_skip_mods(a->btf, t->type, NULL);
	u = skep_btf_skip_mods(b->btf, u->type, NULL);
	if (!skep_btf_is_struct(t) || !skep_btf_is_struct(u)) {
		vf_say(env, "arg%u in %s() is not a pointer to context\n", i,
		       skep_btf_is_struct(t) ? b->name : a->name);
		return -EINVAL;
	}
	s1 = skep_btf_name(a->btf, t);
	s2 = skep_btf_name(b->btf, u);
	if (strcmp(s1, s2)) {
		vf_say(env, "arg%u %s(struct %s *) doesn't match %s(struct %s *)\n", i, a->name, s1,
		       b->name, s2);
		return -EINVAL;
	}
	return 0;
}

/* Are the program's own type and that of the target, @t, the same, as far as it matters? */
static int same_type(struct env *env, const struct btf_type *t)
{
	struct func a = {.btf = env->req->prog_btf}, b = {.btf = env->req->attach_btf};
	const struct btf_type *own, *r1, *r2;
	int err = 0;

	if (!env->req->nr_func_info) {
		vf_say(env, "Program extension requires BTF\n");
		return -EINVAL;
	}
	own = skep_btf_type(a.btf, env->subs[0].func_type_id);
	a.name = skep_btf_name(a.btf, own);
	b.name = skep_btf_name(b.btf, t);
	if (!env->main_global || skep_btf_vlen(t) != BTF_FUNC_GLOBAL) {
		vf_say(env, "%s() is not a global function\n", env->main_global ? b.name : a.name);
		return -EINVAL;
	}
	a.proto = skep_btf_type(a.btf, own->type);
	b.proto = skep_btf_type(b.btf, t->type);
	if (skep_btf_vlen(a.proto) != skep_btf_vlen(b.proto)) {
		vf_say(env, "%s() has %u args while %s() has %u args\n", a.name,
		       skep_btf_vlen(a.proto), b.name, skep_btf_vlen(b.proto));
		return -EINVAL;
	}
	r1 = skep_btf_skip_mods(a.btf, a.proto->type, NULL);
	r2 = skep_btf_skip_mods(b.btf, b.proto->type, NULL);
	if (r1->info != r2->info) {
		vf_say(env, "Return type %s of %s() doesn't match type %s of %s()\n",
		       vf_btf_kind_str(r1), a.name, vf_btf_kind_str(r2), b.name);
		return -EINVAL;
	}
	for (u32 i = 0; !err && i < skep_btf_vlen(a.proto); i++)
		err = same_arg(env, &a, &b, i);
	return err;
}

int vf_ext_target(struct env *env)
{
	const struct btf_type *t;
	const char *name;
	int err = vf_target_type(env, &t, &name);

	if (err)
		return err;
	if (!env->req->target) {
		vf_say(env, "Cannot replace kernel functions\n");
		return -EINVAL;
	}
	err = check_target(env, name);
	if (err)
		return err;
	if (skep_btf_kind(t) != BTF_KIND_FUNC) {
		vf_say(env, "attach_btf_id %u is not a function\n", env->req->attach_btf_id);
		return -EINVAL;
	}
	err = same_type(env, t);
	if (err)
		return err;
	env->attach_proto = skep_btf_type(env->req->attach_btf, t->type);
	env->attach_nr_args = skep_btf_vlen(env->attach_proto);
	env->attach_name = name;
	env->as_target = *env->req;
	env->as_target.prog_type = env->req->target->prog_type;
	env->as_target.attach_type = env->req->target->attach_type;
	env->req = &env->as_target;
	env->ptype = skep_prog_type(env->req->prog_type);
	env->ctx_id = skep_context_of(env->req->prog_type, env->req->attach_type, env->sleepable);
	return 0;
}
