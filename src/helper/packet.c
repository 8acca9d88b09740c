/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on packets; their run-time contexts are those of spec/ctx.h.
 */
#include <errno.h>
#include <string.h>

#include "helper/helper.h"
#include "isa/uapi.h"

/* One's-complement sum of @n bytes (a multiple of 4) starting at @p. */
static u64 sum_words(const u8 *p, u64 n, u64 flip)
{
	u64 sum = 0;

	for (u64 i = 0; i < n; i += 4) {
		u32 w;

		memcpy(&w, p + i, 4);
		sum += w ^ (u32)flip;
	}
	return sum;
}

/* Difference of checksums: seed - from + to, unfolded. */
SKEP_BODY(csum_diff)
{
	u64 sum;

	if ((r2 | r4) & 3 || r2 + r4 > 512)
		return (u64)-EINVAL;
	sum = (u32)r5 + sum_words((const u8 *)r1, r2, UINT32_MAX) + sum_words((const u8 *)r3, r4, 0);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

const struct skep_body skep_packet_bodies[] = {
	{BPF_FUNC_csum_diff, csum_diff},
	{0, NULL},
};
