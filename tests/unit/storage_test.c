/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local storage: random operations on owners and maps that come and go, against a table of what
 * should be there; then threads doing the same to shared owners and maps: storage_test [SECONDS].
 *
 * Owners are sockets, files and, where this process may make some, cgroups; for the threads also
 * threads. Maps and owners end in any order.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "base/rcu.h"
#include "isa/uapi.h"
#include "kern/cgroup.h"
#include "kern/inode.h"
#include "kern/sock.h"
#include "kern/task.h"
#include "map/local_storage.h"
#include "obj/map.h"
#include "sys/sys.h"

#define MAPS 24u
#define OWNERS 24u
#define STEPS 60000
#define THREADS 8u

static char cgroup_root[64];

static struct skep_map *make(u32 type, u32 value, u32 flags)
{
	struct skep_map_facts f = {.type = type,
				   .key_size = 4,
				   .value_size = value,
				   .flags = BPF_F_NO_PREALLOC | flags};
	struct skep_map *m = skep_map_ops(type)->alloc(&f);

	assert_false(skep_is_err(m));
	return m;
}

/*
 * Close as the front end does. It is not linked here: libc's own functions stay in place, for the
 * sanitizers' sake.
 */
static void end(int fd)
{
	struct skep_inode_id file;
	u64 cookie = skep_sock_closing(fd);

	skep_inode_closing(fd, &file);
	close(fd);
	if (cookie)
		skep_sock_closed(cookie);
	if (file.ino)
		skep_inode_closed(&file);
}

/* --- owners of a kind: made, found and ended by descriptor --- */

static int cgroup_open(unsigned int n)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/skep-storage-%d-%u", cgroup_root, (int)getpid(), n);
	if (mkdir(path, 0755))
		return -1;
	return open(path, O_RDONLY | O_DIRECTORY);
}

static void cgroup_remove(unsigned int n)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/skep-storage-%d-%u", cgroup_root, (int)getpid(), n);
	rmdir(path);
}

static int owner_open(u32 type, unsigned int n)
{
	switch (type) {
	case BPF_MAP_TYPE_SK_STORAGE:
		return socket(AF_UNIX, SOCK_STREAM, 0);
	case BPF_MAP_TYPE_INODE_STORAGE:
		return (int)syscall(SYS_memfd_create, "owner", 0);
	default:
		return cgroup_open(n);
	}
}

static void owner_close(u32 type, unsigned int n, int fd)
{
	if (type == SKEP_MAP_TYPE_CGRP_STORAGE)
		cgroup_remove(n);
	end(fd);
}

struct ref {
	struct skep_storage_owner *owner;
	struct skep_cgroup *cgroup;
	struct skep_sock *sock;
	struct skep_inode *inode;
};

static struct ref owner_get(u32 type, int fd)
{
	struct ref r = {NULL, NULL, NULL, NULL};
	int err;

	switch (type) {
	case BPF_MAP_TYPE_SK_STORAGE:
		r.sock = skep_sock_by_fd(fd, &err);
		r.owner = r.sock ? &r.sock->owner : NULL;
		break;
	case BPF_MAP_TYPE_INODE_STORAGE:
		r.inode = skep_inode_by_fd(fd, &err);
		r.owner = r.inode ? &r.inode->owner : NULL;
		break;
	default:
		r.cgroup = skep_cgroup_by_fd(fd, &err);
		r.owner = r.cgroup ? &r.cgroup->owner : NULL;
	}
	return r;
}

static void owner_put(struct ref r)
{
	skep_cgroup_put(r.cgroup);
	skep_sock_put(r.sock);
	skep_inode_put(r.inode);
}

/* --- one thread and a model --- */

struct model {
	u32 type;
	struct skep_map *maps[MAPS];
	int fds[OWNERS]; /* -1: no owner */
	bool present[MAPS][OWNERS];
	u64 value[MAPS][OWNERS];
};

static void replace_map(struct model *w, unsigned int m)
{
	if (w->maps[m]) {
		skep_map_put(w->maps[m]);
		skep_rcu_drain();
		w->maps[m] = NULL;
	} else {
		w->maps[m] = make(w->type, 8, 0);
	}
	memset(w->present[m], 0, sizeof(w->present[m]));
}

