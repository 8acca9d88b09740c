/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The context: by field table, as an array of words, as typed arguments, or as plain memory.
 */
#include "verifier/env.h"

#include <stdio.h>
#include <string.h>

#include "spec/tp_null.h"

struct ctx_value {
	u8 kind;
	u16 flags;
	const struct skep_btf *btf;
	u32 btf_id;
};

/* May @size bytes at @off be accessed, as far as field @f says? */
static bool field_allows(const struct skep_ctx_field *f, const struct skep_ctx_field *end, u32 off,
			 u32 size, enum access_kind kind)
{
	bool write = kind == ACCESS_WRITE;

	if (off < f->off || off >= (u32)f->off + f->size ||
	    !(f->flags & (write ? SKEP_FIELD_W : SKEP_FIELD_R)))
		return false;
	if (f->flags & SKEP_FIELD_WIDE) {
		while (f + 1 < end && f[1].flags & SKEP_FIELD_WIDE && f[1].off == f->off + f->size)
			f++;
		return off + size <= (u32)f->off + f->size;
	}
	if (off == f->off && (size == f->size || (f->flags & SKEP_FIELD_PAIR && size == 8)))
		return true;
	/* Writes and pointers only whole. */
	if (write || f->value != SKEP_FV_SCALAR || off + size > (u32)f->off + f->size)
		return false;
	if (f->flags & SKEP_FIELD_START)
		return off == f->off;
	return f->flags & SKEP_FIELD_NARROW || (f->flags & SKEP_FIELD_HALF && size == 2);
}

static const struct skep_ctx_field *find_field(const struct skep_ctx_field *fields, u32 nr,
					       u32 attach, u32 off, u32 size, enum access_kind kind)
{
	for (const struct skep_ctx_field *f = fields; f < fields + nr; f++)
		if ((!f->attach || f->attach >> attach & 1) &&
		    field_allows(f, fields + nr, off, size, kind))
			return f;
	return NULL;
}

static bool table_access(struct env *env, s32 off, u32 size, enum access_kind kind,
			 struct ctx_value *ret)
{
	static const struct {
		u8 kind;
		u16 flags;
	} of_value[] = {
		[SKEP_FV_SCALAR] = {RK_SCALAR, 0},
		[SKEP_FV_PKT] = {RK_PKT, 0},
		[SKEP_FV_PKT_META] = {RK_PKT_META, 0},
		[SKEP_FV_PKT_END] = {RK_PKT_END, 0},
		[SKEP_FV_SOCK_COMMON_OR_NULL] = {RK_SOCK_COMMON, RF_MAYBE_NULL},
		[SKEP_FV_SOCKET] = {RK_SOCKET, 0},
		[SKEP_FV_SOCKET_OR_NULL] = {RK_SOCKET, RF_MAYBE_NULL},
		[SKEP_FV_FLOW_KEYS] = {RK_FLOW_KEYS, 0},
		[SKEP_FV_BTF] = {RK_BTF, RF_TRUSTED},
	};
	const struct skep_prog_type_row *row = env->ptype;
	u32 attach = SKEP_MIN(env->req->attach_type, 63u);
	const struct skep_ctx_field *f;

	/* Left to its default, a socket's program is for its creation. */
	if (row->type == BPF_PROG_TYPE_CGROUP_SOCK && !attach)
		attach = BPF_CGROUP_INET_SOCK_CREATE;
	if (off < 0 || (u32)off + size > row->ctx_size || off % (s32)size)
		return false;
	f = find_field(row->fields, row->nr_fields, attach, (u32)off, size, kind);
	if (!f)
		return false;
	ret->kind = of_value[f->value].kind;
	ret->flags = of_value[f->value].flags;
	if (f->value == SKEP_FV_BTF) {
		ret->btf = env->host->kernel_btf(env->host->priv);
		ret->btf_id = ret->btf ? skep_btf_find(ret->btf, f->btf, BTF_KIND_STRUCT) : 0;
		return ret->btf_id != 0;
	}
	return true;
}

