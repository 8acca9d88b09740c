/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading, forking and leaving.
 *
 * Every program under `skep run` pays for the constructor, so it does nothing that the first
 * bpf(2) can do: it looks up libc's functions, notes two environment variables and registers
 * the fork handlers.
 *
 * A forked child owns nothing: descriptors it inherited answer EBADF and no program fires. A
 * bpf(2) of its own makes it the owner of what it creates. A vfork's child runs in the parent's
 * memory and no handler runs: it must not be told from the parent here, and is not.
 *
 * At exit hooks stop, and the registry that liburcu's destructor unmaps stays where it is: other
 * threads go on making calls until the very end.
 */
#include "shim/shim.h"

#include <pthread.h>

#include "base/rcu.h"
#include "base/vcpu.h"
#include "kern/cgroup.h"
#include "kern/inode.h"
#include "kern/kernel_btf.h"
#include "kern/sock.h"
#include "kern/task.h"
#include "shim/trace.h"

void shim_fork_prepare(void)
{
	skep_kernel_btf_fork_lock();
	urcu_bp_before_fork();
}

void shim_fork_parent(void)
{
	urcu_bp_after_fork_parent();
	skep_kernel_btf_fork_unlock();
}

void shim_fork_child(void)
{
	urcu_bp_after_fork_child();
	skep_kernel_btf_fork_unlock();
	skep_hook_fork_child();
	skep_obj_fork_child();
	skep_fd_fork_child();
	skep_task_fork_child();
	skep_cgroup_fork_child();
	skep_sock_fork_child();
	skep_inode_fork_child();
	skep_vcpu_fork_child();
	shim_mmap_fork_child();
	shim_trace_fork_child();
}

__attribute__((constructor)) static void shim_load(void)
{
	shim_resolve();
	shim_files_init();
	pthread_atfork(shim_fork_prepare, shim_fork_parent, shim_fork_child);
}

__attribute__((destructor)) static void shim_unload(void)
{
	if (!SKEP_READ(skep_hook_sys_active))
		return;
	SKEP_WRITE(shim_leaving, true);
	__atomic_store_n(&skep_hook_sys_active, 0, __ATOMIC_SEQ_CST);
}
