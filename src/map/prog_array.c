/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Program arrays: a program at each index, which a tail call enters.
 *
 * A slot holds a reference. A program in the array may hold the array (it uses it), so that
 * neither would ever go: the array is emptied when the application has closed its last
 * descriptor, as in the kernel. Readers are under RCU; a replaced program's memory outlives the
 * grace period.
 */
#include "map/prog_array.h"

#include <errno.h>

#include "base/alloc.h"
#include "isa/uapi.h"
#include "map/map.h"
#include "obj/fd.h"

struct prog_array {
	struct skep_map map;
	struct skep_lock owner_lock;
	bool owned;
	struct {
		u32 type, attach_type;
		bool jited, sleepable, frags;
	} owner;
	u64 bytes;
	struct skep_prog **slots;
};

static struct prog_array *prog_array_of(const struct skep_map *m)
{
	return container_of((struct skep_map *)m, struct prog_array, map);
}

bool skep_prog_array_compatible(struct skep_map *m, const struct skep_prog *p)
{
	struct prog_array *a = prog_array_of(m);
	bool jited = p->entry != NULL, frags = p->flags & SKEP_PROG_F_XDP_HAS_FRAGS, same = true;

	skep_lock(&a->owner_lock);
	if (!a->owned) {
		a->owned = true;
		a->owner.type = p->type;
		a->owner.attach_type = p->attach_type;
		a->owner.jited = jited;
		a->owner.sleepable = p->sleepable;
		a->owner.frags = frags;
	} else {
		same = a->owner.type == p->type && a->owner.attach_type == p->attach_type &&
		       a->owner.jited == jited && a->owner.sleepable == p->sleepable &&
		       a->owner.frags == frags;
	}
	skep_unlock(&a->owner_lock);
	return same;
}

const struct skep_prog *skep_prog_array_get(const struct skep_map *m, u32 index)
{
	return index < m->facts.max_entries ? skep_rcu_deref(prog_array_of(m)->slots[index]) : NULL;
}

void skep_prog_array_inline(struct skep_tail_inline *ret)
{
	const s32 map = (s32)offsetof(struct prog_array, map);

	ret->map_len_off = (s32)offsetof(struct prog_array, map.facts.max_entries) - map;
	ret->map_slots_off = (s32)offsetof(struct prog_array, slots) - map;
}

static int replace(struct skep_map *m, u32 index, struct skep_prog *p)
{
	struct skep_prog *old =
		__atomic_exchange_n(&prog_array_of(m)->slots[index], p, __ATOMIC_ACQ_REL);

	if (old)
		skep_obj_put(&old->obj);
	return old || p ? 0 : -ENOENT;
}

static int sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	u32 index = *(const u32 *)key;
	struct skep_obj *o;
	int err;

	if (flags != BPF_ANY)
		return -EINVAL;
	if (index >= m->facts.max_entries)
		return -E2BIG;
	o = skep_fd_get(*(const s32 *)value, SKEP_OBJ_PROG, NULL, &err);
	if (!o)
		return err;
	if (!skep_prog_array_compatible(m, skep_prog_of(o))) {
		skep_obj_put(o);
		return -EINVAL;
	}
	return replace(m, index, skep_prog_of(o));
}

static int sys_erase(struct skep_map *m, const void *key)
{
	u32 index = *(const u32 *)key;

	return index < m->facts.max_entries ? replace(m, index, NULL) : -E2BIG;
}

static int sys_lookup(struct skep_map *m, const void *key, void *value, u64 flags)
{
	const struct skep_prog *p;

	skep_rcu_read_lock();
	p = skep_prog_array_get(m, *(const u32 *)key);
	if (p)
		*(u32 *)value = p->obj.id;
	skep_rcu_read_unlock();
	return p ? 0 : -ENOENT;
}

static int next_key(struct skep_map *m, const void *key, void *next)
{
	return skep_index_next_key(m->facts.max_entries, key, next);
}

static void users_gone(struct skep_map *m)
{
	for (u32 i = 0; i < m->facts.max_entries; i++)
		replace(m, i, NULL);
}

static int check(const struct skep_attr_map_create *a)
{
	u32 allowed = BPF_F_NUMA_NODE | BPF_F_RDONLY | BPF_F_WRONLY;

	return a->max_entries && a->key_size == 4 && a->value_size == 4 &&
			       !(a->map_flags & ~allowed)
		       ? 0
		       : -EINVAL;
}

static struct skep_map *prog_array_alloc(const struct skep_map_facts *t)
{
	struct prog_array *a = skep_zalloc(sizeof(*a));

	if (!a)
		return skep_err_ptr(-ENOMEM);
	a->bytes = (u64)t->max_entries * sizeof(*a->slots);
	a->slots = skep_pages_alloc(a->bytes);
	if (!a->slots) {
		skep_free(a);
		return skep_err_ptr(-ENOMEM);
	}
	skep_map_init(&a->map, t, &skep_prog_array_ops);
	return &a->map;
}

static void prog_array_free(struct skep_map *m)
{
	struct prog_array *a = prog_array_of(m);

	users_gone(m);
	skep_pages_free(a->slots, a->bytes);
	skep_free(a);
}

static u64 mem_usage(const struct skep_map *m)
{
	return sizeof(struct prog_array) + prog_array_of(m)->bytes;
}

const struct skep_map_ops skep_prog_array_ops = {
	.check = check,
	.alloc = prog_array_alloc,
	.free = prog_array_free,
	.sys_lookup = sys_lookup,
	.sys_update = sys_update,
	.sys_erase = sys_erase,
	.next_key = next_key,
	.users_gone = users_gone,
	.mem_usage = mem_usage,
};
