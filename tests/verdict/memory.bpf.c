/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values and keys of maps, memory given to helpers, records of a ring buffer. 9 is where a path
 * leaves before the point of the program.
 */
#include "common.h"

char bytes[64];
const volatile long known_8 = 8;
const volatile unsigned char table[8] = {1, 63, 64, 3, 4, 5, 255, 7};
const volatile int numbers[2] = {-1, 63};

struct pair {
	__u64 a, b;
};

#define MAP_OF(name, kind, flags)                                                                  \
	struct {                                                                                   \
		__uint(type, kind);                                                                \
		__uint(max_entries, 4);                                                            \
		__uint(map_flags, flags);                                                          \
		__type(key, __u32);                                                                \
		__type(value, struct pair);                                                        \
	} name SEC(".maps")
MAP_OF(array, BPF_MAP_TYPE_ARRAY, 0);
MAP_OF(hash, BPF_MAP_TYPE_HASH, 0);
MAP_OF(rdonly, BPF_MAP_TYPE_ARRAY, BPF_F_RDONLY_PROG);
MAP_OF(wronly, BPF_MAP_TYPE_ARRAY, BPF_F_WRONLY_PROG);
MAP_OF(rdonly_hash, BPF_MAP_TYPE_HASH, BPF_F_RDONLY_PROG);
MAP_OF(wronly_hash, BPF_MAP_TYPE_HASH, BPF_F_WRONLY_PROG);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} wide SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__uint(value_size, 16);
} queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

#define ASM(kind, name, text)                                                                      \
	SEC(kind) NAKED int name(void)                                                             \
	{                                                                                          \
		asm volatile(text                                                                  \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), [lookup] "i"(bpf_map_lookup_elem), \
			       [update] "i"(bpf_map_update_elem), [delete] "i"(bpf_map_delete_elem), \
			       [push] "i"(bpf_map_push_elem), [pop] "i"(bpf_map_pop_elem),         \
			       [reserve] "i"(bpf_ringbuf_reserve), [submit] "i"(bpf_ringbuf_submit), \
			       [discard] "i"(bpf_ringbuf_discard), [output] "i"(bpf_ringbuf_output), \
			       [comm] "i"(bpf_get_current_comm), [read] "i"(bpf_probe_read_kernel), \
			       [diff] "i"(bpf_csum_diff), [each] "i"(bpf_for_each_map_elem),       \
			       [known] "i"(&known_8), [table] "i"(table), [numbers] "i"(numbers),  \
			       __imm_addr(bytes), __imm_addr(array), __imm_addr(hash),             \
			       __imm_addr(rdonly), __imm_addr(wronly), __imm_addr(rdonly_hash),    \
			       __imm_addr(wronly_hash), __imm_addr(wide), __imm_addr(queue),       \
			       __imm_addr(ring));                                                  \
	}
#define END "9: r0 = 0; exit;"
#define SAY(name, text) ASM("socket", name, text END)
/* r0 and r6 are random, r0 is stored. */
#define STACK(name, text)                                                                          \
	ASM("socket", name,                                                                        \
	    "r7 = r1; call %[random]; r6 = r0; call %[random];" text                               \
	    "r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);" END)
/* r0 is a value of the map. */
#define ELEM(name, map, text)                                                                      \
	ASM("socket", name,                                                                        \
	    "call %[random]; r6 = r0; *(u32 *)(r10 - 8) = 1; r1 = %[" #map "] ll; r2 = r10; r2 += -8;" \
	    "call %[lookup]; if r0 == 0 goto 9f;" text END)

