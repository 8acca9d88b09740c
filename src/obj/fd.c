/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors: real file descriptors that stand for objects, recognised by dev:ino.
 *
 * A plain object's descriptor is a sealed empty memfd, a pollable one's the read end of a pipe
 * whose write end skep keeps. Either has an inode of its own, so whatever the application does
 * with numbers (fclose, raw close, dup2 over it, a vfork child), the look-up asks the kernel
 * what is open there now and finds the object behind that inode, or nothing.
 *
 * The last close of all duplicates is reported by the kernel too: a memfd's inode has no link, so
 * it dies with its last open file (however often it was opened, duplicated or inherited), which
 * inotify reports as IN_DELETE_SELF; and the write end of a pipe polls EPOLLERR once no reader
 * is left. (IN_CLOSE would be the obvious event; since 6.14 memfds are exempt from it.) One epoll
 * set holds both. skep_fd_reap() empties it; it is called by the interposed close family, which
 * makes those synchronous, and by the reaper thread, which exists from the first link on: only a
 * link's end is something that the application can notice without calling in. Where inotify is not
 * to be had (no /proc, limits), every descriptor is a pipe.
 *
 * Level of a pipe: skep_fd_notify() writes a byte, so that edge-triggered consumers see one edge a
 * notification. Nobody sees the consumer's position move; entering a poll therefore makes the
 * level agree with poll_ready again (skep_fd_rearm). Draining needs a read end and skep keeps
 * none (EPOLLERR would never come), hence it opens one through /proc for the moment.
 *
 * Concurrency. table_lock guards writers of the hashes and lists; readers are RCU sections and
 * lock-free: skep_fd_get, is_ours, notify, rearm may be called anywhere. reap_lock serialises
 * reaping, so that whoever comes out of skep_fd_reap() knows that all closes before it are
 * done. A descriptor's memory and write end go after a grace period.
 */
#include "obj/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/raw.h"
#include "base/fd_own.h"

#define BUCKETS 4096u

struct skep_fd_desc {
	struct skep_fd_desc *ino_next, *wd_next;
	struct skep_fd_desc *obj_next;	/* pollable: of one object */
	struct skep_fd_desc *poll_next; /* pollable: of all */
	struct skep_fd_desc *dead_next;
	struct skep_obj *obj; /* reference */
	u64 dev, ino;
	u32 access;
	int number;   /* as handed out; for draining where /proc is missing */
	int wd;	      /* memfd: inotify watch, else -1 */
	int write_fd; /* pipe: ours, else -1 */
	u32 level;    /* pipe: a byte may be in it */
	bool dead;
	struct skep_rcu_head rcu;
};

u64 skep_fd_hints[SKEP_FD_HINT_BITS / 64];

static struct skep_lock table_lock, reap_lock;
static struct skep_fd_desc *by_ino[BUCKETS], *by_wd[BUCKETS];
static struct skep_fd_desc *pollables;
static u32 nr_descs, nr_pollable;

static bool ready; /* the epoll set exists */
static long owner_pid;
static int epoll_fd = -1, inotify_fd = -1, kick_fd = -1;
static char kick_mark; /* what tells kick_fd's events from descriptors' */
static bool reaper_running;

static const char *const memfd_names[SKEP_NR_OBJ_TYPES] = {
	[SKEP_OBJ_MAP] = "bpf-map", [SKEP_OBJ_PROG] = "bpf-prog", [SKEP_OBJ_LINK] = "bpf-link",
	[SKEP_OBJ_BTF] = "btf",	    [SKEP_OBJ_ITER] = "bpf_iter", [SKEP_OBJ_TOKEN] = "bpf_token",
};

static u32 ino_bucket(u64 ino)
{
	return (u32)(ino * 0x9e3779b97f4a7c15ull >> 52) % BUCKETS;
}

void skep_fd_set_hint(int fd)
{
	if ((u32)fd < SKEP_FD_HINT_BITS)
		__atomic_fetch_or(&skep_fd_hints[fd / 64], 1ull << (fd % 64), __ATOMIC_RELAXED);
}

/* "/proc/self/fd/N" without stdio: callable while a program runs. */
static void proc_path(char buf[32], int fd)
{
	char digits[12];
	u32 n = 0, len = 14;

	memcpy(buf, "/proc/self/fd/", 14);
	do {
		digits[n++] = (char)('0' + fd % 10);
		fd /= 10;
	} while (fd);
	while (n)
		buf[len++] = digits[--n];
	buf[len] = 0;
}

