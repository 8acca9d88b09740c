/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays: plain, per virtual CPU, and of maps.
 *
 * Values lie in one block of pages, `stride` apart (value_size rounded up to 8), zeroed, never
 * moved. BPF_F_MMAPABLE arrays take the block from a memfd that is mapped here and wherever the
 * application maps the descriptor. A per-CPU array has one block per virtual CPU, a page multiple
 * apart. An array of maps holds pointers, each with a reference; readers are under RCU and the
 * old map is put after the exchange (its memory outlives the grace period).
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/fd_own.h"
#include "base/raw.h"
#include "base/vcpu.h"
#include "isa/uapi.h"
#include "map/map.h"

struct array {
	struct skep_map map;
	u8 *values;
	u64 bytes; /* of one copy, page multiple */
	u32 stride;
	u32 copies;   /* 1, or the number of virtual CPUs */
	int memfd;    /* -1: private memory; may move (base/fd_own.h) */
	u64 nr_inner; /* array of maps */
};

static struct array *array_of(const struct skep_map *m)
{
	return container_of((struct skep_map *)m, struct array, map);
}

static int array_check(const struct skep_attr_map_create *a)
{
	u32 allowed = BPF_F_NUMA_NODE | BPF_F_MMAPABLE | BPF_F_RDONLY | BPF_F_WRONLY |
		      BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG | BPF_F_PRESERVE_ELEMS |
		      BPF_F_INNER_MAP;
	bool percpu = a->map_type == BPF_MAP_TYPE_PERCPU_ARRAY;

	if (!a->max_entries || a->key_size != 4 || !a->value_size || a->map_flags & ~allowed)
		return -EINVAL;
	if ((a->map_flags & (BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG)) ==
	    (BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG))
		return -EINVAL;
	if (percpu && a->map_flags & (BPF_F_MMAPABLE | BPF_F_INNER_MAP | BPF_F_NUMA_NODE))
		return -EINVAL;
	if (a->map_type != BPF_MAP_TYPE_ARRAY && a->map_flags & (BPF_F_MMAPABLE | BPF_F_INNER_MAP))
		return -EINVAL;
	if (a->map_flags & BPF_F_PRESERVE_ELEMS)
		return -EINVAL;
	if (percpu && a->value_size > (32u << 10)) /* the smallest unit of per-CPU memory */
		return -E2BIG;
	if (a->value_size > INT32_MAX)
		return -E2BIG;
	return 0;
}

static int map_memfd(struct array *a)
{
	long fd = skep_raw(__NR_memfd_create, "skep-array", MFD_CLOEXEC), p;

	if (fd < 0)
		return (int)fd;
	p = skep_raw(__NR_ftruncate, fd, a->bytes);
	if (!p)
		p = skep_map_low(a->bytes, MAP_SHARED, fd);
	if (p < 0 && p >= -SKEP_MAX_ERRNO) {
		skep_raw(__NR_close, fd);
		return (int)p;
	}
	a->memfd = (int)fd;
	a->values = (u8 *)p;
	if (skep_fd_own_keep(&a->memfd)) {
		skep_raw(__NR_munmap, p, a->bytes);
		skep_raw(__NR_close, fd);
		return -ENOMEM;
	}
	return 0;
}

static struct skep_map *array_alloc(const struct skep_map_facts *t)
{
	bool percpu = t->type == BPF_MAP_TYPE_PERCPU_ARRAY;
	bool of_maps = t->type == BPF_MAP_TYPE_ARRAY_OF_MAPS;
	u32 stride = of_maps ? 8 : SKEP_ALIGN_UP(t->value_size, 8u);
	u64 bytes = SKEP_ALIGN_UP((u64)stride * t->max_entries, 4096ull);
	struct array *a;

