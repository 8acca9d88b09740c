/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks: what a view shows at the presented BTF's offsets, look-up by tid and pidfd, ends.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "kern/kernel_btf.h"
#include "kern/task.h"

static const struct skep_btf *btf;

/* @size bytes of field @name of the struct @type at @view; 0 when the BTF lacks it. */
static u64 field(const void *view, const char *type, const char *name)
{
	u32 off, size;
	u64 v = 0;

	if (skep_btf_field(btf, type, name, &off, &size) || size > 8)
		return 0;
	memcpy(&v, (const char *)view + off, size);
	return v;
}

static const char *comm_of(const void *view)
{
	u32 off, size;

	return skep_btf_field(btf, "task_struct", "comm", &off, &size) ? ""
								       : (const char *)view + off;
}

static void test_self(void)
{
	struct skep_task *t = skep_task_current();
	const void *view, *cred, *parent;
	char name[16];

	if (!CHECK(t != NULL))
		return;
	view = skep_task_view(t);
	CHECK_EQ(skep_current_view, (u64)view);
	CHECK(skep_task_current() == t);
	CHECK_EQ(field(view, "task_struct", "pid"), getpid());
	CHECK_EQ(field(view, "task_struct", "tgid"), getpid());
	CHECK_EQ(field(view, "task_struct", "group_leader"), (u64)view);
	CHECK(field(view, "task_struct", "start_time") != 0);
	prctl(PR_GET_NAME, name);
	CHECK(!strncmp(comm_of(view), name, 16));
	prctl(PR_SET_NAME, "renamed");
	skep_task_refresh(t);
	CHECK(!strcmp(comm_of(view), "renamed"));
	cred = (const void *)field(view, "task_struct", "real_cred");
	if (CHECK(cred != NULL)) {
		CHECK_EQ(field(cred, "cred", "uid"), getuid());
		CHECK_EQ(field(cred, "cred", "egid"), getegid());
	}
	parent = (const void *)field(view, "task_struct", "real_parent");
	if (CHECK(parent != NULL))
		CHECK_EQ(field(parent, "task_struct", "pid"), getppid());
	CHECK_EQ(field(view, "task_struct", "mm"), 0);
}

static void test_regs(void)
{
	const struct skep_pt_regs_layout *l = &skep_pt_regs_layout;

	CHECK(l->size >= 168);
	CHECK_EQ(l->di, 112);
	CHECK_EQ(l->orig_ax, 120);
}

static pthread_barrier_t gate;
static s32 other_tid;
static struct skep_task *other_seen;

static void *other(void *unused)
{
	other_tid = (s32)syscall(SYS_gettid);
	pthread_barrier_wait(&gate);
	pthread_barrier_wait(&gate); /* looked up from outside meanwhile */
	other_seen = skep_task_current();
	return NULL;
}

static void test_others(void)
{
	struct skep_task *t, *leader = skep_task_current();
	pthread_t thread;
	int err, fd;

	pthread_barrier_init(&gate, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	pthread_barrier_wait(&gate);
	t = skep_task_by_tid(other_tid);
	if (CHECK(t != NULL)) {
		CHECK_EQ(t->pid, other_tid);
		CHECK_EQ(t->tgid, getpid());
		CHECK_EQ(field(skep_task_view(t), "task_struct", "group_leader"),
			 (u64)skep_task_view(leader));
	}
	pthread_barrier_wait(&gate);
	pthread_join(thread, NULL);
	CHECK(other_seen == t); /* the thread adopted the one made for it */
	if (t) {
		CHECK(t->dead);
		CHECK_EQ(t->refs, 1); /* ours */
		skep_task_put(t);
	}
	CHECK(skep_task_by_tid(other_tid) == NULL);
	CHECK(skep_task_by_tid(1) == NULL || getpid() == 1);

	fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	t = skep_task_by_pidfd(fd, &err);
	CHECK(t == leader);
	skep_task_put(t);
	close(fd);
	CHECK(skep_task_by_pidfd(fd, &err) == NULL && err == -EBADF);
	CHECK(skep_task_by_pidfd(0, &err) == NULL && err == -EBADF);
	fd = (int)syscall(SYS_pidfd_open, getppid(), 0);
	if (fd >= 0)
		CHECK(skep_task_by_pidfd(fd, &err) == NULL && err == -ENOENT);
}

static void *enter_once(void *unused)
{
	return skep_task_current();
}

static void test_many(void)
{
	pthread_t t;
	void *seen;

	for (int i = 0; i < 2000; i++) {
		pthread_create(&t, NULL, enter_once, NULL);
		pthread_join(t, &seen);
		if (!seen) {
			CHECK(seen != NULL);
			break;
		}
	}
	CHECK(skep_task_by_tid(0) == NULL);
}

int main(void)
{
	btf = skep_kernel_btf();
	if (!CHECK(btf != NULL))
		return checks_done();
	CHECK_EQ(skep_task_init(btf), 0);
	test_self();
	test_regs();
	test_others();
	test_many();
	return checks_done();
}
