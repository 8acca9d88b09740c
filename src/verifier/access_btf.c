/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel objects by BTF: walking structs, what a loaded pointer may be trusted for.
 *
 * Which fields keep the trust of their parent is said by the presented kernel itself: structs
 * named <parent>__safe_rcu and the like list them.
 */
#include "verifier/env.h"

#include <stdio.h>
#include <string.h>

enum walk { WALK_SCALAR = 1, WALK_PTR, WALK_MEM, WALK_STRUCT };

struct step {
	u32 next_id;
	u16 flags;
	const char *field;
};

/* Innermost element of an array: its type, count of elements; @id as is when it is no array. */
static const struct btf_type *flatten(const struct skep_btf *btf, u32 id, u32 *ret_id,
				      u32 *ret_nelems)
{
	const struct btf_type *t = skep_btf_skip_mods(btf, id, ret_id);
	u32 n = 1;

	while (t && skep_btf_kind(t) == BTF_KIND_ARRAY) {
		n *= skep_btf_array(t)->nelems;
		t = skep_btf_skip_mods(btf, skep_btf_array(t)->type, ret_id);
	}
	*ret_nelems = n;
	return t;
}

static u16 tag_flags(const struct skep_btf *btf, const struct btf_type *ptr)
{
	const struct btf_type *t = skep_btf_type(btf, ptr->type);
	const char *tag;

	if (!t || skep_btf_kind(t) != BTF_KIND_TYPE_TAG || skep_btf_kflag(t))
		return 0;
	tag = skep_btf_name(btf, t);
	return !strcmp(tag, "user")	? RF_USER
	       : !strcmp(tag, "percpu") ? RF_PERCPU
	       : !strcmp(tag, "rcu")	? RF_RCU
					: 0;
}

const char *vf_type_name(const struct skep_btf *btf, u32 id)
{
	const char *n = skep_btf_name(btf, skep_btf_type(btf, id));

	return *n ? n : "(anon)";
}

const char *vf_btf_kind_str(const struct btf_type *t)
{
	switch (skep_btf_kind(t)) {
	case BTF_KIND_INT:
		return "INT";
	case BTF_KIND_PTR:
		return "PTR";
	case BTF_KIND_ARRAY:
		return "ARRAY";
	case BTF_KIND_STRUCT:
		return "STRUCT";
	case BTF_KIND_UNION:
		return "UNION";
	case BTF_KIND_ENUM:
		return "ENUM";
	case BTF_KIND_FWD:
		return "FWD";
	case BTF_KIND_FUNC_PROTO:
		return "FUNC_PROTO";
	case BTF_KIND_FLOAT:
		return "FLOAT";
	case BTF_KIND_ENUM64:
		return "ENUM64";
	default:
		return "UNKNOWN";
	}
}

