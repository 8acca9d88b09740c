// SPDX-License-Identifier: BSD-2-Clause
/* Task storage, ring buffer, tracing of system calls. */
#include "common.h"

const volatile __u32 target_tgid = 0;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

__u64 entered, left, seen, last, deleted, missing, mismatched, leader_ok;

#define GETPGID 121

SEC("tp_btf/sys_enter")
int BPF_PROG(enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 *n, record[2];

	if (task->tgid != target_tgid || id != GETPGID)
		return 0;
	if (regs->orig_ax != GETPGID || regs->di != 0)
		mismatched++;
	if (task->group_leader->pid == task->tgid)
		leader_ok = 1;
	n = bpf_task_storage_get(&counts, task, 0, 0);
	if (!n)
		missing++;
	n = bpf_task_storage_get(&counts, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!n)
		return 0;
	*n += 1;
	seen = *n;
	record[0] = *n;
	record[1] = id;
	bpf_ringbuf_output(&ring, record, sizeof(record), 0);
	entered++;
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(leave, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 init = 100, *r;

	if (task->tgid != target_tgid || regs->orig_ax != GETPGID)
		return 0;
	left++;
	if (left == 3)
		deleted = bpf_task_storage_delete(&counts, task) + 1;
	if (left == 4) {
		__u64 *n = bpf_task_storage_get(&counts, task, &init, BPF_LOCAL_STORAGE_GET_F_CREATE);

		last = n ? *n : 0;
	}
	r = bpf_ringbuf_reserve(&ring, 24, 0);
	if (!r)
		return 0;
	r[0] = left;
	r[1] = 2;
	r[2] = 3;
	if (left == 2)
		bpf_ringbuf_discard(r, 0);
	else
		bpf_ringbuf_submit(r, 0);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_leak, struct pt_regs *regs, long id)
{
	bpf_ringbuf_reserve(&ring, 8, 0);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_task, struct pt_regs *regs, long id)
{
	bpf_task_storage_get(&counts, (void *)regs, 0, 1);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_third, struct pt_regs *regs, long id, long more)
{
	return more;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_task_write, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();

	task->pid = 1;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(bad_after_submit, struct pt_regs *regs, long id)
{
	__u64 *r = bpf_ringbuf_reserve(&ring, 8, 0);

	if (!r)
		return 0;
	bpf_ringbuf_submit(r, 0);
	*r = 1;
	return 0;
}

SEC("raw_tp/sys_enter")
int raw(struct bpf_raw_tracepoint_args *ctx)
{
	return ctx->args[0] * 100 + ctx->args[1];
}
