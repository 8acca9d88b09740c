/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages to stderr without stdio.
 */
#include "base/log.h"

#include <errno.h>
#include <stdio.h>

#include "base/raw.h"

void skep_warn(const char *fmt, ...)
{
	static const char prefix[] = "skep: ";
	char line[512];
	u32 n = sizeof(prefix) - 1;
	int saved = errno;
	va_list ap;
	int len;

	__builtin_memcpy(line, prefix, n);
	va_start(ap, fmt);
	len = vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	if (len > 0)
		n += SKEP_MIN((u32)len, (u32)(sizeof(line) - n - 2));
	line[n++] = '\n';
	skep_raw(__NR_write, 2, line, n);
	errno = saved;
}