int vf_check_sock(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		  int value_regno)
{
	const struct reg *r = &vf_regs(env)[regno];
	u32 n, which = r->kind == RK_SOCKET	   ? SKEP_SOCK_FULL
		       : r->kind == RK_SOCK_COMMON ? SKEP_SOCK_COMMON
		       : r->kind == RK_TCP_SOCK	   ? SKEP_SOCK_TCP
						   : SKEP_SOCK_XDP;
	const struct skep_ctx_field *fields = skep_sock_fields(which, &n);
	char name[64];

	off += r->off;
	if (kind == ACCESS_WRITE) {
		vf_say(env, "R%u cannot write into %s\n", regno, vf_reg_name(r, name));
		return -EACCES;
	}
	if (r->v.smin < 0)
		return vf_say_negative(env, regno);
	if (off < 0 || off % (s32)size || !find_field(fields, n, 0, (u32)off, size, kind)) {
		vf_say(env, "R%u invalid %s access off=%d size=%u\n", regno, vf_reg_name(r, name),
		       off, size);
		return -EACCES;
	}
	if (!env->host->verdict_only) {
		vf_say(env, "skep: fields of %s are not implemented yet\n", vf_reg_name(r, name));
		return -EINVAL;
	}
	if (value_regno >= 0)
		reg_set_unknown(&vf_regs(env)[value_regno]);
	return 0;
}

int vf_check_flow_keys(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		       int value_regno)
{
	if (off < 0 || (u64)off + size > sizeof(struct bpf_flow_keys)) {
		vf_say(env, "invalid access to flow keys off=%d size=%u\n", off, size);
		return -EACCES;
	}
	if (kind == ACCESS_READ && value_regno >= 0)
		reg_set_unknown(&vf_regs(env)[value_regno]);
	return 0;
}

int vf_check_buf(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind)
{
	const struct reg *r = &vf_regs(env)[regno];
	const char *what = r->kind == RK_TP_BUFFER ? "tracepoint"
			   : r->flags & RF_RDONLY  ? "rdonly"
						   : "rdwr";
	char name[64];

	if (kind == ACCESS_WRITE && r->flags & RF_RDONLY) {
		vf_say(env, "R%u cannot write into %s\n", regno, vf_reg_name(r, name));
		return -EACCES;
	}
	if (off < 0) {
		vf_say(env, "R%u invalid %s buffer access: off=%d, size=%u\n", regno, what, off,
		       size);
		return -EACCES;
	}
	if (!scalar_is_const(&r->v) || r->v.tn.value) {
		vf_say(env,
		       "R%u invalid variable buffer offset: off=%d, var_off=(0x%llx; 0x%llx)\n",
		       regno, off, (unsigned long long)r->v.tn.value,
		       (unsigned long long)r->v.tn.mask);
		return -EACCES;
	}
	if (r->kind == RK_TP_BUFFER)
		env->max_tp_access = SKEP_MAX(env->max_tp_access, (u32)off + size);
	return 0;
}

static bool small_int(const struct btf_type *t)
{
	u32 enc;

	if (skep_btf_kind(t) != BTF_KIND_INT)
		return false;
	enc = skep_btf_int_enc(t);
	return !BTF_INT_OFFSET(enc) && BTF_INT_BITS(enc) == t->size * 8 &&
	       (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8 || t->size == 16) &&
	       t->size <= 8;
}

/*
 * The parameter that the context word at @off belongs to, counted as the prototype does (a
 * tracepoint's hidden first one included): nr for the result, nr + 1 beyond.
 */
static u32 param_at(const struct skep_btf *btf, const struct btf_type *proto, u32 off)
{
	const struct btf_param *p = skep_btf_params(proto);
	u32 nr = skep_btf_vlen(proto), end = 0;

	for (u32 i = 0; i < nr; i++) {
		const struct btf_type *t =
			p[i].type ? skep_btf_skip_mods(btf, p[i].type, NULL) : NULL;
		u32 size = !t || skep_btf_kind(t) == BTF_KIND_PTR ? 8 : t->size;

		end += (size + 7) & ~7u;
		if (off < end)
			return i;
	}
	return off < end + 8 ? nr : nr + 1;
}

/* Callers of these programs hold what they pass. */
static bool args_trusted(const struct env *env)
{
	return env->attach_tp || env->attach_ops || vf_is_iter_prog(env) ||
	       env->req->prog_type == BPF_PROG_TYPE_LSM;
}

/* An iterator's objects are NULL in its last call; only some targets hold theirs. */
static void iter_arg(const char *target, u32 arg, struct ctx_value *ret)
{
	static const char *const held[] = {"bpf_map", "cgroup", "kmem_cache", "task", "tcp", "udp"};

	/* The map whose elements are visited is there all the time. */
	if (!strcmp(target, "bpf_map_elem") && arg == 1)
		return;
	ret->flags = RF_MAYBE_NULL;
	for (u32 i = 0; i < ARRAY_SIZE(held); i++)
		if (!strcmp(target, held[i]))
			ret->flags |= RF_TRUSTED;
}

