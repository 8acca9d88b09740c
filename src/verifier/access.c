/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores: operand rules, and the memory kinds that are plain regions of bytes.
 */
#include "verifier/env.h"

#include <stdio.h>
#include <string.h>

int vf_check_reg_in(struct env *env, struct reg *regs, u32 regno, enum reg_use use)
{
	struct reg *r;

	if (regno >= VF_NR_REGS) {
		vf_say(env, "R%u is invalid\n", regno);
		return -EINVAL;
	}
	vf_touch_reg(env, regno);
	r = &regs[regno];
	if (use == USE_SRC) {
		if (r->kind == RK_NOT_INIT) {
			vf_say(env, "R%u !read_ok\n", regno);
			return -EACCES;
		}
		return 0;
	}
	if (regno == 10) {
		vf_say(env, "frame pointer is read only\n");
		return -EACCES;
	}
	r->subreg_def = 0;
	if (use == USE_DST)
		reg_set_unknown(r);
	return 0;
}

int vf_check_reg(struct env *env, u32 regno, enum reg_use use)
{
	return vf_check_reg_in(env, vf_regs(env), regno, use);
}

static const char *tnum_text(struct tnum t, char *buf, size_t n)
{
	if (!t.mask)
		snprintf(buf, n, "%lld", (long long)t.value);
	else
		snprintf(buf, n, "(0x%llx; 0x%llx)", (unsigned long long)t.value,
			 (unsigned long long)t.mask);
	return buf;
}

int vf_check_no_off(struct env *env, const struct reg *r, u32 regno, bool fixed_ok)
{
	char name[64], var[48];

	vf_reg_name(r, name);
	if (r->off < 0) {
		vf_say(env, "negative offset %s ptr R%u off=%d disallowed\n", name, regno, r->off);
		return -EACCES;
	}
	if (!fixed_ok && r->off) {
		vf_say(env, "dereference of modified %s ptr R%u off=%d disallowed\n", name, regno,
		       r->off);
		return -EACCES;
	}
	if (!scalar_is_const(&r->v) || r->v.tn.value) {
		vf_say(env, "variable %s access var_off=%s disallowed\n", name,
		       tnum_text(r->v.tn, var, sizeof(var)));
		return -EACCES;
	}
	return 0;
}

/* One end of a possible access. */
static int check_end(struct env *env, u32 regno, const struct reg *r, s64 off, u32 size,
		     u32 mem_size, bool zero_ok)
{
	if (off >= 0 && (size || zero_ok) && (u64)off + size <= mem_size)
		return 0;
	switch (r->kind) {
	case RK_MAP_KEY:
		vf_say(env, "invalid access to map key, key_size=%u off=%d size=%u\n", mem_size,
		       (int)off, size);
		break;
	case RK_MAP_VALUE:
		vf_say(env, "invalid access to map value, value_size=%u off=%d size=%u\n", mem_size,
		       (int)off, size);
		break;
	case RK_PKT:
	case RK_PKT_META:
	case RK_PKT_END:
		vf_say(env, "invalid access to packet, off=%d size=%u, R%u(id=%u,off=%d,r=%u)\n",
		       (int)off, size, regno, r->id, (int)off, mem_size);
		break;
	case RK_CTX:
		vf_say(env, "invalid access to context, ctx_size=%u off=%d size=%u\n", mem_size,
		       (int)off, size);
		break;
	default:
		vf_say(env, "invalid access to memory, mem_size=%u off=%d size=%u\n", mem_size,
		       (int)off, size);
		break;
	}
	return -EACCES;
}

int vf_say_negative(struct env *env, u32 regno)
{
	vf_say(env,
	       "R%u min value is negative, either use unsigned index or do a if (index >=0) "
	       "check.\n",
	       regno);
	return -EACCES;
}

int vf_check_region(struct env *env, u32 regno, const struct reg *r, s32 off, u32 size,
		    u32 mem_size, bool zero_ok)
{
	int err;

	if (r->v.smin < 0 && (r->v.smin == INT64_MIN || off + r->v.smin != (s32)(off + r->v.smin) ||
			      off + r->v.smin < 0))
		return vf_say_negative(env, regno);
	err = check_end(env, regno, r, r->v.smin + off, size, mem_size, zero_ok);
	if (err) {
		vf_say(env, "R%u min value is outside of the allowed memory range\n", regno);
		return err;
	}
	if (r->v.umax >= VF_MAX_OFF) {
		vf_say(env,
		       "R%u unbounded memory access, make sure to bounds check any such access\n",
		       regno);
		return -EACCES;
	}
	err = check_end(env, regno, r, (s64)r->v.umax + off, size, mem_size, zero_ok);
	if (err)
		vf_say(env, "R%u max value is outside of the allowed memory range\n", regno);
	return err;
}

