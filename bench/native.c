/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Native twins. Callbacks are called through pointers that the compiler cannot see through, as a
 * library's loop would call them; the rest may be inlined as in any application.
 */
#include "native.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LOOKUPS 10000

struct table {
	unsigned int len;
	int *slots[];
};

struct owner {
	struct table *table;
};

struct native_bench {
	bool loops, interleave, use_hash;
	unsigned int maps, nr_loops, keys;
	unsigned int *map_slots; /* stands for the outer array */
	struct owner owner;
	/* Hash: open addressing with linear probing, at most half full. */
	uint32_t *hash_keys, *hash_values;
	uint32_t hash_mask;
	uint64_t random;
};

struct counts {
	struct native_bench *b;
	long hits, important;
};

static int *storage_get(struct native_bench *b, unsigned int index)
{
	unsigned int slot = b->map_slots[index];
	struct table *t = b->owner.table;

	return slot < t->len ? t->slots[slot] : NULL;
}

static uint32_t *hash_get(struct native_bench *b, uint32_t key)
{
	uint32_t at = (key * 0x9e3779b1u) & b->hash_mask;

	for (; b->hash_values[at]; at = (at + 1) & b->hash_mask)
		if (b->hash_keys[at] == key)
			return &b->hash_values[at];
	return NULL;
}

static uint32_t next_random(struct native_bench *b)
{
	b->random ^= b->random >> 12;
	b->random ^= b->random << 25;
	b->random ^= b->random >> 27;
	return (uint32_t)((b->random * 0x2545f4914f6cdd1dull) >> 32);
}

static int look_up(struct native_bench *b, unsigned int index, struct counts *c)
{
	void *found = b->use_hash ? (void *)hash_get(b, next_random(b) % b->keys)
				  : (void *)storage_get(b, index);

	if (!found)
		return -1;
	c->hits++;
	c->important += !index;
	return 0;
}

static long look_up_next(uint32_t i, void *data)
{
	struct counts *c = data;
	unsigned int index = i % c->b->maps;

	if (look_up(c->b, index, c))
		return 1;
	if (c->b->interleave && index % 3 == 0 && look_up(c->b, 0, c))
		return 1;
	return 0;
}

static long empty(uint32_t i, void *data)
{
	(void)i;
	(void)data;
	return 0;
}

/* A loop with a callback that the compiler may not see through. */
static long loop(uint32_t n, long (*volatile *fn)(uint32_t, void *), void *data)
{
	long (*call)(uint32_t, void *) = *fn;

	for (uint32_t i = 0; i < n; i++)
		if (call(i, data))
			return i + 1;
	return n;
}

struct native_bench *native_new(const char *bench, unsigned int maps, bool interleave,
				unsigned int keys, unsigned int loops)
{
	struct native_bench *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->loops = !strcmp(bench, "bpf-loop");
	b->interleave = interleave;
	b->maps = maps;
	b->nr_loops = loops;
	b->keys = keys;
	b->use_hash = keys > 0;
	b->random = 88172645463325252ull;
	b->map_slots = calloc(maps, sizeof(*b->map_slots));
	b->owner.table = calloc(1, sizeof(struct table) + maps * sizeof(int *));
	b->owner.table->len = maps;
	for (unsigned int i = 0; i < maps; i++) {
		b->map_slots[i] = i;
		b->owner.table->slots[i] = calloc(1, 64);
	}
	if (keys) {
		uint32_t size = 16;

		while (size < keys * 2)
			size *= 2;
		b->hash_mask = size - 1;
		b->hash_keys = calloc(size, sizeof(uint32_t));
		b->hash_values = calloc(size, sizeof(uint32_t));
		for (uint32_t k = 0; k < keys; k++) {
			uint32_t at = (k * 0x9e3779b1u) & b->hash_mask;

			while (b->hash_values[at])
				at = (at + 1) & b->hash_mask;
			b->hash_keys[at] = k;
			b->hash_values[at] = 1;
		}
	}
	return b;
}

void native_trigger(struct native_bench *b, long *hits, long *important)
{
	static long (*volatile inner)(uint32_t, void *) = empty;
	static long (*volatile next)(uint32_t, void *) = look_up_next;
	struct counts c = {b, 0, 0};

	if (b->loops) {
		for (int i = 0; i < 1000; i++)
			*hits += loop(b->nr_loops, &inner, NULL);
		return;
	}
	loop(LOOKUPS, &next, &c);
	*hits += c.hits;
	*important += c.important;
}
