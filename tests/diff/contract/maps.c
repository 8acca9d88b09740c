/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps: creation, elements, freezing, mapping into memory, maps in maps, task storage.
 */
#include "contract.h"

#include <fcntl.h>
#include <sys/wait.h>

#define CGRP_STORAGE 32
#define F_MMAPABLE (1u << 10)
#define F_PRESERVE (1u << 11)
#define F_INNER (1u << 12)

static const struct {
	uint32_t type;
	const char *name;
	uint32_t key, value, max, flags;
} types[] = {
	{BPF_MAP_TYPE_ARRAY, "array", 4, 8, 3, 0},
	{BPF_MAP_TYPE_PERCPU_ARRAY, "percpu_array", 4, 8, 3, 0},
	{BPF_MAP_TYPE_HASH, "hash", 4, 8, 3, 0},
	{BPF_MAP_TYPE_RINGBUF, "ringbuf", 0, 0, 4096, 0},
	{BPF_MAP_TYPE_ARRAY_OF_MAPS, "array_of_maps", 4, 4, 3, 0},
	{BPF_MAP_TYPE_HASH_OF_MAPS, "hash_of_maps", 4, 4, 3, 0},
	{BPF_MAP_TYPE_TASK_STORAGE, "task_storage", 4, 16, 0, BPF_F_NO_PREALLOC},
	{BPF_MAP_TYPE_SK_STORAGE, "sk_storage", 4, 16, 0, BPF_F_NO_PREALLOC},
	{BPF_MAP_TYPE_INODE_STORAGE, "inode_storage", 4, 16, 0, BPF_F_NO_PREALLOC},
	{CGRP_STORAGE, "cgrp_storage", 4, 16, 0, BPF_F_NO_PREALLOC},
	{BPF_MAP_TYPE_PERCPU_HASH, "percpu_hash", 4, 8, 3, 0},
	{BPF_MAP_TYPE_LRU_HASH, "lru_hash", 4, 8, 3, 0},
	{BPF_MAP_TYPE_LRU_PERCPU_HASH, "lru_percpu_hash", 4, 8, 3, 0},
};

static int types_fd, inner;

/* The attr of a good map of a type. */
static void good(unsigned int i)
{
	ATTR(.map_type = types[i].type, .key_size = types[i].key, .value_size = types[i].value,
	     .max_entries = types[i].max, .map_flags = types[i].flags);
	if (types[i].type == BPF_MAP_TYPE_ARRAY_OF_MAPS ||
	    types[i].type == BPF_MAP_TYPE_HASH_OF_MAPS)
		A.u.inner_map_fd = (uint32_t)inner;
	if (types[i].flags & BPF_F_NO_PREALLOC) {
		A.u.btf_fd = (uint32_t)types_fd;
		A.u.btf_key_type_id = BTF_U32;
		A.u.btf_value_type_id = BTF_PLAIN;
	}
}

static void create_sizes(unsigned int i)
{
	static const uint32_t keys[] = {0,   1,	  2,   3,    4,	    5,	      8,  16,
					511, 512, 513, 4096, 65536, 1u << 30, ~0u};
	static const uint32_t values[] = {0,	 1,	3,     4,     5,     8,		  16, 4096,
					  32760, 32761, 32768, 32769, 65536, 0x80000000u, ~0u};
	static const uint32_t counts[] = {0, 1, 2, 3, 4096, 4097, 8192, 12288, 1u << 16};
	char name[64];
	struct runs s = {.name = name};

	snprintf(name, sizeof(name), "create %s key_size", types[i].name);
	for (unsigned int k = 0; k < COUNT(keys); k++) {
		long r;

		good(i);
		A.u.key_size = keys[k];
		r = call(BPF_MAP_CREATE, ATTR_SIZE);
		if (r >= 0)
			close((int)r);
		runs_add(&s, keys[k], r);
	}
	runs_end(&s);
	snprintf(name, sizeof(name), "create %s value_size", types[i].name);
	s = (struct runs){.name = name};
	for (unsigned int k = 0; k < COUNT(values); k++) {
		long r;

		good(i);
		A.u.value_size = values[k];
		r = call(BPF_MAP_CREATE, ATTR_SIZE);
		if (r >= 0)
			close((int)r);
		runs_add(&s, values[k], r);
	}
	runs_end(&s);
	snprintf(name, sizeof(name), "create %s max_entries", types[i].name);
	s = (struct runs){.name = name};
	for (unsigned int k = 0; k < COUNT(counts); k++) {
		long r;

		good(i);
		A.u.max_entries = counts[k];
		r = call(BPF_MAP_CREATE, ATTR_SIZE);
		if (r >= 0)
			close((int)r);
		runs_add(&s, counts[k], r);
	}
	runs_end(&s);
}