static void replace_owner(struct model *w, unsigned int o)
{
	if (w->fds[o] >= 0) {
		owner_close(w->type, o, w->fds[o]);
		w->fds[o] = -1;
	} else {
		w->fds[o] = owner_open(w->type, o);
		assert_true(w->fds[o] >= 0);
	}
	for (unsigned int m = 0; m < MAPS; m++)
		w->present[m][o] = false;
}

static void user_update(struct model *w, unsigned int m, unsigned int o)
{
	u64 v = (u64)rand(), flags = (u64)(rand() % 4);
	bool *present = &w->present[m][o];
	int want = 0;

	if (flags == 3)
		want = -EINVAL;
	else if (*present && flags == BPF_NOEXIST)
		want = -EEXIST;
	else if (!*present && flags == BPF_EXIST)
		want = -ENOENT;
	assert_int_equal(w->maps[m]->ops->sys_update(w->maps[m], &w->fds[o], &v, flags), want);
	if (!want) {
		*present = true;
		w->value[m][o] = v;
	}
}

static void program_get(struct model *w, unsigned int m, unsigned int o)
{
	struct ref r = owner_get(w->type, w->fds[o]);
	u64 init = (u64)rand(), *v;
	bool with = rand() % 2, create = rand() % 2;

	assert_non_null(r.owner);
	skep_rcu_read_lock();
	v = skep_storage_get(w->maps[m], r.owner, with ? &init : NULL, create, false);
	if (w->present[m][o]) {
		assert_non_null(v);
		assert_int_equal(*v, w->value[m][o]);
		w->value[m][o] = ++*v;
	} else if (create) {
		assert_non_null(v);
		assert_int_equal(*v, with ? init : 0);
		w->present[m][o] = true;
		w->value[m][o] = *v;
	} else {
		assert_null(v);
	}
	skep_rcu_read_unlock();
	owner_put(r);
}

static void erase(struct model *w, unsigned int m, unsigned int o)
{
	int want = w->present[m][o] ? 0 : -ENOENT;

	if (rand() % 2) {
		assert_int_equal(w->maps[m]->ops->sys_erase(w->maps[m], &w->fds[o]), want);
	} else {
		struct ref r = owner_get(w->type, w->fds[o]);

		skep_rcu_read_lock();
		assert_int_equal(skep_storage_delete(w->maps[m], r.owner, false), want);
		skep_rcu_read_unlock();
		owner_put(r);
	}
	w->present[m][o] = false;
}

static void compare(struct model *w)
{
	struct skep_map *plain = make(w->type, 8, 0);
	u64 empty = plain->ops->mem_usage(plain);

	skep_map_put(plain);
	skep_rcu_drain();
	for (unsigned int m = 0; m < MAPS; m++) {
		u32 n = 0;

		if (!w->maps[m])
			continue;
		for (unsigned int o = 0; o < OWNERS; o++) {
			u64 v = 0;
			int err;

			if (w->fds[o] < 0)
				continue;
			err = w->maps[m]->ops->sys_lookup(w->maps[m], &w->fds[o], &v, 0);
			assert_int_equal(err, w->present[m][o] ? 0 : -ENOENT);
			if (!err)
				assert_int_equal(v, w->value[m][o]);
			n += w->present[m][o];
		}
		/* Nothing is counted but what is there: owners that ended took theirs along. */
		/* (Removed cgroups are noticed when they are looked at.) */
		if (!n && w->type != SKEP_MAP_TYPE_CGRP_STORAGE)
			assert_true(w->maps[m]->ops->mem_usage(w->maps[m]) == empty);
	}
}

