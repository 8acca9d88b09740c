/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of helpers: arguments against the table of prototypes, effects, result.
 */
#include "verifier/env.h"

#include <string.h>

/* What one call's arguments say about one another and about the result. */
struct call {
	const struct skep_helper_row *row;
	u32 id;
	struct skep_map_facts *map;
	u32 map_uid;
	u32 ref_id, release_regno;
	u32 mem_size;
	u64 size_max; /* of the last size argument */
	u32 raw_regno, raw_size;
	bool raw;
	bool key_known;
	u64 key;
	s32 callback;
	struct vf_dynptr dynptr;
	const struct skep_btf_field *kptr;
	struct reg percpu; /* the per-CPU pointer passed */
	bool release_dynptr;
};

/* --- memory for helpers and kfuncs --- */

static int check_flat_ctx(struct env *env, u32 regno, u32 size, enum access_kind kind, bool zero_ok)
{
	if (!size)
		return zero_ok ? 0 : -EACCES;
	return vf_check_mem(env, env->insn_idx, regno, (s32)size - 1, 1, kind, -1, false, false);
}

int vf_check_helper_mem(struct env *env, u32 regno, u32 size, u32 mode, bool zero_ok, bool pkt_ok)
{
	struct reg *r = &vf_regs(env)[regno];
	enum access_kind kind = mode & MEM_WRITE ? ACCESS_WRITE : ACCESS_READ;
	char name[64];
	int err;

	(void)pkt_ok;
	switch (r->kind) {
	case RK_PKT:
	case RK_PKT_META:
		if (kind == ACCESS_WRITE && !(env->ptype->flags & SKEP_PT_PKT_WRITE)) {
			vf_say(env, "cannot write into packet\n");
			return -EACCES;
		}
		if (kind == ACCESS_WRITE)
			env->seen_direct_write = true;
		return vf_check_pkt(env, regno, r->off, size, zero_ok);
	case RK_MAP_KEY:
		if (kind == ACCESS_WRITE) {
			vf_say(env, "R%u cannot write into %s\n", regno, vf_reg_name(r, name));
			return -EACCES;
		}
		return vf_check_region(env, regno, r, r->off, size, r->map->key_size, false);
	/* Whether it may be NULL was asked where that matters. */
	case RK_MAP_VALUE:
		err = vf_check_map_perm(env, regno, r->off, size, kind);
		return err ? err : vf_check_map_access(env, regno, r->off, size, zero_ok, false);
	case RK_MEM:
		if (r->flags & RF_RDONLY && kind == ACCESS_WRITE) {
			vf_say(env, "R%u cannot write into %s\n", regno, vf_reg_name(r, name));
			return -EACCES;
		}
		return vf_check_region(env, regno, r, r->off, size, r->mem_size, zero_ok);
	case RK_BUF:
		return vf_check_buf(env, regno, r->off, size, kind);
	case RK_STACK:
		return vf_check_stack_helper(env, regno, 0, size, kind, zero_ok, mode & MEM_RAW);
	case RK_BTF:
		if (r->flags & RF_MAYBE_NULL)
			break;
		return vf_check_btf(env, regno, r->off, size, ACCESS_READ, -1);
	case RK_CTX:
		/* Contexts that are what they look like are memory, byte by byte. */
		if (env->ptype->access != SKEP_CTX_TABLE ||
		    env->req->prog_type == SKEP_PROG_TYPE_NETFILTER)
			return check_flat_ctx(env, regno, size, kind, zero_ok);
		break;
	default:
		break;
	}
	if (zero_ok && !size && reg_is_null(r))
		return 0;
	vf_say(env, "R%u type=%s expected=%s\n", regno, vf_reg_name(r, name), "fp");
	return -EACCES;
}

int vf_check_mem_size(struct env *env, u32 mem_regno, u32 size_regno, u32 mode, bool zero_ok,
		      bool pkt_ok)
{
	const struct reg *r = &vf_regs(env)[size_regno];
	int err;

	if (!scalar_is_const(&r->v))
		mode &= ~(u32)MEM_RAW;
	if (r->v.smin < 0) {
		vf_say(env, "R%u min value is negative, either use unsigned or 'var &= const'\n",
		       size_regno);
		return -EACCES;
	}
	if (!r->v.umin && !zero_ok) {
		vf_say(env, "R%u invalid zero-sized read: u64=[%lld,%lld]\n", size_regno,
		       (long long)r->v.umin, (long long)r->v.umax);
		return -EACCES;
	}
	if (r->v.umax >= VF_MAX_OFF) {
		vf_say(env,
		       "R%u unbounded memory access, use 'var &= const' or 'if (var < const)'\n",
		       size_regno);
		return -EACCES;
	}
	err = vf_check_helper_mem(env, mem_regno, (u32)r->v.umax, mode, zero_ok, pkt_ok);
	return err ? err : vf_mark_precise(env, size_regno);
}

