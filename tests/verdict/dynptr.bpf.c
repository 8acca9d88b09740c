/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynptrs: made, used, overwritten, released; slices of them. */
#include "common.h"

extern int bpf_dynptr_from_skb(struct __sk_buff *s, __u64 flags, struct bpf_dynptr *p) __ksym;
extern int bpf_dynptr_from_xdp(struct xdp_md *x, __u64 flags, struct bpf_dynptr *p) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *p, __u32 off, void *buf, __u32 size) __ksym;
extern void *bpf_dynptr_slice_rdwr(const struct bpf_dynptr *p, __u32 off, void *buf, __u32 size) __ksym;
extern int bpf_dynptr_adjust(const struct bpf_dynptr *p, __u32 start, __u32 end) __ksym;
extern bool bpf_dynptr_is_null(const struct bpf_dynptr *p) __ksym;
extern bool bpf_dynptr_is_rdonly(const struct bpf_dynptr *p) __ksym;
extern __u32 bpf_dynptr_size(const struct bpf_dynptr *p) __ksym;
extern int bpf_dynptr_clone(const struct bpf_dynptr *p, struct bpf_dynptr *clone) __ksym;
extern int bpf_dynptr_copy(struct bpf_dynptr *d, __u32 doff, struct bpf_dynptr *s, __u32 soff, __u32 n) __ksym;
extern int bpf_dynptr_memset(struct bpf_dynptr *p, __u32 off, __u32 n, __u8 v) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[64]);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} user_ring SEC(".maps");

static __u64 result;

#define LOCAL(d)                                                                                   \
	__u32 key = 0;                                                                             \
	struct bpf_dynptr d;                                                                       \
	char *value = bpf_map_lookup_elem(&array, &key);                                           \
	if (!value)                                                                                \
		return 0;                                                                          \
	bpf_dynptr_from_mem(value, 64, 0, &d)

SEC("tc") int ok_local(void *ctx)
{
	__u64 x = 0;

	LOCAL(d);
	bpf_dynptr_read(&x, sizeof(x), &d, 0, 0);
	bpf_dynptr_write(&d, 8, &x, sizeof(x), 0);
	return 0;
}

SEC("tc") int no_uninit_read(void *ctx)
{
	struct bpf_dynptr d;
	__u64 x = 0;

	bpf_dynptr_read(&x, sizeof(x), &d, 0, 0);
	return 0;
}

SEC("tc") int no_from_stack(void *ctx)
{
	struct bpf_dynptr d;
	__u64 x[4] = {};

	bpf_dynptr_from_mem(x, sizeof(x), 0, &d);
	return 0;
}

SEC("tc") int no_from_mem_too_long(void *ctx)
{
	__u32 key = 0;
	struct bpf_dynptr d;
	char *value = bpf_map_lookup_elem(&array, &key);

	if (value)
		bpf_dynptr_from_mem(value, 65, 0, &d);
	return 0;
}

SEC("tc") int ok_data(void *ctx)
{
	__u64 *p;

	LOCAL(d);
	p = bpf_dynptr_data(&d, 0, 8);
	if (p)
		*p = 1;
	return 0;
}

SEC("tc") int no_data_unchecked(void *ctx)
{
	__u64 *p;

	LOCAL(d);
	p = bpf_dynptr_data(&d, 0, 8);
	*p = 1;
	return 0;
}

SEC("tc") int no_data_beyond(void *ctx)
{
	__u64 *p;

	LOCAL(d);
	p = bpf_dynptr_data(&d, 0, 8);
	if (p)
		p[1] = 1;
	return 0;
}

SEC("tc") int no_data_size_unknown(struct __sk_buff *ctx)
{
	__u64 *p;

	LOCAL(d);
	p = bpf_dynptr_data(&d, 0, ctx->len & 31);
	if (p)
		*(char *)p = 1;
	return 0;
}

SEC("tc") int ok_ringbuf(void *ctx)
{
	struct bpf_dynptr d;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	bpf_ringbuf_submit_dynptr(&d, 0);
	return 0;
}

SEC("tc") int ok_ringbuf_discard(void *ctx)
{
	struct bpf_dynptr d;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	bpf_ringbuf_discard_dynptr(&d, 0);
	return 0;
}

SEC("tc") int no_ringbuf_leak(void *ctx)
{
	struct bpf_dynptr d;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	return 0;
}

SEC("tc") int no_ringbuf_twice(void *ctx)
{
	struct bpf_dynptr d;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	bpf_ringbuf_submit_dynptr(&d, 0);
	bpf_ringbuf_submit_dynptr(&d, 0);
	return 0;
}

SEC("tc") int no_submit_local(void *ctx)
{
	LOCAL(d);
	bpf_ringbuf_submit_dynptr(&d, 0);
	return 0;
}

SEC("tc") int no_ringbuf_overwritten(void *ctx)
{
	struct bpf_dynptr d;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	*(volatile __u64 *)&d = 1;
	bpf_ringbuf_submit_dynptr(&d, 0);
	return 0;
}

