// SPDX-License-Identifier: BSD-2-Clause
/* Subprograms static and global, deep calls, helpers on text and numbers. */
#include "common.h"

__u64 result[4];
char text[64];

static __noinline int square(int x)
{
	return x * x;
}

static __noinline int deep(int x)
{
	char buf[100];

	__builtin_memset(buf, x, sizeof(buf));
	bpf_probe_read_kernel(buf, 1, &x);
	return square(buf[50]) + 1;
}

__noinline int global_add(int a, int b)
{
	return a + b;
}

__noinline int global_read(const int *p)
{
	return p ? *p : -1;
}

__noinline __u64 global_ctx(struct __sk_buff *skb)
{
	return skb->len;
}

SEC("socket")
int calls(struct __sk_buff *skb)
{
	int v = 5;

	return deep(3) + global_add(square(2), skb->len) + global_read(&v) + global_ctx(skb);
}

SEC("socket")
int null_arg(struct __sk_buff *skb)
{
	return global_read(NULL);
}

SEC("syscall")
int strings(void *ctx)
{
	static const char fmt[] = "%d %s %x %llu %c%%";
	__u64 args[5] = {42, (__u64) "word", 255, 1ull << 40, 'z'};
	long n, v = 0;
	unsigned long u = 0;

	n = bpf_snprintf(text, sizeof(text), fmt, args, sizeof(args));
	result[0] = bpf_strtol("-123 rest", 10, 10, &v);
	result[1] = v;
	result[2] = bpf_strtoul("0x1f", 5, 0, &u);
	result[3] = u;
	return n;
}

SEC("syscall")
int compare(void *ctx)
{
	char a[8] = "abc";

	return bpf_strncmp(a, sizeof(a), "abc") * 4 + (bpf_strncmp(a, sizeof(a), "abd") < 0) * 2 +
	       (bpf_strncmp(a, 3, "aba") > 0);
}

SEC("syscall")
int numbers(void *ctx)
{
	long v = 7;
	unsigned long u = 7;
	int r = 0;

	r = bpf_strtol("zz", 3, 10, &v);
	r = r * 100 + bpf_strtol("99999999999999999999", 21, 10, &v);
	r = r * 100 + bpf_strtoul("-5", 3, 10, &u);
	r = r * 100 + bpf_strtol("077", 4, 0, &v);
	return r + v;
}

SEC("syscall")
int faults(void *ctx)
{
	char buf[8] = {1, 2, 3};
	long r = bpf_probe_read_kernel(buf, sizeof(buf), (void *)8);

	return r * 100 + buf[0] + bpf_probe_read_kernel(buf, 0, (void *)8);
}

SEC("xdp")
int checksum(struct xdp_md *ctx)
{
	__u32 from[2] = {0x11223344, 5}, to[2] = {0x99887766, 6};

	return bpf_csum_diff(from, sizeof(from), to, sizeof(to), 0);
}

SEC("syscall")
int bad_string(void *ctx)
{
	char buf[8], fmt[4] = "%d";

	return bpf_snprintf(buf, sizeof(buf), fmt, NULL, 0);
}

static __noinline int recurse(int n);
static __noinline int recurse2(int n)
{
	return n ? recurse(n - 1) : 0;
}
static __noinline int recurse(int n)
{
	return n ? recurse2(n - 1) + 1 : 0;
}

SEC("socket")
int bad_recursion(struct __sk_buff *skb)
{
	return recurse(skb->len);
}

static __noinline int big_frame(int x)
{
	volatile char buf[400];

	buf[x & 255] = 1;
	return buf[3];
}

SEC("socket")
int bad_stack(struct __sk_buff *skb)
{
	volatile char buf[300];

	buf[skb->len & 127] = 3;
	return big_frame(skb->len) + buf[5];
}

SEC("socket")
int bad_helper(struct __sk_buff *skb)
{
	return bpf_xdp_adjust_head((void *)skb, 1);
}
