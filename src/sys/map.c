/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands on maps: create, elements, freeze.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/raw.h"
#include "base/rcu.h"
#include "base/vcpu.h"
#include "load/load.h"
#include "map/value.h"
#include "obj/btf_obj.h"
#include "obj/fd.h"
#include "obj/map.h"
#include "run/run.h"
#include "spec/map_type.h"
#include "sys/internal.h"

/* --- create --- */

static bool is_int_key(const struct skep_btf *b, u32 id)
{
	const struct btf_type *t = skep_btf_skip_mods(b, id, NULL);

	return t && skep_btf_kind(t) == BTF_KIND_INT && t->size == 4 &&
	       BTF_INT_BITS(skep_btf_int_enc(t)) == 32 && !BTF_INT_OFFSET(skep_btf_int_enc(t));
}

/* What each type says of its key's BTF; a key id of 0 is a keyless global-data map. */
static int check_key_type(const struct skep_map_facts *f)
{
	const struct btf_type *value;

	switch (f->type) {
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		if (f->btf_key_id)
			return is_int_key(f->btf, f->btf_key_id) ? 0 : -EINVAL;
		value = skep_btf_type(f->btf, f->btf_value_id);
		return f->type == BPF_MAP_TYPE_ARRAY && f->max_entries == 1 && value &&
				       skep_btf_kind(value) == BTF_KIND_DATASEC
			       ? 0
			       : -EINVAL;
	case BPF_MAP_TYPE_TASK_STORAGE:
	case BPF_MAP_TYPE_SK_STORAGE:
	case BPF_MAP_TYPE_INODE_STORAGE:
	case SKEP_MAP_TYPE_CGRP_STORAGE:
		return f->btf_key_id && is_int_key(f->btf, f->btf_key_id) ? 0 : -EINVAL;
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
	case BPF_MAP_TYPE_CGROUP_ARRAY:
	case BPF_MAP_TYPE_STACK_TRACE:
	case BPF_MAP_TYPE_DEVMAP:
	case BPF_MAP_TYPE_DEVMAP_HASH:
	case BPF_MAP_TYPE_CPUMAP:
	case BPF_MAP_TYPE_XSKMAP:
		return -SKEP_ENOTSUPP;
	case BPF_MAP_TYPE_BLOOM_FILTER:
		return 0;
	default:
		return f->btf_key_id ? 0 : -EINVAL;
	}
}

/* Which special fields the values of a map may have, in Linux. */
static u32 fields_of(u32 map_type)
{
	const u32 locks = 1u << SKEP_FIELD_SPIN_LOCK | 1u << SKEP_FIELD_RES_SPIN_LOCK;
	const u32 later = 1u << SKEP_FIELD_TIMER | 1u << SKEP_FIELD_WQ | 1u << SKEP_FIELD_TASK_WORK;
	const u32 kptrs = 1u << SKEP_FIELD_KPTR_UNREF | 1u << SKEP_FIELD_KPTR_REF |
			  1u << SKEP_FIELD_KPTR_PERCPU | 1u << SKEP_FIELD_REFCOUNT;

	switch (map_type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_ARRAY:
		return locks | later | kptrs | SKEP_FIELD_ROOTS;
	case BPF_MAP_TYPE_LRU_HASH:
		return later | kptrs | SKEP_FIELD_ROOTS;
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return kptrs;
	case BPF_MAP_TYPE_CGROUP_STORAGE:
		return locks;
	case BPF_MAP_TYPE_TASK_STORAGE:
		return locks | kptrs | 1u << SKEP_FIELD_UPTR;
	case BPF_MAP_TYPE_SK_STORAGE:
	case BPF_MAP_TYPE_INODE_STORAGE:
	case SKEP_MAP_TYPE_CGRP_STORAGE:
		return locks | kptrs;
	default:
		return 0;
	}
}

/* What Linux refuses, and what skep's maps cannot hold: refused rather than ignored. */
static int check_fields(const struct skep_map_facts *f, const struct skep_btf_record *r)
{
	if (!r->nr)
		return 0;
	if (f->flags & (BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG))
		return -EACCES;
	if (r->mask & ~fields_of(f->type))
		return -EOPNOTSUPP;
	if (!skep_verdict_only && r->mask & ~(1u << SKEP_FIELD_SPIN_LOCK))
		return -EOPNOTSUPP;
	return 0;
}

