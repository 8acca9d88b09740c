/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A verified program and what is known about it: produced by the verifier, changed by rewrite,
 * read by the JIT and the interpreter.
 *
 * Stages of `struct skep_vprog`:
 *  1. as verified: the application's instructions, except that ldimm64 pseudo sources are
 *     normalised (below) and dead code is marked, not removed;
 *  2. as rewritten: context accesses turned into loads from the run-time context, calls bound to
 *     `targets`, ldimm64 immediates final, loops and look-ups inlined. This is `xlated`.
 *
 * Normalised ldimm64 after verification:
 *   src 0                      the constant
 *   src SKEP_PSEUDO_MAP_FD     imm = index into maps[]
 *   src SKEP_PSEUDO_MAP_VALUE  imm = index into maps[], next imm = offset in the value
 *   src SKEP_PSEUDO_BTF_ID     imm = index into ksyms[]
 *   src SKEP_PSEUDO_FUNC       imm = subprogram number
 * Calls after verification: src 0 imm = helper id; src 1 imm = pc-relative; src 2 imm = index
 * into kfuncs[].
 * After rewrite: the ldimm64 sources stay, as a mark of what the immediate is, but except for
 * SKEP_PSEUDO_FUNC the 64 bits are the final value; calls with src 0 and 2 have imm = index into
 * targets[]. A target with id 12 that is no kfunc is tail_call: it returns the address of the
 * program to go to (u64 (*)(const void *ctx)) or 0 to go on.
 */
#ifndef SKEP_ISA_FACTS_H
#define SKEP_ISA_FACTS_H

#include "isa/uapi.h"

struct skep_map_facts; /* spec/host.h */
struct skep_btf;
struct skep_kfunc_row; /* spec/kfunc.h */

/* What a load or store goes through, the same on every path that reaches it. */
enum skep_mem_kind {
	SKEP_MEM_NONE,	  /* not a memory instruction, or never reached */
	SKEP_MEM_DIRECT,  /* stack, map value or key, packet, memory: no translation */
	SKEP_MEM_CTX,	  /* context: rewrite translates by the program type's field table */
	SKEP_MEM_SOCK,	  /* bpf_sock and kin: translated by their field table (socket work) */
	SKEP_MEM_BTF,	  /* kernel object: a probe load, 0 when outside the arena of views */
	SKEP_MEM_PROBE,	  /* rdonly_untrusted memory: any address, 0 on fault */
	SKEP_MEM_ARENA,	  /* BPF arena (later) */
	SKEP_MEM_MAP_PTR, /* a load from struct bpf_map by its BTF layout (map view) */
};

enum {
	SKEP_FACT_SEEN = 1 << 0,	/* some path reaches it; otherwise dead */
	SKEP_FACT_NEVER_TAKEN = 1 << 1, /* conditional jump: only the fall-through is walked */
	SKEP_FACT_ALWAYS_TAKEN = 1 << 2,
	SKEP_FACT_PRUNE_POINT = 1 << 3,
	SKEP_FACT_OWN_SLOT = 1 << 5, /* rewritten: of a stack word that the program has not */
	SKEP_FACT_CALLBACK = 1 << 4, /* helper call that calls back: call facts hold the subprog */
};

struct skep_fact {
	u8 mem;	  /* enum skep_mem_kind */
	u8 flags; /* SKEP_FACT_* */
	u16 dead; /* after rewrite: registers that nobody reads behind it; 0: not known */
	u32 call; /* for helper and kfunc calls: index into calls[], 1-based; 0 none */
	u32 orig; /* index of the application's instruction it comes from */
};

/* Known about one helper or kfunc call on every path that reaches it. */
struct skep_call_fact {
	s32 map; /* index into maps[] of the R1 (or first map) argument; -1 not the same map on all
		    paths */
	s32 callback; /* subprogram number of the callback argument; -1 none or not constant */
	u8 known;     /* bit i: argument R(i+1) is the constant arg[i] */
	u8 nonnull;   /* bit i: argument R(i+1) is a pointer, not to a kernel object, that is never
			 NULL */
	u8 trusted;   /* bit i: trusted or RCU pointer to a kernel object */
	u8 rcu;	      /* the call is made inside an RCU read section (non-sleepable: always) */
	bool visited; /* arg[] holds the first path's values */
	u64 arg[5];
	u32 alloc_type; /* obj_new and kin: local type id */
};

struct skep_subprog {
	u32 start, len;	 /* instructions */
	u16 stack_depth; /* bytes, multiple of 8 */
	bool has_tail_call, is_callback, is_global, is_async_cb, tail_call_reachable, has_ld_abs;
	bool might_sleep, changes_pkt;
	bool unreliable; /* it is called, or written, otherwise than its type says */
	bool is_exception_cb;
	u32 func_type_id; /* BTF FUNC id in prog BTF, 0 none */
	const char *name; /* borrowed from prog BTF; "" when unknown */
};

/* One callable from bytecode, after rewrite. */
struct skep_target {
	void *fn; /* u64 (*)(u64, u64, u64, u64, u64) */
	const char *name;
	u32 id; /* helper id, or kfunc BTF id */
	bool is_kfunc;
	/* Non-zero: the call is the same as loading this many bytes at fs:tls_off (JIT). */
	u8 tls_size;
	s32 tls_off;
};

/*
 * How a tail call finds its way without a call: offsets in the program array (from the address that
 * programs use), in a program, and in the run that is under way, whose address is thread-local.
 */
struct skep_tail_inline {
	bool known;
	s32 map_len_off, map_slots_off;	 /* u32, pointer to an array of programs or NULLs */
	s32 prog_entry_off;		 /* 0: interpreted */
	s32 run_prog_off, run_count_off; /* the program that runs; u32, tail calls so far */
	s32 tls_run_off;
};

struct skep_kfunc_ref {
	const struct skep_kfunc_row *row;
	const struct skep_btf *btf;
	u32 btf_id;
	s16 fd_off; /* as in the instruction's off */
};

struct skep_ksym {
	const struct skep_btf *btf;
	u32 btf_id;
	void *addr; /* run-time address; NULL where the presented kernel's symbol has no twin here
		     */
};

struct skep_vprog {
	u32 prog_type, attach_type;
	bool sleepable, gpl, uses_private_stack;

	struct bpf_insn *insns;	 /* owned, len entries */
	struct skep_fact *facts; /* owned, len entries */
	u32 len;

	struct skep_call_fact *calls; /* owned */
	u32 nr_calls;

	struct skep_subprog *subprogs; /* owned; [0] is main */
	u32 nr_subprogs;

	struct skep_map_facts *
		*maps; /* owned array; each map is held by a reference of the caller of verify */
	u32 nr_maps;

	struct skep_kfunc_ref *kfuncs; /* owned */
	u32 nr_kfuncs;

	struct skep_ksym *ksyms; /* owned */
	u32 nr_ksyms;

	struct skep_target *targets; /* owned; filled by rewrite */
	u32 nr_targets;

	struct skep_tail_inline tail; /* filled by rewrite; tail calls may be made by it */

	u32 max_ctx_offset, max_pkt_offset, max_tp_access;
	u32 verified_insns;
	bool changes_pkt_data, seen_direct_write, has_tail_call;
};

/* Frees what the arrays above own. Takes a zeroed or half-built program. */
void skep_vprog_fini(struct skep_vprog *p);

#endif
