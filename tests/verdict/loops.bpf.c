/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops: bounded by counting, by may_goto, by iterators; endless ones; and programs that are
 * judged wrongly if states that matter are taken for equal. 9 leaves.
 */
#include "common.h"

struct bpf_iter_num {
	__u64 opaque;
} __attribute__((aligned(8)));

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;

char bytes[64];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, char[64]);
} array SEC(".maps");

#define HIDE(x) asm volatile("" : "+r"(x))

#define ASM(name, text)                                                                            \
	SEC("socket") NAKED int name(void)                                                         \
	{                                                                                          \
		asm volatile(text "9: r0 = 0; exit;"                                               \
			     :                                                                     \
			     : [random] "i"(bpf_get_prandom_u32), [lookup] "i"(bpf_map_lookup_elem), \
			       __imm_addr(bytes), __imm_addr(array));                              \
	}
/* r0 and r6 are random. */
#define RANDOM "call %[random]; r6 = r0; call %[random];"
#define AT(r) "r1 = %[bytes] ll; r1 += " #r "; r1 = *(u8 *)(r1 + 0);"

/* Counted. */
ASM(ok_up, "r6 = 0; l1_%=: r6 += 1; if r6 < 63 goto l1_%=;" AT(r6))
ASM(no_up, "r6 = 0; l1_%=: r6 += 1; if r6 < 64 goto l1_%=;" AT(r6))
ASM(ok_up_inside, "r6 = 0; l1_%=:" AT(r6) "r6 += 1; if r6 < 64 goto l1_%=;")
ASM(no_up_inside, "r6 = 0; l1_%=:" AT(r6) "r6 += 1; if r6 < 65 goto l1_%=;")
ASM(ok_down, "r6 = 63; l1_%=:" AT(r6) "r6 += -1; if r6 s>= 0 goto l1_%=;")
ASM(no_down, "r6 = 63; l1_%=:" AT(r6) "r6 += -1; if r6 s>= -1 goto l1_%=;")
ASM(ok_step, "r6 = 0; l1_%=:" AT(r6) "r6 += 7; if r6 < 64 goto l1_%=;")
ASM(no_step, "r6 = 0; l1_%=:" AT(r6) "r6 += 7; if r6 < 71 goto l1_%=;")
ASM(ok_not_equal, "r6 = 0; l1_%=:" AT(r6) "r6 += 8; if r6 != 64 goto l1_%=;")
ASM(no_not_equal, "r6 = 0; l1_%=:" AT(r6) "r6 += 7; if r6 != 64 goto l1_%=;")
ASM(ok_32, "w6 = 0; l1_%=:" AT(r6) "w6 += 1; if w6 < 64 goto l1_%=;")
ASM(ok_shifted, "r6 = 1; l1_%=:" AT(r6) "r6 <<= 1; if r6 < 64 goto l1_%=;")
ASM(no_shifted, "r6 = 1; l1_%=:" AT(r6) "r6 <<= 1; if r6 < 65 goto l1_%=;")
ASM(ok_random_bound, RANDOM "r6 &= 31; r7 = 0; l1_%=:" AT(r7) "r7 += 1; if r7 < r6 goto l1_%=;")
ASM(ok_random_bound_64, RANDOM "r6 &= 63; r7 = 0; l1_%=: if r7 >= r6 goto 9f;" AT(r7) "r7 += 1; goto l1_%=;")
ASM(no_random_bound, RANDOM "r7 = 0; l1_%=: if r7 >= r6 goto 9f;" AT(r7) "r7 += 1; goto l1_%=;")
ASM(ok_random_start, RANDOM "r6 &= 7; l1_%=:" AT(r6) "r6 += 1; if r6 < 64 goto l1_%=;")
ASM(no_random_start, RANDOM "r6 &= 7; l1_%=:" AT(r6) "r6 += 1; if r6 < 65 goto l1_%=;")
ASM(ok_random_step, RANDOM "r6 &= 1; r6 += 1; r7 = 0; l1_%=:" AT(r7) "r7 += r6; if r7 < 64 goto l1_%=;")
ASM(no_random_step, RANDOM "r6 &= 1; r7 = 0; l1_%=:" AT(r7) "r7 += r6; if r7 < 65 goto l1_%=;")
ASM(ok_on_stack, "*(u64 *)(r10 - 8) = 0; l1_%=: r6 = *(u64 *)(r10 - 8);" AT(r6) "r6 += 1; *(u64 *)(r10 - 8) = r6; if r6 < 64 goto l1_%=;")
ASM(no_on_stack, "*(u64 *)(r10 - 8) = 0; l1_%=: r6 = *(u64 *)(r10 - 8);" AT(r6) "r6 += 1; *(u64 *)(r10 - 8) = r6; if r6 < 65 goto l1_%=;")
ASM(ok_on_stack_32, "*(u32 *)(r10 - 8) = 0; l1_%=: r6 = *(u32 *)(r10 - 8);" AT(r6) "r6 += 1; *(u32 *)(r10 - 8) = r6; if r6 < 64 goto l1_%=;")
ASM(no_on_stack_32_upper, "*(u32 *)(r10 - 4) = 0; l1_%=: r6 = *(u32 *)(r10 - 4);" AT(r6) "r6 += 1; *(u32 *)(r10 - 4) = r6; if r6 < 64 goto l1_%=;")
ASM(ok_nested, "r6 = 0; l1_%=: r7 = 0; l2_%=: r8 = r6; r8 += r7;" AT(r8) "r7 += 1; if r7 < 32 goto l2_%=; r6 += 1; if r6 < 33 goto l1_%=;")
ASM(no_nested, "r6 = 0; l1_%=: r7 = 0; l2_%=: r8 = r6; r8 += r7;" AT(r8) "r7 += 1; if r7 < 32 goto l2_%=; r6 += 1; if r6 < 34 goto l1_%=;")
ASM(ok_branches_inside, RANDOM "r7 = 0; l1_%=: call %[random]; if r0 > 5 goto l2_%=; r8 = 1; l2_%=: r7 += 1; if r7 < 40 goto l1_%=;")
ASM(no_branches_count, RANDOM "r7 = 0; r8 = 0; l1_%=: call %[random]; if r0 > 5 goto l2_%=; r8 += 1; l2_%=: r7 += 1; if r7 < 65 goto l1_%=;" AT(r8))
ASM(ok_branches_count, RANDOM "r7 = 0; r8 = 0; l1_%=: call %[random]; if r0 > 5 goto l2_%=; r8 += 1; l2_%=: r7 += 1; if r7 < 20 goto l1_%=;" AT(r8))
ASM(ok_multiplied, "r6 = 1; r7 = 0; l1_%=: r6 *= 2; r7 += 1; if r7 < 5 goto l1_%=;" AT(r6))
ASM(no_multiplied, "r6 = 1; r7 = 0; l1_%=: r6 *= 2; r7 += 1; if r7 < 6 goto l1_%=;" AT(r6))

