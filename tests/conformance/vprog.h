/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs without a verifier: raw instructions as the engines take them.
 */
#ifndef SKEP_TESTS_VPROG_H
#define SKEP_TESTS_VPROG_H

#include "isa/facts.h"

/*
 * @insns become @ret: subprograms are the targets of calls, each with a stack of 512 bytes.
 * Calls to helpers are not bound. 0, or -1 for what cannot be a program. Free with
 * skep_vprog_fini().
 */
int vprog_from_insns(const struct bpf_insn *insns, u32 len, struct skep_vprog *ret);

/*
 * Run with R1 = @mem, R2 = its size, through the interpreter or the JIT. -1: the JIT refused.
 */
int vprog_run(const struct skep_vprog *p, bool jit, void *mem, u32 size, u64 *ret_r0);

/* Hex digits to bytes; the number of bytes or -1. */
int hex_decode(const char *s, u32 n, u8 *out, u32 size);

#endif
