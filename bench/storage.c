/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * local-storage: look-ups in the storage of the current task over 1 to 1000 maps; with keys=N
 * look-ups of random keys in one hash map instead. cgrp-storage: the same in the storage of its
 * cgroup.
 *
 * The native twins are what an application would write: a table of pointers behind the owner, a
 * hash with open addressing, at most half full. The callback is called through a pointer that the
 * compiler cannot see through, as a library's loop would call it.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "storage.skel.h"

/* Newer than some systems' headers. */
#define CGRP_STORAGE ((enum bpf_map_type)32)

#define MAX_MAPS 1000
#define LOOKUPS 10000

static struct storage_bpf *skel;
static unsigned int nr_maps, nr_keys;
static bool interleave;

static void read_params(void)
{
	nr_maps = bench_number("maps", 1);
	nr_keys = bench_number("keys", 0);
	interleave = !strcmp(bench_param("access", "sequential"), "interleaved");
	if (!nr_maps || nr_maps > MAX_MAPS)
		bench_skip("maps must be 1 to %u", MAX_MAPS);
}

/* --- BPF --- */

static void fill_hash(void)
{
	int fd = bpf_map__fd(skel->maps.hash);

	for (unsigned int k = 0; k < nr_keys; k++)
		if (bpf_map_update_elem(fd, &k, &k, BPF_ANY))
			bench_skip("the hash map could not be filled");
}

static void make_storages(unsigned int key_id, unsigned int value_id, bool cgrp)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC,
		    .btf_fd = (unsigned int)bpf_object__btf_fd(skel->obj),
		    .btf_key_type_id = key_id, .btf_value_type_id = value_id);
	int outer = bpf_map__fd(cgrp ? skel->maps.cgrp_storages : skel->maps.storages);

	for (unsigned int i = 0; i < nr_maps; i++) {
		int fd = bpf_map_create(cgrp ? CGRP_STORAGE : BPF_MAP_TYPE_TASK_STORAGE, "storage",
					4, 4, 0, &opts);

		if (fd < 0 || bpf_map_update_elem(outer, &i, &fd, BPF_ANY))
			bench_skip("a storage map could not be made");
		close(fd);
	}
}

static void load_kind(bool cgrp)
{
	/* types of the inner map; libbpf drops the definition once it is loaded */
	unsigned int key_id, value_id;
	int err;

	read_params();
	skel = storage_bpf__open();
	if (!skel)
		bench_skip("the object cannot be opened");
	key_id = bpf_map__btf_key_type_id(bpf_map__inner_map(skel->maps.storages));
	value_id = bpf_map__btf_value_type_id(bpf_map__inner_map(skel->maps.storages));
	skel->rodata->target_tgid = (unsigned int)getpid();
	skel->rodata->trigger_nr = SYS_getpgid;
	skel->rodata->nr_maps = nr_maps;
	skel->rodata->interleave = interleave;
	skel->rodata->use_hash = nr_keys > 0;
	skel->rodata->nr_keys = nr_keys;
	if (!nr_keys)
		bpf_map__set_max_entries(skel->maps.hash, 1);
	bpf_program__set_autoload(skel->progs.local_storage, !cgrp);
	bpf_program__set_autoload(skel->progs.cgrp_storage, cgrp);
	bpf_map__set_autocreate(skel->maps.cgrp_storages, cgrp);
	bpf_map__set_autocreate(skel->maps.storages, !cgrp);
	err = storage_bpf__load(skel);
	if (err)
		bench_skip("the object was refused: %s", strerror(-err));
	if (nr_keys)
		fill_hash();
	else
		make_storages(key_id, value_id, cgrp);
	if (storage_bpf__attach(skel))
		bench_skip("the program could not be attached");
}

static void load(void)
{
	load_kind(false);
}

static void load_cgrp(void)
{
	load_kind(true);
}

/* --- native --- */

struct table {
	unsigned int len;
	int *slots[];
};

static unsigned int map_slots[MAX_MAPS]; /* stands for the outer array */
static struct table *owner_table;
static uint32_t *hash_keys, *hash_values, hash_mask;
static uint64_t random_state = 88172645463325252ull;
static struct {
	long hits, important;
} counts;

static int *storage_get(unsigned int index)
{
	unsigned int slot = map_slots[index];
	struct table *t = owner_table;

	return slot < t->len ? t->slots[slot] : NULL;
}

static uint32_t *hash_get(uint32_t key)
{
	uint32_t at = (key * 0x9e3779b1u) & hash_mask;

	for (; hash_values[at]; at = (at + 1) & hash_mask)
		if (hash_keys[at] == key)
			return &hash_values[at];
	return NULL;
}

static uint32_t next_random(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 0x2545f4914f6cdd1dull) >> 32);
}

static int look_up(unsigned int index)
{
	void *found =
		nr_keys ? (void *)hash_get(next_random() % nr_keys) : (void *)storage_get(index);

	if (!found)
		return -1;
	counts.hits++;
	counts.important += !index;
	return 0;
}

static long look_up_next(uint32_t i, void *unused)
{
	unsigned int index = i % nr_maps;

	(void)unused;
	if (look_up(index))
		return 1;
	if (interleave && index % 3 == 0 && look_up(0))
		return 1;
	return 0;
}

static void run_native(void *unused)
{
	static long (*volatile callback)(uint32_t, void *) = look_up_next;
	long (*call)(uint32_t, void *) = callback;

	for (uint32_t i = 0; i < LOOKUPS; i++)
		if (call(i, unused))
			return;
}

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		bench_skip("not enough memory");
	return p;
}

static void native(bool vector)
{
	(void)vector;
	read_params();
	owner_table = zeroed(1, sizeof(struct table) + nr_maps * sizeof(int *));
	owner_table->len = nr_maps;
	for (unsigned int i = 0; i < nr_maps; i++) {
		map_slots[i] = i;
		owner_table->slots[i] = zeroed(1, 64);
	}
	if (!nr_keys)
		return;
	for (hash_mask = 15; hash_mask + 1 < nr_keys * 2;)
		hash_mask = hash_mask * 2 + 1;
	hash_keys = zeroed(hash_mask + 1, sizeof(uint32_t));
	hash_values = zeroed(hash_mask + 1, sizeof(uint32_t));
	for (uint32_t k = 0; k < nr_keys; k++) {
		uint32_t at = (k * 0x9e3779b1u) & hash_mask;

		while (hash_values[at])
			at = (at + 1) & hash_mask;
		hash_keys[at] = k;
		hash_values[at] = 1;
	}
}

static bool measure(double seconds, struct bench_result *ret)
{
	if (!skel)
		return bench_repeat(seconds, run_native, NULL, &counts.hits, &counts.important,
				    ret);
	return bench_repeat(seconds, bench_getpgid, NULL, &skel->bss->hits,
			    &skel->bss->important_hits, ret);
}

const struct bench bench_storage = {"local-storage", load, native, measure};
const struct bench bench_cgrp_storage = {"cgrp-storage", load_cgrp, native, measure};
