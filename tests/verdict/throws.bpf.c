/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that throw: from where, and holding what. */
#include "common.h"

extern void bpf_throw(__u64 cookie) __ksym;

char bytes[64];

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct value {
	long a;
	struct bpf_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct value);
} locks SEC(".maps");

#define HIDE(x) asm volatile("" : "+r"(x))
#define TC(name, ...)                                                                              \
	SEC("tc") int name(struct __sk_buff *skb)                                                  \
	{                                                                                          \
		__u32 key = skb->len;                                                              \
                                                                                                   \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
static NOINLINE int throws(long x)
{
	HIDE(x);
	if (x > 5)
		bpf_throw(x);
	return x;
}

__weak NOINLINE int throws_globally(long x)
{
	if (x > 5)
		bpf_throw(x);
	return x & 1;
}

static long throws_back(__u32 i, void *c)
{
	bpf_throw(i);
	return 0;
}

static long calls_thrower_back(__u32 i, void *c)
{
	return throws_globally(i) & 1;
}

TC(ok_throw, bpf_throw(key))
TC(ok_throw_sometimes, if (key > 5) bpf_throw(1))
TC(ok_throw_narrows, if (key > 63) bpf_throw(1); bytes[key] = 1)
TC(no_throw_narrows, if (key > 64) bpf_throw(1); bytes[key] = 1)
TC(ok_throw_static, throws(key))
TC(ok_throw_static_narrows, int n = throws(key); if (n >= 0) bytes[n] = 1)
TC(ok_throw_global, throws_globally(key))
TC(no_throw_global_narrows, bytes[throws_globally(key)] = 1)
TC(no_throw_reference, void *r = bpf_ringbuf_reserve(&ring, 8, 0); if (!r) return 0; if (key > 5) bpf_throw(1); bpf_ringbuf_discard(r, 0))
TC(ok_throw_after_reference, void *r = bpf_ringbuf_reserve(&ring, 8, 0); if (!r) return 0; bpf_ringbuf_discard(r, 0); if (key > 5) bpf_throw(1))
TC(no_throw_reference_static, void *r = bpf_ringbuf_reserve(&ring, 8, 0); if (!r) return 0; throws(key); bpf_ringbuf_discard(r, 0))
TC(ok_throw_reference_global, void *r = bpf_ringbuf_reserve(&ring, 8, 0); if (!r) return 0; throws_globally(key); bpf_ringbuf_discard(r, 0))
TC(no_throw_locked, struct value *v = bpf_map_lookup_elem(&locks, &key); if (!v) return 0; bpf_spin_lock(&v->lock); if (v->a) bpf_throw(1); bpf_spin_unlock(&v->lock))
TC(no_throw_back, bpf_loop(5, throws_back, 0, 0))
TC(no_throw_back_globally, bpf_loop(5, calls_thrower_back, 0, 0))

SEC("cgroup/dev") int no_throw_range(void *ctx)
{
	bpf_throw(2);
	return 0;
}

SEC("cgroup/dev") int ok_throw_range(void *ctx)
{
	bpf_throw(1);
	return 0;
}
