/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rewritten programs: what bpf_loop, look-ups and storage give, through both engines, inlined and
 * with every call kept.
 *
 * usage: rewrite [N]       run the cases, and N random programs (2000)
 *        rewrite bench     nanoseconds an iteration
 *
 * The world behind the program is a fake: arrays in static memory, a storage table with one slot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "interp/interp.h"
#include "isa/disasm.h"
#include "isa/insn.h"
#include "jit/jit.h"
#include "rewrite/rewrite.h"
#include "spec/host.h"
#include "progen.h"
#include "vprog.h"

static u32 passed, failed;

#define CHECK(cond, ...)                                                                           \
	do {                                                                                       \
		if (cond) {                                                                        \
			passed++;                                                                  \
		} else {                                                                           \
			failed++;                                                                  \
			printf("FAIL %s:%d: ", __FILE__, __LINE__);                                \
			printf(__VA_ARGS__);                                                       \
			printf("\n");                                                              \
		}                                                                                  \
	} while (0)

/* ---- the fake world ---- */

enum { ID_LOOKUP = 1, ID_CPU = 8, ID_STORAGE = 156, ID_TASK = 158, ID_LOOP = 181, ID_TAIL = 12 };

static u64 array_values[8] = {10, 11, 12, 13, 14, 15, 16, 17};
static struct fake_map {
	struct skep_map_facts facts;
	u32 slot;
	struct skep_map_inline inl;
} array_map = {.facts = {.type = BPF_MAP_TYPE_ARRAY, .value_size = 8, .max_entries = 8}}, inner[64],
  outer_map,
  config_map = {.facts = {.type = BPF_MAP_TYPE_ARRAY,
			  .value_size = 8,
			  .max_entries = 1,
			  .frozen = true,
			  .flags = BPF_F_RDONLY_PROG}};
static void *outer_values[64];
static u32 config[2] = {7, 0};
static u64 storage_values[64];
static u32 slow_calls;
static u64 tail_target;

struct table {
	u32 len;
	u32 pad;
	void *slots[64];
};
static struct owner {
	struct table *table;
	u8 view[64];
} * owner;
static struct table table;

static __thread u64 tls_current;
static __thread u32 tls_cpu = 3;

static const struct skep_vprog *interp_prog; /* loop callbacks of the interpreter */

static u64 call_back(u64 fn, u64 a, u64 b)
{
	const struct skep_vprog *p;
	u32 sub;

	if (skep_interp_func(fn, &p, &sub))
		return skep_interp_call(p, sub, a, b, 0, 0, 0);
	return ((u64(*)(u64, u64))(uintptr_t)fn)(a, b);
}
static u64 h_loop(u64 n, u64 fn, u64 ctx, u64 flags, u64 e)
{
	u64 i;

	if (flags)
		return (u64)-EINVAL;
	if (n > SKEP_MAX_LOOPS)
		return (u64)-E2BIG;
	for (i = 0; i < n; i++)
		if (call_back(fn, i, ctx))
			return i + 1;
	return i;
}
static u64 h_lookup(u64 map, u64 key, u64 c, u64 d, u64 e)
{
	u32 k = *(u32 *)(uintptr_t)key;

	if (map == (uintptr_t)&outer_map)
		return k < outer_map.facts.max_entries ? (uintptr_t)outer_values[k] : 0;
	return k < 8 ? (uintptr_t)&array_values[k] : 0;
}
static u64 h_cpu(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	return tls_cpu;
}
static u64 h_task(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	return tls_current;
}
static u64 h_tail(u64 ctx, u64 map, u64 index, u64 d, u64 e)
{
	return index == 3 ? tail_target : 0;
}
static u64 h_storage(u64 map, u64 task, u64 value, u64 flags, u64 e)
{
	slow_calls++;
	if (!task || flags > 1)
		return 0;
	return (uintptr_t)&storage_values[((struct fake_map *)(uintptr_t)map)->slot];
}

