/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf(2) by number and a few instructions, for tests that want nothing in between.
 */
#ifndef TESTS_CLIENTS_BPF_RAW_H
#define TESTS_CLIENTS_BPF_RAW_H

#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static inline int map_create(uint32_t type, uint32_t key, uint32_t value, uint32_t max,
			     uint32_t flags)
{
	union bpf_attr a = {.map_type = type,
			    .key_size = key,
			    .value_size = value,
			    .max_entries = max,
			    .map_flags = flags};

	return (int)bpf(BPF_MAP_CREATE, &a);
}

static inline int map_update(int fd, const void *key, const void *value)
{
	union bpf_attr a = {.map_fd = (uint32_t)fd};

	a.key = (uintptr_t)key;
	a.value = (uintptr_t)value;
	return (int)bpf(BPF_MAP_UPDATE_ELEM, &a);
}

static inline int map_lookup(int fd, const void *key, void *value)
{
	union bpf_attr a = {.map_fd = (uint32_t)fd};

	a.key = (uintptr_t)key;
	a.value = (uintptr_t)value;
	return (int)bpf(BPF_MAP_LOOKUP_ELEM, &a);
}

/* First word of element 0. */
static inline uint64_t map_word(int fd)
{
	uint32_t key = 0;
	uint64_t value[512] = {0};

	return map_lookup(fd, &key, value) ? ~0ull : value[0];
}

static inline int prog_load(uint32_t type, uint32_t attach_type, uint32_t btf_id,
			    const struct bpf_insn *insns, uint32_t n)
{
	union bpf_attr a = {.prog_type = type,
			    .insn_cnt = n,
			    .expected_attach_type = attach_type,
			    .attach_btf_id = btf_id};

	a.insns = (uintptr_t)insns;
	a.license = (uintptr_t) "GPL";
	return (int)bpf(BPF_PROG_LOAD, &a);
}

static inline int raw_tp_open(int prog, const char *name)
{
	union bpf_attr a = {0};

	a.raw_tracepoint.prog_fd = (uint32_t)prog;
	a.raw_tracepoint.name = (uintptr_t)name;
	return (int)bpf(BPF_RAW_TRACEPOINT_OPEN, &a);
}

#define INSN(c, d, s, o, i)                                                                        \
	((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define MOV_IMM(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV_REG(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LD_MAP_FD(d, fd)                                                                           \
	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define LD_MAP_VALUE(d, fd, off)                                                                   \
	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_VALUE, 0, fd), INSN(0, 0, 0, 0, off)
#define LDX(size, d, s, o) INSN(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define STX(size, d, s, o) INSN(BPF_STX | BPF_MEM | (size), d, s, o, 0)
#define ATOMIC_ADD(d, s, o) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define JNE_IMM(d, i, o) INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define JNE_REG(d, s, o) INSN(BPF_JMP | BPF_JNE | BPF_X, d, s, o, 0)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#endif
