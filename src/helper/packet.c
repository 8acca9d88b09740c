/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on packets; their run-time contexts are those of spec/ctx.h.
 */
#include <errno.h>
#include <string.h>

#include "helper/helper.h"
#include "isa/uapi.h"
#include "spec/ctx.h"

#define ETH_HLEN 14u
#define FRAME_BYTES 40u /* of the kernel's own bookkeeping at the start of an XDP frame */
#define MAX_OFFSET 0xffffu

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
	sum = (u32)r5 + sum_words((const u8 *)r1, r2, UINT32_MAX) +
	      sum_words((const u8 *)r3, r4, 0);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* --- skb: a linear packet between data and data_end --- */

static struct skep_skb_ctx *skb_of(u64 r)
{
	return (struct skep_skb_ctx *)r;
}

/* @n bytes at @off from @start, or NULL. */
static u8 *skb_at(const struct skep_skb_ctx *c, u64 start, u64 off, u64 n)
{
	u64 len = c->data_end - start;

	return start <= c->data_end && off <= len && n <= len - off ? (u8 *)start + off : NULL;
}

static u64 load(const struct skep_skb_ctx *c, u64 start, u64 off, void *to, u64 n)
{
	const u8 *from = off <= MAX_OFFSET ? skb_at(c, start, off, n) : NULL;

	if (!from) {
		memset(to, 0, n);
		return (u64)-EFAULT;
	}
	memcpy(to, from, n);
	return 0;
}

SKEP_BODY(skb_load_bytes)
{
	return load(skb_of(r1), skb_of(r1)->data, (u32)r2, (void *)r3, (u32)r4);
}

SKEP_BODY(skb_load_bytes_relative)
{
	struct skep_skb_ctx *c = skb_of(r1);

	if ((u32)r5 > BPF_HDR_START_NET) {
		memset((void *)r3, 0, (u32)r4);
		return (u64)-EFAULT;
	}
	return load(c, (u32)r5 == BPF_HDR_START_MAC ? c->mac : c->network, (u32)r2, (void *)r3,
		    (u32)r4);
}

SKEP_BODY(skb_store_bytes)
{
	struct skep_skb_ctx *c = skb_of(r1);
	u8 *to;

	if (r5 & ~(u64)(BPF_F_RECOMPUTE_CSUM | BPF_F_INVALIDATE_HASH))
		return (u64)-EINVAL;
	to = skb_at(c, c->data, (u32)r2, (u32)r4);
	if (!to)
		return (u64)-EFAULT;
	memcpy(to, (const void *)r3, (u32)r4);
	if (r5 & BPF_F_INVALIDATE_HASH)
		c->hash = 0;
	return 0;
}

SKEP_BODY(skb_pull_data)
{
	struct skep_skb_ctx *c = skb_of(r1);

	return (u32)r2 > c->data_end - c->data ? (u64)-ENOMEM : 0; /* all of it is linear */
}

/* Checksum @old with @from taken out and @to put in (RFC 1624), all as they lie in memory. */
static u16 csum_replace(u16 old, u32 from, u32 to)
{
	u64 sum = (u16)~old;

	sum += (u32)~from;
	sum += to;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u16)~sum;
}

/* The new value of the checksum @old; false for an impossible width. */
static bool csum_changed(u16 old, u64 from, u64 to, u64 width, u16 *ret)
{
	switch (width) {
	case 0: /* `to` is a difference, see csum_diff */
		if (from)
			return false;
		*ret = csum_replace(old, 0xffffffff, (u32)to);
		return true;
	case 2:
		*ret = csum_replace(old, 0xffff0000u | (u16)from, (u16)to);
		return true;
	case 4:
		*ret = csum_replace(old, (u32)from, (u32)to);
		return true;
	default:
		return false;
	}
}

static u8 *csum_at(const struct skep_skb_ctx *c, u64 off)
{
	return (u32)off > MAX_OFFSET || off & 1 ? NULL : skb_at(c, c->data, (u32)off, 2);
}

SKEP_BODY(l3_csum_replace)
{
	struct skep_skb_ctx *c = skb_of(r1);
	u8 *at = csum_at(c, r2);
	u16 sum;

	if (r5 & ~(u64)BPF_F_HDR_FIELD_MASK)
		return (u64)-EINVAL;
	if (!at)
		return (u64)-EFAULT;
	memcpy(&sum, at, 2);
	if (!csum_changed(sum, r3, r4, r5 & BPF_F_HDR_FIELD_MASK, &sum))
		return (u64)-EINVAL;
	memcpy(at, &sum, 2);
	return 0;
}

