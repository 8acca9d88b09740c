/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that are not under the GPL, and what is closed to them. */
#define LICENSE_NAME "Dual BSD/MIT"
#include "common.h"

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;

char bytes[64];

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64[8]);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

struct timed {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct timed);
} timers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

#define CALL(kind, name, ...)                                                                      \
	SEC(kind) int name(void *ctx)                                                              \
	{                                                                                          \
		__u32 key = 0;                                                                     \
		char room[16] = {};                                                                \
                                                                                                   \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}

#define TP "tp/sched/sched_switch"
CALL("tc", ok_lookup, bpf_map_lookup_elem(&hash, &key))
CALL("tc", ok_time, bpf_ktime_get_ns())
CALL("tc", ok_random, bpf_get_prandom_u32())
CALL("tc", ok_cpu, bpf_get_smp_processor_id())
CALL("tc", no_printk, bpf_trace_printk(room, 16))
CALL(TP, no_printk_tp, bpf_trace_printk(room, 16))
CALL(TP, no_probe_read, bpf_probe_read(room, 16, 0))
CALL(TP, no_probe_read_kernel, bpf_probe_read_kernel(room, 16, 0))
CALL(TP, no_probe_read_user, bpf_probe_read_user(room, 16, 0))
CALL(TP, no_probe_read_str, bpf_probe_read_kernel_str(room, 16, 0))
CALL(TP, no_current_task, bpf_get_current_task())
CALL(TP, no_current_task_btf, bpf_get_current_task_btf())
CALL(TP, ok_pid, bpf_get_current_pid_tgid())
CALL(TP, ok_comm, bpf_get_current_comm(room, 16))
CALL(TP, no_output, bpf_perf_event_output(ctx, &events, 0, room, 16))
CALL("tc", no_output_tc, bpf_perf_event_output(ctx, &events, 0, room, 16))
CALL(TP, no_event_read, bpf_perf_event_read(&events, 0))
CALL(TP, no_stackid, bpf_get_stackid(ctx, &stacks, 0))
CALL("perf_event", no_stack, bpf_get_stack(ctx, room, 16, 0))
CALL(TP, ok_ring, bpf_ringbuf_output(&ring, room, 16, 0))
CALL("tc", ok_load, bpf_skb_load_bytes(ctx, 0, room, 16))
CALL("tc", ok_store, bpf_skb_store_bytes(ctx, 0, room, 16, 0))
CALL("tc", ok_redirect, bpf_redirect(1, 0))
CALL("tc", no_snprintf, bpf_snprintf(room, 16, "abc", 0, 0))
CALL("tc", ok_strtol, long r; bpf_strtol(room, 16, 0, &r))
CALL("tc", ok_strncmp, bpf_strncmp(room, 16, "abc"))
CALL("tc", ok_jiffies, bpf_jiffies64())
CALL("tc", ok_boot_time, bpf_ktime_get_boot_ns())
CALL("tc", ok_tai, bpf_ktime_get_tai_ns())
CALL("tc", ok_coarse, bpf_ktime_get_coarse_ns())
CALL("tc", no_fib, bpf_fib_lookup(ctx, (void *)bytes, 64, 0))
CALL("tc", no_mtu, bpf_check_mtu(ctx, 0, &key, 0, 0))
CALL("sockops", ok_setsockopt, bpf_setsockopt(ctx, 6, 1, room, 4))
CALL("sockops", ok_flags_set, bpf_sock_ops_cb_flags_set(ctx, 0))
CALL("sk_lookup", ok_no_socket, bpf_sk_assign(ctx, 0, 0))
CALL("tc", ok_sk_lookup, struct bpf_sock *s = bpf_sk_lookup_tcp(ctx, (void *)room, 12, -1, 0); if (s) bpf_sk_release(s))
CALL("tc", ok_dynptr, struct bpf_dynptr d; bpf_dynptr_from_mem(bytes, 64, 0, &d); bpf_dynptr_read(room, 16, &d, 0, 0))
CALL("tc", no_timer, struct timed *v = bpf_map_lookup_elem(&timers, &key); if (v) bpf_timer_init(&v->timer, &timers, 1))
CALL("tc", no_timer_cancel, struct timed *v = bpf_map_lookup_elem(&timers, &key); if (v) bpf_timer_cancel(&v->timer))
CALL("syscall", ok_sys_bpf, bpf_sys_bpf(0, room, 16))
CALL("syscall", ok_syscall_close, bpf_sys_close(0))
CALL("syscall", ok_copy_from_user, bpf_copy_from_user(room, 16, 0))

static long nothing(__u32 i, void *c)
{
	return 0;
}

static long prints(__u32 i, void *c)
{
	char room[16] = {};

	return bpf_trace_printk(room, 16) & 1;
}

static NOINLINE int prints_deep(void)
{
	char room[16] = {};

	return bpf_trace_printk(room, 16);
}

CALL("tc", ok_loop, bpf_loop(5, nothing, 0, 0))
CALL("tc", no_loop_prints, bpf_loop(5, prints, 0, 0))
CALL("tc", no_prints_deep, prints_deep())

/* Dead code calls nothing. */
SEC("tc") NAKED int ok_printk_dead(void)
{
	asm volatile("r0 = 0; if r0 == 0 goto 1f; r1 = r10; r1 += -8; r2 = 8; call %[print]; 1: r0 = 0; exit;"
		     : : [print] "i"(bpf_trace_printk));
}

SEC("tc") NAKED int no_printk_alive(void)
{
	asm volatile("r0 = 0; if r0 != 0 goto 1f; r1 = r10; r1 += -8; r2 = 8; call %[print]; 1: r0 = 0; exit;"
		     : : [print] "i"(bpf_trace_printk));
}

/* Functions of the kernel, and its structures. */
CALL("tc", no_rcu, bpf_rcu_read_lock(); bpf_rcu_read_unlock())
CALL("tc", no_preempt, bpf_preempt_disable(); bpf_preempt_enable())
CALL("tc", no_task, struct task_struct *t = bpf_task_from_pid(1); if (t) bpf_task_release(t))
CALL("tp_btf/sched_wakeup", ok_tp_btf)
CALL("tp_btf/sched_wakeup", no_tp_btf_pid, struct task_struct *t = *(void **)ctx; bytes[0] = t->pid)
CALL("tp_btf/sched_wakeup", ok_tp_btf_argument, bytes[0] = *(long *)ctx != 0)
CALL("netfilter", ok_netfilter)
CALL("netfilter", no_netfilter_state, bytes[0] = *(volatile char *)*(void **)ctx)
CALL("raw_tp/sched_wakeup", ok_raw_argument, bytes[0] = *(long *)ctx != 0)

SEC("lsm/file_open") MSG("LSM programs must have a GPL compatible license")
int no_lsm(void *ctx)
{
	return 0;
}
