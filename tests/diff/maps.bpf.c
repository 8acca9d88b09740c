// SPDX-License-Identifier: BSD-2-Clause
/* Arrays, hashes, per-CPU arrays, global data. */
#include "common.h"

struct value {
	__u64 a, b;
	__u32 c;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, struct value);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, struct value);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} small SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} percpu SEC(".maps");

__u64 counter;
__u32 numbers[10] = {1, 2, 3};
const volatile __u32 limit = 5;
static volatile __u64 hidden = 3;

SEC("syscall")
int array_ops(void *ctx)
{
	struct value v = {1, 2, 3}, *p;
	__u32 k = 3, far = 8;
	int r = 0;

	r += bpf_map_update_elem(&array, &k, &v, BPF_ANY);
	r += bpf_map_update_elem(&array, &k, &v, BPF_NOEXIST) * 10;
	r += bpf_map_update_elem(&array, &far, &v, BPF_ANY) * 1000;
	r += bpf_map_update_elem(&array, &k, &v, 77) * 100000;
	r += bpf_map_delete_elem(&array, &k) * 3;
	p = bpf_map_lookup_elem(&array, &k);
	if (p)
		p->a += 100;
	return r + !!bpf_map_lookup_elem(&array, &far);
}

SEC("syscall")
int hash_ops(void *ctx)
{
	struct value k = {1, 2, 3};
	__u64 v = 9, *p;
	int r = 0;

	for (int i = 0; i < 20; i++) {
		k.a = i;
		if (bpf_map_update_elem(&hash, &k, &v, BPF_ANY) == -7)
			r++;
	}
	k.a = 4;
	r += bpf_map_update_elem(&hash, &k, &v, BPF_NOEXIST) * 100;
	v = 10;
	r += bpf_map_update_elem(&hash, &k, &v, BPF_EXIST) * 1000;
	k.a = 5;
	r += bpf_map_delete_elem(&hash, &k) * 10000;
	r += bpf_map_delete_elem(&hash, &k) * 100000;
	r += bpf_map_update_elem(&hash, &k, &v, BPF_EXIST) * 1000000;
	k.a = 6;
	p = bpf_map_lookup_elem(&hash, &k);
	if (p)
		__sync_fetch_and_add(p, 5);
	return r;
}

/* A loop whose state never settles: the key lives on the stack. */
SEC("syscall")
int bad_fill(void *ctx)
{
	__u64 v = 1;
	int full = 0;

	for (__u32 k = 0; k < 8; k++) {
		v = k;
		if (bpf_map_update_elem(&small, &k, &v, BPF_ANY))
			full++;
	}
	return full;
}

SEC("syscall")
int fill_small(void *ctx)
{
	__u64 v = 1;
	int full = 0;

#pragma unroll
	for (__u32 i = 0; i < 8; i++) {
		__u32 k = i;

		v = k;
		if (bpf_map_update_elem(&small, &k, &v, BPF_ANY))
			full++;
	}
#pragma unroll
	for (__u32 i = 0; i < 8; i++) {
		__u32 k = i;

		v += bpf_map_delete_elem(&small, &k) ? 1 : 0;
	}
	return full * 100 + v;
}

SEC("syscall")
int percpu_ops(void *ctx)
{
	__u32 k = 2;
	__u64 *p = bpf_map_lookup_elem(&percpu, &k), v = 40;

	if (!p)
		return -1;
	*p += 3;
	k = 1;
	return bpf_map_update_elem(&percpu, &k, &v, 0);
}

SEC("syscall")
int globals(void *ctx)
{
	for (__u32 i = 0; i < limit && i < 10; i++)
		counter += numbers[i] + hidden;
	numbers[9] = limit;
	return counter;
}

SEC("syscall")
int bad_no_null_check(void *ctx)
{
	__u32 k = 3;
	struct value *p = bpf_map_lookup_elem(&hash, &k);

	return 0;
}

SEC("syscall")
int bad_null(void *ctx)
{
	__u32 k = 3;
	__u64 *p = bpf_map_lookup_elem(&small, &k);

	return *p;
}

SEC("syscall")
int bad_constant_key(void *ctx)
{
	__u32 k = 3;
	struct value *p = bpf_map_lookup_elem(&array, &k);

	return p->c;
}

SEC("syscall")
int bad_index(struct value *ctx)
{
	return numbers[ctx->c];
}

SEC("syscall")
int checked_index(struct value *ctx)
{
	__u32 i = ctx->c;

	return i < 10 ? numbers[i] : -1;
}
