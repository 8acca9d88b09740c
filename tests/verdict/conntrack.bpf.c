/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracked connections: found, made, marked, let go. */
#include "common.h"

struct nf_conn {
	unsigned int mark;
	unsigned long status;
} __attribute__((preserve_access_index));
struct nf_conn___init {
	int dummy;
};
struct bpf_ct_opts {
	__s32 netns_id;
	__s32 error;
	__u8 l4proto;
	__u8 dir;
	__u16 ct_zone_id;
	__u8 ct_zone_dir;
	__u8 reserved[3];
};

extern struct nf_conn *bpf_skb_ct_lookup(struct __sk_buff *skb, struct bpf_sock_tuple *tuple,
					 __u32 tuple_sz, struct bpf_ct_opts *opts,
					 __u32 opts_sz) __ksym;
extern struct nf_conn *bpf_xdp_ct_lookup(struct xdp_md *xdp, struct bpf_sock_tuple *tuple,
					 __u32 tuple_sz, struct bpf_ct_opts *opts,
					 __u32 opts_sz) __ksym;
extern struct nf_conn___init *bpf_skb_ct_alloc(struct __sk_buff *skb, struct bpf_sock_tuple *tuple,
					       __u32 tuple_sz, struct bpf_ct_opts *opts,
					       __u32 opts_sz) __ksym;
extern struct nf_conn *bpf_ct_insert_entry(struct nf_conn___init *nfct) __ksym;
extern void bpf_ct_set_timeout(struct nf_conn___init *nfct, __u32 timeout) __ksym;
extern int bpf_ct_change_timeout(struct nf_conn *nfct, __u32 timeout) __ksym;
extern void bpf_ct_release(struct nf_conn *nfct) __ksym;

#define LOOKUP(name, f, ctx)                                                                       \
	struct bpf_sock_tuple tuple_##name = {};                                                   \
	struct bpf_ct_opts opts_##name = {.netns_id = -1, .l4proto = 6};                           \
	struct nf_conn *name = f(ctx, &tuple_##name, sizeof(tuple_##name.ipv4), &opts_##name,      \
				 sizeof(opts_##name));                                             \
	if (!name)                                                                                 \
	return 0

SEC("tc") int ok_mark(struct __sk_buff *skb)
{
	LOOKUP(ct, bpf_skb_ct_lookup, skb);
	ct->mark = 5;
	bpf_ct_release(ct);
	return 0;
}

SEC("xdp") int ok_mark_xdp(struct xdp_md *xdp)
{
	LOOKUP(ct, bpf_xdp_ct_lookup, xdp);
	ct->mark = 5;
	bpf_ct_release(ct);
	return 0;
}

SEC("tc") int ok_read(struct __sk_buff *skb)
{
	LOOKUP(ct, bpf_skb_ct_lookup, skb);
	int r = ct->mark + ct->status;

	bpf_ct_release(ct);
	return r;
}

SEC("tc") int no_write_status(struct __sk_buff *skb)
{
	LOOKUP(ct, bpf_skb_ct_lookup, skb);
	ct->status = 5;
	bpf_ct_release(ct);
	return 0;
}

SEC("tc") int no_write_wide(struct __sk_buff *skb)
{
	LOOKUP(ct, bpf_skb_ct_lookup, skb);
	*(volatile __u64 *)((void *)ct + bpf_core_field_offset(struct nf_conn, mark)) = 5;
	bpf_ct_release(ct);
	return 0;
}

SEC("tc") int no_mark_kept(struct __sk_buff *skb)
{
	LOOKUP(ct, bpf_skb_ct_lookup, skb);
	ct->mark = 5;
	return 0;
}

SEC("tc") int no_mark_after_release(struct __sk_buff *skb)
{
	LOOKUP(ct, bpf_skb_ct_lookup, skb);
	bpf_ct_release(ct);
	ct->mark = 5;
	return 0;
}

SEC("tc") int no_write_task(struct __sk_buff *skb)
{
	struct task_struct *t = bpf_get_current_task_btf();

	*(volatile int *)t = 1;
	return 0;
}

SEC("tc") int ok_make(struct __sk_buff *skb)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_ct_opts opts = {.netns_id = -1, .l4proto = 6};
	struct nf_conn___init *n =
		bpf_skb_ct_alloc(skb, &tuple, sizeof(tuple.ipv4), &opts, sizeof(opts));
	struct nf_conn *ct;

	if (!n)
		return 0;
	bpf_ct_set_timeout(n, 1000);
	ct = bpf_ct_insert_entry(n);
	if (!ct)
		return 0;
	bpf_ct_change_timeout(ct, 2000);
	bpf_ct_release(ct);
	return 0;
}

SEC("tc") int no_make_kept(struct __sk_buff *skb)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_ct_opts opts = {.netns_id = -1, .l4proto = 6};
	struct nf_conn___init *n =
		bpf_skb_ct_alloc(skb, &tuple, sizeof(tuple.ipv4), &opts, sizeof(opts));

	if (n)
		bpf_ct_set_timeout(n, 1000);
	return 0;
}

SEC("tc") int no_change_unmade(struct __sk_buff *skb)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_ct_opts opts = {.netns_id = -1, .l4proto = 6};
	struct nf_conn___init *n =
		bpf_skb_ct_alloc(skb, &tuple, sizeof(tuple.ipv4), &opts, sizeof(opts));

	if (!n)
		return 0;
	bpf_ct_change_timeout((void *)n, 1000);
	n = (void *)bpf_ct_insert_entry(n);
	if (n)
		bpf_ct_release((void *)n);
	return 0;
}

SEC("tc") int no_set_made(struct __sk_buff *skb)
{
	LOOKUP(ct, bpf_skb_ct_lookup, skb);
	bpf_ct_set_timeout((void *)ct, 1000);
	bpf_ct_release(ct);
	return 0;
}
