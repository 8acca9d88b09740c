// SPDX-License-Identifier: BSD-2-Clause
/*
 * Look-ups in task storage over many maps, and in a hash map. Parameters are constant data, known
 * when the object is loaded.
 */
#include "trigger.bpf.h"

#define MAX_MAPS 1000
#define LOOKUPS 10000

/* Newer than some systems' headers. */
#define CGRP_STORAGE 32
static void *(*const cgrp_storage_get)(void *map, void *cgroup, void *value,
				       __u64 flags) = (void *)210;

const volatile __u32 nr_maps = 1;
const volatile __u32 interleave = 0;
const volatile __u32 use_hash = 0;
const volatile __u32 nr_keys = 0;

long important_hits;

struct storage_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, int);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_MAPS);
	__type(key, int);
	__type(value, int);
	__array(values, struct storage_map);
} storages SEC(".maps");

struct cgrp_map {
	__uint(type, CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, int);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_MAPS);
	__type(key, int);
	__type(value, int);
	__array(values, struct cgrp_map);
} cgrp_storages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4194304);
	__type(key, __u32);
	__type(value, __u32);
} hash SEC(".maps");

struct counts {
	struct task_struct *task;
	long hits;
	long important;
};

static __always_inline int look_up(__u32 index, struct counts *c)
{
	int zero = 0;
	void *map;

	if (use_hash) {
		__u32 key = bpf_get_prandom_u32() % (nr_keys ? nr_keys : 1);

		if (!bpf_map_lookup_elem(&hash, &key))
			return -1;
	} else {
		map = bpf_map_lookup_elem(&storages, &index);
		if (!map)
			return -1;
		if (!bpf_task_storage_get(map, c->task, &zero, BPF_LOCAL_STORAGE_GET_F_CREATE))
			return -1;
	}
	c->hits++;
	if (!index)
		c->important++;
	return 0;
}

static long look_up_next(__u32 i, void *data)
{
	__u32 index = i % (nr_maps ? nr_maps : 1);

	if (look_up(index, data))
		return 1;
	if (interleave && index % 3 == 0)
		if (look_up(0, data))
			return 1;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(local_storage, struct pt_regs *regs, long id)
{
	struct counts c = {.task = bpf_get_current_task_btf()};

	if (!triggered(c.task, id))
		return 0;
	bpf_loop(LOOKUPS, look_up_next, &c, 0);
	__sync_add_and_fetch(&hits, c.hits);
	__sync_add_and_fetch(&important_hits, c.important);
	return 0;
}

struct cgrp_counts {
	struct cgroup *cgrp;
	long hits;
	long important;
};

static __always_inline int look_up_cgrp(__u32 index, struct cgrp_counts *c)
{
	int zero = 0;
	void *map = bpf_map_lookup_elem(&cgrp_storages, &index);

	if (!map)
		return -1;
	if (!cgrp_storage_get(map, c->cgrp, &zero, BPF_LOCAL_STORAGE_GET_F_CREATE))
		return -1;
	c->hits++;
	if (!index)
		c->important++;
	return 0;
}

static long look_up_next_cgrp(__u32 i, void *data)
{
	__u32 index = i % (nr_maps ? nr_maps : 1);

	if (look_up_cgrp(index, data))
		return 1;
	if (interleave && index % 3 == 0)
		if (look_up_cgrp(0, data))
			return 1;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(cgrp_storage, struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cgrp_counts c = {.cgrp = task->cgroups->dfl_cgrp};

	if (!triggered(task, id))
		return 0;
	bpf_loop(LOOKUPS, look_up_next_cgrp, &c, 0);
	__sync_add_and_fetch(&hits, c.hits);
	__sync_add_and_fetch(&important_hits, c.important);
	return 0;
}