static int check_btf(struct skep_map_facts *f, struct skep_btf_record *record)
{
	s64 size;
	int err;

	if (!f->btf_key_id &&
	    (f->type == BPF_MAP_TYPE_HASH || f->type == BPF_MAP_TYPE_PERCPU_HASH ||
	     f->type == BPF_MAP_TYPE_LRU_HASH || f->type == BPF_MAP_TYPE_LRU_PERCPU_HASH))
		return -EINVAL; /* other types say later whether they need one */
	if (f->btf_key_id) {
		size = skep_btf_size(f->btf, f->btf_key_id);
		if (size < 0 || size != f->key_size)
			return -EINVAL;
	}
	size = skep_btf_size(f->btf, f->btf_value_id);
	if (size < 0 || size != f->value_size)
		return -EINVAL;
	/* Fields that make no sense are plain bytes; programs that use them are refused. */
	if (skep_btf_parse_fields(f->btf, f->btf_value_id, f->value_size, SKEP_FIELDS_OF_VALUE,
				  record))
		memset(record, 0, sizeof(*record));
	err = check_fields(f, record);
	if (!err)
		err = skep_btf_check_owners(f->btf, record);
	if (!err)
		err = check_key_type(f);
	f->record = record->nr ? record : NULL;
	return err;
}

static int common_checks(const struct skep_attr_map_create *a)
{
	bool struct_ops = skep_verdict_only && a->map_type == BPF_MAP_TYPE_STRUCT_OPS;

	if (a->btf_vmlinux_value_type_id && (!struct_ops || a->btf_key_type_id))
		return -EINVAL;
	if (a->btf_key_type_id && !a->btf_value_type_id)
		return -EINVAL;
	if (a->map_extra && a->map_type != BPF_MAP_TYPE_BLOOM_FILTER &&
	    a->map_type != SKEP_MAP_TYPE_ARENA)
		return -EINVAL;
	if (a->map_flags & SKEP_F_VTYPE_BTF_OBJ_FD && !struct_ops)
		return -EINVAL;
	if (skep_sys_access(a->map_flags) < 0)
		return -EINVAL;
	if (a->map_flags & BPF_F_NUMA_NODE && a->numa_node)
		return -EINVAL; /* one node */
	return 0;
}

/* A map inside a network card: no card here takes one. */
static int check_device(const struct skep_attr_map_create *a)
{
	if (!a->map_ifindex)
		return 0;
	if (a->map_type != BPF_MAP_TYPE_ARRAY && a->map_type != BPF_MAP_TYPE_HASH)
		return -EINVAL;
	return skep_is_ifindex(a->map_ifindex) ? -EOPNOTSUPP : -EINVAL;
}

/* Inner template of a map-in-map, from its descriptor. */
static int read_inner(const struct skep_attr_map_create *a, struct skep_map **ret)
{
	int err;
	struct skep_obj *o = skep_fd_get((int)a->inner_map_fd, SKEP_OBJ_MAP, NULL, &err);
	struct skep_map *m;

	if (!o)
		return err;
	m = skep_map_of(o);
	if (m->facts.inner || m->facts.type == BPF_MAP_TYPE_PROG_ARRAY) {
		err = -EINVAL; /* one level only */
	} else if (!skep_verdict_only && m->facts.record &&
		   m->facts.record->mask & ~(1u << SKEP_FIELD_SPIN_LOCK)) {
		err = -SKEP_ENOTSUPP;
	} else {
		*ret = m;
		return 0;
	}
	skep_obj_put(o);
	return err;
}

static int read_btf(const struct skep_attr_map_create *a, struct skep_btf_obj **ret)
{
	int err;
	struct skep_obj *o;

	if (!a->btf_key_type_id && !a->btf_value_type_id)
		return 0;
	o = skep_fd_get((int)a->btf_fd, SKEP_OBJ_BTF, NULL, &err);
	if (!o)
		return err;
	*ret = skep_btf_obj_of(o);
	return skep_btf_is_kernel((*ret)->btf) ? -EACCES : 0;
}

