/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic on pointers of each kind, comparisons of them, atomics and ordered accesses through
 * them, and where they may be stored. r6 is the context, r7 a random number; 9 leaves.
 */
#include "common.h"

char bytes[64];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64[2]);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64[2]);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

#define ASM(kind, name, text)                                                                      \
	SEC(kind) NAKED int name(void)                                                             \
	{                                                                                          \
		asm volatile("r6 = r1; call %[random]; r7 = r0;" text "9: r0 = 0; exit;"           \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), [lookup] "i"(bpf_map_lookup_elem), \
			       [reserve] "i"(bpf_ringbuf_reserve), [submit] "i"(bpf_ringbuf_submit), \
			       [task] "i"(bpf_get_current_task_btf), [this] "i"(bpf_this_cpu_ptr), \
			       [fullsock] "i"(bpf_sk_fullsock), __imm_addr(bytes), __imm_addr(array), \
			       __imm_addr(hash), __imm_addr(ring));                                \
	}
#define TC(name, text) ASM("tc", name, text)
#define TP(name, text) ASM("raw_tp/sys_enter", name, text)
/* r8 becomes one kind of pointer; what was taken is given back at the end. */
#define STACK "r8 = r10; r8 += -16;"
#define VALUE "r8 = %[bytes] ll;"
#define MAYBE "*(u32 *)(r10 - 8) = r7; r1 = %[array] ll; r2 = r10; r2 += -8; call %[lookup]; r8 = r0;"
#define MAP "r8 = %[array] ll;"
#define CTX "r8 = r6;"
#define PACKET "r8 = *(u32 *)(r6 + 76);"
#define END "r8 = *(u32 *)(r6 + 80);"
#define META "r8 = *(u32 *)(r6 + 140);"
#define SOCK "r8 = *(u64 *)(r6 + 168); if r8 == 0 goto 9f;"
#define TASK "call %[task]; r8 = r0;"
#define RECORD "r1 = %[ring] ll; r2 = 16; r3 = 0; call %[reserve]; if r0 == 0 goto 9f; r8 = r0; r9 = r0;"
#define SUBMIT "r1 = r9; r2 = 0; call %[submit];"

