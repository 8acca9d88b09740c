// SPDX-License-Identifier: BSD-2-Clause
/*
 * bpf_loop with four callbacks: one that does nothing, one that counts in its context, one that
 * looks a value up in an array, one that stops when the data says so.
 */
#include "trigger.bpf.h"

#define ROUNDS 1000
#define VALUES 1024

const volatile __u32 nr_loops = 0;
const volatile __u32 callback = 0;

/* What the stopping callback reads and stops at: set so that it goes to the end. */
__u64 data[VALUES];
__u64 limit;
__u64 sum;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VALUES);
	__type(key, __u32);
	__type(value, __u64);
} values SEC(".maps");

struct counting {
	__u64 sum, limit;
};

static long empty(__u32 i, void *ctx)
{
	return 0;
}

static long count(__u32 i, struct counting *c)
{
	c->sum += i;
	return 0;
}

static long look_up(__u32 i, struct counting *c)
{
	__u32 key = i % VALUES;
	__u64 *v = bpf_map_lookup_elem(&values, &key);

	if (!v)
		return 1;
	c->sum += *v;
	return 0;
}

static long stop(__u32 i, struct counting *c)
{
	c->sum += data[i % VALUES] ^ i;
	return c->sum > c->limit;
}

struct bpf_iter_num {
	__u64 opaque[1];
} __attribute__((aligned(8)));

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __weak __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __weak __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __weak __ksym;

/* The same as count(), by an open-coded iterator. */
static long iterate(struct counting *c)
{
	struct bpf_iter_num it;
	int *i;

	bpf_iter_num_new(&it, 0, nr_loops);
	while ((i = bpf_iter_num_next(&it)))
		c->sum += *i;
	bpf_iter_num_destroy(&it);
	return nr_loops;
}

static long run(__u32 i, void *unused)
{
	struct counting c = {.limit = limit};
	long n;

	if (callback == 0)
		n = bpf_loop(nr_loops, empty, NULL, 0);
	else if (callback == 1)
		n = bpf_loop(nr_loops, count, &c, 0);
	else if (callback == 2)
		n = bpf_loop(nr_loops, look_up, &c, 0);
	else if (callback == 3)
		n = bpf_loop(nr_loops, stop, &c, 0);
	else
		n = iterate(&c);
	sum += c.sum;
	__sync_add_and_fetch(&hits, n);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(loops, struct pt_regs *regs, long id)
{
	if (triggered(bpf_get_current_task_btf(), id))
		bpf_loop(ROUNDS, run, NULL, 0);
	return 0;
}
