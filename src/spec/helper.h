/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of helpers: prototype and availability, one row per variant (helpers.def).
 *
 * A helper id may have several rows when program types see different prototypes or bodies; a row
 * applies to the contexts in its mask. Facts: Linux 6.18.
 */
#ifndef SKEP_SPEC_HELPER_H
#define SKEP_SPEC_HELPER_H

#include "isa/uapi.h"

/* Argument kinds; flags are or-ed on. */
enum skep_arg_kind {
	SKEP_ARG_NONE,
	SKEP_ARG_ANYTHING,
	SKEP_ARG_CONST_MAP_PTR,
	SKEP_ARG_MAP_KEY,
	SKEP_ARG_MAP_VALUE,
	SKEP_ARG_MEM,
	SKEP_ARG_CONST_SIZE,
	SKEP_ARG_CONST_SIZE_OR_ZERO,
	SKEP_ARG_CONST_ALLOC_SIZE_OR_ZERO,
	SKEP_ARG_CTX,
	SKEP_ARG_SOCK_COMMON,
	SKEP_ARG_SOCKET,
	SKEP_ARG_BTF_ID_SOCK_COMMON,
	SKEP_ARG_BTF_ID,
	SKEP_ARG_PERCPU_BTF_ID,
	SKEP_ARG_SPIN_LOCK,
	SKEP_ARG_TIMER,
	SKEP_ARG_KPTR_XCHG_DEST,
	SKEP_ARG_FUNC,
	SKEP_ARG_STACK, /* callback context: fp, or NULL with MAYBE_NULL */
	SKEP_ARG_CONST_STR,
	SKEP_ARG_DYNPTR,
	SKEP_ARG_RINGBUF_MEM,
	SKEP_NR_ARG_KINDS,
};
enum {
	SKEP_ARG_MAYBE_NULL = 1 << 8,
	SKEP_ARG_RDONLY = 1 << 9,
	SKEP_ARG_WRITE = 1 << 10,
	SKEP_ARG_UNINIT = 1 << 11,
	SKEP_ARG_FIXED_SIZE = 1 << 12,
	SKEP_ARG_ALIGNED = 1 << 13,
	SKEP_ARG_RELEASE = 1 << 14,
	SKEP_ARG_DYNPTR_LOCAL = 1 << 15,
	SKEP_ARG_DYNPTR_RINGBUF = 1 << 16,
};
#define SKEP_ARG_KIND(a) ((a)&0xff)

enum skep_ret_kind {
	SKEP_RET_INTEGER,
	SKEP_RET_VOID,
	SKEP_RET_MAP_VALUE,
	SKEP_RET_SOCKET,
	SKEP_RET_TCP_SOCK,
	SKEP_RET_SOCK_COMMON,
	SKEP_RET_MEM,
	SKEP_RET_MEM_OR_BTF_ID,
	SKEP_RET_BTF_ID,
};
enum {
	SKEP_RET_MAYBE_NULL = 1 << 8,
	SKEP_RET_RDONLY = 1 << 9,
	SKEP_RET_RINGBUF = 1 << 10,
	SKEP_RET_TRUSTED = 1 << 11,
};
#define SKEP_RET_KIND(r) ((r)&0xff)

enum {
	SKEP_HELPER_GPL = 1 << 0,
	SKEP_HELPER_PKT_ACCESS = 1 << 1,
	SKEP_HELPER_MIGHT_SLEEP = 1 << 2,
	SKEP_HELPER_FASTCALL = 1 << 3,
	SKEP_HELPER_ALLOWED_CB = 1 << 4,
};

/* Contexts in which availability was observed: program type, refined by attach kind. */
enum skep_ctx_id {
#define SKEP_CONTEXT(id, text) SKEP_CTX_##id,
#include "spec/contexts.def"
#undef SKEP_CONTEXT
	SKEP_NR_CTX,
};

/* The context of a program; SKEP_NR_CTX when the type is unknown. */
enum skep_ctx_id skep_context_of(u32 prog_type, u32 attach_type, bool sleepable);

struct skep_helper_row {
	u32 id;
	const char *name;    /* without bpf_ */
	const char *variant; /* the kernel's function, tells variants apart */
	u32 arg[5];
	u32 arg_size[5];	/* for FIXED_SIZE memory */
	const char *arg_btf[5]; /* struct name for BTF_ID arguments, NULL none or special */
	u32 ret;
	const char *ret_btf;
	u32 flags;
	u64 contexts; /* 1 << enum skep_ctx_id */
};

#define SKEP_NR_HELPERS 212 /* ids are 1 .. 211 */

/* The row of helper @id in context @ctx; NULL when it may not be called there. */
const struct skep_helper_row *skep_helper_row(u32 id, enum skep_ctx_id ctx);
/* Name without bpf_, NULL for an unknown id. */
const char *skep_helper_name(u32 id);
/* All rows, for listings; *ret_n their number. */
const struct skep_helper_row *skep_helper_rows(u32 *ret_n);

#endif
