/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User memory: the only road to bytes behind a pointer that came in through bpf(2).
 *
 * A caller carries a table of two functions, so that another front end can serve another
 * process's memory. The in-process table never dereferences: the kernel copies for us
 * (process_vm_readv/writev on ourselves, or a pipe where these are not permitted) and answers
 * EFAULT, so no signal handler takes part and a thread with every signal blocked is safe.
 */
#ifndef SKEP_BASE_UACCESS_H
#define SKEP_BASE_UACCESS_H

#include "base/types.h"

struct skep_uaccess {
	/* Copy @n bytes; 0 or -EFAULT. Partial copies are failures. @priv is the caller's. */
	int (*read)(void *priv, void *dst, u64 src, size_t n);
	int (*write)(void *priv, u64 dst, const void *src, size_t n);
	void *priv;
};

/* Who asks: one per bpf(2) call, on the stack of the front end. */
struct skep_caller {
	struct skep_uaccess ua;
	bool capable; /* taken to hold CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN, CAP_SYS_ADMIN */
	bool kernel;  /* arrays behind pointers are trusted memory (the embedding API) */
};

/* This process's memory. */
extern const struct skep_uaccess skep_uaccess_self;

int skep_copy_from_user(const struct skep_caller *c, void *dst, u64 src, size_t n);
int skep_copy_to_user(const struct skep_caller *c, u64 dst, const void *src, size_t n);

/*
 * NUL-terminated string into @dst[@size]; its length without the NUL, -EFAULT, or @size when no
 * NUL was found in the first @size bytes (dst is then not terminated).
 */
long skep_strncpy_from_user(const struct skep_caller *c, char *dst, u64 src, size_t size);

/* 0 when the user bytes [src, src+n) are all zero, 1 when not, or -EFAULT. */
int skep_user_is_nonzero(const struct skep_caller *c, u64 src, size_t n);

/* For probe_read helpers: this process's memory at @src, no caller. 0 or -EFAULT. Any context. */
int skep_probe_read(void *dst, u64 src, size_t n);
/* String; length including the NUL, at most @size (then truncated and terminated), or -EFAULT. */
long skep_probe_read_str(char *dst, u64 src, size_t size);
int skep_probe_write(u64 dst, const void *src, size_t n);

#endif
