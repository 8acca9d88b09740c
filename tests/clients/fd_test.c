/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors without a subsystem behind them: identity, last close by every road, levels.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "obj/fd.h"
#include "base/fd_own.h"

struct thing {
	struct skep_obj obj;
	bool has_data;
	int closed, released;
};

static struct thing *thing_of(struct skep_obj *o)
{
	return container_of(o, struct thing, obj);
}

static void release(struct skep_obj *o)
{
	skep_obj_unpublish(o);
	__atomic_fetch_add(&thing_of(o)->released, 1, __ATOMIC_RELEASE);
}

static void fd_closed(struct skep_obj *o)
{
	thing_of(o)->closed++;
}

static bool poll_ready(struct skep_obj *o)
{
	return SKEP_READ(thing_of(o)->has_data);
}

static const struct skep_obj_ops plain_ops = {.release = release, .fd_closed = fd_closed};
static const struct skep_obj_ops ring_ops = {
	.release = release, .fd_closed = fd_closed, .poll_ready = poll_ready};

static int make(struct thing *t, enum skep_obj_type type, const struct skep_obj_ops *ops)
{
	*t = (struct thing){0};
	skep_obj_init(&t->obj, type, ops);
	if (skep_obj_publish(&t->obj))
		abort();
	return skep_fd_install(&t->obj, SKEP_FD_RW);
}

static int lookup_error(int fd, int type)
{
	struct skep_obj *o;
	int err = 0;

	o = skep_fd_get(fd, type, NULL, &err);
	skep_obj_put(o);
	return o ? 0 : err;
}

static void test_identity(void)
{
	struct thing a, b;
	int fa = make(&a, SKEP_OBJ_MAP, &plain_ops), fb = make(&b, SKEP_OBJ_PROG, &plain_ops), d;

	CHECK(fa >= 0 && fb >= 0 && fa < 16);
	CHECK_EQ(lookup_error(fa, SKEP_OBJ_MAP), 0);
	CHECK_EQ(lookup_error(fa, SKEP_OBJ_PROG), -EINVAL);
	CHECK_EQ(lookup_error(fa, -1), 0);
	CHECK_EQ(lookup_error(0, -1), -EINVAL);
	CHECK_EQ(lookup_error(-1, -1), -EBADF);
	CHECK_EQ(lookup_error(4000, -1), -EBADF);
	CHECK(fcntl(fa, F_GETFD) & FD_CLOEXEC);
	CHECK_EQ(write(fa, "x", 1), -1); /* sealed */

	/* A number that was closed and used again names whatever is there now. */
	close(fa);
	d = open("/dev/null", O_RDONLY);
	CHECK_EQ(d, fa);
	CHECK_EQ(lookup_error(fa, -1), -EINVAL);
	close(d);
	d = dup(fb);
	CHECK_EQ(d, fa);
	CHECK_EQ(lookup_error(fa, SKEP_OBJ_PROG), 0);
	close(fa);
	close(fb);
	skep_fd_reap();
	CHECK_EQ(a.released, 1);
	CHECK_EQ(b.released, 1);
}

/* Each closes one descriptor by a road of its own. */
static void road_close(int fd)
{
	close(fd);
}
static void road_raw(int fd)
{
	syscall(SYS_close, fd);
}
static void road_fclose(int fd)
{
	FILE *f = fdopen(fd, "r");

	fclose(f);
}
static void road_dup2(int fd)
{
	int other = open("/dev/null", O_RDONLY);

	dup2(other, fd);
	close(other);
	close(fd);
}
static void road_range(int fd)
{
	syscall(SYS_close_range, fd, fd, 0);
}

static void test_last_close(const struct skep_obj_ops *ops)
{
	static void (*const roads[])(int) = {road_close, road_raw, road_fclose, road_dup2,
					     road_range};

	for (unsigned int i = 0; i < ARRAY_SIZE(roads); i++) {
		struct thing t;
		int fd = make(&t, SKEP_OBJ_MAP, ops), d = dup(fd);

		roads[i](fd);
		skep_fd_reap();
		CHECK_EQ(t.closed, 0);
		CHECK_EQ(lookup_error(d, SKEP_OBJ_MAP), 0);
		roads[i](d);
		skep_fd_reap();
		CHECK_EQ(t.closed, 1);
		CHECK_EQ(t.released, 1);
		CHECK_EQ(skep_obj_next_id(SKEP_OBJ_MAP, 0), 0);
	}
}