/* Endless. */
ASM(no_self, RANDOM "if r0 > 5 goto 9f; l1_%=: goto l1_%=;")
ASM(no_self_conditional, "r6 = 0; l1_%=: if r6 == 0 goto l1_%=;")
ASM(no_unchanged, "r6 = 0; l1_%=: r7 = 1; if r6 < 5 goto l1_%=;")
ASM(no_random_until, RANDOM "r6 = 0; l1_%=: call %[random]; if r0 != 5 goto l1_%=;")
ASM(no_back_and_forth, "r6 = 0; l1_%=: r6 ^= 1; if r6 < 2 goto l1_%=;")
ASM(no_never_ends, "r6 = 0; l1_%=: r6 += 0; if r6 < 2 goto l1_%=;")
ASM(no_masked, "r6 = 0; l1_%=: r6 += 1; r6 &= 7; if r6 < 8 goto l1_%=;")
ASM(ok_masked, "r6 = 0; l1_%=: r6 += 1; r6 &= 7; if r6 < 7 goto l1_%=;")
ASM(no_unknown_counter, RANDOM "l1_%=: r6 += 1; if r6 < 64 goto l1_%=;" "call %[random]; l2_%=: r6 += 1; if r0 < 64 goto l2_%=;")
ASM(ok_unknown_counter_bounded, RANDOM "r6 &= 15; l1_%=: r6 += 1; if r6 < 64 goto l1_%=;")
ASM(no_after_counting, RANDOM "if r0 > 5 goto 9f; r6 = 0; l1_%=: r6 += 1; if r6 < 64 goto l1_%=; goto l1_%=;")