static void follow(u32 type)
{
	static struct model w;

	memset(&w, 0, sizeof(w));
	w.type = type;
	memset(w.fds, 0xff, sizeof(w.fds));
	srand(11);
	for (int i = 0; i < STEPS; i++) {
		unsigned int m = (unsigned int)rand() % MAPS, o = (unsigned int)rand() % OWNERS;
		int what = rand() % 100;

		if (what < 2)
			replace_map(&w, m);
		else if (what < 5)
			replace_owner(&w, o);
		else if (!w.maps[m] || w.fds[o] < 0)
			continue;
		else if (what < 30)
			user_update(&w, m, o);
		else if (what < 80)
			program_get(&w, m, o);
		else
			erase(&w, m, o);
		if (i % 500 == 0)
			compare(&w);
	}
	compare(&w);
	/* Both orders: half of the owners, the maps, the others. */
	for (unsigned int o = 0; o < OWNERS; o += 2)
		if (w.fds[o] >= 0)
			replace_owner(&w, o);
	compare(&w);
	for (unsigned int m = 0; m < MAPS; m++)
		if (w.maps[m])
			replace_map(&w, m);
	for (unsigned int o = 1; o < OWNERS; o += 2)
		if (w.fds[o] >= 0)
			replace_owner(&w, o);
	skep_rcu_drain();
}

static void sockets_follow_the_model(void **state)
{
	(void)state;
	follow(BPF_MAP_TYPE_SK_STORAGE);
	assert_int_equal(skep_nr_socks, 0);
}

static void inodes_follow_the_model(void **state)
{
	(void)state;
	follow(BPF_MAP_TYPE_INODE_STORAGE);
	assert_int_equal(skep_nr_inodes, 0);
}

static void cgroups_follow_the_model(void **state)
{
	(void)state;
	if (!cgroup_root[0])
		skip();
	follow(SKEP_MAP_TYPE_CGRP_STORAGE);
}

/* Many maps: tables grow, values stay where they are, each owner's own. */
static void tables_grow(void **state)
{
	static struct skep_map *maps[1000];
	int fds[3];

	(void)state;
	for (unsigned int o = 0; o < ARRAY_SIZE(fds); o++)
		fds[o] = owner_open(BPF_MAP_TYPE_SK_STORAGE, o);
	for (unsigned int m = 0; m < ARRAY_SIZE(maps); m++) {
		maps[m] = make(BPF_MAP_TYPE_SK_STORAGE, 8, 0);
		for (unsigned int o = 0; o < ARRAY_SIZE(fds); o++) {
			u64 v = m * 10 + o;

			assert_int_equal(maps[m]->ops->sys_update(maps[m], &fds[o], &v, 0), 0);
		}
	}
	for (unsigned int m = 0; m < ARRAY_SIZE(maps); m++)
		for (unsigned int o = 0; o < ARRAY_SIZE(fds); o++) {
			u64 v = 0;

			assert_int_equal(maps[m]->ops->sys_lookup(maps[m], &fds[o], &v, 0), 0);
			assert_int_equal(v, m * 10 + o);
		}
	end(fds[0]);
	for (unsigned int m = 0; m < ARRAY_SIZE(maps); m++)
		skep_map_put(maps[m]);
	skep_rcu_drain();
	end(fds[1]);
	end(fds[2]);
}

/* What runs inside the making of storage may read, and makes and deletes nothing (task, cgroup). */
static struct skep_map *inner_map;
static int inner_runs;

static void remake(const struct skep_storage_owner *o, const struct skep_map *m, const void *value,
		   u64 flags)
{
	struct skep_storage_owner *own = (struct skep_storage_owner *)o;

	if (inner_runs++)
		return;
	assert_null(skep_storage_get(inner_map, own, NULL, true, false));
	assert_int_equal(skep_storage_delete(inner_map, own, false), -EBUSY);
	assert_null(skep_storage_get(inner_map, own, NULL, false, false));
	/* Where it may nest (LSM hooks) it does. */
	assert_non_null(skep_storage_get(inner_map, own, NULL, true, true));
	assert_non_null(skep_storage_get(inner_map, own, NULL, false, false));
}