SEC("tc") int no_ringbuf_data_after(void *ctx)
{
	struct bpf_dynptr d;
	__u64 *p;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	p = bpf_dynptr_data(&d, 0, 8);
	bpf_ringbuf_submit_dynptr(&d, 0);
	if (p)
		*p = 1;
	return 0;
}

SEC("tc") int ok_ringbuf_data(void *ctx)
{
	struct bpf_dynptr d;
	__u64 *p;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	p = bpf_dynptr_data(&d, 0, 8);
	if (p)
		*p = 1;
	bpf_ringbuf_submit_dynptr(&d, 0);
	return 0;
}

SEC("tc") int no_local_overwritten(void *ctx)
{
	__u64 x;

	LOCAL(d);
	*(volatile __u64 *)&d = 1;
	bpf_dynptr_read(&x, sizeof(x), &d, 0, 0);
	return 0;
}

SEC("tc") int no_local_second_half(void *ctx)
{
	__u64 x;

	LOCAL(d);
	((volatile __u64 *)&d)[1] = 1;
	bpf_dynptr_read(&x, sizeof(x), &d, 0, 0);
	return 0;
}

SEC("tc") int no_local_read_directly(void *ctx)
{
	LOCAL(d);
	result = *(volatile __u64 *)&d;
	return 0;
}

SEC("tc") int no_local_slice_after_overwrite(void *ctx)
{
	__u64 *p;

	LOCAL(d);
	p = bpf_dynptr_data(&d, 0, 8);
	*(volatile __u64 *)&d = 1;
	if (p)
		*p = 1;
	return 0;
}

SEC("tc") int ok_local_made_again(void *ctx)
{
	__u64 x;

	LOCAL(d);
	bpf_dynptr_from_mem(value, 32, 0, &d);
	bpf_dynptr_read(&x, sizeof(x), &d, 0, 0);
	return 0;
}

SEC("tc") NAKED int no_offset_odd(void)
{
	asm volatile("r1 = %[ring] ll; r2 = 8; r3 = 0; r4 = r10; r4 += -20; call 198; r0 = 0; exit;"
		     :
		     : __imm_addr(ring)
		     : "memory");
}

SEC("tc") NAKED int no_offset_last_slot(void)
{
	asm volatile("r1 = %[ring] ll; r2 = 8; r3 = 0; r4 = r10; r4 += -8; call 198; r0 = 0; exit;"
		     :
		     : __imm_addr(ring)
		     : "memory");
}

SEC("tc") NAKED int no_offset_variable(void)
{
	asm volatile("call 7; r0 &= 8; r6 = r0; r1 = %[ring] ll; r2 = 8; r3 = 0; r4 = r10; r4 += -32;"
		     "r4 += r6; call 198; r0 = 0; exit;"
		     :
		     : __imm_addr(ring)
		     : "memory");
}

SEC("tc") NAKED int no_second_half_passed(void)
{
	asm volatile("r1 = %[ring] ll; r2 = 8; r3 = 0; r4 = r10; r4 += -16; call 198;"
		     "r1 = r10; r1 += -8; r2 = 0; call 199; r0 = 0; exit;"
		     :
		     : __imm_addr(ring)
		     : "memory");
}

SEC("tc") int ok_skb(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];
	__u8 *p;

	bpf_dynptr_from_skb(skb, 0, &d);
	p = bpf_dynptr_slice(&d, 0, buf, sizeof(buf));
	return p ? p[7] : 0;
}

SEC("tc") int no_skb_slice_write(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];
	__u8 *p;

	bpf_dynptr_from_skb(skb, 0, &d);
	p = bpf_dynptr_slice(&d, 0, buf, sizeof(buf));
	if (p)
		p[0] = 1;
	return 0;
}

SEC("tc") int ok_skb_rdwr(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];
	__u8 *p;

	bpf_dynptr_from_skb(skb, 0, &d);
	p = bpf_dynptr_slice_rdwr(&d, 0, buf, sizeof(buf));
	if (p)
		p[0] = 1;
	return 0;
}

SEC("cgroup_skb/egress") int no_skb_rdwr_here(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];
	__u8 *p;

	bpf_dynptr_from_skb(skb, 0, &d);
	p = bpf_dynptr_slice_rdwr(&d, 0, buf, sizeof(buf));
	if (p)
		p[0] = 1;
	return 1;
}

SEC("tc") int no_skb_slice_after_change(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];
	__u8 *p;

	bpf_dynptr_from_skb(skb, 0, &d);
	p = bpf_dynptr_slice(&d, 0, buf, sizeof(buf));
	if (!p)
		return 0;
	bpf_skb_pull_data(skb, 8);
	return p[0];
}

SEC("tc") int no_skb_slice_after_write(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];
	__u8 *p;

	bpf_dynptr_from_skb(skb, 0, &d);
	p = bpf_dynptr_slice(&d, 0, buf, sizeof(buf));
	if (!p)
		return 0;
	bpf_dynptr_write(&d, 0, "x", 1, 0);
	return p[0];
}

SEC("tc") int no_slice_size_unknown(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];

	bpf_dynptr_from_skb(skb, 0, &d);
	return bpf_dynptr_slice(&d, 0, buf, skb->len & 7) != 0;
}

