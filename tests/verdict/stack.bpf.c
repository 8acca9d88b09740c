/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack: a number that went through it indexes 64 bytes of a map, to show what is still known
 * of it. 9 is where a path leaves without indexing.
 */
#include "common.h"

char bytes[64];

/* r0 and r6 are random, r7 is the context. */
#define STACK(name, text)                                                                          \
	SEC("socket") NAKED int name(void)                                                         \
	{                                                                                          \
		asm volatile("r7 = r1; call %[random]; r6 = r0; call %[random];" text              \
			     "r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0); 9: r0 = 0; exit;"  \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), __imm_addr(bytes));              \
	}

/* A number comes back from the stack as it was, if as wide as it went. */
STACK(ok_spill, "r0 &= 63; *(u64 *)(r10 - 8) = r0; r0 = *(u64 *)(r10 - 8);")
STACK(no_spill, "r0 &= 64; *(u64 *)(r10 - 8) = r0; r0 = *(u64 *)(r10 - 8);")
STACK(ok_spill_32, "r0 &= 63; *(u32 *)(r10 - 8) = r0; r0 = *(u32 *)(r10 - 8);")
STACK(no_spill_32_upper, "r0 &= 63; *(u32 *)(r10 - 4) = r0; r0 = *(u32 *)(r10 - 4);")
STACK(ok_spill_16, "r0 &= 63; *(u16 *)(r10 - 8) = r0; r0 = *(u16 *)(r10 - 8);")
STACK(no_spill_16_upper, "r0 &= 63; *(u16 *)(r10 - 6) = r0; r0 = *(u16 *)(r10 - 6);")
STACK(ok_spill_8, "r0 &= 63; *(u8 *)(r10 - 8) = r0; r0 = *(u8 *)(r10 - 8);")
STACK(no_spill_8_middle, "r0 &= 63; *(u8 *)(r10 - 7) = r0; r0 = *(u8 *)(r10 - 7);")
STACK(ok_spill_signed, "r0 &= 63; *(u64 *)(r10 - 8) = r0; r0 = *(s8 *)(r10 - 8);")
STACK(no_spill_signed, "r0 &= 191; *(u64 *)(r10 - 8) = r0; r0 = *(s8 *)(r10 - 8);")
STACK(ok_fill_8_of_64, "r0 &= 63; *(u64 *)(r10 - 8) = r0; r0 = *(u8 *)(r10 - 8);")
STACK(ok_fill_32_of_64, "r0 &= 63; *(u64 *)(r10 - 8) = r0; r0 = *(u32 *)(r10 - 8);")
STACK(no_fill_32_of_cut, "*(u64 *)(r10 - 8) = r0; r0 = *(u32 *)(r10 - 8);")
STACK(ok_fill_upper_of_small, "r0 &= 63; *(u64 *)(r10 - 8) = r0; r0 = *(u32 *)(r10 - 4); r0 &= 63;")
STACK(no_fill_upper_of_small, "r0 &= 63; *(u64 *)(r10 - 8) = r0; r0 = *(u32 *)(r10 - 4);")
STACK(no_fill_wider, "r0 &= 63; *(u32 *)(r10 - 8) = r0; r0 = *(u64 *)(r10 - 8);")
STACK(no_fill_wider_zeros, "r0 &= 63; r1 = 0; *(u64 *)(r10 - 8) = r1; *(u32 *)(r10 - 8) = 5; r0 = *(u32 *)(r10 - 4);")
STACK(ok_fill_after_cut, "r0 &= 63; r0 |= 0x700; *(u8 *)(r10 - 8) = r0; r0 = *(u8 *)(r10 - 8);")
STACK(no_fill_after_cut, "r0 &= 127; r0 |= 0x700; *(u8 *)(r10 - 8) = r0; r0 = *(u8 *)(r10 - 8);")
STACK(ok_twice, "r0 &= 63; *(u64 *)(r10 - 8) = r0; *(u64 *)(r10 - 16) = r6; r0 = *(u64 *)(r10 - 8);")
STACK(no_overwritten, "r0 &= 63; *(u64 *)(r10 - 8) = r0; *(u64 *)(r10 - 8) = r6; r0 = *(u64 *)(r10 - 8);")
STACK(no_overwritten_byte, "r0 &= 63; *(u64 *)(r10 - 8) = r0; *(u8 *)(r10 - 1) = r6; r0 = *(u64 *)(r10 - 8);")
STACK(no_overwritten_byte_fill_8, "r0 &= 63; *(u64 *)(r10 - 8) = r0; *(u8 *)(r10 - 1) = r6; r0 = *(u8 *)(r10 - 8);")
STACK(no_overwritten_zero, "r0 &= 63; *(u64 *)(r10 - 8) = r0; *(u8 *)(r10 - 1) = 0; r0 = *(u64 *)(r10 - 8);")
STACK(no_high_half_kept, "*(u64 *)(r10 - 8) = 0; *(u32 *)(r10 - 8) = r0; r0 = *(u32 *)(r10 - 4);")
STACK(no_low_half, "*(u64 *)(r10 - 8) = 0; *(u32 *)(r10 - 8) = r0; r0 = *(u32 *)(r10 - 8);")
STACK(no_high_half_byte, "*(u64 *)(r10 - 8) = 0; *(u8 *)(r10 - 8) = r0; r0 = *(u16 *)(r10 - 6);")

