/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of BTF that an application hands in.
 *
 * Two passes. The first (check_meta) sees one type at a time while the section is walked: kinds,
 * flags, names, counts. The second sees references: every id exists and is of a kind that may
 * stand there, sizes agree, and two graphs have no cycle: the one through which sizes are
 * computed (members, elements, modifiers, variables; a pointer is a leaf), and the one of
 * pointers and modifiers. Depth is bounded by 32, as in the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "btf/internal.h"

#define MAX_DEPTH 32

struct checker {
	const struct skep_btf *b;
	const struct skep_btf_log *log;
	u8 *state; /* per own type and graph: 0 new, 1 on the path, 2 done */
};

static bool name_exists(const struct skep_btf *b, u32 off)
{
	while (b->base && off < b->start_str)
		b = b->base;
	return off - b->start_str < b->strs_len;
}

/* C identifier, at most 127 characters; "." and other bytes only in section names. */
static bool name_ok(const char *s, bool section)
{
	size_t n = 0;

	if (!*s)
		return false;
	for (; s[n]; n++) {
		unsigned char c = (unsigned char)s[n];

		if (n >= 127)
			return false;
		if (section ? !isprint(c)
			    : !(skep_is_letter(c) || c == '_' || c == '.' || (n && isdigit(c))))
			return false;
	}
	return true;
}

static int bad(const struct skep_btf_log *log, u32 id, const char *why)
{
	skep_btf_complain(log, "[%u] %s\n", id, why);
	return -EINVAL;
}

static int check_int(const struct btf_type *t, u32 id, const struct skep_btf_log *log)
{
	u32 enc = skep_btf_int_enc(t), bits = BTF_INT_BITS(enc) + BTF_INT_OFFSET(enc);
	u32 kind = BTF_INT_ENCODING(enc);

	if (skep_btf_vlen(t))
		return bad(log, id, "vlen != 0");
	if (enc & ~0x0fff00ffu)
		return bad(log, id, "Invalid int_data");
	if (bits > 128)
		return bad(log, id, "nr_bits exceeds 128");
	if (t->size * 8ull < bits)
		return bad(log, id, "nr_bits exceeds type_size");
	if (kind && kind != BTF_INT_SIGNED && kind != BTF_INT_CHAR && kind != BTF_INT_BOOL) {
		bad(log, id, "Unsupported encoding");
		return -SKEP_ENOTSUPP;
	}
	return 0;
}

/* Not void, and not beyond what any BTF may have. */
static bool id_ok(u32 id)
{
	return id && id <= BTF_MAX_TYPE;
}

static int check_struct_meta(const struct skep_btf *b, const struct btf_type *t, u32 id,
			     const struct skep_btf_log *log)
{
	bool is_union = skep_btf_kind(t) == BTF_KIND_UNION;
	u32 last = 0;

	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		const struct btf_member *m = skep_btf_members(t) + i;
		u32 off = skep_btf_member_bits(t, i, NULL);

		if (!name_exists(b, m->name_off))
			return bad(log, id, "Invalid member name_offset");
		if (m->name_off && !name_ok(skep_btf_str(b, m->name_off), false))
			return bad(log, id, "Invalid name");
		if (!id_ok(m->type))
			return bad(log, id, "Invalid type_id");
		if (is_union && off)
			return bad(log, id, "Invalid member bits_offset");
		if (off < last)
			return bad(log, id, "Invalid member bits_offset");
		if ((off + 7) / 8 > t->size)
			return bad(log, id, "Member bits_offset exceeds its struct size");
		last = off;
	}
	return 0;
}

static int check_enum(const struct skep_btf *b, const struct btf_type *t, u32 id,
		      const struct skep_btf_log *log)
{
	bool wide = skep_btf_kind(t) == BTF_KIND_ENUM64;

	if (t->size > 8 || !t->size || t->size & (t->size - 1))
		return bad(log, id, "Unexpected size");
	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		u32 off = wide ? ((const struct btf_enum64 *)(t + 1))[i].name_off
			       : ((const struct btf_enum *)(t + 1))[i].name_off;

		if (!name_exists(b, off))
			return bad(log, id, "Invalid name_offset");
		if (!off || !name_ok(skep_btf_str(b, off), false))
			return bad(log, id, "Invalid name");
	}
	return 0;
}

