/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscall(2): the forms by number of everything that has a wrapper of its own.
 *
 * bpf(2) has no libc wrapper, so this is where it comes in. Other numbers go to the kernel as
 * they are, with hooks.
 */
#include "shim/shim.h"

#include <sched.h>

static long do_clone(long nr, const u64 a[6])
{
	long r;

	/* Without shared memory it is a fork, of which libc's handlers hear nothing. */
	if (nr == __NR_clone && ((a[0] & CLONE_VM) || a[1]))
		return skep_raw6(nr, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], 0);
	shim_fork_prepare();
	r = skep_raw6(nr, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], 0);
	if (r)
		shim_fork_parent();
	else
		shim_fork_child();
	return r;
}

static long open_presented(long nr, const u64 a[6], u32 path_arg, int flags)
{
	u64 b[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};
	int fd = -1;
	const char *path = shim_present((const char *)a[path_arg], flags, &fd);

	if (!path)
		return fd;
	b[path_arg] = SHIM_U64(path);
	return skep_raw6(nr, (long)b[0], (long)b[1], (long)b[2], (long)b[3], (long)b[4],
			 (long)b[5]);
}

static long dispatch(long nr, const u64 a[6])
{
	int fd = (int)a[0];
	long r;

	switch (nr) {
	case __NR_bpf:
		return shim_bpf((int)a[0], (void *)a[1], (unsigned int)a[2]);
	case __NR_perf_event_open:
		return shim_perf_event_open((void *)a[0], (pid_t)a[1], (int)a[2], (int)a[3], a[4]);
	case __NR_close:
		if (shim_hidden(fd))
			return -EBADF;
		r = skep_raw(nr, fd);
		shim_closed(fd);
		return r;
	case __NR_close_range:
		return shim_close_range((unsigned int)a[0], (unsigned int)a[1], (unsigned int)a[2]);
	case __NR_dup2:
		return shim_dup2(fd, (int)a[1]);
	case __NR_dup3:
		return shim_dup3(fd, (int)a[1], (int)a[2]);
	case __NR_dup:
	case __NR_fcntl:
		if (shim_hidden(fd))
			return -EBADF;
		r = skep_raw(nr, fd, a[1], a[2]);
		if (nr == __NR_dup || a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
			shim_duplicated(fd, (int)r);
		return r;
	case __NR_mmap:
		return shim_mmap((void *)a[0], a[1], (int)a[2], (int)a[3], (int)a[4], (off_t)a[5]);
	case __NR_munmap:
		return shim_munmap((void *)a[0], a[1]);
	case __NR_mprotect:
		return shim_mprotect((void *)a[0], a[1], (int)a[2]);
	case __NR_mremap:
		return shim_mremap((void *)a[0], a[1], a[2], (int)a[3], (void *)a[4]);
	case __NR_read:
		if (shim_read_ours(fd, (void *)a[1], a[2], &r))
			return r;
		break;
	case __NR_write:
		if (shim_write_ours(fd, &r))
			return r;
		break;
	case __NR_poll:
	case __NR_ppoll:
	case __NR_select:
	case __NR_pselect6:
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_epoll_pwait2:
		shim_before_wait();
		break;
	case __NR_open:
		return open_presented(nr, a, 0, (int)a[1]);
	case __NR_openat:
		return open_presented(nr, a, 1, (int)a[2]);
	case __NR_readlink:
		if (shim_readlink_ours((const char *)a[0], (char *)a[1], a[2], &r))
			return r;
		break;
	case __NR_readlinkat:
		if (shim_readlink_ours((const char *)a[1], (char *)a[2], a[3], &r))
			return r;
		break;
	case __NR_clone:
	case __NR_fork:
		return do_clone(nr, a);
	default:
		break;
	}
	return skep_raw6(nr, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4],
			 (long)a[5]);
}

/* Takes six arguments whether or not six were given: a sanitizer would mind the rest. */
__attribute__((no_sanitize("address"))) SKEP_EXPORT long syscall(long nr, ...)
{
	u64 a[6];
	va_list ap;
	long r;

	va_start(ap, nr);
	for (u32 i = 0; i < 6; i++)
		a[i] = va_arg(ap, u64);
	va_end(ap);

	if (!shim_hooked())
		return shim_ret(dispatch(nr, a));
	skep_hook_sys_enter(nr, a);
	r = dispatch(nr, a);
	skep_hook_sys_exit(nr, a, r);
	return shim_ret(r);
}
