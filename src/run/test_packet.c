/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test runs of packet programs: a linear buffer and a run-time context (spec/ctx.h) for it.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "base/raw.h"
#include "run/test_run.h"
#include "spec/ctx.h"

#define ETH_HLEN 14
#define XDP_HEADROOM 256
/* What a page holds beside the kernel's bookkeeping (320 bytes) and its headroom. */
#define SKB_MAX (4096 - 64 - 320)
#define XDP_LINEAR_MAX (4096 - XDP_HEADROOM - 320)
#define XDP_MAX (XDP_LINEAR_MAX + 17 * 4096)
#define GSO_MAX_SEGS 65535u
#define GSO_MAX_SIZE 65536u

#define SKB(field) ((u32)offsetof(struct __sk_buff, field))
#define SKB_HWTSTAMP 184u /* younger than the system's header may be */
#define SKB_SIZE 192u

bool skep_is_ifindex(u32 index)
{
	struct ifreq r = {.ifr_ifindex = (int)index};
	long fd = skep_raw(__NR_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return index == 1;
	err = skep_raw(__NR_ioctl, fd, 0x8910 /* SIOCGIFNAME */, &r);
	skep_raw(__NR_close, fd);
	return !err;
}

/*
 * The packet's bytes in guarded memory: right before the page that cannot be accessed, unless the
 * program may want @tailroom to grow into.
 */
static int packet_in(const struct test_run *t, u32 headroom, u32 size, u32 tailroom,
		     struct test_mem *m)
{
	int err = test_mem_init(m, headroom, (u64)size + tailroom);

	return err ? err : skep_copy_from_user(t->c, m->data, t->attr->test.data_in, size);
}

static bool calls_helper(const struct skep_prog *p, u32 id)
{
	for (u32 i = 0; i < p->code.nr_targets; i++)
		if (!p->code.targets[i].is_kfunc && p->code.targets[i].id == id)
			return true;
	return false;
}

/* The bytes of a caller's __sk_buff that a test may set; all others must be zero. */
static bool skb_input_ok(const u8 *in)
{
	static const struct {
		u8 off, size;
	} may[] = {
		{SKB(mark), 4},	    {SKB(priority), 4}, {SKB(ingress_ifindex), 4},
		{SKB(ifindex), 4},  {SKB(cb), 20},	{SKB(tstamp), 8},
		{SKB(wire_len), 4}, {SKB(gso_segs), 4}, {SKB(gso_size), 4},
		{SKB_HWTSTAMP, 8},
	};
	u8 rest[SKB_SIZE], any = 0;
	u32 i;

	memcpy(rest, in, SKB_SIZE);
	for (i = 0; i < ARRAY_SIZE(may); i++)
		memset(rest + may[i].off, 0, may[i].size);
	for (i = 0; i < SKB_SIZE; i++)
		any |= rest[i];
	return !any;
}

static u32 u32_at(const u8 *p, u32 off)
{
	u32 v;

	memcpy(&v, p + off, 4);
	return v;
}
static u64 u64_at(const u8 *p, u32 off)
{
	u64 v;

	memcpy(&v, p + off, 8);
	return v;
}

/* As seen from a loopback device, whose address is all zeros. */
static u32 packet_type(const u8 *eth)
{
	static const u8 zero[6];
	u32 i;

	if (eth[0] & 1) {
		for (i = 0; i < 6; i++)
			if (eth[i] != 0xff)
				return 2; /* multicast */
		return 1;		  /* broadcast */
	}
	return memcmp(eth, zero, 6) ? 3 : 0; /* other host, host */
}

/* The protocol as it lies in the frame; for length fields what they stand for. */
static u32 packet_protocol(const u8 *eth, u32 size)
{
	u32 type = (u32)eth[12] << 8 | eth[13];

	if (type >= 0x600)
		return (u32)eth[13] << 8 | eth[12];
	/* 802.3: raw when it starts with ffff, else 802.2 */
	if (size >= ETH_HLEN + 2 && eth[14] == 0xff && eth[15] == 0xff)
		return 0x0100;
	return 0x0400;
}

/* A frame that announces IPv4 or IPv6 holds at least the fixed header. */
static bool packet_holds_header(const u8 *eth, u32 size)
{
	u32 type = (u32)eth[12] << 8 | eth[13], left = size - ETH_HLEN;

	return !(type == 0x0800 && left < 20) && !(type == 0x86dd && left < 40);
}

/* @has_ctx: the caller hands in or wants back a context; only then is wire_len defaulted. */
static int skb_fill(struct skep_skb_ctx *c, const u8 *in, u8 *packet, u32 size, bool is_l2,
		    bool has_ctx)
{
	u32 len = is_l2 ? size : size - ETH_HLEN, wire_len = u32_at(in, SKB(wire_len));
	u8 *data = packet + (size - len);
	u32 ifindex = u32_at(in, SKB(ifindex));

	if (!skb_input_ok(in))
		return -EINVAL;
	if (ifindex > 1 && !skep_is_ifindex(ifindex))
		return -ENODEV;
	if (wire_len && (wire_len < len || wire_len > GSO_MAX_SIZE))
		return -EINVAL;
	if (u32_at(in, SKB(gso_segs)) > GSO_MAX_SEGS)
		return -EINVAL;
	*c = (struct skep_skb_ctx){
		.data = (uintptr_t)data,
		.data_end = (uintptr_t)data + len,
		.data_meta = (uintptr_t)data,
		.mac = (uintptr_t)packet,
		.network = (uintptr_t)packet + ETH_HLEN,
		.len = len,
		.pkt_type = packet_type(packet),
		.protocol = packet_protocol(packet, size),
		.mark = u32_at(in, SKB(mark)),
		.priority = u32_at(in, SKB(priority)),
		.ingress_ifindex = u32_at(in, SKB(ingress_ifindex)),
		.ifindex = ifindex ? ifindex : 1,
		.tstamp = u64_at(in, SKB(tstamp)),
		.hwtstamp = u64_at(in, SKB_HWTSTAMP),
		.wire_len = wire_len  ? wire_len
			    : has_ctx ? len
				      : 0,
		.gso_segs = u32_at(in, SKB(gso_segs)),
		.gso_size = u32_at(in, SKB(gso_size)),
	};
	memcpy(c->cb, in + SKB(cb), sizeof(c->cb));
	return 0;
}

/* What the program left, in the caller's form: the fields that a test hands in, and wire_len. */
static void skb_result(const struct skep_skb_ctx *c, const u8 *in, u8 *out)
{
	memcpy(out, in, SKB_SIZE);
	memcpy(out + SKB(mark), &c->mark, 4);
	memcpy(out + SKB(priority), &c->priority, 4);
	memcpy(out + SKB(ingress_ifindex), &c->ingress_ifindex, 4);
	memcpy(out + SKB(ifindex), &c->ifindex, 4);
	memcpy(out + SKB(cb), c->cb, sizeof(c->cb));
	memcpy(out + SKB(tstamp), &c->tstamp, 8);
	memcpy(out + SKB(wire_len), &c->wire_len, 4);
	memcpy(out + SKB(gso_segs), &c->gso_segs, 4);
	memcpy(out + SKB(gso_size), &c->gso_size, 4);
}

int test_run_skb(const struct test_run *t)
{
	const union bpf_attr *a = t->attr;
	u32 size = a->test.data_size_in, retval, duration, len;
	bool is_l2 = t->p->type != BPF_PROG_TYPE_SOCKET_FILTER;
	u8 in[SKB_SIZE], out[SKB_SIZE], *data;
	struct test_mem m = {0};
	struct skep_skb_ctx c;
	int err;

	if ((a->test.flags & ~(u32)BPF_F_TEST_SKB_CHECKSUM_COMPLETE) || a->test.cpu ||
	    a->test.batch_size)
		return -EINVAL;
	if (size < ETH_HLEN || size > SKB_MAX)
		return -EINVAL;
	err = packet_in(t, 0, size, 0, &m);
	if (!err && !packet_holds_header(m.data, size))
		err = -EINVAL;
	if (!err)
		err = test_ctx_in(t, in, SKB_SIZE);
	if (!err)
		err = skb_fill(&c, in, m.data, size, is_l2, a->test.ctx_in || a->test.ctx_out);
	if (err)
		goto out;
	retval = test_repeat(t, &c, &duration);
	data = (u8 *)(uintptr_t)c.data;
	len = (u32)(c.data_end - c.data);
	if (!is_l2) { /* the link-layer header comes back, without its contents */
		data -= ETH_HLEN;
		len += ETH_HLEN;
		memset(data, 0, ETH_HLEN);
	}
	skb_result(&c, in, out);
	err = test_finish(t, data, len, 0, retval, duration);
	if (!err)
		err = test_ctx_out(t, out, SKB_SIZE);
out:
	test_mem_fini(&m);
	return err;
}

#define XDP(field) ((u32)offsetof(struct xdp_md, field))

static int xdp_check(const struct xdp_md *in, u32 size)
{
	u32 meta = in->data;

	if (in->data_meta || in->data > in->data_end || in->data_end > size)
		return -EINVAL;
	/* the frame's bookkeeping of 40 bytes shares the headroom with the metadata */
	if (meta % 4 || meta > XDP_HEADROOM - 40 || size - meta < ETH_HLEN || in->egress_ifindex)
		return -EINVAL;
	if (!in->ingress_ifindex)
		return in->rx_queue_index ? -EINVAL : 0;
	if (!skep_is_ifindex(in->ingress_ifindex))
		return -ENODEV;
	return in->rx_queue_index ? -EINVAL : 0;
}

int test_run_xdp(const struct test_run *t)
{
	const union bpf_attr *a = t->attr;
	u32 size = a->test.data_size_in, retval, duration;
	bool has_ctx = a->test.ctx_in || a->test.ctx_out;
	struct test_mem m = {0};
	struct xdp_md in = {0};
	struct skep_xdp_ctx c;
	u64 was, was_end;
	u32 tailroom = 0;
	int err;

	/* live frames need devices of the kernel */
	if (a->test.flags || a->test.batch_size)
		return -EINVAL;
	err = test_ctx_in(t, &in, sizeof(in));
	if (!err && has_ctx)
		err = xdp_check(&in, size);
	if (err)
		return err;
	if (size < ETH_HLEN)
		return -EINVAL;
	if (size > XDP_MAX)
		return -ENOMEM;
	if (size < XDP_LINEAR_MAX && calls_helper(t->p, BPF_FUNC_xdp_adjust_tail))
		tailroom = XDP_LINEAR_MAX - size;
	err = packet_in(t, XDP_HEADROOM, size, tailroom, &m);
	if (err)
		goto out;
	was = (uintptr_t)m.data + in.data;
	was_end = (uintptr_t)m.data +
		  SKEP_MIN(has_ctx ? in.data_end : size, XDP_LINEAR_MAX + in.data);
	c = (struct skep_xdp_ctx){
		.data = was,
		.data_end = was_end,
		.data_meta = (uintptr_t)m.data,
		.data_hard_start = (uintptr_t)m.data - XDP_HEADROOM,
		.data_hard_end = (uintptr_t)m.data + size + tailroom,
		.ingress_ifindex = in.ingress_ifindex ? in.ingress_ifindex : 1,
		.rx_queue_index = in.rx_queue_index,
	};
	retval = test_repeat(t, &c, &duration);
	if (c.data_meta != (uintptr_t)m.data || c.data != was || c.data_end != was_end) {
		u64 meta = c.data_meta <= c.data ? c.data_meta : c.data;

		in.data = (u32)(c.data - meta);
		in.data_end = (u32)(c.data_end - meta);
		err = test_finish(t, (void *)(uintptr_t)meta, (u32)(c.data_end - meta), 0, retval,
				  duration);
	} else {
		err = test_finish(t, m.data, size, (u32)((uintptr_t)m.data + size - was_end),
				  retval, duration);
	}
	if (!err)
		err = test_ctx_out(t, &in, sizeof(in));
out:
	test_mem_fini(&m);
	return err;
}
