/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * close, dup and their kin: real calls on real descriptors.
 *
 * Nothing here assumes that a number that was closed is an object's end: a vfork's child closes
 * its own table's entry and duplicates may be left. The kernel is asked afterwards
 * (skep_fd_reap). skep's own descriptors look closed, and survive "close everything" loops.
 */
#include "shim/shim.h"

#include <linux/close_range.h>

static long do_close(int fd)
{
	struct shim_end end;
	long r;

	if (shim_hidden(fd))
		return -EBADF;
	end = shim_closing(fd);
	r = shim_unret(REAL(close)(fd));
	shim_closed(fd);
	shim_ended(end);
	return r;
}

SKEP_EXPORT int close(int fd)
{
	return (int)shim_ret(SHIM_TRACED(__NR_close, do_close(fd), fd));
}

/* The file behind goes through libc's internal close; its end is looked for afterwards. */
SKEP_EXPORT int fclose(FILE *f)
{
	int fd = f ? fileno_unlocked(f) : -1;
	struct shim_end end = shim_closing(fd);
	int r = REAL(fclose)(f);
	int saved = errno;

	if (fd >= 0)
		shim_closed(fd);
	shim_ended(end);
	errno = saved;
	return r;
}

long shim_close_range(unsigned int first, unsigned int last, unsigned int flags)
{
	unsigned int from = first;
	long r = 0;
	int own;

	if (first > last)
		return -EINVAL;
	while (!r && from <= last) {
		own = from < SKEP_FD_BITS ? skep_fd_own_next(from) : -1;
		if (own < 0 || (unsigned int)own > last) {
			r = skep_raw(__NR_close_range, from, last, flags);
			break;
		}
		if ((unsigned int)own > from)
			r = skep_raw(__NR_close_range, from, own - 1, flags);
		from = (unsigned int)own + 1;
	}
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		skep_fd_reap();
	return r;
}

SKEP_EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	return (int)shim_ret(SHIM_TRACED(__NR_close_range,
					 shim_close_range(first, last, (unsigned int)flags), first,
					 last, flags));
}

SKEP_EXPORT void closefrom(int low)
{
	close_range(low < 0 ? 0 : (unsigned int)low, ~0u, 0);
}

static long do_dup(int old)
{
	long r;

	if (shim_hidden(old))
		return -EBADF;
	r = skep_raw(__NR_dup, old);
	shim_duplicated(old, (int)r);
	return r;
}

SKEP_EXPORT int dup(int old)
{
	return (int)shim_ret(SHIM_TRACED(__NR_dup, do_dup(old), old));
}

static long replace(long nr, int old, int fd, int flags)
{
	struct shim_end end;
	long r;

	if (shim_hidden(old))
		return -EBADF;
	if (shim_hidden(fd))
		skep_fd_make_way(fd);
	end = shim_closing(fd);
	r = skep_raw(nr, old, fd, flags);
	shim_ended(end);
	if (r >= 0) {
		if (old != fd)
			shim_closed(fd);
		shim_duplicated(old, fd);
	}
	return r;
}

long shim_dup2(int old, int fd)
{
	return replace(__NR_dup2, old, fd, 0);
}

long shim_dup3(int old, int fd, int flags)
{
	return replace(__NR_dup3, old, fd, flags);
}

SKEP_EXPORT int dup2(int old, int fd)
{
	return (int)shim_ret(SHIM_TRACED(__NR_dup2, shim_dup2(old, fd), old, fd));
}

SKEP_EXPORT int dup3(int old, int fd, int flags)
{
	return (int)shim_ret(SHIM_TRACED(__NR_dup3, shim_dup3(old, fd, flags), old, fd, flags));
}

static long do_fcntl(int fd, int cmd, unsigned long arg)
{
	long r;

	if (shim_hidden(fd))
		return -EBADF;
	r = shim_unret(REAL(fcntl)(fd, cmd, arg));
	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
		shim_duplicated(fd, (int)r);
	return r;
}

SKEP_EXPORT int fcntl(int fd, int cmd, ...)
{
	unsigned long arg;
	va_list ap;

	va_start(ap, cmd);
	arg = va_arg(ap, unsigned long);
	va_end(ap);
	return (int)shim_ret(SHIM_TRACED(__NR_fcntl, do_fcntl(fd, cmd, arg), fd, cmd, arg));
}

SKEP_EXPORT int fcntl64(int fd, int cmd, ...)
{
	unsigned long arg;
	va_list ap;

	va_start(ap, cmd);
	arg = va_arg(ap, unsigned long);
	va_end(ap);
	return (int)shim_ret(SHIM_TRACED(__NR_fcntl, do_fcntl(fd, cmd, arg), fd, cmd, arg));
}
