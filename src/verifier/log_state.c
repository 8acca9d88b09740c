/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers, stack and references as text, in the format that tools and people know.
 */
#include "verifier/env.h"

#include <stdio.h>
#include <string.h>

static const char *const base_names[RK_NR] = {
	[RK_NOT_INIT] = "?",
	[RK_SCALAR] = "scalar",
	[RK_CTX] = "ctx",
	[RK_MAP_PTR] = "map_ptr",
	[RK_MAP_VALUE] = "map_value",
	[RK_MAP_KEY] = "map_key",
	[RK_STACK] = "fp",
	[RK_PKT_META] = "pkt_meta",
	[RK_PKT] = "pkt",
	[RK_PKT_END] = "pkt_end",
	[RK_FLOW_KEYS] = "flow_keys",
	[RK_SOCKET] = "sock",
	[RK_SOCK_COMMON] = "sock_common",
	[RK_TCP_SOCK] = "tcp_sock",
	[RK_TP_BUFFER] = "tp_buffer",
	[RK_XDP_SOCK] = "xdp_sock",
	[RK_BTF] = "ptr_",
	[RK_MEM] = "mem",
	[RK_ARENA] = "arena",
	[RK_BUF] = "buf",
	[RK_FUNC] = "func",
	[RK_DYNPTR] = "dynptr_ptr",
};

const char *vf_kind_name(u8 kind, u32 flags, char *buf)
{
	snprintf(buf, 64, "%s%s%s%s%s%s%s%s%s", flags & RF_RDONLY ? "rdonly_" : "",
		 flags & RF_RINGBUF ? "ringbuf_" : "", flags & RF_USER ? "user_" : "",
		 flags & RF_PERCPU ? "percpu_" : "", flags & RF_UNTRUSTED ? "untrusted_" : "",
		 flags & RF_TRUSTED ? "trusted_" : "", flags & RF_RCU ? "rcu_" : "",
		 base_names[kind],
		 flags & RF_MAYBE_NULL ? (kind == RK_BTF ? "or_null_" : "_or_null") : "");
	return buf;
}

const char *vf_reg_name(const struct reg *r, char *buf)
{
	return vf_kind_name(r->kind, r->flags, buf);
}

/* Small numbers in decimal, large ones in hexadecimal. */
static void num_s(struct env *env, s64 v)
{
	vf_log(env, v >= INT16_MIN && v <= INT16_MAX ? "%lld" : "%#llx", (long long)v);
}

static void num_u(struct env *env, u64 v)
{
	vf_log(env, v <= 0xffff ? "%llu" : "%#llx", (unsigned long long)v);
}

/* Minima that have the same value are written as one group, smin=umin=4; so are maxima. */
static void log_bounds(struct env *env, const struct scalar *v, const char **sep)
{
	/* What does not fit in 16 bits is shown as 32 bits, not sign-extended. */
	u64 lo32 = v->s32min >= INT16_MIN ? (u64)(s64)v->s32min : (u32)v->s32min;
	u64 hi32 = v->s32max >= INT16_MIN ? (u64)(s64)v->s32max : (u32)v->s32max;
	struct {
		const char *name;
		u64 val;
		bool omit, is_signed;
	} b[] = {
		{"smin", (u64)v->smin, v->smin == INT64_MIN, true},
		{"smax", (u64)v->smax, v->smax == INT64_MAX, true},
		{"umin", v->umin, v->umin == 0, false},
		{"umax", v->umax, v->umax == UINT64_MAX, false},
		{"smin32", lo32, v->s32min == INT32_MIN, true},
		{"smax32", hi32, v->s32max == INT32_MAX, true},
		{"umin32", v->u32min, v->u32min == 0, false},
		{"umax32", v->u32max, v->u32max == UINT32_MAX, false},
	};

	for (u32 i = 0; i < ARRAY_SIZE(b); i++) {
		bool neg = b[i].is_signed && (s64)b[i].val < 0;

		if (b[i].omit)
			continue;
		vf_log(env, "%s%s", *sep, b[i].name);
		*sep = ",";
		for (u32 j = i + 2; j < ARRAY_SIZE(b); j += 2) {
			if (b[j].omit || b[j].val != b[i].val ||
			    neg != (b[j].is_signed && (s64)b[j].val < 0))
				continue;
			vf_log(env, "=%s", b[j].name);
			b[j].omit = true;
		}
		vf_log(env, "=");
		if (b[i].is_signed)
			num_s(env, (s64)b[i].val);
		else
			num_u(env, b[i].val);
	}
}