static int check_datasec(const struct btf_type *t, u32 id, const struct skep_btf_log *log)
{
	u64 last = 0, sum = 0;

	if (!t->size)
		return bad(log, id, "size == 0");
	for (u32 i = 0; i < skep_btf_vlen(t); i++) {
		const struct btf_var_secinfo *v = skep_btf_secinfos(t) + i;

		if (!id_ok(v->type))
			return bad(log, id, "Invalid type_id");
		if (v->offset < last || v->offset >= t->size)
			return bad(log, id, "Invalid offset");
		if (!v->size || v->size > t->size)
			return bad(log, id, "Invalid size");
		last = (u64)v->offset + v->size;
		if (last > t->size)
			return bad(log, id, "Invalid offset+size");
		sum += v->size;
	}
	if (sum > t->size)
		return bad(log, id, "Invalid btf_info size");
	return 0;
}

/* Which kinds need a name, must not have one, or may. */
static int check_name(const struct skep_btf *b, const struct btf_type *t, u32 id,
		      const struct skep_btf_log *log)
{
	const char *name = skep_btf_name(b, t);

	switch (skep_btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_ARRAY:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC_PROTO:
		return t->name_off ? bad(log, id, "Invalid name") : 0;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_FWD:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
		return name_ok(name, false) ? 0 : bad(log, id, "Invalid name");
	case BTF_KIND_DATASEC:
		return name_ok(name, true) ? 0 : bad(log, id, "Invalid name");
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_DECL_TAG:
		return *name ? 0 : bad(log, id, "Invalid value");
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return !t->name_off || name_ok(name, false) ? 0 : bad(log, id, "Invalid name");
	default:
		return 0;
	}
}

s64 skep_btf_check_meta(const struct skep_btf *b, const struct btf_type *t, u32 id, u32 left,
			const struct skep_btf_log *log)
{
	u32 kind = skep_btf_kind(t), vlen = skep_btf_vlen(t);
	s64 extra = skep_btf_trailing(t);
	int err;

	if (t->info & ~0x9f00ffffu) {
		return bad(log, id, "Invalid btf_info");
	}
	if (!kind || kind > BTF_KIND_ENUM64 || extra < 0)
		return bad(log, id, "Invalid kind");
	if (!name_exists(b, t->name_off))
		return bad(log, id, "Invalid name_offset");
	if ((u64)extra > left)
		return bad(log, id, "meta_left too small");
	err = check_name(b, t, id, log);
	if (err)
		return err;
	if (skep_btf_kflag(t) && kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION &&
	    kind != BTF_KIND_FWD && kind != BTF_KIND_ENUM && kind != BTF_KIND_ENUM64 &&
	    kind != BTF_KIND_TYPE_TAG && kind != BTF_KIND_DECL_TAG)
		return bad(log, id, "Invalid btf_info kind_flag");

	switch (kind) {
	case BTF_KIND_INT:
		err = check_int(t, id, log);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		err = check_struct_meta(b, t, id, log);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		err = check_enum(b, t, id, log);
		break;
	case BTF_KIND_DATASEC:
		err = check_datasec(t, id, log);
		break;
	case BTF_KIND_ARRAY:
		if (vlen || t->size)
			err = bad(log, id, "vlen != 0");
		else if (!id_ok(skep_btf_array(t)->type) || !id_ok(skep_btf_array(t)->index_type))
			err = bad(log, id, "Invalid elem");
		break;
	case BTF_KIND_FWD:
		if (vlen || t->type)
			err = bad(log, id, "vlen != 0");
		break;
	case BTF_KIND_FUNC:
		if (vlen > BTF_FUNC_GLOBAL)
			err = bad(log, id, "Invalid func linkage");
		break;
	case BTF_KIND_VAR:
		if (vlen)
			err = bad(log, id, "vlen != 0");
		else if (!id_ok(t->type))
			err = bad(log, id, "Invalid type_id");
		else if (*(const u32 *)(t + 1) > 1)
			err = bad(log, id, "Linkage not supported");
		break;
	case BTF_KIND_FLOAT:
		if (vlen || (t->size != 2 && t->size != 4 && t->size != 8 && t->size != 12 &&
			     t->size != 16))
			err = bad(log, id, "Invalid type_size");
		break;
	case BTF_KIND_DECL_TAG:
		if (vlen || *(const s32 *)(t + 1) < -1)
			err = bad(log, id, "Invalid component_idx");
		break;
	case BTF_KIND_FUNC_PROTO:
		break;
	default:
		if (vlen)
			err = bad(log, id, "vlen != 0");
		else if (t->type > BTF_MAX_TYPE)
			err = bad(log, id, "Invalid type_id");
	}
	return err ? err : extra;
}

/*
 * The @n-th reference of a type that keeps a graph going: 0 when there are no more.
 * Graph 0 computes sizes, graph 1 follows pointers and modifiers.
 */
