/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf(2): copies the attr in, checks what no command may carry, and dispatches.
 */
#include "sys/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/pool.h"
#include "base/rcu.h"
#include "base/vcpu.h"
#include "kern/cgroup.h"
#include "kern/kernel_btf.h"
#include "kern/task.h"
#include "load/load.h"
#include "obj/btf_obj.h"
#include "obj/fd.h"
#include "obj/map.h"
#include "sys/internal.h"

#define MAX_ATTR 4096u

typedef long (*command_fn)(struct skep_call *c);

static long prog_next_id(struct skep_call *c)
{
	return skep_sys_next_id(c, SKEP_OBJ_PROG);
}
static long map_next_id(struct skep_call *c)
{
	return skep_sys_next_id(c, SKEP_OBJ_MAP);
}
static long btf_next_id(struct skep_call *c)
{
	return skep_sys_next_id(c, SKEP_OBJ_BTF);
}
static long link_next_id(struct skep_call *c)
{
	return skep_sys_next_id(c, SKEP_OBJ_LINK);
}
static long prog_fd_by_id(struct skep_call *c)
{
	return skep_sys_fd_by_id(c, SKEP_OBJ_PROG);
}
static long map_fd_by_id(struct skep_call *c)
{
	return skep_sys_fd_by_id(c, SKEP_OBJ_MAP);
}
static long btf_fd_by_id(struct skep_call *c)
{
	return skep_sys_fd_by_id(c, SKEP_OBJ_BTF);
}
static long link_fd_by_id(struct skep_call *c)
{
	return skep_sys_fd_by_id(c, SKEP_OBJ_LINK);
}

/*
 * Command, end of its last field (bytes beyond must be zero: EINVAL), and whether it reads only
 * (needs no BTF, no grace period).
 */
static const struct {
	command_fn fn;
	u16 last;
} commands[SKEP_BPF_NR_CMDS] = {
	[BPF_MAP_CREATE] = {skep_sys_map_create, 92},
	[BPF_MAP_LOOKUP_ELEM] = {skep_sys_map_lookup, 32},
	[BPF_MAP_UPDATE_ELEM] = {skep_sys_map_update, 32},
	[BPF_MAP_DELETE_ELEM] = {skep_sys_map_delete, 16},
	[BPF_MAP_GET_NEXT_KEY] = {skep_sys_map_next_key, 24},
	[BPF_PROG_LOAD] = {skep_sys_prog_load, 168},
	[BPF_PROG_TEST_RUN] = {skep_sys_prog_test_run, 76},
	[BPF_PROG_GET_NEXT_ID] = {prog_next_id, 8},
	[BPF_MAP_GET_NEXT_ID] = {map_next_id, 8},
	[BPF_PROG_GET_FD_BY_ID] = {prog_fd_by_id, 4},
	[BPF_MAP_GET_FD_BY_ID] = {map_fd_by_id, 12},
	[BPF_OBJ_GET_INFO_BY_FD] = {skep_sys_info_by_fd, 16},
	[BPF_RAW_TRACEPOINT_OPEN] = {skep_sys_raw_tp_open, 24},
	[BPF_BTF_LOAD] = {skep_sys_btf_load, 40},
	[BPF_BTF_GET_FD_BY_ID] = {btf_fd_by_id, 16},
	[BPF_MAP_LOOKUP_AND_DELETE_ELEM] = {skep_sys_map_lookup_and_delete, 32},
	[BPF_MAP_FREEZE] = {skep_sys_map_freeze, 4},
	[BPF_BTF_GET_NEXT_ID] = {btf_next_id, 8},
	[BPF_LINK_CREATE] = {skep_sys_link_create, 60},
	[BPF_LINK_GET_FD_BY_ID] = {link_fd_by_id, 4},
	[BPF_LINK_GET_NEXT_ID] = {link_next_id, 8},
	[BPF_LINK_DETACH] = {skep_sys_link_detach, 4},
	[BPF_PROG_BIND_MAP] = {skep_sys_prog_bind_map, 12},
	[SKEP_BPF_TOKEN_CREATE] = {skep_sys_token_create, 8},
};

/*
 * The presented kernel's BTF is object 1, as in the kernel, whenever it is first asked for:
 * application BTFs get numbers from 2. Only commands that name BTF objects by id need it published.
 */
#define KERNEL_BTF_ID 1