SKEP_BODY(l4_csum_replace)
{
	struct skep_skb_ctx *c = skb_of(r1);
	bool mangled_zero = r5 & BPF_F_MARK_MANGLED_0;
	u64 known = BPF_F_MARK_MANGLED_0 | BPF_F_MARK_ENFORCE | BPF_F_PSEUDO_HDR |
		    BPF_F_HDR_FIELD_MASK | 0x80 /* BPF_F_IPV6 */;
	u8 *at = csum_at(c, r2);
	u16 sum;

	if (r5 & ~known)
		return (u64)-EINVAL;
	if (!at)
		return (u64)-EFAULT;
	memcpy(&sum, at, 2);
	if (mangled_zero && !(r5 & BPF_F_MARK_ENFORCE) && !sum)
		return 0; /* UDP without a checksum stays without */
	if (!csum_changed(sum, r3, r4, r5 & BPF_F_HDR_FIELD_MASK, &sum))
		return (u64)-EINVAL;
	if (mangled_zero && !sum)
		sum = 0xffff;
	memcpy(at, &sum, 2);
	return 0;
}

/* --- xdp --- */

static struct skep_xdp_ctx *xdp_of(u64 r)
{
	return (struct skep_xdp_ctx *)r;
}

SKEP_BODY(xdp_adjust_head)
{
	struct skep_xdp_ctx *c = xdp_of(r1);
	u64 data = c->data + (u64)(s64)(s32)r2, meta = c->data - c->data_meta;

	if (data < c->data_hard_start + FRAME_BYTES + meta || data > c->data_end - ETH_HLEN)
		return (u64)-EINVAL;
	if (meta)
		memmove((void *)(data - meta), (const void *)c->data_meta, meta);
	c->data_meta = data - meta;
	c->data = data;
	return 0;
}

SKEP_BODY(xdp_adjust_tail)
{
	struct skep_xdp_ctx *c = xdp_of(r1);
	s64 delta = (s32)r2;
	u64 end = c->data_end + (u64)delta;

	if (end > c->data_hard_end || end < c->data + ETH_HLEN)
		return (u64)-EINVAL;
	if (delta > 0)
		memset((void *)c->data_end, 0, (u64)delta);
	c->data_end = end;
	return 0;
}

SKEP_BODY(xdp_adjust_meta)
{
	struct skep_xdp_ctx *c = xdp_of(r1);
	u64 meta = c->data_meta + (u64)(s64)(s32)r2;

	if (meta < c->data_hard_start + FRAME_BYTES || meta > c->data)
		return (u64)-EINVAL;
	if ((c->data - meta) % 4 || c->data - meta > 255)
		return (u64)-EACCES;
	c->data_meta = meta;
	return 0;
}

SKEP_BODY(xdp_get_buff_len)
{
	return xdp_of(r1)->data_end - xdp_of(r1)->data;
}

/* @n bytes at @off, or NULL. */
static u8 *xdp_at(const struct skep_xdp_ctx *c, u64 off, u64 n)
{
	u64 len = c->data_end - c->data;

	return off <= MAX_OFFSET && n <= MAX_OFFSET && off + n <= len ? (u8 *)c->data + off : NULL;
}

SKEP_BODY(xdp_load_bytes)
{
	const u8 *from = xdp_at(xdp_of(r1), (u32)r2, (u32)r4);

	if (!from)
		return (u64)-EINVAL;
	memcpy((void *)r3, from, (u32)r4);
	return 0;
}

SKEP_BODY(xdp_store_bytes)
{
	u8 *to = xdp_at(xdp_of(r1), (u32)r2, (u32)r4);

	if (!to)
		return (u64)-EINVAL;
	memcpy(to, (const void *)r3, (u32)r4);
	return 0;
}

/* A verdict; the packet of a test goes nowhere. */
SKEP_BODY(redirect_skb)
{
	return r2 & ~(u64)BPF_F_INGRESS ? 2 /* TC_ACT_SHOT */ : 7 /* TC_ACT_REDIRECT */;
}

SKEP_BODY(redirect_xdp)
{
	return r2 ? XDP_ABORTED : XDP_REDIRECT;
}

const struct skep_body skep_packet_bodies[] = {
	{BPF_FUNC_csum_diff, csum_diff},
	{BPF_FUNC_skb_load_bytes, skb_load_bytes},
	{BPF_FUNC_skb_load_bytes_relative, skb_load_bytes_relative},
	{BPF_FUNC_skb_store_bytes, skb_store_bytes},
	{BPF_FUNC_skb_pull_data, skb_pull_data},
	{BPF_FUNC_l3_csum_replace, l3_csum_replace},
	{BPF_FUNC_l4_csum_replace, l4_csum_replace},
	{BPF_FUNC_redirect, redirect_skb},
	{0, NULL},
};

/* Bodies that XDP programs get, also where another type has one of the same id. */
const struct skep_body skep_xdp_bodies[] = {
	{BPF_FUNC_xdp_adjust_head, xdp_adjust_head}, {BPF_FUNC_xdp_adjust_tail, xdp_adjust_tail},
	{BPF_FUNC_xdp_adjust_meta, xdp_adjust_meta}, {BPF_FUNC_xdp_get_buff_len, xdp_get_buff_len},
	{BPF_FUNC_xdp_load_bytes, xdp_load_bytes},   {BPF_FUNC_xdp_store_bytes, xdp_store_bytes},
	{BPF_FUNC_redirect, redirect_xdp},	     {0, NULL},
};