int vf_check_const_str(struct env *env, u32 regno, const char **ret_str, u32 *ret_len)
{
	const struct reg *r = &vf_regs(env)[regno];
	const struct skep_map_facts *m = r->map;
	const char *s;
	u32 off, max;
	int err;

	if (r->kind != RK_MAP_VALUE)
		return -EINVAL;
	if (!(m->flags & BPF_F_RDONLY_PROG) || !m->frozen) {
		vf_say(env, "R%u does not point to a readonly map'\n", regno);
		return -EACCES;
	}
	if (!scalar_is_const(&r->v)) {
		vf_say(env, "R%u is not a constant address'\n", regno);
		return -EACCES;
	}
	if (!m->has_direct) {
		vf_say(env, "no direct value access support for this map type\n");
		return -EACCES;
	}
	err = vf_check_map_access(env, regno, r->off, m->value_size - (u32)r->off, false, false);
	if (err)
		return err;
	off = (u32)(r->off + (s64)r->v.tn.value);
	s = env->host->map_const_str ? env->host->map_const_str(env->host->priv, m, off, &max)
				     : NULL;
	if (!s) {
		vf_say(env, "map is not map\n");
		return -EINVAL;
	}
	if (!memchr(s, 0, max)) {
		vf_say(env, "string is not zero-terminated\n");
		return -EINVAL;
	}
	*ret_str = s;
	*ret_len = (u32)strlen(s);
	return 0;
}

/* A format of the printing helpers against the number of its arguments. */
int vf_check_format(struct env *env, const char *fmt, u32 len, u32 nr_args)
{
	u32 i = 0, used = 0;

	(void)env;
	for (; i < len; i++) {
		u8 c = (u8)fmt[i];

		/* What is no ASCII stands for itself. */
		if ((c < 32 && (c < '\t' || c > '\r')) || c == 127)
			return -EINVAL;
		if (c != '%')
			continue;
		if (fmt[i + 1] == '%') {
			i++;
			continue;
		}
		if (used >= nr_args)
			return -EINVAL;
		i++;
		while (fmt[i] == '0' || fmt[i] == '+' || fmt[i] == '-' || fmt[i] == '#' ||
		       fmt[i] == ' ')
			i++;
		while (fmt[i] >= '0' && fmt[i] <= '9')
			i++;
		used++;
		switch (fmt[i]) {
		case 'p': {
			char n = fmt[i + 1];

			if ((n == 'k' || n == 'u') && fmt[i + 2] == 's') {
				i += 2;
			} else if (n == 'K' || n == 'x' || n == 's' || n == 'S' || n == 'B') {
				i++;
			} else if (n == 'i' || n == 'I') {
				if (fmt[i + 2] != '4' && fmt[i + 2] != '6')
					return -EINVAL;
				i += 2;
			} else if (n && n != ' ' &&
				   !strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", n) && n != '\n' &&
				   n != '\t' && n != '\r') {
				return -EINVAL;
			}
			break;
		}
		case 's':
		case 'c':
			break;
		default:
			if (fmt[i] == 'l')
				i++;
			if (fmt[i] == 'l')
				i++;
			if (!fmt[i] || !strchr("diuxX", fmt[i]))
				return -EINVAL;
			break;
		}
	}
	return 0;
}

/* --- argument types --- */

struct want {
	u8 kind;
	u16 flags;
};

static const struct want want_mem[] = {
	{RK_STACK, 0},	      {RK_PKT, 0}, {RK_PKT_META, 0},	 {RK_MAP_KEY, 0},
	{RK_MAP_VALUE, 0},    {RK_MEM, 0}, {RK_MEM, RF_RINGBUF}, {RK_BUF, 0},
	{RK_BTF, RF_TRUSTED}, {RK_CTX, 0}};
static const struct want want_scalar[] = {{RK_SCALAR, 0}};
static const struct want want_map_ptr[] = {{RK_MAP_PTR, 0}};
static const struct want want_ctx[] = {{RK_CTX, 0}};
static const struct want want_sock_common[] = {
	{RK_SOCK_COMMON, 0}, {RK_SOCKET, 0}, {RK_TCP_SOCK, 0}, {RK_XDP_SOCK, 0}};
static const struct want want_socket[] = {{RK_SOCKET, 0}};
static const struct want want_btf_sock[] = {{RK_SOCK_COMMON, 0}, {RK_SOCKET, 0},
					    {RK_TCP_SOCK, 0},	 {RK_XDP_SOCK, 0},
					    {RK_BTF, 0},	 {RK_BTF, RF_TRUSTED}};
static const struct want want_btf[] = {{RK_BTF, 0}, {RK_BTF, RF_TRUSTED}, {RK_BTF, RF_RCU}};
static const struct want want_percpu[] = {
	{RK_BTF, RF_PERCPU}, {RK_BTF, RF_PERCPU | RF_RCU}, {RK_BTF, RF_PERCPU | RF_TRUSTED}};
static const struct want want_spin[] = {{RK_MAP_VALUE, 0}, {RK_BTF, RF_ALLOC}};
static const struct want want_map_value[] = {{RK_MAP_VALUE, 0}};
static const struct want want_func[] = {{RK_FUNC, 0}};
static const struct want want_stack[] = {{RK_STACK, 0}};
static const struct want want_dynptr[] = {{RK_STACK, 0}, {RK_DYNPTR, 0}};
static const struct want want_ringbuf[] = {{RK_MEM, RF_RINGBUF}};