/* --- look-up --- */

/*
 * In an RCU section. NULL with *ret_err: -EBADF, not open or inherited over a fork; -EINVAL,
 * another kind of file, as the kernel tells them apart.
 */
static struct skep_fd_desc *find(int fd, int *ret_err)
{
	struct skep_fd_desc *d;
	struct stat st;

	*ret_err = -EBADF;
	if (fd < 0 || skep_raw(__NR_fstat, fd, &st))
		return NULL;
	for (d = skep_rcu_deref(by_ino[ino_bucket(st.st_ino)]); d; d = skep_rcu_deref(d->ino_next))
		if (d->ino == st.st_ino && d->dev == st.st_dev)
			return SKEP_READ(d->dead) ? NULL : d;
	*ret_err = -EINVAL;
	return NULL;
}

struct skep_obj *skep_fd_get(int fd, int type, u32 *ret_access, int *ret_err)
{
	struct skep_obj *o = NULL;
	struct skep_fd_desc *d;
	int err;

	skep_rcu_read_lock();
	d = find(fd, &err);
	if (d && type >= 0 && d->obj->type != type) {
		err = -EINVAL;
	} else if (d && skep_obj_get_unless_zero(d->obj)) {
		o = d->obj;
		if (ret_access)
			*ret_access = d->access;
	} else if (d) {
		err = -EBADF;
	}
	skep_rcu_read_unlock();
	if (!o)
		*ret_err = err;
	return o;
}

bool skep_fd_is_ours(int fd)
{
	bool ours;
	int err;

	if (!SKEP_READ(nr_descs))
		return false;
	skep_rcu_read_lock();
	ours = find(fd, &err) != NULL;
	skep_rcu_read_unlock();
	return ours;
}

/* --- making one --- */

/* Does this kernel report a memfd's end? Seen on a throw-away one. */
static bool inotify_works(int in)
{
	long fd = skep_raw(__NR_memfd_create, "skep", MFD_CLOEXEC), wd = -1;
	char buf[256], path[32];

	if (fd < 0)
		return false;
	proc_path(path, (int)fd);
	wd = skep_raw(__NR_inotify_add_watch, in, path, IN_DELETE_SELF);
	skep_raw(__NR_close, fd);
	return wd >= 0 && skep_raw(__NR_read, in, buf, sizeof(buf)) > 0;
}

/* table_lock held. */
static int init_once(void)
{
	struct epoll_event ev = {.events = EPOLLIN};
	long fd;

	if (ready)
		return 0;
	fd = skep_raw(__NR_epoll_create1, EPOLL_CLOEXEC);
	if (fd < 0)
		return (int)fd;
	epoll_fd = skep_fd_own((int)fd);
	owner_pid = skep_raw(__NR_getpid);
	fd = skep_raw(__NR_inotify_init1, IN_NONBLOCK | IN_CLOEXEC);
	if (fd >= 0 && !inotify_works((int)fd)) {
		skep_raw(__NR_close, fd);
	} else if (fd >= 0) {
		inotify_fd = skep_fd_own((int)fd);
		skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_ADD, inotify_fd, &ev);
	}
	ready = true;
	return 0;
}

static int identify(struct skep_fd_desc *d, int fd)
{
	struct stat st;
	long err = skep_raw(__NR_fstat, fd, &st);

	if (err)
		return (int)err;
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	return 0;
}

