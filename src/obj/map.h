/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct skep_map: the common part of every map, and the operations of a map type.
 */
#ifndef SKEP_OBJ_MAP_H
#define SKEP_OBJ_MAP_H

#include "base/lock.h"
#include "obj/obj.h"
#include "spec/host.h"
#include "spec/inline.h"

struct skep_map;
struct skep_attr_map_create;

typedef u64 (*skep_callback_fn)(u64, u64, u64, u64, u64);

struct skep_map_ops {
	/* Checks beyond the common ones; 0 or the kernel's errno. Facts are filled in already. */
	int (*check)(const struct skep_attr_map_create *attr);
	/* New map with facts copied from @tmpl; ERR_PTR on failure. Control path. */
	struct skep_map *(*alloc)(const struct skep_map_facts *tmpl);
	/* Last reference gone and a grace period over. Control path. */
	void (*free)(struct skep_map *m);

	/*
	 * Program side. Keys and values are key_size/value_size bytes. In an RCU section, vcpu
	 * held. lookup: address of the value, or NULL. update: 0 or -EEXIST, -ENOENT, -E2BIG,
	 * -EINVAL, -ENOMEM, -EBUSY. Values are valid until the section ends.
	 */
	void *(*lookup)(struct skep_map *m, const void *key);
	s64 (*update)(struct skep_map *m, const void *key, const void *value, u64 flags);
	s64 (*erase)(struct skep_map *m, const void *key);
	s64 (*push)(struct skep_map *m, const void *value, u64 flags);
	s64 (*pop)(struct skep_map *m, void *value);
	s64 (*peek)(struct skep_map *m, void *value);
	/* Calls @call(fn, map, key, value, ctx) until it returns non-zero; elements visited. */
	s64 (*for_each)(struct skep_map *m, u64 fn, u64 ctx);
	void *(*lookup_percpu)(struct skep_map *m, const void *key, u32 cpu);

	/*
	 * System-call side; NULL: derived from the program side. Values are user-shaped: per-CPU
	 * maps take round_up(value_size, 8) bytes per possible CPU, map-in-map takes descriptors.
	 * May sleep. Called inside skep (hooks count as missed), not in an RCU section.
	 */
	int (*sys_lookup)(struct skep_map *m, const void *key, void *value, u64 flags);
	int (*sys_update)(struct skep_map *m, const void *key, const void *value, u64 flags);
	int (*sys_erase)(struct skep_map *m, const void *key);
	int (*sys_lookup_erase)(struct skep_map *m, const void *key, void *value, u64 flags);
	/* @key NULL: first. 0, -ENOENT at the end. */
	int (*next_key)(struct skep_map *m, const void *key, void *next);

	/* Bytes of one value as system calls see it. NULL: value_size. */
	u32 (*user_value_size)(const struct skep_map *m);
	/* Base address of values for direct access (ldimm64 src 2), single-element arrays. */
	void *(*direct_values)(struct skep_map *m);
	int (*mmap)(struct skep_map *m, struct skep_mmap_req *req);
	bool (*poll_ready)(struct skep_map *m);
	u64 (*mem_usage)(const struct skep_map *m);
	/* The application closed its last descriptor; the map may live on in programs. NULL:
	 * nothing. */
	void (*users_gone)(struct skep_map *m);
	bool (*inner_equal)(const struct skep_map_facts *a, const struct skep_map_facts *b);
};

struct skep_map {
	struct skep_obj obj;
	const struct skep_map_ops *ops;
	struct skep_map_facts facts;
	struct skep_map_inline inl;	   /* kind NONE: look-ups are calls */
	struct skep_btf_record record;	   /* facts.record points here when nr > 0 */
	struct skep_map_facts inner_facts; /* facts.inner points here for map-in-map */
	struct skep_btf_record inner_record; /* of inner_facts */
	struct skep_btf *inner_btf;	     /* reference, for inner_facts; or NULL */
	struct skep_btf *btf;		   /* reference for facts.btf */
	u32 storage_slot;		   /* local storage: the map's number */
	u32 btf_vmlinux_value_id;
	u32 writers;	  /* system-call writers in flight, for freeze */
	u32 mmap_writers; /* writable mappings, for freeze */
	struct skep_lock freeze_lock;
	u32 users; /* descriptors */
	u32 uid;
};

static inline struct skep_map *skep_map_of(struct skep_obj *o)
{
	return container_of(o, struct skep_map, obj);
}
static inline struct skep_map *skep_map_of_facts(const struct skep_map_facts *f)
{
	return container_of((struct skep_map_facts *)f, struct skep_map, facts);
}
static inline void skep_map_get(struct skep_map *m)
{
	skep_obj_get(&m->obj);
}
static inline void skep_map_put(struct skep_map *m)
{
	if (m)
		skep_obj_put(&m->obj);
}

/* A descriptor of @m is about to be made / was not made after all. (map/map.c) */
void skep_map_user_get(struct skep_map *m);
void skep_map_user_put(struct skep_map *m);

/* The operations of a type; NULL: not implemented. (map/table.c) */
const struct skep_map_ops *skep_map_ops(u32 type);

/* The same for verification alone: every type has some. */
const struct skep_map_ops *skep_map_simulated_ops(u32 type);

#endif