static const struct {
	const struct want *w;
	u32 n;
} wanted[SKEP_NR_ARG_KINDS] = {
#define W(kind, arr, cnt) [SKEP_ARG_##kind] = {arr, cnt}
	W(CONST_MAP_PTR, want_map_ptr, 1),
	W(MAP_KEY, want_mem, 9),
	W(MAP_VALUE, want_mem, 9),
	W(MEM, want_mem, 9),
	W(CONST_SIZE, want_scalar, 1),
	W(CONST_SIZE_OR_ZERO, want_scalar, 1),
	W(CONST_ALLOC_SIZE_OR_ZERO, want_scalar, 1),
	W(CTX, want_ctx, 1),
	W(SOCK_COMMON, want_sock_common, 4),
	W(SOCKET, want_socket, 1),
	W(BTF_ID_SOCK_COMMON, want_btf_sock, 6),
	W(BTF_ID, want_btf, 3),
	W(PERCPU_BTF_ID, want_percpu, 3),
	W(SPIN_LOCK, want_spin, 2),
	W(TIMER, want_map_value, 1),
	W(KPTR_XCHG_DEST, want_spin, 2),
	W(FUNC, want_func, 1),
	W(STACK, want_stack, 1),
	W(CONST_STR, want_map_value, 1),
	W(DYNPTR, want_dynptr, 2),
	W(RINGBUF_MEM, want_ringbuf, 1),
#undef W
};

static int bad_type(struct env *env, u32 regno, const struct reg *r, u32 kind)
{
	char name[64], list[256];
	u32 n = 0;

	for (u32 i = 0; i < wanted[kind].n; i++) {
		const char *s = vf_kind_name(wanted[kind].w[i].kind, wanted[kind].w[i].flags, name);

		while (*s && n < sizeof(list) - 3)
			list[n++] = *s++;
		if (i + 1 < wanted[kind].n) {
			list[n++] = ',';
			list[n++] = ' ';
		}
	}
	list[n] = 0;
	vf_say(env, "R%u type=%s expected=%s\n", regno, vf_reg_name(r, name), list);
	return -EACCES;
}

static int check_btf_arg(struct env *env, struct call *c, u32 regno, const struct reg *r, u32 arg,
			 const char *want_name)
{
	const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);
	bool release = arg & SKEP_ARG_RELEASE;
	u32 id;

	if (r->flags & RF_MAYBE_NULL && (!(arg & SKEP_ARG_MAYBE_NULL) || release)) {
		vf_say(env, "Possibly NULL pointer passed to helper arg%u\n", regno);
		return -EACCES;
	}
	if (c->kptr)
		return vf_kptr_fits(env, c->kptr, regno) ? -EACCES : 0;
	if (SKEP_ARG_KIND(arg) == SKEP_ARG_BTF_ID_SOCK_COMMON)
		want_name = "sock_common";
	if (!want_name) {
		vf_say(env, "skep: argument %u of helper bpf_%s#%u is not supported yet\n", regno,
		       c->row->name, c->id);
		return -EINVAL;
	}
	id = btf ? skep_btf_find(btf, want_name, BTF_KIND_STRUCT) : 0;
	if (!id || !vf_btf_match(env, r->btf, r->btf_id, (u32)r->off, btf, id,
				 release && c->id != BPF_FUNC_sk_release)) {
		vf_say(env, "R%u is of type %s but %s is expected\n", regno,
		       skep_btf_name(r->btf, skep_btf_type(r->btf, r->btf_id)), want_name);
		return -EACCES;
	}
	return 0;
}

static int check_type(struct env *env, struct call *c, u32 regno, const struct reg *r, u32 arg,
		      const char *want_name)
{
	u32 kind = SKEP_ARG_KIND(arg);
	u16 flags = r->flags;
	bool ok = false;
	char name[64];

	if (arg & SKEP_ARG_RDONLY)
		flags &= (u16)~RF_RDONLY;
	if (arg & SKEP_ARG_MAYBE_NULL)
		flags &= (u16)~RF_MAYBE_NULL;
	if (kind == SKEP_ARG_MEM)
		flags &= (u16)~RF_PKT_SLICE;
	if (c->kptr && flags & RF_ALLOC)
		flags &= (u16) ~(RF_ALLOC | RF_PERCPU);
	for (u32 i = 0; i < wanted[kind].n && !ok; i++)
		ok = wanted[kind].w[i].kind == r->kind && wanted[kind].w[i].flags == flags;
	/* Flat contexts are memory too. */
	if (!ok)
		return bad_type(env, regno, r, kind);
	if (c->id == BPF_FUNC_dynptr_from_mem && regno == 1 && r->kind != RK_MAP_VALUE) {
		vf_say(env, "Unsupported reg type %s for bpf_dynptr_from_mem data\n",
		       vf_reg_name(r, name));
		return -EACCES;
	}
	if (r->kind != RK_BTF)
		return 0;
	if (kind == SKEP_ARG_MEM || kind == SKEP_ARG_MAP_KEY || kind == SKEP_ARG_MAP_VALUE) {
		if (arg & SKEP_ARG_RDONLY)
			return 0;
		vf_say(env, "bpf_%s() may write into memory pointed by R%u type=%s\n", c->row->name,
		       regno, vf_reg_name(r, name));
		return -EACCES;
	}
	if (kind == SKEP_ARG_SPIN_LOCK || kind == SKEP_ARG_KPTR_XCHG_DEST ||
	    kind == SKEP_ARG_PERCPU_BTF_ID)
		return 0;
	if (kind == SKEP_ARG_CTX) {
		vf_say(env, "skep: %s as argument %u of bpf_%s is not supported yet\n",
		       vf_reg_name(r, name), regno, c->row->name);
		return -EINVAL;
	}
	return check_btf_arg(env, c, regno, r, arg, want_name);
}