int vf_check_map_perm(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind)
{
	const struct skep_map_facts *m = vf_regs(env)[regno].map;

	if (kind == ACCESS_WRITE && m->flags & BPF_F_RDONLY_PROG) {
		vf_say(env, "write into map forbidden, value_size=%u off=%d size=%u\n",
		       m->value_size, off, size);
		return -EACCES;
	}
	if (kind == ACCESS_READ && m->flags & BPF_F_WRONLY_PROG) {
		vf_say(env, "read from map forbidden, value_size=%u off=%d size=%u\n",
		       m->value_size, off, size);
		return -EACCES;
	}
	return 0;
}

static bool is_kptr(u8 kind)
{
	return kind == SKEP_FIELD_KPTR_UNREF || kind == SKEP_FIELD_KPTR_REF ||
	       kind == SKEP_FIELD_KPTR_PERCPU || kind == SKEP_FIELD_UPTR;
}

int vf_check_map_access(struct env *env, u32 regno, s32 off, u32 size, bool zero_ok, bool direct)
{
	const struct reg *r = &vf_regs(env)[regno];
	const struct skep_btf_record *rec = r->map->record;
	int err = vf_check_region(env, regno, r, off, size, r->map->value_size, zero_ok);

	for (u32 i = 0; !err && rec && i < rec->nr; i++) {
		const struct skep_btf_field *f = &rec->fields[i];
		const char *name = skep_btf_field_name(f->kind);

		if (!(r->v.smin + off < (s64)(f->off + f->size) &&
		      (s64)f->off < (s64)r->v.umax + off + size))
			continue;
		if (!is_kptr(f->kind)) {
			vf_say(env, "%s cannot be accessed directly by load/store\n", name);
		} else if (!direct) {
			vf_say(env, "%s cannot be accessed indirectly by helper\n", name);
		} else if (!scalar_is_const(&r->v)) {
			vf_say(env, "%s access cannot have variable offset\n", name);
		} else if (f->off != off + r->v.tn.value) {
			vf_say(env, "%s access misaligned expected=%u off=%llu\n", name, f->off,
			       (unsigned long long)(off + r->v.tn.value));
		} else if (size != 8) {
			vf_say(env, "%s access size must be BPF_DW\n", name);
		} else {
			continue; /* the caller goes on with vf_check_kptr() */
		}
		return -EACCES;
	}
	return err;
}

int vf_check_field(struct env *env, u32 regno, enum skep_field_kind kind)
{
	const struct reg *r = &vf_regs(env)[regno];
	const char *name = skep_btf_field_name(kind);
	bool in_map = r->kind == RK_MAP_VALUE;
	const struct skep_btf_field *f;
	s64 val = (s64)r->v.tn.value;

	if (!scalar_is_const(&r->v)) {
		vf_say(env,
		       "R%u doesn't have constant offset. %s has to be at the constant offset\n",
		       regno, name);
		return -EINVAL;
	}
	if (in_map && !r->map->btf) {
		vf_say(env, "map '%s' has to have BTF in order to use %s\n", r->map->name, name);
		return -EINVAL;
	}
	f = skep_btf_record_find(vf_record(env, r), kind);
	if (!f) {
		vf_say(env, "%s '%s' has no valid %s\n", in_map ? "map" : "local",
		       in_map ? r->map->name : "kptr", name);
		return -EINVAL;
	}
	if (val + r->off != (s64)f->off) {
		vf_say(env, "off %lld doesn't point to 'struct %s' that is at %u\n",
		       (long long)(val + r->off), name, f->off);
		return -EINVAL;
	}
	return 0;
}

