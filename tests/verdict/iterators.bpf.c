/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterators: order, leaks, regions, nesting, functions and callbacks; programs that iterate. */
#include "common.h"

struct sock_common {
	int skc_family;
} __attribute__((preserve_access_index));
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
} __attribute__((preserve_access_index));
struct cgroup {
	struct cgroup_subsys_state self;
	int level;
} __attribute__((preserve_access_index));
struct file {
	unsigned int f_flags;
} __attribute__((preserve_access_index));
struct vm_area_struct {
	unsigned long vm_start;
	struct file *vm_file;
	struct mm_struct *vm_mm;
} __attribute__((preserve_access_index));
struct kmem_cache {
	unsigned int size;
} __attribute__((preserve_access_index));
struct task_struct {
	int pid;
	struct task_struct *real_parent;
} __attribute__((preserve_access_index));
struct bpf_map {
	__u32 id;
} __attribute__((preserve_access_index));
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
} __attribute__((preserve_access_index));
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};
struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
};
struct bpf_iter__cgroup {
	struct bpf_iter_meta *meta;
	struct cgroup *cgroup;
};
struct bpf_iter__udp {
	struct bpf_iter_meta *meta;
	void *udp_sk;
	__u32 uid;
	int bucket;
};
struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
	__u32 uid;
};
#define ITER(name, n)                                                                              \
	struct bpf_iter_##name {                                                                   \
		__u64 opaque[n];                                                                   \
	} __attribute__((aligned(8)))
ITER(num, 1);
ITER(task, 3);
ITER(css, 3);
ITER(task_vma, 1);
ITER(kmem_cache, 1);
ITER(bits, 2);

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;
extern int bpf_iter_task_new(struct bpf_iter_task *it, struct task_struct *task,
			     unsigned int flags) __ksym;
extern struct task_struct *bpf_iter_task_next(struct bpf_iter_task *it) __ksym;
extern void bpf_iter_task_destroy(struct bpf_iter_task *it) __ksym;
extern int bpf_iter_css_new(struct bpf_iter_css *it, struct cgroup_subsys_state *start,
			    unsigned int flags) __ksym;
extern struct cgroup_subsys_state *bpf_iter_css_next(struct bpf_iter_css *it) __ksym;
extern void bpf_iter_css_destroy(struct bpf_iter_css *it) __ksym;
extern int bpf_iter_task_vma_new(struct bpf_iter_task_vma *it, struct task_struct *task,
				 __u64 addr) __ksym;
extern struct vm_area_struct *bpf_iter_task_vma_next(struct bpf_iter_task_vma *it) __ksym;
extern void bpf_iter_task_vma_destroy(struct bpf_iter_task_vma *it) __ksym;
extern int bpf_iter_kmem_cache_new(struct bpf_iter_kmem_cache *it) __ksym;
extern struct kmem_cache *bpf_iter_kmem_cache_next(struct bpf_iter_kmem_cache *it) __ksym;
extern void bpf_iter_kmem_cache_destroy(struct bpf_iter_kmem_cache *it) __ksym;
extern int bpf_iter_bits_new(struct bpf_iter_bits *it, const __u64 *p, __u32 n) __ksym;
extern int *bpf_iter_bits_next(struct bpf_iter_bits *it) __ksym;
extern void bpf_iter_bits_destroy(struct bpf_iter_bits *it) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern struct cgroup *bpf_cgroup_from_id(__u64 id) __ksym;
extern struct cgroup *bpf_cgroup_acquire(struct cgroup *c) __ksym;
extern void bpf_cgroup_release(struct cgroup *c) __ksym;
extern struct kmem_cache *bpf_get_kmem_cache(__u64 addr) __ksym;

long result;
#define SYS(name) SEC("syscall") int name(void *ctx)
#define TC(name) SEC("tc") int name(struct __sk_buff *skb)
#define NUM(it) struct bpf_iter_num it; bpf_iter_num_new(&it, 0, 10)
#define END(it) bpf_iter_num_destroy(&it)

