/* SPDX-License-Identifier: BSD-2-Clause */
/* What sleeps and where it may; helpers of syscall programs; strings; reading of memory; locks that resist. */
#include "common.h"

struct task_struct {
	int pid;
	struct task_struct *real_parent;
	struct task_struct *last_wakee;
	void *stack;
} __attribute__((preserve_access_index));
struct bpf_key {
	bool has_ref;
} __attribute__((preserve_access_index));
struct bpf_res_spin_lock {
	__u32 val;
};

extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;
extern void bpf_local_irq_save(unsigned long *flags) __ksym;
extern void bpf_local_irq_restore(unsigned long *flags) __ksym;
extern int bpf_res_spin_lock(struct bpf_res_spin_lock *lock) __ksym;
extern void bpf_res_spin_unlock(struct bpf_res_spin_lock *lock) __ksym;
extern int bpf_copy_from_user_str(void *dst, __u32 dst__sz, const void *src, __u64 flags) __ksym;
extern int bpf_copy_from_user_task_str(void *dst, __u32 dst__sz, const void *src,
				       struct task_struct *tsk, __u64 flags) __ksym;
extern int bpf_copy_from_user_dynptr(struct bpf_dynptr *d, __u32 off, __u32 size,
				     const void *src) __ksym;
extern int bpf_probe_read_kernel_dynptr(struct bpf_dynptr *d, __u32 off, __u32 size,
					const void *src) __ksym;
extern int bpf_strlen(const char *s) __ksym;
extern int bpf_strcmp(const char *a, const char *b) __ksym;
extern int bpf_strchr(const char *s, char c) __ksym;
extern int bpf_strnlen(const char *s, unsigned long count) __ksym;
extern struct bpf_key *bpf_lookup_user_key(__s32 serial, __u64 flags) __ksym;
extern struct bpf_key *bpf_lookup_system_key(__u64 id) __ksym;
extern void bpf_key_put(struct bpf_key *bkey) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long);
} array SEC(".maps");
struct locked {
	struct bpf_spin_lock lock;
	long a;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct locked);
} locks SEC(".maps");
struct resisting {
	struct bpf_res_spin_lock lock;
	long a;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct resisting);
} res SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, int);
	__type(value, int);
} events SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long[127]);
} traces SEC(".maps");

long result;
char bytes[64];
const char text[] = "text";
char text_w[8] = "text";

#define SYS(name) SEC("syscall") int name(void *ctx)
#define TC(name) SEC("tc") int name(struct __sk_buff *skb)
#define RAW(name) SEC("raw_tp") int name(void *ctx)
#define KP(name) SEC("kprobe") int name(struct pt_regs *ctx)
#define SLEEP bpf_copy_from_user(bytes, 8, NULL)
#define SLEEPK bpf_copy_from_user_str(bytes, 8, NULL, 0)

