/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets: looked up, cast, read, stored for, held in maps, assigned, let go. */
#include "common.h"

struct sock_common {
	unsigned short skc_family;
	int skc_bound_dev_if;
} __attribute__((preserve_access_index));
struct sock {
	struct sock_common __sk_common;
	int sk_rcvbuf;
	struct sk_buff *sk_send_head;
	struct socket *sk_socket;
} __attribute__((preserve_access_index));
struct socket {
	struct sock *sk;
	struct file *file;
} __attribute__((preserve_access_index));
struct sk_buff {
	struct sock *sk;
	unsigned int len;
} __attribute__((preserve_access_index));
struct request_sock {
	struct sock_common __req_common;
} __attribute__((preserve_access_index));
struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *obj) __ksym;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, long);
} store SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, __u64);
} socks SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} socks_by SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_REUSEPORT_SOCKARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, __u64);
} reuse SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, __u64);
} plain SEC(".maps");

long result;

#define FIND(s, f)                                                                                 \
	struct bpf_sock_tuple t_##s = {};                                                          \
	struct bpf_sock *s = f(skb, &t_##s, sizeof(t_##s.ipv4), BPF_F_CURRENT_NETNS, 0);           \
	if (!s)                                                                                    \
	return 0
#define TC(name) SEC("tc") int name(struct __sk_buff *skb)
#define LOAD(type, base, off) (*(volatile type *)((void *)(base) + (off)))
#define OFF(f) __builtin_offsetof(struct bpf_sock, f)
#define TOFF(f) __builtin_offsetof(struct bpf_tcp_sock, f)

/* Fields of struct bpf_sock. */
TC(no_field_mark) { struct bpf_sock *s = skb->sk; return s ? s->mark & 1 : 0; }
#define FIELD(name, expr)                                                                          \
	TC(name)                                                                                   \
	{                                                                                          \
		FIND(s, bpf_sk_lookup_tcp);                                                        \
		result = expr;                                                                     \
		bpf_sk_release(s);                                                                 \
		return 0;                                                                          \
	}
#define COMMON_FIELD(name, expr)                                                                   \
	TC(name)                                                                                   \
	{                                                                                          \
		struct bpf_sock *s = skb->sk;                                                      \
                                                                                                   \
		if (s)                                                                             \
			result = expr;                                                             \
		return 0;                                                                          \
	}
FIELD(ok_family, s->family)
FIELD(ok_family_byte, LOAD(__u8, s, OFF(family)))
FIELD(no_family_byte_3, LOAD(__u8, s, OFF(family) + 3))
FIELD(no_family_half, LOAD(__u16, s, OFF(family) + 2))
FIELD(no_family_half_odd, LOAD(__u16, s, OFF(family) + 1))
FIELD(no_family_wide, LOAD(__u64, s, OFF(bound_dev_if)))
FIELD(ok_src_ip4_byte, LOAD(__u8, s, OFF(src_ip4) + 1))
FIELD(ok_src_ip4_half, LOAD(__u16, s, OFF(src_ip4) + 2))
FIELD(ok_src_ip6_1, s->src_ip6[1])
FIELD(ok_src_ip6_half, LOAD(__u16, s, OFF(src_ip6) + 6))
FIELD(no_src_ip6_wide, LOAD(__u64, s, OFF(src_ip6)))
FIELD(ok_src_port, s->src_port)
FIELD(ok_src_port_byte, LOAD(__u8, s, OFF(src_port)))
FIELD(ok_dst_port, s->dst_port)
FIELD(ok_dst_port_word, LOAD(__u32, s, OFF(dst_port)))
FIELD(no_dst_port_byte_2, LOAD(__u8, s, OFF(dst_port) + 2))
FIELD(no_dst_port_half_2, LOAD(__u16, s, OFF(dst_port) + 2))
FIELD(ok_dst_port_byte_1, LOAD(__u8, s, OFF(dst_port) + 1))
FIELD(ok_state, s->state)
FIELD(no_state_byte_1, LOAD(__u8, s, OFF(state) + 1))
FIELD(ok_queue, s->rx_queue_mapping)
FIELD(ok_queue_half, LOAD(__u16, s, OFF(rx_queue_mapping)))
FIELD(no_end, LOAD(__u32, s, sizeof(struct bpf_sock)))
FIELD(no_end_byte, LOAD(__u8, s, OFF(rx_queue_mapping) + 4))
FIELD(no_before, LOAD(__u32, s, -4))
FIELD(no_random, LOAD(__u32, s, bpf_get_prandom_u32() & 4))
FIELD(ok_priority, s->priority)
FIELD(ok_type_byte, LOAD(__u8, s, OFF(type)))
COMMON_FIELD(no_common_type, s->type)
COMMON_FIELD(no_common_protocol, s->protocol)
COMMON_FIELD(ok_common_family, s->family)
COMMON_FIELD(ok_common_state, s->state)
COMMON_FIELD(ok_common_port, s->dst_port)
COMMON_FIELD(ok_common_bound, s->bound_dev_if)
COMMON_FIELD(ok_common_src_ip6, s->src_ip6[3])
COMMON_FIELD(ok_common_queue, s->rx_queue_mapping)
TC(no_mark_write)
{
	FIND(s, bpf_sk_lookup_tcp);
	LOAD(__u32, s, OFF(mark)) = 1;
	bpf_sk_release(s);
	return 0;
}
SEC("cgroup/sock_create") int ok_create_write_mark(struct bpf_sock *s)
{
	s->mark = 1;
	return 1;
}
SEC("cgroup/sock_create") int ok_create_write_bound(struct bpf_sock *s)
{
	s->bound_dev_if = 1;
	return 1;
}
SEC("cgroup/sock_create") int no_create_write_family(struct bpf_sock *s)
{
	s->family = 1;
	return 1;
}
SEC("cgroup/sock_create") int no_create_read_ip4(struct bpf_sock *s)
{
	return s->src_ip4 & 1;
}
SEC("cgroup/post_bind4") int ok_bind_read_ip4(struct bpf_sock *s)
{
	return s->src_ip4 & 1;
}
SEC("cgroup/post_bind4") int no_bind_write_mark(struct bpf_sock *s)
{
	s->mark = 1;
	return 1;
}
SEC("cgroup/post_bind4") int no_bind4_read_ip6(struct bpf_sock *s)
{
	return s->src_ip6[0] & 1;
}
SEC("cgroup/post_bind4") int ok_bind_read_port(struct bpf_sock *s)
{
	return s->src_port & 1;
}
SEC("cgroup/sock_create") int no_create_read_port(struct bpf_sock *s)
{
	return s->src_port & 1;
}
SEC("cgroup/sock_release") int ok_release_write_mark(struct bpf_sock *s)
{
	s->mark = 1;
	return 1;
}
SEC("cgroup/sock_create") int ok_create_storage(struct bpf_sock *s)
{
	long *v = bpf_sk_storage_get(&store, s, NULL, BPF_SK_STORAGE_GET_F_CREATE);

	return v != NULL;
}
SEC("cgroup/sock_create") int no_create_release(struct bpf_sock *s)
{
	bpf_sk_release(s);
	return 1;
}

/* Casts. */
TC(ok_full)
{
	FIND(s, bpf_skc_lookup_tcp);
	struct bpf_sock *f = bpf_sk_fullsock(s);

	if (f)
		result = f->mark;
	bpf_sk_release(s);
	return 0;
}
TC(ok_full_released)
{
	FIND(s, bpf_skc_lookup_tcp);
	struct bpf_sock *f = bpf_sk_fullsock(s);

	if (f)
		bpf_sk_release(f);
	else
		bpf_sk_release(s);
	return 0;
}
TC(no_full_released_then_common)
{
	FIND(s, bpf_skc_lookup_tcp);
	struct bpf_sock *f = bpf_sk_fullsock(s);

	if (f)
		bpf_sk_release(f);
	result = s->family;
	bpf_sk_release(s);
	return 0;
}
TC(no_full_null_leaks)
{
	FIND(s, bpf_skc_lookup_tcp);
	struct bpf_sock *f = bpf_sk_fullsock(s);

	if (f)
		bpf_sk_release(f);
	return 0;
}
TC(no_full_unchecked_released)
{
	FIND(s, bpf_skc_lookup_tcp);
	bpf_sk_release(bpf_sk_fullsock(s));
	return 0;
}
TC(no_full_of_full_after)
{
	FIND(s, bpf_sk_lookup_tcp);
	struct bpf_sock *f = bpf_sk_fullsock(s), *g;

	if (!f) {
		bpf_sk_release(s);
		return 0;
	}
	g = bpf_sk_fullsock(f);
	bpf_sk_release(s);
	if (g)
		result = g->mark;
	return 0;
}
TC(ok_full_of_full)
{
	FIND(s, bpf_sk_lookup_tcp);
	struct bpf_sock *f = bpf_sk_fullsock(s), *g;

	if (!f) {
		bpf_sk_release(s);
		return 0;
	}
	g = bpf_sk_fullsock(f);
	if (g)
		bpf_sk_release(g);
	else
		bpf_sk_release(f);
	return 0;
}
TC(ok_tcp)
{
	FIND(s, bpf_sk_lookup_tcp);
	struct bpf_tcp_sock *t = bpf_tcp_sock(s);

	if (t)
		result = t->snd_cwnd + t->bytes_acked;
	bpf_sk_release(s);
	return 0;
}
TC(ok_tcp_release)
{
	FIND(s, bpf_sk_lookup_tcp);
	struct bpf_tcp_sock *t = bpf_tcp_sock(s);

	bpf_sk_release(t ? (void *)t : (void *)s);
	return 0;
}
#define TCP_FIELD(name, expr)                                                                      \
	TC(name)                                                                                   \
	{                                                                                          \
		struct bpf_sock *s = skb->sk;                                                      \
		struct bpf_tcp_sock *t;                                                            \
                                                                                                   \
		if (!s || !(s = bpf_sk_fullsock(s)) || !(t = bpf_tcp_sock(s)))                     \
			return 0;                                                                  \
		result = expr;                                                                     \
		return 0;                                                                          \
	}
TCP_FIELD(ok_tcp_acked, t->bytes_acked)
TCP_FIELD(no_tcp_acked_narrow, LOAD(__u32, t, TOFF(bytes_acked)))
TCP_FIELD(no_tcp_acked_upper, LOAD(__u32, t, TOFF(bytes_acked) + 4))
TCP_FIELD(no_tcp_cwnd_byte, LOAD(__u8, t, TOFF(snd_cwnd)))
TCP_FIELD(no_tcp_cwnd_wide, LOAD(__u64, t, TOFF(snd_cwnd)))
TCP_FIELD(ok_tcp_last, t->icsk_retransmits)
TCP_FIELD(no_tcp_end, LOAD(__u32, t, sizeof(*t)))
TC(ok_listener)
{
	struct bpf_sock *s = skb->sk, *l;

	if (!s || !(s = bpf_sk_fullsock(s)))
		return 0;
	l = bpf_get_listener_sock(s);
	return l ? l->state & 1 : 0;
}
TC(no_listener_unchecked)
{
	struct bpf_sock *s = skb->sk, *l;

	if (!s || !(s = bpf_sk_fullsock(s)))
		return 0;
	l = bpf_get_listener_sock(s);
	return l->state & 1;
}
TC(ok_listener_of_common)
{
	struct bpf_sock *s = skb->sk, *l;

	if (!s)
		return 0;
	l = bpf_get_listener_sock(s);
	return l ? l->state & 1 : 0;
}
TC(ok_listener_after_release)
{
	FIND(s, bpf_sk_lookup_tcp);
	struct bpf_sock *l = bpf_get_listener_sock(s);

	bpf_sk_release(s);
	return l ? l->state & 1 : 0;
}
#define SKC(name, helper)                                                                          \
	TC(name)                                                                                   \
	{                                                                                          \
		FIND(s, bpf_skc_lookup_tcp);                                                       \
		void *c = helper(s);                                                               \
                                                                                                   \
		if (c)                                                                             \
			bpf_sk_release(c);                                                         \
		else                                                                               \
			bpf_sk_release(s);                                                         \
		return 0;                                                                          \
	}
SKC(ok_skc_tcp, bpf_skc_to_tcp_sock)
SKC(ok_skc_tcp6, bpf_skc_to_tcp6_sock)
SKC(ok_skc_timewait, bpf_skc_to_tcp_timewait_sock)
SKC(ok_skc_request, bpf_skc_to_tcp_request_sock)
SKC(ok_skc_udp6, bpf_skc_to_udp6_sock)
SKC(no_skc_unix, bpf_skc_to_unix_sock)
SKC(ok_skc_mptcp, bpf_skc_to_mptcp_sock)
TC(no_skc_both)
{
	FIND(s, bpf_skc_lookup_tcp);
	void *c = bpf_skc_to_tcp_sock(s);

	bpf_sk_release(s);
	if (c)
		bpf_sk_release(c);
	return 0;
}
TC(no_skc_read_after)
{
	FIND(s, bpf_skc_lookup_tcp);
	struct sock *c = (void *)bpf_skc_to_tcp_sock(s);

	bpf_sk_release(s);
	if (c)
		result = c->sk_rcvbuf;
	return 0;
}
TC(ok_skc_read)
{
	FIND(s, bpf_skc_lookup_tcp);
	struct sock *c = (void *)bpf_skc_to_tcp_sock(s);

	if (c)
		result = c->sk_rcvbuf;
	bpf_sk_release(s);
	return 0;
}
TC(no_skc_full)
{
	FIND(s, bpf_skc_lookup_tcp);
	struct bpf_sock *c = (void *)bpf_skc_to_tcp_sock(s), *f;

	if (!c) {
		bpf_sk_release(s);
		return 0;
	}
	f = bpf_sk_fullsock(c);
	if (f)
		result = f->mark;
	bpf_sk_release(c);
	return 0;
}
TC(ok_skc_request_storage)
{
	FIND(s, bpf_skc_lookup_tcp);
	void *c = bpf_skc_to_tcp_request_sock(s);

	if (c)
		bpf_sk_storage_get(&store, c, NULL, 0);
	bpf_sk_release(s);
	return 0;
}
TC(ok_skc_tcp_storage)
{
	FIND(s, bpf_skc_lookup_tcp);
	void *c = bpf_skc_to_tcp_sock(s);

	if (c)
		bpf_sk_storage_get(&store, c, NULL, 0);
	bpf_sk_release(s);
	return 0;
}
TC(no_skc_of_null)
{
	return bpf_skc_to_tcp_sock(skb->sk) != NULL;
}
TC(no_skc_of_skc)
{
	void *c = bpf_skc_to_tcp_sock(skb->sk);

	return bpf_skc_to_tcp6_sock(c) != NULL;
}
TC(no_skc_of_stack)
{
	struct bpf_sock s = {};

	return bpf_skc_to_tcp_sock(&s) != NULL;
}
TC(no_skc_of_walk)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);
	return bpf_skc_to_tcp_sock(k->sk) != NULL;
}
TC(no_walk_release)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);
	struct sock *s = k->sk;

	if (s)
		bpf_sk_release(s);
	return 0;
}
TC(no_walk_storage)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);
	struct sock *s = k->sk;

	if (s)
		bpf_sk_storage_get(&store, s, NULL, 0);
	return 0;
}
TC(no_walk_storage_unchecked)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);

	bpf_sk_storage_get(&store, k->sk, NULL, 0);
	return 0;
}
TC(ok_walk_twice_storage)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);
	struct sock *s = k->sk;

	if (s && s->sk_socket && s->sk_socket->sk)
		bpf_sk_storage_get(&store, s->sk_socket->sk, NULL, 0);
	return 0;
}
TC(no_storage_of_skb)
{
	struct sk_buff *k = bpf_cast_to_kern_ctx(skb);

	bpf_sk_storage_get(&store, k, NULL, 0);
	return 0;
}
TC(no_storage_of_ctx)
{
	bpf_sk_storage_get(&store, skb, NULL, 0);
	return 0;
}
TC(ok_storage_common)
{
	struct bpf_sock *s = skb->sk;

	if (s)
		bpf_sk_storage_get(&store, s, NULL, 0);
	return 0;
}
TC(no_storage_delete_unchecked)
{
	bpf_sk_storage_delete(&store, skb->sk);
	return 0;
}
TC(ok_storage_delete)
{
	struct bpf_sock *s = skb->sk;

	if (s && (s = bpf_sk_fullsock(s)))
		bpf_sk_storage_delete(&store, s);
	return 0;
}
TC(no_storage_after_release)
{
	FIND(s, bpf_sk_lookup_udp);
	bpf_sk_release(s);
	bpf_sk_storage_get(&store, s, NULL, 0);
	return 0;
}
TC(no_storage_lookup)
{
	int key = 0;

	return bpf_map_lookup_elem(&store, &key) != NULL;
}
TC(no_storage_flags_map)
{
	struct bpf_sock *s = skb->sk;

	if (s && (s = bpf_sk_fullsock(s)))
		bpf_sk_storage_get(&plain, s, NULL, 0);
	return 0;
}
SEC("tp_btf/tcp_probe") int ok_storage_traced(__u64 *ctx)
{
	return bpf_sk_storage_get(&store, (void *)ctx[0], NULL, 0) != NULL;
}
SEC("tp_btf/tcp_probe") int no_storage_traced_skb(__u64 *ctx)
{
	return bpf_sk_storage_get(&store, (void *)ctx[1], NULL, 0) != NULL;
}
SEC("tp_btf/tcp_probe") int no_release_traced(__u64 *ctx)
{
	bpf_sk_release((void *)ctx[0]);
	return 0;
}
SEC("tp_btf/tcp_probe") int ok_cast_traced(__u64 *ctx)
{
	struct sock *s = (void *)bpf_skc_to_tcp_sock((void *)ctx[0]);

	return s ? s->sk_rcvbuf & 1 : 0;
}
SEC("tp_btf/tcp_probe") int no_full_traced(__u64 *ctx)
{
	struct bpf_sock *s = bpf_sk_fullsock((void *)ctx[0]);

	return s ? s->mark & 1 : 0;
}
SEC("tp_btf/tcp_probe") int no_update_traced_map(__u64 *ctx)
{
	int key = 0;

	return bpf_map_update_elem(&socks, &key, (void *)ctx[0], 0);
}

