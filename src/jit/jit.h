/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64 JIT: executable bytecode in, an address to call out.
 *
 * Code lies in packs within +-2 GiB of libskep's text where the address space allows it. A pack
 * has two mappings of one memfd: one writable, one executable; no mapping is ever both.
 */
#ifndef SKEP_JIT_JIT_H
#define SKEP_JIT_JIT_H

#include "isa/facts.h"
#include "isa/jit_image.h"

/* -ENOSYS where there is no JIT for this machine; -ENOMEM; -EINVAL for unknown instructions. */
int skep_jit_compile(const struct skep_vprog *p, struct skep_jit_image *ret_image);
void skep_jit_free(struct skep_jit_image *image); /* after a grace period; takes zeroed */

#endif