static void work_does_not_nest(void **state)
{
	struct skep_map *m = make(BPF_MAP_TYPE_TASK_STORAGE, 8, 0);
	struct skep_task *t = skep_task_current();
	u64 v = 1;

	(void)state;
	inner_map = make(BPF_MAP_TYPE_TASK_STORAGE, 8, 0);
	skep_storage_updating = remake;
	inner_runs = 0;
	skep_rcu_read_lock();
	assert_non_null(skep_storage_get(m, &t->owner, NULL, true, false));
	assert_int_equal(inner_runs, 2);
	/* It is over: all is as before. */
	skep_storage_updating = NULL;
	assert_int_equal(skep_storage_delete(inner_map, &t->owner, false), 0);
	assert_non_null(skep_storage_get(inner_map, &t->owner, &v, true, false));
	skep_rcu_read_unlock();
	skep_map_put(m);
	skep_map_put(inner_map);
	skep_rcu_drain();
}

static void clones_are_copies(void **state)
{
	struct skep_map *with = make(BPF_MAP_TYPE_SK_STORAGE, 8, BPF_F_CLONE),
			*without = make(BPF_MAP_TYPE_SK_STORAGE, 8, 0);
	int a = owner_open(BPF_MAP_TYPE_SK_STORAGE, 0), b = owner_open(BPF_MAP_TYPE_SK_STORAGE, 1);
	struct ref from = owner_get(BPF_MAP_TYPE_SK_STORAGE, a),
		   to = owner_get(BPF_MAP_TYPE_SK_STORAGE, b);
	u64 v = 5;

	(void)state;
	with->ops->sys_update(with, &a, &v, 0);
	without->ops->sys_update(without, &a, &v, 0);
	assert_true(skep_storage_has_clones(from.owner));
	assert_false(skep_storage_has_clones(to.owner));
	skep_storage_clone(from.owner, to.owner);
	v = 6;
	with->ops->sys_update(with, &a, &v, 0);
	assert_int_equal(with->ops->sys_lookup(with, &b, &v, 0), 0);
	assert_int_equal(v, 5);
	assert_int_equal(without->ops->sys_lookup(without, &b, &v, 0), -ENOENT);
	owner_put(from);
	owner_put(to);
	end(a);
	end(b);
	skep_map_put(with);
	skep_map_put(without);
	skep_rcu_drain();
}

/* --- threads --- */

static struct {
	pthread_rwlock_t lock; /* of the slot, not of the map: a reference is taken under it */
	struct skep_map *map;
} shared[2][MAPS]; /* sockets, tasks */
static int shared_fds[OWNERS];
static bool stop;
static u64 created, erased, ended;

static struct skep_map *shared_get(u32 k, u32 n)
{
	struct skep_map *m;

	pthread_rwlock_rdlock(&shared[k][n].lock);
	m = shared[k][n].map;
	if (m)
		skep_map_get(m);
	pthread_rwlock_unlock(&shared[k][n].lock);
	return m;
}

static void shared_replace(u32 k, u32 n)
{
	struct skep_map *old,
		*m = make(k ? BPF_MAP_TYPE_TASK_STORAGE : BPF_MAP_TYPE_SK_STORAGE, 16, 0);

	pthread_rwlock_wrlock(&shared[k][n].lock);
	old = shared[k][n].map;
	shared[k][n].map = m;
	pthread_rwlock_unlock(&shared[k][n].lock);
	skep_map_put(old);
	skep_rcu_drain();
}

/* Values say which map they belong to: one in another's slot would be seen. */
static void touch(struct skep_map *m, struct skep_storage_owner *o, u32 what)
{
	u64 init[2] = {(u64)m, ~(u64)m}, *v;

	skep_rcu_read_lock();
	if (what % 4 == 0) {
		if (!skep_storage_delete(m, o, false))
			__atomic_fetch_add(&erased, 1, __ATOMIC_RELAXED);
	} else {
		v = skep_storage_get(m, o, init, what % 2, false);
		if (v) {
			if (__atomic_load_n(&v[0], __ATOMIC_RELAXED) != (u64)m ||
			    __atomic_load_n(&v[1], __ATOMIC_RELAXED) != ~(u64)m)
				abort();
			__atomic_fetch_add(&created, 1, __ATOMIC_RELAXED);
		}
	}
	skep_rcu_read_unlock();
}

