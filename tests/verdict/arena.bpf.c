/* SPDX-License-Identifier: BSD-2-Clause */
/* Arenas: memory shared with user space, reached through pointers of their own kind. */
#include "common.h"

#define PAGE 4096
#define FLAG_MMAPABLE (1 << 10)
#define MAP_ARENA 33

struct {
	__uint(type, MAP_ARENA);
	__uint(map_flags, FLAG_MMAPABLE);
	__uint(max_entries, 10);
	__uint(map_extra, 0x10000000);
} pages SEC(".maps");

struct {
	__uint(type, MAP_ARENA);
	__uint(map_flags, FLAG_MMAPABLE);
	__uint(max_entries, 10);
	__uint(map_extra, 0x20000000);
} pages2 SEC(".maps");

struct {
	__uint(type, MAP_ARENA);
	__uint(map_flags, FLAG_MMAPABLE);
	__uint(max_entries, 10);
} nowhere SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, int);
	__type(value, long);
} array SEC(".maps");

extern void *bpf_arena_alloc_pages(void *p__map, void *addr, __u32 page_cnt, int node,
				   __u64 flags) __ksym;
extern void bpf_arena_free_pages(void *p__map, void *ptr, __u32 page_cnt) __ksym;
extern int bpf_arena_reserve_pages(void *p__map, void *ptr, __u32 page_cnt) __ksym;

long result;
volatile long unknown;

/* What alloc gives is an address for user space; the program's own is a cast away. */
#define TO_KERNEL(p) asm volatile("%0 = addr_space_cast(%0, 0, 1)" : "+r"(p))
#define TO_USER(p) asm volatile("%0 = addr_space_cast(%0, 1, 0)" : "+r"(p))
#define USES(map) asm volatile("" ::"r"(&map))

SEC("syscall") int ok_alloc_write(void *ctx)
{
	volatile long *p = bpf_arena_alloc_pages(&pages, NULL, 1, -1, 0);

	if (!p)
		return 0;
	TO_KERNEL(p);
	p[1] = 5;
	result = p[2];
	return 0;
}

SEC("syscall") int no_alloc_uncast(void *ctx)
{
	volatile long *p = bpf_arena_alloc_pages(&pages, NULL, 1, -1, 0);

	if (!p)
		return 0;
	p[1] = 5;
	return 0;
}

SEC("syscall") int ok_alloc_unchecked(void *ctx)
{
	volatile long *p = bpf_arena_alloc_pages(&pages, NULL, 1, -1, 0);

	TO_KERNEL(p);
	p[1] = 5;
	return 0;
}

SEC("tc") int no_alloc_tc(void *ctx)
{
	result = (long)bpf_arena_alloc_pages(&pages, NULL, 1, -1, 0);
	return 0;
}

SEC("syscall") int ok_free(void *ctx)
{
	void *p = bpf_arena_alloc_pages(&pages, NULL, 1, -1, 0);

	if (p)
		bpf_arena_free_pages(&pages, p, 1);
	return 0;
}

SEC("syscall") int ok_reserve(void *ctx)
{
	return bpf_arena_reserve_pages(&pages, (void *)0x10000000ul, 1) ? 0 : 1;
}

SEC("syscall") int no_alloc_not_map(void *ctx)
{
	result = (long)bpf_arena_alloc_pages(ctx, NULL, 1, -1, 0);
	return 0;
}

SEC("syscall") int ok_alloc_other_map(void *ctx)
{
	result = (long)bpf_arena_alloc_pages(&array, NULL, 1, -1, 0);
	return 0;
}

SEC("syscall") int ok_far_offset(void *ctx)
{
	volatile char *p = (void *)bpf_arena_alloc_pages(&pages, NULL, 1, -1, 0);

	TO_KERNEL(p);
	p[30000] = 5;
	p += unknown;
	result = *p;
	return 0;
}

SEC("tc") int ok_cast_number(void *ctx)
{
	long p = unknown;

	USES(pages);
	TO_KERNEL(p);
	result = *(volatile long *)p;
	return 0;
}

SEC("tc") int no_cast_without_arena(void *ctx)
{
	long p = unknown;

	TO_KERNEL(p);
	result = *(volatile long *)p;
	return 0;
}

SEC("tc") int no_two_arenas(void *ctx)
{
	USES(pages);
	USES(pages2);
	return 0;
}

SEC("tc") int no_arena_nowhere(void *ctx)
{
	USES(nowhere);
	return 0;
}

SEC("tc") int ok_to_user(void *ctx)
{
	long p = unknown;

	USES(pages);
	TO_KERNEL(p);
	TO_USER(p);
	result = p;
	return 0;
}

SEC("tc") int no_user_dereference(void *ctx)
{
	long p = unknown;

	USES(pages);
	TO_KERNEL(p);
	TO_USER(p);
	result = *(volatile long *)p;
	return 0;
}

SEC("tc") NAKED int no_cast_spaces(void)
{
	asm volatile("r1 = %[pages] ll;"
		     "r2 = 4096;"
		     "r2 = addr_space_cast(r2, 0, 2);"
		     "r0 = 0;"
		     "exit;"
		     :
		     : __imm_addr(pages));
}

