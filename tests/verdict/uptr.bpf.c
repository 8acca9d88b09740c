/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointers to a task's own memory, kept in its storage. */
#include "common.h"

#define UPTR __attribute__((btf_type_tag("uptr")))

struct user_page_data {
	long a;
	int b;
};
struct elem {
	struct user_page_data UPTR *data;
	long c;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct elem);
} storage SEC(".maps");

long result;
struct user_page_data kept; /* or it would only be declared */

#define ELEM(e)                                                                                    \
	struct elem *e = bpf_task_storage_get(&storage, bpf_get_current_task_btf(), NULL, 0);      \
	if (!e)                                                                                    \
	return 0

SEC("tp_btf/sys_enter") int ok_read(void *ctx)
{
	ELEM(e);
	struct user_page_data *d = e->data;

	if (d)
		result = d->a + d->b;
	return 0;
}

SEC("tp_btf/sys_enter") int ok_write(void *ctx)
{
	ELEM(e);
	struct user_page_data *d = e->data;

	if (d)
		d->a = 1;
	return 0;
}

SEC("tp_btf/sys_enter") int no_unchecked(void *ctx)
{
	ELEM(e);
	result = e->data->a;
	return 0;
}

SEC("tp_btf/sys_enter") int no_beyond(void *ctx)
{
	ELEM(e);
	struct user_page_data *d = e->data;

	if (d)
		result = d[1].a;
	return 0;
}

SEC("tp_btf/sys_enter") int no_store(void *ctx)
{
	ELEM(e);
	e->data = NULL;
	return 0;
}

SEC("tp_btf/sys_enter") int no_half(void *ctx)
{
	ELEM(e);
	result = *(volatile int *)&e->data;
	return 0;
}

SEC("tp_btf/sys_enter") int no_xchg(void *ctx)
{
	ELEM(e);
	return bpf_kptr_xchg(&e->data, NULL) != NULL;
}

SEC("tp_btf/sys_enter") int ok_other_member(void *ctx)
{
	ELEM(e);
	e->c++;
	return 0;
}