/* Pointers that change on the way. */
ASM(ok_walks, "r6 = %[bytes] ll; r7 = 0; l1_%=: *(u8 *)(r6 + 0) = 1; r6 += 1; r7 += 1; if r7 < 64 goto l1_%=;")
ASM(no_walks, "r6 = %[bytes] ll; r7 = 0; l1_%=: *(u8 *)(r6 + 0) = 1; r6 += 1; r7 += 1; if r7 < 65 goto l1_%=;")
ASM(ok_walks_stack, "r6 = r10; r7 = 0; l1_%=: r6 += -8; *(u64 *)(r6 + 0) = 1; r7 += 1; if r7 < 64 goto l1_%=;")
ASM(no_walks_stack, "r6 = r10; r7 = 0; l1_%=: r6 += -8; *(u64 *)(r6 + 0) = 1; r7 += 1; if r7 < 65 goto l1_%=;")
ASM(no_turns_number, "r6 = %[bytes] ll; r7 = 0; l1_%=: *(u8 *)(r6 + 0) = 1; r6 = 0; r7 += 1; if r7 < 2 goto l1_%=;")
ASM(ok_turns_number_last, "r6 = %[bytes] ll; r7 = 0; l1_%=: *(u8 *)(r6 + 0) = 1; r6 = 0; r7 += 1; if r7 < 1 goto l1_%=;")
ASM(no_turns_stack, "r8 = r1; r6 = r1; r7 = 0; l1_%=: r0 = *(u32 *)(r6 + 0); r6 = r10; r6 += -8; r7 += 1; if r7 < 2 goto l1_%=;")
ASM(no_swaps, RANDOM "r6 = %[bytes] ll; r8 = 0; r7 = 0; l1_%=: *(u8 *)(r6 + 0) = 1; r9 = r6; r6 = r8; r8 = r9; r7 += 1; if r7 < 3 goto l1_%=;")
ASM(ok_swaps, RANDOM "r6 = %[bytes] ll; r8 = r6; r7 = 0; l1_%=: *(u8 *)(r6 + 0) = 1; r9 = r6; r6 = r8; r8 = r9; r7 += 1; if r7 < 3 goto l1_%=;")

