/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets: what a comparison with the end, in each form, lets a program read or write, in the
 * types that see packets at all. r6 is the context, r2 the data, r3 the end; 9 leaves.
 */
#include "common.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} hash SEC(".maps");

#define ASM(kind, name, text)                                                                      \
	SEC(kind) NAKED int name(void)                                                             \
	{                                                                                          \
		asm volatile(text                                                                  \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), [lookup] "i"(bpf_map_lookup_elem), \
			       [update] "i"(bpf_map_update_elem), [diff] "i"(bpf_csum_diff),       \
			       [pull] "i"(bpf_skb_pull_data), [store] "i"(bpf_skb_store_bytes),    \
			       [load] "i"(bpf_skb_load_bytes), [tail] "i"(bpf_skb_change_tail),    \
			       [head] "i"(bpf_skb_change_head), [push] "i"(bpf_skb_vlan_push),     \
			       [room] "i"(bpf_skb_adjust_room), [proto] "i"(bpf_skb_change_proto), \
			       [l3] "i"(bpf_l3_csum_replace), [clone] "i"(bpf_clone_redirect),     \
			       [redirect] "i"(bpf_redirect), [set_hash] "i"(bpf_set_hash_invalid), \
			       [xhead] "i"(bpf_xdp_adjust_head), [xmeta] "i"(bpf_xdp_adjust_meta), \
			       [xtail] "i"(bpf_xdp_adjust_tail), [xload] "i"(bpf_xdp_load_bytes),  \
			       [xstore] "i"(bpf_xdp_store_bytes), [mpull] "i"(bpf_msg_pull_data),  \
			       [apply] "i"(bpf_msg_apply_bytes), __imm_addr(hash));                \
	}
#define LEAVE "9: r0 = 0; exit;"
#define XDP_DATA "r6 = r1; r2 = *(u32 *)(r1 + 0); r3 = *(u32 *)(r1 + 4);"
#define SKB_DATA "r6 = r1; r2 = *(u32 *)(r1 + 76); r3 = *(u32 *)(r1 + 80);"
#define XDP(name, text) ASM("xdp", name, XDP_DATA text LEAVE)
#define TC(name, text) ASM("tc", name, SKB_DATA text LEAVE)
/* r4 is N bytes further than the data. */
#define PAST(n) "r4 = r2; r4 += " #n ";"
#define READ(off) "r0 = *(u8 *)(r2 + " #off ");"

