/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of helpers: sizes, flags, NULL, maps of a kind, constant strings, sockets that are
 * owed, locks, and which helpers a type may call at all. 9 leaves.
 */
#include "common.h"

char bytes[64];
char writable_format[8] = "%d";
const char unended[2] SEC(".rodata.unended") = {'%', 'd'};

struct value {
	__u64 a;
	struct bpf_spin_lock lock;
	__u64 b;
};

#define MAP_OF(name, kind, n, k, v)                                                                \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, n);                                                            \
		__type(key, k);                                                                    \
		__type(value, v);                                                                  \
	} name SEC(".maps")
MAP_OF(array, BPF_MAP_TYPE_ARRAY, 4, __u32, __u64);
MAP_OF(hash, BPF_MAP_TYPE_HASH, 4, __u32, __u64);
MAP_OF(percpu, BPF_MAP_TYPE_PERCPU_ARRAY, 4, __u32, __u64);
MAP_OF(percpu_hash, BPF_MAP_TYPE_PERCPU_HASH, 4, __u32, __u64);
MAP_OF(locked, BPF_MAP_TYPE_ARRAY, 4, __u32, struct value);
MAP_OF(locked_hash, BPF_MAP_TYPE_HASH, 4, __u32, struct value);
MAP_OF(events, BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, __u32, __u32);
MAP_OF(stacks, BPF_MAP_TYPE_STACK_TRACE, 4, __u32, __u64[8]);
MAP_OF(cgroups, BPF_MAP_TYPE_CGROUP_ARRAY, 4, __u32, __u32);
MAP_OF(devs, BPF_MAP_TYPE_DEVMAP, 4, __u32, __u32);
MAP_OF(cpus, BPF_MAP_TYPE_CPUMAP, 4, __u32, __u32);
MAP_OF(xsks, BPF_MAP_TYPE_XSKMAP, 4, __u32, __u32);
MAP_OF(socks, BPF_MAP_TYPE_SOCKMAP, 4, __u32, __u64);
MAP_OF(sock_hash, BPF_MAP_TYPE_SOCKHASH, 4, __u32, __u64);
MAP_OF(ports, BPF_MAP_TYPE_REUSEPORT_SOCKARRAY, 4, __u32, __u64);
MAP_OF(progs, BPF_MAP_TYPE_PROG_ARRAY, 4, __u32, __u32);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u32);
	__array(values, struct {
		__uint(type, BPF_MAP_TYPE_ARRAY);
		__uint(max_entries, 4);
		__type(key, __u32);
		__type(value, __u64);
	});
} outer SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} storage SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_STORAGE);
	__type(key, __u64);
	__type(value, __u64);
} local SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__uint(value_size, 8);
} queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 4);
	__uint(value_size, 8);
} bloom SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

#define HIDE(x) asm volatile("" : "+r"(x))

/* ARGS: how to call the helper of that program. */
#define CALL(kind, name, ...)                                                                      \
	SEC(kind) int name(void *ctx)                                                              \
	{                                                                                          \
		__u32 key = bpf_get_prandom_u32(), n = bpf_get_prandom_u32();                      \
		char room[16] = {};                                                                \
		__u64 x = 0;                                                                       \
		void *null = 0;                                                                    \
                                                                                                   \
		HIDE(null);                                                                        \
		asm volatile("" : : "r"(room), "r"(&x), "r"(&key) : "memory");                     \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}