/* Values of maps. */
ELEM(ok_value, array, "r0 = *(u64 *)(r0 + 8);")
ELEM(no_value, array, "r0 = *(u64 *)(r0 + 9);")
ELEM(no_value_before, array, "r0 = *(u64 *)(r0 - 8);")
ELEM(ok_value_unaligned, array, "r0 = *(u64 *)(r0 + 3);")
ELEM(ok_value_last_byte, array, "*(u8 *)(r0 + 15) = 1;")
ELEM(no_value_last_byte, array, "*(u8 *)(r0 + 16) = 1;")
ELEM(ok_value_somewhere, array, "r6 &= 7; r0 += r6; r0 = *(u64 *)(r0 + 1);")
ELEM(no_value_somewhere, array, "r6 &= 7; r0 += r6; r0 = *(u64 *)(r0 + 2);")
ELEM(no_value_minus, array, "r6 &= 7; r0 += 8; r0 -= r6; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_negative, array, "r6 &= 15; r0 += 8; r0 -= r6; r0 = *(u64 *)(r0 + 0);")
ELEM(ok_value_out_and_back, array, "r0 += 100; r0 -= 92; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_too_far, array, "r0 += 0x20000000; r0 -= 0x20000000; r0 = *(u64 *)(r0 + 0);")
ELEM(ok_value_far, array, "r0 += 0x1fffffff; r0 -= 0x1fffffff; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_far_twice, array, "r0 += 0x1fffffff; r0 += 1; r0 -= 0x1fffffff; r0 -= 1; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_32, array, "w0 += 8; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_times, array, "r0 *= 1; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_and, array, "r0 &= -8; r0 = *(u64 *)(r0 + 0);")
ELEM(ok_value_minus_itself, array, "r1 = r0; r1 -= r0; r1 &= 8; r0 += r1; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_minus_itself, array, "r1 = r0; r1 -= r0; r0 += r1; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_plus_itself, array, "r1 = r0; r1 += r0; r0 = *(u64 *)(r0 + 0);")
ELEM(no_number_minus_value, array, "r1 = 8; r1 -= r0; r0 = *(u64 *)(r0 + 0);")
ELEM(ok_number_plus_value, array, "r1 = 8; r1 += r0; r0 = *(u64 *)(r1 + 0);")
ELEM(ok_value_atomic, array, "r1 = 1; lock *(u64 *)(r0 + 8) += r1;")
ELEM(no_value_atomic, array, "r1 = 1; lock *(u64 *)(r0 + 9) += r1;")
ELEM(no_value_atomic_past, array, "r1 = 1; lock *(u64 *)(r0 + 16) += r1;")
ELEM(no_value_atomic_unaligned, array, "r1 = 1; lock *(u64 *)(r0 + 4) += r1;")
ELEM(ok_value_atomic_32, array, "w1 = 1; lock *(u32 *)(r0 + 4) += w1;")
ELEM(no_value_atomic_32_unaligned, array, "w1 = 1; lock *(u32 *)(r0 + 2) += w1;")
ELEM(ok_value_atomic_somewhere, array, "r6 &= 8; r0 += r6; r1 = 1; lock *(u64 *)(r0 + 0) += r1;")
ELEM(no_value_atomic_somewhere, array, "r6 &= 7; r0 += r6; r1 = 1; lock *(u64 *)(r0 + 0) += r1;")
ELEM(no_value_exchange_unaligned, array, "r1 = 1; r1 = xchg_64(r0 + 4, r1);")
ELEM(ok_value_fetched_bounded, array, "r1 = 1; r1 = atomic_fetch_add((u64 *)(r0 + 0), r1); r1 &= 8; r0 += r1; r0 = *(u64 *)(r0 + 0);")
ELEM(no_value_fetched, array, "r1 = 1; r1 = atomic_fetch_add((u64 *)(r0 + 0), r1); r0 += r1; r0 = *(u64 *)(r0 + 0);")
ELEM(ok_value_pointer_stored, array, "*(u64 *)(r0 + 0) = r10;")
ELEM(ok_value_signed, array, "r1 = *(s8 *)(r0 + 0); r1 += 128; r1 >>= 5; r0 += r1; r0 = *(u64 *)(r0 + 1);")
ELEM(no_value_signed, array, "r1 = *(s8 *)(r0 + 0); r1 += 128; r1 >>= 4; r0 += r1; r0 = *(u64 *)(r0 + 1);")
ELEM(ok_value_byte, array, "r1 = *(u8 *)(r0 + 0); r1 >>= 5; r0 += r1; r0 = *(u64 *)(r0 + 1);")
ELEM(no_value_byte, array, "r1 = *(u16 *)(r0 + 0); r1 >>= 5; r0 += r1; r0 = *(u64 *)(r0 + 1);")

/* What programs may not read, or write. */
ELEM(ok_rdonly_read, rdonly, "r0 = *(u64 *)(r0 + 0);")
ELEM(no_rdonly_write, rdonly, "*(u64 *)(r0 + 0) = 1;")
ELEM(no_rdonly_atomic, rdonly, "r1 = 1; lock *(u64 *)(r0 + 0) += r1;")
ELEM(ok_wronly_write, wronly, "*(u64 *)(r0 + 0) = 1;")
ELEM(no_wronly_read, wronly, "r0 = *(u64 *)(r0 + 0);")
ELEM(no_wronly_atomic, wronly, "r1 = 1; lock *(u64 *)(r0 + 0) += r1;")
ELEM(ok_rdonly_copied, rdonly, "r1 = r10; r1 += -16; w2 = 16; r3 = r0; call %[read];")
ELEM(no_rdonly_filled, rdonly, "r1 = r0; w2 = 16; r3 = r10; call %[read];")
ELEM(ok_wronly_filled, wronly, "r1 = r0; w2 = 16; r3 = r10; call %[read];")
ELEM(no_wronly_as_key, wronly, "r2 = r0; r1 = %[array] ll; call %[lookup];")
ELEM(ok_rdonly_as_key, rdonly, "r2 = r0; r1 = %[array] ll; call %[lookup];")
#define FOUR(m) "*(u64 *)(r10 - 16) = 0; *(u64 *)(r10 - 24) = 0; r1 = %[" #m "] ll; r2 = r10; r2 += -8; *(u32 *)(r10 - 8) = 0; r3 = r10; r3 += -24; r4 = 0;"
SAY(ok_update, FOUR(hash) "call %[update];")
SAY(no_update_rdonly, FOUR(rdonly_hash) "call %[update];")
SAY(ok_update_wronly, FOUR(wronly_hash) "call %[update];")
SAY(no_delete_rdonly, FOUR(rdonly_hash) "call %[delete];")
SAY(ok_delete_wronly, FOUR(wronly_hash) "call %[delete];")
SAY(ok_lookup_wronly, FOUR(wronly_hash) "call %[lookup];")
SAY(ok_lookup_rdonly, FOUR(rdonly_hash) "call %[lookup];")

/* Constants of .rodata are numbers to the verifier. */
SAY(ok_known, "r1 = %[known] ll; r0 = *(u64 *)(r1 + 0); r1 = %[bytes] ll; r1 += r0; r0 = *(u64 *)(r1 + 48);")
SAY(no_known, "r1 = %[known] ll; r0 = *(u64 *)(r1 + 0); r1 = %[bytes] ll; r1 += r0; r0 = *(u64 *)(r1 + 49);")
SAY(ok_table, "r1 = %[table] ll; r0 = *(u8 *)(r1 + 1); r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(no_table, "r1 = %[table] ll; r0 = *(u8 *)(r1 + 2); r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(no_table_wider, "r1 = %[table] ll; r0 = *(u16 *)(r1 + 0); r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(ok_table_signed, "r1 = %[table] ll; r0 = *(s8 *)(r1 + 6); r0 += 1; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(no_table_unsigned, "r1 = %[table] ll; r0 = *(u8 *)(r1 + 6); r0 += 1; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(ok_numbers_signed, "r1 = %[numbers] ll; r0 = *(s32 *)(r1 + 0); r0 += 1; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(no_numbers_unsigned, "r1 = %[numbers] ll; r0 = *(u32 *)(r1 + 0); r0 += 1; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(ok_numbers_unsigned_32, "r1 = %[numbers] ll; r0 = *(u32 *)(r1 + 0); w0 += 1; r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(no_table_somewhere, "call %[random]; r0 &= 1; r1 = %[table] ll; r1 += r0; r0 = *(u8 *)(r1 + 0); r1 = %[bytes] ll; r1 += r0; r0 = *(u8 *)(r1 + 0);")
SAY(ok_known_branch, "r1 = %[known] ll; r0 = *(u64 *)(r1 + 0); if r0 == 8 goto 9f; r0 = *(u64 *)(r1 + 4096);")
SAY(no_known_branch, "r1 = %[known] ll; r0 = *(u64 *)(r1 + 0); if r0 != 8 goto 9f; r0 = *(u64 *)(r1 + 4096);")
SAY(no_known_written, "r1 = %[known] ll; *(u64 *)(r1 + 0) = 1;")

/* Keys and values of helpers: memory as large as the map says. */
#define KEY(off, m, call) "r1 = %[" #m "] ll; r2 = r10; r2 += " #off "; call %[" #call "];"
SAY(ok_key, "*(u64 *)(r10 - 8) = 0;" KEY(-4, hash, lookup))
SAY(no_key_at_frame, "*(u64 *)(r10 - 8) = 0;" KEY(-3, hash, lookup))
SAY(ok_key_unwritten, KEY(-4, hash, lookup))
SAY(no_key_wide, "*(u64 *)(r10 - 8) = 0;" KEY(-4, wide, lookup))
SAY(ok_key_wide, "*(u64 *)(r10 - 8) = 0;" KEY(-8, wide, lookup))
SAY(ok_key_lowest, KEY(-512, hash, lookup))
SAY(no_key_lowest, KEY(-513, hash, lookup))
SAY(ok_key_somewhere, "call %[random]; r0 &= 4; r1 = %[hash] ll; r2 = r10; r2 += r0; r2 += -8; call %[lookup];")
SAY(no_key_somewhere, "call %[random]; r0 &= 7; r1 = %[hash] ll; r2 = r10; r2 += r0; r2 += -8; call %[lookup];")
SAY(no_key_number, "r1 = %[hash] ll; r2 = 0; call %[lookup];")
SAY(no_key_ctx, "r2 = r1; r1 = %[hash] ll; call %[lookup];")
SAY(no_key_map, "r1 = %[hash] ll; r2 = r1; call %[lookup];")
SAY(ok_key_value, "r1 = %[hash] ll; r2 = %[bytes] ll; r2 += 60; call %[lookup];")
SAY(no_key_value, "r1 = %[hash] ll; r2 = %[bytes] ll; r2 += 61; call %[lookup];")
SAY(no_map_number, "r1 = 0; r2 = r10; r2 += -8; call %[lookup];")
SAY(no_map_value, "r1 = %[bytes] ll; r2 = r10; r2 += -8; call %[lookup];")
SAY(ok_push, "r1 = %[queue] ll; r2 = r10; r2 += -16; r3 = 0; call %[push];")
SAY(no_push, "r1 = %[queue] ll; r2 = r10; r2 += -15; r3 = 0; call %[push];")
SAY(ok_pop_read, "r1 = %[queue] ll; r2 = r10; r2 += -16; call %[pop]; r0 = *(u64 *)(r10 - 16);")
SAY(no_pop_hash, "r1 = %[hash] ll; r2 = r10; r2 += -16; call %[pop];")
SAY(no_pop_rdonly, "r1 = %[queue] ll; r2 = %[known] ll; call %[pop];")
SAY(ok_pop_value, "r1 = %[queue] ll; r2 = %[bytes] ll; r2 += 48; call %[pop];")
/* What a helper writes is no longer known. */
STACK(no_popped_over, "*(u64 *)(r10 - 16) = 5; r1 = %[queue] ll; r2 = r10; r2 += -16; call %[pop]; r0 = *(u64 *)(r10 - 16);")
STACK(ok_popped_over, "*(u64 *)(r10 - 24) = 5; r1 = %[queue] ll; r2 = r10; r2 += -16; call %[pop]; r0 = *(u64 *)(r10 - 24);")
STACK(ok_lookup_key_kept, "*(u64 *)(r10 - 8) = 5;" KEY(-8, wide, lookup) "r0 = *(u64 *)(r10 - 8);")

/* Memory and its size. */
ASM("tp/sched/sched_switch", ok_comm, "r1 = r10; r1 += -16; w2 = 16; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm, "r1 = r10; r1 += -16; w2 = 17; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_zero, "r1 = r10; r1 += -16; w2 = 0; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_negative, "r1 = r10; r1 += -16; r2 = -1; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_null, "r1 = 0; w2 = 16; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_rodata, "r1 = %[known] ll; w2 = 8; call %[comm];" END)
ASM("tp/sched/sched_switch", ok_comm_value, "r1 = %[bytes] ll; w2 = 64; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_value, "r1 = %[bytes] ll; w2 = 65; call %[comm];" END)
ASM("tp/sched/sched_switch", ok_comm_size_bounded, "call %[random]; r2 = r0; r1 = r10; r1 += -16; if r2 > 16 goto 9f; if r2 < 1 goto 9f; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_size_zero, "call %[random]; r2 = r0; r1 = r10; r1 += -16; if r2 > 16 goto 9f; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_size_long, "call %[random]; r2 = r0; r1 = r10; r1 += -16; if r2 > 17 goto 9f; if r2 < 1 goto 9f; call %[comm];" END)
ASM("tp/sched/sched_switch", no_comm_size_signed, "call %[random]; r2 = r0; r1 = r10; r1 += -16; if r2 s> 16 goto 9f; call %[comm];" END)
ASM("tp/sched/sched_switch", ok_read_zero, "r1 = r10; r1 += -16; w2 = 0; r3 = 0; call %[read];" END)
ASM("tp/sched/sched_switch", no_read_null_empty, "r1 = 0; w2 = 0; r3 = 0; call %[read];" END)
ASM("tp/sched/sched_switch", no_read_null, "r1 = 0; w2 = 8; r3 = 0; call %[read];" END)
ASM("tp/sched/sched_switch", no_read_null_perhaps, "call %[random]; r2 = r0; r2 &= 8; r1 = 0; r3 = 0; call %[read];" END)
ASM("tp/sched/sched_switch", no_read_zero_past, "r1 = r10; w2 = 1; r3 = 0; call %[read];" END)
ASM("tp/sched/sched_switch", ok_read_somewhere, "call %[random]; r0 &= 8; r1 = r10; r1 += r0; r1 += -16; w2 = 8; r3 = 0; call %[read];" END)
ASM("tp/sched/sched_switch", no_read_somewhere_past, "call %[random]; r0 &= 8; r1 = r10; r1 += r0; r1 += -16; w2 = 9; r3 = 0; call %[read];" END)
ASM("tp/sched/sched_switch", no_read_over_pointer, "*(u64 *)(r10 - 8) = r10; r1 = r10; r1 += -8; w2 = 1; r3 = 0; call %[read]; r1 = *(u64 *)(r10 - 8); r0 = *(u64 *)(r1 - 8);" END)
ASM("tp/sched/sched_switch", ok_read_beside_pointer, "*(u64 *)(r10 - 8) = r10; r1 = r10; r1 += -9; w2 = 1; r3 = 0; call %[read]; r1 = *(u64 *)(r10 - 8); r0 = *(u64 *)(r1 - 8);" END)
ASM("tc", ok_diff_null, "r1 = 0; w2 = 0; r3 = r10; r3 += -4; w4 = 4; w5 = 0; call %[diff];" END)
ASM("tc", no_diff_null, "r1 = 0; w2 = 4; r3 = r10; r3 += -4; w4 = 4; w5 = 0; call %[diff];" END)
ASM("tc", no_diff_long, "r1 = 0; w2 = 0; r3 = r10; r3 += -4; w4 = 8; w5 = 0; call %[diff];" END)

/* Records. */
#define RECORD(name, size, text)                                                                   \
	ASM("socket", name,                                                                        \
	    "r1 = %[ring] ll; r2 = " #size "; r3 = 0; call %[reserve]; if r0 == 0 goto 9f; r6 = r0;" text END)
#define SUBMIT "r1 = r6; r2 = 0; call %[submit];"
RECORD(ok_record, 16, "*(u64 *)(r6 + 8) = 1;" SUBMIT)
RECORD(no_record, 16, "*(u64 *)(r6 + 9) = 1;" SUBMIT)
RECORD(no_record_before, 16, "*(u64 *)(r6 - 8) = 1;" SUBMIT)
RECORD(ok_record_atomic, 16, "r1 = 1; lock *(u64 *)(r6 + 8) += r1;" SUBMIT)
RECORD(no_record_atomic, 16, "r1 = 1; lock *(u64 *)(r6 + 4) += r1;" SUBMIT)
RECORD(ok_record_read, 16, "r0 = *(u64 *)(r6 + 8);" SUBMIT)
RECORD(no_record_kept, 16, "")
RECORD(no_record_after, 16, SUBMIT "*(u64 *)(r6 + 8) = 1;")
RECORD(no_record_twice, 16, SUBMIT SUBMIT)
RECORD(no_record_inside, 16, "r6 += 8;" SUBMIT)
RECORD(ok_record_back, 16, "r6 += 8; r6 -= 8;" SUBMIT)
RECORD(no_record_somewhere_inside, 16, "call %[random]; r0 &= 8; r6 += r0;" SUBMIT)
RECORD(ok_record_discard, 16, "r1 = r6; r2 = 0; call %[discard];")
RECORD(ok_record_spilled, 16, "*(u64 *)(r10 - 8) = r6; r1 = *(u64 *)(r10 - 8); r2 = 0; call %[submit];")
RECORD(no_record_spilled_after, 16, "*(u64 *)(r10 - 8) = r6;" SUBMIT "r1 = *(u64 *)(r10 - 8); *(u64 *)(r1 + 0) = 1;")
RECORD(no_record_on_one_path, 16, "call %[random]; if r0 > 5 goto 9f;" SUBMIT)
RECORD(ok_record_output, 16, "r1 = %[ring] ll; r2 = r6; r3 = 16; r4 = 0; call %[output];" SUBMIT)
RECORD(no_record_output, 16, "r1 = %[ring] ll; r2 = r6; r3 = 17; r4 = 0; call %[output];" SUBMIT)
RECORD(ok_record_as_key, 16, "r1 = %[hash] ll; r2 = r6; r2 += 12; call %[lookup];" SUBMIT)
RECORD(no_record_as_key, 16, "r1 = %[hash] ll; r2 = r6; r2 += 13; call %[lookup];" SUBMIT)
RECORD(no_record_lost, 16, "r6 = 0;")
RECORD(no_record_stored, 16, "r1 = %[bytes] ll; *(u64 *)(r1 + 0) = r6;")
SAY(no_record_unchecked, "r1 = %[ring] ll; r2 = 16; r3 = 0; call %[reserve]; r1 = r0; r2 = 0; call %[submit];")
SAY(no_record_random_size, "call %[random]; r2 = r0; r2 &= 15; r1 = %[ring] ll; r3 = 0; call %[reserve]; if r0 == 0 goto 9f; r1 = r0; r2 = 0; call %[submit];")
SAY(ok_record_empty, "r1 = %[ring] ll; r2 = 0; r3 = 0; call %[reserve]; if r0 == 0 goto 9f; r1 = r0; r2 = 0; call %[submit];")
SAY(no_record_of_hash, "r1 = %[hash] ll; r2 = 16; r3 = 0; call %[reserve]; if r0 == 0 goto 9f; r1 = r0; r2 = 0; call %[submit];")
SAY(no_submit_value, "r1 = %[bytes] ll; r2 = 0; call %[submit];")
SAY(no_submit_stack, "r1 = r10; r1 += -16; r2 = 0; call %[submit];")
