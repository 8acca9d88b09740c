/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF objects: sections, ids, names, sizes.
 */
#include "btf/internal.h"

#include <errno.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/alloc.h"
#include "base/lock.h"

static const struct btf_type void_type;

void skep_btf_complain(const struct skep_btf_log *log, const char *fmt, ...)
{
	va_list ap;

	if (!log || !log->print)
		return;
	va_start(ap, fmt);
	log->print(log->priv, fmt, ap);
	va_end(ap);
}

int skep_btf_parse_header(struct skep_btf *b, const struct skep_btf_log *log)
{
	struct btf_header copy = {0}, *h = &copy;
	u64 type_end, str_end, body;
	u32 hdr_len;

	if (b->size < offsetof(struct btf_header, hdr_len) + sizeof(h->hdr_len)) {
		skep_btf_complain(log, "hdr_len not found\n");
		return -EINVAL;
	}
	hdr_len = ((const struct btf_header *)(const void *)b->data)->hdr_len;
	if (hdr_len > b->size) {
		skep_btf_complain(log, "btf_header not found\n");
		return -EINVAL;
	}
	/* Of a short header the rest counts as zero, which some check below then refuses. */
	memcpy(&copy, b->data, SKEP_MIN(hdr_len, (u32)sizeof(copy)));
	for (u32 i = sizeof(*h); i < hdr_len; i++)
		if (b->data[i]) {
			skep_btf_complain(log, "Unsupported btf_header\n");
			return -E2BIG;
		}
	if (h->magic != BTF_MAGIC) {
		skep_btf_complain(log, "Invalid magic\n");
		return -EINVAL;
	}
	if (h->version != BTF_VERSION) {
		skep_btf_complain(log, "Unsupported version\n");
		return -SKEP_ENOTSUPP;
	}
	if (h->flags) {
		skep_btf_complain(log, "Unsupported flags\n");
		return -SKEP_ENOTSUPP;
	}
	body = b->size - hdr_len;
	type_end = (u64)h->type_off + h->type_len;
	str_end = (u64)h->str_off + h->str_len;
	if (!h->type_len && !b->base) {
		skep_btf_complain(log, "No type found\n");
		return -EINVAL;
	}
	if (h->type_off & 3 || h->type_len & 3) {
		skep_btf_complain(log, "Unaligned type_off\n");
		return -EINVAL;
	}
	if (type_end > body || str_end > body) {
		skep_btf_complain(log, "Total section length too long\n");
		return -EINVAL;
	}
	/* Types first, strings right after them, nothing else. */
	if (h->type_off != 0 || h->str_off < type_end) {
		skep_btf_complain(log, h->type_off ? "Invalid section offset\n"
						   : "Section overlap found\n");
		return -EINVAL;
	}
	if (h->str_off != type_end || str_end != body) {
		skep_btf_complain(log, "Unsupported section found\n");
		return -EINVAL;
	}
	b->types = b->data + hdr_len + h->type_off;
	b->types_len = h->type_len;
	b->strs = (const char *)b->data + hdr_len + h->str_off;
	b->strs_len = h->str_len;
	if (h->str_len > BTF_MAX_NAME_OFFSET || (h->str_len && b->strs[h->str_len - 1]) ||
	    (!b->base && (!h->str_len || b->strs[0]))) {
		skep_btf_complain(log, "Invalid string section\n");
		return -EINVAL;
	}
	return 0;
}

/* Bytes after the type's own three words: so many, and so many for each of vlen. */
static const struct {
	u8 known, fixed, each;
} trailing[32] = {
	[BTF_KIND_INT] = {1, 4, 0},
	[BTF_KIND_VAR] = {1, 4, 0},
	[BTF_KIND_DECL_TAG] = {1, 4, 0},
	[BTF_KIND_ARRAY] = {1, sizeof(struct btf_array), 0},
	[BTF_KIND_STRUCT] = {1, 0, sizeof(struct btf_member)},
	[BTF_KIND_UNION] = {1, 0, sizeof(struct btf_member)},
	[BTF_KIND_ENUM] = {1, 0, sizeof(struct btf_enum)},
	[BTF_KIND_ENUM64] = {1, 0, sizeof(struct btf_enum64)},
	[BTF_KIND_FUNC_PROTO] = {1, 0, sizeof(struct btf_param)},
	[BTF_KIND_DATASEC] = {1, 0, sizeof(struct btf_var_secinfo)},
	[BTF_KIND_PTR] = {1, 0, 0},
	[BTF_KIND_FWD] = {1, 0, 0},
	[BTF_KIND_TYPEDEF] = {1, 0, 0},
	[BTF_KIND_VOLATILE] = {1, 0, 0},
	[BTF_KIND_CONST] = {1, 0, 0},
	[BTF_KIND_RESTRICT] = {1, 0, 0},
	[BTF_KIND_FUNC] = {1, 0, 0},
	[BTF_KIND_FLOAT] = {1, 0, 0},
	[BTF_KIND_TYPE_TAG] = {1, 0, 0},
};