static int check_off(struct env *env, const struct reg *r, u32 regno, u32 arg)
{
	if (arg & SKEP_ARG_RELEASE) {
		if (SKEP_ARG_KIND(arg) == SKEP_ARG_DYNPTR && r->kind == RK_STACK)
			return 0;
		if (r->off) {
			vf_say(env,
			       "R%u must have zero offset when passed to release func or "
			       "trusted arg to kfunc\n",
			       regno);
			return -EINVAL;
		}
		return vf_check_no_off(env, r, regno, false);
	}
	switch (r->kind) {
	case RK_STACK:
	case RK_PKT:
	case RK_PKT_META:
	case RK_MAP_KEY:
	case RK_MAP_VALUE:
	case RK_MEM:
	case RK_BUF:
	case RK_ARENA:
	case RK_SCALAR:
		return 0;
	case RK_BTF:
		return vf_check_no_off(env, r, regno, true);
	default:
		return vf_check_no_off(env, r, regno, false);
	}
}

/* What maps of sockets hold is handed over as a socket. */
static u32 arg_of(const struct call *c, u32 i)
{
	u32 arg = c->row->arg[i];

	if (SKEP_ARG_KIND(arg) == SKEP_ARG_MAP_VALUE && c->map &&
	    (c->map->type == BPF_MAP_TYPE_SOCKMAP || c->map->type == BPF_MAP_TYPE_SOCKHASH))
		return SKEP_ARG_BTF_ID_SOCK_COMMON;
	return arg;
}

static int arg_value(struct env *env, struct call *c, u32 i, u32 regno, struct reg *r)
{
	u32 arg = arg_of(c, i), mode = arg & SKEP_ARG_WRITE ? MEM_WRITE : MEM_READ;
	bool pkt = c->row->flags & SKEP_HELPER_PKT_ACCESS;
	const char *str;
	u32 len;
	int err;

	if (arg & SKEP_ARG_UNINIT)
		mode |= MEM_RAW;
	switch (SKEP_ARG_KIND(arg)) {
	case SKEP_ARG_CONST_MAP_PTR:
		/* A timer's own map, and the very one when there are several of a kind. */
		if (c->map && (c->map != r->map || c->map_uid != r->map_uid)) {
			vf_say(env,
			       "timer pointer in R1 map_uid=%u doesn't match map pointer in R2 "
			       "map_uid=%u\n",
			       c->map_uid, r->map_uid);
			return -EINVAL;
		}
		c->map = r->map;
		c->map_uid = r->map_uid;
		return 0;
	case SKEP_ARG_MAP_KEY:
		if (!c->map) {
			vf_say(env, "invalid map_ptr to access map->key\n");
			return -EFAULT;
		}
		err = vf_check_helper_mem(env, regno, c->map->key_size, MEM_READ, false, pkt);
		if (!err && (c->map->type == BPF_MAP_TYPE_ARRAY ||
			     c->map->type == BPF_MAP_TYPE_PERCPU_ARRAY))
			c->key_known = vf_stack_const_key(env, r, c->map->key_size, &c->key);
		return err;
	case SKEP_ARG_MAP_VALUE:
		if (arg & SKEP_ARG_MAYBE_NULL && reg_is_null(r))
			return 0;
		c->raw = mode & MEM_RAW && r->kind == RK_STACK && scalar_is_const(&r->v);
		err = vf_check_helper_mem(env, regno, c->map->value_size, mode, false, pkt);
		if (c->raw) {
			c->raw_regno = regno;
			c->raw_size = c->map->value_size;
		}
		return err;
	case SKEP_ARG_SPIN_LOCK:
		if (vf_in_less(env)) {
			vf_say(env, "can't spin_{lock,unlock} in rbtree cb\n");
			return -EACCES;
		}
		return vf_spin_lock(env, regno, REF_LOCK, c->id == BPF_FUNC_spin_lock);
	case SKEP_ARG_FUNC:
		c->callback = (s32)r->subprog;
		return 0;
	case SKEP_ARG_MEM:
		if (!(arg & SKEP_ARG_FIXED_SIZE))
			return 0; /* the size argument that follows checks it */
		if (mode & MEM_RAW && r->kind == RK_STACK && scalar_is_const(&r->v)) {
			c->raw_regno = regno;
			c->raw_size = c->row->arg_size[i];
		}
		err = vf_check_helper_mem(env, regno, c->row->arg_size[i], mode, false, pkt);
		if (!err && arg & SKEP_ARG_ALIGNED)
			err = vf_check_align(env, r, 0, c->row->arg_size[i], true);
		return err;
	case SKEP_ARG_CONST_SIZE:
	case SKEP_ARG_CONST_SIZE_OR_ZERO: {
		u32 marg = i ? c->row->arg[i - 1] : 0;
		const struct reg *m = &vf_regs(env)[regno - 1];

		mode = marg & SKEP_ARG_WRITE ? MEM_WRITE : MEM_READ;
		if (marg & SKEP_ARG_UNINIT)
			mode |= MEM_RAW;
		c->size_max = r->v.umax;
		if (mode & MEM_RAW && m->kind == RK_STACK && scalar_is_const(&m->v) &&
		    scalar_is_const(&r->v)) {
			c->raw_regno = regno - 1;
			c->raw_size = (u32)r->v.umax;
		}
		return vf_check_mem_size(env, regno - 1, regno, mode,
					 SKEP_ARG_KIND(arg) == SKEP_ARG_CONST_SIZE_OR_ZERO, pkt);
	}
	case SKEP_ARG_CONST_ALLOC_SIZE_OR_ZERO:
		if (!scalar_is_const(&r->v)) {
			vf_say(env, "R%u is not a known constant'\n", regno);
			return -EACCES;
		}
		c->mem_size = (u32)r->v.tn.value;
		return vf_mark_precise(env, regno);
	case SKEP_ARG_CONST_STR:
		return vf_check_const_str(env, regno, &str, &len);
	case SKEP_ARG_DYNPTR:
		return vf_check_dynptr(env, regno,
				       arg & SKEP_ARG_DYNPTR_LOCAL     ? VF_DYN_LOCAL
				       : arg & SKEP_ARG_DYNPTR_RINGBUF ? VF_DYN_RINGBUF
								       : VF_DYN_ANY,
				       (arg & SKEP_ARG_UNINIT ? VF_DYN_UNINIT : 0u) |
					       (arg & SKEP_ARG_RDONLY ? VF_DYN_RDONLY : 0u),
				       0, &c->dynptr);
	case SKEP_ARG_TIMER:
		c->map = r->map;
		c->map_uid = r->map_uid;
		return vf_check_field(env, regno, SKEP_FIELD_TIMER);
	case SKEP_ARG_KPTR_XCHG_DEST:
		return vf_kptr_slot(env, regno, &c->kptr);
	case SKEP_ARG_PERCPU_BTF_ID:
		c->percpu = *r;
		return 0;
	default:
		return 0;
	}
}

