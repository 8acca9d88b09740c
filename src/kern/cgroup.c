/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cgroups: what the host's cgroup file systems and /proc say, as objects.
 *
 * A directory is found by descriptor, by a thread's line in /proc, or by walking the cgroup2 tree
 * for an id. From its open descriptor the way up ("..") gives its ancestors, which become objects
 * too; an object holds a reference on its parent. The hash holds one on every object of a
 * directory that was there when last looked at.
 *
 * Mounts are learnt from mountinfo once, and again (once per skep_cgroup_expire()) when a hierarchy
 * that is asked for is not among them. In a container a mount may show a part of the hierarchy, and
 * /proc may name paths from a cgroup namespace's root: what this process sees as the root is level
 * 0 here. Where nothing shows the cgroup2 hierarchy, all threads are in a root that has no
 * directory, id 1, as on kernels that do not use it.
 *
 * Everything here may run inside a program: raw calls, buffers on the stack, pools. hash_lock
 * guards the chains, mounts_lock the mounts; neither is held over a call into the kernel but for
 * the reading of mountinfo.
 */
#include "kern/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "base/pool.h"
#include "base/raw.h"
#include "kern/kernel_btf.h"
#include "kern/proc.h"
#include "kern/view.h"

#define BUCKETS 256u
#define MAX_MOUNTS 32u
#define CGROUP2_MAGIC 0x63677270
#define CGROUP1_MAGIC 0x27e0eb
#define ROOT_ID 1u
/* Directories looked into for one id. */
#define MAX_WALK 65536u
/* Objects that may be there before those whose directories are gone are looked for. */
#define MIN_SWEEP 64u

u32 skep_cgroup_watched;
static u32 generation = 1;

static struct skep_pool cgroups = SKEP_POOL_INIT(sizeof(struct skep_cgroup));
static struct skep_pool css_sets = SKEP_POOL_INIT(64), nodes = SKEP_POOL_INIT(64),
			roots = SKEP_POOL_INIT(64);
static struct skep_lock init_lock, hash_lock, mounts_lock;
static struct skep_cgroup *buckets[BUCKETS];
static u32 nr_hashed, sweep_at = MIN_SWEEP;
static bool initialised;

static struct cgroup_mount {
	u32 hierarchy;
	u64 dev;
	char controllers[64]; /* as in /proc/<pid>/cgroup; empty for cgroup2 */
	char root[128];	      /* of the mount, inside the hierarchy */
	char point[256];
} mounts[MAX_MOUNTS];
static u32 nr_mounts, mounts_generation;

/* --- layout --- */

enum { G_KN, G_LEVEL, G_SELF_CGROUP, G_SELF_PARENT, G_ROOT, NR_CGROUP_FIELDS };
static struct skep_view_field cgroup_fields[NR_CGROUP_FIELDS] = {
	[G_KN] = {"kn", 8},
	[G_LEVEL] = {"level", 4},
	[G_SELF_CGROUP] = {"self.cgroup", 8},
	[G_SELF_PARENT] = {"self.parent", 8},
	[G_ROOT] = {"root", 8},
};
static u32 self_off, ancestors_off, root_cgroup_off; /* 0: the last two are not there */

enum { K_ID, K_NAME, K_PARENT, K_PARENT_OLD, NR_NODE_FIELDS };
static struct skep_view_field node_fields[NR_NODE_FIELDS] = {
	[K_ID] = {"id", 8},
	[K_NAME] = {"name", 8},
	[K_PARENT] = {"__parent", 8},
	[K_PARENT_OLD] = {"parent", 8}, /* its name before Linux 6.15 */
};
static struct skep_view_field root_fields[] = {{"hierarchy_id", 4}};
static struct skep_view_field css_set_fields[] = {{"dfl_cgrp", 8}};
static struct skep_view_field task_fields[] = {{"cgroups", 8}};

