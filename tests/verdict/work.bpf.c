/* SPDX-License-Identifier: BSD-2-Clause */
/* Work that a map's element has done later: by a work queue, by a task. */
#include "common.h"

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct bpf_map {
	int id;
};
typedef int (*work_fn)(void *map, int *key, void *value);
typedef int (*task_fn)(struct bpf_map *map, void *key, void *value);
extern int bpf_wq_init(struct bpf_wq *wq, void *map, unsigned int flags) __ksym;
extern int bpf_wq_start(struct bpf_wq *wq, unsigned int flags) __ksym;
extern int bpf_wq_set_callback_impl(struct bpf_wq *wq, work_fn fn, unsigned int flags,
				    void *aux) __ksym;
extern int bpf_task_work_schedule_signal_impl(struct task_struct *task, struct bpf_task_work *tw,
					      void *map, task_fn fn, void *aux) __ksym;
extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *tw,
					      void *map, task_fn fn, void *aux) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

struct elem {
	long a;
	struct bpf_wq work;
};
struct titem {
	long a;
	struct bpf_task_work work;
};
struct plain {
	long a, b, c;
};

#define MAP(name, t)                                                                               \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                  \
		__uint(max_entries, 2);                                                            \
		__type(key, int);                                                                  \
		__type(value, struct t);                                                           \
	} name SEC(".maps")

MAP(array, elem);
MAP(array2, elem);
MAP(titems, titem);
MAP(titems2, titem);
MAP(plains, plain);

long result;
char text[16];

#define ELEM(e, m, t)                                                                              \
	int key_##e = 0;                                                                           \
	struct t *e = bpf_map_lookup_elem(&m, &key_##e);                                           \
	if (!e)                                                                                    \
		return 0

static int callback(void *map, int *key, void *value)
{
	struct elem *e = value;

	e->a += *key;
	return 0;
}

static int sleeps(void *map, int *key, void *value)
{
	bpf_copy_from_user(text, sizeof(text), (void *)8);
	return 0;
}

static int returns_one(void *map, int *key, void *value)
{
	return 1;
}

static int writes_key(void *map, int *key, void *value)
{
	*key = 1;
	return 0;
}

static int beyond(void *map, int *key, void *value)
{
	struct elem *e = value;

	e[1].a = 0;
	return 0;
}

static int looks_up(void *map, int *key, void *value)
{
	return bpf_map_update_elem(map, key, value, 0) ? 0 : 0;
}

SEC("tc") int ok_init(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_init(&e->work, &array, 0);
}

SEC("tc") int ok_all(void *ctx)
{
	ELEM(e, array, elem);
	if (bpf_wq_init(&e->work, &array, 0))
		return 0;
	if (bpf_wq_set_callback_impl(&e->work, callback, 0, NULL))
		return 0;
	return bpf_wq_start(&e->work, 0);
}

SEC("tc") int ok_callback_sleeps(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_set_callback_impl(&e->work, sleeps, 0, NULL);
}

SEC("tc") int no_callback_returns_one(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_set_callback_impl(&e->work, returns_one, 0, NULL);
}

SEC("tc") int no_callback_writes_key(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_set_callback_impl(&e->work, writes_key, 0, NULL);
}

SEC("tc") int no_callback_beyond(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_set_callback_impl(&e->work, beyond, 0, NULL);
}

SEC("tc") int no_callback_updates(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_set_callback_impl(&e->work, looks_up, 0, NULL);
}

SEC("tc") int no_init_other_map(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_init(&e->work, &array2, 0);
}

SEC("tc") int no_init_not_map(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_init(&e->work, ctx, 0);
}

SEC("tc") int no_init_null_map(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_init(&e->work, NULL, 0);
}

SEC("tc") int no_init_value_as_map(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_init(&e->work, e, 0);
}

SEC("tc") int no_init_wrong_place(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_init((void *)&e->a, &array, 0);
}

SEC("tc") int no_init_variable(struct __sk_buff *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_init((void *)e + (ctx->mark & 8), &array, 0);
}

SEC("tc") int no_init_plain(void *ctx)
{
	ELEM(e, plains, plain);
	return bpf_wq_init((void *)&e->b, &plains, 0);
}

SEC("tc") int no_init_stack(void *ctx)
{
	struct bpf_wq wq = {};

	return bpf_wq_init(&wq, &array, 0);
}

SEC("tc") int no_start_unchecked(void *ctx)
{
	int key = 0;
	struct elem *e = bpf_map_lookup_elem(&array, &key);

	return bpf_wq_start((void *)e, 0);
}

SEC("tc") int no_callback_not_function(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_set_callback_impl(&e->work, (void *)e, 0, NULL);
}

SEC("tc") int no_read_work(void *ctx)
{
	ELEM(e, array, elem);
	return *(volatile int *)&e->work;
}

SEC("raw_tp") int no_tracing(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_start(&e->work, 0);
}

SEC("syscall") int ok_syscall(void *ctx)
{
	ELEM(e, array, elem);
	return bpf_wq_set_callback_impl(&e->work, callback, 0, NULL);
}

SEC("tc") int ok_task_work(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_resume_impl(t, &e->work, &titems, (task_fn)callback, NULL);
}

SEC("tc") int ok_task_work_returns_one(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(t, &e->work, &titems, (task_fn)returns_one, NULL);
}

SEC("tc") int ok_task_work_sleeps(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(t, &e->work, &titems, (task_fn)sleeps, NULL);
}

SEC("tc") int no_task_work_beyond(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(t, &e->work, &titems, (task_fn)beyond, NULL);
}

SEC("tc") int no_task_work_other_map(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(t, &e->work, &array, (task_fn)callback, NULL);
}

SEC("tc") int no_task_work_wrong_place(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(t, (void *)&e->a, &titems, (task_fn)callback, NULL);
}

SEC("tc") int no_task_work_no_task(void *ctx)
{
	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl((void *)e, &e->work, &titems, (task_fn)callback, NULL);
}

SEC("tc") int no_task_work_null(void *ctx)
{
	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(NULL, &e->work, &titems, (task_fn)callback, NULL);
}

SEC("raw_tp") int ok_task_work_tracing(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(t, &e->work, &titems, (task_fn)callback, NULL);
}

SEC("tc") int no_task_work_other_of_kind(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();

	ELEM(e, titems, titem);
	return bpf_task_work_schedule_signal_impl(t, &e->work, &titems2, (task_fn)callback, NULL);
}
