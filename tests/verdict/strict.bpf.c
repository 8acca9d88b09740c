/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses under BPF_F_STRICT_ALIGNMENT: each kind of memory. r6 is the context; 9 leaves. */
#include "common.h"

/* As BPF_F_STRICT_ALIGNMENT. */
#define STRICT FLAGS(1)

char bytes[64];

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

#define ASM(kind, name, text)                                                                      \
	SEC(kind) STRICT NAKED int name(void)                                                      \
	{                                                                                          \
		asm volatile("r6 = r1;" text "9: r0 = 0; exit;"                                    \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), [reserve] "i"(bpf_ringbuf_reserve), \
			       [discard] "i"(bpf_ringbuf_discard), [task] "i"(bpf_get_current_task_btf), \
			       [fullsock] "i"(bpf_sk_fullsock), __imm_addr(bytes), __imm_addr(ring)); \
	}
#define TC(name, text) ASM("tc", name, text)
#define VALUE(name, text) TC(name, "call %[random]; r7 = r0; r8 = %[bytes] ll;" text)
#define STACK(name, text) TC(name, "call %[random]; r7 = r0; r8 = r10; r8 += -64;" text)
#define PACKET(name, text)                                                                         \
	TC(name, "call %[random]; r7 = r0; r2 = *(u32 *)(r6 + 76); r3 = *(u32 *)(r6 + 80);" text)
#define WITHIN(n) "r4 = r2; r4 += " #n "; if r4 > r3 goto 9f;"

VALUE(ok_value, "r0 = *(u64 *)(r8 + 8);")
VALUE(no_value_8, "r0 = *(u64 *)(r8 + 4);")
VALUE(ok_value_4, "r0 = *(u32 *)(r8 + 4);")
VALUE(no_value_4, "r0 = *(u32 *)(r8 + 2);")
VALUE(ok_value_2, "r0 = *(u16 *)(r8 + 2);")
VALUE(no_value_2, "r0 = *(u16 *)(r8 + 1);")
VALUE(ok_value_1, "r0 = *(u8 *)(r8 + 1);")
VALUE(no_value_write, "*(u64 *)(r8 + 4) = 1;")
VALUE(no_value_moved, "r8 += 4; r0 = *(u64 *)(r8 + 0);")
VALUE(ok_value_moved, "r8 += 4; r0 = *(u64 *)(r8 + 4);")
VALUE(ok_value_varies, "r7 &= 24; r8 += r7; r0 = *(u64 *)(r8 + 8);")
VALUE(no_value_varies, "r7 &= 28; r8 += r7; r0 = *(u64 *)(r8 + 8);")
VALUE(no_value_varies_moved, "r7 &= 24; r8 += r7; r0 = *(u64 *)(r8 + 4);")
VALUE(ok_value_varies_shifted, "r7 &= 3; r7 <<= 3; r8 += r7; r0 = *(u64 *)(r8 + 8);")
VALUE(no_value_varies_shifted, "r7 &= 3; r7 <<= 2; r8 += r7; r0 = *(u64 *)(r8 + 8);")
VALUE(ok_value_varies_times, "r7 &= 3; r7 *= 8; r8 += r7; r0 = *(u64 *)(r8 + 8);")
VALUE(no_value_varies_times, "r7 &= 3; r7 *= 12; r8 += r7; r0 = *(u64 *)(r8 + 8);")
VALUE(no_value_signed, "r0 = *(s32 *)(r8 + 2);")
STACK(ok_stack_varies, "r7 &= 24; r8 += r7; *(u64 *)(r8 + 8) = 1;")
STACK(no_stack_varies, "r7 &= 28; r8 += r7; *(u64 *)(r8 + 8) = 1;")

