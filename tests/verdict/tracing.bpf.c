/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of tracepoints and walks from them: unions, bits, arrays, pointers of CPUs and users, casts. */
#include "common.h"

struct list_head {
	struct list_head *next, *prev;
};
struct nameidata;
struct vm_area_struct {
	unsigned long vm_start;
	struct mm_struct *vm_mm;
} __attribute__((preserve_access_index));
struct mm_struct {
	unsigned long start_code;
	struct task_struct *owner;
	struct file *exe_file;
} __attribute__((preserve_access_index));
struct inode {
	unsigned long i_ino;
	unsigned int i_flags;
} __attribute__((preserve_access_index));
struct qstr {
	const unsigned char *name;
} __attribute__((preserve_access_index));
struct dentry {
	struct qstr d_name;
	struct inode *d_inode;
	struct dentry *d_parent;
} __attribute__((preserve_access_index));
struct path {
	struct dentry *dentry;
} __attribute__((preserve_access_index));
struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_flags;
} __attribute__((preserve_access_index));
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} __attribute__((preserve_access_index));
struct files_struct {
	struct fdtable *fdt;
	struct file *fd_array[64];
} __attribute__((preserve_access_index));
struct signal_struct {
	int nr_threads;
	struct task_struct *group_exec_task;
} __attribute__((preserve_access_index));
struct sched_info {
	unsigned long pcount;
} __attribute__((preserve_access_index));
struct cred {
	int dummy;
} __attribute__((preserve_access_index));
struct task_struct {
	unsigned int __state;
	void *stack;
	int pid;
	char comm[16];
	struct task_struct *real_parent;
	struct task_struct *last_wakee;
	struct task_struct *group_leader;
	struct list_head tasks;
	struct list_head children;
	struct mm_struct *mm;
	struct mm_struct *active_mm;
	struct files_struct *files;
	struct signal_struct *signal;
	struct sched_info sched_info;
	int *set_child_tid;
	const struct cred *cred;
	unsigned sched_reset_on_fork : 1;
	unsigned in_iowait : 1;
} __attribute__((preserve_access_index));
struct sk_buff {
	struct sk_buff *next;
	struct sk_buff *prev;
	unsigned int len;
	unsigned char *data;
	char cb[48];
	struct sock *sk;
} __attribute__((preserve_access_index));
struct sock {
	int sk_rcvbuf;
} __attribute__((preserve_access_index));
struct linux_binprm {
	struct file *file;
	struct mm_struct *mm;
} __attribute__((preserve_access_index));
struct rq {
	unsigned int nr_running;
	struct task_struct *curr;
} __attribute__((preserve_access_index));

extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

struct elem {
	struct task_struct KPTR_UNTRUSTED *seen;
	struct task_struct KPTR *kept;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} numbers SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, int);
	__type(value, int);
} events SEC(".maps");

long result;
char bytes[16];
#define TASK(name, body)                                                                           \
	SEC("tp_btf/task_newtask") int name(__u64 *ctx)                                            \
	{                                                                                          \
		struct task_struct *t = (void *)ctx[0];                                            \
		body;                                                                              \
		return 0;                                                                          \
	}
#define TP(tp, name) SEC("tp_btf/" #tp) int name(__u64 *ctx)
#define RAW(name) SEC("raw_tp") int name(__u64 *ctx)
#define ARG(n) (((volatile __u64 *)ctx)[n])

