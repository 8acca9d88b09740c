/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions by their bytes: reserved fields, unknown codes, jumps out of place, old packet
 * loads. r0 is 0 and r6 the context where the raw bytes begin; 9 leaves.
 */
#include "common.h"

char bytes[64];

#define INSN(op, dst, src, off, imm)                                                               \
	".byte " #op "; .byte (" #src " << 4) + " #dst "; .short " #off "; .long " #imm ";"
#define ASM(kind, name, text)                                                                      \
	SEC(kind) NAKED int name(void)                                                             \
	{                                                                                          \
		asm volatile("r6 = r1; r0 = 0;" text "9: r0 = 0; exit;"                            \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), __imm_addr(bytes));              \
	}
#define SK(name, text) ASM("socket", name, text)

/* Arithmetic. */
SK(ok_mov, INSN(0xb7, 1, 0, 0, 5))
SK(no_mov_imm_source, INSN(0xb7, 1, 2, 0, 5))
SK(no_mov_imm_offset, INSN(0xb7, 1, 0, 8, 5))
SK(no_mov_reg_imm, INSN(0xbf, 1, 6, 0, 5))
SK(ok_movsx, INSN(0xbf, 1, 0, 8, 0))
SK(no_movsx_width, INSN(0xbf, 1, 0, 9, 0))
SK(ok_movsx_64_32, INSN(0xbf, 1, 0, 32, 0))
SK(no_movsx_32_32, INSN(0xbc, 1, 0, 32, 0))
SK(ok_movsx_32_16, INSN(0xbc, 1, 0, 16, 0))
SK(no_mov_register, INSN(0xbf, 11, 0, 0, 0))
SK(no_mov_from_register, INSN(0xbf, 1, 11, 0, 0))
SK(ok_div, INSN(0x37, 0, 0, 0, 3))
SK(ok_div_signed, INSN(0x37, 0, 0, 1, 3))
SK(no_div_offset, INSN(0x37, 0, 0, 2, 3))
SK(no_add_offset, INSN(0x07, 0, 0, 1, 3))
SK(no_add_reg_imm, INSN(0x0f, 0, 0, 0, 3))
SK(no_neg_source, INSN(0x87, 0, 1, 0, 0))
SK(no_neg_imm, INSN(0x87, 0, 0, 0, 1))
SK(no_neg_register_form, INSN(0x8f, 0, 0, 0, 0))
SK(ok_neg, INSN(0x87, 0, 0, 0, 0))
SK(ok_end, INSN(0xd4, 0, 0, 0, 16))
SK(no_end_width, INSN(0xd4, 0, 0, 0, 8))
SK(ok_swap, INSN(0xd7, 0, 0, 0, 64))
SK(no_swap_be, INSN(0xdf, 0, 0, 0, 64))
SK(ok_be, INSN(0xdc, 0, 0, 0, 64))
SK(no_end_source, INSN(0xd4, 0, 1, 0, 16))
SK(no_alu_code, INSN(0xe7, 0, 0, 0, 1))
SK(no_alu_code_last, INSN(0xf7, 0, 0, 0, 1))
SK(no_unset_source, INSN(0x0f, 0, 3, 0, 0))
SK(no_shift_negative, INSN(0x67, 0, 0, 0, -1))
SK(ok_shift_63, INSN(0x67, 0, 0, 0, 63))
SK(no_mod_zero, INSN(0x97, 0, 0, 0, 0))
SK(ok_mod_signed, INSN(0x97, 0, 0, 1, 5))
SK(ok_cast, INSN(0xb7, 1, 0, 0, 0))
SK(no_cast_without_arena, INSN(0xbf, 1, 0, 1, 1))