static int map_value(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		     int value_regno, bool sext)
{
	struct reg *regs = vf_regs(env), *r = &regs[regno];
	const struct skep_map_facts *m = r->map;
	struct skep_map_facts *map = r->map;
	int err = vf_check_map_perm(env, regno, off, size, kind);
	u64 val;

	if (!err)
		err = vf_check_map_access(env, regno, off, size, false, true);
	for (u32 i = 0; !err && m->record && scalar_is_const(&r->v) && i < m->record->nr; i++) {
		const struct skep_btf_field *f = &m->record->fields[i];

		if (is_kptr(f->kind) && f->off == (u32)(off + (s64)r->v.tn.value))
			return vf_check_kptr(env, f, value_regno);
	}
	if (err || kind != ACCESS_READ || value_regno < 0)
		return err;
	if (scalar_is_const(&r->v) && m->flags & BPF_F_RDONLY_PROG && m->frozen && m->has_direct &&
	    env->host->map_const) {
		err = env->host->map_const(env->host->priv, map, (u32)(off + (s64)r->v.tn.value),
					   size, &val);
		if (!err) {
			if (sext)
				val = size == 1	  ? (u64)(s64)(s8)val
				      : size == 2 ? (u64)(s64)(s16)val
						  : (u64)(s64)(s32)val;
			reg_set_const(&regs[value_regno], val);
			return 0;
		}
	}
	reg_set_unknown(&regs[value_regno]);
	return 0;
}

int vf_check_pkt(struct env *env, u32 regno, s32 off, u32 size, bool zero_ok)
{
	const struct reg *r = &vf_regs(env)[regno];
	int err;

	if (r->v.smin < 0)
		return vf_say_negative(env, regno);
	err = r->range < 0 ? -EINVAL : check_end(env, regno, r, off, size, (u32)r->range, zero_ok);
	if (err) {
		vf_say(env, "R%u offset is outside of the packet\n", regno);
		return err;
	}
	env->max_pkt_off = SKEP_MAX(env->max_pkt_off, (u32)(off + r->v.umax + size - 1));
	return 0;
}

static bool pkt_ok(struct env *env, enum access_kind kind)
{
	u32 need = kind == ACCESS_WRITE ? SKEP_PT_PKT_WRITE : SKEP_PT_PKT_READ;

	if (!(env->ptype->flags & need))
		return false;
	if (kind == ACCESS_WRITE)
		env->seen_direct_write = true;
	return true;
}

static const char *const aligned_name[RK_NR] = {
	[RK_STACK] = "stack ",
	[RK_FLOW_KEYS] = "flow keys ",
	[RK_MAP_KEY] = "key ",
	[RK_MAP_VALUE] = "value ",
	[RK_CTX] = "context ",
	[RK_SOCKET] = "sock ",
	[RK_SOCK_COMMON] = "sock_common ",
	[RK_TCP_SOCK] = "tcp_sock ",
	[RK_XDP_SOCK] = "xdp_sock ",
};

int vf_check_align(struct env *env, const struct reg *r, s32 off, u32 size, bool strict)
{
	bool pkt = r->kind == RK_PKT || r->kind == RK_PKT_META;
	const char *what = aligned_name[r->kind];
	char var[48];
	struct tnum t;

	strict |= r->kind == RK_STACK || (env->req->flags & SKEP_PROG_F_STRICT_ALIGNMENT &&
					  !(env->req->flags & SKEP_PROG_F_ANY_ALIGNMENT));
	if (!strict || size == 1 || r->kind == RK_ARENA)
		return 0;
	/* Packets start at an address of 2 modulo 4. */
	t = tnum_add(r->v.tn, tnum_const((u64)(s64)r->off + (u64)(s64)off + (pkt ? 2 : 0)));
	if (tnum_aligned(t, size))
		return 0;
	tnum_text(r->v.tn, var, sizeof(var));
	if (pkt)
		vf_say(env, "misaligned packet access off %d+%s+%d+%d size %u\n", 2, var, r->off,
		       off, size);
	else
		vf_say(env, "misaligned %saccess off %s+%d+%d size %u\n", what ? what : "", var,
		       r->off, off, size);
	return -EACCES;
}

static int mem_region(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		      int value_regno)
{
	struct reg *regs = vf_regs(env), *r = &regs[regno];
	bool rdonly = r->flags & RF_RDONLY;
	char name[64];
	int err = 0;

	vf_reg_name(r, name);
	if (r->flags & RF_MAYBE_NULL) {
		vf_say(env, "R%u invalid mem access '%s'\n", regno, name);
		return -EACCES;
	}
	if (kind == ACCESS_WRITE && rdonly) {
		vf_say(env, "R%u cannot write into %s\n", regno, name);
		return -EACCES;
	}
	if (!(rdonly && r->flags & RF_UNTRUSTED))
		err = vf_check_region(env, regno, r, off, size, r->mem_size, false);
	if (!err && value_regno >= 0 && kind == ACCESS_READ)
		reg_set_unknown(&regs[value_regno]);
	return err;
}

