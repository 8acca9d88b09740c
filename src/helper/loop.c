/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_loop where it was not inlined, and open-coded number iterators.
 */
#include <errno.h>

#include "helper/helper.h"
#include "isa/uapi.h"
#include "obj/prog.h"

#define MAX_LOOPS (8u << 20)

SKEP_BODY(loop)
{
	u32 n = (u32)r1;

	if (r4)
		return (u64)-EINVAL;
	if (n > MAX_LOOPS)
		return (u64)-E2BIG;
	for (u32 i = 0; i < n; i++)
		if (skep_call_callback(r2, i, r3, 0, 0, 0))
			return i + 1;
	return n;
}

const struct skep_body skep_loop_bodies[] = {
	{BPF_FUNC_loop, loop},
	{0, NULL},
};
