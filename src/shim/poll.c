/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll, select and epoll: level-true ring buffers.
 *
 * Entering any of them makes the level of all pollable descriptors agree with their objects
 * (shim_before_wait); which of them this wait covers, directly or through nested epoll sets, need
 * not be known.
 */
#include "shim/shim.h"

#define WAIT(nr, call, ...)                                                                        \
	shim_ret(SHIM_TRACED(nr, (shim_before_wait(), shim_unret(call)), __VA_ARGS__))

SKEP_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return (int)WAIT(__NR_poll, REAL(poll)(fds, n, timeout), fds, n, timeout);
}

SKEP_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	if (room / sizeof(*fds) < n)
		__chk_fail();
	return poll(fds, n, timeout);
}

SKEP_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask)
{
	return (int)WAIT(__NR_ppoll, REAL(ppoll)(fds, n, ts, mask), fds, n, ts, mask, 8);
}

SKEP_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *ts,
			    const sigset_t *mask, size_t room)
{
	if (room / sizeof(*fds) < n)
		__chk_fail();
	return ppoll(fds, n, ts, mask);
}

SKEP_EXPORT int select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *tv)
{
	return (int)WAIT(__NR_pselect6, REAL(select)(n, r, w, e, tv), n, r, w, e, tv);
}

SKEP_EXPORT int pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *ts,
			const sigset_t *mask)
{
	return (int)WAIT(__NR_pselect6, REAL(pselect)(n, r, w, e, ts, mask), n, r, w, e, ts, mask);
}

SKEP_EXPORT int epoll_wait(int epfd, struct epoll_event *evs, int max, int timeout)
{
	return (int)WAIT(__NR_epoll_wait, REAL(epoll_wait)(epfd, evs, max, timeout), epfd, evs, max,
			 timeout);
}

SKEP_EXPORT int epoll_pwait(int epfd, struct epoll_event *evs, int max, int timeout,
			    const sigset_t *mask)
{
	return (int)WAIT(__NR_epoll_pwait, REAL(epoll_pwait)(epfd, evs, max, timeout, mask), epfd,
			 evs, max, timeout, mask, 8);
}

SKEP_EXPORT int epoll_pwait2(int epfd, struct epoll_event *evs, int max, const struct timespec *ts,
			     const sigset_t *mask)
{
	return (int)WAIT(__NR_epoll_pwait2, REAL(epoll_pwait2)(epfd, evs, max, ts, mask), epfd, evs,
			 max, ts, mask, 8);
}