static void *helper_fn(void *priv, const struct skep_vprog *p, u32 id, const char **ret_name)
{
	*ret_name = "fake";
	switch (id) {
	case ID_LOOKUP:
		return (void *)h_lookup;
	case ID_CPU:
		return (void *)h_cpu;
	case ID_TASK:
		return (void *)h_task;
	case ID_LOOP:
		return (void *)h_loop;
	case ID_STORAGE:
		return (void *)h_storage;
	case ID_TAIL:
		return (void *)h_tail;
	}
	return NULL;
}
static void *kfunc_fn(void *priv, const struct skep_kfunc_ref *ref, const char **ret_name)
{
	return NULL;
}
static void *map_addr(void *priv, struct skep_map_facts *m)
{
	return m;
}
static void *map_value_addr(void *priv, struct skep_map_facts *m, u32 off)
{
	return m == &config_map.facts ? (char *)config + off : (char *)array_values + off;
}
static const struct skep_map_inline *map_inline(void *priv, const struct skep_map_facts *m)
{
	return container_of(m, struct fake_map, facts)->inl.kind
		       ? &container_of(m, struct fake_map, facts)->inl
		       : NULL;
}

static struct skep_run_inline run_inline;
static struct skep_rewrite_host host = {
	.helper_fn = helper_fn,
	.kfunc_fn = kfunc_fn,
	.map_addr = map_addr,
	.map_value_addr = map_value_addr,
	.map_inline = map_inline,
	.run_inline = &run_inline,
};

static s64 fs_offset(const void *p)
{
	u64 fs;

	__asm__("mov %%fs:0, %0" : "=r"(fs));
	return (s64)((u64)(uintptr_t)p - fs);
}

static void setup(void)
{
	u32 i;

	owner = skep_arena_init() ? NULL : skep_arena_alloc(sizeof(*owner), 64);
	if (!owner)
		exit(1);
	owner->table = &table;
	owner->table->len = 64;
	tls_current = (uintptr_t)owner->view;
	for (i = 0; i < 64; i++) {
		inner[i].slot = i;
		outer_values[i] = &inner[i];
		owner->table->slots[i] = &storage_values[i];
	}
	array_map.inl = (struct skep_map_inline){
		.kind = SKEP_INLINE_ARRAY, .max_entries = 8, .stride = 8, .values = array_values};
	outer_map.facts.max_entries = 64;
	outer_map.inl = (struct skep_map_inline){.kind = SKEP_INLINE_ARRAY_OF_MAPS,
						 .max_entries = 64,
						 .stride = 8,
						 .values = outer_values};
	run_inline = (struct skep_run_inline){
		.owner_table_off =
			(s32)offsetof(struct owner, table) - (s32)offsetof(struct owner, view),
		.table_len_off = offsetof(struct table, len),
		.table_slots_off = offsetof(struct table, slots),
		.map_slot_off = offsetof(struct fake_map, slot),
		.tls_current_off = fs_offset(&tls_current),
		.tls_cpu_off = fs_offset(&tls_cpu),
	};
}

/* ---- programs ---- */

#define HELPER(id) SKEP_CALL(SKEP_CALL_HELPER, id)
#define LD64(d, s, lo, hi)                                                                         \
	SKEP_INSN(BPF_LD | BPF_IMM | BPF_DW, d, s, 0, lo), SKEP_INSN(0, 0, 0, 0, hi)

/* A program with maps (0 array, 1 outer, 2 config) and one call fact shared by all calls to a
 * helper. */
struct source {
	const struct bpf_insn *insns;
	u32 len;
	u32 starts[4], nr_subprogs; /* of the subprograms */
	u32 depth;
	struct skep_call_fact loop, lookup, storage;
	u8 mem; /* kind of the loads through R2; 0: all are direct */
};

