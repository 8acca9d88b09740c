/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps of every type for verification alone: attributes and types, no elements.
 *
 * A verdict depends on what a map is, never on what it holds (constant read-only data apart: those
 * arrays stay real). So a simulated map checks its attributes as the kernel does, takes updates
 * without keeping them, and has no elements. Nothing that runs ever sees one.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/vcpu.h"
#include "base/fd_own.h"
#include "base/raw.h"
#include "isa/uapi.h"
#include "map/map.h"
#include "spec/map_type.h"

enum {
	KEY_ANY = 1 << 0,  /* a key of some size */
	KEY_4 = 1 << 1,	   /* exactly four bytes */
	KEY_NONE = 1 << 2, /* no key */
	VAL_4 = 1 << 3,	   /* values are descriptors */
	VAL_4_8 = 1 << 4,
	VAL_NONE = 1 << 5,
	VAL_ANY = 1 << 6,
	NO_MAX = 1 << 7, /* max_entries must be zero */
	PAGES = 1 << 8,	 /* max_entries is a power of two of pages */
	NEEDS_NO_PREALLOC = 1 << 9,
	LPM_KEY = 1 << 10,
	CGROUP_KEY = 1 << 11,
	STRUCT_OPS = 1 << 12,
	PAGE_COUNT = 1 << 13, /* max_entries counts pages, any number */
};

#define COMMON (BPF_F_NUMA_NODE | BPF_F_RDONLY | BPF_F_WRONLY)
#define PROG_ACCESS (BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG)
#define HASH_FLAGS (BPF_F_NO_PREALLOC | BPF_F_ZERO_SEED | COMMON | PROG_ACCESS)