static void test_children(const struct skep_obj_ops *ops)
{
	struct thing t;
	int fd = make(&t, SKEP_OBJ_MAP, ops), status, gate[2];
	pid_t pid;

	/* A vfork's child closes its own table's entry. */
	pid = vfork();
	if (!pid) {
		close(fd);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	skep_fd_reap();
	CHECK_EQ(t.closed, 0);
	CHECK_EQ(lookup_error(fd, SKEP_OBJ_MAP), 0);

	/* A fork's child holds the open file; the object lives until it lets go. */
	if (pipe(gate))
		abort();
	pid = fork();
	if (!pid) {
		char c;

		close(gate[1]);
		_exit((int)read(gate[0], &c, 1));
	}
	close(fd);
	skep_fd_reap();
	CHECK_EQ(t.closed, 0);
	close(gate[1]);
	waitpid(pid, &status, 0);
	skep_fd_reap();
	CHECK_EQ(t.closed, 1);
	close(gate[0]);
}

static void test_reaper(void)
{
	struct thing t;
	int fd = make(&t, SKEP_OBJ_LINK, &plain_ops);

	syscall(SYS_close, fd);
	for (int i = 0; i < 1000 && !__atomic_load_n(&t.released, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	CHECK_EQ(SKEP_READ(t.released), 1);
}

static void test_reopened(void)
{
	struct thing t;
	int fd = make(&t, SKEP_OBJ_MAP, &plain_ops), again;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(again >= 0);
	close(again);
	skep_fd_reap();
	CHECK_EQ(t.closed, 0);
	again = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	skep_fd_reap();
	CHECK_EQ(t.closed, 0);
	CHECK_EQ(lookup_error(again, SKEP_OBJ_MAP), 0);
	close(again);
	skep_fd_reap();
	CHECK_EQ(t.closed, 1);
}

static int readable_now(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	skep_fd_rearm_all();
	return poll(&p, 1, 0);
}

static void test_level(void)
{
	struct thing t;
	int fd = make(&t, SKEP_OBJ_MAP, &ring_ops);

	CHECK(skep_fd_have_pollable());
	CHECK_EQ(readable_now(fd), 0);
	t.has_data = true;
	skep_fd_notify(&t.obj);
	CHECK_EQ(readable_now(fd), 1);
	CHECK_EQ(readable_now(fd), 1); /* nothing consumed */
	t.has_data = false;
	CHECK_EQ(readable_now(fd), 0);
	CHECK_EQ(readable_now(fd), 0);
	t.has_data = true; /* published without a wake-up */
	CHECK_EQ(readable_now(fd), 1);
	for (int i = 0; i < 100000; i++) /* more than a pipe holds */
		skep_fd_notify(&t.obj);
	t.has_data = false;
	CHECK_EQ(readable_now(fd), 0);
	close(fd);
	skep_fd_reap();
	CHECK_EQ(t.closed, 1);
	CHECK(!skep_fd_have_pollable());
}

static void test_edges(void)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	int inner = epoll_create1(EPOLL_CLOEXEC), outer = epoll_create1(EPOLL_CLOEXEC);
	struct thing t;
	int fd = make(&t, SKEP_OBJ_MAP, &ring_ops);

	CHECK_EQ(epoll_ctl(inner, EPOLL_CTL_ADD, fd, &ev), 0);
	t.has_data = true;
	for (int i = 0; i < 3; i++) { /* an edge a notification, consumed or not */
		skep_fd_notify(&t.obj);
		CHECK_EQ(epoll_wait(inner, &ev, 1, 0), 1);
		CHECK_EQ(epoll_wait(inner, &ev, 1, 0), 0);
	}
	ev.events = EPOLLIN;
	CHECK_EQ(epoll_ctl(inner, EPOLL_CTL_MOD, fd, &ev), 0);
	ev.events = EPOLLIN;
	CHECK_EQ(epoll_ctl(outer, EPOLL_CTL_ADD, inner, &ev), 0);
	skep_fd_rearm_all();
	CHECK_EQ(epoll_wait(outer, &ev, 1, 0), 1);
	t.has_data = false;
	skep_fd_rearm_all();
	CHECK_EQ(epoll_wait(outer, &ev, 1, 0), 0);
	close(inner);
	close(outer);
	close(fd);
	skep_fd_reap();
}

static void test_own_numbers(void)
{
	struct thing t;
	int fd = make(&t, SKEP_OBJ_MAP, &ring_ops), n = 0;

	for (int own = skep_fd_own_next(0); own >= 0; own = skep_fd_own_next((u32)own + 1)) {
		CHECK(own >= 64);
		CHECK(skep_fd_is_own(own));
		CHECK(fcntl(own, F_GETFD) & FD_CLOEXEC);
		n++;
	}
	CHECK(n >= 2);
	/* Another file at each of our numbers: everything goes on elsewhere. */
	for (int own = skep_fd_own_next(0), next; own >= 0 && n--; own = next) {
		next = skep_fd_own_next((u32)own + 1);
		skep_fd_make_way(own);
		CHECK(!skep_fd_is_own(own));
		dup2(0, own);
	}
	t.has_data = true;
	skep_fd_notify(&t.obj);
	CHECK_EQ(readable_now(fd), 1);
	close(fd);
	skep_fd_reap();
	CHECK_EQ(t.closed, 1);
}

static void test_slots(void)
{
	int slot = open("/dev/zero", O_RDONLY | O_CLOEXEC), first;
	char c = 1;

	CHECK_EQ(skep_fd_own_keep(&slot), 0);
	first = slot;
	CHECK(first >= 64 && skep_fd_is_own(first));
	skep_fd_make_way(first);
	dup2(0, first);
	CHECK(slot != first && skep_fd_is_own(slot) && !skep_fd_is_own(first));
	CHECK(read(slot, &c, 1) == 1 && c == 0);
	close(first);
	first = slot;
	skep_fd_own_drop(&slot);
	CHECK_EQ(slot, -1);
	CHECK(!skep_fd_is_own(first) && fcntl(first, F_GETFD) == -1);
}

int main(void)
{
	test_identity();
	test_last_close(&plain_ops);
	test_last_close(&ring_ops);
	test_children(&plain_ops);
	test_children(&ring_ops);
	test_reopened();
	test_level();
	test_edges();
	test_own_numbers();
	test_slots();
	test_reaper();
	return checks_done();
}
