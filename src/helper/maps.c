/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on maps: look-up, update, delete, iteration, spin locks.
 */
#include <errno.h>

#include "helper/helper.h"
#include "map/prog_array.h"
#include "obj/map.h"
#include "obj/value_lock.h"
#include "isa/uapi.h"

static struct skep_map *map_arg(u64 r)
{
	return (struct skep_map *)r;
}

SKEP_BODY(map_lookup_elem)
{
	return (u64)map_arg(r1)->ops->lookup(map_arg(r1), (const void *)r2);
}

SKEP_BODY(map_update_elem)
{
	struct skep_map *m = map_arg(r1);

	return m->ops->update ? (u64)m->ops->update(m, (const void *)r2, (const void *)r3, r4)
			      : (u64)-SKEP_ENOTSUPP;
}

SKEP_BODY(map_delete_elem)
{
	struct skep_map *m = map_arg(r1);

	return m->ops->erase ? (u64)m->ops->erase(m, (const void *)r2) : (u64)-SKEP_ENOTSUPP;
}

SKEP_BODY(map_lookup_percpu_elem)
{
	struct skep_map *m = map_arg(r1);

	return m->ops->lookup_percpu ? (u64)m->ops->lookup_percpu(m, (const void *)r2, (u32)r3) : 0;
}

SKEP_BODY(for_each_map_elem)
{
	struct skep_map *m = map_arg(r1);

	if (r4)
		return (u64)-EINVAL;
	return m->ops->for_each ? (u64)m->ops->for_each(m, r2, r3) : (u64)-EINVAL;
}

SKEP_BODY(spin_lock)
{
	skep_value_lock((u32 *)r1);
	return 0;
}

SKEP_BODY(spin_unlock)
{
	skep_value_unlock((u32 *)r1);
	return 0;
}

/* The engines go where this says (skep_tail_enter), or on with the next instruction for 0. */
SKEP_BODY(tail_call)
{
	const struct skep_prog *next = skep_prog_array_get(map_arg(r2), (u32)r3);

	return next ? skep_tail_enter(next) : 0;
}

const struct skep_body skep_map_bodies[] = {
	{BPF_FUNC_tail_call, tail_call},
	{BPF_FUNC_map_lookup_elem, map_lookup_elem},
	{BPF_FUNC_map_update_elem, map_update_elem},
	{BPF_FUNC_map_delete_elem, map_delete_elem},
	{BPF_FUNC_map_lookup_percpu_elem, map_lookup_percpu_elem},
	{BPF_FUNC_for_each_map_elem, for_each_map_elem},
	{BPF_FUNC_spin_lock, spin_lock},
	{BPF_FUNC_spin_unlock, spin_unlock},
	{0, NULL},
};