/* In maps. */
SEC("sk_skb/stream_verdict") int ok_map_found(struct __sk_buff *skb)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (s)
		bpf_sk_release(s);
	return 1;
}
SEC("sk_skb/stream_verdict") int no_map_found_twice(struct __sk_buff *skb)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (s) {
		bpf_sk_release(s);
		bpf_sk_release(s);
	}
	return 1;
}
SEC("sk_skb/stream_verdict") int no_map_copied(struct __sk_buff *skb)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (!s)
		return 1;
	key = 1;
	bpf_map_update_elem(&socks, &key, s, 0);
	bpf_sk_release(s);
	return 1;
}
SEC("tc") int ok_map_copied_tc(struct __sk_buff *skb)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (!s)
		return 1;
	key = 1;
	bpf_map_update_elem(&socks, &key, s, 0);
	bpf_sk_release(s);
	return 1;
}
SEC("tc") int no_map_copied_kept(struct __sk_buff *skb)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (!s)
		return 1;
	bpf_map_update_elem(&socks, &key, s, 0);
	return 1;
}
SEC("tc") int no_map_update_number(struct __sk_buff *skb)
{
	int key = 0;
	__u64 v = 5;

	bpf_map_update_elem(&socks, &key, &v, 0);
	return 1;
}
SEC("tc") int no_map_update_null(struct __sk_buff *skb)
{
	int key = 0;

	bpf_map_update_elem(&socks, &key, skb->sk, 0);
	return 1;
}
SEC("tc") int ok_map_update_common(struct __sk_buff *skb)
{
	int key = 0;
	struct bpf_sock *s = skb->sk;

	if (s)
		bpf_map_update_elem(&socks, &key, s, 0);
	return 1;
}
SEC("tc") int ok_hash_update_full(struct __sk_buff *skb)
{
	__u64 key = 0;
	struct bpf_sock *s = skb->sk;

	if (s && (s = bpf_sk_fullsock(s)))
		bpf_map_update_elem(&socks_by, &key, s, 0);
	return 1;
}
SEC("tc") int no_plain_update_sock(struct __sk_buff *skb)
{
	int key = 0;
	struct bpf_sock *s = skb->sk;

	if (s && (s = bpf_sk_fullsock(s)))
		bpf_map_update_elem(&plain, &key, s, 0);
	return 1;
}
SEC("tc") int ok_map_delete(struct __sk_buff *skb)
{
	int key = 0;

	return bpf_map_delete_elem(&socks, &key);
}
SEC("xdp") int ok_map_found_xdp(void *ctx)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (s)
		bpf_sk_release(s);
	return 1;
}
SEC("xdp") int ok_map_update_xdp(void *ctx)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (!s)
		return 1;
	bpf_map_update_elem(&socks, &key, s, 0);
	bpf_sk_release(s);
	return 1;
}
SEC("cgroup_skb/egress") int ok_map_found_cgroup(void *ctx)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (s)
		bpf_sk_release(s);
	return 1;
}
SEC("raw_tp") int no_map_found_traced(void *ctx)
{
	int key = 0;

	return bpf_map_lookup_elem(&socks, &key) != NULL;
}
SEC("sk_reuseport") int no_reuse_found(struct sk_reuseport_md *md)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&reuse, &key);

	return s ? s->state & 1 : 0;
}
SEC("sk_reuseport") int no_reuse_found_unchecked(struct sk_reuseport_md *md)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&reuse, &key);

	return s->state & 1;
}
SEC("sk_reuseport/migrate") int no_reuse_released(struct sk_reuseport_md *md)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&reuse, &key);

	if (s)
		bpf_sk_release(s);
	return 0;
}
SEC("sk_reuseport") int ok_reuse_sk(struct sk_reuseport_md *md)
{
	struct bpf_sock *s = md->sk;

	return s->state & 1;
}
SEC("sk_reuseport/migrate") int no_reuse_migrating_unchecked(struct sk_reuseport_md *md)
{
	struct bpf_sock *s = md->migrating_sk;

	return s->state & 1;
}
SEC("sk_reuseport/migrate") int ok_reuse_migrating(struct sk_reuseport_md *md)
{
	struct bpf_sock *s = md->migrating_sk;

	return s ? s->state & 1 : 0;
}