/* A watched memfd for @d; its number, -ENODEV where inotify does not do. */
static int new_memfd(struct skep_fd_desc *d)
{
	long fd = skep_raw(__NR_memfd_create, memfd_names[d->obj->type],
			   MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char path[32];
	long err;

	if (fd < 0)
		return (int)fd;
	skep_raw(__NR_fcntl, fd, F_ADD_SEALS,
		 F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	proc_path(path, (int)fd);
	err = identify(d, (int)fd);
	if (!err) {
		err = skep_raw(__NR_inotify_add_watch, inotify_fd, path, IN_DELETE_SELF);
		d->wd = (int)err;
		err = err < 0 ? -ENODEV : 0;
	}
	if (err) {
		skep_raw(__NR_close, fd);
		return (int)err;
	}
	return (int)fd;
}

static int new_pipe(struct skep_fd_desc *d)
{
	struct epoll_event ev = {.events = 0, .data.ptr = d};
	int ends[2];
	long err = skep_raw(__NR_pipe2, ends, O_CLOEXEC | O_NONBLOCK);

	if (err)
		return (int)err;
	d->write_fd = skep_fd_own(ends[1]);
	err = identify(d, ends[0]);
	if (!err)
		err = skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_ADD, d->write_fd, &ev);
	if (err) {
		skep_fd_own_close(d->write_fd);
		skep_raw(__NR_close, ends[0]);
		return (int)err;
	}
	return ends[0];
}

/* skep_rcu_kick: deferred work piles up where no control path comes by. */
static void kick(void)
{
	u64 one = 1;

	skep_raw(__NR_write, SKEP_READ(kick_fd), &one, sizeof(one));
}

static void reap(void);

static void *reaper(void *unused)
{
	struct epoll_event ev;

	skep_busy_enter();
	skep_raw(__NR_prctl, PR_SET_NAME, "skep-reaper");
	for (;;) {
		long n = skep_raw(__NR_epoll_wait, SKEP_READ(epoll_fd), &ev, 1, -1);

		if (n < 0 && n != -EINTR)
			return NULL;
		reap();
		skep_rcu_drain();
	}
}

/* A thread that notices closes which no interposed call made. */
static void start_reaper(void)
{
	u64 all = ~0ull, old;
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.ptr = &kick_mark};
	pthread_attr_t attr;
	pthread_t thread;
	long fd;

	if (__atomic_exchange_n(&reaper_running, true, __ATOMIC_RELAXED))
		return;
	fd = skep_raw(__NR_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd >= 0) {
		SKEP_WRITE(kick_fd, skep_fd_own((int)fd));
		skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_ADD, kick_fd, &ev);
		SKEP_WRITE(skep_rcu_kick, kick);
	}
	/* It inherits the mask: the application's signals are never delivered there. */
	skep_raw(__NR_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(all));
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 << 10);
	if (pthread_create(&thread, &attr, reaper, NULL))
		SKEP_WRITE(reaper_running, false);
	pthread_attr_destroy(&attr);
	skep_raw(__NR_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
}

/* table_lock held. */
static void publish(struct skep_fd_desc *d)
{
	struct skep_fd_desc **b;

	if (d->wd >= 0) {
		b = &by_wd[(u32)d->wd % BUCKETS];
		d->wd_next = *b;
		*b = d;
	} else if (d->obj->ops->poll_ready) {
		d->obj_next = d->obj->descs;
		skep_rcu_assign(d->obj->descs, d);
		d->poll_next = pollables;
		skep_rcu_assign(pollables, d);
		SKEP_WRITE(nr_pollable, nr_pollable + 1);
	}
	b = &by_ino[ino_bucket(d->ino)];
	d->ino_next = *b;
	skep_rcu_assign(*b, d);
	SKEP_WRITE(nr_descs, nr_descs + 1);
}

int skep_fd_install(struct skep_obj *o, u32 access)
{
	struct skep_fd_desc *d = skep_zalloc(sizeof(*d));
	bool is_link = o->type == SKEP_OBJ_LINK, is_pollable = o->ops->poll_ready;
	int fd;

	if (!d)
		return -ENOMEM;
	d->obj = o;
	d->access = access ? access : SKEP_FD_RW;
	d->wd = d->write_fd = -1;
	skep_fd_reap();

	skep_lock(&table_lock);
	fd = init_once();
	if (!fd) {
		fd = -ENODEV;
		if (!o->ops->poll_ready && inotify_fd >= 0)
			fd = new_memfd(d);
		if (fd == -ENODEV)
			fd = new_pipe(d);
	}
	if (fd >= 0) {
		d->number = fd;
		publish(d);
		skep_fd_set_hint(fd);
	}
	skep_unlock(&table_lock);

	if (fd < 0) {
		skep_free(d);
		return fd;
	}
	/* The descriptor may be closed by now, and @o be gone. */
	if (is_link)
		start_reaper();
	else if (is_pollable)
		skep_fd_rearm(fd);
	return fd;
}

/* --- poll level --- */

static void raise_level(struct skep_fd_desc *d)
{
	SKEP_WRITE(d->level, 1);
	skep_raw(__NR_write, SKEP_READ(d->write_fd), "", 1);
}

static void drain_pipe(struct skep_fd_desc *d)
{
	char buf[4096];
	char path[32];
	struct stat st;
	long fd;

	SKEP_WRITE(d->level, 0);
	proc_path(path, SKEP_READ(d->write_fd));
	fd = skep_raw(__NR_open, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		while (skep_raw(__NR_read, fd, buf, sizeof(buf)) == sizeof(buf))
			;
		skep_raw(__NR_close, fd);
	} else if (!skep_raw(__NR_fstat, d->number, &st) && st.st_ino == d->ino &&
		   st.st_dev == d->dev) {
		while (skep_raw(__NR_read, d->number, buf, sizeof(buf)) == sizeof(buf))
			;
	}
}

