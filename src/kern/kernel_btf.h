/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The presented kernel: which BTF programs see.
 */
#ifndef SKEP_KERN_KERNEL_BTF_H
#define SKEP_KERN_KERNEL_BTF_H

#include "btf/btf.h"

enum skep_btf_source {
	SKEP_BTF_HOST,	  /* /sys/kernel/btf/vmlinux */
	SKEP_BTF_FILE,	  /* named by SKEP_BTF */
	SKEP_BTF_BUILTIN, /* made from our own headers, where the host has none */
};

/*
 * The presented BTF, read and indexed at the first call, then cached. NULL (and a warning once)
 * when a file named by SKEP_BTF cannot be used. Control path.
 */
const struct skep_btf *skep_kernel_btf(void);
/* Raw bytes without indexing, for the file as the application sees it. NULL on failure. */
const void *skep_kernel_btf_bytes(u32 *ret_size);
/*
 * The application is about to parse this BTF itself: index it meanwhile, on a thread that ends when
 * it is done, so that the first program load finds it ready. Never fails, never waits.
 */
void skep_kernel_btf_prefetch(void);
/* Around fork: nobody else is inside, so that the child's locks are free. */
void skep_kernel_btf_fork_lock(void);
void skep_kernel_btf_fork_unlock(void);
/* The built-in BTF, whatever is presented; one reference. 0 or -errno. */
int skep_builtin_btf_open(struct skep_btf **ret_btf);
/*
 * Types of a module named SKEP_MODULE_NAME on top of @base: the functions @names that @base lacks
 * and the built-in BTF has, with the types that they need. 0 with one reference, -ENOENT when
 * there is nothing to add, -ENOMEM. Control path. (kern/module_btf.c)
 */
#define SKEP_MODULE_NAME "skep"
int skep_module_btf_new(const struct skep_btf *base, const char *const names[], u32 n,
			struct skep_btf **ret_btf);
/* Where it comes from; does not read it. */
enum skep_btf_source skep_kernel_btf_source(void);

#endif
