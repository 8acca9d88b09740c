/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local storage: a value per owner (task, cgroup, socket, inode) and map, found in constant time.
 *
 * Idea. Every storage map has a small number, unique among the living maps of its type. An owner
 * (kern/owner.h) points to a table, indexed by that number, of pointers to values. A look-up is
 *
 *	owner -> table -> value
 *
 * two dependent loads and a bound check, the same for 1 map and for 1,000: no cache with a limited
 * number of slots and no list to walk when it overflows. Generated code does it inline
 * (spec/inline.h); only creation comes here. Where the map is known at load its number is a
 * constant, and below SKEP_STORAGE_MIN_SLOTS no table is too short: two loads and a test.
 *
 * Memory. A table is a power of two of bytes, at least a cache line, just large enough for the
 * highest number in use by this owner. An element is 56 bytes of bookkeeping and the value, in
 * size classes of 64 bytes. For 10,000 owners, each with an 8-byte value in every map:
 *
 *		tables		elements	per value
 *	1 map	0.64 MB		0.64 MB		128 bytes
 *	1,000	82 MB		640 MB		72 bytes
 *
 * The kernel's owner with one map takes about 200 bytes and its elements 80 bytes and the value.
 * An owner that has a value in the highest-numbered of 1,000 maps alone pays 8 KiB for it: numbers
 * are given out smallest first, and each type counts for itself, so that this stays rare.
 *
 * An element is { bookkeeping, value }; the slot points at the value.
 *
 * Who may call: anyone in an RCU read section. Locks, in order: owner, then map (its list of
 * elements). Readers take none. A table grows by copying under the owner's lock and publishing
 * with release order; old tables and removed elements wait for a grace period.
 *
 * Ends. Owner first: all its elements are removed, the owner marked dead so that none is created
 * later. Map first: its elements are removed from their owners one by one; the number is free for
 * reuse only after that, so a slot never shows another map's value. Owners are type-stable memory
 * and outlive their end by a grace period: whoever finds one through an element, in a read
 * section, may take its lock; that the element is still there is then seen under the lock.
 *
 * Re-entry. A program may be attached to the making of storage (bpf_local_storage_update): it runs
 * before any lock is taken, and may come here itself. Linux counts, per CPU, who is at work on task
 * storage and on cgroup storage; one that comes second creates and deletes nothing. A program
 * keeps its virtual CPU while it runs, so a counter per thread says the same.
 */
#include "map/local_storage.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/list.h"
#include "base/pool.h"
#include "isa/uapi.h"
#include "kern/cgroup.h"
#include "kern/inode.h"
#include "kern/sock.h"
#include "kern/task.h"
#include "map/map.h"
#include "obj/fd.h"

#define MAX_STORAGE_MAPS (1u << 16)
#define MAX_VALUE 65407u /* the kernel's bound, observed */
#define MIN_TABLE 64u

/* What an owner's bookkeeping and each value count against a socket's limit: as in Linux. */
#define CHARGE_ELEM 72u
#define CHARGE_OWNER 184u

enum guard { GUARD_TASK, GUARD_CGROUP, NR_GUARDS, GUARD_NONE };

/* What tells the four types apart. */
struct storage_kind {
	/*
	 * The owner behind a descriptor, referenced; or NULL and an errno. Not in a read section.
	 */
	struct skep_storage_owner *(*by_fd)(int fd, int *ret_err);
	void (*put)(struct skep_storage_owner *o);
	enum guard guard;
	/* Bytes that the values of one owner may come to, 0: any. */
	u32 (*limit)(void);
	u64 numbers[MAX_STORAGE_MAPS / 64]; /* in use, under numbers_lock */
};

struct elem {
	struct skep_storage_owner *owner;
	struct skep_map *map;
	struct skep_list in_map; /* under the map's lock */
	struct skep_rcu_head rcu;
	u32 bytes;
	u8 value[] __attribute__((aligned(8)));
};