static void rearm(struct skep_fd_desc *d)
{
	struct skep_obj *o = d->obj;
	int bytes = 0;

	if (o->ops->poll_ready(o)) {
		if (SKEP_READ(d->level))
			skep_raw(__NR_ioctl, SKEP_READ(d->write_fd), FIONREAD, &bytes);
		if (!bytes)
			raise_level(d);
	} else if (SKEP_READ(d->level)) {
		drain_pipe(d);
		/* A producer that published before our drain may have had its byte eaten. */
		if (o->ops->poll_ready(o))
			raise_level(d);
	}
}

void skep_fd_notify(struct skep_obj *o)
{
	struct skep_fd_desc *d;

	if (!SKEP_READ(o->descs))
		return;
	skep_rcu_read_lock();
	for (d = skep_rcu_deref(o->descs); d; d = skep_rcu_deref(d->obj_next))
		raise_level(d);
	skep_rcu_read_unlock();
}

void skep_fd_rearm(int fd)
{
	struct skep_fd_desc *d;
	int err;

	skep_rcu_read_lock();
	d = find(fd, &err);
	if (d && d->obj->ops->poll_ready && d->write_fd >= 0)
		rearm(d);
	skep_rcu_read_unlock();
}

void skep_fd_rearm_all(void)
{
	struct skep_fd_desc *d;

	skep_rcu_read_lock();
	for (d = skep_rcu_deref(pollables); d; d = skep_rcu_deref(d->poll_next))
		rearm(d);
	skep_rcu_read_unlock();
}

bool skep_fd_have_any(void)
{
	return SKEP_READ(nr_descs) != 0;
}

bool skep_fd_have_pollable(void)
{
	return SKEP_READ(nr_pollable) != 0;
}

/* --- the end of one --- */

static void unlink_from(struct skep_fd_desc **pp, struct skep_fd_desc *d, size_t next_off)
{
	while (*pp) {
		struct skep_fd_desc **next = (struct skep_fd_desc **)((char *)*pp + next_off);

		if (*pp == d) {
			skep_rcu_assign(*pp, *next);
			return;
		}
		pp = next;
	}
}

/* table_lock held. */
static void unpublish(struct skep_fd_desc *d)
{
	SKEP_WRITE(d->dead, true);
	unlink_from(&by_ino[ino_bucket(d->ino)], d, offsetof(struct skep_fd_desc, ino_next));
	SKEP_WRITE(nr_descs, nr_descs - 1);
	if (d->wd >= 0) {
		unlink_from(&by_wd[(u32)d->wd % BUCKETS], d,
			    offsetof(struct skep_fd_desc, wd_next));
		return;
	}
	skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_DEL, d->write_fd, NULL);
	if (d->obj->ops->poll_ready) {
		unlink_from(&d->obj->descs, d, offsetof(struct skep_fd_desc, obj_next));
		unlink_from(&pollables, d, offsetof(struct skep_fd_desc, poll_next));
		SKEP_WRITE(nr_pollable, nr_pollable - 1);
	}
}

static void free_desc(struct skep_rcu_head *h)
{
	struct skep_fd_desc *d = container_of(h, struct skep_fd_desc, rcu);

	if (d->write_fd >= 0)
		skep_fd_own_close(d->write_fd);
	skep_free(d);
}

/* table_lock held. Adds what died to @dead. */
static void read_inotify(struct skep_fd_desc **dead)
{
	char buf[4096] __attribute__((aligned(8)));
	long n;

	while ((n = skep_raw(__NR_read, inotify_fd, buf, sizeof(buf))) > 0) {
		const struct inotify_event *ev;

		for (long at = 0; at < n; at += (long)(sizeof(*ev) + ev->len)) {
			struct skep_fd_desc *d;

			ev = (const struct inotify_event *)(buf + at);
			if (ev->wd < 0)
				continue;
			for (d = by_wd[(u32)ev->wd % BUCKETS]; d && d->wd != ev->wd; d = d->wd_next)
				;
			if (!d)
				continue;
			/* IN_DELETE_SELF, or the IN_IGNORED that follows it. */
			unpublish(d);
			d->dead_next = *dead;
			*dead = d;
		}
	}
}