static void create_flags(unsigned int i)
{
	char name[64];
	struct runs s = {.name = name};

	for (unsigned int with = 0; with < 2; with++) {
		snprintf(name, sizeof(name), "create %s flag bit%s", types[i].name,
			 with ? ", no_prealloc turned" : "");
		s = (struct runs){.name = name};
		for (unsigned int bit = 0; bit < 32; bit++) {
			long r;

			good(i);
			A.u.map_flags |= 1u << bit;
			if (with)
				A.u.map_flags ^= BPF_F_NO_PREALLOC;
			r = call(BPF_MAP_CREATE, ATTR_SIZE);
			if (r >= 0)
				close((int)r);
			runs_add(&s, bit, r);
		}
		runs_end(&s);
	}
	good(i);
	A.u.map_flags |= BPF_F_RDONLY | BPF_F_WRONLY;
	try(BPF_MAP_CREATE, "create %s rdonly and wronly", types[i].name);
	good(i);
	A.u.map_flags |= BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;
	try(BPF_MAP_CREATE, "create %s rdonly_prog and wronly_prog", types[i].name);
	for (unsigned int node = 0; node < 3; node++) {
		good(i);
		A.u.map_flags |= BPF_F_NUMA_NODE;
		A.u.numa_node = node;
		try(BPF_MAP_CREATE, "create %s numa node %u", types[i].name, node);
		A.u.map_flags &= ~BPF_F_NUMA_NODE;
		try(BPF_MAP_CREATE, "create %s numa node %u without the flag", types[i].name, node);
	}
	good(i);
	A.u.map_extra = 1;
	try(BPF_MAP_CREATE, "create %s map_extra", types[i].name);
	good(i);
	A.u.map_ifindex = 1;
	try(BPF_MAP_CREATE, "create %s ifindex", types[i].name);
	good(i);
	A.u.inner_map_fd = 9999;
	try(BPF_MAP_CREATE, "create %s inner_map_fd", types[i].name);
	good(i);
	A.u.btf_vmlinux_value_type_id = 1;
	try(BPF_MAP_CREATE, "create %s vmlinux value type", types[i].name);
	good(i);
	set64(80, 1);
	try(BPF_MAP_CREATE, "create %s exclusive hash", types[i].name);
	good(i);
	set32(88, 32);
	try(BPF_MAP_CREATE, "create %s exclusive hash size", types[i].name);
}

static void create_btf(unsigned int i)
{
	static const uint32_t ids[] = {0,	BTF_U32, BTF_U64, BTF_LOCKED, BTF_PLAIN,
				       BTF_S16, BTF_ARR, BTF_FWD, BTF_PROTO,  BTF_VAR,
				       BTF_SEC, 12 + 1,	 1000,	  ~0u};

	for (unsigned int k = 0; k < 3; k++) {
		static const uint32_t key_ids[] = {0, BTF_U32, BTF_U64};
		char name[64];
		struct runs s = {.name = name};

		snprintf(name, sizeof(name), "create %s key type %u value type", types[i].name,
			 key_ids[k]);
		for (unsigned int v = 0; v < COUNT(ids); v++) {
			long r;

			good(i);
			A.u.btf_fd = (uint32_t)types_fd;
			A.u.btf_key_type_id = key_ids[k];
			A.u.btf_value_type_id = ids[v];
			if (ids[v] == BTF_PLAIN || ids[v] == BTF_LOCKED)
				A.u.value_size = 16;
			r = call(BPF_MAP_CREATE, ATTR_SIZE);
			if (r >= 0)
				close((int)r);
			runs_add(&s, ids[v], r);
		}
		runs_end(&s);
	}
	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		good(i);
		A.u.btf_fd = (uint32_t)other_fds[k].fd;
		A.u.btf_key_type_id = BTF_U32;
		A.u.btf_value_type_id = BTF_U64;
		try(BPF_MAP_CREATE, "create %s types from %s", types[i].name, other_fds[k].name);
	}
	good(i);
	A.u.btf_fd = (uint32_t)types_fd;
	A.u.btf_key_type_id = A.u.btf_value_type_id = 0;
	try(BPF_MAP_CREATE, "create %s btf_fd without types", types[i].name);
	good(i);
	A.u.btf_fd = 9999;
	A.u.btf_key_type_id = A.u.btf_value_type_id = 0;
	try(BPF_MAP_CREATE, "create %s bad btf_fd without types", types[i].name);
	good(i);
	A.u.btf_fd = (uint32_t)types_fd;
	A.u.btf_key_type_id = BTF_U32;
	A.u.btf_value_type_id = BTF_LOCKED;
	A.u.value_size = 16;
	A.u.map_flags |= BPF_F_RDONLY_PROG;
	try(BPF_MAP_CREATE, "create %s lock and rdonly_prog", types[i].name);
}

