/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wrappers made from calls.def, and the 64-bit and fortified forms of the same calls.
 */
#include "shim/shim.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

typedef int fd_pair[2];

#define RAW0(ret, name, nr)                                                                        \
	SKEP_EXPORT ret name(void)                                                                 \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, skep_raw(nr), 0));                            \
	}
#define RAW1(ret, name, nr, t1, a1)                                                                \
	SKEP_EXPORT ret name(t1 a1)                                                                \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, skep_raw(nr, a1), a1));                       \
	}
#define RAW2(ret, name, nr, t1, a1, t2, a2)                                                        \
	SKEP_EXPORT ret name(t1 a1, t2 a2)                                                         \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, skep_raw(nr, a1, a2), a1, a2));               \
	}
#define RAW3(ret, name, nr, t1, a1, t2, a2, t3, a3)                                                \
	SKEP_EXPORT ret name(t1 a1, t2 a2, t3 a3)                                                  \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, skep_raw(nr, a1, a2, a3), a1, a2, a3));       \
	}
#define RAW4(ret, name, nr, t1, a1, t2, a2, t3, a3, t4, a4)                                        \
	SKEP_EXPORT ret name(t1 a1, t2 a2, t3 a3, t4 a4)                                           \
	{                                                                                          \
		return (ret)shim_ret(                                                              \
			SHIM_TRACED(nr, skep_raw(nr, a1, a2, a3, a4), a1, a2, a3, a4));            \
	}
#define RAW5(ret, name, nr, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5)                                \
	SKEP_EXPORT ret name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5)                                    \
	{                                                                                          \
		return (ret)shim_ret(                                                              \
			SHIM_TRACED(nr, skep_raw(nr, a1, a2, a3, a4, a5), a1, a2, a3, a4, a5));    \
	}

#define LIBC0(ret, name, nr)                                                                       \
	SKEP_EXPORT ret name(void)                                                                 \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, shim_unret(REAL(name)()), 0));                \
	}
#define LIBC1(ret, name, nr, t1, a1)                                                               \
	SKEP_EXPORT ret name(t1 a1)                                                                \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, shim_unret(REAL(name)(a1)), a1));             \
	}
#define LIBC2(ret, name, nr, t1, a1, t2, a2)                                                       \
	SKEP_EXPORT ret name(t1 a1, t2 a2)                                                         \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, shim_unret(REAL(name)(a1, a2)), a1, a2));     \
	}
#define LIBC3(ret, name, nr, t1, a1, t2, a2, t3, a3)                                               \
	SKEP_EXPORT ret name(t1 a1, t2 a2, t3 a3)                                                  \
	{                                                                                          \
		return (ret)shim_ret(                                                              \
			SHIM_TRACED(nr, shim_unret(REAL(name)(a1, a2, a3)), a1, a2, a3));          \
	}
#define LIBC4(ret, name, nr, t1, a1, t2, a2, t3, a3, t4, a4)                                       \
	SKEP_EXPORT ret name(t1 a1, t2 a2, t3 a3, t4 a4)                                           \
	{                                                                                          \
		return (ret)shim_ret(                                                              \
			SHIM_TRACED(nr, shim_unret(REAL(name)(a1, a2, a3, a4)), a1, a2, a3, a4));  \
	}
#define LIBC5(ret, name, nr, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5)                               \
	SKEP_EXPORT ret name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5)                                    \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr, shim_unret(REAL(name)(a1, a2, a3, a4, a5)),   \
						 a1, a2, a3, a4, a5));                             \
	}
#define LIBC6(ret, name, nr, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5, t6, a6)                       \
	SKEP_EXPORT ret name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6)                             \
	{                                                                                          \
		return (ret)shim_ret(SHIM_TRACED(nr,                                               \
						 shim_unret(REAL(name)(a1, a2, a3, a4, a5, a6)),   \
						 a1, a2, a3, a4, a5, a6));                         \
	}

#include "shim/calls.def"

/* --- 64-bit forms --- */

SKEP_EXPORT ssize_t pread64(int fd, void *buf, size_t n, off64_t off)
{
	return pread(fd, buf, n, off);
}

SKEP_EXPORT ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t off)
{
	return pwrite(fd, buf, n, off);
}

SKEP_EXPORT ssize_t preadv64(int fd, const struct iovec *iov, int n, off64_t off)
{
	return preadv(fd, iov, n, off);
}

SKEP_EXPORT ssize_t pwritev64(int fd, const struct iovec *iov, int n, off64_t off)
{
	return pwritev(fd, iov, n, off);
}

SKEP_EXPORT int creat64(const char *path, mode_t mode)
{
	return creat(path, mode);
}

SKEP_EXPORT ssize_t sendfile64(int out, int in, off64_t *off, size_t n)
{
	return sendfile(out, in, off, n);
}

/* --- fortified forms --- */

SKEP_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t off, size_t room)
{
	if (n > room)
		__chk_fail();
	return pread(fd, buf, n, off);
}

SKEP_EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t off, size_t room)
{
	return __pread_chk(fd, buf, n, off, room);
}

SKEP_EXPORT ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags)
{
	if (n > room)
		__chk_fail();
	return recv(fd, buf, n, flags);
}

SKEP_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags,
				   struct sockaddr *addr, socklen_t *len)
{
	if (n > room)
		__chk_fail();
	return recvfrom(fd, buf, n, flags, addr, len);
}

/* --- calls that are not one system call each --- */

SKEP_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *req,
				struct timespec *rem)
{
	/* Its error is its value, not errno. */
	long r = SHIM_TRACED(__NR_clock_nanosleep, -REAL(clock_nanosleep)(clock, flags, req, rem),
			     clock, flags, req, rem);

	return (int)-r;
}

/* libc's would sleep by a call of its own that no hook sees. */
SKEP_EXPORT unsigned int sleep(unsigned int seconds)
{
	struct timespec ts = {.tv_sec = seconds};
	int saved = errno;

	if (nanosleep(&ts, &ts))
		return (unsigned int)ts.tv_sec + (ts.tv_nsec >= 500000000);
	errno = saved;
	return 0;
}

SKEP_EXPORT int usleep(useconds_t us)
{
	struct timespec ts = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	return nanosleep(&ts, NULL);
}

SKEP_EXPORT pid_t wait(int *status)
{
	return waitpid(-1, status, 0);
}

SKEP_EXPORT int ioctl(int fd, unsigned long req, ...)
{
	unsigned long arg;
	va_list ap;

	va_start(ap, req);
	arg = va_arg(ap, unsigned long);
	va_end(ap);
	if (shim_hidden(fd))
		return (int)shim_ret(-EBADF);
	return (int)shim_ret(
		SHIM_TRACED(__NR_ioctl, skep_raw(__NR_ioctl, fd, req, arg), fd, req, arg));
}

SKEP_EXPORT void _exit(int status)
{
	if (shim_hooked()) {
		const u64 args[6] = {(u64)status};

		skep_hook_sys_enter(__NR_exit_group, args);
	}
	for (;;)
		skep_raw(__NR_exit_group, status);
}