/* Loads and stores. */
SK(no_load_imm, INSN(0x79, 1, 10, -8, 1))
SK(ok_load, INSN(0x79, 1, 10, -8, 0))
SK(no_store_imm_field, INSN(0x7b, 10, 0, -8, 1))
SK(ok_store, INSN(0x7b, 10, 0, -8, 0))
SK(no_store_number_source, INSN(0x7a, 10, 1, -8, 1))
SK(ok_store_number, INSN(0x7a, 10, 0, -8, 1))
SK(no_load_signed_64, INSN(0x99, 1, 10, -8, 0))
SK(ok_load_signed_32, INSN(0x81, 1, 10, -8, 0))
SK(no_load_mode, INSN(0xb9, 1, 10, -8, 0))
SK(no_store_signed, INSN(0x9b, 10, 0, -8, 0))
SK(no_load_into_frame, INSN(0x79, 10, 10, -8, 0))
SK(no_atomic_and_what, INSN(0xdb, 10, 0, -8, 2))
SK(ok_atomic_fetch, "*(u64 *)(r10 - 8) = 0;" INSN(0xdb, 10, 0, -8, 1))
SK(no_atomic_sub, "*(u64 *)(r10 - 8) = 0;" INSN(0xdb, 10, 0, -8, 0x10))
SK(no_atomic_exchange_plain, "*(u64 *)(r10 - 8) = 0;" INSN(0xdb, 10, 0, -8, 0xe0))
SK(no_atomic_fetch_frame, "*(u64 *)(r10 - 8) = 0;" INSN(0xdb, 10, 10, -8, 1))
SK(ok_atomic_add_frame, "r1 = r10; *(u64 *)(r10 - 8) = 0;" INSN(0xdb, 10, 1, -8, 0))

/* Wide numbers. */
SK(ok_wide, INSN(0x18, 1, 0, 0, 5) INSN(0, 0, 0, 0, 7))
SK(no_wide_second_code, INSN(0x18, 1, 0, 0, 5) INSN(0xb7, 0, 0, 0, 7))
SK(no_wide_second_register, INSN(0x18, 1, 0, 0, 5) INSN(0, 1, 0, 0, 7))
SK(no_wide_second_offset, INSN(0x18, 1, 0, 0, 5) INSN(0, 0, 0, 1, 7))
SK(no_wide_offset, INSN(0x18, 1, 0, 1, 5) INSN(0, 0, 0, 0, 7))
SK(no_wide_kind, INSN(0x18, 1, 9, 0, 5) INSN(0, 0, 0, 0, 7))
SK(no_wide_map, INSN(0x18, 1, 1, 0, 9999) INSN(0, 0, 0, 0, 0))
SK(no_wide_into, "if r0 == 1 goto +1;" INSN(0x18, 1, 0, 0, 5) INSN(0, 0, 0, 0, 7))
SK(ok_wide_over, "if r0 == 1 goto +2;" INSN(0x18, 1, 0, 0, 5) INSN(0, 0, 0, 0, 7))
SK(no_wide_32, INSN(0x10, 1, 0, 0, 5) INSN(0, 0, 0, 0, 7))
SK(no_alone_second, INSN(0, 0, 0, 0, 7))