/* Assigned. */
TC(no_assign_null)
{
	return bpf_sk_assign(skb, NULL, 0);
}
TC(ok_assign_common)
{
	struct bpf_sock *s = skb->sk;

	return s ? bpf_sk_assign(skb, s, 0) : 0;
}
TC(no_assign_maybe)
{
	return bpf_sk_assign(skb, skb->sk, 0);
}
SEC("sk_lookup") int ok_lookup_assign_null(struct bpf_sk_lookup *ctx)
{
	bpf_sk_assign(ctx, NULL, 0);
	return 1;
}
SEC("sk_lookup") int ok_lookup_assign_own(struct bpf_sk_lookup *ctx)
{
	bpf_sk_assign(ctx, ctx->sk, 0);
	return 1;
}
SEC("sk_lookup") int no_lookup_assign_map(struct bpf_sk_lookup *ctx)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	bpf_sk_assign(ctx, s, 0);
	if (s)
		bpf_sk_release(s);
	return 1;
}
SEC("sk_lookup") int no_lookup_assign_map_kept(struct bpf_sk_lookup *ctx)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	bpf_sk_assign(ctx, s, 0);
	return 1;
}
SEC("sk_lookup") int no_lookup_assign_released(struct bpf_sk_lookup *ctx)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (s) {
		bpf_sk_release(s);
		bpf_sk_assign(ctx, s, 0);
	}
	return 1;
}
SEC("sk_lookup") int no_lookup_sk_write(struct bpf_sk_lookup *ctx)
{
	*(volatile __u64 *)&ctx->cookie = 0;
	return 1;
}
SEC("sk_lookup") int no_lookup_cookie(struct bpf_sk_lookup *ctx)
{
	return ctx->cookie & 1;
}
SEC("sk_lookup") int no_lookup_sk_unchecked(struct bpf_sk_lookup *ctx)
{
	struct bpf_sock *s = ctx->sk;

	return s->family & 1;
}

