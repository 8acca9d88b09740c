/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included by every test object. A program named ok_… is accepted by Linux 6.18, one named no_… is
 * rejected; both are told from one another by as little as possible.
 */
#ifndef VERDICT_COMMON_H
#define VERDICT_COMMON_H

/* Structs that only newer headers have: hidden there, and defined below. */
#define bpf_list_head uapi_bpf_list_head
#define bpf_list_node uapi_bpf_list_node
#define bpf_rb_root uapi_bpf_rb_root
#define bpf_rb_node uapi_bpf_rb_node
#define bpf_refcount uapi_bpf_refcount
#define bpf_wq uapi_bpf_wq
#define bpf_task_work uapi_bpf_task_work
#include <linux/bpf.h>
#undef bpf_list_head
#undef bpf_list_node
#undef bpf_rb_root
#undef bpf_rb_node
#undef bpf_refcount
#undef bpf_wq
#undef bpf_task_work
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

/* A function of instructions only. */
#define NAKED __attribute__((naked))
#define NOINLINE __attribute__((noinline))
/* The final message, where no kernel at hand loads the program's type. */
#define MSG(text) __attribute__((btf_decl_tag("msg:" text)))
/* Load flags beyond the section's, a number. */
#define FLAGS(n) __attribute__((btf_decl_tag("flags:" #n)))

#ifndef __ksym
#define __ksym __attribute__((section(".ksyms")))
#endif
#ifndef __weak
#define __weak __attribute__((weak))
#endif
#define KPTR __attribute__((btf_type_tag("kptr")))
#define KPTR_UNTRUSTED __attribute__((btf_type_tag("kptr_untrusted")))
#define KPTR_PERCPU __attribute__((btf_type_tag("percpu_kptr")))
#define __contains(name, node) __attribute__((btf_decl_tag("contains:" #name ":" #node)))

struct bpf_list_head {
	__u64 opaque[2];
};
struct bpf_list_node {
	__u64 opaque[3];
};
struct bpf_rb_root {
	__u64 opaque[2];
};
struct bpf_rb_node {
	__u64 opaque[4];
};
struct bpf_refcount {
	__u32 opaque;
};
struct bpf_wq {
	__u64 opaque[2];
};
struct bpf_task_work {
	__u64 opaque;
};

#define __imm_addr(name) [name] "i"(&name)

/* An object of another license names it before it includes this. */
#ifndef LICENSE_NAME
#define LICENSE_NAME "GPL"
#endif
char LICENSE[] SEC("license") = LICENSE_NAME;

#endif