struct storage_map {
	struct skep_map map;
	struct storage_kind *kind;
	struct skep_lock lock;
	struct skep_list elems;
};

static struct skep_lock numbers_lock;
static SKEP_TLS u32 at_work[NR_GUARDS];

void (*skep_storage_updating)(const struct skep_storage_owner *o, const struct skep_map *m,
			      const void *value, u64 flags);

static struct storage_map *storage_of(const struct skep_map *m)
{
	return container_of((struct skep_map *)m, struct storage_map, map);
}

static struct elem *elem_of(void *value)
{
	return (struct elem *)((u8 *)value - offsetof(struct elem, value));
}

/* Smallest free number, or -1. */
static s32 take_number(struct storage_kind *k)
{
	s32 n = -1;

	skep_lock(&numbers_lock);
	for (u32 i = 0; i < ARRAY_SIZE(k->numbers) && n < 0; i++)
		if (~k->numbers[i]) {
			u32 bit = (u32)__builtin_ctzll(~k->numbers[i]);

			k->numbers[i] |= 1ull << bit;
			n = (s32)(i * 64 + bit);
		}
	skep_unlock(&numbers_lock);
	return n;
}

static void give_number(struct storage_kind *k, u32 n)
{
	skep_lock(&numbers_lock);
	k->numbers[n / 64] &= ~(1ull << n % 64);
	skep_unlock(&numbers_lock);
}

/* --- re-entry --- */

/* False: storage of this kind is already being worked on here, by what this runs inside of. */
static bool guard_enter(enum guard g)
{
	return g == GUARD_NONE || ++at_work[g] == 1;
}

