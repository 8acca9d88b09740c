// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts the system calls of one process: per task, per call, and the time between calls.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "syscount.h"

/* What is read of the kernel's types; libbpf finds the offsets in the running kernel's BTF. */
struct pt_regs;
struct task_struct {
	int tgid;
} __attribute__((preserve_access_index));

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 target_tgid = 0;
const volatile __u64 event_every = 1000;

__u64 histogram[SYSCOUNT_BUCKETS];
__u64 dropped;
__u64 sleeps;

struct task_state {
	__u64 calls;
	__u64 last_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} events SEC(".maps");

struct bucket_search {
	__u64 delta;
	__u32 bucket;
};

/* One halving a turn: the bucket is the number of turns until nothing is left. */
static long halve(__u32 i, void *data)
{
	struct bucket_search *s = data;

	s->delta >>= 1;
	if (!s->delta)
		return 1;
	s->bucket = i + 1;
	return 0;
}

static void count_interval(__u64 delta)
{
	struct bucket_search s = { .delta = delta };

	bpf_loop(SYSCOUNT_BUCKETS - 1, halve, &s, 0);
	if (s.bucket < SYSCOUNT_BUCKETS)
		__sync_fetch_and_add(&histogram[s.bucket], 1);
}

static void count_total(__u32 nr)
{
	__u64 one = 1, *total = bpf_map_lookup_elem(&totals, &nr);

	if (total)
		__sync_fetch_and_add(total, 1);
	else
		bpf_map_update_elem(&totals, &nr, &one, BPF_ANY);
}

static void send_event(__u32 nr, __u64 now, __u64 calls)
{
	struct syscount_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&dropped, 1);
		return;
	}
	e->time_ns = now;
	e->pid = bpf_get_current_pid_tgid();
	e->nr = nr;
	e->calls = calls;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	bpf_ringbuf_submit(e, 0);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state;
	__u64 now;

	if (task->tgid != target_tgid)
		return 0;
	state = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state)
		return 0;
	now = bpf_ktime_get_ns();
	if (state->last_ns)
		count_interval(now - state->last_ns);
	state->last_ns = now;
	state->calls++;
	count_total(id);
	if (event_every && state->calls % event_every == 0)
		send_event(id, now, state->calls);
	return 0;
}

/* Optional: some kernels refuse fentry programs. The application sets the target's name. */
SEC("fentry")
int BPF_PROG(on_sleep, struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->tgid == target_tgid)
		__sync_fetch_and_add(&sleeps, 1);
	return 0;
}
