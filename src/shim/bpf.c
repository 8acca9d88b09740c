/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf(2) and perf_event_open(2) of the application: neither reaches the kernel with a program.
 */
#include "shim/shim.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/uaccess.h"
#include "shim/trace.h"
#include "sys/sys.h"

/*
 * Descriptors may have been closed by roads that we do not see. Commands on elements cannot tell
 * and are called most; all others look first.
 */
static bool notices_closes(int cmd)
{
	return cmd == BPF_MAP_CREATE || cmd >= BPF_PROG_LOAD;
}

long shim_bpf(int cmd, void *attr, unsigned int size)
{
	struct skep_caller c = {.ua = skep_uaccess_self, .capable = true};
	u8 before[SKEP_ATTR_SIZE] = {0};
	int saved_errno = errno;
	bool tracing, readable = false;
	long r;

	/* A signal handler that interrupted skep: its locks may be held below us. */
	if (shim_inside())
		return -EDEADLK;
	skep_init();
	if (notices_closes(cmd))
		skep_fd_reap();
	tracing = shim_tracing();
	if (tracing)
		readable =
			!skep_copy_from_user(&c, before, (u64)attr, SKEP_MIN(size, SKEP_ATTR_SIZE));
	r = skep_bpf(&c, cmd, (u64)attr, size);
	if (tracing)
		shim_trace(&c, cmd, (u64)attr, size, before, readable, r);
	errno = saved_errno;
	return r;
}

/*
 * Events that exist to carry programs (tracepoints, kprobes, uprobes and other PMUs that the host
 * numbers dynamically, BPF's output buffer) are absent, as on a kernel without them; counters
 * are the host's affair.
 */
long shim_perf_event_open(void *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	struct skep_caller c = {.ua = skep_uaccess_self};
	struct {
		u32 type, size;
		u64 config;
	} head;

	if (skep_copy_from_user(&c, &head, (u64)attr, sizeof(head)))
		return -EFAULT;
	if (head.type == PERF_TYPE_TRACEPOINT || head.type >= PERF_TYPE_MAX ||
	    (head.type == PERF_TYPE_SOFTWARE && head.config == PERF_COUNT_SW_BPF_OUTPUT))
		return -ENOENT;
	return skep_raw(__NR_perf_event_open, attr, pid, cpu, group, flags);
}