/* may_goto: a counter of the kernel's own ends it. */
ASM(ok_may, "l1_%=: may_goto l2_%=; goto l1_%=; l2_%=:")
ASM(ok_may_counts, "r6 = 0; l1_%=: may_goto l2_%=; r6 += 1; goto l1_%=; l2_%=:")
ASM(no_may_index, "r6 = 0; l1_%=: may_goto l2_%=;" AT(r6) "r6 += 1; goto l1_%=; l2_%=:")
ASM(ok_may_index, "r6 = 0; l1_%=: may_goto l2_%=; if r6 > 63 goto l2_%=;" AT(r6) "r6 += 1; goto l1_%=; l2_%=:")
ASM(no_may_index_off, "r6 = 0; l1_%=: may_goto l2_%=; if r6 > 64 goto l2_%=;" AT(r6) "r6 += 1; goto l1_%=; l2_%=:")
ASM(no_may_index_after, "r6 = 0; l1_%=: may_goto l2_%=; r6 += 1; goto l1_%=; l2_%=:" AT(r6))
ASM(ok_may_index_masked, "r6 = 0; l1_%=: may_goto l2_%=; r6 += 1; r6 &= 63; goto l1_%=; l2_%=:" AT(r6))
ASM(no_may_set, "r6 = 0; l1_%=: may_goto l2_%=; r6 = 64; goto l1_%=; l2_%=:" AT(r6))
ASM(ok_may_set, "r6 = 0; l1_%=: may_goto l2_%=; r6 = 63; goto l1_%=; l2_%=:" AT(r6))
ASM(no_may_set_one_turn_late, "r6 = 0; r7 = 0; l1_%=: may_goto l2_%=; r6 = r7; r7 = 64; goto l1_%=; l2_%=:" AT(r6))
ASM(no_may_set_three_turns_late, "r6 = 0; r7 = 0; r8 = 0; r9 = 0; l1_%=: may_goto l2_%=; r6 = r7; r7 = r8; r8 = r9; r9 = 64; goto l1_%=; l2_%=:" AT(r6))
ASM(no_may_pointer_late, "r6 = %[bytes] ll; r7 = r6; r8 = 0; l1_%=: may_goto l2_%=; *(u8 *)(r6 + 0) = 1; r6 = r7; r7 = r8; goto l1_%=; l2_%=:")
ASM(ok_may_pointer, "r6 = %[bytes] ll; r7 = r6; r8 = r6; l1_%=: may_goto l2_%=; *(u8 *)(r6 + 0) = 1; r6 = r7; r7 = r8; goto l1_%=; l2_%=:")
ASM(no_may_walks, "r6 = %[bytes] ll; l1_%=: may_goto l2_%=; *(u8 *)(r6 + 0) = 1; r6 += 1; goto l1_%=; l2_%=:")
ASM(no_may_stack_late, "*(u64 *)(r10 - 8) = 0; *(u64 *)(r10 - 16) = 0; l1_%=: may_goto l2_%=; r6 = *(u64 *)(r10 - 16); *(u64 *)(r10 - 8) = r6; *(u64 *)(r10 - 16) = 64; goto l1_%=; l2_%=: r6 = *(u64 *)(r10 - 8);" AT(r6))
ASM(no_may_stack_widened, "*(u64 *)(r10 - 8) = 0; *(u64 *)(r10 - 16) = 0; l1_%=: may_goto l2_%=; r6 = *(u64 *)(r10 - 16); *(u64 *)(r10 - 8) = r6; *(u64 *)(r10 - 16) = 63; goto l1_%=; l2_%=: r6 = *(u64 *)(r10 - 8);" AT(r6))
ASM(ok_may_deep_stack, "*(u64 *)(r10 - 496) = 0; l1_%=: may_goto l2_%=; goto l1_%=; l2_%=:")
ASM(ok_may_deepest_stack, "*(u64 *)(r10 - 512) = 0; l1_%=: may_goto l2_%=; goto l1_%=; l2_%=:")
ASM(ok_may_forward, "may_goto 9f; r6 = 0;")
ASM(no_may_forward_unset, "may_goto l2_%=; r6 = 0; l2_%=: r7 = r6;")
ASM(ok_may_nested, "l1_%=: may_goto l2_%=; l3_%=: may_goto l4_%=; goto l3_%=; l4_%=: goto l1_%=; l2_%=:")
ASM(ok_may_random_inside, RANDOM "l1_%=: may_goto l2_%=; call %[random]; if r0 > 5 goto l1_%=; r6 = 1; goto l1_%=; l2_%=:")
ASM(no_may_random_inside, "r6 = 0; l1_%=: may_goto l2_%=; call %[random]; if r0 > 5 goto l1_%=; r6 = 64; goto l1_%=; l2_%=:" AT(r6))

/* Iterators over numbers. */
#define NEW "r1 = r10; r1 += -8; r2 = 0; r3 = 10; call bpf_iter_num_new;"
#define NEXT "r1 = r10; r1 += -8; call bpf_iter_num_next;"
#define DESTROY "r1 = r10; r1 += -8; call bpf_iter_num_destroy;"
#define EACH(before, body, after)                                                                  \
	before NEW "l1_%=:" NEXT "if r0 == 0 goto l2_%=;" body "goto l1_%=; l2_%=:" DESTROY after