/* Each kind of map has its helpers; maps of devices are not for programs to write. */
CALL("tc", ok_lookup_array, bpf_map_lookup_elem(&array, &key))
CALL("tc", ok_lookup_percpu, bpf_map_lookup_elem(&percpu, &key))
CALL("tc", no_lookup_events, bpf_map_lookup_elem(&events, &key))
CALL("tc", no_lookup_stacks, bpf_map_lookup_elem(&stacks, &key))
CALL("tc", no_lookup_cgroups, bpf_map_lookup_elem(&cgroups, &key))
CALL("tc", no_lookup_progs, bpf_map_lookup_elem(&progs, &key))
CALL("tc", no_lookup_cpus, bpf_map_lookup_elem(&cpus, &key))
CALL("xdp", ok_lookup_devs, bpf_map_lookup_elem(&devs, &key))
CALL("xdp", no_update_devs, bpf_map_update_elem(&devs, &key, &key, 0))
CALL("xdp", ok_lookup_xsks, bpf_map_lookup_elem(&xsks, &key))
CALL("tc", no_lookup_storage, bpf_map_lookup_elem(&storage, &key))
CALL("tc", no_lookup_local, bpf_map_lookup_elem(&local, room))
CALL("tc", no_lookup_queue, bpf_map_lookup_elem(&queue, &key))
CALL("tc", no_lookup_ring, bpf_map_lookup_elem(&ring, &key))
CALL("tc", no_lookup_bloom, bpf_map_lookup_elem(&bloom, &key))
CALL("tc", ok_peek_bloom, bpf_map_peek_elem(&bloom, &x))
CALL("tc", no_pop_bloom, bpf_map_pop_elem(&bloom, &x))
CALL("tc", ok_push_bloom, bpf_map_push_elem(&bloom, &x, 0))
CALL("tc", no_push_array, bpf_map_push_elem(&array, &x, 0))
CALL("tc", no_delete_outer, bpf_map_delete_elem(&outer, &key))
CALL("tc", ok_lookup_outer, void *m = bpf_map_lookup_elem(&outer, &key); if (m) bpf_map_lookup_elem(m, &key))
CALL("tc", no_lookup_outer, void *m = bpf_map_lookup_elem(&outer, &key); bpf_map_lookup_elem(m, &key))
CALL("tc", no_read_outer, __u64 *m = bpf_map_lookup_elem(&outer, &key); if (m) *m = 1)
CALL("tc", no_inner_update_map, void *m = bpf_map_lookup_elem(&outer, &key); if (m) bpf_map_update_elem(&outer, &key, m, 0))
CALL("tc", no_inner_value, __u64 *v; void *m = bpf_map_lookup_elem(&outer, &key); if (m) { v = bpf_map_lookup_elem(m, &key); *v = 1; })
CALL("tc", ok_inner_value, __u64 *v; void *m = bpf_map_lookup_elem(&outer, &key); if (m) { v = bpf_map_lookup_elem(m, &key); if (v) *v = 1; })
CALL("tc", ok_percpu_lookup, bpf_map_lookup_percpu_elem(&percpu, &key, 0))
CALL("tc", ok_percpu_lookup_hash, bpf_map_lookup_percpu_elem(&percpu_hash, &key, 0))
CALL("tc", no_percpu_lookup, bpf_map_lookup_percpu_elem(&array, &key, 0))
CALL("tc", ok_under_cgroup, bpf_skb_under_cgroup(ctx, &cgroups, 0))
CALL("tc", no_under_cgroup, bpf_skb_under_cgroup(ctx, &array, 0))
CALL("tc", ok_output, bpf_perf_event_output(ctx, &events, 0, room, 16))
CALL("tc", no_output_array, bpf_perf_event_output(ctx, &array, 0, room, 16))
CALL("tc", no_output_long, bpf_perf_event_output(ctx, &events, 0, room, 600))
CALL("tc", ok_output_empty, bpf_perf_event_output(ctx, &events, 0, room, 0))
CALL("tc", no_output_null, bpf_perf_event_output(ctx, &events, 0, null, 0))
CALL("perf_event", ok_stackid, bpf_get_stackid(ctx, &stacks, 0))
CALL("perf_event", no_stackid, bpf_get_stackid(ctx, &array, 0))
CALL("perf_event", ok_event_read, bpf_perf_event_read(&events, 0))
CALL("perf_event", no_event_read, bpf_perf_event_read(&array, 0))
CALL("perf_event", ok_event_value, struct bpf_perf_event_value v; bpf_perf_event_read_value(&events, 0, &v, sizeof(v)))
CALL("perf_event", no_event_value, struct bpf_perf_event_value v; bpf_perf_event_read_value(&array, 0, &v, sizeof(v)))
CALL("xdp", ok_redirect_devs, bpf_redirect_map(&devs, 0, 0))
CALL("xdp", ok_redirect_cpus, bpf_redirect_map(&cpus, 0, 0))
CALL("xdp", ok_redirect_xsks, bpf_redirect_map(&xsks, 0, 0))
CALL("xdp", no_redirect_array, bpf_redirect_map(&array, 0, 0))
CALL("sk_msg", ok_msg_redirect, bpf_msg_redirect_map(ctx, &socks, 0, 0))
CALL("sk_msg", no_msg_redirect_hash, bpf_msg_redirect_map(ctx, &sock_hash, 0, 0))
CALL("sk_msg", ok_msg_redirect_hash, bpf_msg_redirect_hash(ctx, &sock_hash, &key, 0))
CALL("sk_msg", no_msg_redirect_map, bpf_msg_redirect_hash(ctx, &socks, &key, 0))
CALL("sk_reuseport", ok_select, bpf_sk_select_reuseport(ctx, &ports, &key, 0))
CALL("sk_reuseport", no_select, bpf_sk_select_reuseport(ctx, &array, &key, 0))
CALL("sk_reuseport", ok_select_socks, bpf_sk_select_reuseport(ctx, &socks, &key, 0))
CALL("sockops", ok_sock_update, bpf_sock_map_update(ctx, &socks, &key, 0))
CALL("sockops", no_sock_update_hash, bpf_sock_map_update(ctx, &sock_hash, &key, 0))
CALL("sockops", ok_sock_hash_update, bpf_sock_hash_update(ctx, &sock_hash, &key, 0))
CALL("cgroup_skb/egress", ok_local, *(__u64 *)bpf_get_local_storage(&local, 0) = 1)
CALL("cgroup_skb/egress", no_local_flags, bpf_get_local_storage(&local, 1))
CALL("cgroup_skb/egress", no_local_array, bpf_get_local_storage(&array, 0))
CALL("cgroup_skb/egress", no_local_past, *(__u64 *)(bpf_get_local_storage(&local, 0) + 4) = 1)
CALL("tc", no_local_type, bpf_get_local_storage(&local, 0))

