/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read and write: an iterator's contents come from its object, other objects answer EINVAL.
 *
 * The fast path of an ordinary descriptor is one bit test (skep_fd_maybe_ours).
 */
#include "shim/shim.h"

#include "base/alloc.h"
#include "base/uaccess.h"

#define READ_CHUNK (1u << 20)

bool shim_read_ours(int fd, void *buf, size_t n, long *ret)
{
	struct skep_caller c = {.ua = skep_uaccess_self};
	struct skep_obj *o;
	void *bounce;
	int err;

	if (likely(!skep_fd_maybe_ours(fd)) || shim_inside())
		return false;
	o = skep_fd_get(fd, -1, NULL, &err);
	if (!o)
		return false;
	*ret = -EINVAL;
	if (o->ops->read) {
		n = SKEP_MIN(n, (size_t)READ_CHUNK);
		bounce = skep_alloc(n ? n : 1);
		*ret = bounce ? o->ops->read(o, bounce, n) : -ENOMEM;
		if (*ret > 0 && skep_copy_to_user(&c, (u64)buf, bounce, (size_t)*ret))
			*ret = -EFAULT;
		skep_free(bounce);
	}
	skep_obj_put(o);
	return true;
}

bool shim_write_ours(int fd, long *ret)
{
	if (likely(!skep_fd_maybe_ours(fd)) || shim_inside() || !skep_fd_is_ours(fd))
		return false;
	*ret = -EINVAL;
	return true;
}

static long do_read(int fd, void *buf, size_t n)
{
	long r;

	if (shim_read_ours(fd, buf, n, &r))
		return r;
	return shim_unret(REAL(read)(fd, buf, n));
}

static long do_write(int fd, const void *buf, size_t n)
{
	long r;

	if (shim_write_ours(fd, &r))
		return r;
	return shim_unret(REAL(write)(fd, buf, n));
}

SKEP_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
	return shim_ret(SHIM_TRACED(__NR_read, do_read(fd, buf, n), fd, buf, n));
}

SKEP_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return read(fd, buf, n);
}

SKEP_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
	return shim_ret(SHIM_TRACED(__NR_write, do_write(fd, buf, n), fd, buf, n));
}