/* The twelve comparisons with the end. */
XDP(ok_gt_leave, PAST(8) "if r4 > r3 goto 9f;" READ(7))
XDP(no_gt_leave, PAST(8) "if r4 > r3 goto 9f;" READ(8))
XDP(ok_ge_leave, PAST(8) "if r4 >= r3 goto 9f;" READ(8))
XDP(no_ge_leave, PAST(8) "if r4 >= r3 goto 9f;" READ(9))
XDP(ok_lt_enter, PAST(8) "if r4 < r3 goto 1f; goto 9f; 1:" READ(8))
XDP(no_lt_enter, PAST(8) "if r4 < r3 goto 1f; goto 9f; 1:" READ(9))
XDP(ok_le_enter, PAST(8) "if r4 <= r3 goto 1f; goto 9f; 1:" READ(7))
XDP(no_le_enter, PAST(8) "if r4 <= r3 goto 1f; goto 9f; 1:" READ(8))
XDP(ok_end_lt_leave, PAST(8) "if r3 < r4 goto 9f;" READ(7))
XDP(no_end_lt_leave, PAST(8) "if r3 < r4 goto 9f;" READ(8))
XDP(ok_end_le_leave, PAST(8) "if r3 <= r4 goto 9f;" READ(8))
XDP(no_end_le_leave, PAST(8) "if r3 <= r4 goto 9f;" READ(9))
XDP(ok_end_gt_enter, PAST(8) "if r3 > r4 goto 1f; goto 9f; 1:" READ(8))
XDP(no_end_gt_enter, PAST(8) "if r3 > r4 goto 1f; goto 9f; 1:" READ(9))
XDP(ok_end_ge_enter, PAST(8) "if r3 >= r4 goto 1f; goto 9f; 1:" READ(7))
XDP(no_end_ge_enter, PAST(8) "if r3 >= r4 goto 1f; goto 9f; 1:" READ(8))
/* The other side of each. */
XDP(no_gt_enter, PAST(8) "if r4 > r3 goto 1f; goto 9f; 1:" READ(0))
XDP(no_ge_enter, PAST(8) "if r4 >= r3 goto 1f; goto 9f; 1:" READ(0))
XDP(no_lt_leave, PAST(8) "if r4 < r3 goto 9f;" READ(0))
XDP(no_le_leave, PAST(8) "if r4 <= r3 goto 9f;" READ(0))
XDP(no_end_lt_enter, PAST(8) "if r3 < r4 goto 1f; goto 9f; 1:" READ(0))
XDP(no_end_le_enter, PAST(8) "if r3 <= r4 goto 1f; goto 9f; 1:" READ(0))
XDP(no_end_gt_leave, PAST(8) "if r3 > r4 goto 9f;" READ(0))
XDP(no_end_ge_leave, PAST(8) "if r3 >= r4 goto 9f;" READ(0))
/* These say nothing. */
XDP(no_signed, PAST(8) "if r4 s> r3 goto 9f;" READ(0))
XDP(no_equal, PAST(8) "if r4 != r3 goto 9f;" READ(0))
XDP(no_32, PAST(8) "if w4 > w3 goto 9f;" READ(0))
XDP(no_unchecked, READ(0))
XDP(no_end_read, "r0 = *(u8 *)(r3 + 0);")
XDP(no_end_moved, "r3 += -8; if r2 > r3 goto 9f;" READ(0))
XDP(no_end_minus_data, "r3 -= r2; if r3 < 8 goto 9f;" READ(0))
XDP(ok_end_minus_data, "r3 -= r2; if r3 < 8 goto 9f; r0 = r3;")
XDP(no_empty, "if r2 > r3 goto 9f;" READ(0))
XDP(no_empty_strict_first, "if r2 >= r3 goto 9f;" READ(0))
XDP(no_empty_strict, "if r2 >= r3 goto 9f;" READ(1))