/* Arguments. */
TP(sched_switch, ok_switch) { struct task_struct *p = (void *)ctx[1], *n = (void *)ctx[2]; return (p->pid ^ n->pid) & 1; }
TP(sched_switch, ok_switch_preempt) { return ARG(0) & 1; }
TP(sched_switch, ok_switch_state) { return ARG(3) & 1; }
TP(sched_switch, no_switch_fifth) { return ARG(4) & 1; }
TP(sched_switch, no_switch_odd) { return *(volatile __u64 *)((char *)ctx + 4) & 1; }
TP(sched_switch, no_switch_narrow) { return *(volatile __u32 *)((char *)ctx + 8) & 1; }
TP(sched_switch, ok_switch_int_narrow) { return *(volatile __u32 *)((char *)ctx + 24) & 1; }
TP(sched_switch, ok_switch_bool_byte) { return *(volatile __u8 *)ctx & 1; }
TP(sched_switch, no_switch_write) { ARG(0) = 1; return 0; }
TP(sched_switch, ok_switch_returns) { return bpf_get_prandom_u32(); }
TP(sched_pi_setprio, no_setprio_unchecked) { struct task_struct *t = (void *)ctx[1]; return t->pid & 1; }
TP(sched_pi_setprio, ok_setprio) { struct task_struct *t = (void *)ctx[1]; return t ? t->pid & 1 : 0; }
TP(sched_pi_setprio, ok_setprio_first) { struct task_struct *t = (void *)ctx[0]; return t->pid & 1; }
TP(kfree_skb, ok_skb) { struct sk_buff *s = (void *)ctx[0]; return s->len & 1; }
TP(kfree_skb, ok_skb_location) { return ARG(1) & 1; }
TP(kfree_skb, no_skb_location_read) { return *(volatile char *)ctx[1] & 1; }
TP(kfree_skb, ok_skb_rx_sk) { struct sock *s = (void *)ctx[3]; return s ? s->sk_rcvbuf & 1 : 0; }
TP(kfree_skb, no_skb_rx_sk) { struct sock *s = (void *)ctx[3]; return s->sk_rcvbuf & 1; }
TP(sched_process_exec, ok_exec) { struct linux_binprm *b = (void *)ctx[2]; return b->file->f_flags & 1; }
TP(sched_process_exec, ok_exec_pid) { return ARG(1) & 1; }
TP(sys_enter, ok_enter_id) { return ARG(1) & 1; }
TP(sys_enter, ok_enter_regs) { struct pt_regs *r = (void *)ctx[0]; return *(volatile long *)r & 1; }
TP(sys_enter, no_enter_regs_write) { struct pt_regs *r = (void *)ctx[0]; *(volatile long *)r = 1; return 0; }
TP(sys_enter, no_enter_third) { return ARG(2) & 1; }
RAW(ok_raw) { return ARG(0) & 1; }
RAW(ok_raw_last) { return ARG(11) & 1; }
RAW(no_raw_past) { return ARG(12) & 1; }
RAW(no_raw_deref) { return *(volatile long *)ctx[0] & 1; }
RAW(no_raw_narrow_past) { return *(volatile __u32 *)((char *)ctx + 96) & 1; }
RAW(no_raw_write) { ARG(0) = 1; return 0; }
RAW(ok_raw_returns) { return bpf_get_prandom_u32(); }
SEC("raw_tp.w/sys_enter") int no_raw_writable(__u64 *ctx) { return ARG(0) & 1; }
SEC("raw_tp.w/sys_enter") int ok_raw_writable_deref(__u64 *ctx) { return **(volatile long **)ctx & 1; }