	/* The kernel's bound: the values' bytes must stay below 2^32 pages in all. */
	if (bytes > SKEP_ALLOC_MAX || bytes * (percpu ? skep_nr_vcpus : 1) > SKEP_ALLOC_MAX)
		return skep_err_ptr(-ENOMEM);
	a = skep_zalloc(sizeof(*a));
	if (!a)
		return skep_err_ptr(-ENOMEM);
	a->stride = stride;
	a->bytes = bytes;
	a->copies = percpu ? skep_nr_vcpus : 1;
	a->memfd = -1;
	if (t->flags & BPF_F_MMAPABLE) {
		if (map_memfd(a) < 0)
			a->values = NULL;
	} else {
		a->values = skep_pages_alloc_low(bytes * a->copies);
	}
	if (!a->values) {
		skep_free(a);
		return skep_err_ptr(-ENOMEM);
	}
	skep_map_init(&a->map, t,
		      percpu	? &skep_percpu_array_ops
		      : of_maps ? &skep_array_of_maps_ops
				: &skep_array_ops);
	a->map.inl = (struct skep_map_inline){
		.kind = percpu	  ? SKEP_INLINE_PERCPU_ARRAY
			: of_maps ? SKEP_INLINE_ARRAY_OF_MAPS
				  : SKEP_INLINE_ARRAY,
		.max_entries = t->max_entries,
		.stride = stride,
		.values = a->values,
		.percpu_stride = bytes,
	};
	return &a->map;
}

static void array_free(struct skep_map *m)
{
	struct array *a = array_of(m);

	if (m->facts.flags & BPF_F_MMAPABLE) {
		skep_raw(__NR_munmap, a->values, a->bytes);
		skep_fd_own_drop(&a->memfd);
	} else {
		skep_pages_free(a->values, a->bytes * a->copies);
	}
	skep_free(a);
}

static void *slot(const struct array *a, u32 index, u32 cpu)
{
	return a->values + (u64)cpu * a->bytes + (u64)index * a->stride;
}

static void *array_lookup(struct skep_map *m, const void *key)
{
	u32 index = *(const u32 *)key;

	return likely(index < m->facts.max_entries) ? slot(array_of(m), index, 0) : NULL;
}

static void *percpu_lookup(struct skep_map *m, const void *key)
{
	u32 index = *(const u32 *)key;

	return likely(index < m->facts.max_entries) ? slot(array_of(m), index, skep_vcpu_id())
						    : NULL;
}

static void *percpu_lookup_cpu(struct skep_map *m, const void *key, u32 cpu)
{
	u32 index = *(const u32 *)key;

	return index < m->facts.max_entries && cpu < skep_nr_vcpus ? slot(array_of(m), index, cpu)
								   : NULL;
}

static s64 update_check(struct skep_map *m, u32 index, u64 flags)
{
	int err = skep_map_check_flags(m, flags);

	if (err)
		return err;
	if (index >= m->facts.max_entries)
		return -E2BIG;
	return flags & BPF_NOEXIST ? -EEXIST : 0;
}

static s64 array_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	u32 index = *(const u32 *)key;
	s64 err = update_check(m, index, flags);

	if (!err)
		skep_map_copy_value(m, slot(array_of(m), index, 0), value, flags & BPF_F_LOCK);
	return err;
}

static s64 percpu_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	u32 index = *(const u32 *)key;
	s64 err = update_check(m, index, flags);

	if (!err)
		skep_map_copy_value(m, slot(array_of(m), index, skep_vcpu_id()), value, false);
	return err;
}

static s64 array_erase(struct skep_map *m, const void *key)
{
	return -EINVAL;
}

static int array_next_key(struct skep_map *m, const void *key, void *next)
{
	return skep_index_next_key(m->facts.max_entries, key, next);
}

static s64 array_for_each(struct skep_map *m, u64 fn, u64 ctx)
{
	bool percpu = m->facts.type == BPF_MAP_TYPE_PERCPU_ARRAY;
	s64 n = 0;

	for (u32 i = 0; i < m->facts.max_entries; i++) {
		void *value = slot(array_of(m), i, percpu ? skep_vcpu_id() : 0);
		u32 key = i;

		n++;
		if (skep_call_callback(fn, (u64)m, (u64)&key, (u64)value, ctx, 0))
			break;
	}
	return n;
}

static void *array_direct(struct skep_map *m)
{
	return m->facts.max_entries == 1 ? array_of(m)->values : NULL;
}

static int array_mmap(struct skep_map *m, struct skep_mmap_req *req)
{
	struct array *a = array_of(m);

	if (!(m->facts.flags & BPF_F_MMAPABLE))
		return -EINVAL;
	if (req->off + req->len > a->bytes || req->off + req->len < req->off)
		return -EINVAL;
	req->memfd = SKEP_READ(a->memfd);
	req->memfd_off = req->off;
	req->split = req->len;
	/* What was mapped read-only stays so: else a frozen map could be written through it. */
	req->prot_max = req->prot & PROT_WRITE ? PROT_READ | PROT_WRITE : PROT_READ;
	return 0;
}

