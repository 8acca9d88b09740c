/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF objects.
 */
#include "obj/btf_obj.h"

#include "base/alloc.h"

static void free_after_grace(struct skep_rcu_head *head)
{
	struct skep_btf_obj *b = container_of(head, struct skep_btf_obj, obj.rcu);

	skep_btf_put(b->btf);
	skep_free(b);
}

static void release(struct skep_obj *o)
{
	skep_rcu_defer(&o->rcu, free_after_grace);
}

static const struct skep_obj_ops ops = {.release = release};

struct skep_btf_obj *skep_btf_obj_new(struct skep_btf *btf)
{
	struct skep_btf_obj *b = skep_zalloc(sizeof(*b));

	if (!b)
		return NULL;
	skep_obj_init(&b->obj, SKEP_OBJ_BTF, &ops);
	b->btf = btf;
	return b;
}

u32 skep_btf_obj_id(const struct skep_btf *btf)
{
	for (u32 id = 0; (id = skep_obj_next_id(SKEP_OBJ_BTF, id));) {
		struct skep_obj *o = skep_obj_by_id(SKEP_OBJ_BTF, id);
		bool same = o && skep_btf_obj_of(o)->btf == btf;

		skep_obj_put(o);
		if (same)
			return id;
	}
	return 0;
}
