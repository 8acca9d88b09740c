/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test runs of packet programs: a linear buffer, and a run-time context filled by the program
 * type's field table, addressed by offsets of the uapi struct.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/raw.h"
#include "run/test_run.h"
#include "spec/prog_type.h"

#define ETH_HLEN 14
#define XDP_HEADROOM 256
/* What a page holds beside the kernel's bookkeeping (320 bytes) and its headroom. */
#define SKB_MAX (4096 - 64 - 320)
#define XDP_LINEAR_MAX (4096 - XDP_HEADROOM - 320)
#define XDP_MAX (XDP_LINEAR_MAX + 17 * 4096)
#define GSO_MAX_SEGS 65535u
#define GSO_MAX_SIZE 65536u

/* Room for the run-time context of any packet type. */
struct rt_ctx {
	u8 bytes[1024] __attribute__((aligned(64)));
	const struct skep_prog_type_row *row;
};

#define SKB(field) ((u32)offsetof(struct __sk_buff, field))
#define SKB_HWTSTAMP 184u /* younger than the system's header may be */
#define SKB_SIZE 192u

/* Where the uapi bytes at @off lie at run time; NULL: the type has no such field. */
static void *rt_at(struct rt_ctx *c, u32 off, u32 *ret_size)
{
	u32 i;

	for (i = 0; i < c->row->nr_fields; i++) {
		const struct skep_ctx_field *f = &c->row->fields[i];
		u32 at = off - f->off;

		if (off < f->off || at >= f->size)
			continue;
		if (at >= f->rt_size || (u32)f->rt_off + f->rt_size > sizeof(c->bytes))
			return NULL;
		*ret_size = SKEP_MIN(f->rt_size - at, 8u);
		return c->bytes + f->rt_off + at;
	}
	return NULL;
}

static void rt_set(struct rt_ctx *c, u32 off, u64 v, u32 max)
{
	u32 size;
	void *at = rt_at(c, off, &size);

	if (at)
		memcpy(at, &v, SKEP_MIN(size, max));
}

static u64 rt_get(struct rt_ctx *c, u32 off, u32 max)
{
	u64 v = 0;
	u32 size;
	void *at = rt_at(c, off, &size);

	if (at)
		memcpy(&v, at, SKEP_MIN(size, max));
	return v;
}

