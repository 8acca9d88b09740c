/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Program arrays: targets of tail calls.
 */
#ifndef SKEP_MAP_PROG_ARRAY_H
#define SKEP_MAP_PROG_ARRAY_H

#include "obj/map.h"
#include "obj/prog.h"

/*
 * May @p be put into @m, or use it for tail calls? The first program that does either decides for
 * all later ones: type, attach type, engine, sleepability and fragments must be the same.
 */
bool skep_prog_array_compatible(struct skep_map *m, const struct skep_prog *p);
/* Borrowed under RCU; NULL: none, or index too large. */
const struct skep_prog *skep_prog_array_get(const struct skep_map *m, u32 index);

/* Where generated code finds length and slots. */
void skep_prog_array_inline(struct skep_tail_inline *ret);

#endif