static u32 offset_of(const struct skep_btf *btf, const char *type, const char *field)
{
	u32 off, size;

	return btf && !skep_btf_field(btf, type, field, &off, &size) ? off : 0;
}

int skep_cgroup_init(const struct skep_btf *btf)
{
	u32 size;

	if (__atomic_load_n(&initialised, __ATOMIC_ACQUIRE))
		return 0;
	if (skep_arena_init())
		return -ENOMEM;
	skep_lock(&init_lock);
	if (initialised) {
		skep_unlock(&init_lock);
		return 0;
	}
	skep_view_resolve(btf, "cgroup", cgroup_fields, NR_CGROUP_FIELDS);
	skep_view_resolve(btf, "kernfs_node", node_fields, NR_NODE_FIELDS);
	skep_view_resolve(btf, "cgroup_root", root_fields, 1);
	skep_view_resolve(btf, "css_set", css_set_fields, 1);
	skep_view_resolve(btf, "task_struct", task_fields, 1);
	self_off = offset_of(btf, "cgroup", "self");
	ancestors_off = offset_of(btf, "cgroup", "ancestors");
	root_cgroup_off = offset_of(btf, "cgroup_root", "cgrp");
	size = SKEP_MAX(skep_view_size(btf, "cgroup"), 64u);
	if (ancestors_off)
		size = SKEP_MAX(size, ancestors_off + 8 * (SKEP_CGROUP_MAX_LEVEL + 1));
	skep_pool_init(&cgroups, (u32)sizeof(struct skep_cgroup) + size);
	skep_pool_init(&css_sets, SKEP_MAX(skep_view_size(btf, "css_set"), 64u));
	skep_pool_init(&nodes, SKEP_MAX(skep_view_size(btf, "kernfs_node"), 64u));
	skep_pool_init(&roots, SKEP_MAX(skep_view_size(btf, "cgroup_root"), 64u));
	__atomic_store_n(&initialised, true, __ATOMIC_RELEASE);
	skep_unlock(&init_lock);
	return 0;
}

static bool ready(void)
{
	return __atomic_load_n(&initialised, __ATOMIC_ACQUIRE) ||
	       !skep_cgroup_init(skep_kernel_btf());
}

/* --- objects --- */

static void put_path(struct skep_cgroup *c)
{
	if (c->path)
		skep_sized_free(c->path, c->path_bytes);
}

static void cgroup_free(struct skep_rcu_head *head)
{
	struct skep_cgroup *c = container_of(head, struct skep_cgroup, rcu), *parent = c->parent;

	put_path(c);
	skep_pool_free(&css_sets, c->css_set);
	skep_pool_free(&nodes, c->kn);
	if (!parent)
		skep_pool_free(&roots, c->root);
	skep_pool_free(&cgroups, c);
	skep_cgroup_put(parent);
}

void skep_cgroup_get(struct skep_cgroup *c)
{
	__atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED);
}

