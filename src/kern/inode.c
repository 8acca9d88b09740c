/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes: found by descriptor or path.
 *
 * statx tells what a file is in one call. hash_lock guards the chains; no call into the kernel is
 * made under it. Two objects never stand for one (file system, number): one with another time of
 * birth ends the older.
 */
#include "kern/inode.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/pool.h"
#include "base/raw.h"
#include "kern/kernel_btf.h"
#include "kern/view.h"

#define BUCKETS 4096u

u32 skep_nr_inodes;

static struct skep_pool inodes = SKEP_POOL_INIT(sizeof(struct skep_inode)),
			supers = SKEP_POOL_INIT(64);
static struct skep_lock init_lock, hash_lock;
static struct skep_inode *buckets[BUCKETS];
static u64 clock_hand; /* counts look-ups */
static bool initialised;

enum { I_INO, I_MODE, I_UID, I_GID, I_SIZE, I_NLINK, I_RDEV, I_SB, NR_INODE_FIELDS };
static struct skep_view_field inode_fields[NR_INODE_FIELDS] = {
	[I_INO] = {"i_ino", 8},	  [I_MODE] = {"i_mode", 2}, [I_UID] = {"i_uid", 4},
	[I_GID] = {"i_gid", 4},	  [I_SIZE] = {"i_size", 8}, [I_NLINK] = {"i_nlink", 4},
	[I_RDEV] = {"i_rdev", 4}, [I_SB] = {"i_sb", 8},
};
enum { B_DEV, B_MAGIC, NR_SUPER_FIELDS };
static struct skep_view_field super_fields[NR_SUPER_FIELDS] = {
	[B_DEV] = {"s_dev", 4},
	[B_MAGIC] = {"s_magic", 8},
};

int skep_inode_init(const struct skep_btf *btf)
{
	if (__atomic_load_n(&initialised, __ATOMIC_ACQUIRE))
		return 0;
	if (skep_arena_init())
		return -ENOMEM;
	skep_lock(&init_lock);
	if (!initialised) {
		skep_view_resolve(btf, "inode", inode_fields, NR_INODE_FIELDS);
		skep_view_resolve(btf, "super_block", super_fields, NR_SUPER_FIELDS);
		skep_pool_init(&inodes, (u32)sizeof(struct skep_inode) +
						SKEP_MAX(skep_view_size(btf, "inode"), 64u));
		skep_pool_init(&supers, SKEP_MAX(skep_view_size(btf, "super_block"), 64u));
		__atomic_store_n(&initialised, true, __ATOMIC_RELEASE);
	}
	skep_unlock(&init_lock);
	return 0;
}

static bool ready(void)
{
	return __atomic_load_n(&initialised, __ATOMIC_ACQUIRE) ||
	       !skep_inode_init(skep_kernel_btf());
}

/* --- objects --- */

static void inode_free(struct skep_rcu_head *head)
{
	struct skep_inode *i = container_of(head, struct skep_inode, rcu);

	skep_pool_free(&supers, i->super);
	skep_pool_free(&inodes, i);
}

void skep_inode_get(struct skep_inode *i)
{
	__atomic_fetch_add(&i->refs, 1, __ATOMIC_RELAXED);
}

