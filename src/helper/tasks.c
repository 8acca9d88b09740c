/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on the current task.
 */
#include <errno.h>
#include <string.h>

#include "base/raw.h"
#include "helper/helper.h"
#include "isa/uapi.h"
#include "kern/task.h"

SKEP_BODY(get_current_pid_tgid)
{
	struct skep_task *t = skep_task_current();

	return t ? (u64)(u32)t->tgid << 32 | (u32)t->pid : (u64)-EINVAL;
}

SKEP_BODY(get_current_uid_gid)
{
	u32 uid = (u32)skep_raw(__NR_getuid), gid = (u32)skep_raw(__NR_getgid);

	return (u64)gid << 32 | uid;
}

SKEP_BODY(get_current_comm)
{
	char comm[16] = "";

	skep_raw(__NR_prctl, 16 /* PR_GET_NAME */, comm);
	if (!r2)
		return (u64)-EINVAL;
	memset((void *)r1, 0, r2);
	memcpy((void *)r1, comm, SKEP_MIN(strnlen(comm, sizeof(comm)), r2 - 1));
	return 0;
}

SKEP_BODY(get_current_task)
{
	struct skep_task *t = skep_task_current();

	return t ? (u64)skep_task_view(t) : 0;
}

/* The thread's registers at its last entry into the kernel: the hook's view of them. */
SKEP_BODY(task_pt_regs)
{
	struct skep_task *t = skep_task_arg(r1);

	return t ? (u64)t->pt_regs_view : 0;
}

const struct skep_body skep_task_bodies[] = {
	{BPF_FUNC_get_current_pid_tgid, get_current_pid_tgid},
	{BPF_FUNC_get_current_uid_gid, get_current_uid_gid},
	{BPF_FUNC_get_current_comm, get_current_comm},
	{BPF_FUNC_get_current_task, get_current_task},
	{BPF_FUNC_get_current_task_btf, get_current_task},
	{BPF_FUNC_task_pt_regs, task_pt_regs},
	{0, NULL},
};
