/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of the small kernel that skep presents where the host has no BTF.
 *
 * Compiled for BPF only to obtain BTF. Names are the kernel's, layouts are ours: programs reach
 * fields through CO-RE relocations. Every type must be used by a function or variable below, or
 * the compiler leaves it out.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
typedef int pid_t;
typedef _Bool bool;

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		cs, flags, sp, ss;
};

typedef struct {
	u32 val;
} kuid_t;
typedef struct {
	u32 val;
} kgid_t;

struct cred {
	kuid_t uid;
	kgid_t gid;
	kuid_t suid;
	kgid_t sgid;
	kuid_t euid;
	kgid_t egid;
	kuid_t fsuid;
	kgid_t fsgid;
};

struct bpf_spin_lock {
	u32 val;
};

struct bpf_timer {
	u64 __opaque[2];
} __attribute__((aligned(8)));

struct bpf_iter_num {
	u64 __opaque[1];
} __attribute__((aligned(8)));

struct bpf_dynptr {
	u64 __opaque[2];
} __attribute__((aligned(8)));

struct mm_struct {
	unsigned long start_code, end_code;
};

struct nsproxy {
	int count;
};

struct kernfs_node {
	struct kernfs_node *__parent;
	const char *name;
	u64 id;
};

struct cgroup;
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup_root;
struct cgroup {
	struct cgroup_subsys_state self;
	int level;
	struct kernfs_node *kn;
	struct cgroup_root *root;
	struct cgroup *ancestors[];
};

struct cgroup_root {
	int hierarchy_id;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	u16 i_mode;
	kuid_t i_uid;
	kgid_t i_gid;
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_nlink;
	u32 i_rdev;
	s64 i_size;
};

struct sock_common {
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
	volatile unsigned char skc_state;
	s64 skc_cookie;
};

struct socket;
struct sock {
	struct sock_common __sk_common;
	u16 sk_type;
	u16 sk_protocol;
	struct socket *sk_socket;
};

struct socket {
	short type;
	struct sock *sk;
};

struct task_struct {
	unsigned int flags;
	int exit_state;
	int exit_code;
	pid_t pid;
	pid_t tgid;
	struct task_struct *real_parent;
	struct task_struct *parent;
	struct task_struct *group_leader;
	u64 start_time;
	u64 start_boottime;
	const struct cred *real_cred;
	const struct cred *cred;
	char comm[16];
	struct nsproxy *nsproxy;
	struct mm_struct *mm;
	struct css_set *cgroups;
};

struct bpf_map {
	u32 map_type;
	u32 key_size;
	u32 value_size;
	u32 max_entries;
	u64 map_extra;
	u32 map_flags;
	u32 id;
};

struct bpf_raw_tracepoint_args {
	u64 args[0];
};

struct __sk_buff {
	u32 len, pkt_type, mark, queue_mapping, protocol, vlan_present, vlan_tci, vlan_proto,
		priority, ingress_ifindex, ifindex, tc_index, cb[5], hash, tc_classid, data,
		data_end, napi_id, family, remote_ip4, local_ip4, remote_ip6[4], local_ip6[4],
		remote_port, local_port, data_meta;
};

struct xdp_md {
	u32 data, data_end, data_meta, ingress_ifindex, rx_queue_index, egress_ifindex;
};

/* Tracepoints: typed programs look for a typedef of a pointer to the probe's prototype. */
typedef void (*btf_trace_sys_enter)(void *, struct pt_regs *, long);
typedef void (*btf_trace_sys_exit)(void *, struct pt_regs *, long);

static int use(const void *p)
{
	return p != 0;
}

#define USE(type, name)                                                                            \
	int name(type *p)                                                                          \
	{                                                                                          \
		return use(p);                                                                     \
	}

USE(struct task_struct, skep_use_task)
USE(struct mm_struct, skep_use_mm)
USE(struct nsproxy, skep_use_nsproxy)
USE(struct cred, skep_use_cred)
USE(struct css_set, skep_use_css_set)
USE(struct cgroup, skep_use_cgroup)
USE(struct cgroup_root, skep_use_cgroup_root)
USE(struct inode, skep_use_inode)
USE(struct socket, skep_use_socket)
USE(struct bpf_map, skep_use_map)
USE(struct __sk_buff, skep_use_skb)
USE(struct xdp_md, skep_use_xdp)
USE(struct bpf_spin_lock, skep_use_lock)
USE(struct bpf_timer, skep_use_timer)
USE(struct bpf_dynptr, skep_use_dynptr)
USE(struct bpf_raw_tracepoint_args, skep_use_raw)
USE(btf_trace_sys_enter, skep_use_sys_enter)
USE(btf_trace_sys_exit, skep_use_sys_exit)

/*
 * kfuncs: programs are resolved against these prototypes. A test's kernel has none of the first
 * group and gets them from the module (kern/module_btf.c).
 */
#ifndef SKEP_OLD_KERNEL
int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end)
{
	return use(it) + start + end;
}
int *bpf_iter_num_next(struct bpf_iter_num *it)
{
	return (int *)it;
}
void bpf_iter_num_destroy(struct bpf_iter_num *it)
{
}
#endif
void bpf_rcu_read_lock(void)
{
}
void bpf_rcu_read_unlock(void)
{
}
void bpf_preempt_disable(void)
{
}
void bpf_preempt_enable(void)
{
}
#ifndef SKEP_OLD_KERNEL
struct task_struct *bpf_task_acquire(struct task_struct *p)
{
	return p;
}
void bpf_task_release(struct task_struct *p)
{
}
struct task_struct *bpf_task_from_pid(s64 pid)
{
	return (struct task_struct *)pid;
}
struct cgroup *bpf_cgroup_acquire(struct cgroup *cgrp)
{
	return cgrp;
}
void bpf_cgroup_release(struct cgroup *cgrp)
{
}
struct cgroup *bpf_cgroup_ancestor(struct cgroup *cgrp, int level)
{
	return cgrp->ancestors[level];
}
struct cgroup *bpf_cgroup_from_id(u64 cgid)
{
	return (struct cgroup *)cgid;
}
long bpf_task_under_cgroup(struct task_struct *task, struct cgroup *ancestor)
{
	return use(task) + use(ancestor);
}
struct cgroup *bpf_task_get_cgroup1(struct task_struct *task, int hierarchy_id)
{
	return (struct cgroup *)task + hierarchy_id;
}
#endif
void *bpf_cast_to_kern_ctx(void *obj)
{
	return obj;
}
void *bpf_rdonly_cast(const void *obj__ign, u32 btf_id__k)
{
	return (void *)obj__ign;
}

#include "builtin_syscalls.h"