static u32 edge(const struct btf_type *t, u32 n, u32 graph)
{
	switch (skep_btf_kind(t)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return n ? 0 : t->type;
	case BTF_KIND_PTR:
		return graph && !n ? t->type : 0;
	case BTF_KIND_VAR:
		return !graph && !n ? t->type : 0;
	case BTF_KIND_ARRAY:
		if (graph || n > 1)
			return 0;
		return n ? skep_btf_array(t)->index_type : skep_btf_array(t)->type;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return !graph && n < skep_btf_vlen(t) ? skep_btf_members(t)[n].type : 0;
	case BTF_KIND_DATASEC:
		return !graph && n < skep_btf_vlen(t) ? skep_btf_secinfos(t)[n].type : 0;
	}
	return 0;
}

/* A type that takes room where it stands; a variable is a name for one, not one. */
static bool is_sized(const struct skep_btf *b, u32 id)
{
	const struct btf_type *t = skep_btf_skip_mods(b, id, NULL);

	return t && skep_btf_kind(t) != BTF_KIND_VAR && skep_btf_kind(t) != BTF_KIND_DATASEC &&
	       skep_btf_size(b, id) >= 0;
}

/* An integer of as many bits as a register, its halves or two of them have. */
static bool is_regular_int(const struct btf_type *t)
{
	u32 enc = skep_btf_int_enc(t), bits = BTF_INT_BITS(enc);

	return !BTF_INT_OFFSET(enc) &&
	       (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128);
}

/* One member, whose type is known to be good, in its place. */
static int check_member(struct checker *c, const struct btf_type *t, u32 id, u32 i)
{
	const struct btf_member *m = skep_btf_members(t) + i;
	u32 width, off = skep_btf_member_bits(t, i, &width);
	const struct btf_type *mt = skep_btf_skip_mods(c->b, m->type, NULL);
	s64 size = skep_btf_size(c->b, m->type);
	u64 bits;

	if (!mt || size < 0 || !is_sized(c->b, m->type))
		return bad(c->log, id, "Invalid member type_id");
	bits = (u64)size * 8;
	if (skep_btf_kflag(t) && skep_btf_kind(mt) == BTF_KIND_INT && !is_regular_int(mt))
		return bad(c->log, id, "Invalid int data");
	if (width) {
		u32 kind = skep_btf_kind(mt);

		if ((kind != BTF_KIND_INT && kind != BTF_KIND_ENUM && kind != BTF_KIND_ENUM64) ||
		    width > bits)
			return bad(c->log, id, "Invalid member bitfield_size");
		bits = width;
	} else if (skep_btf_kind(mt) == BTF_KIND_INT) {
		/* A legacy bit-field: the INT's own bit offset and width count. */
		u32 enc = skep_btf_int_enc(mt);

		bits = BTF_INT_BITS(enc) + BTF_INT_OFFSET(enc);
		if (skep_btf_kflag(t) && off % 8)
			return bad(c->log, id, "Invalid member bits_offset");
	} else if (skep_btf_kind(mt) == BTF_KIND_FLOAT && off % (SKEP_MIN(mt->size, 8u) * 8)) {
		return bad(c->log, id, "Member is not properly aligned");
	} else if (off % 8) {
		return bad(c->log, id, "Member is not byte aligned");
	}
	if (off + bits > (u64)t->size * 8)
		return bad(c->log, id, "Member exceeds struct_size");
	return 0;
}

/* Variables stand in sections and nowhere else, sections nowhere: seen before any cycle is. */
static bool edge_ok(u32 kind, u32 to)
{
	return to != BTF_KIND_DATASEC && (kind == BTF_KIND_DATASEC) == (to == BTF_KIND_VAR);
}