TC(ok_num) { NUM(i); int *p; while ((p = bpf_iter_num_next(&i))) result += *p; END(i); return 0; }
TC(no_num_kept) { NUM(i); return 0; }
TC(no_num_new_twice) { NUM(i); bpf_iter_num_new(&i, 0, 1); END(i); return 0; }
TC(ok_num_again) { NUM(i); END(i); bpf_iter_num_new(&i, 0, 1); END(i); return 0; }
TC(no_num_next_after) { NUM(i); END(i); bpf_iter_num_next(&i); return 0; }
TC(no_num_destroy_twice) { NUM(i); END(i); END(i); return 0; }
TC(no_num_next_unset) { struct bpf_iter_num i; bpf_iter_num_next(&i); return 0; }
TC(ok_num_value_after_next) { NUM(i); int *p = bpf_iter_num_next(&i); bpf_iter_num_next(&i); if (p) result = *p; END(i); return 0; }
TC(no_num_value_after_destroy) { NUM(i); int *p = bpf_iter_num_next(&i); END(i); if (p) result = *p; return 0; }
TC(no_num_value_write) { NUM(i); int *p = bpf_iter_num_next(&i); if (p) *(volatile int *)p = 1; END(i); return 0; }
TC(no_num_value_past) { NUM(i); int *p = bpf_iter_num_next(&i); if (p) result = ((volatile int *)p)[1]; END(i); return 0; }
TC(no_num_value_unchecked) { NUM(i); result = *(volatile int *)bpf_iter_num_next(&i); END(i); return 0; }
TC(no_num_read) { NUM(i); result = *(volatile long *)&i; END(i); return 0; }
TC(no_num_write) { NUM(i); *(volatile long *)&i = 0; END(i); return 0; }
TC(no_num_copied) { NUM(i); struct bpf_iter_num j = *(volatile struct bpf_iter_num *)&i; END(j); return 0; }
TC(no_num_helper_over) { NUM(i); bpf_get_current_comm(&i, 8); END(i); return 0; }
TC(no_num_helper_reads) { NUM(i); result = bpf_csum_diff((void *)&i, 8, NULL, 0, 0); END(i); return 0; }
TC(no_num_as_bits) { NUM(i); bpf_iter_bits_next((void *)&i); END(i); return 0; }
TC(no_num_destroyed_as_bits) { NUM(i); bpf_iter_bits_destroy((void *)&i); return 0; }
TC(no_num_offset) { struct bpf_iter_num i[2]; bpf_iter_num_new(&i[0], 0, 1); bpf_iter_num_destroy(&i[1]); return 0; }
TC(no_num_tail) { char s[16] __attribute__((aligned(8))); bpf_iter_num_new((void *)(s + 4), 0, 1); bpf_iter_num_destroy((void *)(s + 4)); return 0; }
TC(no_num_of_map) { bpf_iter_num_new((void *)&result, 0, 1); bpf_iter_num_destroy((void *)&result); return 0; }
TC(ok_num_nested) { NUM(i); while (bpf_iter_num_next(&i)) { NUM(j); while (bpf_iter_num_next(&j)) result++; END(j); } END(i); return 0; }
TC(no_num_nested_kept) { NUM(i); while (bpf_iter_num_next(&i)) { struct bpf_iter_num j; bpf_iter_num_new(&j, 0, 1); bpf_iter_num_next(&j); } END(i); return 0; }
TC(ok_num_nested_order) { NUM(i); NUM(j); END(i); bpf_iter_num_next(&j); END(j); return 0; }
TC(no_num_in_loop_destroy) { NUM(i); while (bpf_iter_num_next(&i)) END(i); return 0; }
TC(no_num_one_path) { NUM(i); if (bpf_iter_num_next(&i)) END(i); return 0; }
static NOINLINE int step(struct bpf_iter_num *i) { int *p = bpf_iter_num_next(i); return p ? *p : -1; }
static NOINLINE void begin(struct bpf_iter_num *i) { bpf_iter_num_new(i, 0, 5); }
static NOINLINE void end(struct bpf_iter_num *i) { bpf_iter_num_destroy(i); }
TC(ok_num_functions) { struct bpf_iter_num i; begin(&i); while (step(&i) >= 0) result++; end(&i); return 0; }
TC(no_num_functions_kept) { struct bpf_iter_num i; begin(&i); step(&i); return 0; }
TC(no_num_functions_end) { struct bpf_iter_num i; begin(&i); end(&i); step(&i); return 0; }
static NOINLINE int leaves(void) { NUM(i); return bpf_iter_num_next(&i) != NULL; }
TC(no_num_left_by_function) { return leaves(); }
static int step_cb(__u32 n, struct bpf_iter_num *i) { bpf_iter_num_next(i); return 0; }
static int end_cb(__u32 n, struct bpf_iter_num *i) { END(*i); return 1; }
static int whole_cb(__u32 n, void *x) { NUM(i); while (bpf_iter_num_next(&i)) result++; END(i); return 0; }
static int left_cb(__u32 n, void *x) { NUM(i); bpf_iter_num_next(&i); return 0; }
static int again_cb(__u32 n, struct bpf_iter_num *i) { END(*i); bpf_iter_num_new(i, 0, 3); return 0; }
TC(ok_num_cb_step) { NUM(i); bpf_loop(5, step_cb, &i, 0); END(i); return 0; }
TC(no_num_cb_end) { NUM(i); bpf_loop(5, end_cb, &i, 0); return 0; }
TC(ok_num_cb_whole) { bpf_loop(5, whole_cb, NULL, 0); return 0; }
TC(no_num_cb_left) { bpf_loop(5, left_cb, NULL, 0); return 0; }
TC(ok_num_cb_again) { NUM(i); bpf_loop(5, again_cb, &i, 0); END(i); return 0; }
NOINLINE int global_step(struct bpf_iter_num *i) { return i ? bpf_iter_num_next(i) != NULL : 0; }
TC(no_num_global) { NUM(i); global_step(&i); END(i); return 0; }
TC(ok_bits) { struct bpf_iter_bits i; __u64 x = 5; bpf_iter_bits_new(&i, &x, 1); while (bpf_iter_bits_next(&i)) result++; bpf_iter_bits_destroy(&i); return 0; }
TC(ok_bits_null) { struct bpf_iter_bits i; bpf_iter_bits_new(&i, NULL, 1); bpf_iter_bits_destroy(&i); return 0; }
TC(ok_bits_number) { struct bpf_iter_bits i; bpf_iter_bits_new(&i, (void *)8, -1); bpf_iter_bits_destroy(&i); return 0; }
TC(no_bits_half) { struct bpf_iter_bits i; bpf_iter_bits_new(&i, NULL, 1); bpf_iter_num_destroy((void *)&i + 8); return 0; }