static int check_mem_kind(struct env *env, u32 insn_idx, u32 regno, s32 off, u32 size,
			  enum access_kind kind, int value_regno, bool sext, bool aligned)
{
	struct reg *regs = vf_regs(env), *r = &regs[regno];
	s32 insn_off = off;
	char name[64];
	int err;

	err = vf_check_align(env, r, off, size, aligned);
	if (err)
		return err;
	off += r->off;
	switch (r->kind) {
	case RK_MAP_KEY:
		if (r->flags & RF_MAYBE_NULL)
			break;
		if (kind == ACCESS_WRITE) {
			vf_say(env, "write to change key R%u not allowed\n", regno);
			return -EACCES;
		}
		err = vf_check_region(env, regno, r, off, size, r->map->key_size, false);
		if (!err && value_regno >= 0)
			reg_set_unknown(&regs[value_regno]);
		return err;
	case RK_MAP_VALUE:
		if (r->flags & RF_MAYBE_NULL)
			break;
		return map_value(env, regno, off, size, kind, value_regno, sext);
	case RK_MEM:
		return mem_region(env, regno, off, size, kind, value_regno);
	case RK_CTX:
		if (r->flags & RF_MAYBE_NULL)
			break;
		return vf_check_ctx(env, insn_idx, regno, insn_off, size, kind, value_regno, sext);
	case RK_STACK:
		return vf_check_stack(env, regno, off, size, kind, value_regno);
	case RK_PKT:
	case RK_PKT_META:
		if (kind == ACCESS_WRITE && !pkt_ok(env, kind)) {
			vf_say(env, "cannot write into packet\n");
			return -EACCES;
		}
		err = vf_check_pkt(env, regno, off, size, false);
		if (!err && kind == ACCESS_READ && value_regno >= 0)
			reg_set_unknown(&regs[value_regno]);
		return err;
	case RK_BTF:
		if (r->flags & RF_MAYBE_NULL)
			break;
		return vf_check_btf(env, regno, off, size, kind, value_regno);
	case RK_MAP_PTR:
		if (r->flags & RF_MAYBE_NULL)
			break;
		return vf_check_map_ptr(env, regno, off, size, kind, value_regno);
	case RK_SOCKET:
	case RK_SOCK_COMMON:
	case RK_TCP_SOCK:
	case RK_XDP_SOCK:
		if (r->flags & RF_MAYBE_NULL)
			break;
		return vf_check_sock(env, regno, off, size, kind, value_regno);
	case RK_FLOW_KEYS:
		return vf_check_flow_keys(env, regno, off, size, kind, value_regno);
	case RK_TP_BUFFER:
	case RK_BUF:
		if (r->flags & RF_MAYBE_NULL)
			break;
		err = vf_check_buf(env, regno, off, size, kind);
		if (!err && kind == ACCESS_READ && value_regno >= 0)
			reg_set_unknown(&regs[value_regno]);
		return err;
	case RK_ARENA:
		if (kind == ACCESS_READ && value_regno >= 0)
			reg_set_unknown(&regs[value_regno]);
		return 0;
	}
	vf_say(env, "R%u invalid mem access '%s'\n", regno, vf_reg_name(r, name));
	return -EACCES;
}

int vf_check_mem(struct env *env, u32 insn_idx, u32 regno, s32 off, u32 size, enum access_kind kind,
		 int value_regno, bool sext, bool aligned)
{
	struct reg *regs = vf_regs(env);
	int err = check_mem_kind(env, insn_idx, regno, off, size, kind, value_regno, sext, aligned);

	if (!err && size < 8 && value_regno >= 0 && kind == ACCESS_READ &&
	    regs[value_regno].kind == RK_SCALAR) {
		struct reg *v = &regs[value_regno];

		/*
		 * Linux 6.18 keeps a spilled number's link here, although a negative one is no
		 * copy any more: what is learned of one is wrong for the other.
		 */
		if (sext && vf_will_run(env) && v->v.umax >> (8 * size - 1))
			reg_unlink(v);
		if (sext)
			scalar_sign_extend(&v->v, size);
		else
			scalar_truncate(&v->v, size);
		scalar_sync(&v->v);
	}
	return err;
}

