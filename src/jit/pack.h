/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for code: packs with a writable and an executable mapping of the same pages.
 */
#ifndef SKEP_JIT_PACK_H
#define SKEP_JIT_PACK_H

#include "base/types.h"

struct skep_jit_pack;

/* A piece of a pack. Write through @rw, run at @rx. */
struct skep_jit_piece {
	struct skep_jit_pack *pack;
	u8 *rx, *rw;
	u32 size;
};

/* @size bytes, 64-aligned. 0 or -ENOMEM. Control path. */
int skep_jit_piece_alloc(u32 size, struct skep_jit_piece *ret);
/* Give back what lies behind the first @size bytes. */
void skep_jit_piece_trim(struct skep_jit_piece *p, u32 size);
/* The code is written: make it executable where that takes a step. 0 or -errno. */
int skep_jit_piece_seal(struct skep_jit_piece *p);
void skep_jit_piece_free(struct skep_jit_piece *p);

#endif