static int check_arg(struct env *env, struct call *c, u32 i)
{
	u32 arg = arg_of(c, i), regno = i + 1;
	struct reg *r = &vf_regs(env)[regno];
	int err;

	if (arg == SKEP_ARG_NONE)
		return 0;
	err = vf_check_reg(env, regno, USE_SRC);
	if (err || SKEP_ARG_KIND(arg) == SKEP_ARG_ANYTHING)
		return err;
	if ((r->kind == RK_PKT || r->kind == RK_PKT_META) &&
	    (!(env->ptype->flags & SKEP_PT_PKT_READ) ||
	     !(c->row->flags & SKEP_HELPER_PKT_ACCESS))) {
		vf_say(env, "helper access to the packet is not allowed\n");
		return -EACCES;
	}
	if (!(reg_is_null(r) && arg & SKEP_ARG_MAYBE_NULL)) {
		err = check_type(env, c, regno, r, arg, c->row->arg_btf[i]);
		if (!err)
			err = check_off(env, r, regno, arg);
		if (err)
			return err;
	}
	if (arg & SKEP_ARG_RELEASE && SKEP_ARG_KIND(arg) == SKEP_ARG_DYNPTR) {
		if (r->kind != RK_STACK) {
			vf_say(env, "cannot release unowned const bpf_dynptr\n");
			return -EINVAL;
		}
		if (!vf_dynptr_is_held(env, regno)) {
			vf_say(env, "arg %u is an unacquired reference\n", regno);
			return -EINVAL;
		}
		c->release_regno = regno;
		c->release_dynptr = true;
	} else if (arg & SKEP_ARG_RELEASE) {
		if (!r->ref_id && !reg_is_null(r)) {
			vf_say(env, "R%u must be referenced when passed to release function\n",
			       regno);
			return -EINVAL;
		}
		c->release_regno = regno;
	}
	if (r->ref_id && SKEP_ARG_KIND(arg) != SKEP_ARG_KPTR_XCHG_DEST) {
		if (c->ref_id) {
			vf_say(env, "more than one arg with ref_obj_id R%u %u %u", regno, r->ref_id,
			       c->ref_id);
			return -EACCES;
		}
		c->ref_id = r->ref_id;
	}
	return arg_value(env, c, i, regno, r);
}

/* --- result --- */

static bool acquires(u32 id, const struct skep_map_facts *m)
{
	if (id == BPF_FUNC_sk_lookup_tcp || id == BPF_FUNC_sk_lookup_udp ||
	    id == BPF_FUNC_skc_lookup_tcp || id == BPF_FUNC_ringbuf_reserve ||
	    id == BPF_FUNC_kptr_xchg)
		return true;
	return id == BPF_FUNC_map_lookup_elem && m &&
	       (m->type == BPF_MAP_TYPE_SOCKMAP || m->type == BPF_MAP_TYPE_SOCKHASH);
}

