/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One pipe for the process, made at first use; whole lines are written at once.
 *
 * Every open of trace_pipe is a new open file description of the same pipe (through
 * /proc/self/fd), so that flags are the opener's own and readers share the lines as they do in
 * the kernel.
 */
#include "kern/trace_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/fd_own.h"
#include "base/lock.h"
#include "base/raw.h"
#include "base/vcpu.h"
#include "kern/task.h"

static struct skep_lock lock;
static int ends[2] = {-1, -1};

static int ensure_pipe(void)
{
	int fds[2], err = 0;

	skep_lock(&lock);
	if (ends[0] < 0) {
		err = (int)skep_raw(__NR_pipe2, fds, O_CLOEXEC | O_NONBLOCK);
		if (!err) {
			ends[1] = fds[1];
			ends[0] = fds[0];
			/* Not remembered: they work until somebody closes everything. */
			skep_fd_own_keep(&ends[1]);
			skep_fd_own_keep(&ends[0]);
		}
	}
	skep_unlock(&lock);
	return err;
}

/* Decimal @v, right-aligned in @width with @pad; the number of characters. */
static u32 put_number(char *to, u64 v, u32 width, char pad)
{
	char digits[20];
	u32 n = 0, at = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (at + n < width)
		to[at++] = pad;
	while (n)
		to[at++] = digits[--n];
	return at;
}

static u32 put_text(char *to, const char *s, u32 n)
{
	memcpy(to, s, n);
	return n;
}

void skep_trace_write(const char *msg, u32 n)
{
	struct skep_task *t = skep_task_current();
	char line[1200], comm[16] = "";
	struct timespec ts;
	u32 at = 0, len;

	if (ensure_pipe())
		return;
	skep_raw(__NR_prctl, 16 /* PR_GET_NAME */, comm);
	len = (u32)strnlen(comm, sizeof(comm));
	while (at + len < 16)
		line[at++] = ' ';
	at += put_text(line + at, comm, len);
	line[at++] = '-';
	len = put_number(line + at, t ? (u64)t->pid : 0, 0, ' ');
	at += len;
	while (len++ < 7)
		line[at++] = ' ';
	line[at++] = ' ';
	line[at++] = '[';
	at += put_number(line + at, skep_vcpu_id(), 3, '0');
	at += put_text(line + at, "] ...21 ", 8);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	at += put_number(line + at, (u64)ts.tv_sec, 5, ' ');
	line[at++] = '.';
	at += put_number(line + at, (u64)ts.tv_nsec / 1000, 6, '0');
	at += put_text(line + at, ": bpf_trace_printk: ", 20);
	len = SKEP_MIN(n, (u32)sizeof(line) - at - 1);
	at += put_text(line + at, msg, len);
	if (line[at - 1] != '\n')
		line[at++] = '\n';
	skep_raw(__NR_write, ends[1], line, at);
}

int skep_trace_open(int flags)
{
	char path[32] = "/proc/self/fd/";
	int err = ensure_pipe();

	if (err)
		return err;
	path[14 + put_number(path + 14, (u64)ends[0], 0, ' ')] = 0;
	return (int)skep_raw(__NR_openat, AT_FDCWD, path,
			     O_RDONLY | (flags & (O_NONBLOCK | O_CLOEXEC)));
}