/* The data of a packet is two bytes after a word. */
PACKET(ok_packet_2, WITHIN(8) "r0 = *(u16 *)(r2 + 0);")
PACKET(no_packet_2, WITHIN(8) "r0 = *(u16 *)(r2 + 1);")
PACKET(no_packet_4, WITHIN(8) "r0 = *(u32 *)(r2 + 0);")
PACKET(ok_packet_4, WITHIN(8) "r0 = *(u32 *)(r2 + 2);")
PACKET(ok_packet_8, WITHIN(16) "r0 = *(u64 *)(r2 + 6);")
PACKET(no_packet_8, WITHIN(16) "r0 = *(u64 *)(r2 + 2);")
PACKET(ok_packet_after_header, WITHIN(34) "r2 += 14; r0 = *(u32 *)(r2 + 12);")
PACKET(no_packet_after_header, WITHIN(34) "r2 += 12; r0 = *(u32 *)(r2 + 12);")
PACKET(no_packet_write, WITHIN(8) "*(u32 *)(r2 + 0) = 1;")
PACKET(ok_packet_write, WITHIN(8) "*(u32 *)(r2 + 2) = 1;")
PACKET(ok_packet_varies, "r7 &= 12; r2 += r7;" WITHIN(8) "r0 = *(u32 *)(r2 + 2);")
PACKET(no_packet_varies, "r7 &= 14; r2 += r7;" WITHIN(8) "r0 = *(u32 *)(r2 + 2);")
PACKET(no_packet_varies_plain, "r7 &= 12; r2 += r7;" WITHIN(8) "r0 = *(u32 *)(r2 + 0);")

/* So is what lies before it. */
#define META(name, text) TC(name, "r2 = *(u32 *)(r6 + 140); r3 = *(u32 *)(r6 + 76);" text)
META(ok_meta_2, WITHIN(8) "r0 = *(u16 *)(r2 + 0);")
META(no_meta_2, WITHIN(8) "r0 = *(u16 *)(r2 + 1);")
META(no_meta_4, WITHIN(8) "r0 = *(u32 *)(r2 + 0);")
META(ok_meta_4, WITHIN(8) "r0 = *(u32 *)(r2 + 2);")
META(no_meta_write, WITHIN(8) "*(u32 *)(r2 + 0) = 1;")

/* Other memory. */
ASM("flow_dissector", ok_keys, "r1 = *(u64 *)(r6 + 144); r0 = *(u32 *)(r1 + 4);")
ASM("flow_dissector", no_keys, "r1 = *(u64 *)(r6 + 144); r0 = *(u32 *)(r1 + 2);")
TC(ok_sock, "r1 = *(u64 *)(r6 + 168); if r1 == 0 goto 9f; r0 = *(u32 *)(r1 + 4);")
TC(no_sock, "r1 = *(u64 *)(r6 + 168); if r1 == 0 goto 9f; r0 = *(u32 *)(r1 + 2);")
TC(no_tcp, "r1 = *(u64 *)(r6 + 168); if r1 == 0 goto 9f; call 96; if r0 == 0 goto 9f; r0 = *(u64 *)(r0 + 4);")
#define RECORD(name, text)                                                                         \
	TC(name, "r1 = %[ring] ll; r2 = 16; r3 = 0; call %[reserve]; if r0 == 0 goto 9f; r7 = r0;" text \
		 "r1 = r7; r2 = 0; call %[discard];")
RECORD(ok_record, "*(u64 *)(r7 + 8) = 1;")
RECORD(no_record, "*(u64 *)(r7 + 4) = 1;")
ASM("raw_tp/sys_enter", ok_task, "call %[task]; r0 = *(u64 *)(r0 + 8);")
ASM("raw_tp/sys_enter", no_task, "call %[task]; r0 = *(u64 *)(r0 + 4);")
ASM("raw_tp.w/sched_switch", ok_buffer, "r1 = *(u64 *)(r6 + 0); *(u64 *)(r1 + 8) = 1;")
ASM("raw_tp.w/sched_switch", no_buffer, "r1 = *(u64 *)(r6 + 0); *(u64 *)(r1 + 4) = 1;")