static bool casts_ptr(u32 id)
{
	return id == BPF_FUNC_tcp_sock || id == BPF_FUNC_sk_fullsock ||
	       id == BPF_FUNC_skc_to_tcp_sock || id == BPF_FUNC_skc_to_tcp6_sock ||
	       id == BPF_FUNC_skc_to_udp6_sock || id == BPF_FUNC_skc_to_mptcp_sock ||
	       id == BPF_FUNC_skc_to_tcp_timewait_sock || id == BPF_FUNC_skc_to_tcp_request_sock;
}

/* One CPU's copy of what a per-CPU pointer stands for. */
static int percpu_result(struct env *env, const struct call *c, struct reg *r0, u32 flags)
{
	const struct reg *p = &c->percpu;
	const struct btf_type *t = skep_btf_skip_mods(p->btf, p->btf_id, NULL);
	s64 size;

	if (t && skep_btf_is_struct(t)) {
		/* A program's own is there on every CPU. */
		reg_set_btf(r0, p->btf, p->btf_id,
			    p->flags & RF_RCU ? RF_ALLOC | RF_RCU : flags & ~(u32)RF_RDONLY);
	} else {
		size = skep_btf_size(p->btf, p->btf_id);
		if (size < 0) {
			vf_say(env, "unable to resolve the size of type '%s': %d\n",
			       skep_btf_name(p->btf, t), (int)size);
			return -EINVAL;
		}
		reg_set_ptr(r0, RK_MEM, flags);
		r0->mem_size = (u32)size;
	}
	r0->subreg_def = 0;
	if (r0->flags & RF_MAYBE_NULL)
		r0->id = ++env->id_gen;
	return 0;
}

static int set_result(struct env *env, struct call *c)
{
	struct reg *r0 = &vf_regs(env)[0];
	u32 ret = c->row->ret;
	u16 flags = (ret & SKEP_RET_MAYBE_NULL ? RF_MAYBE_NULL : 0) |
		    (ret & SKEP_RET_RDONLY ? RF_RDONLY : 0) |
		    (ret & SKEP_RET_RINGBUF ? RF_RINGBUF : 0) |
		    (ret & SKEP_RET_TRUSTED ? RF_TRUSTED : 0);

	switch (SKEP_RET_KIND(ret)) {
	case SKEP_RET_INTEGER:
		reg_set_unknown(r0);
		break;
	case SKEP_RET_VOID:
		reg_set_not_init(r0);
		break;
	case SKEP_RET_MAP_VALUE:
		if (!c->map) {
			vf_say(env, "kernel subsystem misconfigured verifier\n");
			return -EFAULT;
		}
		if (c->id == BPF_FUNC_map_lookup_elem && c->key_known &&
		    c->key < c->map->max_entries)
			flags &= (u16)~RF_MAYBE_NULL;
		reg_set_ptr(r0, RK_MAP_VALUE, flags);
		r0->map = c->map;
		r0->map_uid = c->map_uid;
		if (!(flags & RF_MAYBE_NULL) && vf_may_spin_lock(env, r0))
			r0->id = ++env->id_gen;
		break;
	case SKEP_RET_MEM:
		reg_set_ptr(r0, RK_MEM, flags);
		r0->mem_size = c->mem_size;
		break;
	case SKEP_RET_SOCKET:
		reg_set_ptr(r0, RK_SOCKET, flags);
		break;
	case SKEP_RET_SOCK_COMMON:
		reg_set_ptr(r0, RK_SOCK_COMMON, flags);
		break;
	case SKEP_RET_TCP_SOCK:
		reg_set_ptr(r0, RK_TCP_SOCK, flags);
		break;
	case SKEP_RET_MEM_OR_BTF_ID:
		return percpu_result(env, c, r0, flags);
	case SKEP_RET_BTF_ID: {
		if (c->kptr) {
			vf_kptr_result(env, c->kptr, r0);
			break;
		}
		const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);
		u32 id = btf && c->row->ret_btf
				 ? skep_btf_find(btf, c->row->ret_btf, BTF_KIND_STRUCT)
				 : 0;

		if (!id) {
			vf_say(env, "invalid return type %u of func bpf_%s#%u\n", ret, c->row->name,
			       c->id);
			return -EINVAL;
		}
		reg_set_btf(r0, btf, id, flags);
		break;
	}
	default:
		vf_say(env, "skep: helper bpf_%s#%u is not supported yet\n", c->row->name, c->id);
		return -EINVAL;
	}
	r0->subreg_def = 0;
	if (flags & RF_MAYBE_NULL)
		r0->id = ++env->id_gen;
	if (c->id == BPF_FUNC_dynptr_data) {
		r0->map_uid = c->dynptr.id;
		r0->ref_id = c->dynptr.ref_id;
	}
	if (casts_ptr(c->id)) {
		r0->ref_id = c->ref_id;
	} else if (acquires(c->id, c->map)) {
		int id = vf_acquire_ref(env, env->insn_idx);

		if (id < 0)
			return id;
		r0->id = r0->ref_id = (u32)id;
	}
	return 0;
}