/* Added to, subtracted from. */
#define ADD "r8 += 8;"
#define ADD_ZERO "r8 += 0;"
#define ADD_RANDOM "r7 &= 7; r8 += r7;"
#define ADD_UNBOUNDED "r8 += r7;"
#define SUB "r8 -= 8;"
#define SUB_RANDOM "r7 &= 7; r8 -= r7;"
#define FROM "r1 = 8; r1 += r8;"
#define MINUS "r1 = 8; r1 -= r8;"
#define TWO "r1 = r8; r1 += r8;"
#define LESS "r1 = r8; r1 -= r8;"
#define ADD_32 "w8 += 8;"
#define SUB_32 "w8 -= 8;"
#define MOVE_32 "w1 = w8;"
#define NEGATE "r8 = -r8;"
#define AND "r8 &= 8;"
#define OR "r8 |= 8;"
#define TIMES "r8 *= 8;"
#define SHIFT "r8 <<= 8;"
#define SWAP "r8 = bswap64 r8;"
#define SIGN "r1 = (s8)r8;"
#define XOR_ITSELF "r8 ^= r8;"
TC(ok_stack_add, STACK ADD)
TC(ok_stack_add_random, STACK ADD_RANDOM)
TC(no_stack_add_unbounded, STACK ADD_UNBOUNDED)
TC(no_stack_sub, STACK SUB)
TC(no_stack_sub_random, STACK SUB_RANDOM)
TC(ok_stack_from, STACK FROM)
TC(no_stack_minus, STACK MINUS)
TC(no_stack_two, STACK TWO)
TC(ok_stack_less, STACK LESS)
TC(no_stack_add_32, STACK ADD_32)
TC(ok_stack_sub_32, STACK SUB_32)
TC(ok_stack_move_32, STACK MOVE_32)
TC(ok_stack_negate, STACK NEGATE)
TC(no_stack_and, STACK AND)
TC(no_stack_or, STACK OR)
TC(no_stack_times, STACK TIMES)
TC(no_stack_shift, STACK SHIFT)
TC(ok_stack_swap, STACK SWAP)
TC(ok_stack_sign, STACK SIGN)
TC(no_stack_xor_itself, STACK XOR_ITSELF)
TC(no_stack_swap_used, STACK SWAP "r0 = *(u8 *)(r8 + 0);")
TC(no_stack_negate_used, STACK NEGATE "r0 = *(u8 *)(r8 + 0);")
TC(no_stack_move_32_used, STACK MOVE_32 "r0 = *(u8 *)(r1 + 0);")
TC(no_stack_sub_32_used, STACK SUB_32 "r0 = *(u8 *)(r8 + 0);")
TC(no_stack_sign_used, STACK SIGN "r0 = *(u8 *)(r1 + 0);")
TC(no_frame_pointer_add, "r10 += 8;")
TC(no_frame_pointer_move, "r10 = r6;")
TC(no_frame_pointer_fetch, STACK "r10 = *(u64 *)(r8 + 0);")
TC(ok_value_sub_random, VALUE SUB_RANDOM)
TC(no_value_add_unbounded, VALUE ADD_UNBOUNDED)
TC(no_value_minus, VALUE MINUS)
TC(ok_value_less, VALUE LESS)
TC(no_value_and, VALUE AND)
TC(ok_value_sub_32, VALUE SUB_32)
TC(no_maybe_add, MAYBE ADD)
TC(no_maybe_add_zero, MAYBE ADD_ZERO)
TC(ok_maybe_checked_add, MAYBE "if r8 == 0 goto 9f;" ADD)
TC(ok_maybe_less, MAYBE "r8 -= r8;")
TC(no_map_add, MAP ADD)
TC(ok_map_add_zero, MAP ADD_ZERO)
TC(no_map_add_random, MAP ADD_RANDOM)
TC(ok_map_less, MAP LESS)
TC(no_map_minus, MAP MINUS)
TC(ok_map_read, MAP "r0 = *(u32 *)(r8 + 24);")
TC(no_map_write, MAP "*(u32 *)(r8 + 24) = 1;")
TC(no_map_read_past, MAP "r0 = *(u64 *)(r8 + 8192);")
TC(no_map_read_across, MAP "r0 = *(u64 *)(r8 + 25);")
TC(ok_ctx_add, CTX ADD)
TC(ok_ctx_add_random, CTX ADD_RANDOM)
TC(ok_ctx_sub, CTX SUB)
TC(no_ctx_add_used, CTX ADD "r0 = *(u32 *)(r8 + 0);")
TC(ok_packet_add_random, PACKET ADD_RANDOM)
TC(no_packet_add_unbounded, PACKET ADD_UNBOUNDED)
TC(ok_packet_less, PACKET "r1 = *(u32 *)(r6 + 80); r1 -= r8;")
TC(no_packet_plus_end, PACKET "r1 = *(u32 *)(r6 + 80); r1 += r8;")
TC(no_packet_add_32, PACKET ADD_32)
TC(no_end_add, END ADD)
TC(no_end_add_zero, END ADD_ZERO)
TC(no_end_sub, END SUB)
TC(no_end_and, END AND)
TC(ok_end_move_32, END MOVE_32)
TC(ok_meta_add, META ADD)
TC(no_meta_times, META TIMES)
TC(no_sock_add, SOCK ADD)
TC(no_sock_add_zero, SOCK ADD_ZERO)
TC(no_sock_sub, SOCK SUB)
TC(ok_sock_less, SOCK LESS)
TP(ok_task_add, TASK ADD)
TP(ok_task_add_random, TASK ADD_RANDOM)
TP(no_task_add_random_used, TASK ADD_RANDOM "r0 = *(u8 *)(r8 + 0);")
TP(ok_task_add_used, TASK ADD "r0 = *(u64 *)(r8 - 8);")
TP(no_task_add_used, TASK ADD "r0 = *(u64 *)(r8 - 16);")
TP(no_task_and, TASK AND)
TP(ok_task_less, TASK LESS)
TC(ok_record_add, RECORD ADD "*(u64 *)(r8 + 0) = 1;" SUBMIT)
TC(no_record_add, RECORD ADD "*(u64 *)(r8 + 8) = 1;" SUBMIT)
TC(ok_record_back, RECORD ADD "*(u64 *)(r8 - 8) = 1;" SUBMIT)
TC(no_record_back, RECORD ADD "*(u64 *)(r8 - 16) = 1;" SUBMIT)
TC(no_record_add_random, RECORD ADD_RANDOM "*(u64 *)(r8 + 2) = 1;" SUBMIT)
TC(ok_record_add_random, RECORD ADD_RANDOM "*(u64 *)(r8 + 1) = 1;" SUBMIT)