static void create_names(void)
{
	static const char names[][20] = {
		"a",
		"abcdefghijklmno",
		"abcdefghijklmnop",
		"a.b_C9",
		"a b",
		"a-b",
		"a/b",
		"\xc3\xa4",
		"a\0b",
		"\1",
		"a\n",
		".",
		"_",
		"9",
		"a\0\0\0\0\0\0\0\0\0\0\0\0\0b",
	};

	for (unsigned int i = 0; i < COUNT(names); i++) {
		good(0);
		memcpy(A.u.map_name, names[i], 16);
		try(BPF_MAP_CREATE, "create with name %u", i);
		/* The order of checks: what else is wrong with the attr comes first or last. */
		good(0);
		memcpy(A.u.map_name, names[i], 16);
		A.u.max_entries = 0;
		try(BPF_MAP_CREATE, "create without entries, name %u", i);
	}
}

static void create_types(void)
{
	static const uint32_t none[] = {0, 34, 35, 64, 255, 1000, 0x7fffffff, 0x80000000u, ~0u};

	for (unsigned int i = 0; i < COUNT(none); i++) {
		ATTR(.map_type = none[i], .key_size = 4, .value_size = 4, .max_entries = 1);
		try(BPF_MAP_CREATE, "create type %u", none[i]);
	}
}