#define OPS(name, ops)                                                                             \
	SEC("tc") NAKED int name(void)                                                             \
	{                                                                                          \
		asm volatile("r9 = r1;"                                                            \
			     "r1 = %[pages] ll;"                                                   \
			     "call %[random];"                                                     \
			     "r6 = r0;"                                                            \
			     "r7 = r0;"                                                            \
			     "r6 = addr_space_cast(r6, 0, 1);" ops "r0 = 0;"                       \
			     "exit;"                                                               \
			     :                                                                     \
			     : __imm_addr(pages), [array] "i"(&array),                             \
			       [random] "i"(BPF_FUNC_get_prandom_u32),                             \
			       [lookup] "i"(BPF_FUNC_map_lookup_elem),                             \
			       [update] "i"(BPF_FUNC_map_update_elem),                             \
			       [probe] "i"(BPF_FUNC_probe_read_kernel)                             \
			     : "r0", "r1", "r2", "r3", "r4", "r5");                                \
	}

OPS(ok_load_acquire, ".byte 0xdb, 0x61, 0, 0, 0, 1, 0, 0;")
OPS(ok_store_release, ".byte 0xdb, 0x76, 0, 0, 0x10, 1, 0, 0;")
OPS(ok_add, "r6 += r7;"
	    "*(u64 *)(r6 + 8) = r7;")
OPS(ok_sub, "r6 -= r7;"
	    "*(u64 *)(r6 + 8) = r7;")
OPS(ok_mul, "r6 *= r7;"
	    "*(u64 *)(r6 + 8) = r7;")
OPS(ok_and, "r6 &= 0xff;"
	    "*(u64 *)(r6 + 8) = r7;")
OPS(ok_xor32, "w6 ^= w7;"
	      "*(u64 *)(r6 + 8) = r7;")
OPS(ok_number_plus_arena, "r7 += r6;"
			  "*(u64 *)(r7 + 8) = r6;")
OPS(ok_arena_plus_arena, "r6 += r6;"
			 "*(u64 *)(r6 + 8) = r7;")
OPS(no_neg, "r6 = -r6;"
	    "*(u64 *)(r6 + 8) = r7;")
OPS(no_mov32, "w6 = w6;"
	      "*(u64 *)(r6 + 8) = r7;")
OPS(ok_widths, "*(u8 *)(r6 + 1) = r7;"
	       "*(u16 *)(r6 + 3) = r7;"
	       "*(u32 *)(r6 + 5) = r7;"
	       "r1 = *(u8 *)(r6 - 1);"
	       "r1 = *(u16 *)(r6 - 3);"
	       "r1 = *(u32 *)(r6 - 5);")
OPS(ok_store_imm, "*(u32 *)(r6 + 5) = 7;")
OPS(ok_sign_extend, "r1 = *(s8 *)(r6 + 0);")
OPS(ok_store_pointer, "*(u64 *)(r6 + 0) = r10;")
OPS(ok_store_arena, "*(u64 *)(r10 - 8) = r6;"
		    "r1 = *(u64 *)(r10 - 8);"
		    "*(u64 *)(r1 + 0) = 1;")
OPS(ok_atomic_add, "lock *(u64 *)(r6 + 0) += r7;")
OPS(ok_atomic_fetch_add, "r7 = atomic_fetch_add((u64 *)(r6 + 0), r7);")
OPS(no_atomic_fetch_and, "r7 = atomic_fetch_and((u64 *)(r6 + 0), r7);")
OPS(ok_cmpxchg, "r0 = cmpxchg_64(r6 + 0, r0, r7);")
OPS(ok_xchg, "r7 = xchg_64(r6 + 0, r7);")
OPS(ok_compare, "if r6 == 0 goto +1;"
		"*(u64 *)(r6 + 8) = r7;")
OPS(ok_compare_arena, "if r6 > r7 goto +1;"
		      "*(u64 *)(r6 + 8) = r7;")
OPS(ok_stack_plus_arena, "r1 = r10;"
			 "r1 += r6;"
			 "r2 = *(u8 *)(r1 + 0);"
			 "r0 = r1;"
			 "if r7 == 0 goto +1;"
			 "exit;")
OPS(ok_return, "r0 = r6;"
	       "if r7 == 0 goto +1;"
	       "exit;")
OPS(no_to_helper, "r1 = r10;"
		  "r1 += -8;"
		  "r2 = 8;"
		  "r3 = r6;"
		  "call %[probe];"
		  "r1 = r6;"
		  "r2 = 8;"
		  "r3 = r6;"
		  "call %[probe];")
OPS(no_to_map, "r1 = %[array] ll;"
	       "r2 = r6;"
	       "call %[lookup];")
OPS(no_same_insn, "r1 = r10;"
		  "r1 += -8;"
		  "*(u64 *)(r1 + 0) = 1;"
		  "if r7 == 0 goto +1;"
		  "r1 = r6;"
		  "*(u64 *)(r1 + 0) = 2;")
OPS(no_loaded_pointer, "r1 = *(u64 *)(r6 + 0);"
		       "r2 = *(u64 *)(r1 + 0);")
OPS(ok_loaded_and_cast, "r1 = *(u64 *)(r6 + 0);"
			"r1 = addr_space_cast(r1, 0, 1);"
			"r2 = *(u64 *)(r1 + 0);")
OPS(no_bswap, "r6 = bswap32 r6;"
	      "*(u64 *)(r6 + 8) = r7;")
OPS(ok_context_plus_arena, "r9 += r6;"
			   "r2 = *(u32 *)(r9 + 0);"
			   "r0 = r9;"
			   "if r7 == 0 goto +1;"
			   "exit;")