static int build(const struct source *s, struct skep_vprog *ret)
{
	u32 i;

	if (vprog_from_insns(s->insns, s->len, ret))
		return -1;
	skep_free(ret->subprogs);
	ret->subprogs = skep_calloc(s->nr_subprogs, sizeof(*ret->subprogs));
	ret->nr_subprogs = s->nr_subprogs;
	for (i = 0; i < s->nr_subprogs; i++) {
		u32 end = i + 1 < s->nr_subprogs ? s->starts[i + 1] : s->len;

		ret->subprogs[i].start = s->starts[i];
		ret->subprogs[i].len = end - s->starts[i];
		ret->subprogs[i].stack_depth = (u16)s->depth;
		ret->subprogs[i].name = "";
	}
	ret->prog_type = BPF_PROG_TYPE_SYSCALL;
	ret->calls = skep_calloc(3, sizeof(*ret->calls));
	ret->nr_calls = 3;
	ret->calls[0] = s->loop;
	ret->calls[1] = s->lookup;
	ret->calls[2] = s->storage;
	ret->maps = skep_calloc(3, sizeof(*ret->maps));
	ret->nr_maps = 3;
	ret->maps[0] = &array_map.facts;
	ret->maps[1] = &outer_map.facts;
	ret->maps[2] = &config_map.facts;
	for (i = 0; i < s->len; i++) {
		if (!skep_insn_is_call(&s->insns[i], SKEP_CALL_HELPER))
			continue;
		ret->facts[i].call = s->insns[i].imm == ID_LOOP	     ? 1
				     : s->insns[i].imm == ID_LOOKUP  ? 2
				     : s->insns[i].imm == ID_STORAGE ? 3
								     : 0;
	}
	return 0;
}

static void dump(const struct skep_vprog *p)
{
	char buf[128];
	u32 i;

	if (!getenv("DUMP"))
		return;
	for (i = 0; i < p->len; i++) {
		skep_disasm(&p->insns[i], NULL, buf, sizeof(buf));
		printf("%3u: %s\n", i, buf);
		i += skep_insn_is_ldimm64(&p->insns[i]);
	}
}

/* The four ways must agree on @want. */
static void expect(const char *name, const struct source *s, u64 arg, u64 want)
{
	u32 way, i;

	for (way = 0; way < 4; way++) {
		struct skep_vprog p;
		struct skep_jit_image image = {0};
		u64 ctx[4] = {arg, 5, 6, 7}, r0 = ~want;

		host.no_inline = way & 1;
		if (build(s, &p)) {
			CHECK(false, "%s: does not build", name);
			return;
		}
		for (i = 0; i < p.len && s->mem; i++)
			if (BPF_CLASS(p.insns[i].code) == BPF_LDX && p.insns[i].src_reg == 2)
				p.facts[i].mem = s->mem;
		if (skep_rewrite(&p, &host)) {
			CHECK(false, "%s: does not rewrite", name);
			return;
		}
		if (way == 2)
			dump(&p);
		if (way & 2) {
			if (skep_jit_compile(&p, &image)) {
				CHECK(false, "%s: does not compile", name);
				return;
			}
			r0 = image.entry(ctx);
		} else {
			interp_prog = &p;
			r0 = skep_interp_run(&p, ctx);
		}
		CHECK(r0 == want, "%s: way %u: r0 %llx, expected %llx", name, way,
		      (unsigned long long)r0, (unsigned long long)want);
		skep_jit_free(&image);
		skep_vprog_fini(&p);
	}
	host.no_inline = false;
}

static struct skep_call_fact loop_fact(bool known, u64 n)
{
	return (struct skep_call_fact){
		.map = -1, .callback = 1, .known = (u8)(1 << 3 | (known ? 1 : 0)), .arg = {n}};
}

/* main: R6 = 1000; bpf_loop(*ctx or constant, cb, &sum); returns sum + 1000 * result + R6 */
#define LOOP_MAIN(bound)                                                                           \
	SKEP_MOV64_IMM(6, 1000), bound, SKEP_ST(BPF_DW, 10, -8, 0), SKEP_MOV64_REG(3, 10),         \
		SKEP_ALU64_IMM(BPF_ADD, 3, -8), LD64(2, SKEP_PSEUDO_FUNC, 1, 0),                   \
		SKEP_MOV64_IMM(4, 0), HELPER(ID_LOOP), SKEP_ALU64_IMM(BPF_MUL, 0, 1000),           \
		SKEP_LDX(BPF_DW, 1, 10, -8), SKEP_ALU64_REG(BPF_ADD, 0, 1),                        \
		SKEP_ALU64_REG(BPF_ADD, 0, 6), SKEP_EXIT
#define LOOP_CB 14