/* Widths and ends of a range. */
XDP(ok_u64, PAST(8) "if r4 > r3 goto 9f; r0 = *(u64 *)(r2 + 0);")
XDP(no_u64, PAST(7) "if r4 > r3 goto 9f; r0 = *(u64 *)(r2 + 0);")
XDP(ok_unaligned, PAST(8) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 3);")
XDP(no_before, PAST(8) "if r4 > r3 goto 9f; r0 = *(u8 *)(r2 - 1);")
XDP(ok_from_checked, PAST(8) "if r4 > r3 goto 9f; r0 = *(u8 *)(r4 - 8);")
XDP(no_from_checked, PAST(8) "if r4 > r3 goto 9f; r0 = *(u8 *)(r4 - 9);")
XDP(no_at_checked, PAST(8) "if r4 > r3 goto 9f; r0 = *(u8 *)(r4 + 0);")
XDP(ok_far, PAST(65535) "if r4 > r3 goto 9f;" "r2 += 65000;" READ(0))
XDP(no_far, PAST(65536) "if r4 > r3 goto 9f;" READ(0))
XDP(ok_two_checks, PAST(8) "if r4 > r3 goto 9f; r5 = r2; r5 += 4; if r5 > r3 goto 9f;" READ(7))
XDP(no_two_checks, PAST(8) "if r4 > r3 goto 1f; goto 9f; 1: r5 = r2; r5 += 4; if r5 > r3 goto 9f;" READ(4))
XDP(ok_fails_longer, PAST(8) "if r4 > r3 goto 1f; goto 9f; 1: r5 = r2; r5 += 4; if r5 > r3 goto 9f;" READ(3))
XDP(ok_longer_dead, PAST(8) "if r4 > r3 goto 1f; goto 9f; 1: r5 = r4; if r5 <= r3 goto 2f; goto 9f; 2:" READ(0))
XDP(no_longer_alive, PAST(8) "if r4 > r3 goto 1f; goto 9f; 1: r5 = r2; r5 += 9; if r5 <= r3 goto 2f; goto 9f; 2:" READ(9))
XDP(ok_copy_learns, PAST(8) "r5 = r2; if r4 > r3 goto 9f; r0 = *(u8 *)(r5 + 7);")
XDP(ok_spilled_learns, PAST(8) "*(u64 *)(r10 - 8) = r2; if r4 > r3 goto 9f; r5 = *(u64 *)(r10 - 8); r0 = *(u8 *)(r5 + 7);")
XDP(no_spilled_learns, PAST(8) "*(u64 *)(r10 - 8) = r2; if r4 > r3 goto 9f; r5 = *(u64 *)(r10 - 8); r0 = *(u8 *)(r5 + 8);")
XDP(no_reloaded, PAST(8) "if r4 > r3 goto 9f; r2 = *(u32 *)(r6 + 0);" READ(7))
XDP(ok_reloaded, "r5 = *(u32 *)(r6 + 0);" PAST(8) "if r4 > r3 goto 9f; r0 = *(u8 *)(r5 + 7);")
XDP(ok_reloaded_end, "r3 = *(u32 *)(r6 + 4);" PAST(8) "if r4 > r3 goto 9f;" READ(7))
XDP(no_both_ways, PAST(8) "if r4 > r3 goto 1f; 1:" READ(7))