/* Regions. */
SYS(ok_sleep) { SLEEP; return 0; }
SYS(ok_sleep_kfunc) { SLEEPK; return 0; }
RAW(no_sleep) { SLEEP; return 0; }
RAW(no_sleep_kfunc) { SLEEPK; return 0; }
SYS(no_rcu) { bpf_rcu_read_lock(); SLEEP; bpf_rcu_read_unlock(); return 0; }
SYS(no_rcu_kfunc) { bpf_rcu_read_lock(); SLEEPK; bpf_rcu_read_unlock(); return 0; }
SYS(no_preempt) { bpf_preempt_disable(); SLEEP; bpf_preempt_enable(); return 0; }
SYS(no_preempt_kfunc) { bpf_preempt_disable(); SLEEPK; bpf_preempt_enable(); return 0; }
SYS(ok_preempt_after) { bpf_preempt_disable(); bpf_preempt_enable(); SLEEPK; return 0; }
SYS(no_preempt_nested) { bpf_preempt_disable(); bpf_preempt_disable(); bpf_preempt_enable(); SLEEPK; bpf_preempt_enable(); return 0; }
SYS(no_irq) { unsigned long f; bpf_local_irq_save(&f); SLEEP; bpf_local_irq_restore(&f); return 0; }
SYS(no_irq_kfunc) { unsigned long f; bpf_local_irq_save(&f); SLEEPK; bpf_local_irq_restore(&f); return 0; }
SYS(no_irq_nested) { unsigned long f, g; bpf_local_irq_save(&f); bpf_local_irq_save(&g); bpf_local_irq_restore(&g); SLEEPK; bpf_local_irq_restore(&f); return 0; }
#define RES(r) int key_##r = 0; struct resisting *r = bpf_map_lookup_elem(&res, &key_##r); if (!r) return 0
#define LOCK(r) int key_##r = 0; struct locked *r = bpf_map_lookup_elem(&locks, &key_##r); if (!r) return 0
SYS(no_res) { RES(r); if (bpf_res_spin_lock(&r->lock)) return 0; SLEEP; bpf_res_spin_unlock(&r->lock); return 0; }
SYS(no_res_kfunc) { RES(r); if (bpf_res_spin_lock(&r->lock)) return 0; SLEEPK; bpf_res_spin_unlock(&r->lock); return 0; }
SYS(ok_res_failed) { RES(r); if (bpf_res_spin_lock(&r->lock)) { SLEEPK; return 0; } bpf_res_spin_unlock(&r->lock); return 0; }
SYS(no_lock) { LOCK(l); bpf_spin_lock(&l->lock); SLEEP; bpf_spin_unlock(&l->lock); return 0; }
SYS(no_lock_kfunc) { LOCK(l); bpf_spin_lock(&l->lock); SLEEPK; bpf_spin_unlock(&l->lock); return 0; }
SYS(ok_lock_after) { LOCK(l); bpf_spin_lock(&l->lock); bpf_spin_unlock(&l->lock); SLEEPK; return 0; }
static NOINLINE void sleeps(void) { SLEEPK; }
NOINLINE int global_sleeps(void) { SLEEPK; return 0; }
NOINLINE int global_calls_sleeps(void) { return global_sleeps(); }
NOINLINE int global_maybe(int x) { if (x == 5) SLEEP; return 0; }
NOINLINE int global_quiet(void) { return bpf_get_prandom_u32(); }
NOINLINE int global_dead(void) { if (0) SLEEP; return 0; }
SYS(ok_function) { sleeps(); return 0; }
SYS(no_function_rcu) { bpf_rcu_read_lock(); sleeps(); bpf_rcu_read_unlock(); return 0; }
SYS(ok_global) { return global_sleeps(); }
SYS(no_global_rcu) { bpf_rcu_read_lock(); global_sleeps(); bpf_rcu_read_unlock(); return 0; }
SYS(no_global_deep_rcu) { bpf_rcu_read_lock(); global_calls_sleeps(); bpf_rcu_read_unlock(); return 0; }
SYS(no_global_maybe_rcu) { bpf_rcu_read_lock(); global_maybe(1); bpf_rcu_read_unlock(); return 0; }
SYS(ok_global_quiet_rcu) { bpf_rcu_read_lock(); global_quiet(); bpf_rcu_read_unlock(); return 0; }
SYS(no_global_preempt) { bpf_preempt_disable(); global_sleeps(); bpf_preempt_enable(); return 0; }
SYS(no_global_irq) { unsigned long f; bpf_local_irq_save(&f); global_sleeps(); bpf_local_irq_restore(&f); return 0; }
SYS(ok_global_quiet_irq) { unsigned long f; bpf_local_irq_save(&f); global_quiet(); bpf_local_irq_restore(&f); return 0; }
SYS(no_global_lock) { LOCK(l); bpf_spin_lock(&l->lock); global_quiet(); bpf_spin_unlock(&l->lock); return 0; }
SYS(no_global_res) { RES(r); if (bpf_res_spin_lock(&r->lock)) return 0; global_quiet(); bpf_res_spin_unlock(&r->lock); return 0; }
RAW(no_global_raw) { return global_sleeps(); }
RAW(ok_global_quiet_raw) { return global_quiet(); }
RAW(ok_global_dead_raw) { return global_dead(); }
static int sleep_cb(__u32 i, void *x) { SLEEPK; return 0; }
static int lock_rcu_cb(__u32 i, void *x) { bpf_rcu_read_lock(); return 0; }
static int rcu_cb(__u32 i, void *x) { bpf_rcu_read_lock(); bpf_rcu_read_unlock(); return 0; }
static int unlock_rcu_cb(__u32 i, void *x) { bpf_rcu_read_unlock(); SLEEPK; bpf_rcu_read_lock(); return 0; }
static int preempt_cb(__u32 i, void *x) { bpf_preempt_disable(); return 0; }
SYS(ok_cb) { bpf_loop(5, sleep_cb, NULL, 0); return 0; }
SYS(no_cb_rcu) { bpf_rcu_read_lock(); bpf_loop(5, sleep_cb, NULL, 0); bpf_rcu_read_unlock(); return 0; }
SYS(no_cb_preempt) { bpf_preempt_disable(); bpf_loop(5, sleep_cb, NULL, 0); bpf_preempt_enable(); return 0; }
SYS(no_cb_locks_rcu) { bpf_loop(1, lock_rcu_cb, NULL, 0); bpf_rcu_read_unlock(); return 0; }
SYS(ok_cb_own_rcu) { bpf_loop(5, rcu_cb, NULL, 0); return 0; }
SYS(ok_cb_unlocks_rcu) { bpf_rcu_read_lock(); bpf_loop(5, unlock_rcu_cb, NULL, 0); bpf_rcu_read_unlock(); return 0; }
SYS(no_cb_preempt_kept) { bpf_loop(5, preempt_cb, NULL, 0); return 0; }
static long each_cb(void *map, int *key, long *v, void *x) { SLEEPK; return 0; }
SYS(ok_cb_each) { return bpf_for_each_map_elem(&array, each_cb, NULL, 0); }
static long vma_cb(struct task_struct *t, void *vma, void *x) { SLEEPK; return 0; }
static long vma_quiet_cb(struct task_struct *t, void *vma, void *x) { return 0; }
SYS(ok_cb_vma_2) { return bpf_find_vma(bpf_get_current_task_btf(), 0, vma_cb, NULL, 0); }
SYS(ok_cb_vma) { return bpf_find_vma(bpf_get_current_task_btf(), 0, vma_quiet_cb, NULL, 0); }

