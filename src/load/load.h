/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading a program: from the attr of PROG_LOAD to a published object.
 */
#ifndef SKEP_LOAD_LOAD_H
#define SKEP_LOAD_LOAD_H

#include "base/uaccess.h"
#include "obj/prog.h"

struct skep_attr_prog_load;

/*
 * Verify only (SKEP_VERDICT_ONLY in the environment, `skep verify'): everything that the presented
 * kernel has is judged, whether skep can run it or not, maps hold nothing, and nothing runs. Set
 * once, before the first command.
 */
extern bool skep_verdict_only;

/*
 * The pipeline. @attr has passed the check for unknown bytes; @uattr and @size locate the user's
 * copy for log_true_size. A program with one reference, published, or ERR_PTR.
 */
struct skep_prog *skep_prog_load(const struct skep_caller *c,
				 const struct skep_attr_prog_load *attr, u64 uattr, u32 size);

/* Sums over the programs loaded so far. Any thread; the fields are read one by one. */
struct skep_load_times {
	u64 programs, insns, verify_ns, rewrite_ns, compile_ns;
};
struct skep_load_times skep_load_times(void);

/* Why @fd is no token: -EINVAL for what is open, -EBADF. No tokens can be made here. */
int skep_no_token(int fd);

/* Copy and check an object name: up to 15 of [A-Za-z0-9_.] before a zero. 0 or -EINVAL. */
int skep_copy_name(char dst[16], const char src[16]);

/* The verifier's window, filled for the running subsystem. */
struct skep_load_host;
struct skep_verify_host;
struct skep_load_host *skep_load_host_new(const struct skep_caller *c, u64 fd_array, u32 prog_type);
const struct skep_verify_host *skep_load_host_window(const struct skep_load_host *h);
/* Move the reference on @m, which the window handed out, to the caller. */
void skep_load_host_take(struct skep_load_host *h, struct skep_map *m);
/* Drops what was not taken. Takes NULL. */
void skep_load_host_free(struct skep_load_host *h);

/*
 * Types of the module that skep is for the presented kernel: kfuncs that it has and the kernel
 * lacks. One reference; NULL when nothing is lacking. Control path.
 */
struct skep_btf *skep_load_module_btf(const struct skep_btf *kernel);

/* Choose and build the engine for a rewritten program. */
int skep_engine_build(struct skep_prog *p);
/* Rewrite with the running subsystem's addresses. */
int skep_engine_rewrite(struct skep_prog *p);

#endif