static void test_loops(void)
{
	/* cb: R6, R7 and own stack; sum += index; stop at 20 */
	const struct bpf_insn busy[] = {
		LOOP_MAIN(SKEP_LDX(BPF_DW, 1, 1, 0)),
		SKEP_MOV64_REG(6, 2),
		SKEP_STX(BPF_DW, 10, 1, -16),
		SKEP_MOV64_REG(7, 10),
		SKEP_ALU64_IMM(BPF_ADD, 7, -16),
		SKEP_LDX(BPF_DW, 1, 7, 0),
		SKEP_LDX(BPF_DW, 3, 6, 0),
		SKEP_ALU64_REG(BPF_ADD, 3, 1),
		SKEP_STX(BPF_DW, 6, 3, 0),
		SKEP_MOV64_IMM(0, 0),
		SKEP_JMP_IMM(BPF_JNE, 1, 20, 1),
		SKEP_MOV64_IMM(0, 1),
		SKEP_EXIT,
	};
	const struct bpf_insn consts[] = {
		LOOP_MAIN(SKEP_LDX(BPF_DW, 1, 1, 0)),
		SKEP_JMP_IMM(BPF_JEQ, 1, 20, 2),
		SKEP_MOV64_IMM(0, 0),
		SKEP_EXIT,
		SKEP_MOV64_IMM(0, 1),
		SKEP_EXIT,
	};
	const struct bpf_insn constant_bound[] = {
		LOOP_MAIN(SKEP_MOV64_IMM(1, 9)),
		SKEP_LDX(BPF_DW, 3, 2, 0),
		SKEP_ALU64_REG(BPF_ADD, 3, 1),
		SKEP_STX(BPF_DW, 2, 3, 0),
		SKEP_MOV64_IMM(0, 0),
		SKEP_EXIT,
	};
	/* R10 where it cannot be shifted: the call stays a call */
	const struct bpf_insn not_inlined[] = {
		LOOP_MAIN(SKEP_LDX(BPF_DW, 1, 1, 0)),
		SKEP_STX(BPF_DW, 10, 10, -8),
		SKEP_LDX(BPF_DW, 3, 2, 0),
		SKEP_ALU64_REG(BPF_ADD, 3, 1),
		SKEP_STX(BPF_DW, 2, 3, 0),
		SKEP_MOV64_IMM(0, 0),
		SKEP_EXIT,
	};
	struct source s = {.starts = {0, LOOP_CB}, .nr_subprogs = 2, .depth = 16};

	s.loop = loop_fact(false, 0);
	s.insns = busy;
	s.len = ARRAY_SIZE(busy);
	expect("loop-busy-0", &s, 0, 1000);
	expect("loop-busy-5", &s, 5, 5000 + 10 + 1000);
	expect("loop-busy-stop", &s, 500, 21000 + 210 + 1000);
	expect("loop-too-many", &s, SKEP_MAX_LOOPS + 1, (u64)-7 * 1000 + 1000);
	s.insns = consts;
	s.len = ARRAY_SIZE(consts);
	expect("loop-const-exits", &s, 7, 7000 + 1000);
	expect("loop-const-exits-stop", &s, 50, 21000 + 1000);
	s.insns = not_inlined;
	s.len = ARRAY_SIZE(not_inlined);
	expect("loop-call", &s, 6, 6000 + 15 + 1000);
	s.insns = constant_bound;
	s.len = ARRAY_SIZE(constant_bound);
	s.loop = loop_fact(true, 9);
	expect("loop-constant", &s, 0, 9000 + 36 + 1000);
}