static void create_inner(void)
{
	int deep, lock, storage, ring, outer;

	good(4);
	deep = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
	good(2);
	A.u.value_size = 16;
	A.u.btf_fd = (uint32_t)types_fd;
	A.u.btf_key_type_id = BTF_U32;
	A.u.btf_value_type_id = BTF_LOCKED;
	lock = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
	good(6);
	storage = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
	ring = map_new(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
	for (unsigned int t = 4; t < 6; t++) {
		const struct other_fd inners[] = {{"array_of_maps", deep},
						  {"locked hash", lock},
						  {"task_storage", storage},
						  {"ringbuf", ring}};

		for (unsigned int i = 0; i < COUNT(other_fds); i++) {
			good(t);
			A.u.inner_map_fd = (uint32_t)other_fds[i].fd;
			try(BPF_MAP_CREATE, "create %s of %s", types[t].name, other_fds[i].name);
		}
		for (unsigned int i = 0; i < COUNT(inners); i++) {
			good(t);
			A.u.inner_map_fd = (uint32_t)inners[i].fd;
			try(BPF_MAP_CREATE, "create %s of %s", types[t].name, inners[i].name);
		}
	}
	/* What may be put in: the template is array 4, 8, 3. */
	for (unsigned int t = 4; t < 6; t++) {
		static const struct {
			uint32_t type, key, value, max, flags;
		} in[] = {
			{BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0},
			{BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0},
			{BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0},
			{BPF_MAP_TYPE_ARRAY, 4, 4, 3, 0},
			{BPF_MAP_TYPE_ARRAY, 4, 8, 3, F_MMAPABLE},
			{BPF_MAP_TYPE_ARRAY, 4, 8, 3, F_INNER},
			{BPF_MAP_TYPE_ARRAY, 4, 8, 4, F_INNER},
			{BPF_MAP_TYPE_ARRAY, 4, 8, 3, BPF_F_RDONLY},
			{BPF_MAP_TYPE_ARRAY, 4, 8, 3, BPF_F_RDONLY_PROG},
			{BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 3, 0},
			{BPF_MAP_TYPE_HASH, 4, 8, 3, 0},
			{BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0},
		};
		uint32_t key = 1;

		good(t);
		outer = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
		for (unsigned int i = 0; i < COUNT(in); i++) {
			uint32_t fd = (uint32_t)map_new(in[i].type, in[i].key, in[i].value,
							in[i].max, in[i].flags);

			ATTR(.map_fd = (uint32_t)outer, .key = PTR(&key), .value = PTR(&fd));
			try(BPF_MAP_UPDATE_ELEM, "%s takes inner map %u", types[t].name, i);
			close((int)fd);
		}
		for (unsigned int i = 0; i < COUNT(other_fds); i++) {
			uint32_t fd = (uint32_t)other_fds[i].fd;

			ATTR(.map_fd = (uint32_t)outer, .key = PTR(&key), .value = PTR(&fd));
			try(BPF_MAP_UPDATE_ELEM, "%s takes %s", types[t].name, other_fds[i].name);
		}
		close(outer);
	}
	/* A template of an array that may be of any length, and of other types. */
	for (unsigned int n = 0; n < 4; n++) {
		static const struct {
			uint32_t type, key, value, max, flags;
		} in[] = {
			{BPF_MAP_TYPE_ARRAY, 4, 8, 3, F_INNER},
			{BPF_MAP_TYPE_HASH, 4, 8, 3, 0},
			{BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0},
			{BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 3, 0},
		};
		int tmpl = map_new(in[n].type, in[n].key, in[n].value, in[n].max, in[n].flags);
		uint32_t other = (uint32_t)map_new(in[n].type, in[n].key, in[n].value,
						   in[n].max * 2, in[n].flags);
		uint32_t key = 0;

		good(4);
		A.u.inner_map_fd = (uint32_t)tmpl;
		outer = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
		say(outer < 0 ? outer : 0, "array_of_maps with template %u", n);
		ATTR(.map_fd = (uint32_t)outer, .key = PTR(&key), .value = PTR(&other));
		try(BPF_MAP_UPDATE_ELEM, "template %u takes another length", n);
		close((int)other);
		close(outer);
		close(tmpl);
	}
	close(deep);
	close(lock);
	close(storage);
	close(ring);
}

void map_cases(void)
{
	types_fd = btf_new();
	inner = map_new(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0);
	create_types();
	create_names();
	for (unsigned int i = 0; i < COUNT(types); i++) {
		create_sizes(i);
		create_flags(i);
		create_btf(i);
	}
	create_inner();
}

/* --- elements --- */

static const int elem_cmds[] = {BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_MAP_DELETE_ELEM,
				BPF_MAP_GET_NEXT_KEY, BPF_MAP_LOOKUP_AND_DELETE_ELEM};
static const char *const elem_names[] = {"lookup", "update", "delete", "next_key",
					 "lookup_and_delete"};

static uint8_t key_buf[64], value_buf[65536];
static uint32_t inner_fd;

static void elem_attr(int fd, uint32_t key, uint64_t flags)
{
	ATTR(.map_fd = (uint32_t)fd, .flags = flags);
	memcpy(key_buf, &key, 4);
	A.u.key = PTR(key_buf);
	A.u.value = PTR(value_buf);
}

static void elem_pointers(unsigned int i, int fd)
{
	for (unsigned int c = 0; c < COUNT(elem_cmds); c++) {
		for (unsigned int p = 0; p < COUNT(bad_ptrs); p++) {
			elem_attr(fd, 0, 0);
			A.u.key = bad_ptrs[p].ptr;
			try(elem_cmds[c], "%s %s key at %s", types[i].name, elem_names[c],
			    bad_ptrs[p].name);
			if (elem_cmds[c] == BPF_MAP_DELETE_ELEM)
				continue;
			elem_attr(fd, 0, 0);
			A.u.value = bad_ptrs[p].ptr;
			try(elem_cmds[c], "%s %s value at %s", types[i].name, elem_names[c],
			    bad_ptrs[p].name);
		}
	}
	elem_attr(fd, 0, 0);
	memcpy(edge(4), key_buf, 4);
	A.u.key = PTR(edge(4));
	try(BPF_MAP_LOOKUP_ELEM, "%s lookup, key ends at the edge", types[i].name);
}

static void elem_flags(unsigned int i, int fd)
{
	static const uint64_t flags[] = {0, 1, 2,  3,	       4,	   5,	      6,
					 7, 8, 16, 1ull << 31, 1ull << 32, 1ull << 63};

	for (unsigned int k = 0; k < 5; k++) {
		/* Keys: present, absent, at the end, beyond, far beyond. */
		static const uint32_t keys[] = {0, 2, 3, 4, 0xffffffffu};

		for (unsigned int f = 0; f < COUNT(flags); f++) {
			memset(value_buf, 0, 64);
			memcpy(value_buf, &inner_fd, 4);
			elem_attr(fd, keys[k], flags[f]);
			try(BPF_MAP_UPDATE_ELEM, "%s update key %u flags %#llx", types[i].name,
			    keys[k], (unsigned long long)flags[f]);
			elem_attr(fd, keys[k], flags[f]);
			try(BPF_MAP_LOOKUP_ELEM, "%s lookup key %u flags %#llx", types[i].name,
			    keys[k], (unsigned long long)flags[f]);
			if (f % 4 && f != 2)
				continue;
			elem_attr(fd, keys[k], flags[f]);
			try(BPF_MAP_LOOKUP_AND_DELETE_ELEM,
			    "%s lookup_and_delete key %u flags %#llx", types[i].name, keys[k],
			    (unsigned long long)flags[f]);
		}
		elem_attr(fd, keys[k], 0);
		try(BPF_MAP_DELETE_ELEM, "%s delete key %u", types[i].name, keys[k]);
		elem_attr(fd, keys[k], 0);
		try(BPF_MAP_LOOKUP_ELEM, "%s lookup key %u after it", types[i].name, keys[k]);
	}
}

static void elem_walk(unsigned int i, int fd)
{
	static const uint32_t from[] = {0, 1, 2, 3, 100, 0xffffffffu};
	uint32_t next, seen = 0, n = 0;
	long r;

	elem_attr(fd, 0, 0);
	A.u.key = 0;
	A.u.next_key = PTR(&next);
	r = call(BPF_MAP_GET_NEXT_KEY, ATTR_SIZE);
	say(r, "%s first key", types[i].name);
	while (!r && n++ < 10) {
		seen |= 1u << (next & 31);
		elem_attr(fd, next, 0);
		A.u.next_key = PTR(&next);
		r = call(BPF_MAP_GET_NEXT_KEY, ATTR_SIZE);
	}
	printf("%s walk of %u keys, set %#x, ends with %s\n", types[i].name, n, seen, err_name(r));
	if (types[i].type == BPF_MAP_TYPE_HASH || types[i].type == BPF_MAP_TYPE_HASH_OF_MAPS)
		return;
	for (unsigned int k = 0; k < COUNT(from); k++) {
		next = 77;
		elem_attr(fd, from[k], 0);
		A.u.next_key = PTR(&next);
		r = call(BPF_MAP_GET_NEXT_KEY, ATTR_SIZE);
		printf("%s key after %u: %s %u\n", types[i].name, from[k], err_name(r), next);
	}
}

/* Empty, one, full, over-full; values come back. */
static void elem_fill(unsigned int i, int fd)
{
	for (uint32_t k = 0; k < 6; k++) {
		memset(value_buf, (int)(k + 1), 64);
		memcpy(value_buf, &inner_fd, 4);
		elem_attr(fd, k, BPF_NOEXIST);
		try(BPF_MAP_UPDATE_ELEM, "%s new key %u", types[i].name, k);
		memset(value_buf, (int)(k + 1), 64);
		memcpy(value_buf, &inner_fd, 4);
		elem_attr(fd, k, BPF_ANY);
		try(BPF_MAP_UPDATE_ELEM, "%s any key %u", types[i].name, k);
	}
	for (uint32_t k = 0; k < 6; k++) {
		long r;

		memset(value_buf, 0, 64);
		elem_attr(fd, k, 0);
		r = call(BPF_MAP_LOOKUP_ELEM, ATTR_SIZE);
		if (inner_fd)
			value_buf[0] = value_buf[1] = value_buf[2] = value_buf[3] = 0;
		say(r, "%s has key %u", types[i].name, k);
		say_bytes(value_buf, types[i].value, "%s value of key %u", types[i].name, k);
	}
	elem_walk(i, fd);
	elem_attr(fd, 1, 0);
	memset(value_buf, 0, 64);
	try(BPF_MAP_LOOKUP_AND_DELETE_ELEM, "%s take key 1", types[i].name);
	elem_attr(fd, 1, 0);
	try(BPF_MAP_LOOKUP_AND_DELETE_ELEM, "%s take key 1 again", types[i].name);
	elem_walk(i, fd);
}

static void elem_access(unsigned int i)
{
	static const uint32_t flags[] = {BPF_F_RDONLY, BPF_F_WRONLY, BPF_F_RDONLY_PROG,
					 BPF_F_WRONLY_PROG};
	static const char *const names[] = {"rdonly", "wronly", "rdonly_prog", "wronly_prog"};

	for (unsigned int f = 0; f < COUNT(flags); f++) {
		long fd;

		good(i);
		A.u.map_flags |= flags[f];
		fd = call(BPF_MAP_CREATE, ATTR_SIZE);
		if (fd < 0)
			continue;
		for (unsigned int c = 0; c < COUNT(elem_cmds); c++) {
			memcpy(value_buf, &inner_fd, 4);
			elem_attr((int)fd, 0, 0);
			try(elem_cmds[c], "%s %s map: %s", types[i].name, names[f], elem_names[c]);
		}
		ATTR(.map_fd = (uint32_t)fd);
		try(BPF_MAP_FREEZE, "%s %s map: freeze", types[i].name, names[f]);
		close((int)fd);
	}
}

static void elem_frozen(unsigned int i)
{
	long fd;

	good(i);
	fd = call(BPF_MAP_CREATE, ATTR_SIZE);
	memcpy(value_buf, &inner_fd, 4);
	elem_attr((int)fd, 0, 0);
	call(BPF_MAP_UPDATE_ELEM, ATTR_SIZE);
	ATTR(.map_fd = (uint32_t)fd);
	try(BPF_MAP_FREEZE, "%s freeze", types[i].name);
	ATTR(.map_fd = (uint32_t)fd);
	try(BPF_MAP_FREEZE, "%s freeze again", types[i].name);
	for (unsigned int c = 0; c < COUNT(elem_cmds); c++) {
		memcpy(value_buf, &inner_fd, 4);
		elem_attr((int)fd, 0, 0);
		try(elem_cmds[c], "%s frozen: %s", types[i].name, elem_names[c]);
		elem_attr((int)fd, 0, 1ull << 40);
		try(elem_cmds[c], "%s frozen: %s with an unknown flag", types[i].name,
		    elem_names[c]);
		elem_attr((int)fd, 0, 0);
		A.u.key = 8;
		try(elem_cmds[c], "%s frozen: %s with a bad key", types[i].name, elem_names[c]);
	}
	close((int)fd);
}

static void locked_maps(void)
{
	static const uint32_t which[] = {BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_HASH};

	for (unsigned int i = 0; i < COUNT(which); i++) {
		long fd;

		ATTR(.map_type = which[i], .key_size = 4, .value_size = 16, .max_entries = 2,
		     .btf_fd = (uint32_t)types_fd, .btf_key_type_id = BTF_U32,
		     .btf_value_type_id = BTF_LOCKED);
		fd = call(BPF_MAP_CREATE, ATTR_SIZE);
		say(fd, "locked map %u", i);
		for (uint64_t flags = 0; flags < 8; flags++) {
			memset(value_buf, 0xaa, 16);
			elem_attr((int)fd, 1, flags);
			try(BPF_MAP_UPDATE_ELEM, "locked map %u update flags %llu", i,
			    (unsigned long long)flags);
			memset(value_buf, 0x55, 16);
			elem_attr((int)fd, 1, flags);
			try(BPF_MAP_LOOKUP_ELEM, "locked map %u lookup flags %llu", i,
			    (unsigned long long)flags);
			say_bytes(value_buf, 16, "locked map %u value", i);
		}
		elem_attr((int)fd, 1, BPF_F_LOCK);
		try(BPF_MAP_LOOKUP_AND_DELETE_ELEM, "locked map %u take under the lock", i);
		close((int)fd);
	}
}

void elem_cases(void)
{
	for (unsigned int c = 0; c < COUNT(elem_cmds); c++)
		for (unsigned int k = 0; k < COUNT(other_fds); k++) {
			if (!strcmp(other_fds[k].name, "hash"))
				continue;
			elem_attr(other_fds[k].fd, 0, 0);
			try(elem_cmds[c], "%s in %s", elem_names[c], other_fds[k].name);
			elem_attr(other_fds[k].fd, 0, 1ull << 40);
			try(elem_cmds[c], "%s in %s, unknown flag", elem_names[c],
			    other_fds[k].name);
		}
	for (unsigned int k = 0; k < COUNT(other_fds); k++)
		if (strcmp(other_fds[k].name, "hash")) {
			ATTR(.map_fd = (uint32_t)other_fds[k].fd);
			try(BPF_MAP_FREEZE, "freeze of %s", other_fds[k].name);
		}
	for (unsigned int i = 0; i < COUNT(types); i++) {
		bool outer = i == 4 || i == 5;
		int fd;

		if (i >= 6) /* storage: other keys */
			continue;
		inner_fd = outer ? (uint32_t)inner : 0;
		for (unsigned int step = 0; step < 3; step++) {
			good(i);
			fd = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
			if (step == 0)
				elem_pointers(i, fd);
			else if (step == 1)
				elem_flags(i, fd);
			else
				elem_fill(i, fd);
			close(fd);
		}
		elem_access(i);
		elem_frozen(i);
	}
	inner_fd = 0;
	locked_maps();
}

/* --- mmap --- */

static void map_at(const char *what, int fd, size_t len, int prot, int flags, off_t off)
{
	void *p = mmap(NULL, len, prot, flags, fd, off);

	say(p == MAP_FAILED ? -errno : 0, "mmap %s len %zu prot %d %s off %ld", what, len, prot,
	    flags & MAP_PRIVATE ? "private" : "shared", (long)off);
	if (p != MAP_FAILED)
		munmap(p, len);
}

static void map_all(const char *what, int fd)
{
	static const size_t lens[] = {1, 4096, 8192, 12288, 16384, 20480, 1 << 20};
	static const int prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_WRITE,
				    PROT_READ | PROT_EXEC};
	static const off_t offs[] = {0, 4096, 8192, 12288, 1 << 20};

	for (unsigned int p = 0; p < COUNT(prots); p++) {
		for (unsigned int l = 0; l < COUNT(lens); l++)
			map_at(what, fd, lens[l], prots[p], MAP_SHARED, 0);
		for (unsigned int o = 0; o < COUNT(offs); o++)
			map_at(what, fd, 4096, prots[p], MAP_SHARED, offs[o]);
		map_at(what, fd, 4096, prots[p], MAP_PRIVATE, 0);
	}
	map_at(what, fd, 4096, PROT_READ, MAP_SHARED, 100);
	map_at(what, fd, 0, PROT_READ, MAP_SHARED, 0);
}

