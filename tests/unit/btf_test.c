/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * btf/: hostile input, look-up, layout, special fields.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "btf/btf.h"

/* A BTF under construction: words of types and bytes of strings. */
struct builder {
	u32 types[512];
	u32 nr;
	char strs[1024];
	u32 len;
};

static u32 str(struct builder *b, const char *s)
{
	u32 at = b->len;

	strcpy(b->strs + at, s);
	b->len += (u32)strlen(s) + 1;
	return at;
}

static void word(struct builder *b, u32 w)
{
	b->types[b->nr++] = w;
}

static void type(struct builder *b, const char *name, u32 kind, u32 vlen, u32 size_or_type)
{
	word(b, *name ? str(b, name) : 0);
	word(b, kind << 24 | vlen);
	word(b, size_or_type);
}

static void integer(struct builder *b, const char *name, u32 bytes)
{
	type(b, name, BTF_KIND_INT, 0, bytes);
	word(b, bytes * 8);
}

static u32 build(const struct builder *b, u8 *out)
{
	struct btf_header h = {.magic = BTF_MAGIC,
			       .version = 1,
			       .hdr_len = sizeof(h),
			       .type_len = b->nr * 4,
			       .str_off = b->nr * 4,
			       .str_len = b->len};

	memcpy(out, &h, sizeof(h));
	memcpy(out + sizeof(h), b->types, b->nr * 4);
	memcpy(out + sizeof(h) + b->nr * 4, b->strs, b->len);
	return (u32)sizeof(h) + b->nr * 4 + b->len;
}

static int parse(const struct builder *b, struct skep_btf **ret)
{
	u8 data[8192];
	u32 size = build(b, data);

	return skep_btf_parse(data, size, NULL, NULL, ret);
}

/* struct inner { int a; }; struct outer { int x; struct inner in; int arr[3]; struct inner *p; } */
static void sample(struct builder *b)
{
	memset(b, 0, sizeof(*b));
	b->len = 1;
	integer(b, "int", 4);			 /* 1 */
	type(b, "inner", BTF_KIND_STRUCT, 1, 4); /* 2 */
	word(b, str(b, "a"));
	word(b, 1);
	word(b, 0);
	type(b, "", BTF_KIND_ARRAY, 0, 0); /* 3 */
	word(b, 1);
	word(b, 1);
	word(b, 3);
	type(b, "", BTF_KIND_PTR, 0, 2);	  /* 4 */
	type(b, "outer", BTF_KIND_STRUCT, 4, 32); /* 5 */
	word(b, str(b, "x"));
	word(b, 1);
	word(b, 0);
	word(b, str(b, "in"));
	word(b, 2);
	word(b, 32);
	word(b, str(b, "arr"));
	word(b, 3);
	word(b, 64);
	word(b, str(b, "p"));
	word(b, 4);
	word(b, 192);
}

static void a_good_btf_is_laid_out(void **state)
{
	struct builder b;
	struct skep_btf *btf;
	u32 off, size;

	(void)state;
	sample(&b);
	assert_int_equal(parse(&b, &btf), 0);
	assert_int_equal(skep_btf_nr_types(btf), 6);
	assert_int_equal(skep_btf_find(btf, "outer", BTF_KIND_STRUCT), 5);
	assert_int_equal(skep_btf_find(btf, "outer", BTF_KIND_UNION), 0);
	assert_int_equal(skep_btf_size(btf, 3), 12);
	assert_int_equal(skep_btf_size(btf, 5), 32);
	assert_int_equal(skep_btf_size(btf, 0), -EINVAL);
	assert_int_equal(skep_btf_field(btf, "outer", "in.a", &off, &size), 0);
	assert_int_equal(off, 4);
	assert_int_equal(size, 4);
	assert_int_equal(skep_btf_field(btf, "outer", "nothing", &off, &size), -ENOENT);
	assert_null(skep_btf_type(btf, 6));
	skep_btf_put(btf);
}

static void cycles_are_refused(void **state)
{
	struct builder b;
	struct skep_btf *btf;

	(void)state;
	memset(&b, 0, sizeof(b));
	b.len = 1;
	type(&b, "s", BTF_KIND_STRUCT, 1, 4);
	word(&b, str(&b, "self"));
	word(&b, 1);
	word(&b, 0);
	assert_int_equal(parse(&b, &btf), -EEXIST);

	memset(&b, 0, sizeof(b));
	b.len = 1;
	type(&b, "", BTF_KIND_CONST, 0, 2);
	type(&b, "", BTF_KIND_PTR, 0, 1);
	assert_int_equal(parse(&b, &btf), -EEXIST);

	/* Through a pointer a struct may name itself. */
	memset(&b, 0, sizeof(b));
	b.len = 1;
	type(&b, "s", BTF_KIND_STRUCT, 1, 8);
	word(&b, str(&b, "next"));
	word(&b, 2);
	word(&b, 0);
	type(&b, "", BTF_KIND_PTR, 0, 1);
	assert_int_equal(parse(&b, &btf), 0);
	skep_btf_put(btf);
}