static struct skep_map *create(struct skep_attr_map_create *a)
{
	bool token = a->map_flags & SKEP_F_TOKEN_FD;
	const struct skep_map_ops *ops =
		skep_verdict_only ? skep_map_simulated_ops(a->map_type) : skep_map_ops(a->map_type);
	const struct skep_map_type_row *row = skep_map_type(a->map_type);
	struct skep_btf_record record = {0};
	struct skep_btf_obj *btf = NULL;
	struct skep_map *inner = NULL, *m = NULL;
	struct skep_map_facts facts = {
		.type = a->map_type,
		.key_size = a->key_size,
		.value_size = a->value_size,
		.max_entries = a->max_entries,
		/* What the first descriptor may do is not the map's. */
		.flags = a->map_flags & ~(u32)(BPF_F_RDONLY | BPF_F_WRONLY),
		.map_extra = a->map_extra,
	};
	int err;

	/* Programs are handed what the kernel keeps of a device: not for writing. */
	if (a->map_type == BPF_MAP_TYPE_DEVMAP || a->map_type == BPF_MAP_TYPE_DEVMAP_HASH)
		facts.flags |= BPF_F_RDONLY_PROG;
	a->map_flags &= ~(u32)SKEP_F_TOKEN_FD; /* of the call, not of the map */
	err = common_checks(a);

	if (!err && (!row || !ops))
		err = -EINVAL;
	/* A ring's sizes are looked at when it is made, the others' before a token is. */
	if (!err && (!token || a->map_type != BPF_MAP_TYPE_RINGBUF))
		err = ops->check(a);
	if (!err && token)
		err = skep_no_token(a->map_token_fd);
	if (!err)
		err = check_device(a);
	if (!err)
		err = skep_copy_name(facts.name, a->map_name);
	if (!err && row->flags & SKEP_MAP_OF_MAPS)
		err = read_inner(a, &inner);
	if (!err)
		err = read_btf(a, &btf);
	if (!err && btf) {
		facts.btf = btf->btf;
		facts.btf_key_id = a->btf_key_type_id;
		facts.btf_value_id = a->btf_value_type_id;
		err = check_btf(&facts, &record);
	}
	if (!err)
		err = a->excl_prog_hash || a->excl_prog_hash_size ? -EINVAL : 0;
	if (!err) {
		facts.inner = inner ? &inner->facts : NULL;
		m = ops->alloc(&facts);
		err = skep_is_err(m) ? (int)skep_ptr_err(m) : 0;
	}
	if (!err) {
		m->facts.has_direct = ops->direct_values && ops->direct_values(m);
		/* The template keeps its BTF alive through the new map, see map/map.c. */
		if (inner && inner->btf && !m->btf)
			m->btf = skep_btf_get(inner->btf);
		m->uid = (u32)skep_raw(__NR_getuid);
	}
	if (inner)
		skep_map_put(inner);
	if (btf)
		skep_obj_put(&btf->obj);
	return err ? skep_err_ptr(err) : m;
}

long skep_sys_map_create(struct skep_call *c)
{
	struct skep_map *m = create(&c->attr.map_create);

	if (skep_is_err(m))
		return skep_ptr_err(m);
	if (skep_obj_publish(&m->obj)) {
		skep_map_put(m);
		return -ENOMEM;
	}
	return skep_sys_install(&m->obj, (u32)skep_sys_access(c->attr.map_create.map_flags));
}

/* --- elements --- */

static struct skep_map *map_get(u32 fd, u32 need, int *ret_err)
{
	u32 access;
	struct skep_obj *o = skep_fd_get((int)fd, SKEP_OBJ_MAP, &access, ret_err);

	if (!o)
		return NULL;
	if ((access & need) != need) {
		skep_obj_put(o);
		*ret_err = -EPERM;
		return NULL;
	}
	return skep_map_of(o);
}

static u32 user_value_size(const struct skep_map *m)
{
	if (m->facts.inner)
		return sizeof(u32);
	return m->ops->user_value_size ? m->ops->user_value_size(m) : m->facts.value_size;
}

/* Key and value of one command, on the heap when large. */
struct elem_buf {
	u8 small[512] __attribute__((aligned(8)));
	u8 *key, *value;
	void *heap;
};