static void log_tnum(struct env *env, struct tnum t, const char **sep)
{
	if (tnum_is_unknown(t))
		return;
	if (!t.mask) {
		vf_log(env, "%svar_off=", *sep);
		num_u(env, t.value);
	} else {
		vf_log(env, "%svar_off=(0x%llx; 0x%llx)", *sep, (unsigned long long)t.value,
		       (unsigned long long)t.mask);
	}
	*sep = ",";
}

static void log_id(struct env *env, const struct reg *r, const char **sep)
{
	if (!r->id)
		return;
	vf_log(env, "%sid=%u", *sep, r->id);
	if (r->kind == RK_SCALAR && r->link)
		vf_log(env, "%+d", r->off);
	*sep = ",";
}

static void log_reg(struct env *env, const struct state *st, u32 curframe, const struct reg *r)
{
	const char *sep = "";
	char name[64];

	if (r->kind == RK_SCALAR && r->precise)
		vf_log(env, "P");
	if (reg_is_const(r)) {
		if (r->v.smin < 0 || r->v.tn.value <= 0x7fff)
			num_s(env, r->v.smin);
		else
			num_s(env, (s64)r->v.tn.value);
		return;
	}
	vf_log(env, "%s", vf_reg_name(r, name));
	if (r->kind == RK_STACK) {
		if (r->frameno != curframe)
			vf_log(env, "[%u]", r->frameno);
		if (scalar_is_const(&r->v)) {
			vf_log(env, "%d", r->off + (s32)r->v.tn.value);
			return;
		}
	}
	if (r->kind == RK_BTF)
		vf_log(env, "%s", skep_btf_name(r->btf, skep_btf_type(r->btf, r->btf_id)));
	vf_log(env, "(");
	log_id(env, r, &sep);
	if (r->ref_id) {
		vf_log(env, "%sref_obj_id=%u", sep, r->ref_id);
		sep = ",";
	}
	if (r->flags & RF_NON_OWN) {
		vf_log(env, "%snon_own_ref", sep);
		sep = ",";
	}
	if (r->kind == RK_DYNPTR) {
		vf_log(env, "%stype=%s", sep, vf_dynptr_name(r->iter_phase));
		sep = ",";
	}
	if (r->kind == RK_MAP_PTR || r->kind == RK_MAP_VALUE || r->kind == RK_MAP_KEY) {
		if (r->map->name[0]) {
			vf_log(env, "%smap=%.16s", sep, r->map->name);
			sep = ",";
		}
		vf_log(env, "%sks=%u,vs=%u", sep, r->map->key_size, r->map->value_size);
		sep = ",";
	}
	if (r->kind != RK_SCALAR && r->off) {
		vf_log(env, "%soff=", sep);
		num_s(env, r->off);
		sep = ",";
	}
	if (r->kind == RK_PKT || r->kind == RK_PKT_META) {
		vf_log(env, "%sr=", sep);
		num_u(env, (u64)(s64)r->range);
		sep = ",";
	}
	if (r->kind == RK_MEM) {
		vf_log(env, "%ssz=", sep);
		num_s(env, r->mem_size);
		sep = ",";
	}
	if (r->kind != RK_SCALAR && scalar_is_const(&r->v)) {
		if (r->v.tn.value) {
			vf_log(env, "%simm=", sep);
			num_s(env, (s64)r->v.tn.value);
		}
	} else {
		log_bounds(env, &r->v, &sep);
		log_tnum(env, r->v.tn, &sep);
	}
	vf_log(env, ")");
	(void)st;
}