s64 skep_btf_trailing(const struct btf_type *t)
{
	u32 kind = skep_btf_kind(t);

	return trailing[kind].known
		       ? (s64)trailing[kind].fixed + (s64)skep_btf_vlen(t) * trailing[kind].each
		       : -1;
}

/* A header and its records take 12 bytes at least: an upper bound of the number of types. */
int skep_btf_index_types(struct skep_btf *b, const struct skep_btf_log *log)
{
	u32 max = b->types_len / sizeof(struct btf_type), n = 0, pos = 0;

	b->offs = skep_alloc(sizeof(u32) * (max ? max : 1));
	if (!b->offs)
		return -ENOMEM;
	while (pos < b->types_len) {
		const struct btf_type *t = (const void *)(b->types + pos);
		u32 left = b->types_len - pos;
		s64 extra;

		if (left < sizeof(*t)) {
			skep_btf_complain(log, "[%u] meta_left:%u meta_needed:%zu\n",
					  b->start_id + n, left, sizeof(*t));
			return -EINVAL;
		}
		extra = skep_btf_check_meta(b, t, b->start_id + n, left - sizeof(*t), log);
		if (extra < 0)
			return (int)extra;
		if ((u64)extra > left - sizeof(*t))
			return -EINVAL;
		b->offs[n++] = pos;
		pos += sizeof(*t) + (u32)extra;
	}
	b->nr_types = b->start_id + n;
	return 0;
}

/* The same for a kernel's BTF, where the walk is what a first load pays for: bounds only. */
static int index_trusted(struct skep_btf *b)
{
	u32 pos = 0, n = 0, len = b->types_len;
	u32 max = len / sizeof(struct btf_type) + 1;
	u32 *offs = skep_alloc(sizeof(u32) * max), *names = skep_alloc(sizeof(u32) * max);

	b->offs = offs;
	b->names = names;
	if (!offs || !names)
		return -ENOMEM;
	while (pos + sizeof(struct btf_type) <= len) {
		const struct btf_type *t = (const void *)(b->types + pos);
		u32 info = t->info, kind = BTF_INFO_KIND(info);

		__builtin_prefetch(b->types + pos + 1024);
		names[n] = t->name_off;

		if (unlikely(!trailing[kind].known))
			return -EINVAL;
		offs[n++] = pos;
		pos += (u32)sizeof(struct btf_type) + trailing[kind].fixed +
		       BTF_INFO_VLEN(info) * trailing[kind].each;
	}
	b->nr_types = b->start_id + n;
	return pos == len ? 0 : -EINVAL;
}

static struct skep_btf *btf_alloc(const void *data, u32 size, struct skep_btf *base)
{
	struct skep_btf *b = skep_zalloc(sizeof(*b));

	if (!b)
		return NULL;
	b->refs = 1;
	b->data = data;
	b->size = size;
	b->start_id = 1;
	if (base) {
		b->base = skep_btf_get(base);
		b->start_id = base->nr_types;
		b->start_str = base->start_str + base->strs_len;
	}
	return b;
}

int skep_btf_parse(const void *data, u32 size, struct skep_btf *base,
		   const struct skep_btf_log *log, struct skep_btf **ret_btf)
{
	struct skep_btf *b;
	void *copy;
	int err;

	if (size > SKEP_BTF_MAX_SIZE)
		return -E2BIG;
	copy = skep_memdup(data, size);
	b = copy ? btf_alloc(copy, size, base) : NULL;
	if (!b) {
		skep_free(copy);
		return -ENOMEM;
	}
	err = skep_btf_parse_header(b, log);
	if (!err)
		err = skep_btf_index_types(b, log);
	if (!err)
		err = skep_btf_check_types(b, log);
	if (err) {
		skep_btf_put(b);
		return err;
	}
	*ret_btf = b;
	return 0;
}