/* Numbers stored as such; zeroes put together. */
STACK(ok_imm, "*(u64 *)(r10 - 8) = 63; r0 = *(u64 *)(r10 - 8);")
STACK(no_imm, "*(u64 *)(r10 - 8) = 64; r0 = *(u64 *)(r10 - 8);")
STACK(ok_imm_32, "*(u32 *)(r10 - 8) = 63; r0 = *(u32 *)(r10 - 8);")
STACK(no_imm_negative, "*(u64 *)(r10 - 8) = -1; r0 = *(u64 *)(r10 - 8);")
STACK(ok_imm_negative, "*(u64 *)(r10 - 8) = -1; r0 = *(u64 *)(r10 - 8); r0 += 64;")
STACK(no_imm_negative_32, "*(u32 *)(r10 - 8) = -1; r0 = *(u32 *)(r10 - 8); r0 += 64;")
STACK(ok_imm_upper_zero, "*(u64 *)(r10 - 8) = 0; r0 = *(u8 *)(r10 - 3);")
STACK(no_imm_upper_number, "*(u64 *)(r10 - 8) = 5; r0 = *(u8 *)(r10 - 3);")
STACK(no_zeroes_low_first, "*(u32 *)(r10 - 8) = 0; *(u16 *)(r10 - 4) = 0; *(u16 *)(r10 - 2) = 0; r0 = *(u64 *)(r10 - 8);")
STACK(no_zeroes_missing, "*(u32 *)(r10 - 8) = 0; *(u16 *)(r10 - 4) = 0; *(u8 *)(r10 - 2) = 0; r0 = *(u64 *)(r10 - 8);")
STACK(no_numbers_together, "*(u32 *)(r10 - 8) = 7; *(u32 *)(r10 - 4) = 0; r0 = *(u64 *)(r10 - 8);")
STACK(no_never_written, "r0 = *(u8 *)(r10 - 8);")
STACK(ok_never_written, "r0 = *(u8 *)(r10 - 8); if r0 > 63 goto 9f;")
STACK(no_zero_register_byte, "*(u64 *)(r10 - 8) = 0; r1 = 0; *(u8 *)(r10 - 5) = r1; r0 = *(u64 *)(r10 - 8);")
STACK(no_random_register_byte, "*(u64 *)(r10 - 8) = 0; *(u8 *)(r10 - 5) = r6; r0 = *(u64 *)(r10 - 8);")
STACK(no_zero_on_one_path, "*(u64 *)(r10 - 8) = 0; r1 = 0; if r6 > 5 goto 1f; *(u8 *)(r10 - 5) = r1; 1: r0 = *(u64 *)(r10 - 8);")
STACK(no_number_on_one_path, "*(u64 *)(r10 - 8) = 0; r1 = 1; if r6 > 5 goto 1f; *(u8 *)(r10 - 5) = r1; 1: r0 = *(u64 *)(r10 - 8);")
STACK(no_register_on_one_path, "*(u64 *)(r10 - 8) = 0; r1 = 0; if r6 > 5 goto 1f; r1 = 1; 1: *(u8 *)(r10 - 5) = r1; r0 = *(u64 *)(r10 - 8);")

