// SPDX-License-Identifier: BSD-2-Clause
/* What skeleton applications are made of: globals, maps, task storage, CO-RE reads, links. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

/* The few fields that are read; the loader finds where the presented kernel has them. */
struct task_struct {
	int pid, tgid;
	struct task_struct *real_parent;
} __attribute__((preserve_access_index));

struct pt_regs {
	unsigned long di, orig_ax;
} __attribute__((preserve_access_index));

char LICENSE[] SEC("license") = "GPL";

const volatile int target_pid = 0;
__u64 entries, returns, tps, raw_tps, last_ret, arg_sum;
int seen_pid, seen_tgid, seen_ppid;
__u64 per_thread_max;
char seen_comm[16];

struct event {
	__u32 pid;
	__u64 ret;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} per_thread SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} by_tid SEC(".maps");

SEC("fentry/__x64_sys_getpgid")
int BPF_PROG(on_entry, struct pt_regs *regs)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 *v;

	if (target_pid && (bpf_get_current_pid_tgid() >> 32) != target_pid)
		return 0;
	__sync_fetch_and_add(&entries, 1);
	__sync_fetch_and_add(&arg_sum, (int)BPF_CORE_READ(regs, di));
	seen_pid = t->pid;
	seen_tgid = t->tgid;
	seen_ppid = BPF_CORE_READ(t, real_parent, tgid);
	bpf_get_current_comm(seen_comm, sizeof(seen_comm));
	v = bpf_task_storage_get(&per_thread, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (v && ++*v > per_thread_max)
		per_thread_max = *v;
	return 0;
}

SEC("fexit/__x64_sys_getpgid")
int BPF_PROG(on_return, struct pt_regs *regs, long ret)
{
	struct event *e;

	__sync_fetch_and_add(&returns, 1);
	last_ret = ret;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e)
		return 0;
	e->pid = (__u32)bpf_get_current_pid_tgid();
	e->ret = ret;
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_tp, struct pt_regs *regs, long id)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 one = 1, *v;

	if (id != 121 /* getpgid */)
		return 0;
	__sync_fetch_and_add(&tps, 1);
	v = bpf_map_lookup_elem(&by_tid, &tid);
	if (v)
		__sync_fetch_and_add(v, 1);
	else
		bpf_map_update_elem(&by_tid, &tid, &one, BPF_ANY);
	return 0;
}

SEC("raw_tp/sys_exit")
int on_raw(struct bpf_raw_tracepoint_args *ctx)
{
	struct pt_regs *regs = (struct pt_regs *)ctx->args[0];

	if (BPF_CORE_READ(regs, orig_ax) == 121)
		__sync_fetch_and_add(&raw_tps, 1);
	return 0;
}
