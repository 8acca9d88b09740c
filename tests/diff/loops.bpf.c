// SPDX-License-Identifier: BSD-2-Clause
/* bpf_loop, for_each_map_elem, bounded loops, iterators. */
#include "common.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 5);
	__type(key, __u32);
	__type(value, __u64);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 50);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

__u64 sum;

struct bpf_map;
struct bpf_iter_num;
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __weak __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __weak __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __weak __ksym;

struct bpf_iter_num {
	__u64 opaque[1];
} __attribute__((aligned(8)));

static long empty(__u32 i, void *ctx)
{
	return 0;
}

static long add(__u32 i, __u64 *ctx)
{
	*ctx += i;
	return 0;
}

static long stop_at_7(__u32 i, __u64 *ctx)
{
	*ctx = i;
	return i == 7;
}

static long nested(__u32 i, __u64 *ctx)
{
	__u64 inner = 0;

	bpf_loop(i, add, &inner, 0);
	*ctx += inner;
	return 0;
}

SEC("syscall")
int loop_empty(void *ctx)
{
	return bpf_loop(1000, empty, NULL, 0);
}

SEC("syscall")
int loop_add(void *ctx)
{
	__u64 s = 0;
	long n = bpf_loop(100, add, &s, 0);

	return s * 1000 + n;
}

SEC("syscall")
int loop_stop(void *ctx)
{
	__u64 s = 0;
	long n = bpf_loop(100, stop_at_7, &s, 0);

	return s * 1000 + n;
}

SEC("syscall")
int loop_nested(void *ctx)
{
	__u64 s = 0;

	bpf_loop(20, nested, &s, 0);
	return s;
}

__u8 text[512];

/* Many paths through a bounded loop, inside a round: what a round hands on is a number nobody uses. */
static long classify(__u32 i, __u64 *ctx)
{
	__u32 letters = 0, others = 0;

	for (__u32 k = 0; k < sizeof(text); k++) {
		if (text[k] >= 'a' && text[k] <= 'z')
			letters++;
		else if (text[k] != ' ')
			others++;
	}
	sum += letters + others;
	return 0;
}

SEC("syscall")
int loop_branches(void *ctx)
{
	return bpf_loop(3, classify, NULL, 0) + sum;
}

SEC("syscall")
int loop_too_many(void *ctx)
{
	return bpf_loop((1 << 23) + 1, empty, NULL, 0);
}

SEC("syscall")
int loop_flags(__u64 *ctx)
{
	return bpf_loop(3, empty, NULL, 1);
}

SEC("syscall")
int loop_variable(__u32 *ctx)
{
	__u64 s = 0;
	__u32 n = *ctx & 0xff;

	bpf_loop(n, add, &s, 0);
	return s + n;
}

SEC("syscall")
int loop_zero(void *ctx)
{
	__u64 s = 5;

	return bpf_loop(0, add, &s, 0) + s;
}

static long each(struct bpf_map *map, __u32 *key, __u64 *value, __u64 *ctx)
{
	*ctx += *key * 10 + *value;
	*value += 1;
	return *key == 3;
}

static long each_all(struct bpf_map *map, __u32 *key, __u64 *value, __u64 *ctx)
{
	*ctx += *key * 10 + *value;
	return 0;
}

SEC("syscall")
int for_each_array(void *ctx)
{
	__u64 s = 0;
	long n = bpf_for_each_map_elem(&array, each, &s, 0);

	return s * 100 + n;
}

SEC("syscall")
int for_each_hash(void *ctx)
{
	__u64 s = 0, v = 1;
	long n;

#pragma unroll
	for (__u32 i = 0; i < 10; i++) {
		__u32 k = i;

		bpf_map_update_elem(&hash, &k, &v, 0);
	}
	n = bpf_for_each_map_elem(&hash, each_all, &s, 0);
	return s * 100 + n;
}

SEC("syscall")
int bounded(__u32 *ctx)
{
	__u32 n = *ctx & 63, s = 0;

	for (__u32 i = 0; i < n; i++)
		s += i * i;
	return s;
}

SEC("syscall")
int iterate(void *ctx)
{
	struct bpf_iter_num it;
	int *v, s = 0;

	bpf_iter_num_new(&it, -3, 10);
	while ((v = bpf_iter_num_next(&it)))
		s += *v;
	bpf_iter_num_destroy(&it);
	bpf_iter_num_new(&it, 5, 2);
	s += bpf_iter_num_next(&it) ? 1000 : 0;
	bpf_iter_num_destroy(&it);
	return s;
}

SEC("syscall")
int bad_iter_leak(void *ctx)
{
	struct bpf_iter_num it;

	bpf_iter_num_new(&it, 0, 10);
	return 0;
}

SEC("syscall")
int bad_infinite(void *ctx)
{
	asm volatile("r1 = 0;"
		     "1: goto 1b;" ::
			     : "r1");
	return 0;
}

static long bad_return(__u32 i, void *ctx)
{
	return 2;
}

SEC("syscall")
int bad_callback_return(void *ctx)
{
	return bpf_loop(3, bad_return, NULL, 0);
}

static long bad_write(__u32 i, __u64 *ctx)
{
	ctx[1] = 1;
	return 0;
}

SEC("syscall")
int bad_callback_access(void *ctx)
{
	__u64 one = 0;

	return bpf_loop(3, bad_write, &one, 0) + one;
}

static long index_array(__u32 i, __u32 *ctx)
{
	*ctx += 1;
	return 0;
}

SEC("syscall")
int bad_unbounded_index(void *ctx)
{
	__u32 i = 0;
	char buf[8] = {0};

	bpf_loop(100, index_array, &i, 0);
	return buf[i];
}
