/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on time, chance and the processor.
 */
#include <time.h>

#include "base/raw.h"
#include "base/vcpu.h"
#include "helper/helper.h"
#include "isa/uapi.h"

static u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts); /* vDSO: no system call */
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

SKEP_BODY(ktime_get_ns)
{
	return clock_ns(CLOCK_MONOTONIC);
}

SKEP_BODY(ktime_get_boot_ns)
{
	return clock_ns(CLOCK_BOOTTIME);
}

SKEP_BODY(ktime_get_coarse_ns)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
}

SKEP_BODY(ktime_get_tai_ns)
{
	return clock_ns(CLOCK_TAI);
}

/* Jiffies of a kernel with HZ = 1000, which start at -300 s as a 32-bit number. */
SKEP_BODY(jiffies64)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE) / 1000000 + (u32)(-300 * 1000);
}

SKEP_BODY(get_smp_processor_id)
{
	return skep_vcpu_id();
}

SKEP_BODY(get_numa_node_id)
{
	return 0; /* virtual CPUs are all on one node */
}

/* xorshift64* per thread, seeded from the kernel at first use. */
SKEP_BODY(get_prandom_u32)
{
	static SKEP_TLS u64 state;

	if (unlikely(!state)) {
		skep_raw(__NR_getrandom, &state, sizeof(state), 1 /* GRND_NONBLOCK */);
		state |= 1;
	}
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (u32)((state * 0x2545f4914f6cdd1dull) >> 32);
}

const struct skep_body skep_time_bodies[] = {
	{BPF_FUNC_ktime_get_ns, ktime_get_ns},
	{BPF_FUNC_ktime_get_boot_ns, ktime_get_boot_ns},
	{BPF_FUNC_ktime_get_coarse_ns, ktime_get_coarse_ns},
	{BPF_FUNC_ktime_get_tai_ns, ktime_get_tai_ns},
	{BPF_FUNC_jiffies64, jiffies64},
	{BPF_FUNC_get_smp_processor_id, get_smp_processor_id},
	{BPF_FUNC_get_numa_node_id, get_numa_node_id},
	{BPF_FUNC_get_prandom_u32, get_prandom_u32},
	{0, NULL},
};
