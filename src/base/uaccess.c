/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies to and from memory that may not be there, done by the kernel.
 *
 * process_vm_readv/writev on our own pid copies or answers EFAULT; no signal is involved. Where a
 * sandbox forbids these calls, bytes travel through a pipe instead: write(2) reads user memory
 * under the kernel's protection and read(2) writes it. The pipe is private and non-blocking, one
 * copy at a time (a lock), in pieces that fit its buffer. The caller's own stack needs neither.
 */
#include "base/uaccess.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>

#include "base/fd_own.h"
#include "base/lock.h"
#include "base/raw.h"

#define PIECE 4096

static struct skep_lock pipe_lock;
static int pipe_fds[2] = {-1, -1};
static bool vm_refused; /* process_vm_* answered EPERM or ENOSYS once */

static long own_pid(void)
{
	return skep_raw(__NR_getpid);
}

static int pipe_ready(void)
{
	int fds[2];

	if (pipe_fds[0] >= 0)
		return 0;
	if (skep_raw(__NR_pipe2, fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -EFAULT;
	memcpy(pipe_fds, fds, sizeof(fds));
	skep_fd_own_keep(&pipe_fds[1]);
	skep_fd_own_keep(&pipe_fds[0]);
	return 0;
}

/* @in is touched by write(2), @out by read(2); either may be bad. */
static int copy_by_pipe(u64 out, u64 in, size_t n)
{
	int err = 0;

	skep_lock(&pipe_lock);
	err = pipe_ready();
	while (!err && n) {
		size_t piece = SKEP_MIN(n, (size_t)PIECE);
		long w = skep_raw(__NR_write, pipe_fds[1], in, piece), r = 0;

		if (w > 0)
			r = skep_raw(__NR_read, pipe_fds[0], out, w);
		if (w <= 0 || r != w) {
			char sink[PIECE];

			while (skep_raw(__NR_read, pipe_fds[0], sink, sizeof(sink)) > 0)
				;
			err = -EFAULT;
			break;
		}
		in += (u64)w;
		out += (u64)w;
		n -= (size_t)w;
	}
	skep_unlock(&pipe_lock);
	return err;
}

static int vm_copy(long nr, void *mine, u64 theirs, size_t n)
{
	struct iovec local = {mine, n}, remote = {(void *)theirs, n};
	long done;

	if (!n)
		return 0;
	if (theirs + n < theirs)
		return -EFAULT;
	if (likely(!SKEP_READ(vm_refused))) {
		done = skep_raw(nr, own_pid(), &local, 1, &remote, 1, 0);
		if (likely(done == (long)n))
			return 0;
		if (done != -EPERM && done != -ENOSYS)
			return -EFAULT;
		SKEP_WRITE(vm_refused, true);
	}
	return nr == __NR_process_vm_readv ? copy_by_pipe((u64)mine, theirs, n)
					   : copy_by_pipe(theirs, (u64)mine, n);
}

/*
 * Most attrs, keys and values are locals of the caller. What lies on this thread's own stack at or
 * above the stack pointer is mapped and writable as long as the thread runs at all, so it is
 * copied directly. Not on a stack that somebody switched to (a signal's, a coroutine's): then the
 * stack pointer is outside the bounds. The bounds are asked for once a thread, when it proves to
 * make many calls, since the main thread's cost a read of /proc/self/maps.
 */
#define CALLS_BEFORE_BOUNDS 64

static SKEP_TLS u64 stack_lo, stack_hi;
static SKEP_TLS u32 stack_calls;

static void find_stack(void)
{
	pthread_attr_t attr;
	void *lo;
	size_t size;
	int saved = errno;

	if (!pthread_getattr_np(pthread_self(), &attr)) {
		if (!pthread_attr_getstack(&attr, &lo, &size)) {
			stack_lo = (u64)lo;
			stack_hi = stack_lo + size;
		}
		pthread_attr_destroy(&attr);
	}
	errno = saved;
}

static inline bool on_own_stack(u64 addr, size_t n)
{
	u64 sp = (u64)__builtin_frame_address(0);

	if (unlikely(!stack_hi)) {
		if (stack_calls++ == CALLS_BEFORE_BOUNDS)
			find_stack();
		return false;
	}
	return sp >= stack_lo && sp < stack_hi && addr >= sp && addr < stack_hi &&
	       n <= stack_hi - addr;
}

static int self_read(void *priv, void *dst, u64 src, size_t n)
{
	if (likely(on_own_stack(src, n))) {
		memcpy(dst, (const void *)src, n);
		return 0;
	}
	return vm_copy(__NR_process_vm_readv, dst, src, n);
}

static int self_write(void *priv, u64 dst, const void *src, size_t n)
{
	if (likely(on_own_stack(dst, n))) {
		memcpy((void *)dst, src, n);
		return 0;
	}
	return vm_copy(__NR_process_vm_writev, (void *)src, dst, n);
}

const struct skep_uaccess skep_uaccess_self = {self_read, self_write, NULL};

int skep_copy_from_user(const struct skep_caller *c, void *dst, u64 src, size_t n)
{
	if (c->kernel) {
		memcpy(dst, (const void *)src, n);
		return 0;
	}
	return n ? c->ua.read(c->ua.priv, dst, src, n) : 0;
}

int skep_copy_to_user(const struct skep_caller *c, u64 dst, const void *src, size_t n)
{
	if (c->kernel) {
		memcpy((void *)dst, src, n);
		return 0;
	}
	return n ? c->ua.write(c->ua.priv, dst, src, n) : 0;
}

long skep_strncpy_from_user(const struct skep_caller *c, char *dst, u64 src, size_t size)
{
	size_t done = 0;

	while (done < size) {
		/* Never cross into a page that may be missing before the NUL was looked for. */
		size_t to_page = 4096 - ((src + done) & 4095);
		size_t n = SKEP_MIN(size - done, to_page);
		const char *nul;
		int err = skep_copy_from_user(c, dst + done, src + done, n);

		if (err)
			return err;
		nul = memchr(dst + done, 0, n);
		if (nul)
			return nul - dst;
		done += n;
	}
	return (long)size;
}

int skep_user_is_nonzero(const struct skep_caller *c, u64 src, size_t n)
{
	char buf[512];

	while (n) {
		size_t piece = SKEP_MIN(n, sizeof(buf));
		int err = skep_copy_from_user(c, buf, src, piece);

		if (err)
			return err;
		for (size_t i = 0; i < piece; i++)
			if (buf[i])
				return 1;
		src += piece;
		n -= piece;
	}
	return 0;
}

int skep_probe_read(void *dst, u64 src, size_t n)
{
	return vm_copy(__NR_process_vm_readv, dst, src, n);
}

int skep_probe_write(u64 dst, const void *src, size_t n)
{
	return vm_copy(__NR_process_vm_writev, (void *)src, dst, n);
}

long skep_probe_read_str(char *dst, u64 src, size_t size)
{
	struct skep_caller self = {.ua = skep_uaccess_self};
	long n;

	if (!size)
		return 0;
	n = skep_strncpy_from_user(&self, dst, src, size);
	if (n < 0)
		return n;
	if ((size_t)n == size) {
		dst[size - 1] = 0;
		return (long)size;
	}
	return n + 1;
}
