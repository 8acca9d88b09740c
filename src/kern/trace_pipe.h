/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace pipe: where bpf_trace_printk's lines go and are read from.
 */
#ifndef SKEP_KERN_TRACE_PIPE_H
#define SKEP_KERN_TRACE_PIPE_H

#include "base/types.h"

/*
 * One line of the ftrace form around @msg (@n bytes): comm, pid, cpu, time. Never blocks: when
 * nobody reads and the pipe is full, the line is dropped. Any context.
 */
void skep_trace_write(const char *msg, u32 n);
/* A new descriptor to read lines from (what opening trace_pipe yields), or -errno. @flags: O_*. */
int skep_trace_open(int flags);

#endif
