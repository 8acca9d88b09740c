/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to btf/: the object, and the checker of untrusted data.
 */
#ifndef SKEP_BTF_INTERNAL_H
#define SKEP_BTF_INTERNAL_H

#include "btf/btf.h"

#define SKEP_BTF_RECENT 8
#define SKEP_BTF_SEARCHES 12 /* then the index pays */

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
	u32 *names; /* a kernel's: name offsets, close together for searching; or NULL */
	bool kernel;
	char name[64];
	/*
	 * Names of its own types: open addressing over ids, published with release order; builders
	 * serialise on the lock in btf.c. Building costs some milliseconds for a kernel's BTF, a
	 * search through its strings half of one: the index is made when many names were asked for.
	 */
	u32 *index;
	u32 index_mask;
	u32 nr_searches;
	/* The last few names found by searching, under the same lock. */
	struct {
		char name[64];
		u32 kind, id;
	} recent[SKEP_BTF_RECENT];
};

/* Split the header into sections; -EINVAL or -E2BIG with a message. */
int skep_btf_parse_header(struct skep_btf *b, const struct skep_btf_log *log);
/* Walk an untrusted type section and fill offs, checking each type's own words. */
int skep_btf_index_types(struct skep_btf *b, const struct skep_btf_log *log);
/* References, cycles and sizes of an indexed, untrusted BTF (check.c). */
int skep_btf_check_types(const struct skep_btf *b, const struct skep_btf_log *log);
/* Checks of one type in isolation; the bytes of its trailing records or -errno (check.c). */
s64 skep_btf_check_meta(const struct skep_btf *b, const struct btf_type *t, u32 id, u32 left,
			const struct skep_btf_log *log);

void skep_btf_complain(const struct skep_btf_log *log, const char *fmt, ...) SKEP_PRINTF(2, 3);

/* Bytes of the records that follow a type of this kind; -1 for an unknown kind. */
s64 skep_btf_trailing(const struct btf_type *t);

#endif
