/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract of bpf(2): a long table of calls whose answers are printed, one line a case.
 *
 * Nothing printed depends on time, addresses, process ids or object ids, so that two runs, with
 * and without skep, give the same lines.
 */
#ifndef TESTS_CONTRACT_H
#define TESTS_CONTRACT_H

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ATTR_SIZE 168u
#define PAGE 4096u

/* The attr of the next call; longer than any, so that tails can be written. */
extern union attr {
	union bpf_attr u;
	uint8_t b[2 * PAGE];
	uint32_t w[2 * PAGE / 4];
} A;

/* An attr of zeros, with the fields that follow set. */
#define ATTR(...)                                                                                  \
	do {                                                                                       \
		memset(&A, 0, sizeof(A));                                                          \
		A.u = (union bpf_attr){__VA_ARGS__};                                               \
	} while (0)
#define PTR(p) ((uint64_t)(uintptr_t)(p))

/* Fields that old headers lack, by offset. */
static inline void set32(unsigned int off, uint32_t v)
{
	memcpy(A.b + off, &v, 4);
}
static inline void set64(unsigned int off, uint64_t v)
{
	memcpy(A.b + off, &v, 8);
}
static inline uint32_t get32(unsigned int off)
{
	uint32_t v;

	memcpy(&v, A.b + off, 4);
	return v;
}

/* >= 0 or -errno. */
long call(int cmd, unsigned int size);
long call_at(int cmd, const void *attr, unsigned int size);
const char *err_name(long r);
/* Print "name: ok" or "name: -ERRNO". */
void say(long r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void say_bytes(const void *p, size_t n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void say_value(uint64_t v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Make the call with the attr as it stands, print, close a descriptor that came back. */
long try(int cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A sequence of answers, equal neighbours joined: "name: 0-3 ok; 4 EINVAL". */
struct runs {
	const char *name;
	unsigned int from, to;
	long r;
	bool any, open;
};
void runs_add(struct runs *s, unsigned int at, long r);
void runs_end(struct runs *s);

/* Pointers that cannot be read or written in full, the last is NULL's predecessor in kind. */
extern struct bad_ptr {
	const char *name;
	uint64_t ptr;
} bad_ptrs[3];
/* @n bytes that end where nothing is mapped. */
void *edge(size_t n);

/* Objects; they stay open. Abort when they cannot be made. */
int map_new(uint32_t type, uint32_t key, uint32_t value, uint32_t max, uint32_t flags);
int btf_new(void);
/* MOV r0, imm; EXIT */
int prog_new(uint32_t type, uint32_t attach_type, int32_t imm);
int prog_new_insns(uint32_t type, uint32_t attach_type, const struct bpf_insn *in, uint32_t n);
int raw_tp_new(void);
/* Descriptors that are not what a command wants: closed, a file, objects of each kind. */
extern struct other_fd {
	const char *name;
	int fd;
} other_fds[8];

/* Types of btf_new(). */
enum {
	BTF_U32 = 1,
	BTF_U64,
	BTF_LOCK,
	BTF_LOCKED,
	BTF_PLAIN,
	BTF_S16,
	BTF_ARR,
	BTF_FWD,
	BTF_PROTO,
	BTF_FUNC,
	BTF_VAR,
	BTF_SEC,
};
const void *btf_bytes(uint32_t *ret_size);

#define INSN(c, d, s, o, i)                                                                        \
	((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define MOV_IMM(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV_REG(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LD_MAP(d, fd) INSN(BPF_LD | BPF_DW | BPF_IMM, d, 1, 0, fd), INSN(0, 0, 0, 0, 0)
#define LDX(size, d, s, o) INSN(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define STX(size, d, s, o) INSN(BPF_STX | BPF_MEM | (size), d, s, o, 0)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

void sweep_cases(void);
void map_cases(void);
void elem_cases(void);
void mmap_cases(void);
void storage_cases(void);
void btf_cases(void);
void info_cases(void);
void id_cases(void);
void prog_cases(void);
void run_cases(void);
void link_cases(void);
void tracing_cases(void);
void random_cases(uint64_t seed, unsigned int calls);
/* Needs cgroups of its own: apart from the others. */
void owner_cases(void);
/* What only the kernel has: expected to differ. */
void listed_cases(void);

#endif
