/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every map has: the object's life, values with special fields, the table of types.
 */
#include "map/map.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "isa/uapi.h"
#include "obj/fd.h"
#include "obj/value_lock.h"

static void free_after_grace(struct skep_rcu_head *head)
{
	struct skep_map *m = container_of(head, struct skep_map, obj.rcu);
	struct skep_btf *btf = m->btf, *inner = m->inner_btf;

	m->ops->free(m);
	skep_btf_put(btf);
	skep_btf_put(inner);
}

static void map_release(struct skep_obj *o)
{
	skep_rcu_defer(&o->rcu, free_after_grace);
}

static int map_mmap(struct skep_obj *o, struct skep_mmap_req *req)
{
	struct skep_map *m = skep_map_of(o);

	if (!m->ops->mmap || m->facts.record)
		return -SKEP_ENOTSUPP;
	/* A private copy, or shared memory that its descriptor may not write, shares nothing. */
	if ((req->flags & MAP_TYPE) == MAP_PRIVATE || !req->may_write)
		return -EINVAL;
	if (req->prot & PROT_WRITE && __atomic_load_n(&m->facts.frozen, __ATOMIC_SEQ_CST))
		return -EPERM;
	if (req->prot & PROT_WRITE && m->facts.flags & BPF_F_RDONLY_PROG)
		return -EACCES;
	return m->ops->mmap(m, req);
}

static void map_mmap_open(struct skep_obj *o, int prot)
{
	struct skep_map *m = skep_map_of(o);

	if (prot & PROT_WRITE)
		__atomic_fetch_add(&m->mmap_writers, 1, __ATOMIC_SEQ_CST);
}

static void map_mmap_close(struct skep_obj *o, int prot)
{
	struct skep_map *m = skep_map_of(o);

	if (prot & PROT_WRITE)
		__atomic_fetch_sub(&m->mmap_writers, 1, __ATOMIC_RELAXED);
}

static bool map_poll_ready(struct skep_obj *o)
{
	struct skep_map *m = skep_map_of(o);

	return m->ops->poll_ready(m);
}

void skep_map_user_get(struct skep_map *m)
{
	__atomic_fetch_add(&m->users, 1, __ATOMIC_RELAXED);
}

void skep_map_user_put(struct skep_map *m)
{
	if (!__atomic_sub_fetch(&m->users, 1, __ATOMIC_ACQ_REL) && m->ops->users_gone)
		m->ops->users_gone(m);
}

static void map_fd_closed(struct skep_obj *o)
{
	skep_map_user_put(skep_map_of(o));
}

static const struct skep_obj_ops plain_ops = {
	.release = map_release,
	.fd_closed = map_fd_closed,
	.mmap = map_mmap,
	.mmap_open = map_mmap_open,
	.mmap_close = map_mmap_close,
};

static const struct skep_obj_ops pollable_ops = {
	.release = map_release,
	.fd_closed = map_fd_closed,
	.mmap = map_mmap,
	.mmap_open = map_mmap_open,
	.mmap_close = map_mmap_close,
	.poll_ready = map_poll_ready,
};

void skep_map_init(struct skep_map *m, const struct skep_map_facts *tmpl,
		   const struct skep_map_ops *ops)
{
	skep_obj_init(&m->obj, SKEP_OBJ_MAP, ops->poll_ready ? &pollable_ops : &plain_ops);
	m->ops = ops;
	m->facts = *tmpl;
	if (tmpl->record) {
		m->record = *tmpl->record;
		m->facts.record = m->record.nr ? &m->record : NULL;
	}
	if (tmpl->inner) {
		/* The template may be gone before this map is. */
		m->inner_facts = *tmpl->inner;
		m->facts.inner = &m->inner_facts;
		if (tmpl->inner->record) {
			m->inner_record = *tmpl->inner->record;
			m->inner_facts.record = &m->inner_record;
		}
		if (tmpl->inner->btf)
			m->inner_btf = skep_btf_get((struct skep_btf *)tmpl->inner->btf);
	}
	if (tmpl->btf)
		m->btf = skep_btf_get((struct skep_btf *)tmpl->btf);
}

/* Copy @n bytes of a value but for its special fields; those of @dst become zero if @clear. */
static void copy_around(const struct skep_btf_record *r, u8 *dst, const u8 *src, u32 n, bool clear)
{
	u32 at = 0;

	for (u32 i = 0; i < r->nr; i++) {
		const struct skep_btf_field *f = &r->fields[i];

		memcpy(dst + at, src + at, f->off - at);
		if (clear)
			memset(dst + f->off, 0, f->size);
		at = f->off + f->size;
	}
	memcpy(dst + at, src + at, n - at);
}

