/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Special fields of map values and allocated objects: found by struct name and by pointer tag.
 */
#include <errno.h>
#include <string.h>

#include "btf/btf.h"

static const struct {
	const char *name;
	u32 size, align;
	bool once;
} by_struct[] = {
	[SKEP_FIELD_SPIN_LOCK] = {"bpf_spin_lock", 4, 4, true},
	[SKEP_FIELD_RES_SPIN_LOCK] = {"bpf_res_spin_lock", 4, 4, true},
	[SKEP_FIELD_TIMER] = {"bpf_timer", 16, 8, true},
	[SKEP_FIELD_WQ] = {"bpf_wq", 16, 8, true},
	[SKEP_FIELD_TASK_WORK] = {"bpf_task_work", 8, 8, true},
	[SKEP_FIELD_REFCOUNT] = {"bpf_refcount", 4, 4, true},
	[SKEP_FIELD_KPTR_UNREF] = {"kptr_untrusted", 8, 8, false},
	[SKEP_FIELD_KPTR_REF] = {"kptr", 8, 8, false},
	[SKEP_FIELD_KPTR_PERCPU] = {"percpu_kptr", 8, 8, false},
	[SKEP_FIELD_UPTR] = {"uptr", 8, 8, false},
	[SKEP_FIELD_LIST_HEAD] = {"bpf_list_head", 16, 8, false},
	[SKEP_FIELD_LIST_NODE] = {"bpf_list_node", 24, 8, false},
	[SKEP_FIELD_RB_ROOT] = {"bpf_rb_root", 16, 8, false},
	[SKEP_FIELD_RB_NODE] = {"bpf_rb_node", 32, 8, false},
};

const char *skep_btf_field_name(enum skep_field_kind kind)
{
	if (kind == SKEP_FIELD_KPTR_UNREF)
		return "kptr"; /* its tag tells it from a referenced one, its name does not */
	return kind < SKEP_NR_FIELD_KINDS ? by_struct[kind].name : "unknown";
}

const struct skep_btf_field *skep_btf_record_find(const struct skep_btf_record *r,
						  enum skep_field_kind kind)
{
	for (u32 i = 0; r && i < r->nr; i++)
		if (r->fields[i].kind == kind)
			return &r->fields[i];
	return NULL;
}

static bool is_tag_kind(u32 kind)
{
	return kind == SKEP_FIELD_KPTR_UNREF || kind == SKEP_FIELD_KPTR_REF ||
	       kind == SKEP_FIELD_KPTR_PERCPU || kind == SKEP_FIELD_UPTR;
}

/* Kind of the pointer type @t by its type tag; SKEP_NR_FIELD_KINDS when it has none of ours. */
static u32 pointer_kind(const struct skep_btf *b, const struct btf_type *t, u32 *ret_target)
{
	const struct btf_type *tag = skep_btf_type(b, t->type);

	if (!tag || skep_btf_kind(tag) != BTF_KIND_TYPE_TAG)
		return SKEP_NR_FIELD_KINDS;
	for (u32 k = 0; k < SKEP_NR_FIELD_KINDS; k++)
		if (is_tag_kind(k) && !strcmp(skep_btf_name(b, tag), by_struct[k].name)) {
			skep_btf_skip_mods(b, tag->type, ret_target);
			return k;
		}
	return SKEP_NR_FIELD_KINDS;
}

bool skep_btf_is_owning_ptr(const struct skep_btf *b, const struct btf_type *t)
{
	u32 id = 0;

	return skep_btf_kind(t) == BTF_KIND_PTR && pointer_kind(b, t, &id) == SKEP_FIELD_KPTR_REF &&
	       skep_btf_kind(skep_btf_type(b, id)) == BTF_KIND_STRUCT;
}

static int add_field(struct skep_btf_record *r, const struct skep_btf *b, u32 kind, u32 off,
		     u32 type_id)
{
	struct skep_btf_field *f;
	u32 at;

	if (off % by_struct[kind].align || !(r->kinds >> kind & 1))
		return 0; /* nothing that anybody could use */
	if (by_struct[kind].once && r->mask & 1u << kind)
		return -E2BIG;
	if (r->nr == SKEP_BTF_MAX_FIELDS)
		return -E2BIG;
	for (at = r->nr; at && r->fields[at - 1].off > off; at--)
		r->fields[at] = r->fields[at - 1];
	f = &r->fields[at];
	memset(f, 0, sizeof(*f));
	f->kind = (u8)kind;
	f->off = off;
	f->size = by_struct[kind].size;
	f->type_id = type_id;
	f->btf = b;
	r->nr++;
	r->mask |= 1u << kind;
	return 0;
}

