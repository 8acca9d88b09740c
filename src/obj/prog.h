/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct skep_prog: a loaded program; struct skep_link: a program at a hook.
 */
#ifndef SKEP_OBJ_PROG_H
#define SKEP_OBJ_PROG_H

#include "isa/facts.h"
#include "isa/jit_image.h"
#include "obj/obj.h"
#include "base/lock.h"
#include "base/vcpu.h"

struct skep_prog {
	struct skep_obj obj;
	u32 type, attach_type, flags;
	bool gpl, sleepable, enforce_attach_type;
	char name[16];
	u8 tag[8];		       /* see skep_prog_tag() */
	struct bpf_insn *loaded_insns; /* as given to PROG_LOAD, until the tag is made */
	u32 nr_loaded_insns;
	struct skep_lock tag_lock; /* of the three above */
	u64 load_time_ns;	   /* CLOCK_BOOTTIME */
	u32 uid;

	/* Main entry: JIT code, or NULL: the interpreter runs `code`. */
	u64 (*entry)(const void *ctx);
	struct skep_vprog code;	     /* as rewritten: xlated */
	struct skep_jit_image image; /* zeroed when interpreted */

	struct skep_map **maps; /* references; grows by PROG_BIND_MAP, under maps_lock */
	u32 nr_maps;
	struct skep_lock maps_lock;

	struct skep_btf *btf; /* reference or NULL */
	void *func_info, *line_info;
	u32 nr_func_info, nr_line_info;

	/* Tracing target. */
	struct skep_btf *attach_btf;
	u32 attach_btf_id;
	char attach_name[128]; /* function, or tracepoint without btf_trace_ */
	u32 attach_nr_args;

	u32 verified_insns;
	u64 run_cnt, run_time_ns, misses; /* run_* only while statistics are on */

	/* One byte per virtual CPU: this program is running there (recursion protection). */
	u8 active[SKEP_MAX_VCPUS];
};

static inline struct skep_prog *skep_prog_of(struct skep_obj *o)
{
	return container_of(o, struct skep_prog, obj);
}

/* Keep a copy of @insns, which the tag is made of. 0 or -ENOMEM. Before publishing. */
int skep_prog_keep_insns(struct skep_prog *p, const struct bpf_insn *insns, u32 n);
/* The tag: the first bytes of a hash of the loaded instructions, as Linux makes it. Control path.
 */
void skep_prog_tag(struct skep_prog *p, u8 ret_tag[8]);

struct skep_link;

struct skep_link_ops {
	/* Stop firing; a grace period passes before the program's reference is dropped. Idempotent.
	 */
	void (*detach)(struct skep_link *l);
	/* Fill type-specific info (struct bpf_link_info's union); NULL: nothing. */
	void (*info)(const struct skep_link *l, struct bpf_link_info *info, char *name_buf,
		     u32 name_size);
	u32 type; /* enum bpf_link_type */
};

struct skep_link {
	struct skep_obj obj;
	const struct skep_link_ops *lops;
	struct skep_prog *prog; /* reference */
	u32 attach_type;
	u64 cookie;
	struct skep_link *next; /* hook's list */
	void *hook;		/* private to the attach family */
};

static inline struct skep_link *skep_link_of(struct skep_obj *o)
{
	return container_of(o, struct skep_link, obj);
}

/*
 * What runs on this thread, innermost first. On the C stack of the runner; helpers read it.
 */
struct skep_run_ctx {
	struct skep_run_ctx *prev;
	const struct skep_prog *prog;
	const void *ctx;
	u64 cookie;
	u64 func_ip;
	u64 ret_value; /* fexit */
	u32 tail_calls;
};

extern SKEP_TLS struct skep_run_ctx *skep_run_current;

/*
 * Call back into bytecode from a helper: @fn is the function value that the program passed.
 * Works under both engines.
 */
u64 skep_call_callback(u64 fn, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5);

/*
 * The body of tail_call, once it has found @next in a program array: the address that the
 * engine goes to (u64 (*)(const void *ctx)), or 0 when the run has used up its tail calls.
 */
u64 skep_tail_enter(const struct skep_prog *next);

#endif