/* Depth-first from @root with a stack of at most MAX_DEPTH types. */
static int check_acyclic(struct checker *c, u32 root, u32 graph)
{
	const struct skep_btf *b = c->b;
	struct {
		u32 id, next;
	} path[MAX_DEPTH];
	u8 *state = c->state + (size_t)graph * (b->nr_types - b->start_id);
	u32 depth = 0;

	if (state[root - b->start_id])
		return 0;
	path[depth].id = root;
	path[depth++].next = 0;
	state[root - b->start_id] = 1;
	while (depth) {
		u32 id = path[depth - 1].id, n = path[depth - 1].next++, to;
		const struct btf_type *t = skep_btf_type(b, id);

		/* Members are looked at one by one: a mistake in one wins over a cycle in the next.
		 */
		if (!graph && n && skep_btf_is_struct(t) && check_member(c, t, id, n - 1))
			return -EINVAL;
		to = edge(t, n, graph);
		if (!to) {
			state[id - b->start_id] = 2;
			depth--;
			continue;
		}
		if (to >= b->nr_types)
			return bad(c->log, id, "Invalid type_id");
		if (to < b->start_id || state[to - b->start_id] == 2)
			continue;
		if (!edge_ok(skep_btf_kind(skep_btf_type(b, id)),
			     skep_btf_kind(skep_btf_type(b, to))))
			return bad(c->log, id, "Invalid type_id");
		if (state[to - b->start_id] == 1) {
			bad(c->log, to, "Loop detected");
			return -EEXIST;
		}
		if (depth == MAX_DEPTH) {
			skep_btf_complain(c->log, "[%u] Exceeded max resolve depth:%u\n", to,
					  MAX_DEPTH);
			return -E2BIG;
		}
		state[to - b->start_id] = 1;
		path[depth].id = to;
		path[depth++].next = 0;
	}
	return 0;
}

static int check_proto(struct checker *c, const struct btf_type *t, u32 id)
{
	const struct btf_param *p = skep_btf_params(t);
	u32 n = skep_btf_vlen(t);

	if (t->type && (t->type >= c->b->nr_types || !is_sized(c->b, t->type)))
		return bad(c->log, id, "Invalid return type");
	for (u32 i = 0; i < n; i++) {
		if (!p[i].type) {
			/* "..." is the last one, unnamed. */
			if (i + 1 != n || p[i].name_off)
				return bad(c->log, id, "Invalid arg");
			continue;
		}
		if (p[i].type >= c->b->nr_types || !is_sized(c->b, p[i].type) ||
		    !name_exists(c->b, p[i].name_off) ||
		    (p[i].name_off && !name_ok(skep_btf_str(c->b, p[i].name_off), false)))
			return bad(c->log, id, "Invalid arg");
	}
	return 0;
}

/* A function's arguments, unlike those of a bare prototype, have names. */
static int check_func(struct checker *c, const struct btf_type *t, u32 id)
{
	const struct btf_type *to = skep_btf_type(c->b, t->type);

	if (!to || skep_btf_kind(to) != BTF_KIND_FUNC_PROTO)
		return bad(c->log, id, "Invalid type_id");
	for (u32 i = 0; i < skep_btf_vlen(to); i++)
		if (skep_btf_params(to)[i].type && !skep_btf_params(to)[i].name_off)
			return bad(c->log, id, "Invalid arg");
	return 0;
}

/* Type tags stand before const and the like, seen from the pointer. */
static int check_tags_first(struct checker *c, u32 id)
{
	const struct btf_type *t = skep_btf_type(c->b, id);
	bool in_tags = skep_btf_kind(t) == BTF_KIND_TYPE_TAG;

	for (;; t = skep_btf_type(c->b, t->type)) {
		switch (t ? skep_btf_kind(t) : 0) {
		case BTF_KIND_TYPE_TAG:
			if (!in_tags)
				return bad(c->log, id, "Type tags don't precede modifiers");
			break;
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPEDEF:
			in_tags = false;
			break;
		default:
			return 0;
		}
	}
}

static int check_decl_tag(struct checker *c, const struct btf_type *t, u32 id)
{
	const struct btf_type *to = skep_btf_type(c->b, t->type);
	s32 component = *(const s32 *)(t + 1);
	u32 kind = to ? skep_btf_kind(to) : 0, n = 0;

	if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION && kind != BTF_KIND_FUNC &&
	    kind != BTF_KIND_VAR && kind != BTF_KIND_TYPEDEF)
		return bad(c->log, id, "Invalid type_id");
	if (component < 0)
		return 0;
	if (kind == BTF_KIND_VAR || kind == BTF_KIND_TYPEDEF)
		return bad(c->log, id, "Invalid component_idx");
	if (kind == BTF_KIND_FUNC) {
		const struct btf_type *proto = skep_btf_type(c->b, to->type);

		if (!proto || skep_btf_kind(proto) != BTF_KIND_FUNC_PROTO)
			return bad(c->log, id, "Invalid type_id");
		n = skep_btf_vlen(proto);
	} else {
		n = skep_btf_vlen(to);
	}
	return (u32)component < n ? 0 : bad(c->log, id, "Invalid component_idx");
}