/* Maps of sockets lend references. */
CALL("tc", no_sock_kept, bpf_map_lookup_elem(&socks, &key))
CALL("tc", ok_sock_released, struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key); if (s) bpf_sk_release(s))
CALL("tc", no_sock_released_unchecked, struct bpf_sock *s = bpf_map_lookup_elem(&socks, &key); bpf_sk_release(s))
CALL("tc", ok_sock_hash_released, struct bpf_sock *s = bpf_map_lookup_elem(&sock_hash, &key); if (s) bpf_sk_release(s))
CALL("xdp", ok_xsk_read, struct bpf_xdp_sock *s = bpf_map_lookup_elem(&xsks, &key); if (s) bytes[0] = s->queue_id)
CALL("xdp", no_xsk_unchecked, struct bpf_xdp_sock *s = bpf_map_lookup_elem(&xsks, &key); bytes[0] = s->queue_id)

/* Sockets that were looked up are owed. */
#define FIND(s) struct bpf_sock_tuple t = {}; struct bpf_sock *s = bpf_sk_lookup_tcp(ctx, &t, sizeof(t.ipv4), -1, 0)
CALL("tc", ok_found, FIND(s); if (s) bpf_sk_release(s))
CALL("tc", no_found_kept, FIND(s))
CALL("tc", no_found_kept_when_there, FIND(s); if (!s) bytes[0] = 1)
CALL("tc", no_found_unchecked, FIND(s); bpf_sk_release(s))
CALL("tc", no_found_twice, FIND(s); if (s) { bpf_sk_release(s); bpf_sk_release(s); })
CALL("tc", no_found_read_after, FIND(s); if (s) { bpf_sk_release(s); bytes[0] = s->family; })
CALL("tc", ok_found_read_before, FIND(s); if (s) { bytes[0] = s->family; bpf_sk_release(s); })
CALL("tc", no_found_one_path, FIND(s); if (s && n > 5) bpf_sk_release(s))
CALL("tc", ok_found_two, FIND(s); struct bpf_sock *r = bpf_sk_lookup_udp(ctx, &t, sizeof(t.ipv4), -1, 0); if (s) bpf_sk_release(s); if (r) bpf_sk_release(r))
CALL("tc", no_found_two, FIND(s); struct bpf_sock *r = bpf_sk_lookup_udp(ctx, &t, sizeof(t.ipv4), -1, 0); if (s) bpf_sk_release(s); if (r) bytes[0] = 1)
CALL("tc", ok_found_full, FIND(s); if (s) { struct bpf_sock *f = bpf_sk_fullsock(s); if (f) bytes[0] = f->type; bpf_sk_release(s); })
CALL("tc", no_found_full_after, FIND(s); if (s) { struct bpf_sock *f = bpf_sk_fullsock(s); bpf_sk_release(s); if (f) bytes[0] = f->type; })
CALL("tc", ok_found_full_released, FIND(s); if (s) { struct bpf_sock *f = bpf_sk_fullsock(s); if (f) bpf_sk_release(f); else bpf_sk_release(s); })
CALL("tc", no_found_full_both, FIND(s); if (s) { struct bpf_sock *f = bpf_sk_fullsock(s); if (f) bpf_sk_release(f); bpf_sk_release(s); })
CALL("tc", no_found_tcp_after, FIND(s); if (s) { struct bpf_tcp_sock *f = bpf_tcp_sock(s); bpf_sk_release(s); if (f) bytes[0] = f->snd_cwnd; })
CALL("tc", ok_found_tcp, FIND(s); if (s) { struct bpf_tcp_sock *f = bpf_tcp_sock(s); if (f) bytes[0] = f->snd_cwnd; bpf_sk_release(s); })
CALL("tc", ok_found_tcp_released, FIND(s); if (s) { void *f = bpf_tcp_sock(s); if (f) bpf_sk_release(f); else bpf_sk_release(s); })
CALL("tc", no_found_listener_released, FIND(s); if (s) { void *f = bpf_get_listener_sock(s); if (f) bpf_sk_release(f); else bpf_sk_release(s); })
CALL("tc", no_found_tuple_short, struct bpf_sock *s = bpf_sk_lookup_tcp(ctx, (void *)&bytes[48], 17, -1, 0); if (s) bpf_sk_release(s))
CALL("tc", ok_found_tuple_empty, struct bpf_sock *s = bpf_sk_lookup_tcp(ctx, (void *)room, 0, -1, 0); if (s) bpf_sk_release(s))
CALL("tc", ok_found_assigned, FIND(s); if (s) { bpf_sk_assign(ctx, s, 0); bpf_sk_release(s); })
CALL("tc", no_found_assigned_kept, FIND(s); if (s) bpf_sk_assign(ctx, s, 0))
CALL("tc", ok_common, struct bpf_sock_tuple t = {}; struct bpf_sock *s = bpf_skc_lookup_tcp(ctx, &t, sizeof(t.ipv4), -1, 0); if (s) { bytes[0] = s->family; bpf_sk_release(s); })
CALL("tc", no_common_field, struct bpf_sock_tuple t = {}; struct bpf_sock *s = bpf_skc_lookup_tcp(ctx, &t, sizeof(t.ipv4), -1, 0); if (s) { bytes[0] = s->type; bpf_sk_release(s); })
CALL("socket", no_found_type, FIND(s); if (s) bpf_sk_release(s))
CALL("tc", no_release_null, bpf_sk_release(null))
CALL("tc", ok_storage, FIND(s); if (s) { __u64 *v = bpf_sk_storage_get(&storage, s, 0, 1); if (v) *v = 1; bpf_sk_release(s); })
CALL("tc", no_storage_unchecked, FIND(s); if (s) { __u64 *v = bpf_sk_storage_get(&storage, s, 0, 1); *v = 1; bpf_sk_release(s); })
CALL("tc", ok_storage_initial, FIND(s); if (s) { bpf_sk_storage_get(&storage, s, &x, 1); bpf_sk_release(s); })
CALL("tc", no_storage_initial, FIND(s); if (s) { bpf_sk_storage_get(&storage, s, (void *)&bytes[60], 1); bpf_sk_release(s); })
CALL("tc", no_storage_null, bpf_sk_storage_get(&storage, null, 0, 1))
CALL("tc", no_storage_other_map, FIND(s); if (s) { bpf_sk_storage_get(&array, s, 0, 1); bpf_sk_release(s); })
CALL("tc", ok_storage_value_kept, FIND(s); if (s) { __u64 *v = bpf_sk_storage_get(&storage, s, 0, 1); bpf_sk_release(s); if (v) *v = 1; })

