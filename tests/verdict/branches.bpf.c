/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a branch says of a number, and of those linked to it: bounded by comparisons, a random
 * number indexes 64 bytes of a map. 9 is where a path leaves without indexing.
 */
#include "common.h"

char bytes[64];

#define AT(r) "r1 = %[bytes] ll; r1 += " #r "; r0 = *(u8 *)(r1 + 0);"
#define END "9: r0 = 0; exit;"
#define ASM(name, text)                                                                            \
	SEC("socket") NAKED int name(void)                                                         \
	{                                                                                          \
		asm volatile(text : : [random] "i"(bpf_get_prandom_u32), __imm_addr(bytes));       \
	}
/* r0 is random; TEXT bounds it. */
#define MAP(name, text) ASM(name, "call %[random];" text AT(r0) END)
/* r0 and r6 are random; r0 is the index. */
#define MAP2(name, text) ASM(name, "call %[random]; r6 = r0; call %[random];" text AT(r0) END)
/* r0 is random; another register is the index. */
#define LINK(name, text, r) ASM(name, "call %[random];" text AT(r) END)

/* Unsigned, with numbers. */
MAP(ok_gt, "if r0 > 63 goto 9f;")
MAP(no_gt, "if r0 > 64 goto 9f;")
MAP(ok_ge, "if r0 >= 64 goto 9f;")
MAP(no_ge, "if r0 >= 65 goto 9f;")
MAP(ok_lt, "if r0 < 64 goto 1f; goto 9f; 1:")
MAP(no_lt, "if r0 < 65 goto 1f; goto 9f; 1:")
MAP(ok_le, "if r0 <= 63 goto 1f; goto 9f; 1:")
MAP(no_le, "if r0 <= 64 goto 1f; goto 9f; 1:")
MAP(ok_gt_max, "if r0 > 63 goto 9f; if r0 > -1 goto 9f;")
MAP(ok_lt_zero, "if r0 < 0 goto 1f; r0 = 0; 1:")
MAP(no_gt_negative, "if r0 > -64 goto 1f; goto 9f; 1:")

/* Signed. */
MAP(ok_sgt, "if r0 s> 63 goto 9f; if r0 s< 0 goto 9f;")
MAP(no_sgt, "if r0 s> 63 goto 9f; if r0 s< -1 goto 9f;")
MAP(ok_sge, "if r0 s>= 64 goto 9f; if r0 s>= 0 goto 1f; goto 9f; 1:")
MAP(no_sge, "if r0 s>= 64 goto 9f; if r0 s>= -1 goto 1f; goto 9f; 1:")
MAP(ok_sle, "if r0 s<= -1 goto 9f; if r0 s<= 63 goto 1f; goto 9f; 1:")
MAP(no_sle, "if r0 s<= -2 goto 9f; if r0 s<= 63 goto 1f; goto 9f; 1:")
MAP(ok_signed_shifted, "if r0 s> 31 goto 9f; if r0 s< -32 goto 9f; r0 += 32;")
MAP(no_signed_shifted, "if r0 s> 32 goto 9f; if r0 s< -32 goto 9f; r0 += 32;")
MAP(ok_mixed, "if r0 s< 0 goto 9f; if r0 > 63 goto 9f;")
MAP(no_mixed, "if r0 > 0x7fffffff goto 9f; if r0 s< 64 goto 9f;")
MAP(ok_sign_by_unsigned, "if r0 > 0x7fffffff goto 9f; if r0 s> 63 goto 9f;")
MAP(no_sign_by_unsigned, "if r0 < 0x7fffffff goto 9f; if r0 s> 63 goto 9f;")

/* The low half alone. */
MAP(ok_32, "if w0 > 63 goto 9f; w0 = w0;")
MAP(no_32, "if w0 > 63 goto 9f;")
MAP(ok_32_signed, "if w0 s> 63 goto 9f; if w0 s< 0 goto 9f; w0 = w0;")
MAP(no_32_signed, "if w0 s> 63 goto 9f; if w0 s< -1 goto 9f; w0 = w0;")
MAP(ok_32_upper_known, "w0 = w0; if w0 > 63 goto 9f;")
MAP(ok_32_then_64, "if w0 > 63 goto 9f; r2 = 0xffffffff ll; if r0 > r2 goto 9f;")
MAP(no_32_then_64, "if w0 > 63 goto 9f; r2 = 0x100000000 ll; if r0 > r2 goto 9f;")
MAP(ok_32_extended, "r0 = (s32)r0; if w0 s> 63 goto 9f; if w0 s< 0 goto 9f;")
MAP(no_32_extended, "if w0 s> 63 goto 9f; if w0 s< 0 goto 9f; r0 = (s32)r0;")
MAP(ok_64_signed_32, "if r0 s> 63 goto 9f; if r0 s< -64 goto 9f; if w0 s< 0 goto 9f;")
MAP(no_64_signed_32, "if r0 s> 63 goto 9f; if r0 s< -64 goto 9f; if w0 s< -1 goto 9f;")
MAP(ok_32_of_high, "r2 = 0x100000000 ll; if r0 < r2 goto 9f; r2 = 0x1ffffffff ll; if r0 > r2 goto 9f; if w0 > 63 goto 9f; w0 = w0;")
MAP(ok_32_sub_high, "r2 = 0x100000000 ll; if r0 < r2 goto 9f; r3 = 0x1ffffffff ll; if r0 > r3 goto 9f; if w0 > 63 goto 9f; r0 -= r2;")
MAP(no_32_sub_high, "r2 = 0x100000000 ll; if r0 < r2 goto 9f; r3 = 0x200000000 ll; if r0 > r3 goto 9f; if w0 > 63 goto 9f; r0 -= r2;")