/* How far. */
TC(ok_far, VALUE "r8 += 0x1fffffff;")
TC(no_far, VALUE "r8 += 0x20000000;")
TC(no_far_negative, VALUE "r8 += -0x20000000;")
TC(ok_far_negative, VALUE "r8 += -0x1fffffff;")
TC(no_far_twice, VALUE "r8 += 0x1fffffff; r8 += 0x1fffffff;")
TC(no_far_register, VALUE "r1 = 0x100000000 ll; r8 += r1;")
TC(no_far_range, VALUE "w7 &= 0x3fffffff; r8 += r7; r0 = *(u8 *)(r8 + 0);")
TC(ok_far_range_narrowed, VALUE "r7 &= 63; r8 += 0x1fffffc0; r8 += r7; r8 += -0x1fffffc0; r0 = *(u8 *)(r8 + 0);")
TC(no_far_range_narrowed, VALUE "r7 &= 63; r8 += 0x1fffffc0; r8 += r7; r8 += -0x1fffffbf; r0 = *(u8 *)(r8 + 0);")
TC(no_random_sum, VALUE "r7 &= 31; r8 += r7; r8 += r7; r0 = *(u8 *)(r8 + 2);")
TC(ok_random_sum, VALUE "r7 &= 31; r8 += r7; r8 += r7; r0 = *(u8 *)(r8 + 1);")
TC(no_random_difference, VALUE "r7 &= 31; r8 += r7; r8 -= r7; r0 = *(u8 *)(r8 + 0);")
TC(ok_random_in_range, VALUE "r7 &= 63; r8 += r7; r0 = *(u8 *)(r8 + 0);")
TC(no_random_signed, VALUE "r7 = (s8)r7; r8 += r7; r0 = *(u8 *)(r8 + 0);")
TC(ok_random_signed_moved, VALUE "r7 = (s8)r7; r7 s>>= 2; r7 += 32; r8 += r7; r0 = *(u8 *)(r8 + 0);")
TC(no_random_signed_moved, VALUE "r7 = (s8)r7; r7 s>>= 2; r8 += 32; r8 += r7; r0 = *(u8 *)(r8 + 0);")
TC(no_random_signed_moved_less, VALUE "r7 = (s8)r7; r7 s>>= 2; r8 += 31; r8 += r7; r0 = *(u8 *)(r8 + 0);")