/* What lies at @off of struct @id; a struct that starts there counts only with @whole. */
static int walk_struct(struct env *env, const struct skep_btf *btf, u32 id, u32 off, u32 size,
		       bool whole, struct step *out)
{
	const struct btf_type *t, *mt;
	const struct btf_member *m;
	const char *tname;
	u32 vlen;

again:
	t = skep_btf_type(btf, id);
	tname = vf_type_name(btf, id);
	if (!skep_btf_is_struct(t)) {
		vf_say(env, "Type '%s' is not a struct\n", tname);
		return -EINVAL;
	}
	m = skep_btf_members(t);
	vlen = skep_btf_vlen(t);
	if (off + size > t->size) {
		u32 eid, n;

		/* A flexible array at the end has elements beyond the struct. */
		if (vlen && skep_btf_kind(t) == BTF_KIND_STRUCT) {
			const struct btf_type *last =
				skep_btf_skip_mods(btf, m[vlen - 1].type, &eid);
			u32 moff = skep_btf_member_bits(t, vlen - 1, &n) / 8;

			if (skep_btf_kind(last) == BTF_KIND_ARRAY &&
			    !skep_btf_array(last)->nelems && off >= moff) {
				const struct btf_type *et =
					skep_btf_skip_mods(btf, skep_btf_array(last)->type, &eid);

				/* How many there are nobody knows. */
				out->flags |= RF_UNTRUSTED;
				if (skep_btf_kind(et) == BTF_KIND_INT)
					return WALK_SCALAR;
				if (skep_btf_is_struct(et) && et->size) {
					off = (off - moff) % et->size;
					id = eid;
					goto again;
				}
			}
		}
		vf_say(env, "access beyond struct %s at off %u size %u\n", tname, off, size);
		return -EACCES;
	}
	for (u32 i = 0; i < vlen; i++) {
		u32 bits, bit = skep_btf_member_bits(t, i, &bits), moff = bit / 8, mid, n, msize,
			  end;
		s64 s;

		if (bits) {
			u32 last = (bit + bits + 7) / 8;

			if (off <= moff && last <= off + size)
				return WALK_SCALAR;
			continue;
		}
		if (off < moff && skep_btf_kind(t) != BTF_KIND_UNION)
			break;
		mt = flatten(btf, m[i].type, &mid, &n);
		s = mt ? skep_btf_size(btf, mid) : -EINVAL;
		if (s < 0) {
			vf_say(env, "field %s doesn't have size\n",
			       skep_btf_str(btf, m[i].name_off));
			return -EFAULT;
		}
		msize = (u32)s;
		end = moff + msize * n;
		if (off >= end)
			continue;
		if (n > 1)
			moff += (off - moff) / msize * msize;
		if (skep_btf_is_struct(mt)) {
			/* Which member of a union is valid is unknown. */
			if (skep_btf_kind(mt) == BTF_KIND_UNION && skep_btf_vlen(mt) != 1)
				out->flags |= RF_UNTRUSTED;
			off -= moff;
			id = mid;
			out->next_id = mid;
			if (whole && !off)
				return WALK_STRUCT;
			goto again;
		}
		if (skep_btf_kind(mt) == BTF_KIND_PTR) {
			u32 to;
			const struct btf_type *tt;

			if (size != msize || off != moff) {
				vf_say(env,
				       "cannot access ptr member %s with moff %u in struct %s "
				       "with off %u size %u\n",
				       skep_btf_str(btf, m[i].name_off), moff, tname, off, size);
				return -EACCES;
			}
			tt = skep_btf_skip_mods(btf, mt->type, &to);
			if (to && skep_btf_is_struct(tt)) {
				out->next_id = to;
				out->flags |= tag_flags(btf, mt);
				out->field = skep_btf_str(btf, m[i].name_off);
				return WALK_PTR;
			}
			/* Memory of unknown extent: any read of it is a probe. */
			return WALK_MEM;
		}
		if (off + size > end && !(out->flags & RF_UNTRUSTED)) {
			vf_say(env,
			       "access beyond the end of member %s (mend:%u) in struct %s with "
			       "off %u size %u\n",
			       skep_btf_str(btf, m[i].name_off), end, tname, off, size);
			return -EACCES;
		}
		return WALK_SCALAR;
	}
	vf_say(env, "struct %s doesn't have field at offset %u\n", tname, off);
	return -EINVAL;
}

/* Is (parent, field) in the presented kernel's list @suffix? */
static bool is_safe(const struct reg *r, const char *field, u32 to, const char *suffix)
{
	char name[128];
	const struct btf_type *t;
	const struct btf_member *m;
	u32 id;

	if (!field)
		return false;
	if (snprintf(name, sizeof(name), "%s%s",
		     skep_btf_name(r->btf, skep_btf_type(r->btf, r->btf_id)),
		     suffix) >= (int)sizeof(name))
		return false;
	id = skep_btf_find(r->btf, name, BTF_KIND_STRUCT);
	if (!id)
		return false;
	t = skep_btf_type(r->btf, id);
	m = skep_btf_members(t);
	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		u32 tid;
		const struct btf_type *mt = skep_btf_skip_mods(r->btf, m[i].type, NULL);

		if (strcmp(skep_btf_str(r->btf, m[i].name_off), field))
			continue;
		if (skep_btf_kind(mt) != BTF_KIND_PTR)
			continue;
		skep_btf_skip_mods(r->btf, mt->type, &tid);
		return tid == to;
	}
	return false;
}