bool skep_cgroup_get_unless_zero(struct skep_cgroup *c)
{
	u64 refs = SKEP_READ(c->refs);

	while (refs)
		if (__atomic_compare_exchange_n(&c->refs, &refs, refs + 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

void skep_cgroup_put(struct skep_cgroup *c)
{
	if (c && !__atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL))
		skep_rcu_defer(&c->rcu, cgroup_free);
}

struct skep_cgroup *skep_cgroup_ancestor(struct skep_cgroup *c, s32 level)
{
	if (level < 0 || (u32)level > c->level)
		return NULL;
	while (c && c->level > (u32)level)
		c = c->parent;
	return c;
}

static void *new_root(u32 hierarchy)
{
	void *root = skep_pool_alloc(&roots);

	if (!root)
		return NULL;
	skep_view_put(root, &root_fields[0], hierarchy);
	/* The cgroup inside it is not the one that everybody else means: it owns nothing. */
	if (root_cgroup_off >= 16)
		skep_owner_dummy((char *)root + root_cgroup_off);
	return root;
}

/* Takes over the reference on @parent, if it succeeds. */
static struct skep_cgroup *cgroup_new(u64 dev, u64 ino, u32 hierarchy, struct skep_cgroup *parent,
				      const char *path)
{
	struct skep_cgroup *c = skep_pool_alloc(&cgroups);
	u32 len = (u32)strlen(path) + 1;
	const char *name;
	void *view;

	if (!c)
		return NULL;
	c->css_set = skep_pool_alloc(&css_sets);
	c->kn = skep_pool_alloc(&nodes);
	c->root = parent ? parent->root : new_root(hierarchy);
	c->path = skep_sized_alloc(len);
	c->path_bytes = len;
	if (!c->css_set || !c->kn || !c->root || !c->path) {
		put_path(c);
		skep_pool_free(&css_sets, c->css_set);
		skep_pool_free(&nodes, c->kn);
		if (!parent)
			skep_pool_free(&roots, c->root);
		skep_pool_free(&cgroups, c);
		return NULL;
	}
	memcpy(c->path, path, len);
	c->refs = 1;
	c->dev = dev;
	c->ino = ino;
	c->hierarchy = hierarchy;
	c->parent = parent;
	c->level = parent ? parent->level + 1 : 0;
	skep_owner_init(&c->owner);
	view = skep_cgroup_view(c);
	name = strrchr(c->path, '/');
	skep_view_put(c->kn, &node_fields[K_ID], ino);
	/* The root of a hierarchy has no name. */
	skep_view_put(c->kn, &node_fields[K_NAME],
		      (u64)(parent && name ? name + 1 : c->path + len - 1));
	skep_view_put(c->kn, &node_fields[K_PARENT], parent ? (u64)parent->kn : 0);
	skep_view_put(c->kn, &node_fields[K_PARENT_OLD], parent ? (u64)parent->kn : 0);
	skep_view_put(view, &cgroup_fields[G_KN], (u64)c->kn);
	skep_view_put(view, &cgroup_fields[G_LEVEL], c->level);
	skep_view_put(view, &cgroup_fields[G_SELF_CGROUP], (u64)view);
	skep_view_put(view, &cgroup_fields[G_ROOT], (u64)c->root);
	if (parent)
		skep_view_put(view, &cgroup_fields[G_SELF_PARENT],
			      (u64)skep_cgroup_view(parent) + self_off);
	for (struct skep_cgroup *a = c; a && ancestors_off; a = a->parent)
		SKEP_WRITE(((u64 *)((char *)view + ancestors_off))[a->level],
			   (u64)skep_cgroup_view(a));
	skep_view_put(c->css_set, &css_set_fields[0], (u64)view);
	return c;
}

/* --- the hash --- */

static struct skep_cgroup **bucket(u64 dev, u64 ino)
{
	return &buckets[(ino ^ dev * 31) % BUCKETS];
}

/* Referenced, or NULL. */
static struct skep_cgroup *hash_find(u64 dev, u64 ino)
{
	struct skep_cgroup *c;

	skep_lock(&hash_lock);
	for (c = *bucket(dev, ino); c && (c->ino != ino || c->dev != dev); c = c->hash_next)
		;
	if (c)
		skep_cgroup_get(c);
	skep_unlock(&hash_lock);
	return c;
}

/* @c, new, is hashed, unless another came first: that one, referenced. */
static struct skep_cgroup *hash_add(struct skep_cgroup *c)
{
	struct skep_cgroup **head = bucket(c->dev, c->ino), *other;

	skep_lock(&hash_lock);
	for (other = *head; other && (other->ino != c->ino || other->dev != c->dev);
	     other = other->hash_next)
		;
	if (other) {
		skep_cgroup_get(other);
	} else {
		c->hash_next = *head;
		*head = c;
		nr_hashed++;
		skep_cgroup_get(c);
	}
	skep_unlock(&hash_lock);
	if (!other)
		return c;
	skep_cgroup_put(c);
	return other;
}

/* The directory is gone: its storage goes, nobody finds it any more. */
static void retire(struct skep_cgroup *c)
{
	struct skep_cgroup **pp = bucket(c->dev, c->ino);
	bool found;

	skep_lock(&hash_lock);
	while (*pp && *pp != c)
		pp = &(*pp)->hash_next;
	found = *pp != NULL;
	if (found) {
		*pp = c->hash_next;
		nr_hashed--;
		SKEP_WRITE(c->dead, true);
	}
	skep_unlock(&hash_lock);
	if (!found)
		return;
	skep_owner_end(&c->owner);
	skep_cgroup_put(c);
}

static bool is_gone(const struct skep_cgroup *c)
{
	struct stat st;
	long err;

	if (!c->dev)
		return false;
	err = skep_raw(__NR_newfstatat, AT_FDCWD, c->path, &st, 0);
	return err == -ENOENT || err == -ENODEV || (!err && st.st_ino != c->ino);
}

/* Look for removed ones when there are twice as many as were left the last time. */
static void sweep(void)
{
	if (SKEP_READ(nr_hashed) < SKEP_READ(sweep_at))
		return;
	for (u32 b = 0; b < BUCKETS; b++) {
		struct skep_cgroup *c, *next;

		skep_lock(&hash_lock);
		c = buckets[b];
		if (c)
			skep_cgroup_get(c);
		skep_unlock(&hash_lock);
		for (; c; c = next) {
			bool gone = is_gone(c);

			skep_lock(&hash_lock);
			next = c->dead ? NULL : c->hash_next;
			if (next)
				skep_cgroup_get(next);
			skep_unlock(&hash_lock);
			if (gone)
				retire(c);
			skep_cgroup_put(c);
		}
	}
	SKEP_WRITE(sweep_at, SKEP_MAX(2 * SKEP_READ(nr_hashed), MIN_SWEEP));
}

/* --- mounts --- */

/* Copy a field of mountinfo, which spells blanks as \040. False: too long. */
static bool copy_field(char *to, u32 room, const char *from, const char *end)
{
	u32 n = 0;

	while (from < end && *from != ' ') {
		char c = *from++;

		if (c == '\\' && end - from >= 3) {
			c = (char)((from[0] - '0') << 6 | (from[1] - '0') << 3 | (from[2] - '0'));
			from += 3;
		}
		if (n + 1 >= room)
			return false;
		to[n++] = c;
	}
	to[n] = 0;
	return true;
}

static const char *skip_fields(const char *p, const char *end, u32 n)
{
	while (n && p < end)
		if (*p++ == ' ')
			n--;
	return p;
}

/* Is @word one of the comma-separated @list? */
static bool has_word(const char *list, const char *word, size_t len)
{
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == len && !memcmp(list, word, len))
			return true;
	return false;
}

/*
 * One line of mountinfo: "id parent maj:min root point options [optional ...] - type source
 * super-options".
 */
static void add_mount(const char *line, const char *end)
{
	const char *root = skip_fields(line, end, 3), *point = skip_fields(root, end, 1), *p;
	struct cgroup_mount *m = &mounts[nr_mounts];
	struct stat st;

	for (p = point; p + 3 < end && memcmp(p, " - ", 3); p++)
		;
	p += 3;
	if (nr_mounts == MAX_MOUNTS || p + 8 >= end || memcmp(p, "cgroup", 6))
		return;
	if (!copy_field(m->root, sizeof(m->root), root, end) ||
	    !copy_field(m->point, sizeof(m->point), point, end))
		return;
	if (p[6] == '2')
		m->controllers[0] = 0;
	else if (!copy_field(m->controllers, sizeof(m->controllers), skip_fields(p, end, 2), end))
		return;
	if (skep_raw(__NR_newfstatat, AT_FDCWD, m->point, &st, 0))
		return;
	m->dev = st.st_dev;
	m->hierarchy = p[6] == '2' ? 0 : ~0u; /* numbered below */
	nr_mounts++;
}

/* "number:controllers:path": mounts whose options have them get the number. */
static void number_mounts(const char *line, const char *end)
{
	u32 n = 0;
	size_t len;

	while (line < end && *line >= '0' && *line <= '9')
		n = n * 10 + (u32)(*line++ - '0');
	line++;
	for (len = 0; line + len < end && line[len] != ':' && line[len] != ','; len++)
		;
	for (u32 i = 0; n && len && i < nr_mounts; i++)
		if (mounts[i].hierarchy == ~0u && has_word(mounts[i].controllers, line, len))
			mounts[i].hierarchy = n;
}

/* mounts_lock held. */
static void read_mounts(void)
{
	nr_mounts = 0;
	skep_proc_lines("/proc/self/mountinfo", add_mount);
	skep_proc_lines("/proc/self/cgroup", number_mounts);
	mounts_generation = SKEP_READ(generation);
}

/* A mount that shows a hierarchy, by number, or by device if @dev. */
static bool find_mount(u32 hierarchy, u64 dev, struct cgroup_mount *ret)
{
	bool found = false;

	skep_lock(&mounts_lock);
	for (u32 again = 0; again < 2 && !found; again++) {
		for (u32 i = 0; i < nr_mounts && !found; i++) {
			found = dev ? mounts[i].dev == dev : mounts[i].hierarchy == hierarchy;
			if (found)
				*ret = mounts[i];
		}
		if (!found && !again) {
			if (mounts_generation == SKEP_READ(generation))
				break;
			read_mounts();
		}
	}
	skep_unlock(&mounts_lock);
	return found;
}

/* --- from directories to objects --- */

/* Path of what is open at @fd; empty when it cannot be told. */
static void path_of_fd(int fd, char *to, u32 room)
{
	char link[32] = "/proc/self/fd/";
	long n;

	skep_proc_number(link + 14, (u32)fd);
	n = skep_raw(__NR_readlink, link, to, room - 1);
	to[n > 0 ? n : 0] = 0;
}

/*
 * The object of the directory open at @fd, referenced. -errno as a pointer: -ENOENT when it was
 * removed, -ENOMEM.
 */
static struct skep_cgroup *of_dir(int fd, u32 hierarchy, u32 depth)
{
	struct skep_cgroup *c, *parent = NULL;
	struct stat st, up;
	char path[512];
	long fd2;

	if (skep_raw(__NR_fstat, fd, &st))
		return skep_err_ptr(-EBADF);
	c = hash_find(st.st_dev, st.st_ino);
	/* A directory of this file system that still has its files is there. */
	if (skep_raw(__NR_faccessat, fd, "cgroup.procs", 0)) {
		if (c)
			retire(c);
		skep_cgroup_put(c);
		return skep_err_ptr(-ENOENT);
	}
	if (c)
		return c;
	if (depth > SKEP_CGROUP_MAX_LEVEL)
		return skep_err_ptr(-ENOMEM);
	fd2 = skep_raw(__NR_openat, fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd2 >= 0) {
		if (!skep_raw(__NR_fstat, fd2, &up) && up.st_dev == st.st_dev &&
		    up.st_ino != st.st_ino)
			parent = of_dir((int)fd2, hierarchy, depth + 1);
		skep_raw(__NR_close, fd2);
		if (skep_is_err(parent))
			return parent;
	}
	path_of_fd(fd, path, sizeof(path));
	c = cgroup_new(st.st_dev, st.st_ino, hierarchy, parent, path);
	if (!c) {
		skep_cgroup_put(parent);
		return skep_err_ptr(-ENOMEM);
	}
	return hash_add(c);
}

static u32 hierarchy_of(u64 dev)
{
	struct cgroup_mount m;

	return find_mount(0, dev, &m) ? m.hierarchy : ~0u;
}

struct skep_cgroup *skep_cgroup_by_fd(int fd, int *ret_err)
{
	struct skep_cgroup *c;
	struct statfs fs;
	struct stat st;

	*ret_err = -EBADF;
	if (skep_raw(__NR_fstatfs, fd, &fs) || skep_raw(__NR_fstat, fd, &st))
		return NULL;
	if ((fs.f_type != CGROUP2_MAGIC && fs.f_type != CGROUP1_MAGIC) || !S_ISDIR(st.st_mode))
		return NULL;
	*ret_err = -ENOMEM;
	if (!ready())
		return NULL;
	sweep();
	c = of_dir(fd, fs.f_type == CGROUP2_MAGIC ? 0 : hierarchy_of(st.st_dev), 0);
	if (!skep_is_err(c))
		return c;
	*ret_err = (int)skep_ptr_err(c);
	return NULL;
}

/* @path, as /proc gives it, inside the mount. */
static struct skep_cgroup *by_path(const struct cgroup_mount *m, const char *path, size_t len)
{
	char full[640];
	size_t point = strlen(m->point), root = strlen(m->root);
	struct skep_cgroup *c;
	long fd;

	/* Without a namespace of its own a container's mount shows what lies below its root. */
	if (root > 1 && len >= root && !memcmp(path, m->root, root)) {
		path += root;
		len -= root;
	}
	if (len >= 3 && !memcmp(path, "/..", 3))
		len = 0; /* outside of this process's namespace */
	if (point + len + 1 > sizeof(full))
		return NULL;
	memcpy(full, m->point, point);
	memcpy(full + point, path, len);
	full[point + len] = 0;
	fd = skep_raw(__NR_open, full, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) /* outside of what is shown, or removed: the nearest that can be told */
		fd = skep_raw(__NR_open, m->point, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	c = of_dir((int)fd, m->hierarchy, 0);
	skep_raw(__NR_close, fd);
	return skep_is_err(c) ? NULL : c;
}

/* The root of a cgroup2 hierarchy that nobody sees. */
static struct skep_cgroup *unseen_root(void)
{
	struct skep_cgroup *c = hash_find(0, ROOT_ID);

	if (c)
		return c;
	c = cgroup_new(0, ROOT_ID, 0, NULL, "");
	return c ? hash_add(c) : NULL;
}

struct skep_cgroup *skep_cgroup_of_thread(s32 tid, u32 hierarchy)
{
	char buf[4096], path[48], want[16];
	struct cgroup_mount m;
	char *line, *at;
	u32 n;

	if (!ready())
		return NULL;
	if (!find_mount(hierarchy, 0, &m))
		return hierarchy ? NULL : unseen_root();
	skep_proc_task_path(path, tid, "/cgroup");
	if (skep_proc_read(path, buf, sizeof(buf)) <= 0)
		return NULL;
	n = skep_proc_number(want, hierarchy);
	want[n] = ':';
	for (line = buf; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (memcmp(line, want, n + 1))
			continue;
		at = strchr(line + n + 1, ':');
		if (at)
			return by_path(&m, at + 1, strcspn(at + 1, "\n"));
	}
	return hierarchy ? NULL : unseen_root();
}

/* --- by id --- */

struct dir_entry {
	u64 ino;
	s64 off;
	u16 len;
	u8 type;
	char name[];
};

#define DT_DIRECTORY 4

/* One directory on the way down: where reading it goes on. */
struct level {
	int fd;
	s64 off;
};

/*
 * The directory with inode @id below what is open at stack[0], depth first; its descriptor, or -1.
 * The stack's descriptors are closed.
 */
static long walk(struct level stack[SKEP_CGROUP_MAX_LEVEL], u64 id)
{
	char buf[2048] __attribute__((aligned(8)));
	u32 depth = 1, budget = MAX_WALK;
	long found = -1;

	while (depth) {
		struct level *l = &stack[depth - 1];
		bool down = false;
		long n;

		skep_raw(__NR_lseek, l->fd, l->off, 0);
		n = found < 0 && budget ? skep_raw(__NR_getdents64, l->fd, buf, sizeof(buf)) : 0;
		for (char *p = buf; n > 0 && p < buf + n && !down;) {
			struct dir_entry *e = (struct dir_entry *)p;

			p += e->len;
			l->off = e->off;
			if (e->type != DT_DIRECTORY || e->name[0] == '.')
				continue;
			down = e->ino == id || depth < SKEP_CGROUP_MAX_LEVEL;
			if (down) {
				long fd = skep_raw(__NR_openat, l->fd, e->name,
						   O_RDONLY | O_DIRECTORY | O_CLOEXEC);

				budget--;
				if (e->ino == id)
					found = fd;
				else if (fd >= 0)
					stack[depth++] = (struct level){.fd = (int)fd};
			}
		}
		if (n <= 0) {
			skep_raw(__NR_close, l->fd);
			depth--;
		}
	}
	return found;
}

struct skep_cgroup *skep_cgroup_by_id(u64 id)
{
	struct level stack[SKEP_CGROUP_MAX_LEVEL];
	struct cgroup_mount m;
	struct skep_cgroup *c;
	struct stat st;
	long fd;

	if (!ready())
		return NULL;
	if (!find_mount(0, 0, &m))
		return id == ROOT_ID ? unseen_root() : NULL;
	c = hash_find(m.dev, id);
	if (c && !is_gone(c))
		return c;
	if (c) {
		retire(c);
		skep_cgroup_put(c);
		return NULL;
	}
	fd = skep_raw(__NR_open, m.point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (skep_raw(__NR_fstat, fd, &st) || st.st_ino != id) {
		stack[0] = (struct level){.fd = (int)fd};
		fd = walk(stack, id);
	}
	if (fd < 0)
		return NULL;
	c = of_dir((int)fd, 0, 0);
	skep_raw(__NR_close, fd);
	return skep_is_err(c) ? NULL : c;
}

/* --- the current task's --- */

void skep_cgroup_watch(void)
{
	if (ready())
		__atomic_store_n(&skep_cgroup_watched, 1, __ATOMIC_RELEASE);
}

u32 skep_cgroup_task_off(void)
{
	return ready() && task_fields[0].known ? task_fields[0].off : 0;
}

void skep_cgroup_expire(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
}

static u64 coarse_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* Reads it again. The old one stays readable for this section. */
static __attribute__((noinline)) struct skep_cgroup *refresh(struct skep_task *t, u64 now, u32 gen)
{
	struct skep_cgroup *c = skep_cgroup_of_thread(t->pid, 0), *old;

	t->cgroup_ns = now;
	t->cgroup_generation = gen;
	old = SKEP_READ(t->cgroup);
	if (!c || c == old) {
		skep_cgroup_put(c);
		return old;
	}
	skep_view_put(skep_task_view(t), &task_fields[0], (u64)c->css_set);
	old = __atomic_exchange_n(&t->cgroup, c, __ATOMIC_ACQ_REL);
	if (old && is_gone(old))
		retire(old);
	skep_cgroup_put(old);
	return c;
}

struct skep_cgroup *skep_task_cgroup(struct skep_task *t)
{
	struct skep_cgroup *c = __atomic_load_n(&t->cgroup, __ATOMIC_ACQUIRE);
	u32 gen = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
	u64 now;

	if (c && t != skep_task_of_view(skep_current_view))
		return c;
	now = coarse_ns();
	if (likely(c && t->cgroup_generation == gen && now - t->cgroup_ns < SKEP_CGROUP_FRESH_NS))
		return c;
	return refresh(t, now, gen);
}

void skep_cgroup_fork_child(void)
{
	skep_lock_reset(&init_lock);
	skep_lock_reset(&hash_lock);
	skep_lock_reset(&mounts_lock);
	memset(buckets, 0, sizeof(buckets));
	nr_hashed = 0;
	nr_mounts = 0;
	mounts_generation = 0;
}
