/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local storage: a value per owner (task) and map, found in constant time.
 *
 * Idea. Every storage map has a small number, unique among living maps. An owner points to a
 * table, indexed by that number, of pointers to values. A look-up is therefore
 *
 *	owner -> table -> value
 *
 * two dependent loads and a bound check, the same for 1 map and for 1,000: no cache with a limited
 * number of slots and no list to walk when it overflows. Generated code does it inline
 * (spec/inline.h); only creation comes here.
 *
 * Memory. A table has a power of two of slots, at least 8, just large enough for the highest
 * number in use by this owner: 80 bytes for one map, 8 KiB for 1,000. For 10,000 owners: with 1
 * map 0.8 MB of tables, with 1,000 maps 82 MB, beside the 10 million elements themselves (the
 * kernel's list node and bookkeeping per element is larger than the slot).
 *
 * An element is { bookkeeping, value }; the slot points at the value.
 *
 * Who may call: anyone in an RCU read section. Locks, in order: owner (one per task), then map
 * (its list of elements). Readers take none. A table grows by copying under the owner's lock and
 * publishing with release order; old tables and removed elements wait for a grace period.
 *
 * Ends. Owner first: all its elements are removed, the owner marked dead so that none is created
 * later. Map first: its elements are removed from their owners one by one; the number is free for
 * reuse only after that, so a slot never shows another map's value. Owners are type-stable
 * memory; an owner that ends meanwhile has already removed the element, which is seen under its
 * lock.
 */
#include "map/local_storage.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/list.h"
#include "base/pool.h"
#include "isa/uapi.h"
#include "map/map.h"
#include "obj/fd.h"

#define MAX_STORAGE_MAPS (1u << 16)
#define MAX_VALUE 65407u /* the kernel's bound, observed */
#define MIN_SLOTS 8u

struct skep_storage_table {
	u32 len;
	struct skep_rcu_head rcu;
	void *slots[];
};

struct elem {
	struct skep_task *owner;
	struct skep_map *map;
	struct skep_list in_map; /* under the map's lock */
	struct skep_rcu_head rcu;
	u32 bytes;
	u8 value[] __attribute__((aligned(8)));
};

struct storage_map {
	struct skep_map map;
	struct skep_lock lock;
	struct skep_list elems;
};

static struct skep_storage_table empty_table; /* len 0: what new owners point to */

static struct skep_lock numbers_lock;
static u64 numbers[MAX_STORAGE_MAPS / 64];

static struct storage_map *storage_of(const struct skep_map *m)
{
	return container_of((struct skep_map *)m, struct storage_map, map);
}

static struct elem *elem_of(void *value)
{
	return (struct elem *)((u8 *)value - offsetof(struct elem, value));
}

/* Smallest free number, or -1. */
static s32 take_number(void)
{
	s32 n = -1;

	skep_lock(&numbers_lock);
	for (u32 i = 0; i < ARRAY_SIZE(numbers) && n < 0; i++)
		if (~numbers[i]) {
			u32 bit = (u32)__builtin_ctzll(~numbers[i]);

			numbers[i] |= 1ull << bit;
			n = (s32)(i * 64 + bit);
		}
	skep_unlock(&numbers_lock);
	return n;
}

static void give_number(u32 n)
{
	skep_lock(&numbers_lock);
	numbers[n / 64] &= ~(1ull << n % 64);
	skep_unlock(&numbers_lock);
}

/* --- tables --- */

static u32 table_bytes(u32 len)
{
	return (u32)(sizeof(struct skep_storage_table) + len * sizeof(void *));
}

static void table_free(struct skep_rcu_head *head)
{
	struct skep_storage_table *t = container_of(head, struct skep_storage_table, rcu);

	skep_sized_free(t, table_bytes(t->len));
}

/* A table with room for @slot; NULL when memory is short. Under the owner's lock. */
static struct skep_storage_table *table_for(struct skep_task *o, u32 slot)
{
	struct skep_storage_table *old = o->storage, *t;
	u32 len;

	if (slot < old->len)
		return old;
	len = SKEP_MAX(skep_roundup_pow2(slot + 1), MIN_SLOTS);
	t = skep_sized_alloc(table_bytes(len));
	if (!t)
		return NULL;
	t->len = len;
	memcpy(t->slots, old->slots, old->len * sizeof(void *));
	skep_rcu_assign(o->storage, t);
	if (old != &empty_table)
		skep_rcu_defer(&old->rcu, table_free);
	return t;
}

/* --- elements --- */

static void elem_free(struct skep_rcu_head *head)
{
	struct elem *e = container_of(head, struct elem, rcu);

	skep_sized_free(e, e->bytes);
}

static void *lookup(const struct skep_map *m, const struct skep_task *o)
{
	const struct skep_storage_table *t = skep_rcu_deref(o->storage);

	return m->storage_slot < t->len ? skep_rcu_deref(t->slots[m->storage_slot]) : NULL;
}

/* Take @e out of owner and map. Under the owner's lock. */
static void remove_elem(struct skep_task *o, struct elem *e)
{
	struct storage_map *s = storage_of(e->map);

	skep_rcu_assign(o->storage->slots[e->map->storage_slot], NULL);
	skep_lock(&s->lock);
	skep_list_del(&e->in_map);
	skep_unlock(&s->lock);
	skep_rcu_defer(&e->rcu, elem_free);
}

static struct elem *elem_new(struct skep_map *m, struct skep_task *o, const void *init)
{
	u32 bytes = (u32)(sizeof(struct elem) + SKEP_ALIGN_UP(m->facts.value_size, 8u));
	struct elem *e = skep_sized_alloc(bytes);

	if (!e)
		return NULL;
	e->owner = o;
	e->map = m;
	e->bytes = bytes;
	if (init)
		skep_map_copy_value(m, e->value, init, false);
	return e;
}

/* The value made; the present one when somebody was faster; NULL. */
static void *create(struct skep_map *m, struct skep_task *o, const void *init)
{
	struct storage_map *s = storage_of(m);
	struct skep_storage_table *t;
	struct elem *e = elem_new(m, o, init);
	void *value = NULL;

	if (!e)
		return NULL;
	skep_lock(&o->storage_lock);
	t = o->dead ? NULL : table_for(o, m->storage_slot);
	if (t)
		value = t->slots[m->storage_slot];
	if (t && !value) {
		skep_lock(&s->lock);
		skep_list_add_tail(&e->in_map, &s->elems);
		skep_unlock(&s->lock);
		skep_rcu_assign(t->slots[m->storage_slot], e->value);
		value = e->value;
		e = NULL;
	}
	skep_unlock(&o->storage_lock);
	if (e)
		skep_sized_free(e, e->bytes); /* never published */
	return value;
}

void *skep_task_storage_get(struct skep_map *m, struct skep_task *t, const void *init, bool make)
{
	void *value = lookup(m, t);

	return value || !make ? value : create(m, t, init);
}

s64 skep_task_storage_delete(struct skep_map *m, struct skep_task *o)
{
	void *value;

	skep_lock(&o->storage_lock);
	value = lookup(m, o);
	if (value)
		remove_elem(o, elem_of(value));
	skep_unlock(&o->storage_lock);
	return value ? 0 : -ENOENT;
}

/* --- ends --- */

static void owner_end(struct skep_task *o)
{
	struct skep_storage_table *t;

	skep_lock(&o->storage_lock);
	o->dead = true;
	t = o->storage;
	for (u32 i = 0; i < t->len; i++)
		if (t->slots[i])
			remove_elem(o, elem_of(t->slots[i]));
	skep_rcu_assign(o->storage, &empty_table);
	if (t != &empty_table)
		skep_rcu_defer(&t->rcu, table_free);
	skep_unlock(&o->storage_lock);
}

static void storage_free(struct skep_map *m)
{
	struct storage_map *s = storage_of(m);

	/* Elements stay readable while we go from the list to their owners. */
	skep_rcu_read_lock();
	for (;;) {
		struct skep_task *o;
		struct elem *e;

		skep_lock(&s->lock);
		e = skep_list_empty(&s->elems)
			    ? NULL
			    : skep_list_entry(s->elems.next, struct elem, in_map);
		o = e ? e->owner : NULL;
		skep_unlock(&s->lock);
		if (!e)
			break;
		skep_lock(&o->storage_lock);
		if (lookup(m, o) == (void *)e->value)
			remove_elem(o, e);
		skep_unlock(&o->storage_lock);
	}
	skep_rcu_read_unlock();
	give_number(m->storage_slot);
	skep_free(s);
}

/* --- the map --- */

static int storage_check(const struct skep_attr_map_create *a)
{
	if (a->map_flags & ~(u32)(BPF_F_NO_PREALLOC | BPF_F_CLONE) ||
	    !(a->map_flags & BPF_F_NO_PREALLOC) || a->max_entries || a->key_size != 4 ||
	    !a->value_size || !a->btf_key_type_id || !a->btf_value_type_id)
		return -EINVAL;
	return a->value_size > MAX_VALUE ? -E2BIG : 0;
}

static struct skep_map *storage_alloc(const struct skep_map_facts *t)
{
	struct storage_map *s = skep_zalloc(sizeof(*s));
	s32 n;

	if (!s)
		return skep_err_ptr(-ENOMEM);
	n = take_number();
	if (n < 0) {
		skep_free(s);
		return skep_err_ptr(-E2BIG);
	}
	skep_list_init(&s->elems);
	skep_map_init(&s->map, t, &skep_task_storage_ops);
	s->map.storage_slot = (u32)n;
	s->map.inl.kind = SKEP_INLINE_TASK_STORAGE;
	return &s->map;
}

/* --- user side: the key is a pidfd --- */

static int sys_lookup(struct skep_map *m, const void *key, void *value, u64 flags)
{
	int err;
	struct skep_task *t = skep_task_by_pidfd(*(const s32 *)key, &err);
	void *found;

	if (!t)
		return err;
	skep_rcu_read_lock();
	found = lookup(m, t);
	if (found)
		skep_map_read_value(m, value, found, flags & BPF_F_LOCK);
	skep_rcu_read_unlock();
	skep_task_put(t);
	return found ? 0 : -ENOENT;
}

static int update_owner(struct skep_map *m, struct skep_task *t, const void *value, u64 flags)
{
	u64 how = flags & ~(u64)BPF_F_LOCK;
	void *found = lookup(m, t);

	if (found && how == BPF_NOEXIST)
		return -EEXIST;
	if (!found && how == BPF_EXIST)
		return -ENOENT;
	if (found) {
		skep_map_copy_value(m, found, value, flags & BPF_F_LOCK);
		return 0;
	}
	return create(m, t, value) ? 0 : -ENOMEM;
}

static int sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	int err;
	struct skep_task *t = skep_task_by_pidfd(*(const s32 *)key, &err);

	if (!t)
		return err;
	err = skep_map_check_flags(m, flags);
	if (!err) {
		skep_rcu_read_lock();
		err = update_owner(m, t, value, flags);
		skep_rcu_read_unlock();
	}
	skep_task_put(t);
	return err;
}

