/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF: parse, check, look up, lay out.
 *
 * A `struct skep_btf` is immutable once loaded. A split BTF (a module's, or a test's) continues
 * the ids and string offsets of its base. Small BTFs from applications are checked completely
 * before anything else sees them; a kernel's own (megabytes, from a trusted file) is indexed
 * in one pass and its name table is sorted at the first look-up by name.
 *
 * Errors follow the kernel: -EINVAL for malformed data, -E2BIG for too much, -EFAULT never.
 */
#ifndef SKEP_BTF_BTF_H
#define SKEP_BTF_BTF_H

#include <linux/btf.h>
#include <stdarg.h>

#include "base/types.h"

struct skep_btf;
struct skep_btf_log; /* see below */

/* Where complaints about a loaded BTF go, in the kernel's words. @print may be NULL. */
struct skep_btf_log {
	void (*print)(void *priv, const char *fmt, va_list ap);
	void *priv;
	u32 level;
};

#define SKEP_BTF_MAX_SIZE (16u << 20)

/*
 * Check and take a copy of @data. @base NULL for a stand-alone BTF. On success *ret_btf holds one
 * reference. -EINVAL, -E2BIG, -ENOMEM; the reason goes to @log where given.
 */
int skep_btf_parse(const void *data, u32 size, struct skep_btf *base,
		   const struct skep_btf_log *log, struct skep_btf **ret_btf);
/*
 * Index a trusted kernel BTF in place: @data stays mapped for the object's life and is not
 * checked beyond its bounds. Marks the object as the kernel's.
 */
int skep_btf_open_kernel(const void *data, u32 size, struct skep_btf *base, const char *name,
			 struct skep_btf **ret_btf);

struct skep_btf *skep_btf_get(struct skep_btf *b);
void skep_btf_put(struct skep_btf *b); /* takes NULL */

const void *skep_btf_raw(const struct skep_btf *b, u32 *ret_size);
bool skep_btf_is_kernel(const struct skep_btf *b);
bool skep_btf_is_module(const struct skep_btf *b);	    /* kernel BTF with a base */
const char *skep_btf_module_name(const struct skep_btf *b); /* "vmlinux", or the module's */
struct skep_btf *skep_btf_base(const struct skep_btf *b);
u32 skep_btf_nr_types(const struct skep_btf *b); /* ids are 1 .. nr-1, base included */
u32 skep_btf_start_id(const struct skep_btf *b); /* first id of its own */

/* NULL for an id out of range; id 0 is void: a type of kind UNKN. */
const struct btf_type *skep_btf_type(const struct skep_btf *b, u32 id);
/* Never NULL; "" for offset 0 or out of range. */
const char *skep_btf_str(const struct skep_btf *b, u32 off);
bool skep_btf_has_str(const struct skep_btf *b, u32 off);
static inline const char *skep_btf_name(const struct skep_btf *b, const struct btf_type *t)
{
	return skep_btf_str(b, t->name_off);
}

/* Skip CONST, VOLATILE, RESTRICT, TYPEDEF, TYPE_TAG; *ret_id (may be NULL) the final id. */
const struct btf_type *skep_btf_skip_mods(const struct skep_btf *b, u32 id, u32 *ret_id);
/* Pointer target after modifiers on both sides; NULL when @t is not a pointer. */
const struct btf_type *skep_btf_ptr_target(const struct skep_btf *b, const struct btf_type *t,
					   u32 *ret_id);
/* Size in bytes of any sized type; -EINVAL for void, functions, forward declarations. */
s64 skep_btf_size(const struct skep_btf *b, u32 id);

/* First type of @kind named @name; 0 when there is none. Searches base BTFs too. */
u32 skep_btf_find(const struct skep_btf *b, const char *name, u32 kind);
/* Only types of its own, not the base's. */
u32 skep_btf_find_own(const struct skep_btf *b, const char *name, u32 kind);

/* Around fork: no other thread is building an index. */
void skep_btf_fork_lock(void);
void skep_btf_fork_unlock(void);

static inline const struct btf_member *skep_btf_members(const struct btf_type *t)
{
	return (const struct btf_member *)(t + 1);
}
static inline const struct btf_param *skep_btf_params(const struct btf_type *t)
{
	return (const struct btf_param *)(t + 1);
}
static inline const struct btf_array *skep_btf_array(const struct btf_type *t)
{
	return (const struct btf_array *)(t + 1);
}
static inline const struct btf_var_secinfo *skep_btf_secinfos(const struct btf_type *t)
{
	return (const struct btf_var_secinfo *)(t + 1);
}
static inline u32 skep_btf_int_enc(const struct btf_type *t) /* the INT's trailing word */
{
	return *(const u32 *)(t + 1);
}
static inline u32 skep_btf_kind(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}
static inline u32 skep_btf_vlen(const struct btf_type *t)
{
	return BTF_INFO_VLEN(t->info);
}
static inline bool skep_btf_kflag(const struct btf_type *t)
{
	return BTF_INFO_KFLAG(t->info);
}
static inline bool skep_btf_is_struct(const struct btf_type *t) /* struct or union */
{
	u32 k = skep_btf_kind(t);

	return k == BTF_KIND_STRUCT || k == BTF_KIND_UNION;
}
/* Bit offset and bit-field width (0: not a bit-field) of member @i of struct @t. */
u32 skep_btf_member_bits(const struct btf_type *t, u32 i, u32 *ret_bitfield_size);

