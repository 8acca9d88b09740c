/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of a number: each program bounds a random one in its own way and then uses it as
 * an index into 64 bytes of a map, or of the stack. 9 is where a path leaves without indexing.
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
/* r0 and r6 are random. */
#define MAP2(name, text) ASM(name, "call %[random]; r6 = r0; call %[random];" text AT(r0) END)
#define STACK(name, text)                                                                          \
	ASM(name, "call %[random];" text "r1 = r10; r1 += -64; r1 += r0; r0 = *(u8 *)(r1 + 0);" END)

/* Masks, sums, products. */
MAP(ok_and, "r0 &= 63;")
MAP(no_and, "r0 &= 64;")
MAP(ok_and_or, "r0 &= 31; r0 |= 32;")
MAP(no_and_or, "r0 &= 31; r0 |= 64;")
MAP(ok_and_xor, "r0 &= 60; r0 ^= 3;")
MAP(no_and_xor, "r0 &= 60; r0 ^= 67;")
MAP(ok_and_32, "w0 &= 63;")
MAP(no_and_32, "w0 &= 127;")
MAP(ok_and_high, "r2 = 0xf0000003f ll; r0 &= r2; w0 = w0;")
MAP(no_and_high, "r2 = 0xf0000003f ll; r0 &= r2;")
MAP(ok_add, "r0 &= 15; r0 += 48;")
MAP(no_add, "r0 &= 15; r0 += 49;")
MAP(ok_add_negative, "r0 &= 15; r0 += 56; r0 += -8;")
MAP(no_add_negative, "r0 &= 15; r0 += -1;")
MAP(ok_add_wraps_32, "w0 &= 15; w0 += -16; w0 += 64;")
MAP(no_add_wraps_32, "w0 &= 15; w0 += -16; r0 += 64;")
MAP(ok_sub, "r0 &= 31; r2 = 63; r2 -= r0; r0 = r2;")
MAP(no_sub, "r0 &= 31; r2 = 30; r2 -= r0; r0 = r2;")
MAP2(ok_sub_two, "r0 &= 31; r6 &= 31; r0 -= r6; r0 += 31;")
MAP2(no_sub_two, "r0 &= 31; r6 &= 31; r0 -= r6; r0 += 30;")
MAP(ok_mul, "r0 &= 7; r0 *= 9;")
MAP(no_mul, "r0 &= 7; r0 *= 10;")
MAP(ok_mul_even, "r0 &= 3; r0 *= 21;")
MAP2(ok_mul_two, "r0 &= 7; r6 &= 7; r0 *= r6;")
MAP2(no_mul_two, "r0 &= 7; r6 &= 15; r0 *= r6;")
MAP2(ok_mul_negative, "r0 &= 7; r0 *= -7; r0 += 49;")
MAP2(no_mul_negative, "r0 &= 7; r0 *= -7; r0 += 48;")
MAP(no_mul_overflows, "r0 *= 2; r0 &= 129;")
MAP(ok_neg, "r0 &= 63; r0 = -r0; r0 += 63;")
MAP(no_neg, "r0 &= 63; r0 = -r0; r0 += 62;")
MAP(ok_neg_32, "w0 &= 63; w0 = -w0; w0 += 63;")
MAP(no_neg_32, "w0 &= 63; w0 = -w0; w0 += 64;")
MAP2(ok_xor_two, "r0 &= 63; r6 &= 31; r0 ^= r6;")
MAP2(no_xor_two, "r0 &= 63; r6 &= 64; r0 ^= r6;")
MAP2(ok_or_two, "r0 &= 60; r6 &= 63; r0 |= r6;")
MAP(no_alone, "")

/* The forks of a sign taken as a mask. */
MAP(ok_sign_mask, "r0 s>>= 63; r0 &= 63;")
MAP(no_sign_mask, "r0 s>>= 63; r0 &= 64;")
MAP(ok_sign_mask_or, "r0 s>>= 63; r0 |= 63; r0 += 1; r0 &= 64; if r0 != 0 goto 9f;")
MAP(ok_sign_mask_32, "w0 s>>= 31; w0 &= 63;")
MAP(no_sign_mask_32, "w0 s>>= 31; w0 &= -64;")

/* Shifts. */
MAP(ok_rsh, "r0 >>= 58;")
MAP(no_rsh, "r0 >>= 57;")
MAP(ok_rsh_32, "w0 >>= 26;")
MAP(no_rsh_32, "w0 >>= 25;")
MAP(ok_arsh, "r0 s>>= 59; r0 += 16;")
MAP(no_arsh, "r0 s>>= 58; r0 += 16;")
MAP(ok_arsh_32, "w0 s>>= 27; w0 += 16;")
MAP(no_arsh_32, "w0 s>>= 27; r0 += 16;")
MAP(ok_lsh, "r0 &= 7; r0 <<= 3;")
MAP(no_lsh, "r0 &= 8; r0 <<= 3;")
MAP(ok_lsh_rsh, "r0 <<= 58; r0 >>= 58;")
MAP(no_lsh_rsh, "r0 <<= 57; r0 >>= 57;")
MAP(ok_lsh_32_drops, "r0 &= 63; r0 |= 0xff00; r0 <<= 24; w0 >>= 24; w0 &= 63;")
MAP(ok_shift_by_known, "r2 = 58; r0 >>= r2;")
MAP2(no_shift_by_random, "r6 &= 3; r6 += 58; r0 >>= r6;")
MAP2(no_shift_by_too_much, "r6 = 64; r0 = 1; r0 >>= r6;")
MAP(no_shift_64, "r0 >>= 64;")
MAP(no_shift_32_by_32, "w0 >>= 32;")
MAP(ok_arsh_negative_known, "r0 = -64; r0 s>>= 3; r0 += 8;")
MAP(no_arsh_negative_known, "r0 = -64; r0 s>>= 3; r0 += 7;")