static void *short_life(void *unused)
{
	for (u32 i = 0; i < 8; i++) {
		struct skep_map *m = shared_get(1, i);

		if (!m)
			continue;
		touch(m, &skep_task_current()->owner, i | 1);
		skep_map_put(m);
	}
	return unused;
}

static void *work(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		u32 r = (u32)rand_r(&seed), n = r / 64 % MAPS, o = r / 4096 % OWNERS;
		struct skep_map *m;
		struct skep_sock *s;
		pthread_t t;
		int fd, err;

		if (r % 64 == 0) {
			shared_replace(r / 7 % 2, n);
		} else if (r % 64 == 1) {
			if (!pthread_create(&t, NULL, short_life, NULL))
				pthread_join(t, NULL);
		} else if (r % 64 < 4) {
			fd = __atomic_exchange_n(&shared_fds[o], -1, __ATOMIC_ACQ_REL);
			if (fd >= 0)
				end(fd);
			fd = socket(AF_UNIX, SOCK_STREAM, 0);
			if (fd >= 0)
				fd = __atomic_exchange_n(&shared_fds[o], fd, __ATOMIC_ACQ_REL);
			if (fd >= 0)
				end(fd);
			__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
		} else if (r % 64 < 20) {
			m = shared_get(1, n);
			if (m)
				touch(m, &skep_task_current()->owner, r / 3);
			skep_map_put(m);
		} else {
			fd = __atomic_load_n(&shared_fds[o], __ATOMIC_RELAXED);
			s = fd >= 0 ? skep_sock_by_fd(fd, &err) : NULL;
			m = shared_get(0, n);
			if (s && m)
				touch(m, &s->owner, r / 3);
			skep_map_put(m);
			skep_sock_put(s);
		}
	}
	return NULL;
}

static void threads_share(unsigned int seconds)
{
	pthread_t t[THREADS];

	stop = false;
	created = erased = ended = 0;
	memset(shared_fds, 0xff, sizeof(shared_fds));
	for (u32 k = 0; k < 2; k++)
		for (u32 n = 0; n < MAPS; n++)
			pthread_rwlock_init(&shared[k][n].lock, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	sleep(seconds);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (u32 i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (u32 k = 0; k < 2; k++)
		for (u32 n = 0; n < MAPS; n++)
			skep_map_put(shared[k][n].map);
	for (u32 o = 0; o < OWNERS; o++)
		if (shared_fds[o] >= 0)
			end(shared_fds[o]);
	skep_rcu_drain();
	printf("%u s: %llu gets, %llu deletes, %llu sockets\n", seconds,
	       (unsigned long long)created, (unsigned long long)erased, (unsigned long long)ended);
}

static void threads_agree(void **state)
{
	(void)state;
	threads_share(1);
	assert_true(created && erased && ended);
	assert_int_equal(skep_nr_socks, 0);
}

/* A file system for cgroups in which this process may make some, or none. */
static void find_cgroups(void)
{
	static const char *const roots[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};

	for (unsigned int i = 0; i < ARRAY_SIZE(roots); i++) {
		char file[96];
		int fd;

		snprintf(file, sizeof(file), "%s/cgroup.controllers", roots[i]);
		if (access(file, F_OK))
			continue;
		strcpy(cgroup_root, roots[i]);
		fd = cgroup_open(99);
		if (fd >= 0) {
			close(fd);
			cgroup_remove(99);
			return;
		}
		cgroup_root[0] = 0;
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_follow_the_model),
		cmocka_unit_test(inodes_follow_the_model),
		cmocka_unit_test(cgroups_follow_the_model),
		cmocka_unit_test(tables_grow),
		cmocka_unit_test(work_does_not_nest),
		cmocka_unit_test(clones_are_copies),
		cmocka_unit_test(threads_agree),
	};
	int failed;

	skep_init();
	if (argc > 1) {
		threads_share((unsigned int)atoi(argv[1]));
		return 0;
	}
	find_cgroups();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	/* A test that failed left its own. */
	for (unsigned int o = 0; cgroup_root[0] && o < OWNERS; o++)
		cgroup_remove(o);
	return failed;
}