/*
 * What a list head or tree root holds is said by a tag on it, "contains:TYPE:MEMBER": member
 * @component of @owner, or the variable @owner (-1).
 */
static int set_root(const struct skep_btf *b, struct skep_btf_record *r, u32 off, u32 owner,
		    int component)
{
	const char *value = skep_btf_decl_tag(b, owner, component, "contains:");
	const char *colon = value ? strchr(value, ':') : NULL;
	struct skep_btf_field *f = r->fields;
	const char *node;
	char name[128];
	const struct btf_type *t;
	u32 id;

	while (f->off != off)
		f++;
	if (!colon || colon - value >= (long)sizeof(name))
		return -EINVAL;
	memcpy(name, value, (size_t)(colon - value));
	name[colon - value] = 0;
	id = skep_btf_find_own(b, name, BTF_KIND_STRUCT);
	if (!id)
		return -ENOENT;
	f->type_id = id;
	node = by_struct[f->kind == SKEP_FIELD_LIST_HEAD ? SKEP_FIELD_LIST_NODE
							 : SKEP_FIELD_RB_NODE]
		       .name;
	t = skep_btf_type(b, id);
	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		const struct btf_member *m = skep_btf_members(t) + i;
		const struct btf_type *mt = skep_btf_type(b, m->type);
		u32 width, bits = skep_btf_member_bits(t, i, &width);

		if (strcmp(skep_btf_str(b, m->name_off), colon + 1))
			continue;
		if (!mt || skep_btf_kind(mt) != BTF_KIND_STRUCT ||
		    strcmp(skep_btf_name(b, mt), node) || bits % 64)
			return -EINVAL;
		f->node_off = bits / 8;
		return 0;
	}
	return -ENOENT;
}

static int walk(const struct skep_btf *b, u32 id, u32 base, u32 limit, u32 depth,
		struct skep_btf_record *r);

/*
 * One object of type @id at @off, member @component of @owner: special itself, or a struct, array
 * or pointer to look into.
 */
static int visit(const struct skep_btf *b, u32 id, u32 off, u32 limit, u32 depth, u32 owner,
		 int component, struct skep_btf_record *r)
{
	u32 final, target = 0, kind;
	const struct btf_type *t = skep_btf_skip_mods(b, id, &final);
	u32 n = 1;
	s64 size;

	if (!t || depth > 8)
		return t ? -E2BIG : -EINVAL;
	if (skep_btf_kind(t) == BTF_KIND_ARRAY) {
		n = skep_btf_array(t)->nelems;
		id = skep_btf_array(t)->type;
		t = skep_btf_skip_mods(b, id, &final);
		if (!t)
			return -EINVAL;
	}
	if (skep_btf_kind(t) == BTF_KIND_PTR) {
		kind = pointer_kind(b, t, &target);
		/* To a struct that is there, not only declared. */
		if (kind < SKEP_NR_FIELD_KINDS && r->kinds >> kind & 1 &&
		    skep_btf_kind(skep_btf_type(b, target)) != BTF_KIND_STRUCT)
			return -EINVAL;
	} else if (skep_btf_kind(t) == BTF_KIND_STRUCT) {
		const char *name = skep_btf_name(b, t);

		for (kind = 0; kind < SKEP_NR_FIELD_KINDS; kind++)
			if (!is_tag_kind(kind) && !strcmp(name, by_struct[kind].name))
				break;
		if (kind < SKEP_NR_FIELD_KINDS && t->size != by_struct[kind].size)
			return 0; /* merely of the same name */
	} else {
		/* Nothing special, but the name of a field that there is one of already. */
		for (kind = 0; kind < SKEP_NR_FIELD_KINDS; kind++)
			if (by_struct[kind].once && r->mask & 1u << kind &&
			    !strcmp(skep_btf_name(b, t), by_struct[kind].name))
				return -E2BIG;
		return 0;
	}
	if (kind == SKEP_NR_FIELD_KINDS && skep_btf_kind(t) != BTF_KIND_STRUCT)
		return 0;
	size = skep_btf_size(b, id);
	for (u32 i = 0; i < n && size >= 0; i++) {
		u32 at = off + i * (u32)size, before = r->nr;
		int err = 0;

		if (kind < SKEP_NR_FIELD_KINDS)
			err = at + by_struct[kind].size > limit ? -EINVAL
								: add_field(r, b, kind, at, target);
		if (!err && r->nr > before &&
		    (kind == SKEP_FIELD_LIST_HEAD || kind == SKEP_FIELD_RB_ROOT))
			err = set_root(b, r, at, owner, component);
		if (kind == SKEP_NR_FIELD_KINDS)
			err = walk(b, final, at, limit, depth + 1, r);
		if (err)
			return err;
		if (r->nr == before)
			break; /* elements are alike: nothing special in the first, nothing in the
				  rest */
	}
	return 0;
}