static void test_nested(void)
{
	/* main -> loop(cb1, n = ctx[0]) -> loop(cb2, n = 3): counts */
	const struct bpf_insn in[] = {
		LOOP_MAIN(SKEP_LDX(BPF_DW, 1, 1, 0)),
		SKEP_MOV64_REG(6, 2),
		SKEP_STX(BPF_DW, 10, 2, -8),
		SKEP_MOV64_REG(3, 2),
		LD64(2, SKEP_PSEUDO_FUNC, 2, 0),
		SKEP_MOV64_IMM(1, 3),
		SKEP_MOV64_IMM(4, 0),
		HELPER(ID_LOOP),
		SKEP_LDX(BPF_DW, 1, 10, -8),
		SKEP_LDX(BPF_DW, 2, 1, 0),
		SKEP_ALU64_REG(BPF_ADD, 2, 0),
		SKEP_STX(BPF_DW, 6, 2, 0),
		SKEP_MOV64_IMM(0, 0),
		SKEP_EXIT,
		SKEP_MOV64_REG(6, 1),
		SKEP_LDX(BPF_DW, 3, 2, 0),
		SKEP_ALU64_REG(BPF_ADD, 3, 6),
		SKEP_STX(BPF_DW, 2, 3, 0),
		SKEP_MOV64_IMM(0, 0),
		SKEP_EXIT,
	};
	struct source s = {.insns = in,
			   .len = ARRAY_SIZE(in),
			   .nr_subprogs = 3,
			   .depth = 16,
			   .starts = {0, LOOP_CB, LOOP_CB + 14}};
	u32 way;

	for (way = 0; way < 4; way++) {
		struct skep_vprog p;
		struct skep_jit_image image = {0};
		u64 ctx[1] = {5}, r0;
		u32 i, seen = 0;

		host.no_inline = way & 1;
		build(&s, &p);
		p.calls[1] = loop_fact(true, 3);
		p.calls[1].callback = 2;
		p.calls[0] = loop_fact(false, 0);
		for (i = 0; i < p.len; i++)
			if (p.facts[i].call == 1 && seen++)
				p.facts[i].call = 2;
		CHECK(!skep_rewrite(&p, &host), "nested: rewrite");
		if (way & 2) {
			CHECK(!skep_jit_compile(&p, &image), "nested: compile");
			r0 = image.entry(ctx);
		} else {
			r0 = skep_interp_run(&p, ctx);
		}
		CHECK(r0 == 5000 + 5 * (3 + 0 + 1 + 2) + 1000, "nested: way %u: %llu", way,
		      (unsigned long long)r0);
		skep_jit_free(&image);
		skep_vprog_fini(&p);
	}
	host.no_inline = false;
}

static void test_lookups(void)
{
	const struct bpf_insn array[] = {
		SKEP_LDX(BPF_W, 2, 1, 0),
		SKEP_STX(BPF_W, 10, 2, -4),
		SKEP_MOV64_REG(2, 10),
		SKEP_ALU64_IMM(BPF_ADD, 2, -4),
		LD64(1, SKEP_PSEUDO_MAP_FD, 0, 0),
		HELPER(ID_LOOKUP),
		SKEP_JMP_IMM(BPF_JEQ, 0, 0, 1),
		SKEP_LDX(BPF_DW, 0, 0, 0),
		SKEP_EXIT,
	};
	const struct bpf_insn folded[] = {
		LD64(1, SKEP_PSEUDO_MAP_VALUE, 2, 0),
		SKEP_LDX(BPF_W, 2, 1, 0),
		SKEP_MOV64_IMM(0, 100),
		SKEP_ALU32_REG(BPF_MOD, 0, 2),
		SKEP_EXIT,
	};
	const struct bpf_insn storage[] = {
		SKEP_LDX(BPF_W, 6, 1, 0),  HELPER(ID_TASK),
		SKEP_MOV64_REG(2, 0),	   LD64(1, SKEP_PSEUDO_MAP_FD, 0, 0),
		SKEP_MOV64_IMM(3, 0),	   SKEP_MOV64_REG(4, 6),
		HELPER(ID_STORAGE),	   SKEP_JMP_IMM(BPF_JEQ, 0, 0, 1),
		SKEP_LDX(BPF_DW, 0, 0, 0), SKEP_EXIT,
	};
	const struct bpf_insn cpu[] = {HELPER(ID_CPU), SKEP_EXIT};
	struct source s = {.insns = array, .len = ARRAY_SIZE(array), .nr_subprogs = 1, .depth = 8};

	s.lookup = (struct skep_call_fact){.map = 0, .callback = -1};
	s.storage = (struct skep_call_fact){.map = -1, .callback = -1, .nonnull = 2};
	expect("array-hit", &s, 5, 15);
	expect("array-last", &s, 7, 17);
	expect("array-miss", &s, 8, 0);
	expect("array-miss-far", &s, 0xffffffff, 0);
	s.insns = folded;
	s.len = ARRAY_SIZE(folded);
	expect("folded", &s, 0, 100 % 7);
	s.insns = cpu;
	s.len = ARRAY_SIZE(cpu);
	expect("cpu", &s, 0, 3);
	s.insns = storage;
	s.len = ARRAY_SIZE(storage);
	storage_values[0] = 4711;
	slow_calls = 0;
	expect("storage-hit", &s, 1, 4711);
	CHECK(slow_calls == 2, "storage: %u slow calls, 2 expected", slow_calls);
	expect("storage-flags", &s, 2, 0);
	owner->table->len = 0;
	slow_calls = 0;
	expect("storage-short-table", &s, 0, 4711);
	CHECK(slow_calls == 4, "storage: %u slow calls, 4 expected", slow_calls);
	owner->table->len = 64;
}