/* Value of the decl tag "@prefix..." on @id (component -1: the type itself), NULL if none. */
const char *skep_btf_decl_tag(const struct skep_btf *b, u32 id, int component, const char *prefix);

/*
 * Byte offset and size of field @path ("a", "a.b", through anonymous members) of struct @name.
 * -ENOENT when this BTF has no such field. Used once at start for views.
 */
int skep_btf_field(const struct skep_btf *b, const char *name, const char *path, u32 *ret_off,
		   u32 *ret_size);

/* --- special fields of map values and allocated objects (btf/record.c) --- */

enum skep_field_kind {
	SKEP_FIELD_SPIN_LOCK,
	SKEP_FIELD_RES_SPIN_LOCK,
	SKEP_FIELD_TIMER,
	SKEP_FIELD_WQ,
	SKEP_FIELD_TASK_WORK,
	SKEP_FIELD_REFCOUNT,
	SKEP_FIELD_KPTR_UNREF,
	SKEP_FIELD_KPTR_REF,
	SKEP_FIELD_KPTR_PERCPU,
	SKEP_FIELD_UPTR,
	SKEP_FIELD_LIST_HEAD,
	SKEP_FIELD_LIST_NODE,
	SKEP_FIELD_RB_ROOT,
	SKEP_FIELD_RB_NODE,
	SKEP_NR_FIELD_KINDS,
};

#define SKEP_BTF_MAX_FIELDS 11

struct skep_btf_field {
	u8 kind; /* enum skep_field_kind */
	u32 off, size;
	u32 type_id;  /* kptr target, or contained type of a list head / rbtree root */
	u32 node_off; /* roots: of the contained type's member that links it */
	const struct skep_btf *btf; /* of type_id */
};

struct skep_btf_record {
	u32 nr;
	u32 mask;  /* 1 << kind: there are such fields */
	u32 kinds; /* 1 << kind: looked for; others are plain bytes */
	struct skep_btf_field fields[SKEP_BTF_MAX_FIELDS];
};

#define SKEP_FIELD_ROOTS (1u << SKEP_FIELD_LIST_HEAD | 1u << SKEP_FIELD_RB_ROOT)
#define SKEP_FIELDS_OF_VALUE                                                                       \
	(((1u << SKEP_NR_FIELD_KINDS) - 1) &                                                       \
	 ~(1u << SKEP_FIELD_LIST_NODE | 1u << SKEP_FIELD_RB_NODE))
#define SKEP_FIELDS_OF_OBJECT                                                                      \
	(((1u << SKEP_NR_FIELD_KINDS) - 1) &                                                       \
	 ~(1u << SKEP_FIELD_TIMER | 1u << SKEP_FIELD_WQ | 1u << SKEP_FIELD_TASK_WORK |             \
	   1u << SKEP_FIELD_UPTR))

/*
 * Special fields of the given kinds of struct @id (size @value_size), sorted by offset. 0 with
 * *ret_rec (nr may be 0), -EINVAL (misplaced, twice, a root without a lock, two kinds of nodes
 * without a count, no "contains:" tag), -ENOENT (what that tag names), -E2BIG (more than 11).
 */
int skep_btf_parse_fields(const struct skep_btf *b, u32 id, u32 value_size, u32 kinds,
			  struct skep_btf_record *ret_rec);
/* Has struct @id, not inside its members, a field that allocated objects may have? */
bool skep_btf_is_object(const struct skep_btf *b, u32 id);
/* Do the roots in @r hold what can be held? -EFAULT: not an object; -ELOOP: a cycle of owners. */
int skep_btf_check_owners(const struct skep_btf *b, const struct skep_btf_record *r);
/* Is @t a pointer to a struct, tagged to hold a reference ("kptr")? */
bool skep_btf_is_owning_ptr(const struct skep_btf *b, const struct btf_type *t);
const struct skep_btf_field *skep_btf_record_find(const struct skep_btf_record *r,
						  enum skep_field_kind kind);
/* "bpf_spin_lock", "kptr", … */
const char *skep_btf_field_name(enum skep_field_kind kind);

#endif
