/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the shim share: how a wrapper fires hooks, libc's own functions, and the
 * parts of each call that all its forms (open64, __open_2, syscall(SYS_openat)) have in common.
 *
 * Conventions. A function shim_x() does x without hooks and answers -errno. A wrapper adds the
 * hooks and turns -errno into errno. Cancellation points end in libc's own function (REAL), so
 * that pthread_cancel works as before; everything else ends in a raw system call.
 */
#ifndef SKEP_SHIM_SHIM_H
#define SKEP_SHIM_SHIM_H

/* The inline bodies of a fortified libc would be what we define. */
#undef _FORTIFY_SOURCE
/* Both forms are defined here, under their own names. This header comes first everywhere. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/raw.h"
#include "base/types.h"
#include "hook/hook.h"
#include "kern/inode.h"
#include "kern/sock.h"
#include "obj/fd.h"
#include "base/fd_own.h"

/* --- results --- */

/* A raw result as libc functions return it. */
static inline long shim_ret(long r)
{
	if (unlikely((unsigned long)r > -4096ul)) {
		errno = (int)-r;
		return -1;
	}
	return r;
}

/* A libc result as the kernel returned it. */
static inline long shim_unret(long r)
{
	return r == -1 ? -errno : r;
}

/* --- hooks --- */

static inline bool shim_hooked(void)
{
	return unlikely(SKEP_READ(skep_hook_sys_active));
}

#define SHIM_U64(x) ((u64)(uintptr_t)(x))
#define SHIM_ARGS_(a, b, c, d, e, f, ...)                                                          \
	{                                                                                          \
		(u64)(a), (u64)(b), (u64)(c), (u64)(d), (u64)(e), (u64)(f)                         \
	}
#define SHIM_ARGS(...) SHIM_ARGS_(__VA_ARGS__, 0, 0, 0, 0, 0, 0)

/* Evaluate @expr (-errno style) as system call @nr with its arguments; its value. */
#define SHIM_TRACED(nr, expr, ...)                                                                 \
	({                                                                                         \
		long r_;                                                                           \
		if (shim_hooked()) {                                                               \
			const u64 a_[6] = SHIM_ARGS(__VA_ARGS__);                                  \
			skep_hook_sys_enter(nr, a_);                                               \
			r_ = (expr);                                                               \
			skep_hook_sys_exit(nr, a_, r_);                                            \
		} else {                                                                           \
			r_ = (expr);                                                               \
		}                                                                                  \
		r_;                                                                                \
	})

/* --- libc's own functions: shim/real.c --- */

#include "shim/real.h"

/* --- this thread may not be delayed by skep's locks: it is inside, interrupted by a handler --- */
static inline bool shim_inside(void)
{
	return skep_busy != 0;
}

/* --- descriptors: shim/close.c --- */

/* skep's own numbers look closed. */
static inline bool shim_hidden(int fd)
{
	return skep_fd_is_own(fd);
}
/* After the file at @fd went. */
static inline void shim_closed(int fd)
{
	if (skep_fd_maybe_ours(fd))
		skep_fd_reap();
}
/* After @fd became a duplicate of @old. */
static inline void shim_duplicated(int old, int fd)
{
	if (skep_fd_maybe_ours(old) && fd >= 0)
		skep_fd_set_hint(fd);
}

/* --- sockets and files that own local storage: shim/owners.c --- */

struct shim_end {
	u64 cookie; /* of a socket, or 0 */
	struct skep_inode_id inode;
};
struct shim_end shim_end_begin(int fd);
void shim_end_finish(struct shim_end e);
/* Around whatever takes the file at @fd away: what ends with it is noticed. */
static inline struct shim_end shim_closing(int fd)
{
	if (likely(!(SKEP_READ(skep_nr_socks) | SKEP_READ(skep_nr_inodes))) || shim_inside())
		return (struct shim_end){0};
	return shim_end_begin(fd);
}
static inline void shim_ended(struct shim_end e)
{
	if (unlikely(e.cookie || e.inode.ino))
		shim_end_finish(e);
}

long shim_close_range(unsigned int first, unsigned int last, unsigned int flags);
long shim_dup2(int old, int fd);
long shim_dup3(int old, int fd, int flags);

/* --- reading and writing ours: shim/io.c --- */

/* True: @fd is an object's and *ret is the answer. */
bool shim_read_ours(int fd, void *buf, size_t n, long *ret);
bool shim_write_ours(int fd, long *ret);

/* --- polling: shim/poll.c --- */

static inline void shim_before_wait(void)
{
	if (unlikely(skep_fd_have_pollable()) && !shim_inside())
		skep_fd_rearm_all();
}

/* --- mappings: shim/mmap.c --- */

long shim_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
long shim_munmap(void *addr, size_t len);
long shim_mprotect(void *addr, size_t len, int prot);
long shim_mremap(void *old, size_t old_len, size_t new_len, int flags, void *addr);
void shim_mmap_fork_child(void);
/* Set at exit, when hooks were in use: nothing is unmapped any more. */
extern bool shim_leaving;

/* --- files that libbpf and bpftool open: shim/files.c --- */

/*
 * What the application gets at @path: @path itself, another file's path, or NULL and an open
 * descriptor (or -errno) in *ret_fd with the presented contents.
 */
const char *shim_present(const char *path, int flags, int *ret_fd);
void shim_files_init(void);
/* readlink of /proc/self/fd/N for ours. */
bool shim_readlink_ours(const char *path, char *buf, size_t size, long *ret);

/* --- bpf(2): shim/bpf.c --- */

long shim_bpf(int cmd, void *attr, unsigned int size);
long shim_perf_event_open(void *attr, pid_t pid, int cpu, int group, unsigned long flags);

/* --- fork: shim/init.c --- */

void shim_fork_prepare(void);
void shim_fork_parent(void);
void shim_fork_child(void);

/* --- forms that no header declares for callers --- */

struct iovec;
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t off, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t off, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *addr,
		       socklen_t *len);
ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *buf, size_t n, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask,
		size_t room);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
void __chk_fail(void) __attribute__((noreturn));

#endif