/* As a module's, its types come after the kernel's. It stays. */
static void publish_module(const struct skep_btf *kernel)
{
	struct skep_btf *btf = skep_load_module_btf(kernel);
	struct skep_btf_obj *o = btf ? skep_btf_obj_new(btf) : NULL;

	if (!o)
		skep_btf_put(btf);
	else if (skep_obj_publish(&o->obj))
		skep_obj_put(&o->obj);
}

static void publish_kernel_btf(void)
{
	const struct skep_btf *k = skep_kernel_btf();
	struct skep_btf_obj *o = k ? skep_btf_obj_new(skep_btf_get((struct skep_btf *)k)) : NULL;

	if (o && skep_obj_publish_as(&o->obj, KERNEL_BTF_ID))
		skep_obj_put(&o->obj);
}

/*
 * Asking which BTFs there are is how a loader looks for what the kernel's own lacks: only then is
 * it found out whether anything is lacking.
 */
static void need_module_btf(int cmd)
{
	static struct skep_lock once;
	static bool done;
	const struct skep_btf *k;

	if (cmd != BPF_BTF_GET_NEXT_ID && cmd != BPF_BTF_GET_FD_BY_ID)
		return;
	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		return;
	skep_lock(&once);
	k = done ? NULL : skep_kernel_btf();
	if (k)
		publish_module(k);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	skep_unlock(&once);
}

static void need_kernel_btf(int cmd)
{
	static struct skep_lock once;
	static bool done;

	if (cmd != BPF_BTF_GET_NEXT_ID && cmd != BPF_BTF_GET_FD_BY_ID &&
	    cmd != BPF_OBJ_GET_INFO_BY_FD)
		return;
	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		return;
	skep_lock(&once);
	if (!done) {
		publish_kernel_btf();
		__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	}
	skep_unlock(&once);
}

static bool is_set(const char *s)
{
	return s && *s && strcmp(s, "0");
}

/* Commands that would run a program or have it run. */
static bool runs_programs(int cmd)
{
	return cmd == BPF_PROG_TEST_RUN || cmd == BPF_RAW_TRACEPOINT_OPEN || cmd == BPF_LINK_CREATE;
}

void skep_init(void)
{
	static struct skep_lock once;
	static bool done;
	const char *cpus;

	if (likely(__atomic_load_n(&done, __ATOMIC_ACQUIRE)))
		return;
	skep_lock(&once);
	if (!done && !skep_arena_init()) {
		cpus = getenv("SKEP_CPUS");
		skep_vcpu_init(cpus ? (u32)strtoul(cpus, NULL, 10) : 0);
		skep_obj_reserve_id(SKEP_OBJ_BTF, KERNEL_BTF_ID);
		skep_verdict_only = is_set(getenv("SKEP_VERDICT_ONLY"));
		__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	}
	skep_unlock(&once);
}

/* Copy in at most the known size; longer attrs must be zero beyond it. */
static int read_attr(struct skep_call *c)
{
	u32 n = SKEP_MIN(c->size, (u32)SKEP_ATTR_SIZE);

	if (c->size > MAX_ATTR)
		return -E2BIG;
	if (c->size > SKEP_ATTR_SIZE) {
		int err = skep_user_is_nonzero(c->caller, c->uattr + SKEP_ATTR_SIZE,
					       c->size - SKEP_ATTR_SIZE);

		if (err)
			return err < 0 ? err : -E2BIG;
	}
	return skep_copy_from_user(c->caller, &c->attr, c->uattr, n);
}

static bool has_trailing_bytes(const struct skep_call *c, u32 last)
{
	for (u32 i = last; i < SKEP_ATTR_SIZE; i++)
		if (c->attr.bytes[i])
			return true;
	return false;
}

long skep_bpf(const struct skep_caller *caller, int cmd, u64 uattr, u32 size)
{
	struct skep_call c = {.caller = caller, .uattr = uattr, .size = size};
	long ret;

	skep_init();
	if (unlikely(!skep_arena_base))
		return -ENOMEM; /* a limit on address space leaves no room for objects */
	skep_cgroup_expire();
	skep_busy_enter();
	ret = read_attr(&c);
	if (!ret) {
		if (cmd < 0 || cmd >= (int)ARRAY_SIZE(commands) || !commands[cmd].fn) {
			ret = -EINVAL;
		} else if (has_trailing_bytes(&c, commands[cmd].last)) {
			ret = -EINVAL;
		} else if (skep_verdict_only && runs_programs(cmd)) {
			ret = -EOPNOTSUPP;
		} else {
			need_kernel_btf(cmd);
			need_module_btf(cmd);
			ret = commands[cmd].fn(&c);
		}
	}
	skep_rcu_drain();
	skep_busy_leave();
	return ret;
}