/* Jumps. */
SK(ok_jump, INSN(0x05, 0, 0, 0, 0))
SK(no_jump_imm, INSN(0x05, 0, 0, 0, 1))
SK(no_jump_source, INSN(0x05, 0, 1, 0, 0))
SK(no_jump_target, INSN(0x05, 1, 0, 0, 0))
SK(ok_jump_long, INSN(0x06, 0, 0, 0, 0))
SK(no_jump_long_offset, INSN(0x06, 0, 0, 1, 0))
SK(no_jump_out, INSN(0x55, 0, 0, 100, 0))
SK(no_jump_before, INSN(0x55, 0, 0, -100, 0))
SK(ok_compare, INSN(0x15, 0, 0, 0, 1))
SK(no_compare_source, INSN(0x15, 0, 1, 0, 1))
SK(no_compare_reg_imm, INSN(0x1d, 0, 6, 0, 1))
SK(no_jump_code, INSN(0xf5, 0, 0, 0, 0))
SK(no_jump_code_32, INSN(0xe6, 0, 0, 0, 0))
SK(no_exit_source, "r0 = 0;" INSN(0x95, 0, 1, 0, 0))
SK(no_exit_imm, "r0 = 0;" INSN(0x95, 0, 0, 0, 1))
SK(no_exit_32, "if r0 == 0 goto 9f;" INSN(0x96, 0, 0, 0, 0))
SK(no_unreachable, "goto 9f; r0 = 1;")
SK(no_call_offset, INSN(0x85, 0, 0, 1, 7))
SK(no_call_target, INSN(0x85, 1, 0, 0, 7))
SK(no_call_kind, INSN(0x85, 0, 3, 0, 7))
SK(no_call_zero, INSN(0x85, 0, 0, 0, 0))
SK(no_call_negative, INSN(0x85, 0, 0, 0, -1))
SK(ok_call, INSN(0x85, 0, 0, 0, 7))
SK(no_call_32, INSN(0x86, 0, 0, 0, 7))
SK(no_call_register, INSN(0x8d, 0, 0, 0, 7))
SK(no_zero_code, INSN(0x04, 0, 0, 0, 0) INSN(0xff, 0, 0, 0, 0))
SK(no_may_source, INSN(0xe5, 0, 1, 0, 0))
SK(no_may_target, INSN(0xe5, 1, 0, 0, 0))
SK(ok_may, INSN(0xe5, 0, 0, 0, 0))
SK(no_may_32, INSN(0xe6, 0, 0, 0, 0))

/* Old loads of packets: into r0, from the skb in r6; r1 to r5 are lost. */
#define ABS(size, imm) INSN(size, 0, 0, 0, imm)
#define IND(size, src, imm) INSN(size, 0, src, 0, imm)
SK(ok_abs_4, ABS(0x20, 8))
SK(ok_abs_2, ABS(0x28, 8))
SK(ok_abs_1, ABS(0x30, 8))
SK(no_abs_8, ABS(0x38, 8))
SK(no_abs_offset, INSN(0x20, 0, 0, 1, 8))
SK(no_abs_target, INSN(0x20, 1, 0, 0, 8))
SK(no_abs_source, INSN(0x20, 0, 1, 0, 8))
SK(ok_ind, "r7 = 4;" IND(0x40, 7, 8))
SK(no_ind_unset, IND(0x40, 7, 8))
SK(no_abs_r6_stack, "r6 = r10;" ABS(0x20, 8))
SK(no_abs_r6_moved, "r6 += 4;" ABS(0x20, 8))
SK(no_abs_r1_kept, "r1 = 5;" ABS(0x20, 8) "r7 = r1;")
SK(ok_abs_r7_kept, "r7 = 5;" ABS(0x20, 8) "r1 = r7;")
SK(no_abs_index, ABS(0x28, 8) "r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SK(ok_abs_index, ABS(0x28, 8) "r0 &= 63; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SK(no_abs_byte_index, ABS(0x30, 8) "r0 >>= 2; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
ASM("tc", ok_abs_tc, ABS(0x20, 8))
ASM("cgroup_skb/egress", no_abs_cgroup, ABS(0x20, 8))
ASM("xdp", no_abs_xdp, ABS(0x20, 8))
ASM("sk_skb/stream_verdict", no_abs_sk_skb, ABS(0x20, 8))
ASM("lwt_in", no_abs_lwt, ABS(0x20, 8))
ASM("tp/sched/sched_switch", no_abs_tp, ABS(0x20, 8))
ASM("flow_dissector", no_abs_dissector, ABS(0x20, 8))
static NOINLINE __attribute__((used)) NAKED long abs_inside(void)
{
	asm volatile("r6 = r1;" ABS(0x20, 8) "exit;");
}
SK(ok_abs_inside, "call abs_inside;")
SK(no_abs_inside_index, "call abs_inside; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