/* Numbers: fixed sizes, alignment. */
CALL("tc", ok_strtol, long r; bpf_strtol(room, 16, 0, &r))
CALL("tc", no_strtol_short, long r; bpf_strtol(room, 16, 0, (void *)&key))
CALL("tc", no_strtol_unaligned, bpf_strtol(room, 16, 0, (void *)&bytes[1]))
CALL("tc", no_strtol_unaligned_4, bpf_strtol(room, 16, 0, (void *)&bytes[4]))
CALL("tc", no_mtu_unaligned, bpf_check_mtu(ctx, 0, (void *)&bytes[2], 0, 0))
CALL("tc", ok_mtu_value, bpf_check_mtu(ctx, 0, (void *)&bytes[60], 0, 0))
CALL("tc", no_mtu_value_past, bpf_check_mtu(ctx, 0, (void *)&bytes[64], 0, 0))
CALL("tc", no_strtol_stack_unaligned, bpf_strtol(room, 16, 0, (void *)(room + 4)))
CALL("tc", no_strtol_record_unaligned, char *r = bpf_ringbuf_reserve(&ring, 16, 0); if (r) { bpf_strtol(room, 16, 0, (void *)(r + 4)); bpf_ringbuf_discard(r, 0); })
CALL("tc", ok_strtol_record, char *r = bpf_ringbuf_reserve(&ring, 16, 0); if (r) { bpf_strtol(room, 16, 0, (void *)(r + 8)); bpf_ringbuf_discard(r, 0); })
CALL("tc", no_strtol_varies, char *r = bytes; n &= 3; HIDE(n); bpf_strtol(room, 16, 0, (void *)(r + n)))
CALL("tc", ok_strtol_value, bpf_strtol(room, 16, 0, (void *)&bytes[56]))
CALL("tc", no_strtol_value_past, bpf_strtol(room, 16, 0, (void *)&bytes[64]))
CALL("tc", no_strtol_null, bpf_strtol(room, 16, 0, null))
CALL("tc", no_strtol_rodata, bpf_strtol(room, 16, 0, (void *)unended))
CALL("tc", ok_strncmp, bpf_strncmp(room, 16, "abc"))
CALL("tc", no_strncmp_writable, bpf_strncmp(room, 16, writable_format))
CALL("tc", no_strncmp_unended, bpf_strncmp(room, 16, unended))
CALL("tc", no_strncmp_stack, bpf_strncmp(room, 16, room))
CALL("tc", no_strncmp_long, bpf_strncmp(&bytes[48], 17, "abc"))
CALL("tc", ok_mtu, bpf_check_mtu(ctx, 0, &key, 0, 0))
CALL("tc", no_mtu_null, bpf_check_mtu(ctx, 0, null, 0, 0))
CALL("xdp", ok_load, bpf_xdp_load_bytes(ctx, 0, room, 16))
CALL("xdp", no_load, bpf_xdp_load_bytes(ctx, 0, room, n))
CALL("xdp", ok_load_bounded, if (n <= 16) HIDE(n); else return 0; if (n) bpf_xdp_load_bytes(ctx, 0, room, n))
CALL("xdp", no_load_perhaps_none, if (n <= 16) bpf_xdp_load_bytes(ctx, 0, room, n))
CALL("xdp", ok_fib, struct bpf_fib_lookup f = {}; bpf_fib_lookup(ctx, &f, sizeof(f), 0))
CALL("xdp", no_fib, bpf_fib_lookup(ctx, (void *)bytes, 65, 0))