/* Bytes that do not begin a slot are zeroes when zero is stored; together they are a number. */
#define ZEROES "*(u32 *)(r10 - 4) = 0; *(u16 *)(r10 - 6) = 0; *(u8 *)(r10 - 7) = 0;"
STACK(ok_zeroes_upper, ZEROES "r0 = *(u32 *)(r10 - 4);")
STACK(ok_zeroes_each, ZEROES "r0 = *(u8 *)(r10 - 7); r1 = *(u16 *)(r10 - 6); r0 += r1;")
STACK(no_zeroes_hole, ZEROES "*(u8 *)(r10 - 3) = r6; r0 = *(u32 *)(r10 - 4);")
STACK(ok_zeroes_beside_hole, ZEROES "*(u8 *)(r10 - 3) = r6; r0 = *(u16 *)(r10 - 2);")
STACK(ok_zeroes_filled, ZEROES "*(u8 *)(r10 - 3) = r6; r1 = 0; *(u8 *)(r10 - 3) = r1; r0 = *(u32 *)(r10 - 4);")
STACK(no_zeroes_whole_zero, ZEROES "*(u8 *)(r10 - 8) = 0; r0 = *(u64 *)(r10 - 8);")
STACK(no_zeroes_whole, ZEROES "*(u8 *)(r10 - 8) = 1; r0 = *(u64 *)(r10 - 8);")
STACK(ok_zeroes_kept_above, ZEROES "*(u8 *)(r10 - 8) = r6; r0 = *(u32 *)(r10 - 4);")
STACK(ok_zeroes_somewhere, ZEROES "r6 &= 3; r1 = r10; r1 += r6; r0 = *(u8 *)(r1 - 6);")
STACK(no_zeroes_somewhere, ZEROES "r6 &= 3; r1 = r10; r1 += r6; r0 = *(u8 *)(r1 - 8);")
STACK(ok_zeroes_joined, ZEROES "r1 = 0; if r6 > 5 goto 1f; *(u8 *)(r10 - 3) = r1; 1: r0 = *(u32 *)(r10 - 4);")
STACK(no_zeroes_joined, ZEROES "r1 = 0; if r6 > 5 goto 1f; r1 = r6; 1: *(u8 *)(r10 - 3) = r1; r0 = *(u32 *)(r10 - 4);")
STACK(no_zeroes_joined_number, ZEROES "r1 = 0; if r6 > 5 goto 1f; r1 = 1; 1: *(u8 *)(r10 - 3) = r1; r0 = *(u32 *)(r10 - 4);")

/* Somewhere in a range. */
STACK(ok_write_somewhere, "r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 8) = 1; r0 = *(u8 *)(r10 - 8); r0 &= 63;")
STACK(no_write_above, "r6 &= 15; r1 = r10; r1 += r6; *(u8 *)(r1 - 8) = 1; r0 = 0;")
STACK(no_write_below, "r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 513) = 1; r0 = 0;")
STACK(ok_write_lowest, "r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 512) = 1; r0 = 0;")
STACK(no_written_over, "*(u64 *)(r10 - 8) = 5; r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 8) = 1; r0 = *(u64 *)(r10 - 8);")
STACK(ok_not_written_over, "*(u64 *)(r10 - 16) = 5; r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 8) = 1; r0 = *(u64 *)(r10 - 16);")
STACK(ok_zeroes_over_zeroes, "*(u64 *)(r10 - 8) = 0; r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 8) = 0; r0 = *(u8 *)(r10 - 8);")
STACK(no_zeroes_over_numbers, "*(u64 *)(r10 - 8) = 5; r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 8) = 0; r0 = *(u8 *)(r10 - 8);")
STACK(no_read_somewhere_constant, "*(u64 *)(r10 - 8) = 0; r6 &= 7; r1 = r10; r1 += r6; r0 = *(u8 *)(r1 - 8);")
STACK(no_read_somewhere, "*(u64 *)(r10 - 8) = 5; r6 &= 7; r1 = r10; r1 += r6; r0 = *(u8 *)(r1 - 8);")
STACK(no_read_past, "*(u64 *)(r10 - 8) = 0; r6 &= 7; r1 = r10; r1 += r6; r0 = *(u16 *)(r1 - 8);")
STACK(no_read_unaligned_somewhere, "r6 &= 3; r1 = r10; r1 += r6; r0 = *(u32 *)(r1 - 16); r0 &= 63;")
STACK(ok_read_aligned_somewhere, "r6 &= 4; r1 = r10; r1 += r6; r0 = *(u32 *)(r1 - 16); r0 &= 63;")

