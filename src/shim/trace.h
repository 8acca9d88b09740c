/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace of bpf(2) calls.
 */
#ifndef SKEP_SHIM_TRACE_H
#define SKEP_SHIM_TRACE_H

#include "base/uaccess.h"
#include "isa/uapi.h"

bool shim_tracing(void);
void shim_trace_fork_child(void);
/* @before: the attr as passed (the call may write to it), zero-filled; valid if @readable. */
void shim_trace(const struct skep_caller *c, int cmd, u64 uattr, u32 size,
		const u8 before[SKEP_ATTR_SIZE], bool readable, long ret);

#endif