/* Formats. */
#define PRINT(name, format, ...)                                                                   \
	CALL("tc", name, static const char f[] = format; __u64 a[] = {__VA_ARGS__};                \
	     bpf_snprintf(room, 16, f, a, sizeof(a)))
PRINT(ok_print, "%d", x)
PRINT(no_print_missing, "%d %d", x)
PRINT(ok_print_more, "%d", x, x)
PRINT(ok_print_two, "%d %llx", x, x)
PRINT(no_print_unknown, "%y", x)
PRINT(no_print_float, "%f", x)
PRINT(ok_print_string, "%s", (long)"abc")
PRINT(ok_print_kernel, "%pK %px", x, x)
PRINT(ok_print_symbol, "%ps %pB", x, x)
PRINT(ok_print_address, "%pI4 %pi6", (long)room, (long)room)
PRINT(no_print_address, "%pI5", (long)room)
PRINT(ok_print_percent, "%% %d", x)
PRINT(no_print_percent_end, "%d %", x)
PRINT(ok_print_char, "%c", x)
PRINT(no_print_char_wide, "%lc", x)
PRINT(ok_print_char_width, "%10c", x)
PRINT(ok_print_width, "%08x", x)
PRINT(ok_print_utf8, "\xc3\xa9%d", x)
PRINT(ok_print_not_ascii, "\x80%d", x)
PRINT(no_print_not_ascii_after, "%\x80", x)
PRINT(no_print_control, "\x01%d", x)
PRINT(ok_print_tab, "\t%d", x)
PRINT(ok_print_not_ascii_in_string, "%d\xff", x)
PRINT(no_print_delete, "\x7f%d", x)
PRINT(no_print_plain_p_letters, "%pX", x)
PRINT(ok_print_user, "%pus", x)
PRINT(ok_print_kernel_string, "%pks", x)
PRINT(no_print_size, "%zu", x)
PRINT(no_print_hh, "%hhx", x)
PRINT(no_print_dot, "%.3d", x)
CALL("tc", ok_print_none, bpf_snprintf(room, 16, "abc", null, 0))
CALL("tc", no_print_none, bpf_snprintf(room, 16, "%d", null, 0))
CALL("tc", ok_print_size, bpf_snprintf(null, 0, "%d", &x, 8))
CALL("tc", no_print_odd, bpf_snprintf(room, 16, "%d", (void *)room, 12))
CALL("tc", no_print_long, bpf_snprintf(&bytes[48], 17, "%d", &x, 8))
CALL("tc", no_print_stack_format, bpf_snprintf(room, 16, room, &x, 8))
CALL("tc", no_print_writable_format, bpf_snprintf(room, 16, writable_format, &x, 8))
CALL("tc", no_print_unended, bpf_snprintf(room, 16, unended, &x, 8))
CALL("tc", no_print_random_length, bpf_snprintf(room, 16, "%d", (void *)room, n & 8))
CALL("tc", ok_trace, bpf_trace_printk("%d", 3, 1))
CALL("tc", ok_trace_any, bpf_trace_printk(room, 16, 1))
CALL("tc", no_trace_empty, bpf_trace_printk(room, 0, 1))

