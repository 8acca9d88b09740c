/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to btf/: the object, and the checker of untrusted data.
 */
#ifndef SKEP_BTF_INTERNAL_H
#define SKEP_BTF_INTERNAL_H

#include "btf/btf.h"

struct skep_btf {
	u64 refs;
	struct skep_btf *base; /* reference */
	const u8 *data;	       /* header first; owned unless kernel */
	u32 size;
	const u8 *types;
	u32 types_len;
	const char *strs;
	u32 strs_len;
	u32 start_id, start_str; /* first id and first string offset of its own */
	u32 nr_types;		 /* ids below this are valid, base included */
	u32 *offs;		 /* offs[id - start_id]: byte offset into types */
	bool kernel;
	char name[64];
	/*
	 * Names of its own types: open addressing over ids, built at the first look-up by name
	 * (published with release order; builders serialise on the lock in btf.c).
	 */
	u32 *index;
	u32 index_mask;
};

/* Split the header into sections; -EINVAL or -E2BIG with a message. */
int skep_btf_parse_header(struct skep_btf *b, const struct skep_btf_log *log);
/* Walk the type section and fill offs; @strict checks each type's own words. */
int skep_btf_index_types(struct skep_btf *b, const struct skep_btf_log *log, bool strict);
/* References, cycles and sizes of an indexed, untrusted BTF (check.c). */
int skep_btf_check_types(const struct skep_btf *b, const struct skep_btf_log *log);
/* Checks of one type in isolation; the bytes of its trailing records or -errno (check.c). */
s64 skep_btf_check_meta(const struct skep_btf *b, const struct btf_type *t, u32 id, u32 left,
			const struct skep_btf_log *log);

void skep_btf_complain(const struct skep_btf_log *log, const char *fmt, ...) SKEP_PRINTF(2, 3);

/* Bytes of the records that follow a type of this kind; -1 for an unknown kind. */
s64 skep_btf_trailing(const struct btf_type *t);

#endif
