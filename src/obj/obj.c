/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reference counts and id tables.
 *
 * A table is an array of entries sorted by id, under its lock: ids grow, so a new entry goes to
 * the end; look-up is a binary search. An entry does not hold a reference; unpublishing removes
 * it, and a look-up that meets an object on its way out takes no reference (the count is 0).
 */
#include "obj/obj.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/lock.h"

#define ID_WRAP 0x7fffffffu

struct id_table {
	struct skep_lock lock;
	struct skep_obj **objs;
	u32 nr, room, last, reserved;
};

static struct id_table tables[SKEP_NR_OBJ_TYPES];

void skep_obj_init(struct skep_obj *o, enum skep_obj_type type, const struct skep_obj_ops *ops)
{
	memset(o, 0, sizeof(*o));
	o->type = (u8)type;
	o->refs = 1;
	o->ops = ops;
}

/* Position of the first entry with an id >= @id. */
static u32 position(const struct id_table *t, u32 id)
{
	u32 lo = 0, hi = t->nr;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (t->objs[mid]->id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Room for one more; under the lock. */
static int make_room(struct id_table *t)
{
	u32 room = t->room ? t->room * 2 : 16;
	void *objs;

	if (t->nr < t->room)
		return 0;
	objs = skep_realloc(t->objs, room * sizeof(*t->objs));
	if (!objs)
		return -ENOMEM;
	t->objs = objs;
	t->room = room;
	return 0;
}

static void insert(struct id_table *t, struct skep_obj *o, u32 id)
{
	u32 at = position(t, id);

	memmove(&t->objs[at + 1], &t->objs[at], (t->nr - at) * sizeof(*t->objs));
	o->id = id;
	t->objs[at] = o;
	t->nr++;
}

int skep_obj_publish(struct skep_obj *o)
{
	struct id_table *t = &tables[o->type];
	int err;
	u32 at;

	skep_lock(&t->lock);
	err = make_room(t);
	if (!err) {
		do {
			t->last = t->last == ID_WRAP ? t->reserved + 1 : t->last + 1;
			at = position(t, t->last);
		} while (at < t->nr && t->objs[at]->id == t->last);
		insert(t, o, t->last);
	}
	skep_unlock(&t->lock);
	return err;
}

void skep_obj_reserve_id(enum skep_obj_type type, u32 id)
{
	tables[type].reserved = id;
	tables[type].last = SKEP_MAX(tables[type].last, id);
}

int skep_obj_publish_as(struct skep_obj *o, u32 id)
{
	struct id_table *t = &tables[o->type];
	int err;

	skep_lock(&t->lock);
	err = make_room(t);
	if (!err)
		insert(t, o, id);
	skep_unlock(&t->lock);
	return err;
}

void skep_obj_unpublish(struct skep_obj *o)
{
	struct id_table *t = &tables[o->type];
	u32 at;

	skep_lock(&t->lock);
	at = o->id ? position(t, o->id) : t->nr;
	if (at < t->nr && t->objs[at] == o) {
		t->nr--;
		memmove(&t->objs[at], &t->objs[at + 1], (t->nr - at) * sizeof(*t->objs));
	}
	skep_unlock(&t->lock);
}

bool skep_obj_get_unless_zero(struct skep_obj *o)
{
	u64 refs = SKEP_READ(o->refs);

	do {
		if (!refs)
			return false;
	} while (!__atomic_compare_exchange_n(&o->refs, &refs, refs + 1, true, __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED));
	return true;
}

void skep_obj_put(struct skep_obj *o)
{
	if (o && !__atomic_sub_fetch(&o->refs, 1, __ATOMIC_ACQ_REL)) {
		skep_obj_unpublish(o);
		o->ops->release(o);
	}
}

struct skep_obj *skep_obj_by_id(enum skep_obj_type type, u32 id)
{
	struct id_table *t = &tables[type];
	struct skep_obj *o = NULL;
	u32 at;

	skep_lock(&t->lock);
	at = position(t, id);
	if (at < t->nr && t->objs[at]->id == id && skep_obj_get_unless_zero(t->objs[at]))
		o = t->objs[at];
	skep_unlock(&t->lock);
	return o;
}

u32 skep_obj_next_id(enum skep_obj_type type, u32 id)
{
	struct id_table *t = &tables[type];
	u32 at, next = 0;

	skep_lock(&t->lock);
	at = id == UINT32_MAX ? t->nr : position(t, id + 1);
	if (at < t->nr)
		next = t->objs[at]->id;
	skep_unlock(&t->lock);
	return next;
}

void skep_obj_fork_child(void)
{
	for (u32 i = 0; i < SKEP_NR_OBJ_TYPES; i++) {
		skep_lock_reset(&tables[i].lock);
		tables[i].nr = 0;
	}
}