/* References of one type, once both graphs are known to be free of cycles. */
static int check_references(struct checker *c, const struct btf_type *t, u32 id)
{
	const struct skep_btf *b = c->b;
	const struct btf_type *to;

	switch (skep_btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return 0; /* seen on the way */
	case BTF_KIND_ARRAY:
		to = skep_btf_skip_mods(b, skep_btf_array(t)->index_type, NULL);
		if (!to || skep_btf_kind(to) != BTF_KIND_INT || !is_regular_int(to))
			return bad(c->log, id, "Invalid index");
		to = skep_btf_skip_mods(b, skep_btf_array(t)->type, NULL);
		if (to && skep_btf_kind(to) == BTF_KIND_INT && !is_regular_int(to))
			return bad(c->log, id, "Invalid array of int");
		return is_sized(b, skep_btf_array(t)->type) && is_sized(b, id)
			       ? 0
			       : bad(c->log, id, "Invalid elem");
	case BTF_KIND_FUNC_PROTO:
		return check_proto(c, t, id);
	case BTF_KIND_FUNC:
		return check_func(c, t, id);
	case BTF_KIND_VAR:
		return is_sized(b, t->type) ? 0 : bad(c->log, id, "Invalid type_id");
	case BTF_KIND_DATASEC:
		for (u32 i = 0; i < skep_btf_vlen(t); i++) {
			const struct btf_var_secinfo *v = skep_btf_secinfos(t) + i;
			s64 size;

			to = skep_btf_type(b, v->type);
			if (!to || skep_btf_kind(to) != BTF_KIND_VAR)
				return bad(c->log, id, "Not a VAR kind member");
			size = skep_btf_size(b, v->type);
			/* A variable that comes later is resolved after its entry was looked at. */
			if (size < 0 || (v->type < id && size > v->size))
				return bad(c->log, id, "Invalid size");
		}
		return 0;
	case BTF_KIND_DECL_TAG:
		return check_decl_tag(c, t, id);
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		to = skep_btf_type(b, t->type);
		if (!to || skep_btf_kind(to) == BTF_KIND_VAR ||
		    skep_btf_kind(to) == BTF_KIND_DATASEC ||
		    skep_btf_kind(to) == BTF_KIND_DECL_TAG || skep_btf_kind(to) == BTF_KIND_FUNC)
			return bad(c->log, id, "Invalid type_id");
		return skep_btf_kind(t) == BTF_KIND_PTR ? 0 : check_tags_first(c, id);
	}
	return 0;
}

/* What a tagged pointer points to has to be there. */
static int check_targets(const struct skep_btf *b, const struct skep_btf_record *r)
{
	const u32 kptrs = 1u << SKEP_FIELD_KPTR_UNREF | 1u << SKEP_FIELD_KPTR_REF |
			  1u << SKEP_FIELD_KPTR_PERCPU | 1u << SKEP_FIELD_UPTR;

	for (u32 i = 0; i < r->nr; i++) {
		const struct btf_type *t = skep_btf_type(b, r->fields[i].type_id);

		if (kptrs >> r->fields[i].kind & 1 && (!t || skep_btf_kind(t) != BTF_KIND_STRUCT))
			return -EINVAL;
	}
	return 0;
}

/* A struct with such a field must be one that can be allocated: its fields have to make sense. */
static int check_object_fields(struct checker *c)
{
	const struct skep_btf *b = c->b;

	for (u32 id = b->start_id; id < b->nr_types; id++) {
		const struct btf_type *t = skep_btf_type(b, id);
		struct skep_btf_record r;
		int err;

		if (!skep_btf_is_object(b, id))
			continue;
		err = skep_btf_parse_fields(b, id, t->size, SKEP_FIELDS_OF_OBJECT, &r);
		if (!err && !r.nr)
			err = -EFAULT;
		if (!err)
			err = check_targets(b, &r);
		if (!err)
			err = skep_btf_check_owners(b, &r);
		if (err) {
			skep_btf_complain(c->log, "[%u] Invalid special fields\n", id);
			return err;
		}
	}
	return 0;
}

int skep_btf_check_types(const struct skep_btf *b, const struct skep_btf_log *log)
{
	u32 own = b->nr_types - b->start_id;
	struct checker c = {.b = b, .log = log};
	int err = 0;

	c.state = skep_calloc(own + 1, 2);
	if (!c.state)
		return -ENOMEM;
	for (u32 id = b->start_id; !err && id < b->nr_types; id++) {
		err = check_acyclic(&c, id, 0);
		if (!err)
			err = check_acyclic(&c, id, 1);
		if (!err)
			err = check_references(&c, skep_btf_type(b, id), id);
	}
	if (!err)
		err = check_object_fields(&c);
	skep_free(c.state);
	return err;
}