static int elem_buf_init(struct elem_buf *b, const struct skep_map *m, bool value)
{
	u64 key_room = SKEP_ALIGN_UP((u64)m->facts.key_size, 8ull);
	u64 room = key_room + (value ? SKEP_ALIGN_UP((u64)user_value_size(m), 8ull) : 0);

	b->heap = NULL;
	b->key = b->small;
	if (room > sizeof(b->small)) {
		b->heap = skep_zalloc(room);
		if (!b->heap)
			return -ENOMEM;
		b->key = b->heap;
	}
	b->value = b->key + key_room;
	return 0;
}

/* The kernel's rule: keyless maps take no key pointer, others need one. */
static int copy_key(const struct skep_call *c, const struct skep_map *m, u8 *to, u64 ukey)
{
	if (!m->facts.key_size)
		return ukey ? -EINVAL : 0;
	return skep_copy_from_user(c->caller, to, ukey, m->facts.key_size);
}

static int lookup_in(struct skep_map *m, const void *key, void *value, u64 flags)
{
	void *found;

	if (m->ops->sys_lookup)
		return m->ops->sys_lookup(m, key, value, flags);
	if (!m->ops->lookup)
		return -SKEP_ENOTSUPP;
	skep_rcu_read_lock();
	found = m->ops->lookup(m, key);
	if (found)
		skep_map_read_value(m, value, found, flags & BPF_F_LOCK);
	skep_rcu_read_unlock();
	return found ? 0 : -ENOENT;
}

static int update_in(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	int err;

	if (m->ops->sys_update)
		return m->ops->sys_update(m, key, value, flags);
	if (!m->ops->update)
		return -SKEP_ENOTSUPP;
	skep_rcu_read_lock();
	skep_vcpu_enter();
	err = (int)m->ops->update(m, key, value, flags);
	skep_vcpu_leave();
	skep_rcu_read_unlock();
	return err;
}

static int delete_in(struct skep_map *m, const void *key)
{
	int err;

	if (m->ops->sys_erase)
		return m->ops->sys_erase(m, key);
	if (!m->ops->erase)
		return -SKEP_ENOTSUPP;
	skep_rcu_read_lock();
	err = (int)m->ops->erase(m, key);
	skep_rcu_read_unlock();
	return err;
}

static int lock_flag_ok(const struct skep_map *m, u64 flags)
{
	if (flags & BPF_F_LOCK && !skep_btf_record_find(m->facts.record, SKEP_FIELD_SPIN_LOCK))
		return -EINVAL;
	return 0;
}

long skep_sys_map_lookup(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_map *m;
	struct elem_buf b;
	int err;

	if (a->flags & ~(u64)BPF_F_LOCK)
		return -EINVAL;
	m = map_get(a->map_fd, SKEP_FD_READ, &err);
	if (!m)
		return err;
	err = lock_flag_ok(m, a->flags);
	if (!err)
		err = elem_buf_init(&b, m, true);
	if (err)
		goto out;
	err = copy_key(c, m, b.key, a->key);
	if (!err)
		err = lookup_in(m, b.key, b.value, a->flags);
	if (!err)
		err = skep_copy_to_user(c->caller, a->value, b.value, user_value_size(m));
	skep_free(b.heap);
out:
	skep_map_put(m);
	return err;
}

/* Writers are counted so that freezing can refuse while one is under way. */
static int write_begin(struct skep_map *m)
{
	__atomic_fetch_add(&m->writers, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&m->facts.frozen, __ATOMIC_SEQ_CST))
		return 0;
	__atomic_fetch_sub(&m->writers, 1, __ATOMIC_SEQ_CST);
	return -EPERM;
}

static void write_end(struct skep_map *m)
{
	__atomic_fetch_sub(&m->writers, 1, __ATOMIC_SEQ_CST);
}

long skep_sys_map_update(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_map *m;
	struct elem_buf b;
	int err;

	m = map_get(a->map_fd, SKEP_FD_WRITE, &err);
	if (!m)
		return err;
	err = write_begin(m);
	if (err)
		goto out;
	err = lock_flag_ok(m, a->flags);
	if (!err)
		err = elem_buf_init(&b, m, true);
	if (err)
		goto out_write;
	err = copy_key(c, m, b.key, a->key);
	if (!err)
		err = skep_copy_from_user(c->caller, b.value, a->value, user_value_size(m));
	if (!err)
		err = update_in(m, b.key, b.value, a->flags);
	skep_free(b.heap);
out_write:
	write_end(m);
out:
	skep_map_put(m);
	return err;
}

