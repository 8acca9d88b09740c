/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/kallsyms of the host, line by line: address, kind, name, and for modules [module].
 */
#include "kern/kallsyms.h"

#include <fcntl.h>
#include <string.h>

#include "base/raw.h"
#include "kern/kernel_btf.h"

enum { BLOCK = 16384, LINE = 600 };

/* Is this line, without its newline, one of the kernel's own symbol @name? */
static bool is_line_of(const char *line, size_t len, const char *name)
{
	const char *p = memchr(line, ' ', len);
	size_t n = strlen(name), at = p ? (size_t)(p - line) + 3 : len;

	return at + n == len && !memcmp(line + at, name, n);
}

int skep_kernel_has_symbol(const char *name)
{
	char buf[BLOCK + LINE];
	size_t have = 0;
	bool any = false;
	int found = 0;
	long fd, n;

	if (skep_kernel_btf_source() != SKEP_BTF_HOST)
		return -1;
	fd = skep_raw(__NR_openat, AT_FDCWD, "/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (!found && (n = skep_raw(__NR_read, fd, buf + have, BLOCK)) > 0) {
		char *line = buf, *end;

		any = true;
		have += (size_t)n;
		while (!found && (end = memchr(line, '\n', have - (size_t)(line - buf)))) {
			found = is_line_of(line, (size_t)(end - line), name);
			line = end + 1;
		}
		have -= (size_t)(line - buf);
		if (have > LINE) /* no such line exists */
			have = 0;
		memmove(buf, line, have);
	}
	skep_raw(__NR_close, fd);
	return any ? found : -1;
}