/* What each type asks of MAP_CREATE. */
static const struct {
	u32 rules, flags;
} types[SKEP_NR_MAP_TYPES] = {
	[BPF_MAP_TYPE_HASH] = {KEY_ANY | VAL_ANY, HASH_FLAGS},
	[BPF_MAP_TYPE_ARRAY] = {KEY_4 | VAL_ANY,
				BPF_F_MMAPABLE | BPF_F_INNER_MAP | COMMON | PROG_ACCESS},
	[BPF_MAP_TYPE_PROG_ARRAY] = {KEY_4 | VAL_4, COMMON},
	[BPF_MAP_TYPE_PERF_EVENT_ARRAY] = {KEY_4 | VAL_4, COMMON | BPF_F_PRESERVE_ELEMS},
	[BPF_MAP_TYPE_PERCPU_HASH] = {KEY_ANY | VAL_ANY, HASH_FLAGS},
	[BPF_MAP_TYPE_PERCPU_ARRAY] = {KEY_4 | VAL_ANY, COMMON | PROG_ACCESS},
	[BPF_MAP_TYPE_STACK_TRACE] = {KEY_4 | VAL_ANY, COMMON | BPF_F_STACK_BUILD_ID},
	[BPF_MAP_TYPE_CGROUP_ARRAY] = {KEY_4 | VAL_4, COMMON},
	[BPF_MAP_TYPE_LRU_HASH] = {KEY_ANY | VAL_ANY,
				   (HASH_FLAGS & ~(u32)BPF_F_NO_PREALLOC) | BPF_F_NO_COMMON_LRU},
	[BPF_MAP_TYPE_LRU_PERCPU_HASH] = {KEY_ANY | VAL_ANY,
					  (HASH_FLAGS & ~(u32)BPF_F_NO_PREALLOC) |
						  BPF_F_NO_COMMON_LRU},
	[BPF_MAP_TYPE_LPM_TRIE] = {LPM_KEY | VAL_ANY | NEEDS_NO_PREALLOC,
				   BPF_F_NO_PREALLOC | COMMON | PROG_ACCESS},
	[BPF_MAP_TYPE_ARRAY_OF_MAPS] = {KEY_4 | VAL_4, COMMON},
	[BPF_MAP_TYPE_HASH_OF_MAPS] = {KEY_ANY | VAL_4, HASH_FLAGS},
	[BPF_MAP_TYPE_DEVMAP] = {KEY_4 | VAL_4_8, COMMON},
	[BPF_MAP_TYPE_SOCKMAP] = {KEY_4 | VAL_4_8, COMMON},
	[BPF_MAP_TYPE_CPUMAP] = {KEY_4 | VAL_4_8, BPF_F_NUMA_NODE},
	[BPF_MAP_TYPE_XSKMAP] = {KEY_4 | VAL_4, COMMON},
	[BPF_MAP_TYPE_SOCKHASH] = {KEY_ANY | VAL_4_8, COMMON},
	[BPF_MAP_TYPE_CGROUP_STORAGE] = {CGROUP_KEY | VAL_ANY | NO_MAX, COMMON},
	[BPF_MAP_TYPE_REUSEPORT_SOCKARRAY] = {KEY_4 | VAL_4_8, COMMON},
	[BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE] = {CGROUP_KEY | VAL_ANY | NO_MAX, COMMON},
	[BPF_MAP_TYPE_QUEUE] = {KEY_NONE | VAL_ANY, COMMON | PROG_ACCESS},
	[BPF_MAP_TYPE_STACK] = {KEY_NONE | VAL_ANY, COMMON | PROG_ACCESS},
	[BPF_MAP_TYPE_SK_STORAGE] = {KEY_4 | VAL_ANY | NO_MAX | NEEDS_NO_PREALLOC,
				     BPF_F_NO_PREALLOC | BPF_F_CLONE},
	[BPF_MAP_TYPE_DEVMAP_HASH] = {KEY_4 | VAL_4_8, COMMON},
	[BPF_MAP_TYPE_STRUCT_OPS] = {KEY_4 | VAL_ANY | STRUCT_OPS,
				     SKEP_F_LINK | SKEP_F_VTYPE_BTF_OBJ_FD},
	[BPF_MAP_TYPE_RINGBUF] = {KEY_NONE | VAL_NONE | PAGES, BPF_F_NUMA_NODE},
	[BPF_MAP_TYPE_INODE_STORAGE] = {KEY_4 | VAL_ANY | NO_MAX | NEEDS_NO_PREALLOC,
					BPF_F_NO_PREALLOC | BPF_F_CLONE},
	[BPF_MAP_TYPE_TASK_STORAGE] = {KEY_4 | VAL_ANY | NO_MAX | NEEDS_NO_PREALLOC,
				       BPF_F_NO_PREALLOC | BPF_F_CLONE},
	[BPF_MAP_TYPE_BLOOM_FILTER] = {KEY_NONE | VAL_ANY, BPF_F_NUMA_NODE | BPF_F_ZERO_SEED |
								   BPF_F_RDONLY | BPF_F_WRONLY |
								   PROG_ACCESS},
	[BPF_MAP_TYPE_USER_RINGBUF] = {KEY_NONE | VAL_NONE | PAGES, BPF_F_NUMA_NODE},
	[SKEP_MAP_TYPE_CGRP_STORAGE] = {KEY_4 | VAL_ANY | NO_MAX | NEEDS_NO_PREALLOC,
					BPF_F_NO_PREALLOC | BPF_F_CLONE},
	[SKEP_MAP_TYPE_ARENA] = {KEY_NONE | VAL_NONE | PAGE_COUNT,
				 SKEP_F_SEGV_ON_FAULT | BPF_F_MMAPABLE | SKEP_F_NO_USER_CONV},
};

static int check_key(u32 rules, u32 size)
{
	if (rules & KEY_4)
		return size == 4 ? 0 : -EINVAL;
	if (rules & KEY_NONE)
		return size ? -EINVAL : 0;
	if (rules & LPM_KEY)
		return size >= 5 && size <= 260 ? 0 : -EINVAL;
	if (rules & CGROUP_KEY)
		return size == 8 || size == 16 ? 0 : -EINVAL;
	return !size ? -EINVAL : size > 1u << 30 ? -E2BIG : 0;
}

static int check_value(u32 rules, u32 size)
{
	if (rules & VAL_4)
		return size == 4 ? 0 : -EINVAL;
	if (rules & VAL_4_8)
		return size == 4 || size == 8 ? 0 : -EINVAL;
	if (rules & VAL_NONE)
		return size ? -EINVAL : 0;
	return !size ? -EINVAL : size > 1u << 30 ? -E2BIG : 0;
}