static int sys_erase(struct skep_map *m, const void *key)
{
	int err;
	struct skep_task *t = skep_task_by_pidfd(*(const s32 *)key, &err);

	if (!t)
		return err;
	skep_rcu_read_lock();
	err = (int)skep_task_storage_delete(m, t);
	skep_rcu_read_unlock();
	skep_task_put(t);
	return err;
}

static int no_next_key(struct skep_map *m, const void *key, void *next)
{
	return -SKEP_ENOTSUPP;
}

static u64 mem_usage(const struct skep_map *m)
{
	struct storage_map *s = storage_of(m);
	u64 bytes = sizeof(*s);
	struct elem *e;

	skep_lock(&s->lock);
	skep_list_for_each (e, &s->elems, in_map)
		bytes += e->bytes;
	skep_unlock(&s->lock);
	return bytes;
}

void skep_storage_inline(struct skep_run_inline *ret)
{
	ret->owner_table_off = (s32)offsetof(struct skep_task, storage) - (s32)SKEP_TASK_VIEW_OFF;
	ret->table_len_off = (s32)offsetof(struct skep_storage_table, len);
	ret->table_slots_off = (s32)offsetof(struct skep_storage_table, slots);
	ret->map_slot_off = (s32)offsetof(struct skep_map, storage_slot);
}

__attribute__((constructor)) static void bind_owner_side(void)
{
	skep_storage_empty = &empty_table;
	skep_task_storage_free = owner_end;
}

const struct skep_map_ops skep_task_storage_ops = {
	.check = storage_check,
	.alloc = storage_alloc,
	.free = storage_free,
	.sys_lookup = sys_lookup,
	.sys_update = sys_update,
	.sys_erase = sys_erase,
	.next_key = no_next_key,
	.mem_usage = mem_usage,
};