static u16 walked_flags(struct env *env, const struct reg *r, const struct step *s)
{
	u16 flags = s->flags;

	if (r->flags & RF_UNTRUSTED)
		return RF_UNTRUSTED;
	if (!reg_is_trusted(r) && !reg_is_rcu(r))
		return flags & (RF_UNTRUSTED | RF_USER | RF_PERCPU);
	if (is_safe(r, s->field, s->next_id, "__safe_trusted"))
		return flags | RF_TRUSTED;
	if (is_safe(r, s->field, s->next_id, "__safe_trusted_or_null"))
		return flags | RF_TRUSTED | RF_MAYBE_NULL;
	if (!vf_in_rcu(env) || r->flags & RF_MAYBE_NULL)
		return RF_UNTRUSTED;
	if (is_safe(r, s->field, s->next_id, "__safe_rcu"))
		return flags | RF_RCU;
	if (is_safe(r, s->field, s->next_id, "__safe_rcu_or_null"))
		return (flags & ~RF_UNTRUSTED) | RF_RCU | RF_MAYBE_NULL;
	if (flags & RF_RCU)
		return flags | RF_MAYBE_NULL;
	if (flags & (RF_PERCPU | RF_USER))
		return flags;
	return flags & RF_UNTRUSTED;
}

int vf_check_btf(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		 int value_regno)
{
	struct reg *regs = vf_regs(env), r = regs[regno], *dst;
	const char *tname = skep_btf_name(r.btf, skep_btf_type(r.btf, r.btf_id));
	struct step s = {.next_id = r.btf_id};
	const struct skep_btf_record *rec;
	int ret;

	if (!env->req->gpl && skep_btf_is_kernel(r.btf)) {
		vf_say(env, "Cannot access kernel 'struct %s' from non-GPL compatible program\n",
		       tname);
		return -EINVAL;
	}
	if (off < 0) {
		vf_say(env, "R%u is ptr_%s invalid negative access: off=%d\n", regno, tname, off);
		return -EACCES;
	}
	if (!scalar_is_const(&r.v) || r.v.tn.value) {
		vf_say(env,
		       "R%u is ptr_%s invalid variable offset: off=%d, var_off=(0x%llx; 0x%llx)\n",
		       regno, tname, off, (unsigned long long)r.v.tn.value,
		       (unsigned long long)r.v.tn.mask);
		return -EACCES;
	}
	if (r.flags & RF_USER) {
		vf_say(env, "R%u is ptr_%s access user memory: off=%d\n", regno, tname, off);
		return -EACCES;
	}
	if (r.flags & RF_PERCPU) {
		vf_say(env, "R%u is ptr_%s access percpu memory: off=%d\n", regno, tname, off);
		return -EACCES;
	}
	if (kind != ACCESS_READ && !(r.flags & RF_ALLOC))
		return vf_check_btf_write(env, &r, off, size);
	rec = vf_record(env, &r);
	for (u32 i = 0; rec && i < rec->nr; i++) {
		const struct skep_btf_field *f = &rec->fields[i];

		if ((u64)(u32)off + size <= f->off || (u32)off >= f->off + f->size)
			continue;
		vf_say(env, "direct access to %s is disallowed\n", skep_btf_field_name(f->kind));
		return -EACCES;
	}
	ret = walk_struct(env, r.btf, r.btf_id, (u32)off, size, false, &s);
	if (ret < 0)
		return ret;
	if (value_regno < 0 || kind != ACCESS_READ)
		return 0;
	if (r.flags & RF_ALLOC)
		ret = WALK_SCALAR; /* whatever a program wrote there */
	dst = &regs[value_regno];
	if (ret == WALK_MEM) {
		reg_set_ptr(dst, RK_MEM, RF_RDONLY | RF_UNTRUSTED);
		return 0;
	}
	if (ret != WALK_PTR) {
		reg_set_unknown(dst);
		return 0;
	}
	reg_set_btf(dst, r.btf, s.next_id, walked_flags(env, &r, &s));
	dst->subreg_def = 0;
	if (dst->flags & RF_MAYBE_NULL)
		dst->id = ++env->id_gen;
	return 0;
}