/* --- one instruction, one translation --- */

static u8 mem_kind_of(const struct reg *r)
{
	switch (r->kind) {
	case RK_CTX:
		return SKEP_MEM_CTX;
	case RK_SOCKET:
	case RK_SOCK_COMMON:
	case RK_TCP_SOCK:
	case RK_XDP_SOCK:
		return SKEP_MEM_SOCK;
	case RK_BTF:
		return r->flags & RF_ALLOC ? SKEP_MEM_DIRECT : SKEP_MEM_BTF;
	case RK_MEM:
		return r->flags & RF_UNTRUSTED ? SKEP_MEM_PROBE : SKEP_MEM_DIRECT;
	case RK_ARENA:
		return SKEP_MEM_ARENA;
	case RK_MAP_PTR:
		return SKEP_MEM_MAP_PTR;
	default:
		return SKEP_MEM_DIRECT;
	}
}

/* Accesses through these become others, or may fault: what they go through must not vary. */
static bool is_translated(u8 kind)
{
	return kind == RK_CTX || kind == RK_SOCKET || kind == RK_SOCK_COMMON ||
	       kind == RK_TCP_SOCK || kind == RK_XDP_SOCK || kind == RK_BTF || kind == RK_ARENA;
}

static bool is_memory(u8 kind)
{
	return kind == RK_MEM || kind == RK_BTF;
}

int vf_note_ptr(struct env *env, u32 idx, const struct reg *r, bool allow_trust_mismatch)
{
	struct insn_aux *aux = &env->aux[idx];
	u8 kind = mem_kind_of(r);

	if (aux->mem == SKEP_MEM_NONE) {
		aux->mem = kind;
		aux->ptr_kind = r->kind;
		aux->ptr_flags = r->flags;
		return 0;
	}
	if ((aux->ptr_kind == r->kind && aux->ptr_flags == r->flags) ||
	    (!is_translated(aux->ptr_kind) && !is_translated(r->kind))) {
		if (aux->mem != kind && !env->host->verdict_only &&
		    (aux->mem == SKEP_MEM_MAP_PTR || kind == SKEP_MEM_MAP_PTR)) {
			vf_say(env, "skep: one instruction reads a map and other memory\n");
			return -EINVAL;
		}
		aux->mem = aux->mem == kind ? kind : SKEP_MEM_PROBE;
		return 0;
	}
	/* One load may go through pointers of different standing: it is a probe then. */
	if (allow_trust_mismatch && is_memory(aux->ptr_kind) && is_memory(r->kind)) {
		if (r->kind == RK_MEM)
			aux->ptr_kind = RK_MEM;
		aux->ptr_flags = (aux->ptr_flags | r->flags) & (RF_UNTRUSTED | RF_RDONLY);
		aux->mem = SKEP_MEM_PROBE;
		return 0;
	}
	vf_say(env, "same insn cannot be used with different pointers\n");
	return -EINVAL;
}