/* Tasks, groups, mappings. */
#define TASKS(it, t) struct bpf_iter_task it; bpf_iter_task_new(&it, t, 1)
SYS(no_task_no_rcu) { TASKS(i, NULL); bpf_iter_task_destroy(&i); return 0; }
SYS(ok_task_rcu) { struct task_struct *t; bpf_rcu_read_lock(); TASKS(i, NULL); while ((t = bpf_iter_task_next(&i))) result += t->pid; bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_task_rcu_left_between) { bpf_rcu_read_lock(); TASKS(i, NULL); bpf_rcu_read_unlock(); bpf_rcu_read_lock(); bpf_iter_task_next(&i); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_task_destroyed_outside) { bpf_rcu_read_lock(); TASKS(i, NULL); bpf_rcu_read_unlock(); bpf_iter_task_destroy(&i); return 0; }
SYS(no_task_next_outside) { bpf_rcu_read_lock(); TASKS(i, NULL); bpf_rcu_read_unlock(); bpf_iter_task_next(&i); bpf_iter_task_destroy(&i); return 0; }
SYS(no_task_used_outside) { struct task_struct *t; bpf_rcu_read_lock(); TASKS(i, NULL); t = bpf_iter_task_next(&i); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); if (t) bpf_task_acquire(t); return 0; }
SYS(ok_task_used_after_destroy) { struct task_struct *t; bpf_rcu_read_lock(); TASKS(i, NULL); t = bpf_iter_task_next(&i); bpf_iter_task_destroy(&i); if (t) t = bpf_task_acquire(t); bpf_rcu_read_unlock(); if (t) bpf_task_release(t); return 0; }
SYS(ok_task_used_after_next) { struct task_struct *t; bpf_rcu_read_lock(); TASKS(i, NULL); t = bpf_iter_task_next(&i); bpf_iter_task_next(&i); if (t) t = bpf_task_acquire(t); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); if (t) bpf_task_release(t); return 0; }
SYS(no_task_release) { struct task_struct *t; bpf_rcu_read_lock(); TASKS(i, NULL); t = bpf_iter_task_next(&i); if (t) bpf_task_release(t); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_task_unchecked) { bpf_rcu_read_lock(); TASKS(i, NULL); bpf_task_acquire(bpf_iter_task_next(&i)); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_task_of_parent) { struct task_struct *t = bpf_get_current_task_btf(); bpf_rcu_read_lock(); TASKS(i, t->real_parent); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(ok_task_of_current) { struct task_struct *t = bpf_get_current_task_btf(); bpf_rcu_read_lock(); TASKS(i, t); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_task_of_released) { struct task_struct *t = bpf_task_from_pid(1); if (!t) return 0; bpf_task_release(t); bpf_rcu_read_lock(); TASKS(i, t); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_task_sleeps) { char b[8]; bpf_rcu_read_lock(); TASKS(i, NULL); while (bpf_iter_task_next(&i)) bpf_copy_from_user(b, 8, NULL); bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_task_unlock_in_loop) { bpf_rcu_read_lock(); TASKS(i, NULL); while (bpf_iter_task_next(&i)) { bpf_rcu_read_unlock(); bpf_rcu_read_lock(); } bpf_iter_task_destroy(&i); bpf_rcu_read_unlock(); return 0; }
TC(ok_task_tc) { TASKS(i, NULL); bpf_iter_task_next(&i); bpf_iter_task_destroy(&i); return 0; }
SYS(ok_css) { struct cgroup *c = bpf_cgroup_from_id(1); struct cgroup_subsys_state *s; struct bpf_iter_css i; if (!c) return 0; bpf_rcu_read_lock(); bpf_iter_css_new(&i, &c->self, 1); while ((s = bpf_iter_css_next(&i))) result++; bpf_iter_css_destroy(&i); bpf_rcu_read_unlock(); bpf_cgroup_release(c); return 0; }
SYS(ok_css_cgroup_acquired) { struct cgroup *c = bpf_cgroup_from_id(1), *d = NULL; struct cgroup_subsys_state *s; struct bpf_iter_css i; if (!c) return 0; bpf_rcu_read_lock(); bpf_iter_css_new(&i, &c->self, 1); s = bpf_iter_css_next(&i); if (s) d = bpf_cgroup_acquire(s->cgroup); bpf_iter_css_destroy(&i); bpf_rcu_read_unlock(); if (d) bpf_cgroup_release(d); bpf_cgroup_release(c); return 0; }
SYS(no_css_of_parent) { struct cgroup *c = bpf_cgroup_from_id(1); struct bpf_iter_css i; if (!c) return 0; bpf_rcu_read_lock(); bpf_iter_css_new(&i, c->self.parent, 1); bpf_iter_css_destroy(&i); bpf_rcu_read_unlock(); bpf_cgroup_release(c); return 0; }
SYS(ok_css_released_between) { struct cgroup *c = bpf_cgroup_from_id(1); struct bpf_iter_css i; if (!c) return 0; bpf_rcu_read_lock(); bpf_iter_css_new(&i, &c->self, 1); bpf_cgroup_release(c); bpf_iter_css_next(&i); bpf_iter_css_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(ok_vma) { struct bpf_iter_task_vma i; struct vm_area_struct *v; bpf_iter_task_vma_new(&i, bpf_get_current_task_btf(), 0); while ((v = bpf_iter_task_vma_next(&i))) result += v->vm_start; bpf_iter_task_vma_destroy(&i); return 0; }
SYS(no_vma_null) { struct bpf_iter_task_vma i; bpf_iter_task_vma_new(&i, NULL, 0); bpf_iter_task_vma_destroy(&i); return 0; }
SYS(ok_vma_read_after) { struct bpf_iter_task_vma i; struct vm_area_struct *v; bpf_iter_task_vma_new(&i, bpf_get_current_task_btf(), 0); v = bpf_iter_task_vma_next(&i); bpf_iter_task_vma_destroy(&i); if (v) result = v->vm_start; return 0; }
SYS(ok_vma_file) { struct bpf_iter_task_vma i; struct vm_area_struct *v; bpf_iter_task_vma_new(&i, bpf_get_current_task_btf(), 0); v = bpf_iter_task_vma_next(&i); if (v && v->vm_file) result = v->vm_file->f_flags; bpf_iter_task_vma_destroy(&i); return 0; }
SYS(ok_vma_file_unchecked) { struct bpf_iter_task_vma i; struct vm_area_struct *v; bpf_iter_task_vma_new(&i, bpf_get_current_task_btf(), 0); v = bpf_iter_task_vma_next(&i); if (v) result = v->vm_file->f_flags; bpf_iter_task_vma_destroy(&i); return 0; }
SYS(no_vma_two) { struct bpf_iter_task_vma i; struct bpf_iter_task j; bpf_iter_task_vma_new(&i, bpf_get_current_task_btf(), 0); bpf_iter_task_new(&j, NULL, 0); bpf_iter_task_destroy(&j); bpf_iter_task_vma_destroy(&i); return 0; }
SYS(ok_slab) { struct bpf_iter_kmem_cache i; struct kmem_cache *k; bpf_iter_kmem_cache_new(&i); while ((k = bpf_iter_kmem_cache_next(&i))) result += k->size; bpf_iter_kmem_cache_destroy(&i); return 0; }
TC(no_slab_tc) { struct bpf_iter_kmem_cache i; bpf_iter_kmem_cache_new(&i); bpf_iter_kmem_cache_destroy(&i); return 0; }
SYS(no_slab_rcu) { struct bpf_iter_kmem_cache i; bpf_rcu_read_lock(); bpf_iter_kmem_cache_new(&i); bpf_iter_kmem_cache_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_slab_rcu_destroy) { struct bpf_iter_kmem_cache i; bpf_iter_kmem_cache_new(&i); bpf_rcu_read_lock(); bpf_iter_kmem_cache_destroy(&i); bpf_rcu_read_unlock(); return 0; }
SYS(no_slab_preempt) { struct bpf_iter_kmem_cache i; bpf_iter_kmem_cache_new(&i); bpf_preempt_disable(); bpf_iter_kmem_cache_next(&i); bpf_preempt_enable(); bpf_iter_kmem_cache_destroy(&i); return 0; }
TC(ok_slab_get) { struct kmem_cache *k = bpf_get_kmem_cache(5); return k ? k->size & 1 : 0; }
TC(ok_slab_get_unchecked) { return bpf_get_kmem_cache(5)->size & 1; }

/* Programs that iterate. */
SEC("iter/task") int ok_p_task(struct bpf_iter__task *ctx) { struct task_struct *t = ctx->task; if (t) bpf_seq_write(ctx->meta->seq, &result, 8); return 0; }
SEC("iter/task") int no_p_task_unchecked(struct bpf_iter__task *ctx) { return ctx->task->pid & 1; }
SEC("iter/task") int no_p_task_two(struct bpf_iter__task *ctx) { return 2; }
SEC("iter/task") int ok_p_task_one(struct bpf_iter__task *ctx) { return 1; }
SEC("iter/task") int no_p_task_negative(struct bpf_iter__task *ctx) { return -1; }
SEC("iter/task") int ok_p_task_acquire(struct bpf_iter__task *ctx) { struct task_struct *t = ctx->task; if (t && (t = bpf_task_acquire(t))) bpf_task_release(t); return 0; }
SEC("iter/task") int no_p_task_past(struct bpf_iter__task *ctx) { return ((volatile long *)ctx)[2] & 1; }
SEC("iter/task") int no_p_task_narrow(struct bpf_iter__task *ctx) { return ((volatile int *)ctx)[2] & 1; }
SEC("iter/task") int no_p_task_write(struct bpf_iter__task *ctx) { ((volatile long *)ctx)[1] = 0; return 0; }
SEC("iter/task") int no_p_seq_of_stack(struct bpf_iter__task *ctx) { long s[4] = {}; return bpf_seq_write((void *)s, &result, 8) & 1; }
SEC("iter/task") int no_p_seq_task(struct bpf_iter__task *ctx) { struct task_struct *t = ctx->task; if (t) bpf_seq_write((void *)t, &result, 8); return 0; }
SEC("iter/task") int no_p_seq_length(struct bpf_iter__task *ctx) { long x = 0; bpf_seq_write(ctx->meta->seq, &x, 9); return 0; }
SEC("iter/task") int ok_p_seq_none(struct bpf_iter__task *ctx) { long x = 0; bpf_seq_write(ctx->meta->seq, &x, 0); return 0; }
SEC("iter/task") int ok_p_seq_printf(struct bpf_iter__task *ctx) { static const char f[] = "%d\n"; __u64 a[] = {1}; bpf_seq_printf(ctx->meta->seq, f, sizeof(f), a, 8); return 0; }
SEC("iter/task") int ok_p_seq_printf_args(struct bpf_iter__task *ctx) { static const char f[] = "%d %d\n"; __u64 a[] = {1}; bpf_seq_printf(ctx->meta->seq, f, sizeof(f), a, 8); return 0; }
SEC("iter/task") int ok_p_meta(struct bpf_iter__task *ctx) { return ctx->meta->seq_num & 1; }
SEC("iter/task") int ok_p_seq_write_task_mem(struct bpf_iter__task *ctx) { struct task_struct *t = ctx->task; if (t) bpf_seq_write(ctx->meta->seq, &t->real_parent, 8); return 0; }
SEC("iter.s/task") int ok_p_sleep(struct bpf_iter__task *ctx) { char b[8]; bpf_copy_from_user(b, 8, NULL); return 0; }
SEC("iter.s/task") int ok_p_sleep_of_task(struct bpf_iter__task *ctx) { char b[8]; struct task_struct *t = ctx->task; if (t) bpf_copy_from_user_task(b, 8, NULL, t, 0); return 0; }
SEC("iter.s/task") int no_p_sleep_of_task_unchecked(struct bpf_iter__task *ctx) { char b[8]; bpf_copy_from_user_task(b, 8, NULL, ctx->task, 0); return 0; }
SEC("iter.s/task") int no_p_sleep_of_parent(struct bpf_iter__task *ctx) { char b[8]; struct task_struct *t = ctx->task; if (t) bpf_copy_from_user_task(b, 8, NULL, t->real_parent, 0); return 0; }
SEC("iter/task") int no_p_sleep(struct bpf_iter__task *ctx) { char b[8]; bpf_copy_from_user(b, 8, NULL); return 0; }
SEC("iter/task_file") int ok_p_file(struct bpf_iter__task_file *ctx) { struct file *f = ctx->file; return f ? f->f_flags & 1 : 0; }
SEC("iter/task_file") int no_p_file_unchecked(struct bpf_iter__task_file *ctx) { return ctx->file->f_flags & 1; }
SEC("iter/task_file") int ok_p_file_fd(struct bpf_iter__task_file *ctx) { return ctx->fd & 1; }
SEC("iter/bpf_map") int ok_p_map(struct bpf_iter__bpf_map *ctx) { struct bpf_map *m = ctx->map; return m ? m->id & 1 : 0; }
SEC("iter/bpf_map") int no_p_map_unchecked(struct bpf_iter__bpf_map *ctx) { return ctx->map->id & 1; }
SEC("iter/bpf_map") int no_p_map_lookup(struct bpf_iter__bpf_map *ctx) { int k = 0; struct bpf_map *m = ctx->map; return m && bpf_map_lookup_elem(m, &k); }
SEC("iter/cgroup") int ok_p_cgroup(struct bpf_iter__cgroup *ctx) { struct cgroup *c = ctx->cgroup; return c ? c->level & 1 : 0; }
SEC("iter/cgroup") int no_p_cgroup_unchecked(struct bpf_iter__cgroup *ctx) { return ctx->cgroup->level & 1; }
SEC("iter/cgroup") int ok_p_cgroup_acquire(struct bpf_iter__cgroup *ctx) { struct cgroup *c = ctx->cgroup; if (c && (c = bpf_cgroup_acquire(c))) bpf_cgroup_release(c); return 0; }
SEC("iter/udp") int ok_p_udp(struct bpf_iter__udp *ctx) { return ctx->udp_sk ? ctx->uid & 1 : 0; }
SEC("iter/udp") int no_p_udp_bucket(struct bpf_iter__udp *ctx) { return ctx->bucket & 1; }
SEC("iter/udp") int no_p_udp_past(struct bpf_iter__udp *ctx) { return ((volatile long *)ctx)[6] & 1; }
SEC("iter/tcp") int ok_p_tcp(struct bpf_iter__tcp *ctx) { struct sock_common *s = ctx->sk_common; return s && bpf_skc_to_tcp_sock(s); }
SEC("iter/tcp") int no_p_tcp_unchecked(struct bpf_iter__tcp *ctx) { return bpf_skc_to_tcp_sock(ctx->sk_common) != NULL; }