int skep_btf_open_kernel(const void *data, u32 size, struct skep_btf *base, const char *name,
			 struct skep_btf **ret_btf)
{
	struct skep_btf *b = btf_alloc(data, size, base);
	int err;

	if (!b)
		return -ENOMEM;
	b->kernel = true;
	strncpy(b->name, name, sizeof(b->name) - 1);
	err = skep_btf_parse_header(b, NULL);
	if (!err)
		err = index_trusted(b);
	if (err) {
		skep_btf_put(b);
		return err;
	}
	*ret_btf = b;
	return 0;
}

struct skep_btf *skep_btf_get(struct skep_btf *b)
{
	__atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);
	return b;
}

void skep_btf_put(struct skep_btf *b)
{
	if (!b || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL))
		return;
	skep_btf_put(b->base);
	if (!b->kernel)
		skep_free((void *)b->data);
	skep_free(b->offs);
	skep_free(b->names);
	skep_free(b->index);
	skep_free(b);
}

const void *skep_btf_raw(const struct skep_btf *b, u32 *ret_size)
{
	*ret_size = b->size;
	return b->data;
}

bool skep_btf_is_kernel(const struct skep_btf *b)
{
	return b->kernel;
}

bool skep_btf_is_module(const struct skep_btf *b)
{
	return b->kernel && b->base;
}

const char *skep_btf_module_name(const struct skep_btf *b)
{
	return b->name;
}

struct skep_btf *skep_btf_base(const struct skep_btf *b)
{
	return b->base;
}

u32 skep_btf_nr_types(const struct skep_btf *b)
{
	return b->nr_types;
}

u32 skep_btf_start_id(const struct skep_btf *b)
{
	return b->start_id;
}

const struct btf_type *skep_btf_type(const struct skep_btf *b, u32 id)
{
	while (b->base && id < b->start_id)
		b = b->base;
	if (id >= b->nr_types)
		return NULL;
	if (id == 0)
		return &void_type;
	return (const void *)(b->types + b->offs[id - b->start_id]);
}

const char *skep_btf_str(const struct skep_btf *b, u32 off)
{
	while (b->base && off < b->start_str)
		b = b->base;
	off -= b->start_str;
	return off < b->strs_len ? b->strs + off : "";
}

bool skep_btf_has_str(const struct skep_btf *b, u32 off)
{
	while (b->base && off < b->start_str)
		b = b->base;
	return off - b->start_str < b->strs_len;
}

