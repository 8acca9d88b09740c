/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bpf uAPI: the system's <linux/bpf.h> and <linux/btf.h>, and what Linux 6.18 defines beyond
 * what old headers (Debian 12 ships 6.1) know. Numbers are ABI.
 */
#ifndef SKEP_ISA_UAPI_H
#define SKEP_ISA_UAPI_H

#include <linux/bpf.h>
#include <linux/btf.h>

#include "base/types.h"

/* Instruction set, cpu v4 and the kernel's additions (RFC 9669; load-acquire/store-release). */
#define SKEP_BPF_MEMSX 0x80
#define SKEP_BPF_JCOND 0xe0 /* may_goto */
#define SKEP_BPF_LOAD_ACQ 0x100
#define SKEP_BPF_STORE_REL 0x110
#define SKEP_BPF_ADDR_SPACE_CAST 1

/* ldimm64 source-register kinds. */
enum {
	SKEP_PSEUDO_IMM = 0,
	SKEP_PSEUDO_MAP_FD = 1,
	SKEP_PSEUDO_MAP_VALUE = 2,
	SKEP_PSEUDO_BTF_ID = 3,
	SKEP_PSEUDO_FUNC = 4,
	SKEP_PSEUDO_MAP_IDX = 5,
	SKEP_PSEUDO_MAP_IDX_VALUE = 6,
};

/* Commands (6.18). */
enum {
	SKEP_BPF_TOKEN_CREATE = 36,
	SKEP_BPF_PROG_STREAM_READ_BY_FD = 37,
	SKEP_BPF_NR_CMDS = 38,
};

/* Map types. */
enum {
	SKEP_MAP_TYPE_CGRP_STORAGE = 32,
	SKEP_MAP_TYPE_ARENA = 33,
	SKEP_NR_MAP_TYPES = 34,
};

/* Program types and attach types. */
enum {
	SKEP_PROG_TYPE_NETFILTER = 32,
	SKEP_NR_PROG_TYPES = 33,
	SKEP_NR_ATTACH_TYPES = 58,
};

/* Attach types that old headers lack. */
enum {
	SKEP_LSM_CGROUP = 43,
	SKEP_NETFILTER = 45,
	SKEP_TRACE_UPROBE_MULTI = 48,
	SKEP_CGROUP_UNIX_CONNECT = 49,
	SKEP_CGROUP_UNIX_SENDMSG = 50,
	SKEP_CGROUP_UNIX_RECVMSG = 51,
	SKEP_CGROUP_UNIX_GETPEERNAME = 52,
	SKEP_CGROUP_UNIX_GETSOCKNAME = 53,
	SKEP_TRACE_KPROBE_SESSION = 56,
	SKEP_TRACE_UPROBE_SESSION = 57,
};

/* Map flags. */
enum {
	SKEP_F_LINK = 1u << 13,
	SKEP_F_PATH_FD = 1u << 14,
	SKEP_F_VTYPE_BTF_OBJ_FD = 1u << 15,
	SKEP_F_TOKEN_FD = 1u << 16,
	SKEP_F_SEGV_ON_FAULT = 1u << 17,
	SKEP_F_NO_USER_CONV = 1u << 18,
	SKEP_F_RB_OVERWRITE = 1u << 19,
};

/* Program flags. */
enum {
	SKEP_PROG_F_STRICT_ALIGNMENT = 1u << 0,
	SKEP_PROG_F_ANY_ALIGNMENT = 1u << 1,
	SKEP_PROG_F_TEST_RND_HI32 = 1u << 2,
	SKEP_PROG_F_TEST_STATE_FREQ = 1u << 3,
	SKEP_PROG_F_SLEEPABLE = 1u << 4,
	SKEP_PROG_F_XDP_HAS_FRAGS = 1u << 5,
	SKEP_PROG_F_XDP_DEV_BOUND_ONLY = 1u << 6,
	SKEP_PROG_F_TEST_REG_INVARIANTS = 1u << 7,
	SKEP_PROG_F_TOKEN_FD = 1u << 16,
};

/* Log levels; FIXED: stop at the buffer's end instead of rotating. */
enum {
	SKEP_LOG_LEVEL1 = 1,
	SKEP_LOG_LEVEL2 = 2,
	SKEP_LOG_STATS = 4,
	SKEP_LOG_FIXED = 8,
};

/* Attribute layouts of 6.18 that are longer than old headers'; the union is 168 bytes. */
#define SKEP_ATTR_SIZE 168

struct skep_attr_map_create {
	u32 map_type, key_size, value_size, max_entries, map_flags, inner_map_fd, numa_node;
	char map_name[16];
	u32 map_ifindex, btf_fd, btf_key_type_id, btf_value_type_id, btf_vmlinux_value_type_id;
	u64 map_extra;
	s32 value_type_btf_obj_fd, map_token_fd;
	u64 excl_prog_hash;
	u32 excl_prog_hash_size;
};

struct skep_attr_prog_load {
	u32 prog_type, insn_cnt;
	u64 insns, license;
	u32 log_level, log_size;
	u64 log_buf;
	u32 kern_version, prog_flags;
	char prog_name[16];
	u32 prog_ifindex, expected_attach_type, prog_btf_fd, func_info_rec_size;
	u64 func_info;
	u32 func_info_cnt, line_info_rec_size;
	u64 line_info;
	u32 line_info_cnt, attach_btf_id;
	u32 attach_fd; /* attach_prog_fd or attach_btf_obj_fd */
	u32 core_relo_cnt;
	u64 fd_array, core_relos;
	u32 core_relo_rec_size, log_true_size;
	s32 prog_token_fd;
	u32 fd_array_cnt;
	u64 signature;
	u32 signature_size;
	s32 keyring_id;
};

struct skep_attr_btf_load {
	u64 btf, btf_log_buf;
	u32 btf_size, btf_log_size, btf_log_level, btf_log_true_size, btf_flags;
	s32 btf_token_fd;
};

#endif