static void guard_leave(enum guard g)
{
	barrier();
	if (g != GUARD_NONE)
		at_work[g]--;
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
static struct skep_storage_table *table_for(struct skep_storage_owner *o, u32 slot)
{
	struct skep_storage_table *old = o->table, *t;
	u32 bytes;

	/* the shared empty one is nobody's to write to */
	if (slot < old->len && old != skep_storage_empty)
		return old;
	bytes = SKEP_MAX(skep_roundup_pow2(table_bytes(slot + 1)), MIN_TABLE);
	t = skep_sized_alloc(bytes);
	if (!t)
		return NULL;
	t->len = (u32)((bytes - sizeof(*t)) / sizeof(void *));
	memcpy(t->slots, old->slots, old->len * sizeof(void *));
	skep_rcu_assign(o->table, t);
	if (old != skep_storage_empty)
		skep_rcu_defer(&old->rcu, table_free);
	return t;
}

/* --- elements --- */

static void elem_free(struct skep_rcu_head *head)
{
	struct elem *e = container_of(head, struct elem, rcu);

	skep_sized_free(e, e->bytes);
}

static void *lookup(const struct skep_map *m, const struct skep_storage_owner *o)
{
	const struct skep_storage_table *t = skep_rcu_deref(o->table);

	return m->storage_slot < t->len ? skep_rcu_deref(t->slots[m->storage_slot]) : NULL;
}

static void leave_map(struct elem *e)
{
	struct storage_map *s = storage_of(e->map);

	skep_lock(&s->lock);
	skep_list_del(&e->in_map);
	skep_unlock(&s->lock);
	skep_rcu_defer(&e->rcu, elem_free);
}

/* Take @e out of owner and map. Under the owner's lock. */
static void remove_elem(struct skep_storage_owner *o, struct elem *e)
{
	skep_rcu_assign(o->table->slots[e->map->storage_slot], NULL);
	o->charged -= CHARGE_ELEM + e->map->facts.value_size;
	leave_map(e);
}

static struct elem *elem_new(struct skep_map *m, struct skep_storage_owner *o, const void *init)
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

static bool may_charge(const struct storage_map *s, const struct skep_storage_owner *o)
{
	u32 limit = s->kind->limit ? s->kind->limit() : 0;

	return !limit || CHARGE_OWNER + o->charged + CHARGE_ELEM + s->map.facts.value_size < limit;
}

/*
 * Put @e, new, where the owner's value in its map is, under the owner's lock: the old one goes if
 * @replace, otherwise it stays and is the result. The value that is there now, or NULL.
 */
static void *publish(struct skep_storage_owner *o, struct elem *e, bool replace)
{
	struct storage_map *s = storage_of(e->map);
	struct skep_storage_table *t = o->dead ? NULL : table_for(o, e->map->storage_slot);
	void **slot, *old;

	if (!t)
		return NULL;
	slot = &t->slots[e->map->storage_slot];
	old = *slot;
	if (old && !replace)
		return old;
	if (!old && !may_charge(s, o))
		return NULL;
	skep_lock(&s->lock);
	skep_list_add_tail(&e->in_map, &s->elems);
	skep_unlock(&s->lock);
	skep_rcu_assign(*slot, (void *)e->value);
	if (old)
		leave_map(elem_of(old));
	else
		o->charged += CHARGE_ELEM + e->map->facts.value_size;
	return e->value;
}

/* The value made; the present one when somebody was faster and not @replace; NULL. */
static void *create(struct skep_map *m, struct skep_storage_owner *o, const void *init,
		    bool replace, bool *ret_made)
{
	struct elem *e = elem_new(m, o, init);
	void *value;

	*ret_made = false;
	if (!e)
		return NULL;
	skep_lock(&o->lock);
	value = publish(o, e, replace);
	skep_unlock(&o->lock);
	*ret_made = value == e->value;
	if (!*ret_made)
		skep_sized_free(e, e->bytes); /* never published */
	return value;
}

/* Who is attached to it sees the making of a value; holding no lock. */
static void tell(struct skep_map *m, struct skep_storage_owner *o, const void *value, u64 flags)
{
	void (*fn)(const struct skep_storage_owner *, const struct skep_map *, const void *, u64) =
		__atomic_load_n(&skep_storage_updating, __ATOMIC_ACQUIRE);

	if (unlikely(fn))
		fn(o, m, value, flags);
}

void *skep_storage_get(struct skep_map *m, struct skep_storage_owner *o, const void *init,
		       bool make, bool may_nest)
{
	enum guard g = storage_of(m)->kind->guard;
	void *value = lookup(m, o);
	bool made;

	if (value || !make)
		return value;
	if (guard_enter(g) || may_nest) {
		tell(m, o, init, BPF_NOEXIST);
		value = create(m, o, init, false, &made);
	}
	guard_leave(g);
	return value;
}

static s64 erase(struct skep_map *m, struct skep_storage_owner *o)
{
	void *value;

	skep_lock(&o->lock);
	value = lookup(m, o);
	if (value)
		remove_elem(o, elem_of(value));
	skep_unlock(&o->lock);
	return value ? 0 : -ENOENT;
}

s64 skep_storage_delete(struct skep_map *m, struct skep_storage_owner *o, bool may_nest)
{
	enum guard g = storage_of(m)->kind->guard;
	s64 ret = guard_enter(g) || may_nest ? erase(m, o) : -EBUSY;

	guard_leave(g);
	return ret;
}

bool skep_storage_has_clones(struct skep_storage_owner *o)
{
	bool has = false;

	skep_lock(&o->lock);
	for (u32 i = 0; i < o->table->len && !has; i++)
		has = o->table->slots[i] &&
		      elem_of(o->table->slots[i])->map->facts.flags & BPF_F_CLONE;
	skep_unlock(&o->lock);
	return has;
}

void skep_storage_clone(struct skep_storage_owner *from, struct skep_storage_owner *to)
{
	const struct skep_storage_table *t;
	bool made;

	skep_rcu_read_lock();
	/* The new owner is locked inside: nobody clones the other way. */
	skep_lock(&from->lock);
	t = from->table;
	for (u32 i = 0; i < t->len; i++) {
		void *value = t->slots[i];
		struct skep_map *m = value ? elem_of(value)->map : NULL;

		/* a map at its end is not to be given more elements */
		if (!m || !(m->facts.flags & BPF_F_CLONE) || !skep_obj_get_unless_zero(&m->obj))
			continue;
		create(m, to, value, false, &made);
		skep_map_put(m);
	}
	skep_unlock(&from->lock);
	skep_rcu_read_unlock();
}

/* --- ends --- */

static void owner_end(struct skep_storage_owner *o)
{
	struct skep_storage_table *t;

	skep_lock(&o->lock);
	o->dead = 1;
	t = o->table;
	for (u32 i = 0; t != skep_storage_empty && i < t->len; i++)
		if (t->slots[i])
			remove_elem(o, elem_of(t->slots[i]));
	skep_rcu_assign(o->table, skep_storage_empty);
	if (t != skep_storage_empty)
		skep_rcu_defer(&t->rcu, table_free);
	skep_unlock(&o->lock);
}

static void storage_free(struct skep_map *m)
{
	struct storage_map *s = storage_of(m);

	/* Elements and owners stay readable while we go from the list to the owners. */
	skep_rcu_read_lock();
	for (;;) {
		struct skep_storage_owner *o;
		struct elem *e;

		skep_lock(&s->lock);
		e = skep_list_empty(&s->elems)
			    ? NULL
			    : skep_list_entry(s->elems.next, struct elem, in_map);
		o = e ? e->owner : NULL;
		skep_unlock(&s->lock);
		if (!e)
			break;
		skep_lock(&o->lock);
		if (lookup(m, o) == (void *)e->value)
			remove_elem(o, e);
		skep_unlock(&o->lock);
	}
	skep_rcu_read_unlock();
	give_number(s->kind, m->storage_slot);
	skep_free(s);
}

/* --- the four kinds --- */

static struct skep_storage_owner *task_by_fd(int fd, int *ret_err)
{
	struct skep_task *t = skep_task_by_pidfd(fd, ret_err);

	return t ? &t->owner : NULL;
}

static void task_put(struct skep_storage_owner *o)
{
	skep_task_put(container_of(o, struct skep_task, owner));
}

static struct skep_storage_owner *cgroup_by_fd(int fd, int *ret_err)
{
	struct skep_cgroup *c = skep_cgroup_by_fd(fd, ret_err);

	return c ? &c->owner : NULL;
}

static void cgroup_put(struct skep_storage_owner *o)
{
	skep_cgroup_put(container_of(o, struct skep_cgroup, owner));
}

static struct skep_storage_owner *sock_by_fd(int fd, int *ret_err)
{
	struct skep_sock *s = skep_sock_by_fd(fd, ret_err);

	return s ? &s->owner : NULL;
}

static void sock_put(struct skep_storage_owner *o)
{
	skep_sock_put(container_of(o, struct skep_sock, owner));
}

static struct skep_storage_owner *inode_by_fd(int fd, int *ret_err)
{
	struct skep_inode *i = skep_inode_by_fd(fd, ret_err);

	return i ? &i->owner : NULL;
}

static void inode_put(struct skep_storage_owner *o)
{
	skep_inode_put(container_of(o, struct skep_inode, owner));
}

static struct storage_kind task_kind = {
	.by_fd = task_by_fd,
	.put = task_put,
	.guard = GUARD_TASK,
};

static struct storage_kind cgroup_kind = {
	.by_fd = cgroup_by_fd,
	.put = cgroup_put,
	.guard = GUARD_CGROUP,
};

static struct storage_kind sock_kind = {
	.by_fd = sock_by_fd,
	.put = sock_put,
	.guard = GUARD_NONE,
	.limit = skep_sock_option_memory,
};

static struct storage_kind inode_kind = {
	.by_fd = inode_by_fd,
	.put = inode_put,
	.guard = GUARD_NONE,
};

static struct storage_kind *kind_of(u32 map_type)
{
	switch (map_type) {
	case BPF_MAP_TYPE_TASK_STORAGE:
		return &task_kind;
	case BPF_MAP_TYPE_SK_STORAGE:
		return &sock_kind;
	case BPF_MAP_TYPE_INODE_STORAGE:
		return &inode_kind;
	default:
		return &cgroup_kind;
	}
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
	struct storage_kind *k = kind_of(t->type);
	struct storage_map *s = skep_zalloc(sizeof(*s));
	s32 n;

	if (!s)
		return skep_err_ptr(-ENOMEM);
	n = take_number(k);
	if (n < 0) {
		skep_free(s);
		return skep_err_ptr(-E2BIG);
	}
	skep_list_init(&s->elems);
	s->kind = k;
	skep_map_init(&s->map, t, &skep_storage_ops);
	s->map.storage_slot = (u32)n;
	s->map.inl.kind = SKEP_INLINE_STORAGE;
	s->map.inl.storage_slot = (u32)n;
	return &s->map;
}

/* --- user side: the key is a descriptor --- */

static int sys_lookup(struct skep_map *m, const void *key, void *value, u64 flags)
{
	const struct storage_kind *k = storage_of(m)->kind;
	int err;
	struct skep_storage_owner *o = k->by_fd(*(const s32 *)key, &err);
	void *found;

	if (!o)
		return err;
	skep_rcu_read_lock();
	found = lookup(m, o);
	if (found)
		skep_map_read_value(m, value, found, flags & BPF_F_LOCK);
	skep_rcu_read_unlock();
	k->put(o);
	return found ? 0 : -ENOENT;
}

/* In a read section. A value under its lock is written to, otherwise a new one takes its place. */
static int update_owner(struct skep_map *m, struct skep_storage_owner *o, const void *value,
			u64 flags)
{
	u64 how = flags & ~(u64)BPF_F_LOCK;
	bool made;

	for (;;) {
		void *found = lookup(m, o);

		if (found && how == BPF_NOEXIST)
			return -EEXIST;
		if (!found && how == BPF_EXIST)
			return -ENOENT;
		if (found && flags & BPF_F_LOCK) {
			skep_map_copy_value(m, found, value, true);
			return 0;
		}
		if (!create(m, o, value, found, &made))
			return -ENOMEM;
		if (made)
			return 0;
		/* another's value came first: that is an update of it */
	}
}

static int sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	const struct storage_kind *k = storage_of(m)->kind;
	int err;
	struct skep_storage_owner *o = k->by_fd(*(const s32 *)key, &err);

	if (!o)
		return err;
	err = skep_map_check_flags(m, flags);
	if (!err) {
		skep_rcu_read_lock();
		guard_enter(k->guard);
		tell(m, o, value, flags);
		err = update_owner(m, o, value, flags);
		guard_leave(k->guard);
		skep_rcu_read_unlock();
	}
	k->put(o);
	return err;
}

static int sys_erase(struct skep_map *m, const void *key)
{
	const struct storage_kind *k = storage_of(m)->kind;
	int err;
	struct skep_storage_owner *o = k->by_fd(*(const s32 *)key, &err);

	if (!o)
		return err;
	skep_rcu_read_lock();
	err = (int)erase(m, o);
	skep_rcu_read_unlock();
	k->put(o);
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
	ret->owner_table_off = SKEP_OWNER_OFF + (s32)offsetof(struct skep_storage_owner, table);
	ret->table_len_off = (s32)offsetof(struct skep_storage_table, len);
	ret->table_slots_off = (s32)offsetof(struct skep_storage_table, slots);
	ret->table_min_len = SKEP_STORAGE_MIN_SLOTS;
	ret->map_slot_off = (s32)offsetof(struct skep_map, storage_slot);
}

__attribute__((constructor)) static void bind_owner_side(void)
{
	skep_storage_free = owner_end;
}

const struct skep_map_ops skep_storage_ops = {
	.check = storage_check,
	.alloc = storage_alloc,
	.free = storage_free,
	.sys_lookup = sys_lookup,
	.sys_update = sys_update,
	.sys_erase = sys_erase,
	.next_key = no_next_key,
	.mem_usage = mem_usage,
};
