/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading /proc by raw calls into buffers on the stack.
 */
#include "kern/proc.h"

#include <fcntl.h>
#include <string.h>

#include "base/raw.h"

long skep_proc_read(const char *path, char *buf, u32 size)
{
	long fd = skep_raw(__NR_open, path, O_RDONLY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return fd;
	n = skep_raw(__NR_read, fd, buf, size - 1);
	skep_raw(__NR_close, fd);
	if (n >= 0)
		buf[n] = 0;
	return n;
}

int skep_proc_lines(const char *path, void (*fn)(const char *line, const char *end))
{
	long fd = skep_raw(__NR_open, path, O_RDONLY | O_CLOEXEC), n;
	char buf[4096], *start, *nl;
	u32 have = 0;
	bool skip = false;

	if (fd < 0)
		return (int)fd;
	while ((n = skep_raw(__NR_read, fd, buf + have, sizeof(buf) - have)) > 0) {
		have += (u32)n;
		for (start = buf; (nl = memchr(start, '\n', have)); start = nl + 1) {
			if (!skip)
				fn(start, nl);
			skip = false;
			have -= (u32)(nl + 1 - start);
		}
		skip |= have == sizeof(buf);
		if (skip)
			have = 0;
		memmove(buf, start, have);
	}
	skep_raw(__NR_close, fd);
	return (int)n;
}

u32 skep_proc_number(char to[12], u32 n)
{
	char digits[12];
	u32 k = 0, len = 0;

	do {
		digits[k++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (k)
		to[len++] = digits[--k];
	to[len] = 0;
	return len;
}

void skep_proc_task_path(char to[48], s32 tid, const char *file)
{
	memcpy(to, "/proc/self/task/", 16);
	strcpy(to + 16 + skep_proc_number(to + 16, (u32)tid), file);
}
