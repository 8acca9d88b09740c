/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What owners without storage share.
 */
#include "kern/owner.h"

static struct {
	struct skep_storage_table table;
	void *slots[SKEP_STORAGE_MIN_SLOTS];
} empty = {.table = {.len = SKEP_STORAGE_MIN_SLOTS}};

struct skep_storage_table *const skep_storage_empty = &empty.table;
void (*skep_storage_free)(struct skep_storage_owner *o);

_Static_assert(sizeof(empty) == 64, "the smallest table is one cache line");
_Static_assert(sizeof(struct skep_storage_owner) == 64, "an owner is one cache line");