/* Equal, unequal, tested bits. */
MAP(ok_eq, "if r0 == 63 goto 1f; goto 9f; 1:")
MAP(no_eq, "if r0 == 64 goto 1f; goto 9f; 1:")
MAP(ok_ne, "if r0 > 64 goto 9f; if r0 == 64 goto 9f;")
MAP(no_ne, "if r0 > 64 goto 9f; if r0 == 63 goto 9f;")
MAP(ok_ne_first, "r0 &= 63; if r0 == 0 goto 9f; r0 += -1;")
MAP(no_ne_first, "r0 &= 63; if r0 == 1 goto 9f; r0 += -1;")
MAP(ok_ne_signed_end, "if r0 s< -1 goto 9f; if r0 s> 63 goto 9f; if r0 == -1 goto 9f;")
MAP(no_ne_signed_end, "if r0 s< -1 goto 9f; if r0 s> 63 goto 9f; if r0 == 0 goto 9f;")
MAP(ok_ne_32, "w0 &= 127; if w0 > 64 goto 9f; if w0 == 64 goto 9f;")
MAP(no_ne_32, "r0 &= 127; if r0 > 65 goto 9f; if w0 == 64 goto 9f;")
MAP(ok_eq_32, "if w0 == 63 goto 1f; goto 9f; 1: w0 = w0;")
MAP(no_eq_32, "if w0 == 63 goto 1f; goto 9f; 1:")
MAP(ok_set_false, "if r0 & -64 goto 9f;")
MAP(no_set_false, "if r0 & -128 goto 9f;")
MAP(ok_set_false_32, "if w0 & -64 goto 9f; w0 = w0;")
MAP(no_set_false_32, "if w0 & -64 goto 9f;")
MAP(ok_set_true, "r0 &= 127; if r0 & 64 goto 1f; goto 9f; 1: r0 += -64;")
MAP(no_set_true, "r0 &= 127; if r0 & 96 goto 1f; goto 9f; 1: r0 += -64;")
MAP(ok_set_known, "r0 &= 63; r0 |= 1; if r0 & 1 goto 1f; r0 += 64; 1:")
MAP(no_set_known, "r0 &= 63; r0 |= 1; if r0 & 2 goto 1f; r0 += 64; 1:")
MAP(ok_eq_bits, "r0 &= 126; if r0 == 65 goto 1f; goto 9f; 1: r0 = 64;")
MAP(no_eq_bits, "r0 &= 126; if r0 == 64 goto 1f; goto 9f; 1: r0 = 64;")
MAP(ok_eq_past_end, "r0 &= 63; if r0 != 64 goto 1f; r0 = 64; 1:")

/* With another register. */
MAP2(ok_lt_register, "r6 &= 63; if r0 > r6 goto 9f;")
MAP2(no_lt_register, "r6 &= 64; if r0 > r6 goto 9f;")
MAP2(ok_lt_strict, "r6 &= 63; r6 += 1; if r0 >= r6 goto 9f;")
MAP2(no_lt_strict, "r6 &= 63; r6 += 2; if r0 >= r6 goto 9f;")
MAP2(ok_eq_register, "r6 &= 63; if r0 != r6 goto 9f;")
MAP2(no_eq_register, "r6 &= 127; if r0 != r6 goto 9f;")
MAP2(ok_eq_both_sides, "r6 &= 96; r0 &= 31; if r0 != r6 goto 9f; r0 <<= 9;")
MAP2(ok_eq_meet, "if r6 > 70 goto 9f; r6 &= -8; r0 &= 127; if r0 < 57 goto 9f; if r0 != r6 goto 9f; r0 += -8;")
MAP2(no_eq_meet, "if r6 > 72 goto 9f; r6 &= -8; r0 &= 127; if r0 < 57 goto 9f; if r0 != r6 goto 9f; r0 += -8;")
MAP2(ok_never_equal, "r6 &= 2; r0 |= 1; if r0 != r6 goto 9f;")
MAP2(ok_signed_register, "r6 &= 63; if r0 s> r6 goto 9f; if r0 s< 0 goto 9f;")
MAP2(no_signed_register, "r6 &= 63; if r0 s> r6 goto 9f; if r6 s< 0 goto 9f;")
MAP2(ok_ne_register_known, "r6 = 64; if r0 > 64 goto 9f; if r0 == r6 goto 9f;")
MAP2(no_ne_register_range, "r6 &= 1; r6 += 63; if r0 > 64 goto 9f; if r0 == r6 goto 9f;")
MAP(no_itself, "r0 &= 127; if r0 != r0 goto 9f;")
MAP2(ok_set_register, "r6 = -64; if r0 & r6 goto 9f;")
MAP2(no_set_register, "r6 |= -64; if r0 & r6 goto 9f;")
MAP2(ok_32_register, "w6 &= 63; w0 = w0; if w0 > w6 goto 9f;")
MAP2(no_32_register, "w6 &= 63; if w0 > w6 goto 9f;")

