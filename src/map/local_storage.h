/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local storage operations for helpers.
 */
#ifndef SKEP_MAP_LOCAL_STORAGE_H
#define SKEP_MAP_LOCAL_STORAGE_H

#include "kern/task.h"
#include "obj/map.h"

/*
 * The value of @t in @m, or NULL when there is none. With @create: made, zeroed or a copy of
 * @init (may be NULL); NULL then means no memory or a dead owner. In an RCU section; the value
 * stays valid until the section ends.
 */
void *skep_task_storage_get(struct skep_map *m, struct skep_task *t, const void *init, bool create);
/* 0 or -ENOENT. */
s64 skep_task_storage_delete(struct skep_map *m, struct skep_task *t);

/* Offsets for generated code (spec/inline.h). */
void skep_storage_inline(struct skep_run_inline *ret);

#endif