/* Compared. */
TC(ok_compare_value_stack, VALUE "if r8 == r10 goto 9f;")
TC(ok_compare_less, VALUE "if r8 < r10 goto 9f;")
TC(ok_compare_number, VALUE "if r8 > 77 goto 9f;")
TC(ok_compare_ctx, CTX "if r8 == r10 goto 9f; r0 = *(u32 *)(r8 + 0);")
TC(no_compare_random, VALUE "if r8 != r7 goto 9f; r0 = *(u8 *)(r7 + 0);")
TC(ok_null_dead, VALUE "if r8 != 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TC(no_null_alive, VALUE "if r8 == 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TC(ok_null_32, VALUE "if w8 != 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TC(no_null_dead_stack, STACK "if r8 != 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TC(no_null_dead_ctx, CTX "if r8 != 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TC(no_null_packet, PACKET "if r8 != 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TC(no_null_signed, VALUE "if r8 s> 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TP(ok_null_task, TASK "if r8 != 0 goto 9f; r0 = *(u64 *)(r10 + 8);")
TC(no_maybe_by_zero_register, MAYBE "r1 = 0; if r8 == r1 goto 9f; r0 = *(u64 *)(r8 + 0);")
TC(no_maybe_by_register, MAYBE "r1 = 1; if r8 == r1 goto 9f; r0 = *(u64 *)(r8 + 0);")
TC(ok_maybe_not_equal, MAYBE "if r8 != 0 goto 1f; goto 9f; 1: r0 = *(u64 *)(r8 + 0);")
TC(no_maybe_greater, MAYBE "if r8 s> 0 goto 1f; goto 9f; 1: r0 = *(u64 *)(r8 + 0);")
TC(no_maybe_32, MAYBE "if w8 == 0 goto 9f; r0 = *(u64 *)(r8 + 0);")
TC(no_maybe_above, MAYBE "if r8 > 0 goto 1f; goto 9f; 1: r0 = *(u64 *)(r8 + 0);")
TC(ok_maybe_copy, MAYBE "r9 = r8; if r8 == 0 goto 9f; r0 = *(u64 *)(r9 + 0);")
TC(ok_maybe_spilled, MAYBE "*(u64 *)(r10 - 16) = r8; if r8 == 0 goto 9f; r9 = *(u64 *)(r10 - 16); r0 = *(u64 *)(r9 + 0);")
TC(no_maybe_other, MAYBE "r9 = r8;" MAYBE "if r8 == 0 goto 9f; r0 = *(u64 *)(r9 + 0);")
TC(no_maybe_null_side, MAYBE "if r8 != 0 goto 9f; r0 = *(u64 *)(r8 + 0);")
TC(ok_maybe_null_is_zero, MAYBE "if r8 != 0 goto 9f; r1 = %[bytes] ll; r1 += r8; r0 = *(u8 *)(r1 + 63);")
TC(ok_maybe_equal_to_value, MAYBE "r1 = %[bytes] ll; if r8 != r1 goto 9f; r0 = *(u64 *)(r8 + 8);")
TC(no_maybe_unequal_to_value, MAYBE "r1 = %[bytes] ll; if r8 == r1 goto 9f; r0 = *(u64 *)(r8 + 8);")
TC(ok_maybe_equal_to_maybe_checked, MAYBE "r9 = r8;" MAYBE "if r9 == 0 goto 9f; if r8 != r9 goto 9f; r0 = *(u64 *)(r8 + 0);")
TC(no_maybe_equal_to_maybe, MAYBE "r9 = r8;" MAYBE "if r8 != r9 goto 9f; r0 = *(u64 *)(r8 + 0);")
TP(no_maybe_equal_to_task, TASK "r9 = r8;" MAYBE "if r8 != r9 goto 9f; r0 = *(u64 *)(r8 + 0);")
TC(ok_jset_pointer, VALUE "if r8 & 7 goto 9f;")

/* Atomics. */
#define AT(r, off) "*(u64 *)(" #r " + " #off ")"
TC(ok_atomic_stack, STACK "r1 = 1; lock *(u64 *)(r8 + 0) += r1;")
TC(no_atomic_stack_above, STACK "r1 = 1; lock *(u64 *)(r8 + 16) += r1;")
TC(ok_atomic_and, VALUE "r1 = 1; lock *(u64 *)(r8 + 8) &= r1;")
TC(ok_atomic_xor_32, VALUE "w1 = 1; lock *(u32 *)(r8 + 4) ^= w1;")
TC(no_atomic_unset, VALUE "lock *(u64 *)(r8 + 8) |= r1;")
TC(no_atomic_map, MAP "r1 = 1; lock *(u64 *)(r8 + 0) += r1;")
TC(no_atomic_packet, PACKET "r1 = *(u32 *)(r6 + 80); r2 = r8; r2 += 8; if r2 > r1 goto 9f; r1 = 1; lock *(u64 *)(r8 + 0) += r1;")
TC(no_atomic_sock, SOCK "r1 = 1; lock *(u32 *)(r8 + 0) += w1;")
TP(no_atomic_task, TASK "r1 = 1; lock *(u64 *)(r8 + 0) += r1;")
TC(no_atomic_number, "r1 = 1; lock *(u64 *)(r7 + 0) += r1;")
TC(ok_exchange, VALUE "r1 = 5; r1 = xchg_64(r8 + 0, r1);")
TC(no_exchange_known, VALUE "*(u64 *)(r8 + 0) = 5; r1 = 5; r1 = xchg_64(r8 + 0, r1); r8 += r1; r0 = *(u8 *)(r8 + 0);")
TC(ok_compare_exchange, VALUE "r0 = 5; r1 = 6; r0 = cmpxchg_64(r8 + 0, r0, r1);")
TC(no_compare_exchange_unset, VALUE "r0 = 5; r0 = cmpxchg_64(r8 + 0, r0, r1);")
TC(ok_compare_exchange_32, VALUE "w0 = 5; w1 = 6; w0 = cmpxchg32_32(r8 + 4, w0, w1);")
TC(no_compare_exchange_32, VALUE "w0 = 5; w1 = 6; w0 = cmpxchg32_32(r8 + 2, w0, w1);")
TC(no_compare_exchange_result, VALUE "r0 = 5; r1 = 6; r0 = cmpxchg_64(r8 + 0, r0, r1); r8 += r0; r0 = *(u8 *)(r8 + 0);")
TC(ok_exchange_pointer_stack, STACK "*(u64 *)(r8 + 0) = r6; r1 = 5; r1 = xchg_64(r8 + 0, r1); r0 = *(u32 *)(r1 + 0);")
TC(no_exchange_into_stack, STACK "r1 = r6; r1 = xchg_64(r8 + 0, r1); r2 = *(u64 *)(r8 + 0); r0 = *(u32 *)(r2 + 0);")
TC(ok_exchange_pointer_value, VALUE "r1 = r6; r1 = xchg_64(r8 + 0, r1);")
TC(ok_fetch_upper_zero, VALUE "w1 = 1; w1 = atomic_fetch_add((u32 *)(r8 + 0), w1); w1 >>= 26; r8 += r1; r0 = *(u8 *)(r8 + 0);")
TC(no_fetch_upper_zero, VALUE "w1 = 1; w1 = atomic_fetch_add((u32 *)(r8 + 0), w1); r1 >>= 25; r8 += r1; r0 = *(u8 *)(r8 + 0);")
TC(no_fetch_spilled, STACK "*(u64 *)(r8 + 0) = 64; r1 = 1; r1 = atomic_fetch_add((u64 *)(r8 + 0), r1); r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0);")
TC(no_compare_exchange_stack, STACK "*(u64 *)(r8 + 0) = 64; r0 = 64; r1 = 1; r0 = cmpxchg_64(r8 + 0, r0, r1); r2 = %[bytes] ll; r2 += r0; r0 = *(u8 *)(r2 + 0);")
TC(ok_compare_exchange_stack, STACK "*(u64 *)(r8 + 0) = 63; r0 = 64; r1 = 1; r0 = cmpxchg_64(r8 + 0, r0, r1); r2 = %[bytes] ll; r2 += r0; r0 = *(u8 *)(r2 + 0);")
TC(no_fetch_32_of_64, STACK "*(u64 *)(r8 + 0) = r6; w1 = 1; w1 = atomic_fetch_add((u32 *)(r8 + 0), w1);")
TC(no_fetched_twice, STACK "*(u64 *)(r8 + 0) = 5; r1 = 1; r1 = atomic_fetch_add((u64 *)(r8 + 0), r1); r1 = 1; r1 = atomic_fetch_add((u64 *)(r8 + 0), r1); r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0);")
TC(ok_fetch_spilled, STACK "*(u64 *)(r8 + 0) = 5; r1 = 1; r1 = atomic_fetch_add((u64 *)(r8 + 0), r1); r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0);")

/* Ordered loads and stores, which this assembler does not know: op, size, target, source, offset. */
#define INSN(op, dst, src, off, imm)                                                               \
	".byte " #op "; .byte (" #src " << 4) + " #dst "; .short " #off "; .long " #imm ";"
#define ACQUIRE(op, dst, src, off) INSN(op, dst, src, off, 0x100)
#define RELEASE(op, dst, src, off) INSN(op, dst, src, off, 0x110)
TC(ok_acquire, VALUE ACQUIRE(0xdb, 0, 8, 56))
TC(no_acquire, VALUE ACQUIRE(0xdb, 0, 8, 64))
TC(no_acquire_unaligned, VALUE ACQUIRE(0xdb, 0, 8, 52))
TC(ok_acquire_32, VALUE ACQUIRE(0xc3, 0, 8, 60))
TC(ok_acquire_16, VALUE ACQUIRE(0xcb, 0, 8, 62))
TC(no_acquire_16_unaligned, VALUE ACQUIRE(0xcb, 0, 8, 61))
TC(ok_acquire_8, VALUE ACQUIRE(0xd3, 0, 8, 63))
TC(no_acquire_8, VALUE ACQUIRE(0xd3, 0, 8, 64))
TC(ok_acquire_8_bounded, VALUE ACQUIRE(0xd3, 1, 8, 63) "r1 >>= 2; r8 += r1; r0 = *(u8 *)(r8 + 0);")
TC(no_acquire_8_bounded, VALUE ACQUIRE(0xd3, 1, 8, 63) "r1 >>= 1; r8 += r1; r0 = *(u8 *)(r8 + 0);")
TC(ok_acquire_stack, STACK "*(u64 *)(r8 + 0) = 63;" ACQUIRE(0xdb, 1, 8, 0) "r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0);")
TC(no_acquire_stack, STACK "*(u64 *)(r8 + 0) = 64;" ACQUIRE(0xdb, 1, 8, 0) "r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0);")
TC(ok_acquire_pointer, STACK "*(u64 *)(r8 + 0) = r6;" ACQUIRE(0xdb, 1, 8, 0) "r0 = *(u32 *)(r1 + 0);")
TC(no_acquire_ctx, CTX ACQUIRE(0xc3, 0, 8, 0))
TC(no_acquire_packet, PACKET "r1 = *(u32 *)(r6 + 80); r2 = r8; r2 += 8; if r2 > r1 goto 9f;" ACQUIRE(0xdb, 0, 8, 0))
TC(no_acquire_sock, SOCK ACQUIRE(0xc3, 0, 8, 0))
TP(ok_acquire_task, TASK ACQUIRE(0xdb, 0, 8, 0))
TC(ok_acquire_map, MAP ACQUIRE(0xc3, 0, 8, 24))
TC(no_acquire_number, ACQUIRE(0xdb, 0, 7, 0))
TC(ok_release, VALUE RELEASE(0xdb, 8, 7, 56))
TC(no_release, VALUE RELEASE(0xdb, 8, 7, 64))
TC(no_release_unaligned, VALUE RELEASE(0xdb, 8, 7, 52))
TC(ok_release_stack, STACK "r1 = 63;" RELEASE(0xdb, 8, 1, 0) "r3 = *(u64 *)(r8 + 0); r2 = %[bytes] ll; r2 += r3; r0 = *(u8 *)(r2 + 0);")
TC(no_release_stack, STACK "r1 = 64;" RELEASE(0xdb, 8, 1, 0) "r3 = *(u64 *)(r8 + 0); r2 = %[bytes] ll; r2 += r3; r0 = *(u8 *)(r2 + 0);")
TC(ok_release_pointer, STACK RELEASE(0xdb, 8, 6, 0) "r1 = *(u64 *)(r8 + 0); r0 = *(u32 *)(r1 + 0);")
TC(no_release_ctx, CTX RELEASE(0xc3, 8, 7, 8))
TP(no_release_task, TASK RELEASE(0xdb, 8, 7, 0))
TC(no_release_unset, VALUE RELEASE(0xdb, 8, 1, 0))
TC(no_atomic_8, VALUE INSN(0xd3, 8, 7, 0, 0))
TC(no_atomic_unknown, VALUE INSN(0xdb, 8, 7, 0, 0x120))
TC(no_fetch_16, VALUE INSN(0xcb, 8, 7, 0, 1))

/* Signed loads. */
TC(ok_signed_stack, STACK "*(u64 *)(r8 + 0) = -1; r1 = *(s32 *)(r8 + 0); r1 += 1; r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 63);")
TC(no_unsigned_stack, STACK "*(u64 *)(r8 + 0) = -1; r1 = *(u32 *)(r8 + 0); r1 += 1; r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 63);")
TC(no_signed_ctx_pointer, "r1 = *(s32 *)(r6 + 76); r0 = *(u8 *)(r1 + 0);")
TC(ok_signed_ctx, "r1 = *(s32 *)(r6 + 0); r1 s>>= 26; r1 += 32; r2 = %[bytes] ll; r2 += r1; r0 = *(u8 *)(r2 + 0);")
TC(no_signed_ctx, "r1 = *(s32 *)(r6 + 0); r1 s>>= 26; r2 = %[bytes] ll; r2 += 32; r2 += r1; r0 = *(u8 *)(r2 + 0);")
TC(no_signed_ctx_less, "r1 = *(s32 *)(r6 + 0); r1 s>>= 26; r2 = %[bytes] ll; r2 += 31; r2 += r1; r0 = *(u8 *)(r2 + 0);")
TC(no_signed_pointer, STACK "*(u64 *)(r8 + 0) = r6; r1 = *(s32 *)(r8 + 0);")

/* Stored. */
TC(ok_store_pointer_value, VALUE "*(u64 *)(r8 + 0) = r6;")
TC(no_store_pointer_read, VALUE "*(u64 *)(r8 + 0) = r6; r1 = *(u64 *)(r8 + 0); r0 = *(u32 *)(r1 + 0);")
TC(ok_store_pointer_32, VALUE "*(u32 *)(r8 + 0) = r6;")
TC(ok_store_pointer_ctx, "*(u32 *)(r6 + 8) = r10;")
TC(no_store_number_ctx_wide, "*(u64 *)(r6 + 8) = r10;")
TC(ok_store_record, RECORD "*(u64 *)(r8 + 0) = r10;" SUBMIT)
