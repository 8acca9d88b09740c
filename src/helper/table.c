/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds bodies.
 */
#include <string.h>

#include "helper/helper.h"
#include "spec/helper.h"

static const struct skep_body *const themes[] = {
	skep_map_bodies,    skep_time_bodies,	 skep_task_bodies,   skep_probe_bodies,
	skep_text_bodies,   skep_ringbuf_bodies, skep_loop_bodies,   skep_trace_bodies,
	skep_packet_bodies, skep_storage_bodies, skep_cgroup_bodies,
};

static skep_body_fn find(const struct skep_body *b, u32 id)
{
	for (; b->fn; b++)
		if (b->id == id)
			return b->fn;
	return NULL;
}

skep_body_fn skep_helper_body(u32 id, u32 prog_type)
{
	skep_body_fn fn = prog_type == BPF_PROG_TYPE_XDP ? find(skep_xdp_bodies, id) : NULL;

	for (u32 i = 0; !fn && i < ARRAY_SIZE(themes); i++)
		fn = find(themes[i], id);
	return fn;
}

static const struct skep_kfunc_impl *const kfunc_themes[] = {
	skep_kfunc_impls,
	skep_cgroup_kfunc_impls,
};

skep_body_fn skep_kfunc_body(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(kfunc_themes); i++)
		for (const struct skep_kfunc_impl *k = kfunc_themes[i]; k->fn; k++)
			if (!strcmp(k->name, name))
				return k->fn;
	return NULL;
}
