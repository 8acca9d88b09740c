/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors: real file descriptors that stand for objects.
 *
 * Plain objects are sealed empty memfds; pollable ones (ops->poll_ready) are the read end of a
 * pipe whose write end skep keeps. A descriptor is recognised by the dev:ino of what is open
 * there now, never by its number alone. The last close of all duplicates, by whatever road, is
 * seen by the reaper (inotify IN_DELETE_SELF for memfds, POLLERR of the write end for pipes) and
 * drops the descriptor's reference; the shim's close family calls skep_fd_reap() so that the
 * ordinary roads are synchronous.
 */
#ifndef SKEP_OBJ_FD_H
#define SKEP_OBJ_FD_H

#include "obj/obj.h"

/*
 * New O_CLOEXEC descriptor for @o; consumes the caller's reference on success only.
 * @access: SKEP_FD_*, what the descriptor may be used for. fd or -EMFILE, -ENFILE, -ENOMEM.
 */
int skep_fd_install(struct skep_obj *o, u32 access);

enum { SKEP_FD_READ = 1, SKEP_FD_WRITE = 2, SKEP_FD_RW = 3 };

/*
 * The object behind @fd with a reference. NULL result with *ret_err: -EBADF (not open, or
 * inherited over a fork), -EINVAL (not an object's, or an object of another type; @type < 0 takes
 * any). *ret_access may be NULL.
 */
struct skep_obj *skep_fd_get(int fd, int type, u32 *ret_access, int *ret_err);

/* Is @fd, as it is open now, one of ours? Cheap when no descriptor was ever installed. */
bool skep_fd_is_ours(int fd);

/*
 * A filter in front of skep_fd_is_ours() for calls that every application makes often: false
 * when @fd's number never held one of ours, as far as the interposed calls saw it.
 */
#define SKEP_FD_HINT_BITS 65536u
extern u64 skep_fd_hints[SKEP_FD_HINT_BITS / 64];
static inline bool skep_fd_maybe_ours(int fd)
{
	return (u32)fd < SKEP_FD_HINT_BITS &&
	       unlikely(SKEP_READ(skep_fd_hints[(u32)fd / 64]) >> ((u32)fd % 64) & 1);
}
void skep_fd_set_hint(int fd);
/* The application is about to put another file at @fd, a number of skep's own: move ours. */
void skep_fd_make_way(int fd);

/*
 * Wake pollers of @o's descriptors (ring buffer submit). Any context, never blocks.
 * Level state is re-derived by skep_fd_rearm() on entry to poll/epoll.
 */
void skep_fd_notify(struct skep_obj *o);
/* Make the pipe level agree with ops->poll_ready: drain, re-check, re-arm. By descriptor or all. */
void skep_fd_rearm(int fd);
void skep_fd_rearm_all(void);
/* Is any descriptor alive? */
bool skep_fd_have_any(void);
/* Is any pollable descriptor alive? (fast path of poll wrappers) */
bool skep_fd_have_pollable(void);

/* Handle closes seen so far. Called by the shim after close, dup2, …; not from programs. */
void skep_fd_reap(void);

/* In a fork's child: inherited descriptors answer -EBADF; the reaper is not running here. */
void skep_fd_fork_child(void);

#endif
