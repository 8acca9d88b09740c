/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks: links, and the places where programs fire.
 */
#ifndef SKEP_HOOK_HOOK_H
#define SKEP_HOOK_HOOK_H

#include "base/types.h"
#include "obj/prog.h"

/*
 * System-call tracing. The front end calls enter before and exit after each system call that
 * the application makes, when skep_hook_sys_active says that somebody listens. @args: the six
 * argument registers. Never changes errno. Counts as missed, not run, inside skep.
 */
extern u32 skep_hook_sys_active; /* number of attached system-call tracing links */

void skep_hook_sys_enter(long nr, const u64 args[6]);
void skep_hook_sys_exit(long nr, const u64 args[6], long ret);

/*
 * Attach. On success a link with one reference, not yet published. ERR_PTR otherwise.
 * raw_tp: RAW_TRACEPOINT_OPEN by name (raw_tracepoint programs) or NULL (tracing programs take
 * their load-time target). tracing: LINK_CREATE of fentry, fexit, tp_btf.
 */
struct skep_link *skep_attach_raw_tp(struct skep_prog *p, const char *name, u64 cookie);
struct skep_link *skep_attach_tracing(struct skep_prog *p, u64 cookie);

/* Is @name a function (fentry, fexit) / tracepoint (tp_btf, raw_tp) that skep can fire? */
bool skep_hook_has_func(const char *name);
bool skep_hook_has_tracepoint(const char *name);

/* In a fork's child: nothing fires. */
void skep_hook_fork_child(void);

#endif
