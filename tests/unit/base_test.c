/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/: allocation, pools, locks, virtual CPUs, RCU deferral, user access.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/pool.h"
#include "base/rcu.h"
#include "base/sha256.h"
#include "base/uaccess.h"
#include "base/vcpu.h"

static void allocations_fail_on_demand(void **state)
{
	void *p;

	(void)state;
	skep_alloc_fail_after(1);
	p = skep_alloc(10);
	assert_non_null(p);
	assert_null(skep_zalloc(10));
	assert_null(skep_pages_alloc(10));
	skep_alloc_fail_after(-1);
	skep_free(p);
	assert_null(skep_calloc(SIZE_MAX / 2, 3));
	assert_null(skep_alloc(SKEP_ALLOC_MAX + 1));
}

/* The standard's examples, and lengths around a block's end. */
static void sha256_is_the_standards(void **state)
{
	static const struct {
		const char *text;
		u8 first[4];
	} cases[] = {
		{"", {0xe3, 0xb0, 0xc4, 0x42}},
		{"abc", {0xba, 0x78, 0x16, 0xbf}},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 {0x24, 0x8d, 0x6a, 0x61}},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 {0x9f, 0x43, 0x90, 0xf8}},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 {0xff, 0xe0, 0x54, 0xfe}},
	};
	u8 digest[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		skep_sha256(cases[i].text, strlen(cases[i].text), digest);
		assert_memory_equal(digest, cases[i].first, 4);
	}
}

static void pool_objects_are_zeroed_and_reused(void **state)
{
	struct skep_pool pool;
	u8 *a, *b;

	(void)state;
	assert_int_equal(skep_arena_init(), 0);
	skep_pool_init(&pool, 100);
	a = skep_pool_alloc(&pool);
	assert_true(skep_arena_has((u64)a));
	memset(a, 0xff, 100);
	skep_pool_free(&pool, a);
	b = skep_pool_alloc(&pool);
	assert_ptr_equal(a, b);
	for (int i = 0; i < 100; i++)
		assert_int_equal(b[i], 0);
	assert_int_equal(pool.live, 1);
	skep_pool_free(&pool, b);
}

static void size_classes_hold_what_they_promise(void **state)
{
	(void)state;
	for (u32 size = 1; size < 70000; size += 1 + size / 7) {
		u8 *a = skep_sized_alloc(size), *b = skep_sized_alloc(size);

		assert_non_null(a);
		assert_non_null(b);
		assert_true(a + size <= b || b + size <= a);
		memset(a, 1, size);
		memset(b, 2, size);
		assert_int_equal(a[size - 1], 1);
		skep_sized_free(a, size);
		skep_sized_free(b, size);
	}
	assert_null(skep_sized_alloc(SKEP_SIZED_MAX + 1));
}

static struct skep_pool shared = SKEP_POOL_INIT(64);

static void *churn(void *arg)
{
	u64 *held[16] = {NULL}, tag = (u64)arg;

	for (u32 i = 0; i < 200000; i++) {
		u32 k = i % 16;

		if (held[k]) {
			if (held[k][1] != tag)
				return (void *)1;
			skep_pool_free(&shared, held[k]);
		}
		held[k] = skep_pool_alloc(&shared);
		if (held[k][1])
			return (void *)2;
		held[k][1] = tag;
	}
	for (u32 k = 0; k < 16; k++)
		skep_pool_free(&shared, held[k]);
	return NULL;
}

static void threads_never_share_a_pool_object(void **state)
{
	pthread_t t[4];
	void *ret;

	(void)state;
	for (u64 i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, churn, (void *)(i + 1));
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &ret);
		assert_null(ret);
	}
	assert_int_equal(shared.live, 0);
}

static struct skep_lock lock;
static u64 guarded;

static void *add(void *unused)
{
	for (int i = 0; i < 100000; i++) {
		skep_lock(&lock);
		guarded++;
		skep_unlock(&lock);
	}
	return unused;
}

static void lock_excludes(void **state)
{
	pthread_t t[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(guarded, 400000);
	assert_int_equal(skep_busy, 0);
	assert_true(skep_trylock(&lock));
	assert_false(skep_trylock(&lock));
	assert_int_equal(skep_busy, 1);
	skep_unlock(&lock);
}

static u32 on_cpu[SKEP_MAX_VCPUS];

/* More threads than virtual CPUs: while one runs, nobody else may be on its CPU. */
static void *occupy(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		struct skep_vcpu *v = skep_vcpu_enter();

		if (__atomic_add_fetch(&on_cpu[v->id], 1, __ATOMIC_SEQ_CST) != 1)
			return (void *)1;
		if (skep_vcpu_enter() != v) /* nested: keeps it */
			return (void *)2;
		skep_vcpu_leave();
		__atomic_sub_fetch(&on_cpu[v->id], 1, __ATOMIC_SEQ_CST);
		skep_vcpu_leave();
	}
	skep_vcpu_thread_exit();
	return unused;
}

