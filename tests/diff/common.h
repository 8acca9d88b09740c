/* SPDX-License-Identifier: BSD-2-Clause */
/* Included by every test object. */
#ifndef DIFF_COMMON_H
#define DIFF_COMMON_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct pt_regs {
	unsigned long di, si, dx, ax, orig_ax;
} __attribute__((preserve_access_index));

struct task_struct {
	int pid, tgid;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	char comm[16];
} __attribute__((preserve_access_index));

char LICENSE[] SEC("license") = "GPL";

#endif
