/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kern/module_btf.c: what it writes stands the check for BTF from strangers.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "kern/kernel_btf.h"
#include "spec/kfunc.h"

/* A kernel that has an int and nothing else. */
static struct skep_btf *tiny_kernel(void)
{
	static struct {
		struct btf_header h;
		u32 types[4];
		char strs[8];
	} k = {
		.h = {.magic = BTF_MAGIC,
		      .version = 1,
		      .hdr_len = sizeof(struct btf_header),
		      .type_len = 16,
		      .str_off = 16,
		      .str_len = 5},
		.types = {1, BTF_KIND_INT << 24, 4, BTF_INT_SIGNED << 24 | 32},
		.strs = "\0int",
	};
	struct skep_btf *b = NULL;

	assert_int_equal(skep_btf_open_kernel(&k, sizeof(k.h) + 21, NULL, "vmlinux", &b), 0);
	return b;
}

static u32 implemented(const char *names[], u32 room)
{
	u32 n, nr = 0;
	const struct skep_kfunc_row *rows = skep_kfunc_rows(&n);

	for (u32 i = 0; i < n && nr < room; i++)
		if (rows[i].implemented)
			names[nr++] = rows[i].name;
	return nr;
}

static void every_kfunc_has_a_prototype(void **state)
{
	const char *names[256];
	u32 n = implemented(names, 256);
	struct skep_btf *b;

	(void)state;
	assert_int_equal(skep_builtin_btf_open(&b), 0);
	for (u32 i = 0; i < n; i++)
		if (!skep_btf_find(b, names[i], BTF_KIND_FUNC))
			fail_msg("%s is not in builtin_types.c", names[i]);
	skep_btf_put(b);
}

static void a_module_is_good_btf(void **state)
{
	const char *names[256];
	u32 n = implemented(names, 256), size, id;
	struct skep_btf *base = tiny_kernel(), *mod, *again;
	const struct btf_type *t;
	const void *raw;

	(void)state;
	assert_int_equal(skep_module_btf_new(base, names, n, &mod), 0);
	assert_true(skep_btf_is_module(mod));
	assert_string_equal(skep_btf_module_name(mod), SKEP_MODULE_NAME);
	raw = skep_btf_raw(mod, &size);
	assert_int_equal(skep_btf_parse(raw, size, base, NULL, &again), 0);
	for (u32 i = 0; i < n; i++)
		assert_true(skep_btf_find_own(again, names[i], BTF_KIND_FUNC));
	/* What the kernel has is not made again: int *bpf_iter_num_next(…) refers to its int. */
	assert_int_equal(skep_btf_find_own(again, "int", BTF_KIND_INT), 0);
	id = skep_btf_find_own(again, "bpf_iter_num_next", BTF_KIND_FUNC);
	t = skep_btf_type(again, skep_btf_type(again, id)->type);
	t = skep_btf_type(again, t->type);
	assert_int_equal(skep_btf_kind(t), BTF_KIND_PTR);
	assert_int_equal(t->type, 1);
	skep_btf_put(again);
	skep_btf_put(mod);
	skep_btf_put(base);
}

static void nothing_lacks(void **state)
{
	static const char *const names[] = {"bpf_task_acquire", "no_such_function"};
	struct skep_btf *base, *mod;

	(void)state;
	assert_int_equal(skep_builtin_btf_open(&base), 0);
	assert_int_equal(skep_module_btf_new(base, names, 2, &mod), -ENOENT);
	skep_btf_put(base);
}

static void failed_allocations_leak_nothing(void **state)
{
	static const char *const names[] = {"bpf_task_acquire", "bpf_iter_num_new"};
	struct skep_btf *base = tiny_kernel(), *mod = NULL;
	s64 before;
	int err;

	(void)state;
	/* The base makes its index of names when many were asked for, and keeps it. */
	for (int i = 0; i < 32; i++)
		skep_btf_find(base, "nothing", BTF_KIND_FUNC);
	before = skep_alloc_live();
	for (long n = 0;; n++) {
		skep_alloc_fail_after(n);
		err = skep_module_btf_new(base, names, 2, &mod);
		skep_alloc_fail_after(-1);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(skep_alloc_live(), before);
	}
	skep_btf_put(mod);
	skep_btf_put(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kfunc_has_a_prototype),
		cmocka_unit_test(a_module_is_good_btf),
		cmocka_unit_test(nothing_lacks),
		cmocka_unit_test(failed_allocations_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