/* Offsets that vary. */
#define BY(bound) "call %[random]; r7 = r0;" XDP_AGAIN bound
#define XDP_AGAIN "r2 = *(u32 *)(r6 + 0); r3 = *(u32 *)(r6 + 4);"
XDP(ok_vary, BY("r7 &= 255;") "r2 += r7;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary, BY("r7 &= 255;") "r2 += r7;" PAST(3) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary_after, BY("r7 &= 255;") PAST(4) "if r4 > r3 goto 9f; r2 += r7; r0 = *(u8 *)(r2 + 0);")
XDP(no_vary_other, BY("r7 &= 255;") "r5 = r2; r2 += r7; r5 += r7;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u8 *)(r5 + 0);")
XDP(ok_vary_copy, BY("r7 &= 255;") "r2 += r7; r5 = r2;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u8 *)(r5 + 3);")
XDP(ok_vary_widest, BY("w7 &= 0xffff;") "r2 += r7; if r2 >= r3 goto 9f;" "r0 = 0;")
XDP(ok_vary_wide, BY("w7 &= 0x7fff;") "r2 += r7;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary_wide, BY("w7 &= 0xffff;") "r2 += r7;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary_negative, BY("r7 &= 7;") "r2 -= r7;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(ok_vary_constant_added, BY("r7 &= 255;") "r2 += r7; r2 += 4;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 - 4);")
XDP(no_vary_constant_added, BY("r7 &= 255;") "r2 += r7; r2 += 4;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 - 8);")
XDP(ok_vary_length, PAST(20) "if r4 > r3 goto 9f; r7 = *(u8 *)(r2 + 0); r7 &= 15; r7 <<= 2; r2 += r7;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary_length, PAST(20) "if r4 > r3 goto 9f; r7 = *(u8 *)(r2 + 0); r7 &= 15; r7 <<= 2; r2 += r7; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary_unbounded, "r7 = *(u64 *)(r10 - 8); r2 += r7; r4 = r2; if r4 >= r3 goto 9f;" READ(0))
XDP(ok_vary_twice, BY("r7 &= 7;") "r2 += r7; r2 += r7;" PAST(4) "if r4 > r3 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(ok_vary_known, BY("r7 = 4;") PAST(8) "if r4 > r3 goto 9f; r2 += r7; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary_known, BY("r7 = 5;") PAST(8) "if r4 > r3 goto 9f; r2 += r7; r0 = *(u32 *)(r2 + 0);")
XDP(no_vary_narrowed_late, BY("r7 &= 255;") "r2 += r7;" PAST(4) "if r4 > r3 goto 9f; r2 += r7; r0 = *(u8 *)(r2 + 0);")

/* Writes. */
XDP(ok_write, PAST(8) "if r4 > r3 goto 9f; *(u64 *)(r2 + 0) = 0;")
XDP(no_write, PAST(8) "if r4 > r3 goto 9f; *(u64 *)(r2 + 1) = 0;")
XDP(no_write_atomic, PAST(8) "if r4 > r3 goto 9f; r0 = 1; lock *(u64 *)(r2 + 0) += r0;")
XDP(ok_write_pointer, PAST(8) "if r4 > r3 goto 9f; *(u64 *)(r2 + 0) = r10;")

/* Meta data. */
#define META "r5 = *(u32 *)(r6 + 8);"
XDP(ok_meta, META "r4 = r5; r4 += 4; if r4 > r2 goto 9f; r0 = *(u32 *)(r5 + 0);")
XDP(no_meta, META "r4 = r5; r4 += 3; if r4 > r2 goto 9f; r0 = *(u32 *)(r5 + 0);")
XDP(no_meta_end, META "r4 = r5; r4 += 4; if r4 > r3 goto 9f; r0 = *(u32 *)(r5 + 0);")
XDP(ok_meta_data_first, META "r4 = r5; r4 += 4; if r2 < r4 goto 9f; r0 = *(u32 *)(r5 + 0);")
XDP(no_meta_data_first, META "r4 = r5; r4 += 4; if r2 > r4 goto 9f; r0 = *(u32 *)(r5 + 0);")
XDP(no_meta_data_moved, META "r4 = r5; r4 += 4; r2 += 1; if r4 > r2 goto 9f; r0 = *(u32 *)(r5 + 0);")
XDP(ok_meta_data_back, META "r4 = r5; r4 += 4; r2 += 1; r2 += -1; if r4 > r2 goto 9f; r0 = *(u32 *)(r5 + 0);")
XDP(no_meta_as_data, META "r4 = r5; r4 += 4; if r4 > r2 goto 9f; r0 = *(u32 *)(r2 + 0);")
XDP(ok_meta_write, META "r4 = r5; r4 += 4; if r4 > r2 goto 9f; *(u32 *)(r5 + 0) = 1;")
ASM("tc", ok_tc_meta, SKB_DATA "r5 = *(u32 *)(r6 + 140); r4 = r5; r4 += 4; if r4 > r2 goto 9f; r0 = *(u32 *)(r5 + 0);" LEAVE)
ASM("tc", no_tc_meta, SKB_DATA "r5 = *(u32 *)(r6 + 140); r4 = r5; r4 += 4; if r4 > r3 goto 9f; r0 = *(u32 *)(r5 + 0);" LEAVE)
ASM("cgroup_skb/egress", no_cgroup_meta, SKB_DATA "r5 = *(u32 *)(r6 + 140);" LEAVE)

/* Helpers that change the packet make what was known of it void. */
#define SURE PAST(8) "if r4 > r3 goto 9f; r7 = r2; r8 = r3;"
#define STILL "r0 = *(u8 *)(r7 + 0);"
TC(ok_after_random, SURE "call %[random];" STILL)
TC(ok_after_load, SURE "r1 = r6; r2 = 0; r3 = r10; r3 += -8; r4 = 8; call %[load];" STILL)
TC(no_after_store, SURE "r1 = r6; r2 = 0; r3 = r10; r3 += -8; r4 = 8; r5 = 0; call %[store];" STILL)
TC(no_after_pull, SURE "r1 = r6; r2 = 0; call %[pull];" STILL)
TC(no_after_tail, SURE "r1 = r6; r2 = 64; r3 = 0; call %[tail];" STILL)
TC(no_after_head, SURE "r1 = r6; r2 = 64; r3 = 0; call %[head];" STILL)
TC(no_after_push, SURE "r1 = r6; r2 = 64; r3 = 0; call %[push];" STILL)
TC(no_after_room, SURE "r1 = r6; r2 = 64; r3 = 0; r4 = 0; call %[room];" STILL)
TC(no_after_proto, SURE "r1 = r6; r2 = 64; r3 = 0; call %[proto];" STILL)
TC(no_after_l3, SURE "r1 = r6; r2 = 0; r3 = 0; r4 = 0; r5 = 0; call %[l3];" STILL)
TC(no_after_clone, SURE "r1 = r6; r2 = 1; r3 = 0; call %[clone];" STILL)
TC(ok_after_redirect, SURE "r1 = 1; r2 = 0; call %[redirect];" STILL)
TC(ok_after_set_hash, SURE "r1 = r6; call %[set_hash];" STILL)
TC(no_after_pull_end, SURE "r1 = r6; r2 = 0; call %[pull]; r2 = *(u32 *)(r6 + 76);" PAST(4) "if r4 > r8 goto 9f;" READ(0))
TC(ok_after_pull_anew, SURE "r1 = r6; r2 = 0; call %[pull]; r2 = *(u32 *)(r6 + 76); r8 = *(u32 *)(r6 + 80);" PAST(4) "if r4 > r8 goto 9f;" READ(0))
TC(no_after_pull_spilled, SURE "*(u64 *)(r10 - 8) = r7; r1 = r6; r2 = 0; call %[pull]; r7 = *(u64 *)(r10 - 8);" STILL)
TC(no_after_pull_one_path, SURE "call %[random]; if r0 > 5 goto 1f; r1 = r6; r2 = 0; call %[pull]; 1:" STILL)
TC(ok_after_pull_other_path, SURE "call %[random]; if r0 > 5 goto 1f; r1 = r6; r2 = 0; call %[pull]; goto 9f; 1:" STILL)
XDP(no_after_xhead, SURE "r1 = r6; r2 = 0; call %[xhead];" STILL)
XDP(no_after_xtail, SURE "r1 = r6; r2 = 0; call %[xtail];" STILL)
XDP(no_after_xmeta, SURE "r1 = r6; r2 = 0; call %[xmeta];" STILL)
XDP(ok_after_xload, SURE "r1 = r6; r2 = 0; r3 = r10; r3 += -8; r4 = 8; call %[xload];" STILL)
XDP(ok_after_xstore, SURE "r1 = r6; r2 = 0; r3 = r10; r3 += -8; r4 = 8; call %[xstore];" STILL)

static NOINLINE int pulls(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, 0);
}