/* Walks. */
TASK(ok_walk_comm, result = t->comm[3])
TASK(ok_walk_comm_as_argument, bpf_strncmp(t->comm, 16, "x"))
TASK(ok_walk_comm_last, result = t->comm[15])
TASK(no_walk_comm_random, result = t->comm[bpf_get_prandom_u32() & 15])
TASK(no_walk_comm_write, *(volatile char *)&t->comm[0] = 1)
TASK(no_walk_comm_long, bpf_probe_read_kernel(t->comm, 16, ctx))
TASK(ok_walk_half, result = *(volatile __u16 *)&t->pid)
TASK(no_walk_across, result = *(volatile __u64 *)((char *)&t->pid + 2))
TASK(no_walk_wide, result = *(volatile __u64 *)&t->pid)
TASK(ok_walk_list, result = (long)t->tasks.next)
TASK(ok_walk_list_deep, result = (long)t->tasks.next->next->prev)
TASK(no_walk_list_up, t = bpf_task_acquire((void *)t->children.next - bpf_core_field_offset(struct task_struct, tasks)); if (t) bpf_task_release(t))
TASK(no_walk_list_up_read, struct task_struct *c = (void *)t->children.next - bpf_core_field_offset(struct task_struct, tasks); result = (long)c & 1)
TASK(ok_walk_bits, result = BPF_CORE_READ_BITFIELD_PROBED(t, in_iowait))
TASK(ok_walk_bits_direct, result = BPF_CORE_READ_BITFIELD(t, in_iowait))
TASK(ok_walk_fdt, result = t->files->fdt->max_fds)
TASK(ok_walk_fd, result = (long)t->files->fdt->fd)
TASK(ok_walk_fd_second, result = (long)*(struct file *volatile *)t->files->fdt->fd)
TASK(ok_walk_fd_array, result = t->files->fd_array[2]->f_flags)
TASK(ok_walk_fd_array_last, result = t->files->fd_array[63]->f_flags)
TASK(ok_walk_void, result = *(volatile long *)t->stack)
TASK(ok_walk_user, result = *(volatile int *)t->set_child_tid)
TASK(ok_walk_user_pointer, result = (long)t->set_child_tid)
TASK(ok_walk_cred, result = *(volatile int *)t->cred)
TASK(ok_walk_mm_null, result = t->mm->start_code)
TASK(ok_walk_owner, result = t->mm->owner->pid)
TASK(no_walk_owner_acquire, t = bpf_task_acquire(t->mm->owner); if (t) bpf_task_release(t))
TASK(ok_walk_name, result = (long)t->mm->exe_file->f_path.dentry->d_name.name)
TASK(ok_walk_name_byte, result = *(volatile char *)t->mm->exe_file->f_path.dentry->d_name.name)
TASK(ok_walk_struct, result = t->sched_info.pcount)
TASK(no_walk_past, result = *(volatile long *)((char *)t + 100000))
TASK(no_walk_before, result = *(volatile long *)((char *)t - 8))
TASK(no_walk_past_other, result = *(volatile long *)((char *)t->mm + 8))
TASK(ok_walk_exec_task, result = t->signal->group_exec_task->pid)
TASK(no_walk_exec_task_acquire, t = bpf_task_acquire(t->signal->group_exec_task); if (t) bpf_task_release(t))
TASK(ok_walk_loop, for (int i = 0; i < 5; i++) t = t->real_parent; result = t->pid)
TASK(no_walk_loop_acquire, for (int i = 0; i < 5; i++) t = t->last_wakee; t = bpf_task_acquire(t); if (t) bpf_task_release(t))
TASK(ok_walk_loop_parents, for (int i = 0; i < 5; i++) t = t->real_parent; t = bpf_task_acquire(t); if (t) bpf_task_release(t))
TP(kfree_skb, ok_walk_next) { struct sk_buff *s = (void *)ctx[0]; return s->next->next->len & 1; }
TP(kfree_skb, ok_walk_cb) { struct sk_buff *s = (void *)ctx[0]; return s->cb[47] & 1; }
TP(kfree_skb, ok_walk_cb_wide) { struct sk_buff *s = (void *)ctx[0]; return *(volatile __u64 *)(s->cb + 8) & 1; }
TP(kfree_skb, no_walk_data) { struct sk_buff *s = (void *)ctx[0]; return (long)s->data & 1; }
TP(kfree_skb, ok_walk_data_byte) { struct sk_buff *s = (void *)ctx[0]; return *(volatile char *)s->data & 1; }
TP(kfree_skb, no_walk_next_output) { struct sk_buff *s = (void *)ctx[0]; return bpf_skb_output(s->next, &events, 0, bytes, 8); }

/* Of each CPU. */