/* Does a table of functions say of an argument that it may be NULL? In its name in a stub. */
static bool ops_arg(struct env *env, u32 arg, struct ctx_value *ret)
{
	const struct btf_type *t;
	char stub[192];
	const char *name;
	u32 id;

	/* Sockets here are TCP's. */
	if (!strcmp(env->attach_ops, "tcp_congestion_ops") &&
	    !strcmp(vf_type_name(ret->btf, ret->btf_id), "sock"))
		ret->btf_id = skep_btf_find(ret->btf, "tcp_sock", BTF_KIND_STRUCT);
	snprintf(stub, sizeof(stub), "%s__%s", env->attach_ops, env->attach_name);
	id = skep_btf_find(ret->btf, stub, BTF_KIND_FUNC);
	if (!id)
		return false;
	t = skep_btf_type(ret->btf, skep_btf_type(ret->btf, id)->type);
	if (arg >= skep_btf_vlen(t))
		return false;
	name = skep_btf_str(ret->btf, skep_btf_params(t)[arg].name_off);
	if (strlen(name) <= 10 || strcmp(name + strlen(name) - 10, "__nullable"))
		return false;
	ret->flags |= RF_MAYBE_NULL;
	return true;
}

/* Typed argument at @off; false with a message. */
static bool btf_arg(struct env *env, s32 off, u32 size, struct ctx_value *ret)
{
	const struct skep_btf *btf =
		env->attach_ops ? env->host->kernel_btf(env->host->priv) : env->req->attach_btf;
	const struct btf_type *proto = env->attach_proto, *t;
	const struct btf_param *p = NULL;
	u32 arg, id, tid;
	bool tp = env->attach_tp;
	char *tname = (char *)env->attach_name;
	const char *pname;

	if (off % 8) {
		vf_say(env, "func '%s' offset %d is not multiple of 8\n", tname, off);
		return false;
	}
	arg = param_at(btf, proto, (u32)off);
	if (arg > env->attach_nr_args || (arg == env->attach_nr_args && !env->attach_fexit)) {
		vf_say(env, "func '%s' doesn't have %u-th argument\n", tname, arg + 1);
		return false;
	}
	if (arg == env->attach_nr_args) {
		id = proto->type;
	} else {
		p = &skep_btf_params(proto)[arg + tp];
		id = p->type;
	}
	t = skep_btf_skip_mods(btf, id, &tid);
	if (!tid && arg == env->attach_nr_args)
		return true; /* a void function's result: nothing meaningful, a number */
	if (small_int(t) || skep_btf_kind(t) == BTF_KIND_ENUM ||
	    skep_btf_kind(t) == BTF_KIND_ENUM64 || skep_btf_is_struct(t))
		return true;
	if (skep_btf_kind(t) != BTF_KIND_PTR) {
		vf_say(env, "func '%s' arg%u '%s' has type %u. Only pointer access is allowed\n",
		       tname, arg, skep_btf_name(btf, t), skep_btf_kind(t));
		return false;
	}
	if (size != 8) {
		vf_say(env, "func '%s' size %u must be 8\n", tname, size);
		return false;
	}
	t = skep_btf_skip_mods(btf, t->type, &tid);
	if (!tid && vf_is_iter_prog(env)) {
		/* Keys and values of a map's elements: bytes, to be found out how many. */
		ret->kind = RK_BUF;
		ret->flags = RF_MAYBE_NULL;
		if (!strcmp(skep_btf_str(btf, p->name_off), "key"))
			ret->flags |= RF_RDONLY;
		return true;
	}
	if (!tid || skep_btf_kind(t) == BTF_KIND_INT || skep_btf_kind(t) == BTF_KIND_FUNC_PROTO)
		goto maybe_proto;
	if (!skep_btf_is_struct(t)) {
		vf_say(env, "func '%s' arg%u type %s is not a struct\n", tname, arg,
		       skep_btf_kind(t) == BTF_KIND_PTR	    ? "PTR"
		       : skep_btf_kind(t) == BTF_KIND_ENUM  ? "ENUM"
		       : skep_btf_kind(t) == BTF_KIND_FWD   ? "FWD"
		       : skep_btf_kind(t) == BTF_KIND_ARRAY ? "ARRAY"
							    : "UNKNOWN");
		return false;
	}
	ret->kind = RK_BTF;
	ret->flags = args_trusted(env) ? RF_TRUSTED : 0;
	ret->btf = btf;
	ret->btf_id = tid;
	if (env->attach_ops && ops_arg(env, arg, ret))
		return true;
	if (vf_is_iter_prog(env) && arg)
		iter_arg(tname + 9, arg, ret);
	pname = p ? skep_btf_str(btf, p->name_off) : "";
	if (strlen(pname) > 10 && !strcmp(pname + strlen(pname) - 10, "__nullable"))
		ret->flags |= RF_MAYBE_NULL;
	if (tp) {
		switch (skep_tp_arg_null(tname, arg)) {
		case SKEP_TP_ARG_NULLABLE:
			ret->flags |= RF_MAYBE_NULL;
			break;
		case SKEP_TP_ARG_ERR:
			vf_log(env, "marking pointer arg%u as scalar as it may encode error\n",
			       arg);
			*ret = (struct ctx_value){.kind = RK_SCALAR};
			return true;
		default:
			/* Modules' tracepoints are not in the list: anything may be NULL. */
			if (skep_btf_is_module(btf))
				ret->flags |= RF_MAYBE_NULL;
			break;
		}
	}
	if (vf_logging(env))
		vf_log(env, "func '%s' arg%u has btf_id %u type %s '%s'\n", tname, arg, tid,
		       skep_btf_kind(t) == BTF_KIND_UNION ? "UNION" : "STRUCT",
		       skep_btf_name(btf, t));
	return true;
maybe_proto:
	if (tid && skep_btf_kind(t) == BTF_KIND_FUNC_PROTO) {
		vf_say(env, "func '%s' arg%u type FUNC_PROTO is not a struct\n", tname, arg);
		return false;
	}
	return true;
}

