/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map/: random operations against single-threaded models, and threads against each other.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/rcu.h"
#include "base/vcpu.h"
#include "helper/format.h"
#include "isa/uapi.h"
#include "kern/kernel_btf.h"
#include "kern/task.h"
#include "map/local_storage.h"
#include "map/ringbuf.h"
#include "obj/map.h"
#include "sys/sys.h"

static struct skep_map *make(u32 type, u32 key, u32 value, u32 n, u32 flags)
{
	struct skep_map_facts f = {.type = type,
				   .key_size = key,
				   .value_size = value,
				   .max_entries = n,
				   .flags = flags};
	struct skep_map *m = skep_map_ops(type)->alloc(&f);

	assert_false(skep_is_err(m));
	return m;
}

static void drop(struct skep_map *m)
{
	skep_map_put(m);
	skep_rcu_drain();
}

#define KEYS 40

/* A hash of 24 entries and a plain array of "present, value" as its model. */
static void hash_follows_its_model(void **state)
{
	struct skep_map *m = make(BPF_MAP_TYPE_HASH, 8, 8, 24, 0);
	u64 model[KEYS];
	bool present[KEYS] = {false};
	u32 count = 0;

	(void)state;
	srand(7);
	for (int i = 0; i < 400000; i++) {
		u64 k = (u64)(rand() % KEYS), v = (u64)rand(), *p;
		u64 flags = (u64)(rand() % 4);
		s64 want = 0;

		skep_rcu_read_lock();
		switch (rand() % 3) {
		case 0:
			if (flags == 3)
				want = -EINVAL;
			else if (present[k] && flags == BPF_NOEXIST)
				want = -EEXIST;
			else if (!present[k] && flags == BPF_EXIST)
				want = -ENOENT;
			else if (!present[k] && count == 24)
				want = -E2BIG;
			assert_int_equal(m->ops->update(m, &k, &v, flags), want);
			if (!want) {
				count += !present[k];
				present[k] = true;
				model[k] = v;
			}
			break;
		case 1:
			assert_int_equal(m->ops->erase(m, &k), present[k] ? 0 : -ENOENT);
			count -= present[k];
			present[k] = false;
			break;
		default:
			p = m->ops->lookup(m, &k);
			assert_int_equal(p != NULL, present[k]);
			if (p)
				assert_int_equal(*p, model[k]);
		}
		skep_rcu_read_unlock();
	}
	/* Iteration sees each key once. */
	{
		u64 key, next, *prev = NULL;
		u32 n = 0;

		while (!m->ops->next_key(m, prev, &next)) {
			assert_true(next < KEYS && present[next]);
			present[next] = false;
			key = next;
			prev = &key;
			n++;
		}
		assert_int_equal(n, count);
	}
	drop(m);
}

static struct skep_map *shared;
static bool stop;

/* Values are a number and its complement: a reader must never see a mixture. */
static void *write_pairs(void *arg)
{
	u64 seed = (u64)arg;

	for (u32 i = 0; !SKEP_READ(stop); i++) {
		u32 k = (u32)((i * 7 + seed) % 64);
		u64 v[2] = {seed << 32 | i, ~(seed << 32 | i)};

		skep_rcu_read_lock();
		if (i % 5 == 4)
			shared->ops->erase(shared, &k);
		else
			shared->ops->update(shared, &k, v, BPF_ANY);
		skep_rcu_read_unlock();
	}
	return NULL;
}