static void log_slot(struct env *env, const struct state *st, u32 frameno, u32 i,
		     const struct slot *s, bool all)
{
	static const char letters[] = {
		[SK_INVALID] = '?', [SK_SPILL] = 'r', [SK_MISC] = 'm',	  [SK_ZERO] = '0',
		[SK_DYNPTR] = 'd',  [SK_ITER] = 'i',  [SK_IRQ_FLAG] = 'f'};
	char types[9] = {0};
	bool valid = false;

	for (u32 b = 0; b < 8; b++) {
		u8 t = s->type[b];

		/* Slots that hold nothing but junk of a spill below are not told apart. */
		valid |= t != SK_INVALID;
		types[b] = letters[t];
	}
	if (!valid || (!all && !(env->scratched_slots >> i & 1)))
		return;
	if (s->type[7] == SK_SPILL) {
		/* A narrow spill fills the slot's first bytes; show what lies above it. */
		u32 n = 0;

		while (n < 8 && s->type[n] != SK_SPILL)
			n++;
		vf_log(env, " fp%d=%.*s", -(int)(i + 1) * 8, (int)n, types);
		log_reg(env, st, frameno, &s->spill);
		return;
	}
	if (s->type[7] == SK_DYNPTR) {
		if (!s->spill.iter_depth)
			return;
		vf_log(env, " fp%d=dynptr_%s(", -(int)(i + 1) * 8,
		       vf_dynptr_name(s->spill.iter_phase));
		if (s->spill.id)
			vf_log(env, "id=%u", s->spill.id);
		if (s->spill.ref_id)
			vf_log(env, ",ref_id=%u", s->spill.ref_id);
		vf_log(env, ")");
		return;
	}
	if (s->type[7] == SK_ITER) {
		if (!s->spill.ref_id)
			return;
		vf_log(env, " fp%d=iter_%s(ref_id=%u,state=%s,depth=%u)", -(int)(i + 1) * 8,
		       skep_btf_name(s->spill.btf, skep_btf_type(s->spill.btf, s->spill.btf_id)) +
			       strlen("bpf_iter_"),
		       s->spill.ref_id, s->spill.iter_phase == ITER_ACTIVE ? "active" : "drained",
		       s->spill.iter_depth);
		return;
	}
	vf_log(env, " fp%d=%s", -(int)(i + 1) * 8, types);
}

void vf_log_state(struct env *env, const struct state *st, u32 frameno, bool all)
{
	const struct frame *f = st->frame[frameno];
	struct reg tmp;

	if (!vf_logging(env))
		return;
	if (f->frameno)
		vf_log(env, " frame%u:", f->frameno);
	for (u32 i = 0; i < VF_NR_REGS; i++) {
		const struct reg *r = frame_reg(f, i, &tmp);

		if (r->kind == RK_NOT_INIT || (!all && !(env->scratched_regs >> i & 1)))
			continue;
		vf_log(env, " R%u=", i);
		log_reg(env, st, f->frameno, r);
	}
	for (u32 i = 0; i < f->nr_slots; i++) {
		struct slot s = *frame_slot(f, i);

		s.spill.precise = f->precise_slots >> i & 1;
		log_slot(env, st, f->frameno, i, &s, all);
	}
	if (st->nr_refs) {
		const char *sep = "";

		vf_log(env, " refs=");
		for (u32 i = 0; i < st->nr_refs; i++, sep = ",")
			vf_log(env, "%s%u", sep, st->refs[i].id);
	}
	if (f->in_callback)
		vf_log(env, " cb");
	if (f->in_async_cb)
		vf_log(env, " async_cb");
	vf_log(env, "\n");
	if (!all) {
		env->scratched_regs = 0;
		env->scratched_slots = 0;
	}
}

/* What the last instruction changed, behind its text when nothing came between. */
void vf_log_insn_state(struct env *env, const struct state *st, u32 frameno)
{
	if (env->prev_log_pos && env->prev_log_pos == env->log.end) {
		u32 pos = env->prev_insn_len, want = SKEP_MAX(pos + 4, 40u);

		want = (want + 7) & ~7u;
		vlog_reset(&env->log, env->prev_log_pos - 1);
		vf_log(env, "%*c;", (int)(want - pos - 1), ' ');
	} else {
		vf_log(env, "%u:", env->insn_idx);
	}
	vf_log_state(env, st, frameno, false);
}

void vf_say_bad_scalar(struct env *env, const struct reg *r, s32 lo, s32 hi, const char *where,
		       const char *reg)
{
	char got[80];
	int n = 0;

	if (r->v.smin != INT64_MIN)
		n += snprintf(got + n, sizeof(got) - n, " smin=%lld", (long long)r->v.smin);
	if (r->v.smax != INT64_MAX)
		n += snprintf(got + n, sizeof(got) - n, " smax=%lld", (long long)r->v.smax);
	if (!n)
		snprintf(got, sizeof(got), " unknown scalar value");
	vf_say(env, "%s the register %s has%s should have been in [%d, %d]\n", where, reg, got, lo,
	       hi);
}