static u64 array_mem_usage(const struct skep_map *m)
{
	return sizeof(struct array) + array_of(m)->bytes * array_of(m)->copies;
}

static u32 percpu_user_size(const struct skep_map *m)
{
	return SKEP_ALIGN_UP(m->facts.value_size, 8u) * skep_nr_vcpus;
}

static int percpu_sys_lookup(struct skep_map *m, const void *key, void *value, u64 flags)
{
	u32 index = *(const u32 *)key, size = SKEP_ALIGN_UP(m->facts.value_size, 8u);

	if (index >= m->facts.max_entries)
		return -ENOENT;
	for (u32 cpu = 0; cpu < skep_nr_vcpus; cpu++)
		skep_map_read_value(m, (u8 *)value + (u64)cpu * size, slot(array_of(m), index, cpu),
				    false);
	return 0;
}

static int percpu_sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	u32 index = *(const u32 *)key, size = SKEP_ALIGN_UP(m->facts.value_size, 8u);

	if (flags > BPF_EXIST)
		return -EINVAL;
	if (index >= m->facts.max_entries)
		return -E2BIG;
	if (flags == BPF_NOEXIST)
		return -EEXIST;
	for (u32 cpu = 0; cpu < skep_nr_vcpus; cpu++)
		skep_map_copy_value(m, slot(array_of(m), index, cpu),
				    (const u8 *)value + (u64)cpu * size, false);
	return 0;
}

/* --- array of maps --- */

static int of_maps_check(const struct skep_attr_map_create *a)
{
	if (a->value_size != 4 || a->map_flags & (BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG))
		return -EINVAL;
	return array_check(a);
}

static void *of_maps_lookup(struct skep_map *m, const void *key)
{
	void **p = array_lookup(m, key);

	return p ? skep_rcu_deref(*p) : NULL;
}

static int of_maps_replace(struct skep_map *m, u32 index, struct skep_map *inner)
{
	struct skep_map **p = slot(array_of(m), index, 0);
	struct skep_map *old = __atomic_exchange_n(p, inner, __ATOMIC_ACQ_REL);

	skep_map_put(old);
	return old || inner ? 0 : -ENOENT;
}

static int of_maps_sys_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	u32 index = *(const u32 *)key;
	struct skep_map *inner;

	if (flags != BPF_ANY)
		return -EINVAL;
	if (index >= m->facts.max_entries)
		return -E2BIG;
	inner = skep_inner_get(m, *(const u32 *)value);
	if (skep_is_err(inner))
		return (int)skep_ptr_err(inner);
	return of_maps_replace(m, index, inner);
}

static int of_maps_sys_erase(struct skep_map *m, const void *key)
{
	u32 index = *(const u32 *)key;

	return index < m->facts.max_entries ? of_maps_replace(m, index, NULL) : -E2BIG;
}

static void of_maps_free(struct skep_map *m)
{
	for (u32 i = 0; i < m->facts.max_entries; i++)
		of_maps_replace(m, i, NULL);
	array_free(m);
}

const struct skep_map_ops skep_array_ops = {
	.check = array_check,
	.alloc = array_alloc,
	.free = array_free,
	.lookup = array_lookup,
	.update = array_update,
	.erase = array_erase,
	.next_key = array_next_key,
	.for_each = array_for_each,
	.direct_values = array_direct,
	.mmap = array_mmap,
	.mem_usage = array_mem_usage,
};

const struct skep_map_ops skep_percpu_array_ops = {
	.check = array_check,
	.alloc = array_alloc,
	.free = array_free,
	.lookup = percpu_lookup,
	.lookup_percpu = percpu_lookup_cpu,
	.update = percpu_update,
	.erase = array_erase,
	.sys_lookup = percpu_sys_lookup,
	.sys_update = percpu_sys_update,
	.next_key = array_next_key,
	.for_each = array_for_each,
	.user_value_size = percpu_user_size,
	.mem_usage = array_mem_usage,
};

const struct skep_map_ops skep_array_of_maps_ops = {
	.check = of_maps_check,
	.alloc = array_alloc,
	.free = of_maps_free,
	.lookup = of_maps_lookup,
	.sys_lookup = skep_inner_sys_lookup,
	.sys_update = of_maps_sys_update,
	.sys_erase = of_maps_sys_erase,
	.next_key = array_next_key,
	.mem_usage = array_mem_usage,
};