static void wrong_sizes_are_refused(void **state)
{
	struct builder b;
	struct skep_btf *btf;

	(void)state;
	sample(&b);
	b.types[6] = 3; /* struct inner is too small for its member */
	assert_int_equal(parse(&b, &btf), -EINVAL);
	sample(&b);
	b.types[8] = 77; /* a member of a type that does not exist */
	assert_int_equal(parse(&b, &btf), -EINVAL);
	sample(&b);
	b.types[3] = 40; /* 40 bits in an int of 4 bytes */
	assert_int_equal(parse(&b, &btf), -EINVAL);
}

static void damaged_bytes_never_crash(void **state)
{
	struct builder b;
	u8 good[8192], bad[8192];
	u32 size, accepted = 0;

	(void)state;
	sample(&b);
	size = build(&b, good);
	srand(1);
	for (int i = 0; i < 200000; i++) {
		struct skep_btf *btf = NULL;
		u32 n = 1 + (u32)rand() % 4;

		memcpy(bad, good, size);
		while (n--)
			bad[(u32)rand() % size] = (u8)rand();
		if (!skep_btf_parse(bad, rand() % 8 ? size : (u32)rand() % (size + 1), NULL, NULL,
				    &btf)) {
			struct skep_btf_record rec;

			accepted++;
			for (u32 id = 0; id < skep_btf_nr_types(btf); id++) {
				skep_btf_size(btf, id);
				skep_btf_parse_fields(btf, id, 32, SKEP_FIELDS_OF_VALUE, &rec);
			}
			skep_btf_find(btf, "outer", BTF_KIND_STRUCT);
			skep_btf_put(btf);
		}
	}
	assert_true(accepted > 0);
}

static void failed_allocations_leak_nothing(void **state)
{
	struct builder b;
	long before = skep_alloc_live();
	int err;

	(void)state;
	sample(&b);
	for (long n = 0;; n++) {
		struct skep_btf *btf = NULL;

		skep_alloc_fail_after(n);
		err = parse(&b, &btf);
		skep_alloc_fail_after(-1);
		skep_btf_put(btf);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(skep_alloc_live(), before);
	}
	assert_int_equal(skep_alloc_live(), before);
}

static void special_fields_are_found(void **state)
{
	struct builder b;
	struct skep_btf *btf;
	struct skep_btf_record rec;

	(void)state;
	memset(&b, 0, sizeof(b));
	b.len = 1;
	integer(&b, "int", 4);
	type(&b, "bpf_spin_lock", BTF_KIND_STRUCT, 1, 4); /* 2 */
	word(&b, str(&b, "val"));
	word(&b, 1);
	word(&b, 0);
	type(&b, "value", BTF_KIND_STRUCT, 2, 8); /* 3 */
	word(&b, str(&b, "n"));
	word(&b, 1);
	word(&b, 0);
	word(&b, str(&b, "lock"));
	word(&b, 2);
	word(&b, 32);
	assert_int_equal(parse(&b, &btf), 0);
	assert_int_equal(skep_btf_parse_fields(btf, 3, 8, SKEP_FIELDS_OF_VALUE, &rec), 0);
	assert_int_equal(rec.nr, 1);
	assert_int_equal(rec.fields[0].off, 4);
	assert_non_null(skep_btf_record_find(&rec, SKEP_FIELD_SPIN_LOCK));
	assert_null(skep_btf_record_find(&rec, SKEP_FIELD_TIMER));
	skep_btf_put(btf);
	/* One lock an object. */
	type(&b, "twice", BTF_KIND_STRUCT, 2, 8);
	word(&b, str(&b, "l1"));
	word(&b, 2);
	word(&b, 0);
	word(&b, str(&b, "l2"));
	word(&b, 2);
	word(&b, 32);
	assert_int_equal(parse(&b, &btf), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_btf_is_laid_out),
		cmocka_unit_test(cycles_are_refused),
		cmocka_unit_test(wrong_sizes_are_refused),
		cmocka_unit_test(damaged_bytes_never_crash),
		cmocka_unit_test(failed_allocations_leak_nothing),
		cmocka_unit_test(special_fields_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