static u32 *value_lock(const struct skep_map *m, void *value)
{
	const struct skep_btf_field *f =
		skep_btf_record_find(m->facts.record, SKEP_FIELD_SPIN_LOCK);

	return f ? (u32 *)((u8 *)value + f->off) : NULL;
}

void skep_map_copy_value(const struct skep_map *m, void *dst, const void *src, bool lock)
{
	u32 *word = lock ? value_lock(m, dst) : NULL;

	if (word)
		skep_value_lock(word);
	if (unlikely(m->facts.record))
		copy_around(m->facts.record, dst, src, m->facts.value_size, false);
	else
		memcpy(dst, src, m->facts.value_size);
	if (word)
		skep_value_unlock(word);
}

void skep_map_read_value(const struct skep_map *m, void *dst, const void *src, bool lock)
{
	u32 *word = lock ? value_lock(m, (void *)src) : NULL;

	if (word)
		skep_value_lock(word);
	if (unlikely(m->facts.record))
		copy_around(m->facts.record, dst, src, m->facts.value_size, true);
	else
		memcpy(dst, src, m->facts.value_size);
	if (word)
		skep_value_unlock(word);
}

int skep_map_check_flags(const struct skep_map *m, u64 flags)
{
	if ((flags & ~(u64)BPF_F_LOCK) > BPF_EXIST)
		return -EINVAL;
	if (flags & BPF_F_LOCK && !skep_btf_record_find(m->facts.record, SKEP_FIELD_SPIN_LOCK))
		return -EINVAL;
	return 0;
}

int skep_index_next_key(u32 max, const void *key, void *next)
{
	u32 index = key ? *(const u32 *)key : UINT32_MAX;

	if (index >= max)
		*(u32 *)next = 0;
	else if (index == max - 1)
		return -ENOENT;
	else
		*(u32 *)next = index + 1;
	return 0;
}

/* Kernel rule: same type, sizes, flags and special fields; arrays may differ in length if allowed.
 */
static bool inner_compatible(const struct skep_map_facts *want, const struct skep_map_facts *have)
{
	bool same_length = want->max_entries == have->max_entries;

	if (want->type == BPF_MAP_TYPE_ARRAY && want->flags & BPF_F_INNER_MAP)
		same_length = true;
	else if (want->type != BPF_MAP_TYPE_ARRAY)
		same_length = true;
	return want->type == have->type && want->key_size == have->key_size &&
	       want->value_size == have->value_size && want->flags == have->flags && same_length &&
	       (want->record ? want->record->mask : 0) == (have->record ? have->record->mask : 0);
}

struct skep_map *skep_inner_get(const struct skep_map *outer, u32 fd)
{
	int err;
	struct skep_obj *o = skep_fd_get((int)fd, SKEP_OBJ_MAP, NULL, &err);
	struct skep_map *m;

	if (!o)
		return skep_err_ptr(err);
	m = skep_map_of(o);
	if (!inner_compatible(&outer->inner_facts, &m->facts)) {
		skep_map_put(m);
		return skep_err_ptr(-EINVAL);
	}
	return m;
}

int skep_inner_sys_lookup(struct skep_map *m, const void *key, void *value, u64 flags)
{
	const struct skep_map *inner;

	skep_rcu_read_lock();
	inner = m->ops->lookup(m, key);
	if (inner)
		*(u32 *)value = inner->obj.id;
	skep_rcu_read_unlock();
	return inner ? 0 : -ENOENT;
}

const struct skep_map_ops *skep_map_simulated_ops(u32 type)
{
	/* Read-only data are constants to the verifier: arrays keep their values. */
	return type == BPF_MAP_TYPE_ARRAY ? &skep_array_ops : &skep_simulated_ops;
}

const struct skep_map_ops *skep_map_ops(u32 type)
{
	switch (type) {
	case BPF_MAP_TYPE_ARRAY:
		return &skep_array_ops;
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return &skep_percpu_array_ops;
	case BPF_MAP_TYPE_HASH:
		return &skep_hash_ops;
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return &skep_percpu_hash_ops;
	case BPF_MAP_TYPE_LRU_HASH:
		return &skep_lru_hash_ops;
	case BPF_MAP_TYPE_PROG_ARRAY:
		return &skep_prog_array_ops;
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
		return &skep_array_of_maps_ops;
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return &skep_hash_of_maps_ops;
	case BPF_MAP_TYPE_RINGBUF:
		return &skep_ringbuf_ops;
	case BPF_MAP_TYPE_TASK_STORAGE:
	case BPF_MAP_TYPE_SK_STORAGE:
	case BPF_MAP_TYPE_INODE_STORAGE:
	case SKEP_MAP_TYPE_CGRP_STORAGE:
		return &skep_storage_ops;
	default:
		return NULL;
	}
}