static void map_frozen(void)
{
	int fd = map_new(BPF_MAP_TYPE_ARRAY, 4, 8, 3, F_MMAPABLE);
	uint8_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint32_t key = 1;
	uint64_t v = 0;

	ATTR(.map_fd = (uint32_t)fd);
	try(BPF_MAP_FREEZE, "freeze while mapped for writing");
	p[8] = 7;
	ATTR(.map_fd = (uint32_t)fd, .key = PTR(&key), .value = PTR(&v));
	try(BPF_MAP_LOOKUP_ELEM, "lookup of a value written through the mapping");
	say_value(v, "value written through the mapping");
	say(mprotect(p, 4096, PROT_READ) ? -errno : 0, "mprotect to read-only");
	ATTR(.map_fd = (uint32_t)fd);
	try(BPF_MAP_FREEZE, "freeze after mprotect");
	munmap(p, 4096);
	ATTR(.map_fd = (uint32_t)fd);
	try(BPF_MAP_FREEZE, "freeze after munmap");
	map_at("frozen array", fd, 4096, PROT_READ, MAP_SHARED, 0);
	map_at("frozen array", fd, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	map_at("frozen array", fd, 4096, PROT_WRITE, MAP_SHARED, 0);
	map_at("frozen array", fd, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	say(mprotect(p, 4096, PROT_READ | PROT_WRITE) ? -errno : 0,
	    "mprotect of a frozen array's pages");
	munmap(p, 4096);
	close(fd);
}

void mmap_cases(void)
{
	static const uint32_t access[] = {BPF_F_RDONLY, BPF_F_WRONLY, BPF_F_RDONLY_PROG};
	int fd = map_new(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0);
	uint8_t *p;

	map_at("plain array", fd, 4096, PROT_READ, MAP_SHARED, 0);
	close(fd);
	fd = map_new(BPF_MAP_TYPE_HASH, 4, 8, 3, 0);
	map_at("hash", fd, 4096, PROT_READ, MAP_SHARED, 0);
	map_at("hash", fd, 4096, PROT_READ, MAP_PRIVATE, 0);
	close(fd);
	for (unsigned int k = 0; k < COUNT(other_fds); k++)
		if (other_fds[k].fd > 0 && strcmp(other_fds[k].name, "file"))
			map_at(other_fds[k].name, other_fds[k].fd, 4096, PROT_READ, MAP_SHARED, 0);
	fd = map_new(BPF_MAP_TYPE_ARRAY, 4, 4096, 3, F_MMAPABLE);
	map_all("array", fd);
	close(fd);
	fd = map_new(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
	map_all("ringbuf", fd);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	say(mprotect(p, 4096, PROT_READ | PROT_WRITE) ? -errno : 0,
	    "mprotect of a ring's consumer page");
	munmap(p, 4096);
	p = mmap(NULL, 4096 * 3, PROT_READ, MAP_SHARED, fd, 4096);
	say(mprotect(p, 4096, PROT_READ | PROT_WRITE) ? -errno : 0, "mprotect of a ring's data");
	munmap(p, 4096 * 3);
	ATTR(.map_fd = (uint32_t)fd);
	try(BPF_MAP_FREEZE, "freeze of a ring buffer");
	map_at("frozen ringbuf", fd, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	map_at("frozen ringbuf", fd, 4096, PROT_READ, MAP_SHARED, 0);
	close(fd);
	for (unsigned int i = 0; i < 3; i++) {
		static const char *const names[] = {"array, rdonly", "array, wronly",
						    "array, rdonly_prog"};

		fd = map_new(BPF_MAP_TYPE_ARRAY, 4, 8, 3, F_MMAPABLE | access[i]);
		map_at(names[i], fd, 4096, PROT_READ, MAP_SHARED, 0);
		map_at(names[i], fd, 4096, PROT_WRITE, MAP_SHARED, 0);
		map_at(names[i], fd, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
		map_at(names[i], fd, 4096, PROT_NONE, MAP_SHARED, 0);
		close(fd);
	}
	map_frozen();
}

/* --- task storage --- */

static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void storage_with(int fd, const char *what, int pidfd)
{
	static const uint64_t flags[] = {0, 1, 2, 3, 4, 5, 6, 8, 1ull << 40};

	for (unsigned int f = 0; f < COUNT(flags); f++) {
		memset(value_buf, (int)f + 1, 16);
		elem_attr(fd, (uint32_t)pidfd, flags[f]);
		try(BPF_MAP_LOOKUP_ELEM, "storage of %s: lookup flags %#llx", what,
		    (unsigned long long)flags[f]);
		memset(value_buf, (int)f + 1, 16);
		elem_attr(fd, (uint32_t)pidfd, flags[f]);
		try(BPF_MAP_UPDATE_ELEM, "storage of %s: update flags %#llx", what,
		    (unsigned long long)flags[f]);
	}
	elem_attr(fd, (uint32_t)pidfd, 0);
	try(BPF_MAP_LOOKUP_ELEM, "storage of %s: lookup", what);
	elem_attr(fd, (uint32_t)pidfd, 0);
	try(BPF_MAP_LOOKUP_AND_DELETE_ELEM, "storage of %s: take", what);
	elem_attr(fd, (uint32_t)pidfd, 0);
	try(BPF_MAP_DELETE_ELEM, "storage of %s: delete", what);
	elem_attr(fd, (uint32_t)pidfd, 0);
	try(BPF_MAP_DELETE_ELEM, "storage of %s: delete again", what);
	elem_attr(fd, (uint32_t)pidfd, 0);
	try(BPF_MAP_GET_NEXT_KEY, "storage of %s: next key", what);
}

void storage_cases(void)
{
	int self = pidfd_of(getpid()), dead, fd;
	pid_t child = fork();

	if (!child)
		_exit(0);
	dead = pidfd_of(child);
	waitpid(child, NULL, 0);
	good(6);
	fd = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
	storage_with(fd, "this process", self);
	storage_with(fd, "a dead process", dead);
	for (unsigned int k = 0; k < COUNT(other_fds); k++)
		storage_with(fd, other_fds[k].name, other_fds[k].fd);
	elem_attr(fd, (uint32_t)self, 0);
	A.u.key = 0;
	A.u.next_key = PTR(value_buf);
	try(BPF_MAP_GET_NEXT_KEY, "storage: first key");
	elem_pointers(6, fd);
	elem_access(6);
	elem_frozen(6);
	close(fd);
	close(self);
	close(dead);
	close(types_fd);
	close(inner);
}
