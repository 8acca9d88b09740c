/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf(2): the system call.
 */
#ifndef SKEP_SYS_SYS_H
#define SKEP_SYS_SYS_H

#include "base/uaccess.h"

/*
 * One call. @uattr: user address of the attr, @size its size as passed. Returns what the system
 * call returns: >= 0 or -errno. Installs real descriptors where the command hands out one.
 */
long skep_bpf(const struct skep_caller *c, int cmd, u64 uattr, u32 size);

/* Environment and first-use initialisation; idempotent, cheap after the first. */
void skep_init(void);

#endif