/* Locks that resist, in functions. */
static NOINLINE int res_lock(struct resisting *r) { return bpf_res_spin_lock(&r->lock); }
static NOINLINE void res_unlock(struct resisting *r) { bpf_res_spin_unlock(&r->lock); }
TC(ok_res_function) { RES(r); if (res_lock(r)) return 0; res_unlock(r); return 0; }
TC(no_res_function_kept) { RES(r); if (res_lock(r)) return 0; return 0; }
TC(no_res_function_twice) { RES(r); if (res_lock(r)) return 0; if (!res_lock(r)) res_unlock(r); res_unlock(r); return 0; }
TC(no_res_function_unlock_failed) { RES(r); if (!res_lock(r)) return 0; res_unlock(r); return 0; }
TC(ok_res_nested) { RES(r); RES(s); if (res_lock(r)) return 0; if (!res_lock(s)) res_unlock(s); res_unlock(r); return 0; }
TC(no_res_nested_order) { RES(r); RES(s); if (res_lock(r)) return 0; if (!res_lock(s)) { res_unlock(r); res_unlock(s); return 0; } res_unlock(r); return 0; }
static int res_cb(__u32 i, struct resisting **r) { if (!bpf_res_spin_lock(&(*r)->lock)) bpf_res_spin_unlock(&(*r)->lock); return 0; }
static int res_keep_cb(__u32 i, struct resisting **r) { return bpf_res_spin_lock(&(*r)->lock) != 0; }
TC(ok_res_cb) { RES(r); bpf_loop(5, res_cb, &r, 0); return 0; }
TC(no_res_cb_kept) { RES(r); bpf_loop(5, res_keep_cb, &r, 0); return 0; }
TC(no_res_cb_inside) { RES(r); if (res_lock(r)) return 0; bpf_loop(5, res_cb, &r, 0); res_unlock(r); return 0; }