static u64 tail_program(const void *ctx)
{
	return *(const u64 *)ctx * 100;
}

static void test_tail_call(void)
{
	const struct bpf_insn in[] = {
		SKEP_LDX(BPF_DW, 3, 1, 0),
		SKEP_MOV64_REG(6, 1),
		SKEP_ST(BPF_DW, 10, -8, 1),
		LD64(2, SKEP_PSEUDO_MAP_FD, 0, 0),
		HELPER(ID_TAIL),
		SKEP_LDX(BPF_DW, 0, 6, 0),
		SKEP_EXIT,
	};
	struct source s = {.insns = in, .len = ARRAY_SIZE(in), .nr_subprogs = 1, .depth = 8};

	tail_target = (uintptr_t)tail_program;
	expect("tail-call", &s, 3, 300);
	expect("tail-call-falls-through", &s, 4, 4);
}

/* Loads from kernel objects and from anywhere: R0 = *R2, other registers kept. */
static void test_probe(void)
{
#define PROBE(load)                                                                                \
	{                                                                                          \
		SKEP_LDX(BPF_DW, 2, 1, 0), SKEP_MOV64_IMM(1, 1), SKEP_MOV64_IMM(3, 2),             \
			SKEP_MOV64_IMM(4, 4), SKEP_MOV64_IMM(5, 8), SKEP_MOV64_IMM(0, 99), load,   \
			SKEP_ALU64_REG(BPF_ADD, 0, 1), SKEP_ALU64_REG(BPF_ADD, 0, 3),              \
			SKEP_ALU64_REG(BPF_ADD, 0, 4), SKEP_ALU64_REG(BPF_ADD, 0, 5), SKEP_EXIT    \
	}
	const struct bpf_insn word[] = PROBE(SKEP_LDX(BPF_W, 0, 2, 4));
	const struct bpf_insn byte[] =
		PROBE(SKEP_INSN(BPF_LDX | SKEP_BPF_MEMSX | BPF_B, 0, 2, 4, 0));
	const struct bpf_insn back[] = PROBE(SKEP_LDX(BPF_DW, 0, 2, -8));
	struct source s = {.nr_subprogs = 1};
	u64 outside[4] = {0x80ull << 32 | 1, 2, 3, 4};
	u32 v = 0xfedcba98;

	memcpy(owner->view + 4, &v, 4);
	for (s.mem = SKEP_MEM_BTF; s.mem <= SKEP_MEM_PROBE; s.mem++) {
		bool any = s.mem == SKEP_MEM_PROBE;

		s.insns = word;
		s.len = ARRAY_SIZE(word);
		expect("probe-word", &s, (uintptr_t)owner->view, 0xfedcba98ull + 15);
		expect("probe-null", &s, 0, 15);
		expect("probe-high", &s, 0xffff888000000000ull, 15);
		expect("probe-noncanonical", &s, 0x8000000000000000ull, 15);
		expect("probe-other", &s, (uintptr_t)outside, (any ? 0x80 : 0) + 15);
		s.insns = byte;
		s.len = ARRAY_SIZE(byte);
		expect("probe-sign", &s, (uintptr_t)owner->view, (u64)-0x68 + 15);
		expect("probe-sign-null", &s, 0, 15);
		s.insns = back;
		s.len = ARRAY_SIZE(back);
		expect("probe-back", &s, (uintptr_t)(outside + 1), (any ? outside[0] : 0) + 15);
		expect("probe-back-in", &s, (uintptr_t)owner->view + 8, ((u64)v << 32) + 15);
	}
}