static int simulated_check(const struct skep_attr_map_create *a)
{
	u32 rules = types[a->map_type].rules;
	int err;

	if (a->map_flags & ~types[a->map_type].flags)
		return -EINVAL;
	if (rules & NEEDS_NO_PREALLOC && !(a->map_flags & BPF_F_NO_PREALLOC))
		return -EINVAL;
	if (rules & STRUCT_OPS)
		return a->btf_vmlinux_value_type_id && a->max_entries == 1 && a->key_size == 4
			       ? 0
			       : -EINVAL;
	err = check_key(rules, a->key_size);
	if (!err)
		err = check_value(rules, a->value_size);
	if (err)
		return err;
	if (rules & NO_MAX)
		return a->max_entries ? -EINVAL : 0;
	if (!a->max_entries)
		return -EINVAL;
	if (rules & PAGES && (a->max_entries % 4096 || a->max_entries & (a->max_entries - 1)))
		return -EINVAL;
	return 0;
}

struct simulated {
	struct skep_map map;
	/* What user space maps of it: zeroes. -1 until asked for; it only grows. */
	int memfd;
	u64 bytes;
};

static struct simulated *simulated_of(struct skep_map *m)
{
	return container_of(m, struct simulated, map);
}

static struct skep_map *simulated_alloc(const struct skep_map_facts *t)
{
	struct simulated *s = skep_zalloc(sizeof(*s));

	if (!s)
		return skep_err_ptr(-ENOMEM);
	s->memfd = -1;
	skep_map_init(&s->map, t, &skep_simulated_ops);
	s->map.facts.placed = t->map_extra != 0;
	return &s->map;
}

static void simulated_free(struct skep_map *m)
{
	struct simulated *s = simulated_of(m);

	skep_fd_own_drop(&s->memfd);
	skep_free(s);
}

static int simulated_lookup(struct skep_map *m, const void *key, void *value, u64 flags)
{
	return -ENOENT;
}

/* Taken and forgotten, so that a loader that fills its maps goes on. */
static int simulated_update(struct skep_map *m, const void *key, const void *value, u64 flags)
{
	return 0;
}

static int simulated_erase(struct skep_map *m, const void *key)
{
	return -ENOENT;
}

static int simulated_next_key(struct skep_map *m, const void *key, void *next)
{
	return -ENOENT;
}

static int make_file(struct simulated *s)
{
	long fd = skep_raw(__NR_memfd_create, "skep-simulated", MFD_CLOEXEC);

	if (fd < 0)
		return (int)fd;
	s->memfd = (int)fd;
	if (!skep_fd_own_keep(&s->memfd))
		return 0;
	skep_raw(__NR_close, fd);
	s->memfd = -1;
	return -ENOMEM;
}

/* Loaders map arenas and rings while they load: zeroes of the right length. */
static int simulated_mmap(struct skep_map *m, struct skep_mmap_req *req)
{
	struct simulated *s = simulated_of(m);

	int err = 0;

	skep_lock(&m->freeze_lock); /* two may ask for the first time at once */
	if (s->memfd < 0)
		err = make_file(s);
	if (!err && req->off + req->len > s->bytes) {
		if (skep_raw(__NR_ftruncate, SKEP_READ(s->memfd), req->off + req->len))
			err = -ENOMEM;
		else
			s->bytes = req->off + req->len;
	}
	if (!err)
		__atomic_store_n(&m->facts.placed, true, __ATOMIC_RELAXED);
	skep_unlock(&m->freeze_lock);
	if (err)
		return err;
	req->memfd = SKEP_READ(s->memfd);
	req->memfd_off = req->off;
	req->split = req->len;
	req->prot_max = PROT_READ | PROT_WRITE;
	return 0;
}

static u32 simulated_user_size(const struct skep_map *m)
{
	const struct skep_map_type_row *row = skep_map_type(m->facts.type);
	u32 cpus = row->flags & SKEP_MAP_PERCPU ? skep_nr_vcpus : 1;

	return cpus == 1 ? m->facts.value_size : SKEP_ALIGN_UP(m->facts.value_size, 8u) * cpus;
}

const struct skep_map_ops skep_simulated_ops = {
	.check = simulated_check,
	.alloc = simulated_alloc,
	.free = simulated_free,
	.sys_lookup = simulated_lookup,
	.sys_update = simulated_update,
	.sys_erase = simulated_erase,
	.sys_lookup_erase = simulated_lookup,
	.next_key = simulated_next_key,
	.user_value_size = simulated_user_size,
	.mmap = simulated_mmap,
};
