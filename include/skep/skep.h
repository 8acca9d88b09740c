/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libskep: the Linux BPF subsystem in user space.
 *
 * The interface is bpf(2) itself: link with -lskep before libbpf (or preload it with skep run) and
 * the process's bpf(2) is answered by libskep. The functions here are what bpf(2) has no word for.
 */
#ifndef SKEP_SKEP_H
#define SKEP_SKEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bpf_insn;
union bpf_attr;

/* "0.1.0". Borrowed, constant. */
const char *skep_version(void);

/*
 * One bpf(2) of this process: @attr is read and answered in place, @size its size in bytes.
 * Returns what the system call would: >= 0, or -errno (errno is left alone). Any thread.
 */
long skep_bpf_call(int cmd, union bpf_attr *attr, unsigned int size);

/*
 * The instruction at @insn (two slots for a 64-bit load) as text, in the words of the kernel's
 * verifier log, into @buf, truncated and terminated. Returns the length written. No side effects.
 */
unsigned int skep_disasm_insn(const struct bpf_insn *insn, char *buf, unsigned int size);

/*
 * Sums over the programs that this process has loaded, refused ones not counted. Grows at the end:
 * @size is what the caller knows of it.
 */
struct skep_load_stats {
	uint64_t programs;
	uint64_t insns;	     /* of the application's, as given to PROG_LOAD */
	uint64_t verify_ns;  /* time spent on the verdict */
	uint64_t rewrite_ns; /* on making them executable bytecode */
	uint64_t compile_ns; /* on machine code */
};

/* Fills *@stats. 0, or -EINVAL when @size is smaller than the first field. Any thread. */
int skep_load_stats(struct skep_load_stats *stats, size_t size);

#ifdef __cplusplus
}
#endif

#endif
