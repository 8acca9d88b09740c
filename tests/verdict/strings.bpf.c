/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings that must be constant, and memory that dynptrs lie in. */
#include "common.h"

extern int bpf_stream_vprintk_impl(int stream_id, const char *fmt, const void *args, __u32 len,
				   void *aux) __ksym;
extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags, struct bpf_dynptr *ptr) __ksym;
extern int bpf_dynptr_adjust(const struct bpf_dynptr *ptr, __u32 start, __u32 end) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

static const char fmt[] = "one %d";
static const char open_ended[3] = {'o', 'n', 'e'};
long result;

SEC("tc") int ok_print(struct __sk_buff *skb)
{
	__u64 arg = 1;

	return bpf_stream_vprintk_impl(1, fmt, &arg, 8, NULL);
}

SEC("tc") int no_print_nothing(struct __sk_buff *skb)
{
	return bpf_stream_vprintk_impl(1, fmt, NULL, 0, NULL);
}

SEC("tc") int no_print_stack(struct __sk_buff *skb)
{
	char text[8] = "one";
	__u64 arg = 1;

	return bpf_stream_vprintk_impl(1, text, &arg, 8, NULL);
}

SEC("tc") int no_print_context(struct __sk_buff *skb)
{
	__u64 arg = 1;

	return bpf_stream_vprintk_impl(1, (void *)skb, &arg, 8, NULL);
}

SEC("tc") int no_print_variable(struct __sk_buff *skb)
{
	__u64 arg = 1;

	return bpf_stream_vprintk_impl(1, fmt + (skb->mark & 1), &arg, 8, NULL);
}

SEC("tc") int no_print_args_short(struct __sk_buff *skb)
{
	__u64 arg = 1;

	return bpf_stream_vprintk_impl(1, fmt, &arg, 16, NULL);
}

SEC("tc") int no_write_over_dynptr(struct __sk_buff *skb)
{
	struct {
		struct bpf_dynptr d;
		char rest[16];
	} s;

	bpf_dynptr_from_skb(skb, 0, &s.d);
	bpf_probe_read_kernel((char *)&s + (skb->mark & 15), 8, (void *)8);
	bpf_dynptr_read(&result, 8, &s.d, 0, 0);
	return 0;
}

static long adjusts(struct bpf_dynptr *d, void *ctx)
{
	bpf_dynptr_adjust(d, 0, 4);
	return 0;
}

SEC("tc") int ok_drain_adjusts(struct __sk_buff *skb)
{
	return bpf_user_ringbuf_drain(&ring, adjusts, NULL, 0);
}