static int walk(const struct skep_btf *b, u32 id, u32 base, u32 limit, u32 depth,
		struct skep_btf_record *r)
{
	const struct btf_type *t = skep_btf_type(b, id);

	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		u32 width, bits = skep_btf_member_bits(t, i, &width);
		int err;

		if (bits % 8)
			return -EINVAL;
		if (width)
			continue;
		err = visit(b, skep_btf_members(t)[i].type, base + bits / 8, limit, depth, id,
			    (int)i, r);
		if (err)
			return err;
	}
	return 0;
}

static int parse(const struct skep_btf *b, u32 id, u32 value_size, struct skep_btf_record *ret_rec)
{
	u32 final;
	const struct btf_type *t = skep_btf_skip_mods(b, id, &final);

	if (!t)
		return -EINVAL;
	if (skep_btf_kind(t) == BTF_KIND_DATASEC) {
		for (u32 i = 0; i < skep_btf_vlen(t); i++) {
			const struct btf_var_secinfo *v = skep_btf_secinfos(t) + i;
			const struct btf_type *var = skep_btf_type(b, v->type);
			int err =
				visit(b, var->type, v->offset, value_size, 0, v->type, -1, ret_rec);

			if (err)
				return err;
		}
		return 0;
	}
	if (skep_btf_kind(t) != BTF_KIND_STRUCT)
		return 0;
	return walk(b, final, 0, value_size, 0, ret_rec);
}

int skep_btf_parse_fields(const struct skep_btf *b, u32 id, u32 value_size, u32 kinds,
			  struct skep_btf_record *ret_rec)
{
	const u32 nodes = 1u << SKEP_FIELD_LIST_NODE | 1u << SKEP_FIELD_RB_NODE;
	const u32 locks = 1u << SKEP_FIELD_SPIN_LOCK | 1u << SKEP_FIELD_RES_SPIN_LOCK;
	int err;

	memset(ret_rec, 0, sizeof(*ret_rec));
	ret_rec->kinds = kinds;
	err = parse(b, id, value_size, ret_rec);
	if (err)
		return err;
	if (ret_rec->mask & SKEP_FIELD_ROOTS && !(ret_rec->mask & locks))
		return -EINVAL; /* nothing to protect them with */
	/* In two collections at once: who is the last to let go must be counted. */
	if ((ret_rec->mask & nodes) == nodes && !(ret_rec->mask & 1u << SKEP_FIELD_REFCOUNT))
		return -EINVAL;
	return 0;
}

bool skep_btf_is_object(const struct skep_btf *b, u32 id)
{
	static const u8 direct[] = {
		SKEP_FIELD_SPIN_LOCK, SKEP_FIELD_RES_SPIN_LOCK, SKEP_FIELD_LIST_HEAD,
		SKEP_FIELD_LIST_NODE, SKEP_FIELD_RB_ROOT,	SKEP_FIELD_RB_NODE,
		SKEP_FIELD_REFCOUNT,
	};
	const struct btf_type *t = skep_btf_type(b, id);

	if (!t || skep_btf_kind(t) != BTF_KIND_STRUCT)
		return false;
	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		const struct btf_type *mt = skep_btf_type(b, skep_btf_members(t)[i].type);

		if (!mt)
			continue;
		if (skep_btf_is_owning_ptr(b, mt))
			return true;
		for (u32 k = 0; skep_btf_kind(mt) == BTF_KIND_STRUCT && k < ARRAY_SIZE(direct); k++)
			if (!strcmp(skep_btf_name(b, mt), by_struct[direct[k]].name))
				return true;
	}
	return false;
}

int skep_btf_check_owners(const struct skep_btf *b, const struct skep_btf_record *r)
{
	const u32 nodes = 1u << SKEP_FIELD_LIST_NODE | 1u << SKEP_FIELD_RB_NODE;

	for (u32 i = 0; i < r->nr; i++) {
		const struct skep_btf_field *f = &r->fields[i];
		struct skep_btf_record held;

		if (!(SKEP_FIELD_ROOTS >> f->kind & 1))
			continue;
		if (!skep_btf_is_object(b, f->type_id))
			return -EFAULT;
		/* What is held itself must not hold what holds more: no cycle of owners. */
		if (r->mask & nodes &&
		    !skep_btf_parse_fields(b, f->type_id, skep_btf_type(b, f->type_id)->size,
					   SKEP_FIELDS_OF_OBJECT, &held) &&
		    held.mask & SKEP_FIELD_ROOTS)
			return -ELOOP;
	}
	return 0;
}
