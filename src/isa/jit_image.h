/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executable form of a program, as the JIT hands it out.
 */
#ifndef SKEP_ISA_JIT_IMAGE_H
#define SKEP_ISA_JIT_IMAGE_H

#include "base/types.h"

struct skep_jit_image {
	u64 (*entry)(const void *ctx); /* main program, SysV; NULL: none */
	void **subprogs;	       /* executable address of each subprogram */
	u32 nr_subprogs;
	u32 size;      /* bytes of code */
	u32 *insn_off; /* byte offset of each xlated instruction, len + 1 entries */
	void *pack;    /* private to jit/ */
};

#endif