static void readers_find_what_stays(void **state)
{
	pthread_t t[2];
	u64 hits = 0;

	(void)state;
	shared = make(BPF_MAP_TYPE_HASH, 4, 16, 128, 0);
	/* Keys 1000.. are never touched by the writers: every look-up must find them. */
	for (u32 k = 1000; k < 1032; k++) {
		u64 v[2] = {k, ~(u64)k};

		assert_int_equal(shared->ops->update(shared, &k, v, BPF_ANY), 0);
	}
	for (u64 i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, write_pairs, (void *)(i + 1));
	for (u32 i = 0; i < 1000000; i++) {
		u32 k = 1000 + i % 32;
		u64 *v;

		skep_rcu_read_lock();
		v = shared->ops->lookup(shared, &k);
		assert_non_null(v);
		assert_int_equal(v[0], k);
		hits++;
		skep_rcu_read_unlock();
	}
	SKEP_WRITE(stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(hits, 1000000);
	drop(shared);
}

static void arrays_bound_their_index(void **state)
{
	struct skep_map *m = make(BPF_MAP_TYPE_ARRAY, 4, 12, 5, 0);
	u8 value[12] = "hello world";
	u32 k = 4, next;

	(void)state;
	assert_int_equal(m->ops->update(m, &k, value, BPF_ANY), 0);
	assert_memory_equal(m->ops->lookup(m, &k), value, 12);
	assert_int_equal(m->ops->update(m, &k, value, BPF_NOEXIST), -EEXIST);
	assert_int_equal(m->ops->erase(m, &k), -EINVAL);
	k = 5;
	assert_null(m->ops->lookup(m, &k));
	assert_int_equal(m->ops->update(m, &k, value, BPF_ANY), -E2BIG);
	k = 3;
	assert_int_equal(m->ops->next_key(m, &k, &next), 0);
	assert_int_equal(next, 4);
	k = 4;
	assert_int_equal(m->ops->next_key(m, &k, &next), -ENOENT);
	drop(m);
}

static void ring_wraps_and_fills(void **state)
{
	struct skep_map *m = make(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
	void *a, *b, *c;

	(void)state;
	assert_null(skep_ringbuf_reserve(m, 4090));
	a = skep_ringbuf_reserve(m, 2000);
	b = skep_ringbuf_reserve(m, 2000);
	assert_non_null(a);
	assert_non_null(b);
	assert_null(skep_ringbuf_reserve(m, 2000));
	memset(a, 1, 2000);
	memset(b, 2, 2000);
	skep_ringbuf_commit(b, 0, false);
	assert_int_equal(skep_ringbuf_query(m, BPF_RB_AVAIL_DATA), 2 * 2008);
	skep_ringbuf_commit(a, 0, true);
	/* Nobody consumed: still full, even though nothing is busy. */
	c = skep_ringbuf_reserve(m, 2000);
	assert_null(c);
	assert_int_equal(skep_ringbuf_query(m, BPF_RB_RING_SIZE), 4096);
	assert_int_equal(skep_ringbuf_query(m, 99), 0);
	drop(m);
}

static void storage_ends_in_either_order(void **state)
{
	struct skep_map *m[20];
	struct skep_task *t;
	u64 init = 42;

	(void)state;
	for (int i = 0; i < 20; i++)
		m[i] = make(BPF_MAP_TYPE_TASK_STORAGE, 4, 8, 0, BPF_F_NO_PREALLOC);
	t = skep_task_current();
	assert_non_null(t);
	for (int i = 0; i < 20; i++) {
		u64 *v;

		skep_rcu_read_lock();
		assert_null(skep_storage_get(m[i], &t->owner, NULL, false, false));
		v = skep_storage_get(m[i], &t->owner, i % 2 ? &init : NULL, true, false);
		assert_non_null(v);
		assert_int_equal(*v, i % 2 ? 42 : 0);
		*v = (u64)i;
		assert_ptr_equal(skep_storage_get(m[i], &t->owner, NULL, true, false), v);
		skep_rcu_read_unlock();
	}
	assert_int_equal(skep_storage_delete(m[3], &t->owner, false), 0);
	assert_int_equal(skep_storage_delete(m[3], &t->owner, false), -ENOENT);
	/* Maps end first: their numbers are reused, values are not. */
	for (int i = 0; i < 20; i += 2)
		drop(m[i]);
	for (int i = 0; i < 20; i += 2) {
		m[i] = make(BPF_MAP_TYPE_TASK_STORAGE, 4, 8, 0, BPF_F_NO_PREALLOC);
		skep_rcu_read_lock();
		assert_null(skep_storage_get(m[i], &t->owner, NULL, false, false));
		skep_rcu_read_unlock();
	}
	for (int i = 1; i < 20; i += 2) {
		u64 *v;

		skep_rcu_read_lock();
		v = skep_storage_get(m[i], &t->owner, NULL, false, false);
		assert_int_equal(v ? (int)*v : -1, i == 3 ? -1 : i);
		skep_rcu_read_unlock();
	}
	for (int i = 0; i < 20; i++)
		drop(m[i]);
}

static struct skep_map *storage;

static void *live_briefly(void *unused)
{
	struct skep_task *t = skep_task_current();
	u64 *v;

	skep_rcu_read_lock();
	v = skep_storage_get(storage, &t->owner, NULL, true, false);
	*v = 1;
	skep_rcu_read_unlock();
	return unused;
}

static void owners_take_their_storage_along(void **state)
{
	u64 before;

	(void)state;
	storage = make(BPF_MAP_TYPE_TASK_STORAGE, 4, 8, 0, BPF_F_NO_PREALLOC);
	before = storage->ops->mem_usage(storage);
	for (int i = 0; i < 50; i++) {
		pthread_t t;

		pthread_create(&t, NULL, live_briefly, NULL);
		pthread_join(t, NULL);
	}
	assert_int_equal(storage->ops->mem_usage(storage), before);
	drop(storage);
}

static void format_is(const char *want, const char *fmt, const u64 *args, u32 n)
{
	char out[128];

	assert_int_equal(skep_format(out, sizeof(out), fmt, 128, args, n), (s64)strlen(want));
	assert_string_equal(out, want);
}

static void formats_are_the_kernels(void **state)
{
	char small[4];
	u64 a[3] = {(u64)-5, 255, (u64) "text"};

	(void)state;
	format_is("-5 ff text", "%d %x %s", a, 3);
	format_is("18446744073709551611|  255|text  |", "%llu|%5d|%-6s|", a, 3);
	format_is("0x00ff%", "%#06x%%", &a[1], 1);
	format_is("", "%s", (u64[]){8}, 1); /* unreadable */
	assert_int_equal(skep_format(small, 4, "%d", 3, &a[1], 1), 3);
	assert_string_equal(small, "255");
	assert_int_equal(skep_format(small, 4, "long text", 10, NULL, 0), 9);
	assert_string_equal(small, "lon");
	assert_int_equal(skep_format(small, 4, "%d", 3, NULL, 0), -EINVAL);
	assert_int_equal(skep_format(small, 4, "%n", 3, a, 1), -EINVAL);
	assert_int_equal(skep_format(small, 4, "no end", 6, a, 1), -EINVAL);
}

/* Values per CPU: a program's update writes its own CPU's and zeroes a new key's others. */
static void per_cpu_hashes_keep_cpus_apart(void **state)
{
	static const u32 types[] = {BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_LRU_PERCPU_HASH};

	(void)state;
	for (u32 t = 0; t < 2; t++) {
		struct skep_map *m = make(types[t], 4, 4, 8, 0);
		u64 *all = calloc(skep_nr_vcpus, 8);
		u32 key = 5, mine = 7, cpu = skep_vcpu_id();

		assert_int_equal(m->ops->user_value_size(m), skep_nr_vcpus * 8);
		for (u32 i = 0; i < skep_nr_vcpus; i++)
			all[i] = 100 + i;
		assert_int_equal(m->ops->sys_update(m, &key, all, BPF_EXIST), -ENOENT);
		assert_int_equal(m->ops->sys_update(m, &key, all, BPF_F_LOCK), -EINVAL);
		assert_int_equal(m->ops->sys_update(m, &key, all, BPF_NOEXIST), 0);
		assert_int_equal(m->ops->update(m, &key, &mine, BPF_NOEXIST), -EEXIST);
		assert_int_equal(m->ops->update(m, &key, &mine, BPF_ANY), 0);
		memset(all, 0, skep_nr_vcpus * 8);
		assert_int_equal(m->ops->sys_lookup(m, &key, all, 0), 0);
		for (u32 i = 0; i < skep_nr_vcpus; i++) {
			u32 want = i == cpu ? 7 : 100 + i;

			assert_int_equal(all[i], want);
			assert_int_equal(*(u32 *)m->ops->lookup_percpu(m, &key, i), want);
		}
		assert_null(m->ops->lookup_percpu(m, &key, skep_nr_vcpus));
		assert_int_equal(*(u32 *)m->ops->lookup(m, &key), 7);
		assert_int_equal(m->ops->sys_lookup_erase(m, &key, all, 0), 0);
		assert_int_equal(all[cpu], 7);
		assert_null(m->ops->lookup(m, &key));
		/* The element is reused: nothing of the old key shows. */
		key = 6;
		assert_int_equal(m->ops->update(m, &key, &mine, BPF_ANY), 0);
		assert_int_equal(m->ops->sys_lookup(m, &key, all, 0), 0);
		for (u32 i = 0; i < skep_nr_vcpus; i++)
			assert_int_equal(all[i], i == cpu ? 7 : 0);
		free(all);
		drop(m);
	}
}

static u32 count_keys(struct skep_map *m)
{
	u64 key, next, *prev = NULL;
	u32 n = 0;

	while (!m->ops->next_key(m, prev, &next)) {
		key = next;
		prev = &key;
		n++;
	}
	return n;
}

/* Random operations: no new key is refused, the bound holds, and what is there is right. */
static void eviction_keeps_bound_and_hot_keys(void **state)
{
	static const u32 types[] = {BPF_MAP_TYPE_LRU_HASH, BPF_MAP_TYPE_LRU_PERCPU_HASH};
	static u64 model[1000];

	(void)state;
	srand(11);
	for (u32 run = 0; run < 6; run++) {
		u32 size = run < 2 ? 1 : run < 4 ? 24 : 400;
		struct skep_map *m = make(types[run % 2], 8, 8, size, 0);

		memset(model, 0, sizeof(model));
		for (u32 i = 0; i < 100000; i++) {
			u64 k = (u64)(rand() % 1000), v = i + 1, *p;

			skep_rcu_read_lock();
			p = m->ops->lookup(m, &k);
			if (p)
				assert_int_equal(*p, model[k]);
			if (rand() % 8) {
				assert_int_equal(m->ops->update(m, &k, &v, BPF_ANY), 0);
				model[k] = v;
				p = m->ops->lookup(m, &k);
				assert_non_null(p);
				assert_int_equal(*p, v);
			} else {
				assert_int_equal(m->ops->erase(m, &k), p ? 0 : -ENOENT);
			}
			skep_rcu_read_unlock();
			if (!(i % 1024))
				assert_in_range(count_keys(m), 0, size);
		}
		drop(m);
	}
	/* One key is looked up between all insertions, and outlives them. */
	for (u32 t = 0; t < 2; t++) {
		struct skep_map *m = make(types[t], 8, 8, 64, 0);
		u64 hot = 1ull << 40, v = 9;

		assert_int_equal(m->ops->update(m, &hot, &v, BPF_ANY), 0);
		for (u64 k = 0; k < 10000; k++) {
			assert_non_null(m->ops->lookup(m, &hot));
			assert_int_equal(m->ops->update(m, &k, &v, BPF_NOEXIST), 0);
		}
		assert_in_range(count_keys(m), 48, 64);
		drop(m);
	}
}

static void *churn(void *arg)
{
	struct skep_map *m = arg;
	u64 x = (u64)pthread_self() | 1;

	for (u32 i = 0; i < 200000; i++) {
		u64 k, v[2];

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		k = x >> 40 & 255;
		v[0] = v[1] = k;
		skep_vcpu_enter();
		skep_rcu_read_lock();
		if (x >> 60 < 10)
			assert_int_equal(m->ops->update(m, &k, v, BPF_ANY), 0);
		else if (x >> 60 < 12)
			m->ops->erase(m, &k);
		else
			m->ops->lookup(m, &k);
		skep_rcu_read_unlock();
		skep_vcpu_leave();
	}
	return NULL;
}

/* Two threads evict under each other; afterwards the map is whole: bounded, and fills again. */
static void evictors_race(void **state)
{
	static const u32 types[] = {BPF_MAP_TYPE_LRU_HASH, BPF_MAP_TYPE_LRU_PERCPU_HASH};

	(void)state;
	for (u32 t = 0; t < 2; t++) {
		struct skep_map *m = make(types[t], 8, 16, 100, 0);
		u64 key, v[2] = {0};
		pthread_t other;

		assert_int_equal(pthread_create(&other, NULL, churn, m), 0);
		churn(m);
		pthread_join(other, NULL);
		assert_in_range(count_keys(m), 1, 100);
		while (!m->ops->next_key(m, NULL, &key))
			assert_int_equal(m->ops->erase(m, &key), 0);
		for (key = 0; key < 100; key++)
			assert_int_equal(m->ops->update(m, &key, v, BPF_NOEXIST), 0);
		assert_int_equal(count_keys(m), 100);
		drop(m);
	}
}

static int set_up(void **state)
{
	(void)state;
	skep_init();
	return skep_task_init(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_follows_its_model),
		cmocka_unit_test(per_cpu_hashes_keep_cpus_apart),
		cmocka_unit_test(eviction_keeps_bound_and_hot_keys),
		cmocka_unit_test(evictors_race),
		cmocka_unit_test(readers_find_what_stays),
		cmocka_unit_test(arrays_bound_their_index),
		cmocka_unit_test(ring_wraps_and_fills),
		cmocka_unit_test(storage_ends_in_either_order),
		cmocka_unit_test(owners_take_their_storage_along),
		cmocka_unit_test(formats_are_the_kernels),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