const struct btf_type *skep_btf_skip_mods(const struct skep_btf *b, u32 id, u32 *ret_id)
{
	const struct btf_type *t = skep_btf_type(b, id);

	/* A checked BTF has no cycle of modifiers; the bound is for a kernel's, taken on trust. */
	for (u32 depth = 0; t && depth < 64; depth++) {
		switch (skep_btf_kind(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			t = skep_btf_type(b, id);
			continue;
		}
		break;
	}
	if (ret_id)
		*ret_id = id;
	return t;
}

const struct btf_type *skep_btf_ptr_target(const struct skep_btf *b, const struct btf_type *t,
					   u32 *ret_id)
{
	for (u32 depth = 0; t && depth < 64; depth++) {
		switch (skep_btf_kind(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			t = skep_btf_type(b, t->type);
			continue;
		case BTF_KIND_PTR:
			return skep_btf_skip_mods(b, t->type, ret_id);
		}
		break;
	}
	return NULL;
}

s64 skep_btf_size(const struct skep_btf *b, u32 id)
{
	u64 n = 1;

	for (u32 depth = 0; depth < 64; depth++) {
		const struct btf_type *t = skep_btf_skip_mods(b, id, NULL);

		if (!t)
			return -EINVAL;
		switch (skep_btf_kind(t)) {
		case BTF_KIND_INT:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_FLOAT:
		case BTF_KIND_DATASEC:
			n *= t->size;
			return n > UINT32_MAX ? -EINVAL : (s64)n;
		case BTF_KIND_PTR:
			n *= sizeof(void *);
			return n > UINT32_MAX ? -EINVAL : (s64)n;
		case BTF_KIND_ARRAY:
			n *= skep_btf_array(t)->nelems;
			if (n > UINT32_MAX)
				return -EINVAL;
			id = skep_btf_array(t)->type;
			continue;
		case BTF_KIND_VAR:
			id = t->type;
			continue;
		}
		return -EINVAL;
	}
	return -EINVAL;
}

static u32 hash_name(const char *s)
{
	u32 h = 2166136261u; /* FNV-1a: names are no secret and collide only into longer probes */

	for (; *s; s++)
		h = (h ^ (u8)*s) * 16777619u;
	return h;
}

static struct skep_lock index_lock;

static bool build_index(struct skep_btf *b)
{
	u32 own = b->nr_types - b->start_id;
	u32 slots = skep_roundup_pow2(own * 2 + 2);
	u32 *index;

	skep_lock(&index_lock);
	if (b->index) {
		skep_unlock(&index_lock);
		return true;
	}
	index = skep_calloc(slots, sizeof(u32));
	/* Ascending ids: of equal names the first id is met first when probing. */
	for (u32 i = 0; index && i < own; i++) {
		const struct btf_type *t = (const void *)(b->types + b->offs[i]);
		const char *name = skep_btf_name(b, t);
		u32 h;

		if (!*name)
			continue;
		for (h = hash_name(name) & (slots - 1); index[h]; h = (h + 1) & (slots - 1))
			;
		index[h] = b->start_id + i;
	}
	b->index_mask = slots - 1;
	__atomic_store_n(&b->index, index, __ATOMIC_RELEASE);
	skep_unlock(&index_lock);
	return index != NULL;
}

/* The first own type of @kind whose name lies at string offset @off. */
static u32 type_named_at(const struct skep_btf *b, u32 off, u32 kind)
{
	u32 n = b->nr_types - b->start_id;

	for (u32 i = 0; i < n; i++) {
		const struct btf_type *t;

		if (b->names ? b->names[i] != off : false)
			continue;
		t = (const void *)(b->types + b->offs[i]);
		if (t->name_off == off && skep_btf_kind(t) == kind)
			return b->start_id + i;
	}
	return 0;
}

/*
 * First place of @name (@n bytes with its NUL) in [at, end): candidates are where both its first
 * and its last byte stand, 16 places at a time (W. Mula, "SIMD-friendly algorithms for substring
 * searching").
 */
static const char *find_bytes(const char *at, const char *end, const char *name, size_t n)
{
#ifdef __SSE2__
	const __m128i first = _mm_set1_epi8(name[0]), last = _mm_set1_epi8(name[n - 1]);

	for (; at + n + 15 <= end; at += 16) {
		__m128i a = _mm_loadu_si128((const void *)at);
		__m128i z = _mm_loadu_si128((const void *)(at + n - 1));
		u32 hits = (u32)_mm_movemask_epi8(
			_mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(z, last)));

		for (; hits; hits &= hits - 1) {
			const char *p = at + __builtin_ctz(hits);

			if (!memcmp(p, name, n))
				return p;
		}
	}
#endif
	return at < end ? memmem(at, (size_t)(end - at), name, n) : NULL;
}

/*
 * Without an index: find the name among the strings, then the type by the string's offset. Strings
 * may repeat, or end in one another, so every place where the name stands is tried.
 */
static u32 search(const struct skep_btf *b, const char *name, u32 kind)
{
	const char *at = b->strs, *end = b->strs + b->strs_len;
	size_t n = strlen(name) + 1;
	u32 best = 0;

	while ((at = find_bytes(at, end, name, n))) {
		u32 id = type_named_at(b, b->start_str + (u32)(at - b->strs), kind);

		if (id && (!best || id < best))
			best = id;
		at++;
	}
	return best;
}

/* Few names of a large BTF are asked for, the same ones again and again. */
static u32 search_cached(struct skep_btf *b, const char *name, u32 kind)
{
	u32 id = 0, i;

	skep_lock(&index_lock);
	for (i = 0; i < SKEP_BTF_RECENT; i++)
		if (b->recent[i].id && b->recent[i].kind == kind &&
		    !strcmp(b->recent[i].name, name)) {
			id = b->recent[i].id;
			goto out;
		}
	id = search(b, name, kind);
	i = b->nr_searches % SKEP_BTF_RECENT;
	SKEP_WRITE(b->nr_searches, b->nr_searches + 1);
	if (id && strlen(name) < sizeof(b->recent[i].name)) {
		strcpy(b->recent[i].name, name);
		b->recent[i].kind = kind;
		b->recent[i].id = id;
	}
out:
	skep_unlock(&index_lock);
	return id;
}

void skep_btf_fork_lock(void)
{
	skep_lock(&index_lock);
}

void skep_btf_fork_unlock(void)
{
	skep_unlock(&index_lock);
}

u32 skep_btf_find_own(const struct skep_btf *cb, const char *name, u32 kind)
{
	struct skep_btf *b = (struct skep_btf *)cb; /* the index is a cache */
	u32 h;

	if (!__atomic_load_n(&b->index, __ATOMIC_ACQUIRE)) {
		if (SKEP_READ(b->nr_searches) < SKEP_BTF_SEARCHES)
			return search_cached(b, name, kind);
		if (!build_index(b))
			return 0;
	}
	for (h = hash_name(name) & b->index_mask; b->index[h]; h = (h + 1) & b->index_mask) {
		const struct btf_type *t = skep_btf_type(b, b->index[h]);

		if (skep_btf_kind(t) == kind && !strcmp(skep_btf_name(b, t), name))
			return b->index[h];
	}
	return 0;
}

u32 skep_btf_find(const struct skep_btf *b, const char *name, u32 kind)
{
	for (; b; b = b->base) {
		u32 id = skep_btf_find_own(b, name, kind);

		if (id)
			return id;
	}
	return 0;
}

u32 skep_btf_member_bits(const struct btf_type *t, u32 i, u32 *ret_bitfield_size)
{
	const struct btf_member *m = skep_btf_members(t) + i;
	u32 width = skep_btf_kflag(t) ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0;

	if (ret_bitfield_size)
		*ret_bitfield_size = width;
	return skep_btf_kflag(t) ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;
}

const char *skep_btf_decl_tag(const struct skep_btf *b, u32 id, int component, const char *prefix)
{
	size_t n = strlen(prefix);

	for (u32 i = b->start_id; i < b->nr_types; i++) {
		const struct btf_type *t = skep_btf_type(b, i);
		const char *name;

		if (skep_btf_kind(t) != BTF_KIND_DECL_TAG || t->type != id ||
		    *(const s32 *)(t + 1) != component)
			continue;
		name = skep_btf_name(b, t);
		if (!strncmp(name, prefix, n))
			return name + n;
	}
	return NULL;
}

/* Member @name (of @n bytes) of @t, looked for through anonymous structs and unions. */
static const struct btf_member *find_member(const struct skep_btf *b, const struct btf_type *t,
					    const char *name, size_t n, u32 *bits, u32 depth)
{
	for (u32 i = 0; depth < 16 && i < skep_btf_vlen(t); i++) {
		const struct btf_member *m = skep_btf_members(t) + i;
		const char *mn = skep_btf_str(b, m->name_off);
		u32 off = skep_btf_member_bits(t, i, NULL);

		if (*mn) {
			if (!strncmp(mn, name, n) && !mn[n]) {
				*bits += off;
				return m;
			}
		} else {
			const struct btf_type *inner = skep_btf_skip_mods(b, m->type, NULL);
			const struct btf_member *found;
			u32 sub = *bits + off;

			if (!inner || !skep_btf_is_struct(inner))
				continue;
			found = find_member(b, inner, name, n, &sub, depth + 1);
			if (found) {
				*bits = sub;
				return found;
			}
		}
	}
	return NULL;
}

int skep_btf_field(const struct skep_btf *b, const char *name, const char *path, u32 *ret_off,
		   u32 *ret_size)
{
	u32 id = skep_btf_find(b, name, BTF_KIND_STRUCT), bits = 0;

	if (!id)
		id = skep_btf_find(b, name, BTF_KIND_UNION);
	while (id) {
		const struct btf_type *t = skep_btf_skip_mods(b, id, NULL);
		size_t n = strcspn(path, ".");
		const struct btf_member *m;
		s64 size;

		if (!t || !skep_btf_is_struct(t))
			return -ENOENT;
		m = find_member(b, t, path, n, &bits, 0);
		if (!m)
			return -ENOENT;
		id = m->type;
		path += n;
		if (*path == '.') {
			path++;
			continue;
		}
		size = skep_btf_size(b, id);
		if (size < 0)
			return -ENOENT;
		*ret_off = bits / 8;
		if (ret_size)
			*ret_size = (u32)size;
		return 0;
	}
	return -ENOENT;
}