ASM(ok_iter, EACH("", "", ""))
ASM(no_iter_kept, NEW "l1_%=:" NEXT "if r0 != 0 goto l1_%=;")
ASM(no_iter_unset, "l1_%=:" NEXT "if r0 != 0 goto l1_%=;")
ASM(no_iter_twice, NEW NEW DESTROY)
ASM(ok_iter_again, NEW DESTROY NEW DESTROY)
ASM(no_iter_destroyed_twice, NEW DESTROY DESTROY)
ASM(no_iter_next_after, NEW DESTROY NEXT)
ASM(ok_iter_next_after_end, EACH("", "", "") NEW NEXT NEXT NEXT DESTROY)
ASM(no_iter_overwritten, NEW "*(u64 *)(r10 - 8) = 0;" DESTROY)
ASM(no_iter_read, NEW "r6 = *(u64 *)(r10 - 8); r1 = r6;" DESTROY "r7 = %[bytes] ll; r7 += r6;")
ASM(no_iter_unaligned, "r1 = r10; r1 += -12; r2 = 0; r3 = 10; call bpf_iter_num_new;")
ASM(no_iter_in_map, "r1 = %[bytes] ll; r2 = 0; r3 = 10; call bpf_iter_num_new;")
ASM(no_iter_element_past, EACH("", "r6 = *(u32 *)(r0 + 4);", ""))
ASM(ok_iter_element, EACH("", "r6 = *(u32 *)(r0 + 0);", ""))
ASM(no_iter_element_write, EACH("", "*(u32 *)(r0 + 0) = 0;", ""))
ASM(no_iter_element_unchecked, NEW NEXT "r6 = *(u32 *)(r0 + 0);" DESTROY)
ASM(no_iter_element_index, EACH("", "r6 = *(u32 *)(r0 + 0);" AT(r6), ""))
ASM(ok_iter_element_index, EACH("", "r6 = *(u32 *)(r0 + 0); if r6 > 63 goto l2_%=;" AT(r6), ""))
ASM(no_iter_element_later, EACH("r6 = 0;", "r6 = r0;", "r6 = *(u32 *)(r6 + 0);"))
ASM(ok_iter_counts, EACH("r6 = 0;", "r6 += 1;", ""))
ASM(no_iter_counts, EACH("r6 = 0;", "r6 += 1;", AT(r6)))
ASM(ok_iter_counts_bounded, EACH("r6 = 0;", "if r6 > 62 goto l1_%=; r6 += 1;", AT(r6)))
ASM(no_iter_counts_bounded, EACH("r6 = 0;", "if r6 > 63 goto l1_%=; r6 += 1;", AT(r6)))
ASM(ok_iter_set, EACH("r6 = 0;", "r6 = 63;", AT(r6)))
ASM(no_iter_set, EACH("r6 = 0;", "r6 = 64;", AT(r6)))
ASM(no_iter_set_late, EACH("r6 = 0; r7 = 0;", "r6 = r7; r7 = 64;", AT(r6)))
ASM(no_iter_set_late_stack, EACH("*(u64 *)(r10 - 16) = 0; *(u64 *)(r10 - 24) = 0;", "r6 = *(u64 *)(r10 - 24); *(u64 *)(r10 - 16) = r6; *(u64 *)(r10 - 24) = 64;", "r6 = *(u64 *)(r10 - 16);" AT(r6)))
ASM(no_iter_set_late_stack_widened, EACH("*(u64 *)(r10 - 16) = 0; *(u64 *)(r10 - 24) = 0;", "r6 = *(u64 *)(r10 - 24); *(u64 *)(r10 - 16) = r6; *(u64 *)(r10 - 24) = 63;", "r6 = *(u64 *)(r10 - 16);" AT(r6)))
ASM(no_iter_pointer_late, EACH("r6 = %[bytes] ll; r7 = r6;", "*(u8 *)(r6 + 0) = 1; r6 = r7; r7 = 0;", ""))
ASM(ok_iter_pointer, EACH("r6 = %[bytes] ll; r7 = r6;", "*(u8 *)(r6 + 0) = 1; r6 = r7;", ""))
ASM(no_iter_cycle, EACH("r6 = 0; r7 = 0; r8 = 64;", "r9 = r6; r6 = r7; r7 = r8; r8 = r9;", AT(r6)))
ASM(no_iter_uninitialised_on_one_turn, EACH("r6 = 0;", "r6 = 0; *(u64 *)(r10 - 16) = 5;", "r6 = *(u64 *)(r10 - 16);" AT(r6)))
ASM(ok_iter_random_inside, EACH("r6 = 0;", "call %[random]; if r0 > 5 goto l1_%=; r6 = 63;", AT(r6)))
ASM(no_iter_random_inside, EACH("r6 = 0;", "call %[random]; if r0 > 5 goto l1_%=; r6 = 64;", AT(r6)))
ASM(ok_iter_break, EACH("", "call %[random]; if r0 > 5 goto l2_%=;", ""))
ASM(no_iter_return, EACH("", "call %[random]; if r0 > 5 goto 9f;", ""))
ASM(no_iter_inside_counts, EACH("r6 = 0; r7 = 0;", "r7 += 1; if r7 < 5 goto l1_%=; r6 = 64;", AT(r6)))