NOINLINE int pulls_globally(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, 0);
}

NOINLINE int counts_globally(struct __sk_buff *skb)
{
	return skb->len;
}

#define AFTER(name, kind, func)                                                                    \
	SEC(kind) int name(struct __sk_buff *skb)                                                  \
	{                                                                                          \
		__u8 *data = (void *)(long)skb->data;                                              \
		int n;                                                                             \
                                                                                                   \
		if (data + 8 > (__u8 *)(long)skb->data_end)                                        \
			return 0;                                                                  \
		n = func(skb);                                                                     \
		return (data[0] + n) & 1;                                                          \
	}
AFTER(no_after_static, "tc", pulls)
AFTER(no_after_global, "tc", pulls_globally)
AFTER(ok_after_global, "tc", counts_globally)

/* The packet as memory of helpers. */
TC(ok_key, SURE "r1 = %[hash] ll; r2 = r7; call %[lookup];")
TC(no_key, SURE "r1 = %[hash] ll; r2 = r7; r2 += 1; call %[lookup];")
TC(ok_value, SURE "r1 = %[hash] ll; r2 = r7; r3 = r7; r4 = 0; call %[update];")
TC(no_key_unchecked, "r1 = %[hash] ll; call %[lookup];")
TC(ok_diff, SURE "r1 = r7; r2 = 8; r3 = 0; r4 = 0; r5 = 0; call %[diff];")
TC(no_diff, SURE "r1 = r7; r2 = 12; r3 = 0; r4 = 0; r5 = 0; call %[diff];")
TC(no_load_into, SURE "r1 = r6; r2 = 0; r3 = r7; r4 = 8; call %[load];")
TC(no_store_from, SURE "r1 = r6; r2 = 0; r3 = r7; r4 = 8; r5 = 0; call %[store];")
ASM("cgroup_skb/egress", ok_cgroup_key, SKB_DATA SURE "r1 = %[hash] ll; r2 = r7; call %[lookup];" LEAVE)

