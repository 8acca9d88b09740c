/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF as an object of bpf(2): descriptors and ids around a `struct skep_btf`.
 */
#ifndef SKEP_OBJ_BTF_OBJ_H
#define SKEP_OBJ_BTF_OBJ_H

#include "btf/btf.h"
#include "obj/obj.h"

struct skep_btf_obj {
	struct skep_obj obj;
	struct skep_btf *btf; /* reference */
};

static inline struct skep_btf_obj *skep_btf_obj_of(struct skep_obj *o)
{
	return container_of(o, struct skep_btf_obj, obj);
}

/* Takes over @btf's reference on success. Unpublished. NULL: no memory. */
struct skep_btf_obj *skep_btf_obj_new(struct skep_btf *btf);
/* Id of the published object around @btf; 0 when there is none. */
u32 skep_btf_obj_id(const struct skep_btf *btf);

#endif