static void refine_result(struct env *env, struct call *c)
{
	struct scalar *v = &vf_regs(env)[0].v;

	if (SKEP_RET_KIND(c->row->ret) != SKEP_RET_INTEGER)
		return;
	switch (c->id) {
	case BPF_FUNC_get_stack:
	case BPF_FUNC_get_task_stack:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_probe_read_user_str:
		v->smax = (s64)c->size_max;
		v->s32max = (s32)c->size_max;
		v->smin = -SKEP_MAX_ERRNO;
		v->s32min = -SKEP_MAX_ERRNO;
		scalar_sync(v);
		break;
	case BPF_FUNC_get_smp_processor_id:
		v->umax = v->u32max = env->host->nr_cpus - 1;
		v->smax = v->s32max = (s32)env->host->nr_cpus - 1;
		v->umin = v->u32min = 0;
		v->smin = v->s32min = 0;
		scalar_sync(v);
		break;
	}
}

/* --- the call --- */

/* Paths may be asked for where the kernel holds the file and may sleep or is known to be safe. */
static bool may_d_path(const struct env *env)
{
	static const char *const targets[] = {
		"vfs_truncate",
		"vfs_fallocate",
		"dentry_open",
		"vfs_getattr",
		"filp_close",
		"security_file_permission",
		"security_inode_getattr",
		"security_file_open",
		"security_path_truncate",
	};

	if (env->req->prog_type == BPF_PROG_TYPE_LSM)
		return vf_hook_sleeps(env);
	if (env->req->prog_type != BPF_PROG_TYPE_TRACING)
		return false;
	if (vf_is_iter_prog(env))
		return true;
	for (u32 i = 0; env->attach_name && i < ARRAY_SIZE(targets); i++)
		if (!strcmp(env->attach_name, targets[i]))
			return true;
	return false;
}

/*
 * Helpers are a table of functions' own to give, and one gives none. Iterators over sockets that
 * are locked may set their options, as a congestion control may.
 */
static enum skep_ctx_id context_for(const struct env *env, u32 id)
{
	if (env->attach_ops && !strcmp(env->attach_ops, "bpf_dummy_ops"))
		return SKEP_NR_CTX;
	if (vf_is_iter_prog(env) && (id == BPF_FUNC_setsockopt || id == BPF_FUNC_getsockopt) &&
	    (!strcmp(env->attach_name, "bpf_iter_tcp") ||
	     !strcmp(env->attach_name, "bpf_iter_unix")))
		return SKEP_CTX_STRUCT_OPS_TCP_CONGESTION_OPS_INIT;
	return env->ctx_id;
}

static int check_allowed(struct env *env, u32 id, const struct skep_helper_row **ret_row)
{
	const char *name = skep_helper_name(id);
	const struct skep_helper_row *row = skep_helper_row(id, context_for(env, id));
	const struct state *st = env->cur;

	if (!id)
		name = "unspec";
	if (!name) {
		vf_say(env, "invalid func unknown#%d\n", (int)id);
		return -EINVAL;
	}
	if (!row) {
		vf_say(env, "program of this type cannot use helper bpf_%s#%u\n", name, id);
		return -EINVAL;
	}
	if (row->flags & SKEP_HELPER_GPL && !env->req->gpl) {
		vf_say(env,
		       "cannot call GPL-restricted function from non-GPL compatible program\n");
		return -EINVAL;
	}
	if (row->flags & SKEP_HELPER_ALLOWED_CB &&
	    ((id == BPF_FUNC_d_path && !may_d_path(env)) ||
	     ((id == BPF_FUNC_sk_storage_get || id == BPF_FUNC_sk_storage_delete) &&
	      env->req->prog_type == BPF_PROG_TYPE_SYSCALL))) {
		vf_say(env, "helper call is not allowed in probe\n");
		return -EINVAL;
	}
	if (row->flags & SKEP_HELPER_MIGHT_SLEEP) {
		const char *where = vf_atomic_region(env);

		if (!st->in_sleepable) {
			vf_say(env, "helper call might sleep in a non-sleepable prog\n");
			return -EINVAL;
		}
		if (where) {
			vf_say(env, "sleepable helper bpf_%s#%u in %s region\n", name, id, where);
			return -EINVAL;
		}
	}
	*ret_row = row;
	return 0;
}

static int check_snprintf(struct env *env)
{
	struct reg *regs = vf_regs(env);
	const char *fmt;
	u32 len;
	int err;

	if (regs[5].v.tn.value % 8)
		return -EINVAL;
	err = vf_check_const_str(env, 3, &fmt, &len);
	if (err)
		return err;
	err = vf_check_format(env, fmt, len, (u32)(regs[5].v.tn.value / 8));
	if (err)
		vf_say(env, "Invalid format string\n");
	return err;
}

