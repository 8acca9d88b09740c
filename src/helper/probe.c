/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers that read memory which may not be there.
 *
 * There is one address space, so the kernel and user forms read the same bytes. On a fault the
 * destination is zeroed and -EFAULT returned, as in the kernel.
 */
#include <errno.h>
#include <string.h>

#include "base/pool.h"
#include "base/uaccess.h"
#include "helper/helper.h"
#include "isa/uapi.h"

SKEP_BODY(probe_read)
{
	if (!r2)
		return 0;
	/* Views never fault: no need to ask the kernel. */
	if (skep_arena_has(r3) && skep_arena_has(r3 + r2 - 1)) {
		memcpy((void *)r1, (const void *)r3, r2);
		return 0;
	}
	if (skep_probe_read((void *)r1, r3, r2)) {
		memset((void *)r1, 0, r2);
		return (u64)-EFAULT;
	}
	return 0;
}

/*
 * The kernel form answers -ERANGE for addresses that cannot be the kernel's. Here any readable
 * address may be (map values and stacks are skep's memory), so only one that faults is told so.
 */
SKEP_BODY(probe_read_kernel)
{
	u64 ret = probe_read(r1, r2, r3, r4, r5);

	if (r3 < 4096) {
		memset((void *)r1, 0, r2);
		return (u64)-ERANGE;
	}
	return ret ? (u64)-ERANGE : 0;
}

SKEP_BODY(probe_read_kernel_str)
{
	long n = skep_probe_read_str((char *)r1, r3, r2);

	if (n < 0 && r2)
		memset((void *)r1, 0, r2);
	return n < 0 ? (u64)-ERANGE : (u64)n;
}

SKEP_BODY(probe_read_str)
{
	long n = skep_probe_read_str((char *)r1, r3, r2);

	if (n < 0 && r2)
		memset((void *)r1, 0, r2);
	return (u64)n;
}

SKEP_BODY(probe_write_user)
{
	return skep_probe_write(r1, (const void *)r2, r3) ? (u64)-EPERM : 0;
}

SKEP_BODY(copy_from_user)
{
	if (r2 && skep_probe_read((void *)r1, r3, r2)) {
		memset((void *)r1, 0, r2);
		return (u64)-EFAULT;
	}
	return 0;
}

const struct skep_body skep_probe_bodies[] = {
	{BPF_FUNC_probe_read, probe_read},
	{BPF_FUNC_probe_read_user, probe_read},
	{BPF_FUNC_probe_read_kernel, probe_read_kernel},
	{BPF_FUNC_probe_read_str, probe_read_str},
	{BPF_FUNC_probe_read_user_str, probe_read_str},
	{BPF_FUNC_probe_read_kernel_str, probe_read_kernel_str},
	{BPF_FUNC_probe_write_user, probe_write_user},
	{BPF_FUNC_copy_from_user, copy_from_user},
	{0, NULL},
};
