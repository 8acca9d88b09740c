// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ways in and out of programs: a system-call hook, tail calls, records of a ring buffer.
 */
#include "trigger.bpf.h"

struct __sk_buff;

#define RECORDS 100

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} chain SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

struct record {
	__u64 number, value;
};

SEC("?tp_btf/sys_enter")
int BPF_PROG(hook, struct pt_regs *regs, long id)
{
	if (triggered(bpf_get_current_task_btf(), id))
		hits++;
	return 0;
}

/* Calls itself until it may not any more. */
SEC("?tc")
int tail_call(struct __sk_buff *skb)
{
	hits++;
	bpf_tail_call(skb, &chain, 0);
	return 0;
}

static long write_record(__u32 i, void *unused)
{
	struct record *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r)
		return 1;
	r->number = i;
	r->value = hits;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	hits++;
	return 0;
}

SEC("?tc")
int ringbuf(struct __sk_buff *skb)
{
	bpf_loop(RECORDS, write_record, NULL, 0);
	return 0;
}