static int special(struct env *env, struct call *c)
{
	switch (c->id) {
	case BPF_FUNC_tail_call:
		env->has_tail_call = true;
		/* A known element may be jumped to directly. */
		if (reg_is_const(&vf_regs(env)[3]) &&
		    vf_regs(env)[3].v.tn.value < c->map->max_entries && vf_mark_precise(env, 3))
			return -ENOMEM;
		return vf_check_resources(env, LEAVE_FOR_OTHER, "tail_call");
	case BPF_FUNC_get_local_storage:
		if (!reg_is_null(&vf_regs(env)[2])) {
			vf_say(env, "get_local_storage() doesn't support non-zero flags\n");
			return -EINVAL;
		}
		return 0;
	case BPF_FUNC_for_each_map_elem:
	case BPF_FUNC_loop:
	case BPF_FUNC_user_ringbuf_drain:
	case BPF_FUNC_find_vma:
	case BPF_FUNC_timer_set_callback:
		return vf_call_back(env, c->id, c->map, (u32)c->callback);
	case BPF_FUNC_snprintf:
		return check_snprintf(env);
	case BPF_FUNC_get_func_ip:
		if (env->req->prog_type == BPF_PROG_TYPE_TRACING &&
		    env->req->attach_type != BPF_TRACE_FENTRY &&
		    env->req->attach_type != BPF_TRACE_FEXIT &&
		    env->req->attach_type != BPF_MODIFY_RETURN) {
			vf_say(env,
			       "func bpf_%s#%u supported only for fentry/fexit/fmod_ret programs\n",
			       c->row->name, c->id);
			return -SKEP_ENOTSUPP;
		}
		if (env->req->prog_type != BPF_PROG_TYPE_TRACING &&
		    env->req->prog_type != BPF_PROG_TYPE_KPROBE) {
			vf_say(env, "func bpf_%s#%u not supported for program type %u\n",
			       c->row->name, c->id, env->req->prog_type);
			return -SKEP_ENOTSUPP;
		}
		return 0;
	}
	return 0;
}

static bool changes_map(u32 id)
{
	return id == BPF_FUNC_map_update_elem || id == BPF_FUNC_map_delete_elem ||
	       id == BPF_FUNC_map_push_elem || id == BPF_FUNC_map_pop_elem;
}

/* Where no socket can be locked, and where one can but is known to be. */
static bool may_change_sockets(struct env *env, const struct call *c)
{
	bool update = c->id == BPF_FUNC_map_update_elem;

	if ((c->map->type != BPF_MAP_TYPE_SOCKMAP && c->map->type != BPF_MAP_TYPE_SOCKHASH) ||
	    (!update && c->id != BPF_FUNC_map_delete_elem))
		return true;
	switch (env->req->prog_type) {
	case BPF_PROG_TYPE_TRACING:
		if (vf_is_iter_prog(env))
			return true;
		break;
	case BPF_PROG_TYPE_SOCK_OPS:
		if (!update)
			return true;
		break;
	case BPF_PROG_TYPE_SOCKET_FILTER:
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
	case BPF_PROG_TYPE_XDP:
	case BPF_PROG_TYPE_SK_REUSEPORT:
	case BPF_PROG_TYPE_FLOW_DISSECTOR:
	case BPF_PROG_TYPE_SK_LOOKUP:
		return true;
	}
	vf_say(env, "cannot update sockmap in this context\n");
	return false;
}

int vf_call_helper(struct env *env, const struct bpf_insn *insn)
{
	struct call c = {.id = (u32)insn->imm, .callback = -1};
	int err = check_allowed(env, c.id, &c.row);

	if (err)
		return err;
	if (!env->host->verdict_only && env->host->helper_implemented &&
	    !env->host->helper_implemented(env->host->priv, c.id, env->req->prog_type)) {
		vf_say(env, "skep: helper bpf_%s#%u is not implemented yet\n", c.row->name, c.id);
		return -EINVAL;
	}
	for (u32 i = 0; i < 5; i++) {
		err = check_arg(env, &c, i);
		if (err)
			return err;
	}
	if (c.map && c.map->flags & BPF_F_RDONLY_PROG && changes_map(c.id)) {
		vf_say(env, "write into map forbidden\n");
		return -EACCES;
	}
	if (c.id == BPF_FUNC_tail_call && c.map->type != BPF_MAP_TYPE_PROG_ARRAY) {
		vf_say(env, "expected prog array map for tail call");
		return -EINVAL;
	}
	err = vf_note_call(env, env->insn_idx, c.map, c.callback);
	if (err)
		return err;
	/* Memory that the helper fills: byte by byte, as stores would. */
	for (u32 i = 0; i < c.raw_size; i++) {
		err = vf_check_mem(env, env->insn_idx, c.raw_regno, (s32)i, 1, ACCESS_WRITE, -1,
				   false, false);
		if (err)
			return err;
	}
	if (c.release_regno) {
		const struct reg *r = &vf_regs(env)[c.release_regno];

		err = c.release_dynptr ? vf_release_dynptr(env, c.release_regno)
		      : reg_is_null(r) ? 0
				       : vf_release_ref(env, c.ref_id);
		if (err) {
			vf_say(env, "func bpf_%s#%u reference has not been acquired before\n",
			       c.row->name, c.id);
			return err;
		}
	}
	err = special(env, &c);
	if (err)
		return err;
	vf_clobber_caller_regs(env);
	err = set_result(env, &c);
	if (err)
		return err;
	refine_result(env, &c);
	if (c.map && (!skep_map_helper_ok(c.map->type, c.id) || !may_change_sockets(env, &c))) {
		vf_say(env, "cannot pass map_type %u into func bpf_%s#%u\n", c.map->type,
		       c.row->name, c.id);
		return -EINVAL;
	}
	if ((vf_helper_changes_pkt(c.id) && c.id != BPF_FUNC_tail_call) ||
	    (c.id == BPF_FUNC_dynptr_write &&
	     (c.dynptr.kind == VF_DYN_SKB || c.dynptr.kind == VF_DYN_SKB_META)))
		vf_drop_pkt_ptrs(env);
	return 0;
}