/* Locks. */
#define LOCKED(name, ...)                                                                          \
	CALL("tc", name, struct value *v = bpf_map_lookup_elem(&locked, &key), *w;                 \
	     if (!v) return 0; __VA_ARGS__)
#define LOCK bpf_spin_lock(&v->lock)
#define UNLOCK bpf_spin_unlock(&v->lock)
LOCKED(ok_lock, LOCK; v->a++; UNLOCK)
LOCKED(no_lock_kept, LOCK; v->a++)
LOCKED(no_unlock_alone, UNLOCK)
LOCKED(no_lock_twice, LOCK; LOCK; UNLOCK; UNLOCK)
LOCKED(no_unlock_twice, LOCK; UNLOCK; UNLOCK)
LOCKED(ok_lock_again, LOCK; UNLOCK; LOCK; UNLOCK)
LOCKED(no_lock_helper, LOCK; bpf_ktime_get_ns(); UNLOCK)
LOCKED(no_lock_lookup, LOCK; bpf_map_lookup_elem(&array, &key); UNLOCK)
LOCKED(no_lock_one_path, if (n > 5) LOCK; v->a++; UNLOCK)
LOCKED(no_unlock_one_path, LOCK; if (n > 5) UNLOCK)
LOCKED(ok_unlock_both_paths, LOCK; if (n > 5) { v->a++; UNLOCK; } else { UNLOCK; })
LOCKED(no_lock_field, bpf_spin_lock((void *)&v->b); bpf_spin_unlock((void *)&v->b))
LOCKED(no_lock_read, v->a = *(__u32 *)&v->lock)
LOCKED(no_lock_write, *(__u32 *)&v->lock = 0)
LOCKED(no_lock_read_across, v->b = *(volatile __u64 *)&v->lock)
LOCKED(ok_lock_read_after, v->b = *((volatile __u32 *)&v->lock + 1))
LOCKED(no_unlock_other, w = bpf_map_lookup_elem(&locked, &key); if (!w) return 0; LOCK; bpf_spin_unlock(&w->lock))
LOCKED(no_lock_filled, bpf_skb_load_bytes(ctx, 0, v, 16))
LOCKED(ok_lock_filled_before, bpf_skb_load_bytes(ctx, 0, v, 8))
LOCKED(ok_lock_filled_after, bpf_skb_load_bytes(ctx, 0, &v->b, 8))
LOCKED(no_lock_output, bpf_perf_event_output(ctx, &events, 0, v, sizeof(*v)))
CALL("tc", no_lock_unchecked, struct value *v = bpf_map_lookup_elem(&locked, &key); LOCK; UNLOCK)
CALL("tc", no_lock_stack, struct value o = {}, *v = &o; LOCK; UNLOCK)
CALL("tc", ok_lock_hash, struct value *v = bpf_map_lookup_elem(&locked_hash, &key); if (v) { LOCK; UNLOCK; })
CALL("socket", no_lock_in_socket, struct value *v = bpf_map_lookup_elem(&locked, &key); if (v) { LOCK; UNLOCK; })
CALL("tp/sched/sched_switch", no_lock_in_tracepoint, struct value *v = bpf_map_lookup_elem(&locked, &key); if (v) v->a++)