/* I takes each number in turn. */
#define FOR(i, from, to)                                                                           \
	for (struct bpf_iter_num it_##i __attribute__((aligned(8), cleanup(bpf_iter_num_destroy))),  \
	     *p_##i = (bpf_iter_num_new(&it_##i, from, to), (void *)0);                            \
	     ({                                                                                    \
		     int *n_##i = bpf_iter_num_next(&it_##i);                                      \
		     if (n_##i)                                                                    \
			     i = *n_##i;                                                           \
		     n_##i;                                                                        \
	     });)

SEC("socket") int ok_iter_nested(void *ctx)
{
	int i, j, sum = 0;

	FOR(i, 0, 10)
		FOR(j, 0, i)
			sum += j;
	return sum & 1;
}

SEC("socket") int ok_iter_c_index(void *ctx)
{
	int i;

	FOR(i, 0, 64)
		bytes[i & 63] = i;
	return 0;
}

SEC("socket") int no_iter_c_index(void *ctx)
{
	int i;

	FOR(i, 0, 64)
		bytes[i] = i;
	return 0;
}

SEC("socket") int ok_iter_c_break(void *ctx)
{
	int i, sum = 0;

	FOR(i, 0, 1000) {
		if (bpf_get_prandom_u32() == 5)
			break;
		sum += i;
	}
	return sum & 1;
}

/* What pruning must not overlook. */
#define PATHS(a, b) RANDOM "if r0 > 5 goto l1_%=;" a "goto l2_%=; l1_%=:" b "l2_%=: r0 = 0; r1 = 0; r2 = 0; r3 = 0; if r0 != 0 goto l2_%=; if r1 != 0 goto l2_%=; r4 = 1; r5 = 1; r1 = 2; r2 = 2; r3 = 3;"
ASM(ok_two_paths, PATHS("r7 = 1;", "r7 = 63;") AT(r7))
ASM(no_two_paths, PATHS("r7 = 1;", "r7 = 64;") AT(r7))
ASM(no_two_paths_first, PATHS("r7 = 64;", "r7 = 1;") AT(r7))
ASM(no_two_paths_copied, PATHS("r7 = 1;", "r7 = 64;") "r8 = r7; r9 = r8;" AT(r9))
ASM(no_two_paths_added, PATHS("r7 = 0; r8 = 1;", "r7 = 32; r8 = 32;") "r7 += r8;" AT(r7))
ASM(no_two_paths_spilled, PATHS("*(u64 *)(r10 - 8) = 1;", "*(u64 *)(r10 - 8) = 64;") "r7 = *(u64 *)(r10 - 8);" AT(r7))
ASM(ok_two_paths_spilled, PATHS("*(u64 *)(r10 - 8) = 1;", "*(u64 *)(r10 - 8) = 63;") "r7 = *(u64 *)(r10 - 8);" AT(r7))
ASM(no_two_paths_spilled_32, PATHS("*(u32 *)(r10 - 8) = 1;", "*(u32 *)(r10 - 8) = 64;") "r7 = *(u32 *)(r10 - 8);" AT(r7))
ASM(no_two_paths_partly, PATHS("*(u64 *)(r10 - 8) = 0;", "*(u64 *)(r10 - 8) = 0x4000;") "r7 = *(u8 *)(r10 - 7);" AT(r7))
ASM(no_two_paths_type, PATHS("r7 = %[bytes] ll;", "r7 = 64;") "r7 = *(u8 *)(r7 + 0);")
ASM(no_two_paths_type_spilled, PATHS("r7 = %[bytes] ll; *(u64 *)(r10 - 8) = r7;", "*(u64 *)(r10 - 8) = 64;") "r7 = *(u64 *)(r10 - 8); r7 = *(u8 *)(r7 + 0);")
ASM(no_two_paths_unset, PATHS("r7 = 1;", "") "r8 = r7;")
ASM(ok_two_paths_branch, PATHS("r7 = 1;", "r7 = 64;") "if r7 == 64 goto 9f;" AT(r7))
ASM(no_two_paths_branch, PATHS("r7 = 1;", "r7 = 64;") "if r7 == 1 goto 9f;" AT(r7))
ASM(no_two_paths_control, PATHS("r7 = 1;", "r7 = 2;") "r8 = 1; if r7 == 1 goto l4_%=; r8 = 64; l4_%=:" AT(r8))
ASM(ok_two_paths_control, PATHS("r7 = 1;", "r7 = 2;") "r8 = 1; if r7 == 1 goto l4_%=; r8 = 63; l4_%=:" AT(r8))
ASM(no_two_paths_linked, PATHS("r6 &= 255; r7 = r6;", "r6 &= 255; call %[random]; r7 = r0; r7 &= 255;") "if r6 > 63 goto 9f;" AT(r7))
ASM(ok_two_paths_linked, PATHS("r6 &= 255; r7 = r6;", "r6 &= 255; r7 = r6;") "if r6 > 63 goto 9f;" AT(r7))
ASM(no_two_paths_linked_other, PATHS("r6 &= 255; r8 = 0; r7 = r6;", "r6 &= 255; call %[random]; r8 = r0; r8 &= 255; r7 = r8;") "if r6 > 63 goto 9f;" AT(r7))
ASM(no_two_paths_linked_delta, PATHS("r6 &= 255; r7 = r6; r7 += 1;", "r6 &= 255; r7 = r6; r7 += 2;") "if r6 > 62 goto 9f;" AT(r7))
ASM(ok_two_paths_linked_delta, PATHS("r6 &= 255; r7 = r6; r7 += 1;", "r6 &= 255; r7 = r6; r7 += 2;") "if r6 > 61 goto 9f;" AT(r7))
ASM(no_two_paths_range, PATHS("r6 &= 31; r7 = r6;", "r6 &= 127; r7 = r6;") AT(r7))
ASM(ok_two_paths_range, PATHS("r6 &= 63; r7 = r6;", "r6 &= 31; r7 = r6;") AT(r7))
ASM(no_two_paths_shift, PATHS("r7 = 2;", "r7 = 3;") "r8 = 8; r8 <<= r7;" AT(r8))
ASM(no_two_paths_stack_offset, PATHS("r7 = -8;", "r7 = -520;") "r8 = r10; r8 += r7; *(u64 *)(r8 + 0) = 1;")
ASM(no_two_paths_zero, PATHS("r7 = 0;", "r7 = 1;") "*(u64 *)(r10 - 8) = 0; *(u8 *)(r10 - 5) = r7; r8 = *(u8 *)(r10 - 5); r8 *= 64;" AT(r8))
ASM(no_two_paths_key, PATHS("r7 = 3;", "r7 = 4;") "*(u32 *)(r10 - 8) = r7; r1 = %[array] ll; r2 = r10; r2 += -8; call %[lookup]; r0 = *(u8 *)(r0 + 0);")
ASM(ok_two_paths_key, PATHS("r7 = 3;", "r7 = 2;") "*(u32 *)(r10 - 8) = r7; r1 = %[array] ll; r2 = r10; r2 += -8; call %[lookup]; r0 = *(u8 *)(r0 + 0);")
ASM(no_two_paths_callee, PATHS("r7 = 1;", "r7 = 64;") "r1 = r7; call gives_back;" AT(r0))
ASM(ok_two_paths_callee, PATHS("r7 = 1;", "r7 = 63;") "r1 = r7; call gives_back;" AT(r0))
ASM(no_two_paths_callee_stack, PATHS("*(u64 *)(r10 - 8) = 1;", "*(u64 *)(r10 - 8) = 64;") "r1 = r10; r1 += -8; call gives_stack;" AT(r0))
ASM(ok_two_paths_callee_stack, PATHS("*(u64 *)(r10 - 8) = 1;", "*(u64 *)(r10 - 8) = 63;") "r1 = r10; r1 += -8; call gives_stack;" AT(r0))
ASM(no_two_paths_callee_writes, PATHS("r7 = 1;", "r7 = 64;") "r1 = r10; r1 += -8; r2 = r7; call takes_stack; r7 = *(u64 *)(r10 - 8);" AT(r7))
ASM(ok_two_paths_callee_overwrites, PATHS("*(u64 *)(r10 - 8) = 1;", "*(u64 *)(r10 - 8) = 64;") "r1 = r10; r1 += -8; r2 = 5; call takes_stack; r7 = *(u64 *)(r10 - 8);" AT(r7))

#define STATIC(name, text)                                                                         \
	static NOINLINE __attribute__((used)) NAKED long name(void)                                \
	{                                                                                          \
		asm volatile(text);                                                                \
	}
STATIC(gives_back, "r0 = r1; exit;")
STATIC(gives_stack, "r0 = *(u64 *)(r1 + 0); exit;")
STATIC(takes_stack, "*(u64 *)(r1 + 0) = r2; r0 = 0; exit;")