/* Linked: what one learns, the others do. */
LINK(ok_copy, "r2 = r0; if r0 > 63 goto 9f;", r2)
LINK(no_copy, "r2 = r0; if r0 > 64 goto 9f;", r2)
LINK(ok_copy_back, "r2 = r0; if r2 > 63 goto 9f;", r0)
LINK(no_copy_changed, "r2 = r0; r2 *= 1; if r0 > 63 goto 9f;", r2)
LINK(ok_copy_added, "r2 = r0; r2 += 8; if r0 > 55 goto 9f;", r2)
LINK(no_copy_added, "r2 = r0; r2 += 8; if r0 > 56 goto 9f;", r2)
LINK(ok_copy_subtracted, "r2 = r0; r2 += -8; if r0 > 71 goto 9f; if r0 < 8 goto 9f;", r2)
LINK(no_copy_subtracted, "r2 = r0; r2 += -8; if r0 > 71 goto 9f; if r0 < 7 goto 9f;", r2)
LINK(ok_base_from_added, "r2 = r0; r2 += 8; if r2 > 71 goto 9f; if r2 < 8 goto 9f;", r0)
LINK(no_base_from_added, "r2 = r0; r2 += 8; if r2 > 71 goto 9f; if r2 < 7 goto 9f;", r0)
LINK(no_copy_added_twice, "r2 = r0; r2 += 4; r2 += 4; if r0 > 55 goto 9f;", r2)
LINK(ok_two_added, "r2 = r0; r3 = r0; r2 += 4; r3 += 9; if r2 > 58 goto 9f; if r2 < 4 goto 9f;", r3)
LINK(no_two_added, "r2 = r0; r3 = r0; r2 += 4; r3 += 9; if r2 > 59 goto 9f; if r2 < 4 goto 9f;", r3)
LINK(no_added_register, "r2 = r0; r3 = 8; r2 += r3; if r0 > 56 goto 9f;", r2)
LINK(ok_added_register, "r2 = r0; r3 = 8; r2 += r3; if r0 > 55 goto 9f;", r2)
LINK(no_doubled, "r2 = r0; r2 += r2; if r0 > 31 goto 9f;", r2)
LINK(ok_copy_32, "w0 = w0; r2 = r0; if w0 > 63 goto 9f;", r2)
LINK(no_copy_32_cut, "w2 = w0; if r0 > 64 goto 9f;", r2)
LINK(ok_copy_32_learns_by_itself, "w2 = w0; if w2 > 63 goto 9f;", r2)
LINK(no_copy_32_cut_back, "w2 = w0; if w2 > 63 goto 9f;", r0)
LINK(ok_copy_32_fits, "w0 = w0; w2 = w0; if r0 > 63 goto 9f;", r2)
LINK(ok_added_32, "w0 = w0; w2 = w0; w2 += 8; if r0 > 55 goto 9f;", r2)
LINK(no_added_32, "w0 = w0; w2 = w0; w2 += 8; if r0 > 56 goto 9f;", r2)
LINK(no_added_32_wraps, "w0 = w0; w2 = w0; w2 += 8; if w2 > 63 goto 9f;", r0)
LINK(ok_movs_fits, "r0 &= 127; r2 = (s8)r0; if r0 > 63 goto 9f;", r2)
LINK(no_movs_cut, "r0 &= 255; r2 = (s8)r0; if r0 > 63 goto 9f;", r2)
LINK(ok_spilled, "*(u64 *)(r10 - 8) = r0; if r0 > 63 goto 9f; r2 = *(u64 *)(r10 - 8);", r2)
LINK(no_spilled, "*(u64 *)(r10 - 8) = r0; if r0 > 64 goto 9f; r2 = *(u64 *)(r10 - 8);", r2)
LINK(ok_spilled_filled, "*(u64 *)(r10 - 8) = r0; r2 = *(u64 *)(r10 - 8); if r2 > 63 goto 9f;", r0)
LINK(ok_spilled_32, "w0 = w0; *(u32 *)(r10 - 8) = r0; if r0 > 63 goto 9f; r2 = *(u32 *)(r10 - 8);", r2)
LINK(no_spilled_32_cut, "*(u32 *)(r10 - 8) = r0; if r0 > 64 goto 9f; r2 = *(u32 *)(r10 - 8);", r2)
LINK(ok_filled_32_narrow, "r0 &= 255; *(u64 *)(r10 - 8) = r0; if r0 > 63 goto 9f; r2 = *(u32 *)(r10 - 8);", r2)
LINK(ok_six, "r2 = r0; r3 = r0; r4 = r0; r5 = r0; r6 = r0; if r0 > 63 goto 9f;", r6)
/* Six at most are followed; a register that is not read again is not one of them. */
#define EIGHT "r2 = r0; r3 = r0; r4 = r0; r5 = r0; r6 = r0; r7 = r0; r8 = r0; if r0 > 63 goto 9f;"
#define READ_EIGHT "w9 = w2; w9 = w3; w9 = w4; w9 = w5; w9 = w6; w9 = w7; w9 = w8;"
LINK(ok_eight_one_read, EIGHT, r8)
LINK(ok_eight_second, EIGHT READ_EIGHT, r2)
LINK(ok_eight_sixth, EIGHT READ_EIGHT, r6)
LINK(no_eight_seventh, EIGHT READ_EIGHT, r7)
LINK(no_eight_last, EIGHT READ_EIGHT, r8)
LINK(no_eight_then_again, EIGHT READ_EIGHT "if r7 > 63 goto 9f;", r8)
LINK(ok_spills_last,
     "r6 = r0; *(u64 *)(r10 - 8) = r0; *(u64 *)(r10 - 16) = r0; *(u64 *)(r10 - 24) = r0;"
     "*(u64 *)(r10 - 32) = r0; *(u64 *)(r10 - 40) = r0; if r6 > 63 goto 9f; r2 = *(u64 *)(r10 - 32);"
     "r3 = *(u64 *)(r10 - 40);", r2)