static u32 bytes_of(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

int vf_step_ldx(struct env *env, const struct bpf_insn *insn)
{
	bool sext = BPF_MODE(insn->code) == SKEP_BPF_MEMSX;
	struct reg src;
	int err = vf_check_reg(env, insn->src_reg, USE_SRC);

	if (!err)
		err = vf_check_reg(env, insn->dst_reg, USE_DST_NO_MARK);
	if (err)
		return err;
	src = vf_regs(env)[insn->src_reg];
	err = vf_check_mem(env, env->insn_idx, insn->src_reg, insn->off, bytes_of(insn),
			   ACCESS_READ, insn->dst_reg, sext, false);
	if (!err)
		err = vf_note_ptr(env, env->insn_idx, &src, true);
	return err;
}

int vf_step_st(struct env *env, const struct bpf_insn *insn)
{
	bool stx = BPF_CLASS(insn->code) == BPF_STX;
	struct reg dst;
	int err;

	if (BPF_MODE(insn->code) != BPF_MEM || (stx ? insn->imm : insn->src_reg)) {
		vf_say(env, "BPF_%s uses reserved fields\n", stx ? "STX" : "ST");
		return -EINVAL;
	}
	err = stx ? vf_check_reg(env, insn->src_reg, USE_SRC) : 0;
	if (!err)
		err = vf_check_reg(env, insn->dst_reg, USE_SRC);
	if (err)
		return err;
	dst = vf_regs(env)[insn->dst_reg];
	err = vf_check_mem(env, env->insn_idx, insn->dst_reg, insn->off, bytes_of(insn),
			   ACCESS_WRITE, stx ? insn->src_reg : -1, false, false);
	if (!err)
		err = vf_note_ptr(env, env->insn_idx, &dst, false);
	return err;
}

/* @op: the atomic instruction's; x86-64 compiles those that read and combine as loops. */
static bool atomics_ok(const struct reg *r, s32 op)
{
	if (r->kind == RK_ARENA)
		return op != (BPF_AND | BPF_FETCH) && op != (BPF_OR | BPF_FETCH) &&
		       op != (BPF_XOR | BPF_FETCH);
	return r->kind != RK_CTX && r->kind != RK_PKT && r->kind != RK_PKT_META &&
	       r->kind != RK_FLOW_KEYS && r->kind != RK_SOCKET && r->kind != RK_SOCK_COMMON &&
	       r->kind != RK_TCP_SOCK && r->kind != RK_XDP_SOCK;
}

static int atomic_forbidden(struct env *env, u32 regno, s32 op)
{
	const struct reg *r = &vf_regs(env)[regno];
	char name[64];

	if (atomics_ok(r, op))
		return 0;
	vf_say(env, "BPF_ATOMIC %s R%u %s is not allowed\n", "stores into", regno,
	       vf_reg_name(r, name));
	return -EACCES;
}

static int atomic_order(struct env *env, const struct bpf_insn *insn)
{
	bool load = insn->imm == SKEP_BPF_LOAD_ACQ;
	u32 mem = load ? insn->src_reg : insn->dst_reg;
	struct reg r;
	char name[64];
	int err;

	if (load) {
		err = vf_check_reg(env, insn->src_reg, USE_SRC);
		if (!err)
			err = vf_check_reg(env, insn->dst_reg, USE_DST_NO_MARK);
	} else {
		err = vf_check_reg(env, insn->src_reg, USE_SRC);
		if (!err)
			err = vf_check_reg(env, insn->dst_reg, USE_SRC);
	}
	if (err)
		return err;
	r = vf_regs(env)[mem];
	err = vf_check_mem(env, env->insn_idx, mem, insn->off, bytes_of(insn),
			   load ? ACCESS_READ : ACCESS_WRITE, load ? insn->dst_reg : insn->src_reg,
			   false, true);
	if (!err && !atomics_ok(&r, insn->imm)) {
		vf_say(env, "BPF_ATOMIC %s R%u %s is not allowed\n",
		       load ? "loads from" : "stores into", mem, vf_reg_name(&r, name));
		return -EACCES;
	}
	if (!err)
		err = vf_note_ptr(env, env->insn_idx, &r, load);
	return err;
}

int vf_step_atomic(struct env *env, const struct bpf_insn *insn)
{
	u32 size = bytes_of(insn);
	s32 load = -1;
	struct reg dst;
	int err;

	switch (insn->imm) {
	case BPF_ADD:
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
	case BPF_ADD | BPF_FETCH:
	case BPF_AND | BPF_FETCH:
	case BPF_OR | BPF_FETCH:
	case BPF_XOR | BPF_FETCH:
	case BPF_XCHG:
	case BPF_CMPXCHG:
		break;
	case SKEP_BPF_LOAD_ACQ:
	case SKEP_BPF_STORE_REL:
		return atomic_order(env, insn);
	default:
		vf_say(env, "BPF_ATOMIC uses invalid atomic opcode %02x\n", insn->imm);
		return -EINVAL;
	}
	if (size != 4 && size != 8) {
		vf_say(env, "invalid atomic operand size\n");
		return -EINVAL;
	}
	err = vf_check_reg(env, insn->src_reg, USE_SRC);
	if (!err)
		err = vf_check_reg(env, insn->dst_reg, USE_SRC);
	if (!err && insn->imm == BPF_CMPXCHG)
		err = vf_check_reg(env, 0, USE_SRC);
	if (!err)
		err = atomic_forbidden(env, insn->dst_reg, insn->imm);
	if (err)
		return err;
	if (insn->imm & BPF_FETCH) {
		load = insn->imm == BPF_CMPXCHG ? 0 : insn->src_reg;
		err = vf_check_reg(env, (u32)load, USE_DST);
		if (err)
			return err;
	}
	dst = vf_regs(env)[insn->dst_reg];
	err = vf_check_mem(env, env->insn_idx, insn->dst_reg, insn->off, size, ACCESS_READ, -1,
			   false, true);
	if (!err && load >= 0)
		err = vf_check_mem(env, env->insn_idx, insn->dst_reg, insn->off, size, ACCESS_READ,
				   load, false, true);
	if (!err)
		err = vf_check_mem(env, env->insn_idx, insn->dst_reg, insn->off, size, ACCESS_WRITE,
				   -1, false, true);
	if (!err)
		err = vf_note_ptr(env, env->insn_idx, &dst, false);
	return err;
}

int vf_step_ld_imm64(struct env *env, const struct bpf_insn *insn)
{
	struct insn_aux *aux = &env->aux[env->insn_idx];
	struct reg *dst;
	int err;

	if (BPF_SIZE(insn->code) != BPF_DW) {
		vf_say(env, "invalid BPF_LD_IMM insn\n");
		return -EINVAL;
	}
	if (insn->off) {
		vf_say(env, "BPF_LD_IMM64 uses reserved fields\n");
		return -EINVAL;
	}
	err = vf_check_reg(env, insn->dst_reg, USE_DST);
	if (err)
		return err;
	dst = &vf_regs(env)[insn->dst_reg];
	switch (insn->src_reg) {
	case SKEP_PSEUDO_IMM:
		reg_set_const(dst, (u64)(u32)insn[1].imm << 32 | (u32)insn->imm);
		return 0;
	case SKEP_PSEUDO_BTF_ID:
		if (aux->ksym_flags != KSYM_MEM) {
			reg_set_btf(dst, aux->ksym_btf, aux->ksym_mem_size,
				    aux->ksym_flags == KSYM_PERCPU ? RF_PERCPU : 0u);
		} else {
			reg_set_ptr(dst, RK_MEM, RF_RDONLY);
			dst->mem_size = aux->ksym_mem_size;
		}
		return 0;
	case SKEP_PSEUDO_FUNC: {
		s32 sub = vf_subprog_at(env, env->insn_idx + 1 + (u32)insn->imm);

		if (sub < 0 || env->subs[sub].is_global) {
			vf_say(env, "callback function not static\n");
			return -EINVAL;
		}
		if (!env->req->prog_btf) {
			vf_say(env, "missing btf func_info\n");
			return -EINVAL;
		}
		reg_set_ptr(dst, RK_FUNC, 0);
		dst->subprog = (u32)sub;
		return 0;
	}
	case SKEP_PSEUDO_MAP_VALUE:
		reg_set_ptr(dst, RK_MAP_VALUE, 0);
		dst->map = env->maps[aux->map];
		dst->off = (s32)aux->map_off;
		return 0; /* the map's only value: its lock is the same wherever it is seen */
	default:
		reg_set_ptr(dst, RK_MAP_PTR, 0);
		dst->map = env->maps[aux->map];
		return 0;
	}
}

int vf_step_ld_abs(struct env *env, const struct bpf_insn *insn)
{
	bool ind = BPF_MODE(insn->code) == BPF_IND;
	struct reg *regs = vf_regs(env);
	int err;

	if (!(env->ptype->flags & SKEP_PT_LD_ABS)) {
		vf_say(env, "BPF_LD_[ABS|IND] instructions not allowed for this program type\n");
		return -EINVAL;
	}
	if (insn->dst_reg || insn->off || BPF_SIZE(insn->code) == BPF_DW ||
	    (!ind && insn->src_reg)) {
		vf_say(env, "BPF_LD_[ABS|IND] uses reserved fields\n");
		return -EINVAL;
	}
	err = vf_check_reg(env, 6, USE_SRC);
	if (err)
		return err;
	err = vf_check_resources(env, LEAVE_FOR_OTHER, "BPF_LD_[ABS|IND]");
	if (err)
		return err;
	if (regs[6].kind != RK_CTX) {
		vf_say(env, "at the time of BPF_LD_ABS|IND R6 != pointer to skb\n");
		return -EINVAL;
	}
	if (ind) {
		err = vf_check_reg(env, insn->src_reg, USE_SRC);
		if (err)
			return err;
	}
	err = vf_check_no_off(env, &regs[6], 6, false);
	if (err)
		return err;
	vf_clobber_caller_regs(env);
	reg_set_unknown(&regs[0]);
	regs[0].subreg_def = env->insn_idx + 1;
	env->aux[env->insn_idx].mem = SKEP_MEM_CTX;
	return 0;
}