/* Aligned, within 512 bytes. */
STACK(ok_lowest, "*(u64 *)(r10 - 512) = r0; r0 = 0;")
STACK(no_lowest, "*(u64 *)(r10 - 520) = r0; r0 = 0;")
STACK(no_at_frame, "*(u64 *)(r10 + 0) = r0; r0 = 0;")
STACK(no_unaligned_8, "*(u64 *)(r10 - 12) = r0; r0 = 0;")
STACK(no_unaligned_4, "*(u32 *)(r10 - 6) = r0; r0 = 0;")
STACK(no_unaligned_2, "*(u16 *)(r10 - 3) = r0; r0 = 0;")
STACK(no_unaligned_read, "r0 = *(u64 *)(r10 - 12); r0 &= 63;")
STACK(ok_pointer_moved, "r1 = r10; r1 += -600; r1 += 592; *(u64 *)(r1 + 0) = r0; r0 = 0;")

/* Pointers. */
STACK(ok_pointer, "*(u64 *)(r10 - 8) = r7; r1 = *(u64 *)(r10 - 8); r0 = *(u32 *)(r1 + 0); r0 &= 63;")
STACK(no_pointer_32, "*(u32 *)(r10 - 8) = r7; r0 = 0;")
STACK(no_pointer_read_32, "*(u64 *)(r10 - 8) = r7; r0 = *(u32 *)(r10 - 8); r0 &= 63;")
STACK(no_pointer_read_upper, "*(u64 *)(r10 - 8) = r7; r0 = *(u32 *)(r10 - 4); r0 &= 63;")
STACK(no_pointer_overwritten, "*(u64 *)(r10 - 8) = r7; *(u8 *)(r10 - 8) = 0; r1 = *(u64 *)(r10 - 8); r0 = *(u32 *)(r1 + 0); r0 &= 63;")
STACK(ok_pointer_overwritten, "*(u64 *)(r10 - 8) = r7; *(u8 *)(r10 - 8) = 0; r0 = *(u64 *)(r10 - 8); r0 &= 63;")
STACK(no_pointer_written_over, "*(u64 *)(r10 - 8) = r7; r6 &= 15; r1 = r10; r1 += r6; *(u8 *)(r1 - 16) = 0; r1 = *(u64 *)(r10 - 8); r0 = *(u32 *)(r1 + 0); r0 &= 63;")
STACK(ok_pointer_not_written_over, "*(u64 *)(r10 - 8) = r7; r6 &= 7; r1 = r10; r1 += r6; *(u8 *)(r1 - 16) = 0; r1 = *(u64 *)(r10 - 8); r0 = *(u32 *)(r1 + 0); r0 &= 63;")
STACK(no_pointer_read_somewhere, "*(u64 *)(r10 - 8) = r7; *(u64 *)(r10 - 16) = r7; r6 &= 8; r1 = r10; r1 += r6; r1 = *(u64 *)(r1 - 16); r0 = *(u32 *)(r1 + 0); r0 &= 63;")
STACK(ok_pointer_add_atomic, "*(u64 *)(r10 - 8) = 5; r1 = 1; lock *(u64 *)(r10 - 8) += r1; r0 = *(u64 *)(r10 - 8); r0 &= 63;")
STACK(no_number_after_atomic, "*(u64 *)(r10 - 8) = 5; r1 = 1; lock *(u64 *)(r10 - 8) += r1; r0 = *(u64 *)(r10 - 8);")
STACK(no_pointer_after_atomic, "*(u64 *)(r10 - 8) = r7; r1 = 0; lock *(u64 *)(r10 - 8) += r1; r1 = *(u64 *)(r10 - 8); r0 = *(u32 *)(r1 + 0); r0 &= 63;")
STACK(ok_stack_in_stack, "*(u64 *)(r10 - 16) = 63; r1 = r10; r1 += -16; *(u64 *)(r10 - 8) = r1; r1 = *(u64 *)(r10 - 8); r0 = *(u64 *)(r1 + 0);")
