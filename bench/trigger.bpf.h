/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benchmark objects share: a producer triggers with getpgid(2); the program at
 * system-call entry takes only that call of the process under test.
 */
#ifndef BENCH_TRIGGER_BPF_H
#define BENCH_TRIGGER_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct pt_regs;
struct cgroup;
struct css_set {
	struct cgroup *dfl_cgrp;
} __attribute__((preserve_access_index));
struct task_struct {
	int tgid;
	struct css_set *cgroups;
} __attribute__((preserve_access_index));

const volatile __u32 target_tgid = 0;
const volatile long trigger_nr = 0;

long hits;

static __always_inline int triggered(struct task_struct *task, long id)
{
	return id == trigger_nr && task->tgid == target_tgid;
}

#endif