/* Does a network device with this number exist? */
static bool is_ifindex(u32 index)
{
	struct ifreq r = {.ifr_ifindex = (int)index};
	long fd = skep_raw(__NR_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return index == 1;
	err = skep_raw(__NR_ioctl, fd, 0x8910 /* SIOCGIFNAME */, &r);
	skep_raw(__NR_close, fd);
	return !err;
}

/* The packet's bytes in guarded memory. */
static int packet_in(const struct test_run *t, u32 headroom, u32 size, struct test_mem *m)
{
	int err = test_mem_init(m, headroom, size);

	return err ? err : skep_copy_from_user(t->c, m->data, t->attr->test.data_in, size);
}

/* The bytes of a caller's __sk_buff that a test may set; all others must be zero. */
static bool skb_input_ok(const u8 *in)
{
	static const struct {
		u8 off, size;
	} may[] = {
		{SKB(mark), 4},	   {SKB(priority), 4}, {SKB(ingress_ifindex), 4},
		{SKB(ifindex), 4}, {SKB(cb), 20},      {SKB(tstamp), 8},
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

static int skb_fill(struct rt_ctx *c, const u8 *in, u8 *packet, u32 size, bool is_l2)
{
	u32 len = is_l2 ? size : size - ETH_HLEN, i, wire_len = u32_at(in, SKB(wire_len));
	u8 *data = packet + (size - len);
	u32 ifindex = u32_at(in, SKB(ifindex));

	if (!skb_input_ok(in))
		return -EINVAL;
	if (ifindex > 1 && !is_ifindex(ifindex))
		return -ENODEV;
	if (wire_len && (wire_len < len || wire_len > GSO_MAX_SIZE))
		return -EINVAL;
	if (u32_at(in, SKB(gso_segs)) > GSO_MAX_SEGS)
		return -EINVAL;
	rt_set(c, SKB(len), len, 4);
	rt_set(c, SKB(pkt_type), packet_type(packet), 4);
	rt_set(c, SKB(protocol), packet_protocol(packet, size), 4);
	rt_set(c, SKB(mark), u32_at(in, SKB(mark)), 4);
	rt_set(c, SKB(priority), u32_at(in, SKB(priority)), 4);
	rt_set(c, SKB(ingress_ifindex), u32_at(in, SKB(ingress_ifindex)), 4);
	rt_set(c, SKB(ifindex), ifindex ? ifindex : 1, 4);
	for (i = 0; i < 5; i++)
		rt_set(c, SKB(cb) + 4 * i, u32_at(in, SKB(cb) + 4 * i), 4);
	rt_set(c, SKB(tstamp), u64_at(in, SKB(tstamp)), 8);
	rt_set(c, SKB(wire_len), wire_len ? wire_len : len, 4);
	rt_set(c, SKB(gso_segs), u32_at(in, SKB(gso_segs)), 4);
	rt_set(c, SKB(gso_size), u32_at(in, SKB(gso_size)), 4);
	rt_set(c, SKB_HWTSTAMP, u64_at(in, SKB_HWTSTAMP), 8);
	rt_set(c, SKB(data), (uintptr_t)data, 8);
	rt_set(c, SKB(data_end), (uintptr_t)(data + len), 8);
	rt_set(c, SKB(data_meta), (uintptr_t)data, 8);
	return 0;
}

/* What the program left, in the caller's form: the fields that a test hands in, and wire_len. */
static void skb_result(struct rt_ctx *c, const u8 *in, u8 *out)
{
	static const u32 words[] = {SKB(mark),	   SKB(priority), SKB(ingress_ifindex),
				    SKB(ifindex),  SKB(wire_len), SKB(gso_segs),
				    SKB(gso_size)};
	u32 i, v;
	u64 d;

	memcpy(out, in, SKB_SIZE);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		v = (u32)rt_get(c, words[i], 4);
		memcpy(out + words[i], &v, 4);
	}
	for (i = 0; i < 5; i++) {
		v = (u32)rt_get(c, SKB(cb) + 4 * i, 4);
		memcpy(out + SKB(cb) + 4 * i, &v, 4);
	}
	d = rt_get(c, SKB(tstamp), 8);
	memcpy(out + SKB(tstamp), &d, 8);
}

int test_run_skb(const struct test_run *t)
{
	const union bpf_attr *a = t->attr;
	u32 size = a->test.data_size_in, retval, duration, len;
	bool is_l2 = t->p->type != BPF_PROG_TYPE_SOCKET_FILTER;
	u8 in[SKB_SIZE], out[SKB_SIZE], *data;
	struct test_mem m = {0};
	struct rt_ctx *c;
	int err;

	if ((a->test.flags & ~(u32)BPF_F_TEST_SKB_CHECKSUM_COMPLETE) || a->test.cpu ||
	    a->test.batch_size)
		return -EINVAL;
	if (size < ETH_HLEN || size > SKB_MAX)
		return -EINVAL;
	c = skep_zalloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->row = skep_prog_type(BPF_PROG_TYPE_SCHED_CLS); /* the type that shows every field */
	err = packet_in(t, 0, size, &m);
	if (!err)
		err = test_ctx_in(t, in, SKB_SIZE);
	if (!err)
		err = skb_fill(c, in, m.data, size, is_l2);
	if (err)
		goto out;
	retval = test_repeat(t, c->bytes, &duration);
	data = (u8 *)(uintptr_t)rt_get(c, SKB(data), 8);
	len = (u32)(rt_get(c, SKB(data_end), 8) - (uintptr_t)data);
	if (!is_l2) { /* the link-layer header comes back, without its contents */
		data -= ETH_HLEN;
		len += ETH_HLEN;
		memset(data, 0, ETH_HLEN);
	}
	skb_result(c, in, out);
	err = test_finish(t, data, len, retval, duration);
	if (!err)
		err = test_ctx_out(t, out, SKB_SIZE);
out:
	test_mem_fini(&m);
	skep_free(c);
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
	if (!is_ifindex(in->ingress_ifindex))
		return -ENODEV;
	return in->rx_queue_index ? -EINVAL : 0;
}

int test_run_xdp(const struct test_run *t)
{
	const union bpf_attr *a = t->attr;
	u32 size = a->test.data_size_in, retval, duration;
	bool has_ctx = a->test.ctx_in != 0;
	struct test_mem m = {0};
	struct xdp_md in = {0};
	struct rt_ctx *c;
	u64 data, data_end, was, was_end;
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
	c = skep_zalloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->row = skep_prog_type(BPF_PROG_TYPE_XDP);
	err = packet_in(t, XDP_HEADROOM, size, &m);
	if (err)
		goto out;
	was = (uintptr_t)m.data + in.data;
	was_end = (uintptr_t)m.data +
		  SKEP_MIN(has_ctx ? in.data_end : size, XDP_LINEAR_MAX + in.data);
	rt_set(c, XDP(data), was, 8);
	rt_set(c, XDP(data_end), was_end, 8);
	rt_set(c, XDP(data_meta), (uintptr_t)m.data, 8);
	rt_set(c, XDP(ingress_ifindex), in.ingress_ifindex ? in.ingress_ifindex : 1, 4);
	rt_set(c, XDP(rx_queue_index), in.rx_queue_index, 4);
	retval = test_repeat(t, c->bytes, &duration);
	data = rt_get(c, XDP(data), 8);
	data_end = rt_get(c, XDP(data_end), 8);
	if (data != was || data_end != was_end) {
		u64 meta = rt_get(c, XDP(data_meta), 8);

		meta = meta && meta <= data ? meta : data;
		in.data = (u32)(data - meta);
		in.data_end = (u32)(data_end - meta);
		err = test_finish(t, (void *)(uintptr_t)meta, (u32)(data_end - meta), retval,
				  duration);
	} else {
		err = test_finish(t, m.data, size, retval, duration);
	}
	if (!err)
		err = test_ctx_out(t, &in, sizeof(in));
out:
	test_mem_fini(&m);
	skep_free(c);
	return err;
}
