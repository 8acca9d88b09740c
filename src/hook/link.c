/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a link: one reference count for descriptors and whoever looks at it by id.
 */
#include "hook/link.h"

#include "base/alloc.h"
#include "base/rcu.h"

static const struct skep_hook_link_ops *hook_ops(const struct skep_link *l)
{
	return container_of(l->lops, const struct skep_hook_link_ops, lops);
}

static void free_link(struct skep_rcu_head *h)
{
	struct skep_link *l =
		container_of(container_of(h, struct skep_obj, rcu), struct skep_link, obj);

	skep_obj_put(&l->prog->obj);
	if (hook_ops(l)->free)
		hook_ops(l)->free(l);
	else
		skep_free(l);
}

static void release(struct skep_obj *o)
{
	struct skep_link *l = skep_link_of(o);

	skep_obj_unpublish(o);
	hook_ops(l)->unhook(l);
	skep_rcu_defer(&o->rcu, free_link);
}

static const struct skep_obj_ops link_obj_ops = {
	.release = release,
};

void skep_link_init(struct skep_link *l, struct skep_prog *p, const struct skep_hook_link_ops *ops,
		    u32 attach_type, u64 cookie)
{
	skep_obj_init(&l->obj, SKEP_OBJ_LINK, &link_obj_ops);
	l->lops = &ops->lops;
	skep_obj_get(&p->obj);
	l->prog = p;
	l->attach_type = attach_type;
	l->cookie = cookie;
	l->next = NULL;
	l->hook = NULL;
}
