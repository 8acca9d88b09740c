/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the types of a module out of the built-in BTF, on top of the presented one.
 *
 * Starting from the functions asked for, types are looked at in the order in which they are first
 * referred to. One that the presented kernel has under its name is referred to there; a pointer, a
 * qualifier, a prototype, or a type that the kernel lacks is copied and becomes the module's. Ids
 * and string offsets continue the base's, as in any split BTF.
 *
 * The bytes live as long as the process, like the presented BTF's.
 */
#include "kern/kernel_btf.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

struct bytes {
	u8 *data;
	u32 len, room;
};

struct writer {
	const struct skep_btf *base, *from;
	u32 *ids;      /* of a type of @from: its id in the module's BTF, 0 not known yet */
	u32 *queue;    /* types to copy; number i gets id first + i */
	u32 nr, first; /* queued, first id */
	u32 str_start; /* offset of the module's first string */
	struct bytes types, strs;
	int err;
};

static void *append(struct writer *w, struct bytes *b, const void *data, u32 n)
{
	void *at;

	if (!w->err && b->len + n > b->room) {
		u32 room = SKEP_MAX(b->room * 2, b->len + n + 1024);
		u8 *grown = skep_realloc(b->data, room);

		if (grown) {
			b->data = grown;
			b->room = room;
		} else {
			w->err = -ENOMEM;
		}
	}
	if (w->err)
		return NULL;
	at = b->data + b->len;
	memcpy(at, data, n);
	b->len += n;
	return at;
}

static u32 copy_name(struct writer *w, u32 off)
{
	const char *s = skep_btf_str(w->from, off);
	u32 at = w->strs.len;

	if (!*s)
		return 0;
	append(w, &w->strs, s, (u32)strlen(s) + 1);
	return w->str_start + at;
}

/* The presented kernel's type that is this one, 0 when it has none. */
static u32 find_in_base(const struct writer *w, const struct btf_type *t)
{
	const char *name = skep_btf_name(w->from, t);
	u32 kind = skep_btf_kind(t), id;

	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_TYPEDEF:
		id = *name ? skep_btf_find(w->base, name, kind) : 0;
		break;
	case BTF_KIND_FWD:
		id = skep_btf_find(w->base, name,
				   skep_btf_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT);
		break;
	default:
		return 0;
	}
	if (id && kind == BTF_KIND_INT && skep_btf_type(w->base, id)->size != t->size)
		return 0;
	return id;
}

static u32 map_id(struct writer *w, u32 id)
{
	if (!id || w->ids[id])
		return w->ids[id];
	w->ids[id] = find_in_base(w, skep_btf_type(w->from, id));
	if (!w->ids[id]) {
		w->queue[w->nr] = id;
		w->ids[id] = w->first + w->nr++;
	}
	return w->ids[id];
}

/* The records behind a type, with what they refer to. */
static void copy_records(struct writer *w, const struct btf_type *t)
{
	u32 n = skep_btf_vlen(t), enc;

	switch (skep_btf_kind(t)) {
	case BTF_KIND_INT:
		enc = skep_btf_int_enc(t);
		append(w, &w->types, &enc, sizeof(enc));
		break;
	case BTF_KIND_ARRAY: {
		struct btf_array a = *skep_btf_array(t);

		a.type = map_id(w, a.type);
		a.index_type = map_id(w, a.index_type);
		append(w, &w->types, &a, sizeof(a));
		break;
	}
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (u32 i = 0; i < n; i++) {
			struct btf_member m = skep_btf_members(t)[i];

			m.name_off = copy_name(w, m.name_off);
			m.type = map_id(w, m.type);
			append(w, &w->types, &m, sizeof(m));
		}
		break;
	case BTF_KIND_ENUM:
		for (u32 i = 0; i < n; i++) {
			struct btf_enum e = ((const struct btf_enum *)(t + 1))[i];

			e.name_off = copy_name(w, e.name_off);
			append(w, &w->types, &e, sizeof(e));
		}
		break;
	case BTF_KIND_ENUM64:
		for (u32 i = 0; i < n; i++) {
			struct btf_enum64 e = ((const struct btf_enum64 *)(t + 1))[i];

			e.name_off = copy_name(w, e.name_off);
			append(w, &w->types, &e, sizeof(e));
		}
		break;
	case BTF_KIND_FUNC_PROTO:
		for (u32 i = 0; i < n; i++) {
			struct btf_param p = skep_btf_params(t)[i];

			p.name_off = copy_name(w, p.name_off);
			p.type = map_id(w, p.type);
			append(w, &w->types, &p, sizeof(p));
		}
		break;
	default:
		break;
	}
}

static bool has_size(const struct btf_type *t)
{
	switch (skep_btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_ARRAY:
	case BTF_KIND_FWD:
		return true;
	default:
		return false;
	}
}

static void copy_type(struct writer *w, u32 id)
{
	const struct btf_type *t = skep_btf_type(w->from, id);
	struct btf_type head = *t;

	head.name_off = copy_name(w, t->name_off);
	if (!has_size(t))
		head.type = map_id(w, t->type);
	append(w, &w->types, &head, sizeof(head));
	copy_records(w, t);
}

/* Header, types, strings, in one piece that stays. */
static int finish(struct writer *w, struct skep_btf **ret_btf)
{
	struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = w->types.len,
		.str_off = w->types.len,
		.str_len = w->strs.len,
	};
	u32 size = sizeof(h) + h.type_len + h.str_len;
	u8 *all = skep_alloc(size);
	int err;

	if (!all)
		return -ENOMEM;
	memcpy(all, &h, sizeof(h));
	memcpy(all + sizeof(h), w->types.data, h.type_len);
	memcpy(all + sizeof(h) + h.type_len, w->strs.data, h.str_len);
	err = skep_btf_open_kernel(all, size, (struct skep_btf *)w->base, SKEP_MODULE_NAME,
				   ret_btf);
	if (err)
		skep_free(all);
	return err;
}

int skep_module_btf_new(const struct skep_btf *base, const char *const names[], u32 n,
			struct skep_btf **ret_btf)
{
	struct skep_btf *from = NULL;
	struct writer w = {.base = base, .first = skep_btf_nr_types(base)};
	const struct btf_header *h;
	u32 size, nr_from;
	int err = skep_builtin_btf_open(&from);

	if (err)
		return err;
	h = skep_btf_raw(base, &size);
	w.str_start = h->str_len;
	w.from = from;
	nr_from = skep_btf_nr_types(from);
	w.ids = skep_calloc(nr_from, sizeof(u32));
	w.queue = skep_calloc(nr_from, sizeof(u32));
	if (!w.ids || !w.queue)
		w.err = -ENOMEM;
	for (u32 i = 0; i < n && !w.err; i++) {
		u32 id = skep_btf_find(base, names[i], BTF_KIND_FUNC)
				 ? 0
				 : skep_btf_find(from, names[i], BTF_KIND_FUNC);

		if (id)
			map_id(&w, id);
	}
	for (u32 i = 0; i < w.nr && !w.err; i++)
		copy_type(&w, w.queue[i]);
	if (!w.err)
		w.err = w.nr ? finish(&w, ret_btf) : -ENOENT;
	skep_free(w.ids);
	skep_free(w.queue);
	skep_free(w.types.data);
	skep_free(w.strs.data);
	skep_btf_put(from);
	return w.err;
}
