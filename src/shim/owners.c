/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ends and births of sockets and files that own local storage.
 *
 * A close that libc does not show (from inside libc, by a raw call, by another library's copy) is
 * found out later, by kern/'s sweeps. A socket that accept returns gets the listener's values of
 * maps with BPF_F_CLONE here; the kernel copies them a little earlier, at the handshake.
 */
#include "shim/shim.h"

#include "map/local_storage.h"

struct shim_end shim_end_begin(int fd)
{
	struct shim_end e = {0};

	if (SKEP_READ(skep_nr_socks))
		e.cookie = skep_sock_closing(fd);
	if (!e.cookie && SKEP_READ(skep_nr_inodes))
		skep_inode_closing(fd, &e.inode);
	return e;
}

void shim_end_finish(struct shim_end e)
{
	if (e.cookie)
		skep_sock_closed(e.cookie);
	if (e.inode.ino)
		skep_inode_closed(&e.inode);
}

/* @r: what accept gave. */
static long accepted(int fd, long r)
{
	struct skep_sock *listener, *child;
	int err;

	if (r < 0 || likely(!SKEP_READ(skep_nr_socks)) || shim_inside())
		return r;
	listener = skep_sock_find(fd);
	if (!listener)
		return r;
	child = skep_storage_has_clones(&listener->owner) ? skep_sock_by_fd((int)r, &err) : NULL;
	if (child)
		skep_storage_clone(&listener->owner, &child->owner);
	skep_sock_put(child);
	skep_sock_put(listener);
	return r;
}

SKEP_EXPORT int accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	return (int)shim_ret(SHIM_TRACED(
		__NR_accept, accepted(fd, shim_unret(REAL(accept)(fd, addr, len))), fd, addr, len));
}

SKEP_EXPORT int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	return (int)shim_ret(SHIM_TRACED(
		__NR_accept4, accepted(fd, shim_unret(REAL(accept4)(fd, addr, len, flags))), fd,
		addr, len, flags));
}