/* Memory of users and of the kernel. */
SYS(ok_user_task) { return bpf_copy_from_user_task(bytes, 8, NULL, bpf_get_current_task_btf(), 0) & 1; }
SYS(no_user_task_parent) { struct task_struct *t = bpf_get_current_task_btf(); return bpf_copy_from_user_task(bytes, 8, NULL, t->real_parent, 0) & 1; }
SYS(ok_user_long) { return bpf_copy_from_user(bytes, 65, NULL) & 1; }
SYS(ok_user_zero) { return bpf_copy_from_user(bytes, 0, NULL) & 1; }
SYS(ok_user_str_long) { return bpf_copy_from_user_str(bytes, 65, NULL, 0) & 1; }
SYS(ok_user_task_str) { return bpf_copy_from_user_task_str(bytes, 8, NULL, bpf_get_current_task_btf(), 0) & 1; }
SYS(no_user_task_str_null) { return bpf_copy_from_user_task_str(bytes, 8, NULL, NULL, 0) & 1; }
SYS(no_user_task_str_wakee) { struct task_struct *t = bpf_get_current_task_btf(); return bpf_copy_from_user_task_str(bytes, 8, NULL, t->last_wakee, 0) & 1; }
SYS(no_user_str_rodata) { return bpf_copy_from_user_str((void *)text, 4, NULL, 0) & 1; }
SYS(ok_user_dynptr) { struct bpf_dynptr d; bpf_dynptr_from_mem(bytes, 64, 0, &d); return bpf_copy_from_user_dynptr(&d, 0, 8, NULL) & 1; }
RAW(no_user_dynptr) { struct bpf_dynptr d; bpf_dynptr_from_mem(bytes, 64, 0, &d); return bpf_copy_from_user_dynptr(&d, 0, 8, NULL) & 1; }
RAW(ok_kernel_dynptr) { struct bpf_dynptr d; bpf_dynptr_from_mem(bytes, 64, 0, &d); return bpf_probe_read_kernel_dynptr(&d, 0, 8, NULL) & 1; }
RAW(no_kernel_dynptr_unset) { struct bpf_dynptr d; return bpf_probe_read_kernel_dynptr(&d, 0, 8, NULL) & 1; }
RAW(ok_read_str) { long n = bpf_probe_read_kernel_str(bytes, 64, ctx); return n > 0 && n <= 64 ? bytes[n - 1] & 1 : 0; }
RAW(no_read_str_unbounded) { long n = bpf_probe_read_kernel_str(bytes, 64, ctx); return ((volatile char *)bytes)[n] & 1; }
RAW(ok_read_str_past) { long n = bpf_probe_read_kernel_str(bytes, 64, ctx); return n >= 0 ? ((volatile char *)bytes)[n] & 1 : 0; }
RAW(no_read_rodata) { return bpf_probe_read_kernel((void *)text, 4, ctx) & 1; }
RAW(ok_stack) { static long s[16]; long n = bpf_get_stack(ctx, s, sizeof(s), 0); return n > 0 && n <= 120 ? ((volatile char *)s)[n] & 1 : 0; }
RAW(ok_stack_long) { return bpf_get_stack(ctx, bytes, 65, 0) & 1; }
RAW(no_stack_random) { return bpf_get_stack(ctx, bytes, bpf_get_prandom_u32(), 0) & 1; }
RAW(ok_task_stack) { return bpf_get_task_stack(bpf_get_current_task_btf(), bytes, 64, 0) & 1; }
RAW(no_task_stack_wakee_null) { return bpf_get_task_stack(NULL, bytes, 64, 0) & 1; }
RAW(ok_stackid) { return bpf_get_stackid(ctx, &traces, 0) & 1; }
RAW(no_stackid_array) { return bpf_get_stackid(ctx, &array, 0) & 1; }
SYS(no_stackid_syscall) { return bpf_get_stackid(ctx, &traces, 0) & 1; }
RAW(ok_output) { return bpf_perf_event_output(ctx, &events, 0, bytes, 64) & 1; }
RAW(ok_output_long) { return bpf_perf_event_output(ctx, &events, 0, bytes, 65) & 1; }
RAW(no_output_null_ctx) { return bpf_perf_event_output(NULL, &events, 0, bytes, 64) & 1; }
SYS(no_output_syscall) { return bpf_perf_event_output(ctx, &events, 0, bytes, 64) & 1; }
RAW(ok_branches) { return bpf_get_branch_snapshot(bytes, 48, 0) & 1; }
RAW(ok_branches_long) { return bpf_get_branch_snapshot(bytes, 72, 0) & 1; }
KP(no_override) { return bpf_override_return(ctx, 1) & 1; }
RAW(no_override_raw) { return bpf_override_return(ctx, 1) & 1; }
KP(ok_ip) { return bpf_get_func_ip(ctx) & 1; }
KP(ok_cookie) { return bpf_get_attach_cookie(ctx) & 1; }
TC(no_ip) { return bpf_get_func_ip(skb) & 1; }
KP(no_sleep_kprobe) { SLEEP; return 0; }
SEC("uprobe.s") int ok_sleep_uprobe(struct pt_regs *ctx) { SLEEP; return 0; }
SEC("uprobe.s") int ok_sleep_kfunc_uprobe(struct pt_regs *ctx) { SLEEPK; return 0; }
RAW(ok_btf_print) { struct btf_ptr p = {.ptr = bpf_get_current_task_btf(), .type_id = bpf_core_type_id_kernel(struct task_struct)}; return bpf_snprintf_btf(bytes, 64, &p, sizeof(p), 0) & 1; }
RAW(ok_btf_print_long) { struct btf_ptr p = {}; return bpf_snprintf_btf(bytes, 65, &p, sizeof(p), 0) & 1; }
RAW(no_btf_print_ptr_long) { struct btf_ptr p = {}; return bpf_snprintf_btf(bytes, 64, &p, 24, 0) & 1; }
SYS(no_find_rodata_w) { return bpf_btf_find_by_name_kind((void *)8, 5, 4, 0) & 1; }
SYS(ok_find) { return bpf_btf_find_by_name_kind((void *)text, 5, 4, 0) & 1; }
SYS(no_find_long) { return bpf_btf_find_by_name_kind(text_w, 9999, 4, 0) & 1; }
RAW(no_find_raw) { return bpf_btf_find_by_name_kind((void *)text, 5, 4, 0) & 1; }
SYS(ok_symbol) { __u64 a; return bpf_kallsyms_lookup_name(text, 5, 0, &a) ? 0 : a & 1; }
SYS(no_symbol_int) { __u32 a; return bpf_kallsyms_lookup_name(text, 5, 0, (void *)&a) ? 0 : a & 1; }
SYS(no_symbol_null) { return bpf_kallsyms_lookup_name(text, 5, 0, NULL) & 1; }
SYS(no_symbol_rodata) { return bpf_kallsyms_lookup_name(text, 5, 0, (void *)text) & 1; }
SYS(ok_symbol_writable_name) { __u64 a; return bpf_kallsyms_lookup_name(text_w, 8, 0, &a) ? 0 : a & 1; }
SYS(ok_sys_bpf) { union bpf_attr a = {}; return bpf_sys_bpf(BPF_MAP_CREATE, &a, sizeof(a)) & 1; }
SYS(no_sys_bpf_short) { int a = 0; return bpf_sys_bpf(BPF_MAP_CREATE, &a, 8) & 1; }
SYS(no_sys_bpf_rcu) { union bpf_attr a = {}; bpf_rcu_read_lock(); bpf_sys_bpf(BPF_MAP_CREATE, &a, sizeof(a)); bpf_rcu_read_unlock(); return 0; }
SYS(ok_close) { return bpf_sys_close(5) & 1; }
SYS(no_close_rcu) { bpf_rcu_read_lock(); bpf_sys_close(5); bpf_rcu_read_unlock(); return 0; }
SYS(ok_key) { struct bpf_key *k = bpf_lookup_user_key(1, 0); if (k) bpf_key_put(k); return 0; }
SYS(no_key_kept) { return bpf_lookup_user_key(1, 0) != NULL; }
SYS(no_key_unchecked) { bpf_key_put(bpf_lookup_user_key(1, 0)); return 0; }
SYS(ok_key_system) { struct bpf_key *k = bpf_lookup_system_key(1); if (k) bpf_key_put(k); return 0; }
SYS(no_key_rcu) { bpf_rcu_read_lock(); struct bpf_key *k = bpf_lookup_user_key(1, 0); if (k) bpf_key_put(k); bpf_rcu_read_unlock(); return 0; }

/* Strings. */
RAW(ok_len) { return bpf_strlen(text) & 1; }
RAW(ok_len_null) { return bpf_strlen(NULL) & 1; }
RAW(ok_len_number) { return bpf_strlen((void *)0x1234) & 1; }
RAW(ok_len_random) { return bpf_strlen((void *)(long)bpf_get_prandom_u32()) & 1; }
RAW(ok_len_stack) { char s[8] = "a"; return bpf_strlen(s) & 1; }
RAW(ok_len_task) { return bpf_strlen((void *)bpf_get_current_task_btf()) & 1; }
RAW(ok_len_ctx) { return bpf_strlen(ctx) & 1; }
RAW(ok_cmp) { return bpf_strcmp(text, text_w) & 1; }
RAW(ok_chr) { return bpf_strchr(text, 'x') & 1; }
RAW(ok_nlen) { return bpf_strnlen(text, -1) & 1; }
TC(ok_len_packet) { return bpf_strlen((void *)(long)skb->data) & 1; }
