// SPDX-License-Identifier: BSD-2-Clause
/* Atomics, spin locks, bit operations, signed division. */
#include "common.h"

struct locked {
	struct bpf_spin_lock lock;
	__u32 pad;
	__u64 value;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct locked);
} locks SEC(".maps");

__u64 words[8];
__s64 in[4] = {-17, 5, 0, -1};
__u32 small[4];

SEC("syscall")
int atomics(void *ctx)
{
	words[0] = __sync_fetch_and_add(&words[7], 5);
	words[1] = __sync_fetch_and_or(&words[7], 0xf0);
	words[2] = __sync_fetch_and_and(&words[7], 0x3f);
	words[3] = __sync_fetch_and_xor(&words[7], 0xff);
	words[4] = __sync_val_compare_and_swap(&words[7], words[7], 99);
	words[5] = __sync_val_compare_and_swap(&words[7], 5, 1);
	words[6] = __sync_lock_test_and_set(&words[7], 1234);
	small[0] = __sync_fetch_and_add(&small[3], 0xffffffff);
	small[1] = __sync_fetch_and_add(&small[3], 2);
	small[2] = __sync_val_compare_and_swap(&small[3], 1, 7);
	return words[7] + small[3];
}

SEC("syscall")
int division(void *ctx)
{
	__u64 zero = in[2];

	words[0] = (__u64)in[0] / (__u64)in[1];
	words[1] = (__u64)in[0] % (__u64)in[1];
	words[2] = 100 / zero;
	words[3] = 100 % zero;
	words[4] = (__u32)in[0] / (__u32)in[1];
	return (__u32)in[0] % 7;
}

SEC("tc")
int locked_add(struct __sk_buff *skb)
{
	__u32 k = 1;
	struct locked *v = bpf_map_lookup_elem(&locks, &k);

	if (!v)
		return -1;
	bpf_spin_lock(&v->lock);
	v->value += skb->len;
	bpf_spin_unlock(&v->lock);
	return v->value;
}

SEC("tc")
int bad_unlock(struct __sk_buff *skb)
{
	__u32 k = 1;
	struct locked *v = bpf_map_lookup_elem(&locks, &k);

	if (!v)
		return -1;
	bpf_spin_lock(&v->lock);
	return 0;
}

SEC("tc")
int bad_call_under_lock(struct __sk_buff *skb)
{
	__u32 k = 1;
	struct locked *v = bpf_map_lookup_elem(&locks, &k);

	if (!v)
		return -1;
	bpf_spin_lock(&v->lock);
	v->value = bpf_ktime_get_ns();
	bpf_spin_unlock(&v->lock);
	return 0;
}

SEC("tc")
int bad_touch_lock(struct __sk_buff *skb)
{
	__u32 k = 1;
	struct locked *v = bpf_map_lookup_elem(&locks, &k);

	if (!v)
		return -1;
	*(volatile __u32 *)&v->lock = 0;
	return 0;
}