/* Jumps over code that grows beyond what their offsets reach. */
static void test_far(void)
{
	enum { LOOKUPS = 5000, LEN = 3 + LOOKUPS * 6 + 2 };
	struct bpf_insn *in = calloc(LEN, sizeof(*in));
	struct source s = {.insns = in, .len = LEN, .nr_subprogs = 1, .depth = 8};
	u32 n = 0, i;

	in[n++] = SKEP_LDX(BPF_DW, 6, 1, 0);
	in[n++] = SKEP_MOV64_IMM(7, 1);
	in[n++] = SKEP_JMP_IMM(BPF_JEQ, 6, 5, LOOKUPS * 6);
	for (i = 0; i < LOOKUPS; i++) {
		in[n++] = SKEP_ST(BPF_W, 10, -4, 2);
		in[n++] = SKEP_MOV64_REG(2, 10);
		in[n++] = SKEP_ALU64_IMM(BPF_ADD, 2, -4);
		in[n++] = SKEP_MOV64_IMM(1, 0);
		in[n++] = HELPER(ID_LOOKUP);
		in[n++] = SKEP_ALU64_REG(BPF_ADD, 7, 0);
	}
	in[n++] = SKEP_MOV64_REG(0, 7);
	in[n++] = SKEP_EXIT;
	s.lookup = (struct skep_call_fact){.map = 0, .callback = -1};
	expect("far-taken", &s, 5, 1);
	expect("far-walked", &s, 6, 1 + LOOKUPS * (u64)(uintptr_t)&array_values[2]);
	free(in);
}

/* What programs access by address: one that fits a displacement, one that does not. */
static u64 near_buffer[8];
static void *low_buffer;

static void make_buffers(void)
{
	low_buffer = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low_buffer == MAP_FAILED)
		low_buffer = near_buffer;
	gen_buffers((u64)(uintptr_t)low_buffer, (u64)(uintptr_t)near_buffer);
}

/*
 * Random programs: what every pass left must compute what the program did, and a loop what its
 * calls did. Way 0, the interpreter with all calls kept, is the measure of the others.
 */
static bool random_ways(const struct gen *g, u64 *r0)
{
	u32 way, i;

	for (way = 0; way < 4; way++) {
		struct source s = {
			.insns = g->in, .len = g->n, .nr_subprogs = g->nr_subprogs, .depth = 128};
		struct skep_jit_image image = {0};
		struct skep_vprog p;

		host.no_inline = way & 1 ? false : true;
		for (i = 0; i < g->nr_subprogs; i++)
			s.starts[i] = g->starts[i];
		if (build(&s, &p))
			return false;
		p.calls[0] = loop_fact(false, 0);
		p.calls[1] = loop_fact(false, 0);
		p.calls[1].callback = 2;
		for (i = 0; i < p.len; i++) {
			u8 class = BPF_CLASS(p.insns[i].code);

			if (p.facts[i].call)
				p.facts[i].call = i == g->loops[0] ? 1 : 2;
			if (class == BPF_LDX || class == BPF_ST || class == BPF_STX)
				p.facts[i].mem = SKEP_MEM_DIRECT;
		}
		if (skep_rewrite(&p, &host) || (way & 2 && skep_jit_compile(&p, &image))) {
			skep_vprog_fini(&p);
			return false;
		}
		memset(near_buffer, 0x5a, sizeof(near_buffer));
		memset(low_buffer, 0xa5, 64);
		r0[way] = way & 2 ? image.entry(NULL) : skep_interp_run(&p, NULL);
		skep_jit_free(&image);
		skep_vprog_fini(&p);
	}
	host.no_inline = false;
	return r0[0] == r0[1] && r0[0] == r0[2] && r0[0] == r0[3];
}