/* Casts. */
#define CAST(p, type) ((struct type *)bpf_rdonly_cast(p, bpf_core_type_id_kernel(struct type)))
RAW(ok_cast_arg) { return CAST((void *)ctx[0], task_struct)->pid & 1; }
RAW(ok_cast_walk) { return CAST((void *)ctx[0], task_struct)->mm->owner->pid & 1; }
RAW(no_cast_acquire) { struct task_struct *t = bpf_task_acquire(CAST((void *)ctx[0], task_struct)); if (t) bpf_task_release(t); return 0; }
RAW(no_cast_past) { return *(volatile int *)((char *)CAST((void *)ctx[0], task_struct) + 100000) & 1; }
RAW(no_cast_write) { *(volatile int *)&CAST((void *)ctx[0], task_struct)->pid = 1; return 0; }
RAW(no_cast_memory) { bpf_map_update_elem(&numbers, CAST((void *)ctx[0], task_struct), &result, 0); return 0; }
RAW(ok_cast_void) { return *(volatile char *)bpf_rdonly_cast((void *)ctx[0], 0) & 1; }
RAW(ok_cast_void_far) { return *((volatile char *)bpf_rdonly_cast((void *)ctx[0], 0) + 100000) & 1; }
RAW(ok_cast_void_random) { return *((volatile char *)bpf_rdonly_cast((void *)ctx[0], 0) + bpf_get_prandom_u32()) & 1; }
RAW(no_cast_void_write) { *(volatile char *)bpf_rdonly_cast((void *)ctx[0], 0) = 1; return 0; }
RAW(no_cast_void_key) { return bpf_map_lookup_elem(&numbers, bpf_rdonly_cast((void *)ctx[0], 0)) != NULL; }
RAW(no_cast_random_type) { return (long)bpf_rdonly_cast((void *)ctx[0], bpf_get_prandom_u32()) & 1; }
RAW(no_cast_huge_type) { return (long)bpf_rdonly_cast((void *)ctx[0], 0x7ffffff) & 1; }
TASK(ok_cast_stack_read, long x = 5; result = CAST(&x, task_struct)->pid)
TASK(ok_cast_of_task, result = CAST(t, mm_struct)->start_code)
TASK(no_cast_then_storage, t = CAST(t, task_struct); bpf_get_task_stack(t, bytes, 16, 0))

/* Comparing, keeping, passing. */
TASK(ok_same, result = t == bpf_get_current_task_btf())
TASK(ok_null, if (t) result = t->pid)
TASK(ok_null_other, if (!t) result = *(volatile int *)t)
TASK(ok_less, result = (unsigned long)t < 100)
TASK(ok_kept_number, __u64 k = 0; __u64 v = (__u64)t; bpf_map_update_elem(&numbers, &k, &v, 0))
TASK(no_kept_number_read, __u64 k = 0; __u64 *v = bpf_map_lookup_elem(&numbers, &k); if (v) result = *(volatile int *)*v)
TASK(ok_kept_key, __u64 k = (__u64)t; bpf_map_delete_elem(&numbers, &k))
TASK(ok_kept_field, int k = 0; struct elem *e = bpf_map_lookup_elem(&elems, &k); if (e) e->seen = t)
TASK(ok_kept_field_walked, int k = 0; struct elem *e = bpf_map_lookup_elem(&elems, &k); if (e) e->seen = t->last_wakee)
TASK(no_kept_field_moved, int k = 0; struct elem *e = bpf_map_lookup_elem(&elems, &k); if (e) e->seen = (void *)t + 8)
TASK(no_kept_field_owned, int k = 0; struct elem *e = bpf_map_lookup_elem(&elems, &k); if (e) *(struct task_struct *volatile *)&e->kept = t)
TASK(no_kept_field_type, int k = 0; struct elem *e = bpf_map_lookup_elem(&elems, &k); if (e) e->seen = (void *)t->mm)
TASK(no_kept_field_back, int k = 0; struct elem *e = bpf_map_lookup_elem(&elems, &k); if (e && (t = e->seen) && (t = bpf_task_acquire(t))) bpf_task_release(t))
TASK(no_kept_field_back_read, int k = 0; struct elem *e = bpf_map_lookup_elem(&elems, &k); if (e) result = e->seen->pid)
TASK(ok_kept_stack, struct task_struct *volatile s = t; result = s->pid)
TASK(no_kept_stack_half, struct task_struct *volatile s = t; *(volatile int *)&s = 1; result = s->pid)
TASK(ok_pass_stack, bpf_get_task_stack(t, bytes, 16, 0))
TASK(ok_pass_stack_walked, bpf_get_task_stack(t->group_leader, bytes, 16, 0))
TASK(no_pass_mm, bpf_get_task_stack((void *)t->mm, bytes, 16, 0))
TASK(ok_pass_probe, bpf_probe_read_kernel(bytes, 16, t))
TASK(no_pass_key, bpf_map_lookup_elem(&numbers, t))
TASK(no_pass_key_field, bpf_map_lookup_elem(&numbers, &t->pid))
TASK(no_pass_value_written, bpf_get_current_comm(t->comm, 16))
TASK(ok_pass_write_trace, bpf_perf_event_output(ctx, &events, 0, t, 8); result = 1)
TASK(no_pass_path, bpf_d_path((void *)&t->mm->exe_file->f_path, bytes, 16))