/* The kernel's struct behind a map of @type; it starts with struct bpf_map. */
static const char *map_struct(u32 type)
{
	switch (type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return "bpf_htab";
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_PROG_ARRAY:
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
	case BPF_MAP_TYPE_CGROUP_ARRAY:
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
		return "bpf_array";
	case BPF_MAP_TYPE_LPM_TRIE:
		return "lpm_trie";
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
		return "bpf_queue_stack";
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_USER_RINGBUF:
		return "bpf_ringbuf_map";
	case BPF_MAP_TYPE_SK_STORAGE:
	case BPF_MAP_TYPE_TASK_STORAGE:
	case BPF_MAP_TYPE_INODE_STORAGE:
	case SKEP_MAP_TYPE_CGRP_STORAGE:
		return "bpf_local_storage_map";
	default:
		return "bpf_map";
	}
}

/* A map pointer seen as the kernel's struct. */
int vf_check_map_ptr(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		     int value_regno)
{
	const struct skep_btf *btf = env->host->kernel_btf(env->host->priv);
	struct reg *regs = vf_regs(env);
	struct step s = {0};
	const char *name;
	u32 id, base;
	int ret;

	name = map_struct(regs[regno].map->type);
	id = btf ? skep_btf_find(btf, name, BTF_KIND_STRUCT) : 0;
	base = btf ? skep_btf_find(btf, "bpf_map", BTF_KIND_STRUCT) : 0;
	if (!id) {
		vf_say(env, "map_ptr access not supported without CONFIG_DEBUG_INFO_BTF\n");
		return -SKEP_ENOTSUPP;
	}
	if (off < 0) {
		vf_say(env, "R%u is %s invalid negative access: off=%d\n", regno, name, off);
		return -EACCES;
	}
	if (kind != ACCESS_READ) {
		vf_say(env, "only read from %s is supported\n", name);
		return -EACCES;
	}
	ret = walk_struct(env, btf, id, (u32)off, size, false, &s);
	if (ret < 0)
		return ret;
	if (!env->host->verdict_only && (s64)off + size > skep_btf_size(btf, base)) {
		vf_say(env, "skep: fields of struct %s beyond struct bpf_map are not supported\n",
		       name);
		return -EINVAL;
	}
	if (value_regno < 0)
		return 0;
	if (ret == WALK_MEM)
		reg_set_ptr(&regs[value_regno], RK_MEM, RF_RDONLY | RF_UNTRUSTED);
	else if (ret == WALK_PTR)
		reg_set_btf(&regs[value_regno], btf, s.next_id, RF_UNTRUSTED);
	else
		reg_set_unknown(&regs[value_regno]);
	return 0;
}

bool vf_btf_match(struct env *env, const struct skep_btf *btf, u32 id, u32 off,
		  const struct skep_btf *want_btf, u32 want, bool strict)
{
	struct step s = {0};
	bool same =
		btf == want_btf || skep_btf_base(btf) == want_btf || skep_btf_base(want_btf) == btf;

	if (!off && id == want && same)
		return true;
	if (strict)
		return false;
	/* The wanted struct may lie at this offset inside, the first member at 0 again and again.
	 */
	while (walk_struct(env, btf, id, off, 1, true, &s) == WALK_STRUCT) {
		if (s.next_id == want && same)
			return true;
		id = s.next_id;
		off = 0;
	}
	return false;
}