/* Whose helpers. */
CALL("socket", no_head_in_socket, bpf_xdp_adjust_head(ctx, 0))
CALL("tc", no_head_in_tc, bpf_xdp_adjust_head(ctx, 0))
CALL("xdp", ok_head, bpf_xdp_adjust_head(ctx, 0))
CALL("xdp", ok_comm_in_xdp, bpf_get_current_comm(room, 16))
CALL("tp/sched/sched_switch", ok_comm, bpf_get_current_comm(room, 16))
CALL("tp/sched/sched_switch", no_output_ctx, bpf_perf_event_output(room, &events, 0, room, 16))
CALL("kprobe/do_exit", no_override, bpf_override_return(ctx, 0))
CALL("tp/sched/sched_switch", no_copy_sleeps, bpf_copy_from_user(room, 16, 0))
CALL("uprobe.s//bin/true:main", ok_copy_sleeps, bpf_copy_from_user(room, 16, 0))
CALL("syscall", ok_syscall_copies, bpf_copy_from_user(room, 16, 0))
CALL("tc", no_sys_bpf, bpf_sys_bpf(0, room, 16))
CALL("syscall", ok_sys_bpf, bpf_sys_bpf(0, room, 16))
CALL("tc", ok_per_cpu, bytes[bpf_get_smp_processor_id() & 63] = 1)
CALL("raw_tp/sched_switch", ok_send_signal_pointer, bpf_send_signal((long)room))
CALL("tc", no_unknown, ((long (*)(void))9999)())
