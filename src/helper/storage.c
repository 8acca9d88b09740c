/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local storage of tasks, cgroups, sockets and inodes.
 *
 * An owner's view may be NULL, or a walk's end that is no object at all where the view it came from
 * has an unfilled field: both own nothing.
 */
#include <errno.h>

#include "helper/helper.h"
#include "isa/uapi.h"
#include "map/local_storage.h"
#include "obj/prog.h"

#define CGRP_STORAGE_GET 210
#define CGRP_STORAGE_DELETE 211

static u64 get(u64 map, u64 view, u64 init, u64 flags, bool may_nest)
{
	if (!skep_arena_has(view) || flags & ~(u64)BPF_LOCAL_STORAGE_GET_F_CREATE)
		return 0;
	return (u64)skep_storage_get((struct skep_map *)map, skep_owner_of_view(view),
				     (const void *)init, flags, may_nest);
}

static u64 delete (u64 map, u64 view, bool may_nest)
{
	if (!skep_arena_has(view))
		return (u64)-EINVAL;
	return (u64)skep_storage_delete((struct skep_map *)map, skep_owner_of_view(view), may_nest);
}

/* Programs at LSM hooks are not among those that may interrupt the work on a task's storage. */
static bool at_lsm_hook(void)
{
	return skep_run_current->prog->type == BPF_PROG_TYPE_LSM;
}

SKEP_BODY(task_storage_get)
{
	return get(r1, r2, r3, r4, at_lsm_hook());
}

SKEP_BODY(task_storage_delete)
{
	return delete (r1, r2, at_lsm_hook());
}

SKEP_BODY(cgrp_storage_get)
{
	return get(r1, r2, r3, r4, false);
}

SKEP_BODY(cgrp_storage_delete)
{
	return delete (r1, r2, false);
}

/* Sockets and inodes have no rule about re-entry. */
SKEP_BODY(owner_storage_get)
{
	return get(r1, r2, r3, r4, true);
}

SKEP_BODY(owner_storage_delete)
{
	return delete (r1, r2, true);
}

const struct skep_body skep_storage_bodies[] = {
	{BPF_FUNC_task_storage_get, task_storage_get},
	{BPF_FUNC_task_storage_delete, task_storage_delete},
	{CGRP_STORAGE_GET, cgrp_storage_get},
	{CGRP_STORAGE_DELETE, cgrp_storage_delete},
	{BPF_FUNC_sk_storage_get, owner_storage_get},
	{BPF_FUNC_sk_storage_delete, owner_storage_delete},
	{BPF_FUNC_inode_storage_get, owner_storage_get},
	{BPF_FUNC_inode_storage_delete, owner_storage_delete},
	{0, NULL},
};