/* Quotients and remainders say nothing, whatever the divisor. */
MAP(ok_div_then_and, "r0 /= 16; r0 &= 63;")
MAP(no_div, "r0 &= 255; r0 /= 16;")
MAP(no_mod, "r0 %%= 64;")
MAP(no_mod_32, "w0 %%= 64;")
MAP(no_sdiv, "r0 &= 63; r0 s/= 2;")
MAP(no_smod, "r0 s%%= 32; r0 += 31;")
MAP(no_div_known, "r0 = 64; r0 /= 2;")
MAP(no_div_zero, "r0 /= 0; r0 &= 63;")
MAP(no_mod_zero_32, "w0 %%= 0; w0 &= 63;")
MAP(ok_div_zero_register, "r2 = 0; r0 /= r2; r0 &= 63;")
MAP(ok_div_32_bounded, "w0 /= 3; if r0 > 63 goto 9f;")
MAP(no_div_32_bounded, "w0 /= 3; if w0 > 63 goto 9f;")

/* Byte order. */
MAP(ok_swap, "r0 &= 0x3f00; r0 = bswap16 r0;")
MAP(no_swap, "r0 &= 0x7f00; r0 = bswap16 r0;")
MAP(ok_swap_32, "r0 &= 0x3f000000; r0 = bswap32 r0;")
MAP(no_swap_32, "r0 &= 0x7f000000; r0 = bswap32 r0;")
MAP(ok_swap_64, "r2 = 0x3f00000000000000 ll; r0 &= r2; r0 = bswap64 r0;")
MAP(no_swap_64, "r2 = 0x3f01000000000000 ll; r0 &= r2; r0 = bswap64 r0;")
MAP(ok_be, "r0 &= 0x3f00; r0 = be16 r0;")
MAP(no_be, "r0 &= 0x3f00; r0 = be32 r0;")
MAP(ok_le_cuts, "r2 = 0xff000000000f ll; r0 &= r2; r0 = le16 r0;")
MAP(no_le_keeps, "r2 = 0xff000000000f ll; r0 &= r2; r0 = le64 r0;")
MAP(ok_swap_constant, "r0 = 0x3f00; r0 = bswap16 r0;")
MAP(no_swap_constant, "r0 = 0x4000; r0 = bswap16 r0;")

/* Moves: truncated, extended. */
MAP(ok_movs8, "r0 &= 63; r0 = (s8)r0;")
MAP(no_movs8, "r0 &= 191; r0 = (s8)r0;")
MAP(ok_movs8_range, "r0 = (s8)r0; r0 += 128; r0 >>= 2;")
MAP(no_movs8_range, "r0 = (s8)r0; r0 += 128; r0 >>= 1;")
MAP(ok_movs16_range, "r0 = (s16)r0; r0 += 32768; r0 >>= 10;")
MAP(no_movs16_range, "r0 = (s16)r0; r0 += 32767; r0 >>= 10;")
MAP(ok_movs32, "w0 &= 63; r0 = (s32)r0;")
MAP(no_movs32, "w0 |= 0x80000000; r0 = (s32)r0;")
MAP(ok_movs8_32, "w0 = (s8)w0; w0 += 128; w0 >>= 2;")
MAP(no_movs8_32, "w0 = (s8)w0; r0 += 128; r0 >>= 2;")
MAP(ok_movs16_32, "w0 = (s16)w0; w0 += 32768; w0 >>= 10;")
MAP(ok_mov_32_cuts, "r2 = 0x10000003f ll; r0 &= r2; w0 = w0;")
MAP(no_mov_32_cuts, "r2 = 0x10000007f ll; r0 &= r2; w0 = w0;")
MAP(ok_mov_imm, "r0 = 63;")
MAP(no_mov_imm, "r0 = 64;")
MAP(ok_mov_imm_32, "w0 = -1; w0 += 64;")
MAP(no_mov_imm_32, "w0 = -1; r0 += 64;")

/* The stack instead of the map. */
STACK(ok_stack, "r0 &= 63;")
STACK(no_stack, "r0 &= 64;")
STACK(ok_stack_above, "if r0 > 63 goto 9f;")
STACK(no_stack_above, "if r0 > 64 goto 9f;")
STACK(no_stack_signed, "if r0 s> 63 goto 9f;")
STACK(ok_stack_below, "if r0 s> 63 goto 9f; if r0 s< -448 goto 9f;")
STACK(no_stack_below, "if r0 s> 63 goto 9f; if r0 s< -449 goto 9f;")
