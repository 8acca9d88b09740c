/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filling views: fields by name at the places that the presented BTF gives them.
 */
#ifndef SKEP_KERN_VIEW_H
#define SKEP_KERN_VIEW_H

#include "btf/btf.h"

struct skep_view_field {
	const char *name; /* a path: "kn", "__sk_common.skc_family" */
	u32 size;	  /* in bytes, as filled */
	u32 off;
	bool known; /* the BTF has it, of that size */
};

/* Where the fields of struct @type are. @btf may be NULL: nowhere. */
void skep_view_resolve(const struct skep_btf *btf, const char *type, struct skep_view_field *f,
		       u32 n);
/* Bytes of struct @type, 0 when @btf (may be NULL) lacks it. */
u32 skep_view_size(const struct skep_btf *btf, const char *type);

/* Store @v where @f is; nothing where it is not. */
static inline void skep_view_put(void *view, const struct skep_view_field *f, u64 v)
{
	char *at = (char *)view + f->off;

	if (!f->known)
		return;
	switch (f->size) {
	case 1:
		SKEP_WRITE(*(u8 *)at, (u8)v);
		break;
	case 2:
		SKEP_WRITE(*(u16 *)at, (u16)v);
		break;
	case 4:
		SKEP_WRITE(*(u32 *)at, (u32)v);
		break;
	default:
		SKEP_WRITE(*(u64 *)at, v);
	}
}

static inline void *skep_view_ptr(void *view, const struct skep_view_field *f)
{
	return f->known ? SKEP_READ(*(void **)((char *)view + f->off)) : NULL;
}

#endif
