/* SPDX-License-Identifier: BSD-2-Clause */
/* A pointer to what is only declared: these types are refused, and so is what needs them. */
#include "common.h"

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct declared;

struct elem {
	long counter;
	struct task_struct KPTR *task;
	struct declared KPTR_UNTRUSTED *other;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");

static NOINLINE int pid_of(struct task_struct *i)
{
	return i->pid;
}

SEC("tc") int no_xchg(void *ctx)
{
	int key = 0;
	struct elem *e = bpf_map_lookup_elem(&elems, &key);
	struct task_struct *old = e ? bpf_kptr_xchg(&e->task, NULL) : NULL;

	return old ? pid_of(old) : 0;
}

/* Without types, its field is a number. */
SEC("tc") int ok_plain_number(void *ctx)
{
	int key = 0;
	struct elem *e = bpf_map_lookup_elem(&elems, &key);

	if (e)
		*(volatile long *)&e->task = 1;
	return 0;
}