SEC("tc") int no_slice_buffer_short(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	char buf[8];

	bpf_dynptr_from_skb(skb, 0, &d);
	return bpf_dynptr_slice(&d, 0, buf, 9) != 0;
}

SEC("tc") int ok_slice_no_buffer(struct __sk_buff *skb)
{
	struct bpf_dynptr d;
	__u8 *p;

	bpf_dynptr_from_skb(skb, 0, &d);
	p = bpf_dynptr_slice(&d, 0, NULL, 8);
	return p ? p[7] : 0;
}

SEC("xdp") int ok_xdp(struct xdp_md *x)
{
	struct bpf_dynptr d;
	char buf[8];
	__u8 *p;

	bpf_dynptr_from_xdp(x, 0, &d);
	p = bpf_dynptr_slice(&d, 0, buf, sizeof(buf));
	return p ? p[0] & 1 : 2;
}

SEC("xdp") int no_skb_in_xdp(struct xdp_md *x)
{
	struct bpf_dynptr d;

	bpf_dynptr_from_skb((void *)x, 0, &d);
	return 2;
}

SEC("tc") int ok_adjust(void *ctx)
{
	LOCAL(d);
	bpf_dynptr_adjust(&d, 1, 9);
	result = bpf_dynptr_size(&d) + bpf_dynptr_is_null(&d) + bpf_dynptr_is_rdonly(&d);
	return 0;
}

SEC("tc") int no_size_uninit(void *ctx)
{
	struct bpf_dynptr d;

	return bpf_dynptr_size(&d);
}

SEC("tc") int no_size_of_map_value(void *ctx)
{
	__u32 key = 0;
	char *value = bpf_map_lookup_elem(&array, &key);

	return value ? bpf_dynptr_size((void *)value) : 0;
}

SEC("tc") int ok_clone(void *ctx)
{
	struct bpf_dynptr c;
	__u64 x;

	LOCAL(d);
	bpf_dynptr_clone(&d, &c);
	bpf_dynptr_read(&x, sizeof(x), &c, 0, 0);
	return 0;
}

SEC("tc") int no_clone_of_none(void *ctx)
{
	struct bpf_dynptr c, d;

	bpf_dynptr_clone(&d, &c);
	return 0;
}

SEC("tc") int no_clone_after_submit(void *ctx)
{
	struct bpf_dynptr c, d;
	__u64 x;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	bpf_dynptr_clone(&d, &c);
	bpf_ringbuf_submit_dynptr(&d, 0);
	bpf_dynptr_read(&x, sizeof(x), &c, 0, 0);
	return 0;
}

SEC("tc") int ok_clone_submitted(void *ctx)
{
	struct bpf_dynptr c, d;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	bpf_dynptr_clone(&d, &c);
	bpf_ringbuf_submit_dynptr(&c, 0);
	return 0;
}

SEC("tc") int ok_copy(struct __sk_buff *skb)
{
	struct bpf_dynptr s;

	LOCAL(d);
	bpf_dynptr_from_skb(skb, 0, &s);
	bpf_dynptr_copy(&d, 0, &s, 0, 16);
	bpf_dynptr_memset(&d, 0, 8, 0);
	return 0;
}

static long drained(struct bpf_dynptr *d, void *ctx)
{
	__u64 *p = bpf_dynptr_data(d, 0, 8);

	if (p)
		result += *p;
	return 0;
}

static long drained_writes(struct bpf_dynptr *d, void *ctx)
{
	bpf_dynptr_from_mem(&result, 8, 0, d);
	return 0;
}

static long drained_two(struct bpf_dynptr *d, void *ctx)
{
	return 2;
}

SEC("tc") int ok_drain(void *ctx)
{
	bpf_user_ringbuf_drain(&user_ring, drained, NULL, 0);
	return 0;
}

SEC("tc") int no_drain_mutates(void *ctx)
{
	bpf_user_ringbuf_drain(&user_ring, drained_writes, NULL, 0);
	return 0;
}

SEC("tc") int no_drain_returns_two(void *ctx)
{
	bpf_user_ringbuf_drain(&user_ring, drained_two, NULL, 0);
	return 0;
}

SEC("tc") int ok_in_loop(void *ctx)
{
	for (int i = 0; i < 100; i++) {
		struct bpf_dynptr d;

		bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
		bpf_ringbuf_discard_dynptr(&d, 0);
	}
	return 0;
}

SEC("tc") int no_on_one_path(struct __sk_buff *skb)
{
	struct bpf_dynptr d;

	if (skb->len)
		bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	bpf_ringbuf_submit_dynptr(&d, 0);
	return 0;
}

static NOINLINE int submit(struct bpf_dynptr *d)
{
	bpf_ringbuf_submit_dynptr(d, 0);
	return 0;
}

SEC("tc") int ok_from_callee(void *ctx)
{
	struct bpf_dynptr d;

	bpf_ringbuf_reserve_dynptr(&ring, 32, 0, &d);
	submit(&d);
	return 0;
}