bool skep_inode_get_unless_zero(struct skep_inode *i)
{
	u64 refs = SKEP_READ(i->refs);

	while (refs)
		if (__atomic_compare_exchange_n(&i->refs, &refs, refs + 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

void skep_inode_put(struct skep_inode *i)
{
	if (i && !__atomic_sub_fetch(&i->refs, 1, __ATOMIC_ACQ_REL))
		skep_rcu_defer(&i->rcu, inode_free);
}

static struct skep_inode **bucket(u64 dev, u64 ino)
{
	return &buckets[(ino ^ dev * 31) % BUCKETS];
}

/* The file is gone, or forgotten: its storage goes. */
static void retire(struct skep_inode *i)
{
	struct skep_inode **pp = bucket(i->dev, i->ino);
	bool found;

	skep_lock(&hash_lock);
	while (*pp && *pp != i)
		pp = &(*pp)->hash_next;
	found = *pp != NULL;
	if (found) {
		*pp = i->hash_next;
		SKEP_WRITE(skep_nr_inodes, skep_nr_inodes - 1);
		SKEP_WRITE(i->dead, true);
	}
	skep_unlock(&hash_lock);
	if (!found)
		return;
	skep_owner_end(&i->owner);
	skep_inode_put(i);
}

static u64 dev_of(const struct statx *st)
{
	return makedev(st->stx_dev_major, st->stx_dev_minor);
}

static u64 birth_of(const struct statx *st)
{
	return st->stx_mask & STATX_BTIME
		       ? (u64)st->stx_btime.tv_sec * 1000000000ull + st->stx_btime.tv_nsec
		       : 0;
}

static void fill(struct skep_inode *i, const struct statx *st)
{
	void *view = skep_inode_view(i);

	skep_view_put(view, &inode_fields[I_MODE], st->stx_mode);
	skep_view_put(view, &inode_fields[I_UID], st->stx_uid);
	skep_view_put(view, &inode_fields[I_GID], st->stx_gid);
	skep_view_put(view, &inode_fields[I_SIZE], st->stx_size);
	skep_view_put(view, &inode_fields[I_NLINK], st->stx_nlink);
}

static struct skep_inode *inode_new(const struct statx *st, u64 magic)
{
	struct skep_inode *i = skep_pool_alloc(&inodes);
	void *view;

	if (!i)
		return NULL;
	i->super = skep_pool_alloc(&supers);
	if (!i->super) {
		skep_pool_free(&inodes, i);
		return NULL;
	}
	i->refs = 1;
	i->dev = dev_of(st);
	i->ino = st->stx_ino;
	i->birth = birth_of(st);
	skep_owner_init(&i->owner);
	view = skep_inode_view(i);
	/* The kernel's own numbers of devices: 12 bits of major, 20 of minor. */
	skep_view_put(i->super, &super_fields[B_DEV],
		      (u64)st->stx_dev_major << 20 | st->stx_dev_minor);
	skep_view_put(i->super, &super_fields[B_MAGIC], magic);
	skep_view_put(view, &inode_fields[I_INO], i->ino);
	skep_view_put(view, &inode_fields[I_RDEV],
		      (u64)st->stx_rdev_major << 20 | st->stx_rdev_minor);
	skep_view_put(view, &inode_fields[I_SB], (u64)i->super);
	return i;
}

static struct skep_inode *chain_find(u64 dev, u64 ino)
{
	struct skep_inode *i = *bucket(dev, ino);

	while (i && (i->ino != ino || i->dev != dev))
		i = i->hash_next;
	if (i) {
		i->last_asked = ++clock_hand;
		skep_inode_get(i);
	}
	return i;
}

static struct skep_inode *hash_find(u64 dev, u64 ino)
{
	struct skep_inode *i;

	skep_lock(&hash_lock);
	i = chain_find(dev, ino);
	skep_unlock(&hash_lock);
	return i;
}

/* @i, new, is hashed, unless another came first: that one, referenced. */
static struct skep_inode *hash_add(struct skep_inode *i)
{
	struct skep_inode *other;

	skep_lock(&hash_lock);
	other = chain_find(i->dev, i->ino);
	if (!other) {
		i->hash_next = *bucket(i->dev, i->ino);
		*bucket(i->dev, i->ino) = i;
		i->last_asked = ++clock_hand;
		SKEP_WRITE(skep_nr_inodes, skep_nr_inodes + 1);
		skep_inode_get(i);
	}
	skep_unlock(&hash_lock);
	if (!other)
		return i;
	skep_inode_put(i);
	return other;
}

/* --- ends --- */

/* Does some descriptor of this process show this file? When in doubt, yes. */
static bool is_open(const struct skep_inode *i)
{
	char buf[2048] __attribute__((aligned(8)));
	long dir = skep_raw(__NR_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n;
	bool found = false;
	struct stat st;

	if (dir < 0)
		return true;
	while (!found && (n = skep_raw(__NR_getdents64, dir, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n && !found; p += *(u16 *)(p + 16))
			found = !skep_raw(__NR_newfstatat, dir, p + 19, &st, 0) &&
				st.st_ino == i->ino && st.st_dev == i->dev;
	skep_raw(__NR_close, dir);
	return found;
}

void skep_inode_closing(int fd, struct skep_inode_id *ret)
{
	struct stat st;

	*ret = (struct skep_inode_id){0, 0};
	if (!skep_raw(__NR_fstat, fd, &st) && !st.st_nlink)
		*ret = (struct skep_inode_id){st.st_dev, st.st_ino};
}

/* The reference goes. */
static void end_if_closed(struct skep_inode *i)
{
	if (i && !is_open(i))
		retire(i);
	skep_inode_put(i);
}

/* An object made since closing() is found too: who made it then looked at the descriptor again. */
void skep_inode_closed(const struct skep_inode_id *id)
{
	end_if_closed(hash_find(id->dev, id->ino));
}

/* Too many: one of those that were asked for longest ago, of some that are looked at, goes. */
static void make_room(void)
{
	static u32 next;
	struct skep_inode *oldest = NULL;

	if (SKEP_READ(skep_nr_inodes) < SKEP_INODES_KEPT)
		return;
	skep_lock(&hash_lock);
	for (u32 n = 0; n < 64; n++)
		for (struct skep_inode *i = buckets[next++ % BUCKETS]; i; i = i->hash_next)
			if (!oldest || i->last_asked < oldest->last_asked)
				oldest = i;
	if (oldest)
		skep_inode_get(oldest);
	skep_unlock(&hash_lock);
	end_if_closed(oldest);
}

static bool same_file(int fd, const struct skep_inode *i)
{
	struct stat st;

	return !skep_raw(__NR_fstat, fd, &st) && st.st_dev == i->dev && st.st_ino == i->ino;
}

static struct skep_inode *by_statx(int dir, const char *path, int flags, int *ret_err)
{
	struct skep_inode *i;
	struct statfs fs = {0};
	struct statx st;

	*ret_err =
		(int)skep_raw(__NR_statx, dir, path, flags, STATX_BASIC_STATS | STATX_BTIME, &st);
	if (*ret_err)
		return NULL;
	*ret_err = -ENOMEM;
	if (!ready())
		return NULL;
	i = hash_find(dev_of(&st), st.stx_ino);
	if (i && i->birth != birth_of(&st)) {
		retire(i);
		skep_inode_put(i);
		i = NULL;
	}
	if (!i) {
		make_room();
		if (flags & AT_EMPTY_PATH)
			skep_raw(__NR_fstatfs, dir, &fs);
		else if (path[0] == '/' || dir == AT_FDCWD)
			skep_raw(__NR_statfs, path, &fs);
		i = inode_new(&st, (u64)fs.f_type);
		if (!i)
			return NULL;
		i = hash_add(i);
		/* Closed meanwhile by who did not see the object yet? */
		if (flags & AT_EMPTY_PATH && !st.stx_nlink && !same_file(dir, i) && !is_open(i))
			retire(i);
	}
	fill(i, &st);
	*ret_err = 0;
	return i;
}

struct skep_inode *skep_inode_by_fd(int fd, int *ret_err)
{
	return by_statx(fd, "", AT_EMPTY_PATH, ret_err);
}

struct skep_inode *skep_inode_by_path(int dir, const char *path, int *ret_err)
{
	return by_statx(dir, path, AT_SYMLINK_NOFOLLOW, ret_err);
}

void skep_inode_fork_child(void)
{
	skep_lock_reset(&init_lock);
	skep_lock_reset(&hash_lock);
	memset(buckets, 0, sizeof(buckets));
	skep_nr_inodes = 0;
}