LINK(no_spills_last,
     "r6 = r0; *(u64 *)(r10 - 8) = r0; *(u64 *)(r10 - 16) = r0; *(u64 *)(r10 - 24) = r0;"
     "*(u64 *)(r10 - 32) = r0; *(u64 *)(r10 - 40) = r0; if r6 > 63 goto 9f; r2 = *(u64 *)(r10 - 40);"
     "r3 = r0; r3 = r6;", r2)
LINK(ok_both_sides, "r0 &= 255; r2 = r0; if r0 > 63 goto 1f; goto 2f; 1: r2 -= 192; if r2 s< 0 goto 9f; 2:", r2)
LINK(no_both_sides, "r0 &= 255; r2 = r0; if r0 > 63 goto 1f; goto 2f; 1: r2 -= 191; if r2 s< 0 goto 9f; 2:", r2)

/* Learned on one path, forgotten where paths meet. */
MAP2(ok_meet_bounded, "r0 &= 255; if r6 > 5 goto 1f; r0 &= 63; goto 2f; 1: r0 &= 31; 2:")
MAP2(no_meet_bounded, "r0 &= 255; if r6 > 5 goto 1f; r0 &= 63; goto 2f; 1: r0 &= 127; 2:")
MAP2(no_meet_linked, "r0 &= 255; r2 = r0; if r6 > 5 goto 1f; r2 = 0; 1: if r2 > 63 goto 9f;")
MAP2(ok_meet_linked, "r0 &= 255; r2 = r0; if r6 > 5 goto 1f; r2 = 0; r0 = r2; 1: if r2 > 63 goto 9f;")
MAP2(no_meet_linked_twice, "r0 &= 255; r6 &= 255; if r0 > 63 goto 1f; r6 = r0; 1: if r6 > 63 goto 9f;")
MAP2(ok_meet_linked_twice, "r0 &= 255; r6 &= 255; if r0 > 63 goto 1f; r6 = r0; goto 2f; 1: r0 = r6; 2: if r6 > 63 goto 9f;")
MAP2(no_difference, "r0 &= 255; r6 &= 255; if r0 > r6 goto 9f; r6 -= r0; r0 = r6;")
MAP2(no_delta_kept, "r0 &= 255; r2 = r0; if r6 > 5 goto 1f; r2 += 1; goto 2f; 1: r2 += 2; 2: if r2 > 65 goto 9f;")
MAP2(ok_delta_kept, "r0 &= 255; r2 = r0; if r6 > 5 goto 1f; r2 += 1; goto 2f; 1: r2 += 2; 2: if r2 > 64 goto 9f;")