long skep_sys_map_delete(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_map *m;
	struct elem_buf b;
	int err;

	m = map_get(a->map_fd, SKEP_FD_WRITE, &err);
	if (!m)
		return err;
	err = write_begin(m);
	if (err)
		goto out;
	err = elem_buf_init(&b, m, false);
	if (!err) {
		err = copy_key(c, m, b.key, a->key);
		if (!err)
			err = delete_in(m, b.key);
		skep_free(b.heap);
	}
	write_end(m);
out:
	skep_map_put(m);
	return err;
}

long skep_sys_map_next_key(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_map *m;
	struct elem_buf b;
	u8 *next = NULL;
	int err;

	m = map_get(a->map_fd, SKEP_FD_READ, &err);
	if (!m)
		return err;
	err = elem_buf_init(&b, m, false);
	if (err)
		goto out;
	next = skep_zalloc(SKEP_ALIGN_UP(m->facts.key_size, 8u));
	err = next ? 0 : -ENOMEM;
	if (!err && a->key)
		err = copy_key(c, m, b.key, a->key);
	if (!err && !m->ops->next_key)
		err = -SKEP_ENOTSUPP;
	if (!err) {
		skep_rcu_read_lock();
		err = m->ops->next_key(m, a->key ? b.key : NULL, next);
		skep_rcu_read_unlock();
	}
	if (!err)
		err = skep_copy_to_user(c->caller, a->next_key, next, m->facts.key_size);
	skep_free(next);
	skep_free(b.heap);
out:
	skep_map_put(m);
	return err;
}

long skep_sys_map_lookup_and_delete(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_map *m;
	struct elem_buf b;
	int err;

	if (a->flags & ~(u64)BPF_F_LOCK)
		return -EINVAL;
	m = map_get(a->map_fd, SKEP_FD_RW, &err);
	if (!m)
		return err;
	err = write_begin(m);
	if (err)
		goto out;
	err = lock_flag_ok(m, a->flags);
	if (!err)
		err = elem_buf_init(&b, m, true);
	if (err)
		goto out_write;
	err = copy_key(c, m, b.key, a->key);
	if (!err)
		err = m->ops->sys_lookup_erase
			      ? m->ops->sys_lookup_erase(m, b.key, b.value, a->flags)
			      : -SKEP_ENOTSUPP;
	if (!err)
		err = skep_copy_to_user(c->caller, a->value, b.value, user_value_size(m));
	skep_free(b.heap);
out_write:
	write_end(m);
out:
	skep_map_put(m);
	return err;
}

long skep_sys_map_freeze(struct skep_call *c)
{
	struct skep_map *m;
	int err;

	m = map_get(c->attr.u.map_fd, 0, &err);
	if (m && m->facts.record) {
		/* Special fields are written whatever a map's state. */
		skep_map_put(m);
		return -SKEP_ENOTSUPP;
	}
	skep_map_put(m);
	m = m ? map_get(c->attr.u.map_fd, SKEP_FD_WRITE, &err) : NULL;
	if (!m)
		return err;
	skep_lock(&m->freeze_lock);
	if (m->facts.frozen) {
		err = -EPERM;
	} else if (SKEP_READ(m->mmap_writers)) {
		err = -EBUSY;
	} else {
		/* Announce, then look for writers and mappers: they announce, then look for us. */
		__atomic_store_n(&m->facts.frozen, true, __ATOMIC_SEQ_CST);
		err = 0;
		if (__atomic_load_n(&m->writers, __ATOMIC_SEQ_CST) ||
		    __atomic_load_n(&m->mmap_writers, __ATOMIC_SEQ_CST)) {
			__atomic_store_n(&m->facts.frozen, false, __ATOMIC_SEQ_CST);
			err = -EBUSY;
		}
	}
	skep_unlock(&m->freeze_lock);
	skep_map_put(m);
	return err;
}
