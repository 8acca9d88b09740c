/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that decode what an infrared receiver saw. */
#include "common.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} state SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

SEC("lirc_mode2") int ok_sample(unsigned int *sample)
{
	return *sample & 0xffffff;
}

SEC("lirc_mode2") MSG("invalid bpf_context access off=0 size=2") int no_half_sample(unsigned int *sample)
{
	return *(volatile unsigned short *)sample;
}

SEC("lirc_mode2") MSG("invalid bpf_context access off=4 size=4") int no_second_sample(unsigned int *sample)
{
	return sample[1];
}

SEC("lirc_mode2") MSG("invalid bpf_context access off=0 size=4") int no_write(unsigned int *sample)
{
	*sample = 0;
	return 0;
}

SEC("lirc_mode2") int ok_keydown(unsigned int *sample)
{
	__u32 zero = 0;
	__u64 *last = bpf_map_lookup_elem(&state, &zero);

	if (last)
		*last = bpf_ktime_get_ns();
	bpf_rc_keydown(sample, 0x40, *sample, 0);
	bpf_rc_repeat(sample);
	bpf_rc_pointer_rel(sample, 1, -1);
	return -1;
}

SEC("lirc_mode2") MSG("R1 type=fp expected=ctx") int no_keydown_elsewhere(unsigned int *sample)
{
	unsigned int copy = *sample;

	bpf_rc_keydown(&copy, 0x40, 1, 0);
	return 0;
}

SEC("lirc_mode2") MSG("program of this type cannot use helper bpf_ringbuf_output#130")
int no_ring(unsigned int *sample)
{
	unsigned int copy = *sample;

	return bpf_ringbuf_output(&ring, &copy, sizeof(copy), 0);
}

SEC("lirc_mode2") MSG("program of this type cannot use helper bpf_get_smp_processor_id#8")
int no_processor(unsigned int *sample)
{
	return bpf_get_smp_processor_id();
}

SEC("lirc_mode2") int ok_any_result(unsigned int *sample)
{
	return bpf_get_prandom_u32();
}

SEC("xdp") int no_keydown_of_packets(struct xdp_md *xdp)
{
	bpf_rc_keydown(xdp, 0x40, 1, 0);
	return 0;
}

char _license[] SEC("license") = "GPL";
