/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that take the place of a function of another. */
#include "common.h"

/* The program to be loaded first, and its function to be replaced. */
#define REPLACES(program, function)                                                                \
	__attribute__((btf_decl_tag("target:" program), btf_decl_tag("func:" function)))

struct pair {
	int a, b;
};

NOINLINE int plain(struct __sk_buff *skb)
{
	volatile int x = 1;

	return x + skb->len;
}

NOINLINE int with_number(struct __sk_buff *skb, int n)
{
	volatile int x = n;

	return x + skb->len;
}

NOINLINE int with_memory(struct __sk_buff *skb, struct pair *p)
{
	volatile int x = 0;

	return p ? x + p->a + skb->len : 0;
}

NOINLINE int with_int_pointer(int *p)
{
	volatile int x = 0;

	return p ? x + *p : 0;
}

NOINLINE int changes(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, 0);
}

static NOINLINE int hidden(struct __sk_buff *skb)
{
	volatile int x = 2;

	return x + skb->len;
}

static NOINLINE int misused(struct __sk_buff *skb)
{
	volatile int x = 2;

	return skb ? x : 0;
}

SEC("tc") int ok_tc(struct __sk_buff *skb)
{
	struct pair p = {1, 2};

	return plain(skb) + with_number(skb, 1) + with_memory(skb, &p) + with_int_pointer(&p.b) +
	       changes(skb) + hidden(skb) + misused((void *)&p);
}

NOINLINE int judge_packet(struct __sk_buff *skb)
{
	volatile int x = 1;

	return x & skb->len;
}

SEC("cgroup_skb/ingress") int ok_cgroup(struct __sk_buff *skb)
{
	return judge_packet(skb) & 1;
}

SEC("cgroup_skb/egress") int ok_cgroup_egress(struct __sk_buff *skb)
{
	return judge_packet(skb) & 1;
}

NOINLINE int look(struct xdp_md *xdp)
{
	volatile int x = 1;

	return x + xdp->rx_queue_index;
}

SEC("xdp") int ok_xdp(struct xdp_md *xdp)
{
	return look(xdp);
}

SEC("syscall") int ok_syscall(void *ctx)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "plain") int ok_plain(struct __sk_buff *skb)
{
	return skb->mark;
}

SEC("freplace") REPLACES("ok_tc", "ok_tc") int ok_main(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, 0);
}

SEC("freplace") REPLACES("ok_tc", "with_number") int ok_number(struct __sk_buff *skb, int n)
{
	return n;
}

/* The size of a result is nobody's business, only its kind. */
SEC("freplace") REPLACES("ok_tc", "plain") long ok_long_result(struct __sk_buff *skb)
{
	return skb->mark;
}

SEC("freplace") REPLACES("ok_tc", "with_memory") int ok_memory(struct __sk_buff *skb, struct pair *p)
{
	return p ? p->b : 0;
}

SEC("freplace") REPLACES("ok_tc", "with_memory") MSG("R2 invalid mem access 'mem_or_null'")
int no_memory_unchecked(struct __sk_buff *skb, struct pair *p)
{
	return p->b;
}

SEC("freplace") REPLACES("ok_tc", "with_int_pointer") MSG("arg0 in no_int_pointer() is not a pointer to context")
int no_int_pointer(int *p)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "with_number") MSG("no_fewer_arguments() has 1 args while with_number() has 2 args")
int no_fewer_arguments(struct __sk_buff *skb)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "with_number") MSG("arg1 in no_wider_number() has size 8 while with_number() has 4")
int no_wider_number(struct __sk_buff *skb, long n)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "with_number") MSG("arg1 in no_pointer_for_number() is PTR while with_number() has INT")
int no_pointer_for_number(struct __sk_buff *skb, struct pair *p)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "plain") MSG("arg0 no_other_context(struct xdp_md *) doesn't match plain(struct __sk_buff *)")
int no_other_context(struct xdp_md *xdp)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "plain") MSG("Return type PTR of no_pointer_result() doesn't match type INT of plain()")
void *no_pointer_result(struct __sk_buff *skb)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "hidden") MSG("hidden() is not a global function")
int no_static(struct __sk_buff *skb)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "misused") MSG("Cannot replace static functions")
int no_misused(struct __sk_buff *skb)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "plain") MSG("Extension program changes packet data, while original does not")
int no_changes_packet(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, 0);
}

SEC("freplace") REPLACES("ok_tc", "changes") int ok_changes_packet(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, 0);
}

SEC("freplace") REPLACES("ok_xdp", "look") int ok_xdp_look(struct xdp_md *xdp)
{
	void *data = (void *)(long)xdp->data, *end = (void *)(long)xdp->data_end;

	return data + 1 > end ? XDP_DROP : *(char *)data;
}

SEC("freplace") REPLACES("ok_xdp", "look") MSG("R2 invalid mem access 'pkt_end'")
int no_xdp_look_at_end(struct xdp_md *xdp)
{
	void *end = (void *)(long)xdp->data_end;

	asm volatile("r2 = %0; r0 = *(u8 *)(r2 + 0)" : : "r"(end) : "r0", "r2");
	return 0;
}

SEC("freplace") REPLACES("ok_xdp", "look") MSG("program of this type cannot use helper bpf_get_socket_uid#47")
int no_xdp_helper_of_tc(struct xdp_md *xdp)
{
	return bpf_get_socket_uid((void *)xdp);
}

SEC("freplace") REPLACES("ok_tc", "plain")
int ok_tc_helper(struct __sk_buff *skb)
{
	return bpf_get_socket_uid(skb);
}

/* What the target may return, its extensions may. */
SEC("freplace") REPLACES("ok_cgroup", "judge_packet") int ok_cgroup_result(struct __sk_buff *skb)
{
	return skb->len & 1;
}

SEC("freplace") REPLACES("ok_cgroup", "judge_packet")
MSG("At program exit the register R0 has smin=2 smax=2 should have been in [0, 1]")
int no_cgroup_result(struct __sk_buff *skb)
{
	return 2;
}

SEC("freplace") REPLACES("ok_cgroup_egress", "judge_packet") int ok_egress_result(struct __sk_buff *skb)
{
	return 2;
}

SEC("freplace") REPLACES("ok_cgroup", "judge_packet") MSG("invalid bpf_context access off=140 size=4")
int no_cgroup_field(struct __sk_buff *skb)
{
	return skb->data_meta & 1;
}

SEC("freplace") REPLACES("ok_plain", "ok_plain") MSG("Cannot recursively attach")
int no_extension_of_extension(struct __sk_buff *skb)
{
	return 0;
}

SEC("freplace") REPLACES("ok_syscall", "ok_syscall") MSG("Cannot replace static functions")
int no_void_context(void *ctx)
{
	return 0;
}

SEC("freplace") REPLACES("ok_tc", "plain") FLAGS(16)
MSG("Only fentry/fexit/fmod_ret, lsm, iter, uprobe, and struct_ops programs can be sleepable")
int no_sleepable(struct __sk_buff *skb)
{
	return 0;
}

char _license[] SEC("license") = "GPL";