/* table_lock held. */
static struct skep_fd_desc *collect_dead(bool *ret_drain)
{
	bool drain = false;
	struct skep_fd_desc *dead = NULL;
	struct epoll_event evs[16];
	long n;

	/* At most two rounds: inotify is emptied by one, the dead leave the set. */
	while ((n = skep_raw(__NR_epoll_wait, epoll_fd, evs, ARRAY_SIZE(evs), 0)) > 0) {
		for (long i = 0; i < n; i++) {
			struct skep_fd_desc *d = evs[i].data.ptr;

			if (!d) {
				read_inotify(&dead);
			} else if (evs[i].data.ptr == &kick_mark) {
				drain = true;
			} else if (evs[i].events & EPOLLERR) {
				unpublish(d);
				d->dead_next = dead;
				dead = d;
			}
		}
	}
	*ret_drain = drain;
	return dead;
}

/*
 * With skep_busy set: what the application's allocator or a sanitizer's runtime does on our account
 * may come back through interposed calls, which then keep off our locks.
 */
static void reap(void)
{
	struct skep_fd_desc *dead, *next;
	bool drain;

	skep_lock(&reap_lock);
	skep_lock(&table_lock);
	dead = collect_dead(&drain);
	skep_unlock(&table_lock);
	for (struct skep_fd_desc *d = dead; d; d = next) {
		next = d->dead_next;
		if (d->obj->ops->fd_closed)
			d->obj->ops->fd_closed(d->obj);
		skep_obj_put(d->obj);
		skep_rcu_defer(&d->rcu, free_desc);
	}
	skep_unlock(&reap_lock);
	if (dead || drain)
		skep_rcu_drain();
}

void skep_fd_reap(void)
{
	/*
	 * A signal handler that closes something while this thread is inside: its locks may be
	 * the ones we need, and its program's grace period would be waited for. The next caller, or
	 * the reaper, sees to it.
	 */
	if (!SKEP_READ(nr_descs) || skep_busy || skep_rcu_in_section())
		return;
	skep_busy_enter();
	reap();
	skep_busy_leave();
}

/* table_lock held. */
static struct skep_fd_desc *by_write_fd(int fd)
{
	for (u32 i = 0; i < BUCKETS; i++)
		for (struct skep_fd_desc *d = by_ino[i]; d; d = d->ino_next)
			if (!d->dead && d->write_fd == fd)
				return d;
	return NULL;
}

void skep_fd_make_way(int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int up;

	/* A vfork's child has a table of its own but our memory: leave the parent's numbers. */
	if (skep_busy || skep_raw(__NR_getpid) != owner_pid)
		return;
	skep_lock(&table_lock);
	up = skep_fd_own_dup(fd);
	if (up >= 0 && fd == epoll_fd) {
		SKEP_WRITE(epoll_fd, up);
	} else if (up >= 0 && fd == inotify_fd) {
		skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_ADD, up, &ev);
		SKEP_WRITE(inotify_fd, up);
	} else if (up >= 0 && fd == kick_fd) {
		ev.events = EPOLLIN | EPOLLET;
		ev.data.ptr = &kick_mark;
		skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_ADD, up, &ev);
		SKEP_WRITE(kick_fd, up);
	} else if (up >= 0 && !skep_fd_own_moved(fd, up)) {
		struct skep_fd_desc *d = by_write_fd(fd);

		if (d) {
			ev.events = 0;
			ev.data.ptr = d;
			skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_DEL, fd, NULL);
			skep_raw(__NR_epoll_ctl, epoll_fd, EPOLL_CTL_ADD, up, &ev);
			SKEP_WRITE(d->write_fd, up);
		}
	}
	skep_unlock(&table_lock);
	/* A producer may still be about to write to the old number. */
	skep_rcu_synchronize();
}

void skep_fd_fork_child(void)
{
	skep_lock_reset(&table_lock);
	skep_lock_reset(&reap_lock);
	/* The objects' memory is a copy that nobody owns; their inodes are still told by EBADF. */
	for (u32 i = 0; i < BUCKETS; i++)
		for (struct skep_fd_desc *d = by_ino[i]; d; d = d->ino_next)
			d->dead = true;
	memset(by_wd, 0, sizeof(by_wd));
	memset(skep_fd_hints, 0, sizeof(skep_fd_hints));
	pollables = NULL;
	nr_descs = nr_pollable = 0;
	ready = reaper_running = false;
	epoll_fd = inotify_fd = kick_fd = -1;
	skep_rcu_kick = NULL;
	skep_fd_own_fork_child();
}