/* Which types see a packet, which write it. */
#define SEE "r0 = *(u8 *)(r2 + 0);"
#define SET "*(u8 *)(r2 + 0) = 0;"
#define TYPE(kind, name, text) ASM(kind, name, SKB_DATA PAST(8) "if r4 > r3 goto 9f;" text "r0 = 0; exit; " LEAVE)
TYPE("tc", ok_tc_set, SET)
TYPE("cgroup_skb/egress", ok_cgroup_see, SEE)
TYPE("cgroup_skb/egress", no_cgroup_set, SET)
TYPE("cgroup_skb/ingress", ok_cgroup_ingress_see, SEE)
TYPE("cgroup_skb/ingress", no_cgroup_ingress_set, SET)
TYPE("sk_skb/stream_verdict", ok_sk_skb_see, SEE)
TYPE("sk_skb/stream_verdict", ok_sk_skb_set, SET)
TYPE("sk_skb/stream_parser", ok_parser_see, SEE)
TYPE("sk_skb/stream_parser", ok_parser_set, SET)
TYPE("lwt_in", ok_lwt_in_see, SEE)
TYPE("lwt_in", no_lwt_in_set, SET)
TYPE("lwt_out", ok_lwt_out_see, SEE)
TYPE("lwt_out", no_lwt_out_set, SET)
TYPE("lwt_xmit", ok_lwt_xmit_see, SEE)
TYPE("lwt_xmit", ok_lwt_xmit_set, SET)
TYPE("lwt_seg6local", ok_seg6_see, SEE)
TYPE("lwt_seg6local", no_seg6_set, SET)
TYPE("socket", no_socket_see, SEE)
TYPE("flow_dissector", ok_dissector_see, SEE)
TYPE("flow_dissector", no_dissector_set, SET)
#define MSG_DATA "r6 = r1; r2 = *(u64 *)(r1 + 0); r3 = *(u64 *)(r1 + 8);"
ASM("sk_msg", ok_msg_see, MSG_DATA SURE STILL LEAVE)
ASM("sk_msg", no_msg_see, MSG_DATA READ(0) LEAVE)
ASM("sk_msg", ok_msg_set, MSG_DATA SURE "*(u64 *)(r7 + 0) = 1;" LEAVE)
ASM("sk_msg", no_msg_set, MSG_DATA SURE "*(u64 *)(r7 + 1) = 1;" LEAVE)
ASM("sk_msg", no_msg_after_pull, MSG_DATA SURE "r1 = r6; r2 = 0; r3 = 8; r4 = 0; call %[mpull];" STILL LEAVE)
ASM("sk_msg", ok_msg_after_apply, MSG_DATA SURE "r1 = r6; r2 = 8; call %[apply];" STILL LEAVE)
ASM("sk_reuseport", ok_reuseport_see, MSG_DATA SURE STILL LEAVE)
ASM("sk_reuseport", no_reuseport_set, MSG_DATA SURE "*(u8 *)(r7 + 0) = 1;" LEAVE)