/* As members of contexts. */
SEC("sockops") int ok_ops_sk(struct bpf_sock_ops *ctx)
{
	struct bpf_sock *s = ctx->sk;

	return s ? s->mark & 1 : 0;
}
SEC("sockops") int no_ops_sk_unchecked(struct bpf_sock_ops *ctx)
{
	return ctx->sk->mark & 1;
}
SEC("sockops") int no_ops_sk_narrow(struct bpf_sock_ops *ctx)
{
	return *(volatile __u32 *)&ctx->sk;
}
SEC("sockops") int no_ops_sk_write(struct bpf_sock_ops *ctx)
{
	*(volatile __u64 *)&ctx->sk = 0;
	return 1;
}
SEC("sockops") int ok_ops_update(struct bpf_sock_ops *ctx)
{
	int key = 0;

	bpf_sock_map_update(ctx, &socks, &key, 0);
	return 1;
}
SEC("sockops") int no_ops_update_elem(struct bpf_sock_ops *ctx)
{
	int key = 0;
	struct bpf_sock *s = ctx->sk;

	if (s)
		bpf_map_update_elem(&socks, &key, s, 0);
	return 1;
}
SEC("sockops") int no_ops_found(struct bpf_sock_ops *ctx)
{
	int key = 0;
	struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key);

	if (s)
		bpf_sk_release(s);
	return 1;
}
SEC("sockops") int ok_ops_storage(struct bpf_sock_ops *ctx)
{
	struct bpf_sock *s = ctx->sk;

	return s && bpf_sk_storage_get(&store, s, NULL, 1);
}
SEC("sk_msg") int ok_msg_sk(struct sk_msg_md *ctx)
{
	struct bpf_sock *s = ctx->sk;

	return s->mark & 1;
}
SEC("cgroup/getsockopt") int ok_opt_sk(struct bpf_sockopt *ctx)
{
	struct bpf_sock *s = ctx->sk;

	return s->mark & 1;
}
SEC("cgroup/getsockopt") int ok_opt_tcp(struct bpf_sockopt *ctx)
{
	struct bpf_tcp_sock *t = bpf_tcp_sock(ctx->sk);

	return t ? t->snd_cwnd & 1 : 0;
}
SEC("cgroup/connect4") int ok_addr_sk(struct bpf_sock_addr *ctx)
{
	struct bpf_sock *s = ctx->sk;

	return s->mark & 1;
}
SEC("cgroup/connect4") int no_addr_found_leak(struct bpf_sock_addr *ctx)
{
	struct bpf_sock_tuple t = {};
	struct bpf_sock *s = bpf_sk_lookup_tcp(ctx, &t, sizeof(t.ipv4), BPF_F_CURRENT_NETNS, 0);

	return s != NULL;
}
SEC("cgroup/connect4") int ok_addr_found(struct bpf_sock_addr *ctx)
{
	struct bpf_sock_tuple t = {};
	struct bpf_sock *s = bpf_sk_lookup_tcp(ctx, &t, sizeof(t.ipv4), BPF_F_CURRENT_NETNS, 0);

	if (s)
		bpf_sk_release(s);
	return 1;
}
SEC("cgroup_skb/egress") int ok_egress_cgroup(struct __sk_buff *skb)
{
	struct bpf_sock *s = skb->sk;

	return s && bpf_sk_cgroup_id(s) == bpf_sk_ancestor_cgroup_id(s, 1);
}
SEC("cgroup_skb/egress") int no_egress_cgroup(struct __sk_buff *skb)
{
	return bpf_sk_cgroup_id(skb->sk) & 1;
}
SEC("lwt_in") int no_lwt_sk(struct __sk_buff *skb)
{
	struct bpf_sock *s = skb->sk;

	return s ? bpf_sk_storage_get(&store, s, NULL, 0) != NULL : 0;
}
TC(no_sk_ecn_null)
{
	return bpf_skb_ecn_set_ce((void *)skb->sk);
}
TC(ok_sk_stored_in_map)
{
	int key = 0;
	long *v = bpf_map_lookup_elem(&plain, &key);
	struct bpf_sock *s = skb->sk;

	if (v && s)
		*(struct bpf_sock *volatile *)v = s;
	return 0;
}
TC(ok_sk_compared)
{
	FIND(s, bpf_sk_lookup_tcp);
	struct bpf_sock *o = skb->sk;

	result = s == o;
	bpf_sk_release(s);
	return 0;
}