static void test_random(u32 n)
{
	static struct gen g;
	u64 r0[4];
	u32 i;

	make_buffers();
	for (i = 0; i < n; i++) {
		memset(r0, 0, sizeof(r0));
		if (i % 2)
			gen_plain(&g, i);
		else
			gen_loops(&g, i, ID_LOOP);
		if (random_ways(&g, r0)) {
			passed++;
			continue;
		}
		CHECK(false, "random program %u: %llx, %llx, %llx, %llx", i,
		      (unsigned long long)r0[0], (unsigned long long)r0[1],
		      (unsigned long long)r0[2], (unsigned long long)r0[3]);
		gen_dump(&g);
		return;
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void bench(const char *name, const struct source *s, u64 n)
{
	struct skep_vprog p;
	struct skep_jit_image image = {0};
	u64 ctx[1] = {n};
	double best = 1e18;
	u32 round;

	if (build(s, &p) || skep_rewrite(&p, &host) || skep_jit_compile(&p, &image))
		exit(1);
	dump(&p);
	if (getenv("DUMP")) {
		FILE *f = fopen(getenv("DUMP"), "w");

		fwrite(image.subprogs[0], 1, image.size, f);
		fclose(f);
	}
	for (round = 0; round < 200; round++) {
		double t = now();

		image.entry(ctx);
		t = now() - t;
		best = t < best ? t : best;
	}
	printf("%-24s %6.2f ns an iteration\n", name, best / (double)n);
	skep_jit_free(&image);
	skep_vprog_fini(&p);
}

static void run_bench(void)
{
	const struct bpf_insn empty[] = {
		LOOP_MAIN(SKEP_LDX(BPF_DW, 1, 1, 0)),
		SKEP_MOV64_IMM(0, 0),
		SKEP_EXIT,
	};
	/* key = i % N; inner = outer[key]; value = task_storage_get(inner, current); hits++ */
	const struct bpf_insn cache[] = {
		LOOP_MAIN(SKEP_LDX(BPF_DW, 1, 1, 0)),
		SKEP_MOV64_REG(6, 2),
		LD64(3, SKEP_PSEUDO_MAP_VALUE, 2, 0),
		SKEP_LDX(BPF_W, 3, 3, 0),
		SKEP_ALU32_REG(BPF_MOD, 1, 3),
		SKEP_STX(BPF_W, 10, 1, -4),
		SKEP_MOV64_REG(2, 10),
		SKEP_ALU64_IMM(BPF_ADD, 2, -4),
		LD64(1, SKEP_PSEUDO_MAP_FD, 1, 0),
		HELPER(ID_LOOKUP),
		SKEP_JMP_IMM(BPF_JEQ, 0, 0, 11),
		SKEP_MOV64_REG(7, 0),
		HELPER(ID_TASK),
		SKEP_MOV64_REG(1, 7),
		SKEP_MOV64_REG(2, 0),
		SKEP_MOV64_IMM(3, 0),
		SKEP_MOV64_IMM(4, 1),
		HELPER(ID_STORAGE),
		SKEP_JMP_IMM(BPF_JEQ, 0, 0, 3),
		SKEP_LDX(BPF_DW, 1, 6, 0),
		SKEP_ALU64_IMM(BPF_ADD, 1, 1),
		SKEP_STX(BPF_DW, 6, 1, 0),
		SKEP_MOV64_IMM(0, 0),
		SKEP_EXIT,
	};
	struct source s = {.starts = {0, LOOP_CB}, .nr_subprogs = 2, .depth = 16};

	s.loop = loop_fact(false, 0);
	s.lookup = (struct skep_call_fact){.map = 1, .callback = -1};
	s.storage = (struct skep_call_fact){
		.map = -1, .callback = -1, .nonnull = 2, .known = 3 << 2, .arg = {0, 0, 0, 1}};
	s.insns = empty;
	s.len = ARRAY_SIZE(empty);
	bench("empty bpf_loop", &s, 1000000);
	s.insns = cache;
	s.len = ARRAY_SIZE(cache);
	bench("storage cache get", &s, 10000);
}

int main(int argc, char **argv)
{
	setup();
	if (argc > 1 && !strcmp(argv[1], "bench")) {
		run_bench();
		return 0;
	}
	test_loops();
	test_nested();
	test_lookups();
	test_tail_call();
	test_probe();
	test_far();
	test_random(argc > 1 ? (u32)atoi(argv[1]) : 2000);
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
