/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers, callbacks that run later, and the other callbacks of helpers. */
#include "common.h"

struct elem {
	long counter;
	struct bpf_timer timer;
};

struct plain {
	long counter;
	long more[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} timers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} others SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct plain);
} plains SEC(".maps");

static int tick(void *map, int *key, struct elem *val)
{
	val->counter++;
	bpf_timer_start(&val->timer, 1000, 0);
	return 0;
}

static int tick_returns_one(void *map, int *key, struct elem *val)
{
	return 1;
}

static int tick_beyond(void *map, int *key, struct elem *val)
{
	return (&val->counter)[3];
}

static int tick_writes_key(void *map, int *key, struct elem *val)
{
	*key = 1;
	return 0;
}

static int tick_looks_up(void *map, int *key, struct elem *val)
{
	struct elem *e = bpf_map_lookup_elem(map, key);

	if (e)
		e->counter = *key;
	return 0;
}

#define TIMER(m)                                                                                   \
	int key = 0;                                                                               \
	struct elem *e = bpf_map_lookup_elem(&m, &key);                                            \
	if (!e)                                                                                    \
		return 0

SEC("tc") int ok_timer(void *ctx)
{
	TIMER(timers);
	bpf_timer_init(&e->timer, &timers, 1);
	bpf_timer_set_callback(&e->timer, tick);
	bpf_timer_start(&e->timer, 0, 0);
	bpf_timer_cancel(&e->timer);
	return 0;
}

SEC("tc") int ok_timer_lru(void *ctx)
{
	TIMER(others);
	bpf_timer_init(&e->timer, &others, 1);
	bpf_timer_set_callback(&e->timer, tick_looks_up);
	return 0;
}

SEC("tc") int no_other_map(void *ctx)
{
	TIMER(timers);
	bpf_timer_init(&e->timer, &others, 1);
	return 0;
}

SEC("tc") int no_timer_off(void *ctx)
{
	TIMER(timers);
	bpf_timer_init((void *)e, &timers, 1);
	return 0;
}

SEC("tc") int no_timer_in_plain(void *ctx)
{
	int key = 0;
	struct plain *e = bpf_map_lookup_elem(&plains, &key);

	if (e)
		bpf_timer_init((void *)e->more, &plains, 1);
	return 0;
}

SEC("tc") int no_timer_on_stack(void *ctx)
{
	struct bpf_timer t = {};

	bpf_timer_start(&t, 0, 0);
	return 0;
}

SEC("tc") int no_timer_null(void *ctx)
{
	int key = 0;
	struct elem *e = bpf_map_lookup_elem(&others, &key);

	bpf_timer_start(&e->timer, 0, 0);
	return 0;
}

SEC("tc") int no_timer_touched(void *ctx)
{
	TIMER(timers);
	return *(volatile int *)&e->timer;
}

SEC("tc") int no_timer_returns_one(void *ctx)
{
	TIMER(timers);
	bpf_timer_set_callback(&e->timer, tick_returns_one);
	return 0;
}

SEC("tc") int no_timer_beyond(void *ctx)
{
	TIMER(timers);
	bpf_timer_set_callback(&e->timer, tick_beyond);
	return 0;
}

SEC("tc") int no_timer_writes_key(void *ctx)
{
	TIMER(timers);
	bpf_timer_set_callback(&e->timer, tick_writes_key);
	return 0;
}

SEC("tc") int ok_timer_twice(void *ctx)
{
	TIMER(timers);
	bpf_timer_set_callback(&e->timer, tick);
	bpf_timer_set_callback(&e->timer, tick_looks_up);
	bpf_timer_set_callback(&e->timer, tick);
	return 0;
}

SEC("kprobe") int no_timer_in_kprobe(void *ctx)
{
	TIMER(timers);
	bpf_timer_cancel(&e->timer);
	return 0;
}

SEC("raw_tp") int no_timer_in_raw_tp(void *ctx)
{
	TIMER(timers);
	bpf_timer_cancel(&e->timer);
	return 0;
}

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));
struct vm_area_struct {
	unsigned long vm_start;
} __attribute__((preserve_access_index));

static unsigned long start;

static long see_vma(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	start = vma->vm_start + task->pid;
	return 0;
}

static long vma_two(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	return 2;
}

static long vma_writes(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	vma->vm_start = 0;
	return 0;
}

SEC("raw_tp") int ok_find_vma(void *ctx)
{
	bpf_find_vma(bpf_get_current_task_btf(), 0, see_vma, NULL, 0);
	return 0;
}

SEC("raw_tp") int no_find_vma_two(void *ctx)
{
	bpf_find_vma(bpf_get_current_task_btf(), 0, vma_two, NULL, 0);
	return 0;
}

SEC("raw_tp") int no_find_vma_writes(void *ctx)
{
	bpf_find_vma(bpf_get_current_task_btf(), 0, vma_writes, NULL, 0);
	return 0;
}

SEC("raw_tp") int no_find_vma_task(void *ctx)
{
	bpf_find_vma((void *)&start, 0, see_vma, NULL, 0);
	return 0;
}