static bool ctx_access(struct env *env, s32 off, u32 size, enum access_kind kind,
		       struct ctx_value *ret)
{
	switch (env->ptype->access) {
	case SKEP_CTX_TABLE:
		return table_access(env, off, size, kind, ret);
	case SKEP_CTX_ARGS:
		/* A tracepoint's record starts with what is the kernel's own. */
		if (env->req->prog_type == BPF_PROG_TYPE_TRACEPOINT && off >= 0 && off < 8)
			return false;
		/* The kernel lets a tracepoint read before its record; nothing here would. */
		if (env->req->prog_type == BPF_PROG_TYPE_TRACEPOINT && off < 0)
			return env->host->verdict_only && kind == ACCESS_READ && !(off % (s32)size);
		if (env->req->prog_type == BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE && !off) {
			ret->kind = RK_TP_BUFFER;
			return size == 8 && kind == ACCESS_READ;
		}
		return off >= 0 && (u32)off + size <= env->ptype->ctx_size && kind == ACCESS_READ &&
		       !(off % (s32)size);
	case SKEP_CTX_BTF_ARGS:
		if (off < 0 || off >= 8 * 12 || kind != ACCESS_READ || off % (s32)size)
			return false;
		return btf_arg(env, off, size, ret);
	case SKEP_CTX_FLAT:
		return off >= 0 && off < UINT16_MAX && !(off % (s32)size);
	default:
		return false;
	}
}

int vf_check_ctx(struct env *env, u32 insn_idx, u32 regno, s32 off, u32 size, enum access_kind kind,
		 int value_regno, bool sext)
{
	struct ctx_value v = {.kind = RK_SCALAR};
	struct reg *regs = vf_regs(env), *dst;
	int err = vf_check_no_off(env, &regs[regno], regno, false);

	(void)insn_idx;
	if (err)
		return err;
	off += regs[regno].off;
	if (!ctx_access(env, off, size, kind, &v) || (sext && v.kind != RK_SCALAR)) {
		vf_say(env, "invalid bpf_context access off=%d size=%u\n", off, size);
		return -EACCES;
	}
	env->max_ctx_off = SKEP_MAX(env->max_ctx_off, (u32)off + size);
	if (kind != ACCESS_READ || value_regno < 0)
		return 0;
	dst = &regs[value_regno];
	if (v.kind == RK_SCALAR) {
		reg_set_unknown(dst);
		return 0;
	}
	if (v.kind == RK_BTF)
		reg_set_btf(dst, v.btf, v.btf_id, v.flags);
	else
		reg_set_ptr(dst, v.kind, v.flags);
	dst->subreg_def = 0;
	if (v.flags & RF_MAYBE_NULL)
		dst->id = ++env->id_gen;
	return 0;
}
