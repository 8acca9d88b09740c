/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on ring buffers.
 */
#include <errno.h>
#include <string.h>

#include "helper/helper.h"
#include "isa/uapi.h"
#include "map/ringbuf.h"

#define WAKE_FLAGS ((u64)(BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP))

SKEP_BODY(ringbuf_reserve)
{
	return r3 ? 0 : (u64)skep_ringbuf_reserve((struct skep_map *)r1, r2);
}

SKEP_BODY(ringbuf_submit)
{
	skep_ringbuf_commit((void *)r1, r2, false);
	return 0;
}

SKEP_BODY(ringbuf_discard)
{
	skep_ringbuf_commit((void *)r1, r2, true);
	return 0;
}

SKEP_BODY(ringbuf_output)
{
	void *sample;

	if (r4 & ~WAKE_FLAGS)
		return (u64)-EINVAL;
	sample = skep_ringbuf_reserve((struct skep_map *)r1, r3);
	if (!sample)
		return (u64)-EAGAIN;
	memcpy(sample, (const void *)r2, r3);
	skep_ringbuf_commit(sample, r4, false);
	return 0;
}

SKEP_BODY(ringbuf_query)
{
	return skep_ringbuf_query((struct skep_map *)r1, r2);
}

const struct skep_body skep_ringbuf_bodies[] = {
	{BPF_FUNC_ringbuf_reserve, ringbuf_reserve}, {BPF_FUNC_ringbuf_submit, ringbuf_submit},
	{BPF_FUNC_ringbuf_discard, ringbuf_discard}, {BPF_FUNC_ringbuf_output, ringbuf_output},
	{BPF_FUNC_ringbuf_query, ringbuf_query},     {0, NULL},
};