static void virtual_cpus_are_exclusive(void **state)
{
	pthread_t t[6];
	void *ret;

	(void)state;
	skep_vcpu_init(2);
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, occupy, NULL);
	for (int i = 0; i < 6; i++) {
		pthread_join(t[i], &ret);
		assert_null(ret);
	}
}

struct deferred {
	struct skep_rcu_head rcu;
	int *order, *n, id;
};

static void run_deferred(struct skep_rcu_head *h)
{
	struct deferred *d = (struct deferred *)h;

	d->order[(*d->n)++] = d->id;
}

static void deferred_work_runs_in_order(void **state)
{
	struct deferred d[3];
	int order[3], n = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		d[i] = (struct deferred){.order = order, .n = &n, .id = i};
		skep_rcu_defer(&d[i].rcu, run_deferred);
	}
	assert_int_equal(n, 0);
	skep_rcu_drain();
	assert_int_equal(n, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(order[i], i);
}

static void user_copies_answer_efault(void **state)
{
	struct skep_caller c = {.ua = skep_uaccess_self};
	char buf[16] = "hello", *page;
	sigset_t all, old;

	(void)state;
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 4096, 4096);
	strcpy(page + 4090, "abcde");
	/* No handler takes part: it works with every signal blocked. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	assert_int_equal(skep_copy_from_user(&c, buf, 8, 4), -EFAULT);
	assert_int_equal(skep_copy_from_user(&c, buf, (u64)(page + 4090), 16), -EFAULT);
	assert_int_equal(skep_copy_to_user(&c, 0, buf, 1), -EFAULT);
	assert_int_equal(skep_copy_from_user(&c, buf, UINT64_MAX - 3, 8), -EFAULT);
	assert_int_equal(skep_copy_from_user(&c, buf, (u64)(page + 4090), 6), 0);
	assert_string_equal(buf, "abcde");
	/* A string that ends at the last readable byte. */
	assert_int_equal(skep_strncpy_from_user(&c, buf, (u64)(page + 4090), 16), 5);
	page[4095] = 'x';
	assert_int_equal(skep_strncpy_from_user(&c, buf, (u64)(page + 4090), 16), -EFAULT);
	assert_int_equal(skep_probe_read_str(buf, (u64) "longer than four", 4), 4);
	assert_string_equal(buf, "lon");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	munmap(page, 4096);
}

/* Once the bounds of the own stack are known, copies there are direct; elsewhere as before. */
static void own_stack_is_copied_directly(void **state)
{
	struct skep_caller c = {.ua = skep_uaccess_self};
	char local[64] = "local", copy[64];
	pthread_attr_t attr;
	size_t size;
	void *lo;
	u64 hi;

	(void)state;
	for (int i = 0; i < 200; i++) {
		assert_int_equal(skep_copy_from_user(&c, copy, (u64)local, sizeof(local)), 0);
		assert_string_equal(copy, "local");
		assert_int_equal(skep_copy_from_user(&c, copy, 16, 8), -EFAULT);
		assert_int_equal(skep_copy_to_user(&c, UINT64_MAX - 4, copy, 8), -EFAULT);
		copy[0] = (char)i;
		assert_int_equal(skep_copy_to_user(&c, (u64)local + 32, copy, 1), 0);
		assert_int_equal(local[32], (char)i);
	}
	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	pthread_attr_getstack(&attr, &lo, &size);
	pthread_attr_destroy(&attr);
	hi = (u64)lo + size;
	/* Past the end, and a length that wraps. */
	assert_int_equal(skep_copy_from_user(&c, copy, hi - 8, 8), 0);
	assert_int_equal(skep_copy_from_user(&c, copy, (u64)local, SIZE_MAX - 64), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_fail_on_demand),
		cmocka_unit_test(sha256_is_the_standards),
		cmocka_unit_test(pool_objects_are_zeroed_and_reused),
		cmocka_unit_test(size_classes_hold_what_they_promise),
		cmocka_unit_test(threads_never_share_a_pool_object),
		cmocka_unit_test(lock_excludes),
		cmocka_unit_test(virtual_cpus_are_exclusive),
		cmocka_unit_test(deferred_work_runs_in_order),
		cmocka_unit_test(user_copies_answer_efault),
		cmocka_unit_test(own_stack_is_copied_directly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
