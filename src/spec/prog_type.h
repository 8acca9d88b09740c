/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of program types: context, its fields, packet access, return range.
 *
 * Context kinds: TABLE (a uapi struct whose accesses rewrite turns into loads from the run-time
 * context of spec/ctx.h), ARGS (an array of u64, read where it lies), BTF_ARGS (likewise, typed by
 * the attach target's prototype), FLAT (memory handed over as it is).
 */
#ifndef SKEP_SPEC_PROG_TYPE_H
#define SKEP_SPEC_PROG_TYPE_H

#include "isa/uapi.h"

enum skep_ctx_access {
	SKEP_CTX_NONE, /* not known to skep yet: loads are refused with a message */
	SKEP_CTX_TABLE,
	SKEP_CTX_ARGS,
	SKEP_CTX_BTF_ARGS,
	SKEP_CTX_FLAT,
};

/* What a load of a context field yields. */
enum skep_field_value {
	SKEP_FV_SCALAR,
	SKEP_FV_PKT,
	SKEP_FV_PKT_META,
	SKEP_FV_PKT_END,
	SKEP_FV_SOCK_COMMON_OR_NULL,
	SKEP_FV_SOCKET,
	SKEP_FV_SOCKET_OR_NULL,
	SKEP_FV_FLOW_KEYS,
	SKEP_FV_BTF, /* a trusted pointer to the kernel struct named by the field */
};

enum {
	SKEP_FIELD_R = 1 << 0,
	SKEP_FIELD_W = 1 << 1,
	SKEP_FIELD_NARROW = 1 << 2, /* narrower aligned loads inside the field allowed */
	SKEP_FIELD_WIDE = 1 << 3,   /* any aligned access among neighbours that have it (cb[]) */
	SKEP_FIELD_START = 1 << 4,  /* narrower loads allowed, at the field's first byte only */
	SKEP_FIELD_PAIR = 1 << 5,   /* with its neighbour, one 8-byte access as well */
	SKEP_FIELD_HALF = 1 << 6,   /* narrower loads of two bytes, no single ones */
};

struct skep_ctx_field {
	const char *name;
	u16 off, size; /* in the uapi struct */
	u8 value;      /* enum skep_field_value */
	u8 flags;      /* SKEP_FIELD_* */
	u16 rt_off;    /* in the run-time context */
	u8 rt_size;
	u64 attach;	 /* 1 << attach type: only for these; 0: for all */
	const char *btf; /* FV_BTF */
};

enum {
	SKEP_PT_PKT_READ = 1 << 0, /* direct packet access */
	SKEP_PT_PKT_WRITE = 1 << 1,
	SKEP_PT_LD_ABS = 1 << 2,
	SKEP_PT_NEEDS_SLEEPABLE = 1 << 3,
	SKEP_PT_RUNNABLE = 1 << 4,	    /* skep can attach or test_run it */
	SKEP_PT_NEEDS_ATTACH_TYPE = 1 << 5, /* expected_attach_type is checked */
	SKEP_PT_LOADABLE = 1 << 6, /* loads though nothing here runs it (probes of libbpf) */
};

struct skep_prog_type_row {
	u32 type;
	const char *name;     /* "xdp": libbpf's */
	const char *ctx_name; /* struct's BTF name, NULL none */
	u32 ctx_size;
	enum skep_ctx_access access;
	const struct skep_ctx_field *fields;
	u32 nr_fields;
	u32 flags;
	bool ret_checked;
	s32 ret_min, ret_max; /* of R0 at exit, when ret_checked; attach types may refine */
};

const struct skep_prog_type_row *skep_prog_type(u32 type); /* NULL beyond the last */

/* Fields of the structs that socket pointers point to, to read. */
enum skep_sock_kind {
	SKEP_SOCK_FULL,
	SKEP_SOCK_COMMON,
	SKEP_SOCK_TCP,
	SKEP_SOCK_XDP,
	SKEP_NR_SOCKS
};
const struct skep_ctx_field *skep_sock_fields(enum skep_sock_kind kind, u32 *ret_n);

#endif
