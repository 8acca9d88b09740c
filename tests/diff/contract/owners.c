/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local storage seen from user space: descriptors of all sorts as keys of all four types, and what
 * becomes of values when their owner goes. Needs a writable cgroup2 hierarchy for its part.
 */
#include "contract.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CGRP_STORAGE 32

static const struct {
	uint32_t type;
	const char *name;
} kinds[] = {
	{BPF_MAP_TYPE_TASK_STORAGE, "task"},
	{CGRP_STORAGE, "cgrp"},
	{BPF_MAP_TYPE_SK_STORAGE, "sk"},
	{BPF_MAP_TYPE_INODE_STORAGE, "inode"},
};

static int types_fd;

static int storage_new(uint32_t type, uint32_t value_type, uint32_t size, uint32_t flags)
{
	ATTR(.map_type = type, .key_size = 4, .value_size = size,
	     .map_flags = BPF_F_NO_PREALLOC | flags, .btf_fd = (uint32_t)types_fd,
	     .btf_key_type_id = BTF_U32, .btf_value_type_id = value_type);
	return (int)call(BPF_MAP_CREATE, ATTR_SIZE);
}

static long elem(int cmd, int map, int key, void *value, uint64_t flags)
{
	ATTR(.map_fd = (uint32_t)map, .key = PTR(&key), .value = PTR(value), .flags = flags);
	return call(cmd, ATTR_SIZE);
}

static long next_key(int map, int key)
{
	int next = 0;

	ATTR(.map_fd = (uint32_t)map, .key = PTR(&key), .next_key = PTR(&next));
	return call(BPF_MAP_GET_NEXT_KEY, ATTR_SIZE);
}

static void look(int map, const char *kind, const char *what, int key)
{
	uint32_t v[4] = {0};
	long r = elem(BPF_MAP_LOOKUP_ELEM, map, key, v, 0);

	say(r, "%s storage of %s: is", kind, what);
	if (!r)
		say_bytes(v, sizeof(v), "%s storage of %s: value", kind, what);
}

static void all_of(int map, const char *kind, const char *what, int key)
{
	static const uint64_t flags[] = {2, 1, 1, 0, 2, 3, 4, 5, 6, 8, 1ull << 40};
	uint32_t v[4];

	look(map, kind, what, key);
	for (unsigned int i = 0; i < COUNT(flags); i++) {
		for (unsigned int k = 0; k < 4; k++)
			v[k] = i * 16 + k + 1;
		say(elem(BPF_MAP_UPDATE_ELEM, map, key, v, flags[i]),
		    "%s storage of %s: update %u, flags %#llx", kind, what, i,
		    (unsigned long long)flags[i]);
		look(map, kind, what, key);
	}
	for (unsigned int i = 0; i < COUNT(flags); i++)
		say(elem(BPF_MAP_LOOKUP_ELEM, map, key, v, flags[i]),
		    "%s storage of %s: look-up, flags %#llx", kind, what,
		    (unsigned long long)flags[i]);
	say(elem(BPF_MAP_LOOKUP_AND_DELETE_ELEM, map, key, v, 0), "%s storage of %s: take", kind,
	    what);
	say(next_key(map, key), "%s storage of %s: next key", kind, what);
	say(elem(BPF_MAP_DELETE_ELEM, map, key, NULL, 0), "%s storage of %s: delete", kind, what);
	say(elem(BPF_MAP_DELETE_ELEM, map, key, NULL, 0), "%s storage of %s: delete again", kind,
	    what);
	look(map, kind, what, key);
}

/* --- keys --- */

#define MAX_KEYS 40
static struct other_fd keys[MAX_KEYS];
static unsigned int nr_keys;

static void add_key(const char *name, int fd)
{
	if (nr_keys < MAX_KEYS)
		keys[nr_keys++] = (struct other_fd){name, fd};
}

static int file_new(void)
{
	char name[] = "/tmp/skep-owner-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	return fd;
}

static void add_plain_keys(void)
{
	int ends[2], ring = map_new(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);

	for (unsigned int k = 0; k < COUNT(other_fds); k++)
		if (strcmp(other_fds[k].name, "file"))
			add_key(other_fds[k].name, other_fds[k].fd);
	add_key("a ring buffer", ring);
	add_key("/dev/null", open("/dev/null", O_RDWR));
	add_key("a file", file_new());
	add_key("a path", open("/tmp", O_PATH));
	add_key("a file in proc", open("/proc/self/status", O_RDONLY));
	add_key("a pidfd", (int)syscall(SYS_pidfd_open, getpid(), 0));
	add_key("tcp", socket(AF_INET, SOCK_STREAM, 0));
	add_key("tcp6", socket(AF_INET6, SOCK_STREAM, 0));
	add_key("udp", socket(AF_INET, SOCK_DGRAM, 0));
	add_key("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
	add_key("unix", socket(AF_UNIX, SOCK_STREAM, 0));
	if (!pipe(ends)) {
		add_key("a pipe's end", ends[0]);
		add_key("its other end", ends[1]);
	}
	if (!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) {
		add_key("one of a pair", ends[0]);
		add_key("the other", ends[1]);
	}
}

/* --- cgroups --- */

static const char *const v2_roots[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
static const char *const v1_roots[] = {"/sys/fs/cgroup/pids", "/sys/fs/cgroup/freezer",
				       "/sys/fs/cgroup/memory"};

/* A new cgroup below the first of @roots that takes one; its path, or an empty string. */
static void cgroup_new(char path[128], const char *const *roots, unsigned int n, const char *file)
{
	for (unsigned int i = 0; i < n; i++) {
		char probe[256];

		snprintf(probe, sizeof(probe), "%s/%s", roots[i], file);
		if (access(probe, F_OK))
			continue;
		snprintf(path, 128, "%s/skep-owners-%d", roots[i], (int)getpid());
		if (!mkdir(path, 0755))
			return;
	}
	path[0] = 0;
}

static void cgroup_goes(int map, const char *what, const char *path)
{
	uint32_t v[4] = {7, 7, 7, 7};
	int fd = open(path, O_RDONLY | O_DIRECTORY), again;

	say(elem(BPF_MAP_UPDATE_ELEM, map, fd, v, 0), "%s to be removed: update", what);
	say(rmdir(path) ? -errno : 0, "%s: rmdir", what);
	look(map, "cgrp", what, fd);
	say(elem(BPF_MAP_UPDATE_ELEM, map, fd, v, 0), "%s removed: update", what);
	say(elem(BPF_MAP_DELETE_ELEM, map, fd, NULL, 0), "%s removed: delete", what);
	/* Another of the same name has nothing. */
	say(mkdir(path, 0755) ? -errno : 0, "%s: mkdir again", what);
	again = open(path, O_RDONLY | O_DIRECTORY);
	look(map, "cgrp", what, again);
	look(map, "cgrp", what, fd);
	close(fd);
	close(again);
}

static void cgroup_cases(char v2[128], char v1[128])
{
	int map = storage_new(CGRP_STORAGE, BTF_PLAIN, 16, 0), fd, other;
	uint32_t v[4] = {1, 2, 3, 4};

	if (v2[0]) {
		fd = open(v2, O_RDONLY | O_DIRECTORY);
		other = open(v2, O_PATH);
		elem(BPF_MAP_UPDATE_ELEM, map, fd, v, 0);
		look(map, "cgrp", "a path descriptor of the same cgroup", other);
		close(other);
		other = dup(fd);
		look(map, "cgrp", "a duplicate", other);
		close(other);
		other = open(v2, O_RDONLY | O_DIRECTORY);
		look(map, "cgrp", "opened again", other);
		close(other);
		close(fd);
		cgroup_goes(map, "a v2 cgroup", v2);
	}
	if (v1[0])
		cgroup_goes(map, "a v1 cgroup", v1);
	close(map);
}

/* --- sockets --- */

static void clone_case(uint32_t flags, bool set)
{
	int map = storage_new(BPF_MAP_TYPE_SK_STORAGE, BTF_PLAIN, 16, flags);
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), a;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(to);
	uint32_t v[4] = {5, 6, 7, 8}, w[4] = {9, 9, 9, 9};
	char what[64];

	snprintf(what, sizeof(what), "clone flag %d, set %d", !!flags, set);
	if (set)
		elem(BPF_MAP_UPDATE_ELEM, map, l, v, 0);
	say(bind(l, (struct sockaddr *)&to, sizeof(to)) ? -errno : 0, "%s: bind", what);
	listen(l, 1);
	getsockname(l, (struct sockaddr *)&to, &len);
	say(connect(c, (struct sockaddr *)&to, sizeof(to)) ? -errno : 0, "%s: connect", what);
	a = accept(l, NULL, NULL);
	look(map, what, "the child", a);
	elem(BPF_MAP_UPDATE_ELEM, map, a, w, 0);
	look(map, what, "the listener", l);
	look(map, what, "the child", a);
	look(map, what, "the client", c);
	close(a);
	close(c);
	close(l);
	close(map);
}

static void socket_cases(void)
{
	int map = storage_new(BPF_MAP_TYPE_SK_STORAGE, BTF_PLAIN, 16, 0);
	int fd = socket(AF_INET, SOCK_STREAM, 0), copy, again;
	uint32_t v[4] = {1, 1, 2, 3};

	elem(BPF_MAP_UPDATE_ELEM, map, fd, v, 0);
	copy = dup(fd);
	look(map, "sk", "a duplicate", copy);
	close(fd);
	look(map, "sk", "a duplicate that is left", copy);
	close(copy);
	look(map, "sk", "what is closed", copy);
	again = socket(AF_INET, SOCK_STREAM, 0);
	look(map, "sk", "the next socket", again);
	close(again);
	close(map);
	for (unsigned int i = 0; i < 4; i++)
		clone_case(i & 1 ? BPF_F_CLONE : 0, i & 2);
}

/* A map whose values are 16 KiB. */
static int big_new(uint32_t type)
{
	static const char strs[] = "\0u32\0big\0a";
	static const uint32_t types[] = {
		1, BTF_KIND_INT << 24,	      4,     32,	  /* u32 */
		0, BTF_KIND_ARRAY << 24,      0,     1,	 1, 4096, /* u32 [4096] */
		5, BTF_KIND_STRUCT << 24 | 1, 16384, 9,	 2, 0,	  /* struct big { u32 a[4096]; } */
	};
	struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = sizeof(h),
		.type_len = sizeof(types),
		.str_off = sizeof(types),
		.str_len = sizeof(strs),
	};
	uint8_t bytes[sizeof(h) + sizeof(types) + sizeof(strs)];
	int btf, map;

	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + sizeof(h), types, sizeof(types));
	memcpy(bytes + sizeof(h) + sizeof(types), strs, sizeof(strs));
	ATTR(.btf = PTR(bytes), .btf_size = sizeof(bytes));
	btf = (int)call(BPF_BTF_LOAD, ATTR_SIZE);
	ATTR(.map_type = type, .key_size = 4, .value_size = 16384, .map_flags = BPF_F_NO_PREALLOC,
	     .btf_fd = (uint32_t)btf, .btf_key_type_id = 1, .btf_value_type_id = 3);
	map = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
	close(btf);
	return map;
}

/* A limit on what one socket may own: how many values of a size fit. */
static void socket_limit(void)
{
	static uint8_t big[65536];
	int fd = socket(AF_INET, SOCK_STREAM, 0), maps[64];
	unsigned int n = 0;
	long r = 0;

	memset(big, 1, sizeof(big));
	while (n < COUNT(maps) && !r) {
		maps[n] = big_new(BPF_MAP_TYPE_SK_STORAGE);
		if (maps[n] < 0)
			break;
		r = elem(BPF_MAP_UPDATE_ELEM, maps[n], fd, big, 0);
		n++;
	}
	say(r, "storage of one socket: the last of many large values");
	say_value(n, "values of 16 KiB that were tried");
	while (n)
		close(maps[--n]);
	close(fd);
}

static void inode_cases(void)
{
	int map = storage_new(BPF_MAP_TYPE_INODE_STORAGE, BTF_PLAIN, 16, 0);
	char name[] = "/tmp/skep-inode-XXXXXX", link_name[64];
	uint32_t v[4] = {4, 3, 2, 1};
	int fd = mkstemp(name), other;

	elem(BPF_MAP_UPDATE_ELEM, map, fd, v, 0);
	look(map, "inode", "an open file", fd);
	other = open(name, O_RDONLY);
	look(map, "inode", "the same opened again", other);
	close(other);
	other = open(name, O_PATH);
	look(map, "inode", "a path to it", other);
	close(other);
	snprintf(link_name, sizeof(link_name), "%s-2", name);
	say(link(name, link_name) ? -errno : 0, "a link");
	other = open(link_name, O_RDONLY);
	look(map, "inode", "the same by its other name", other);
	close(other);
	close(fd);
	fd = open(name, O_RDONLY);
	look(map, "inode", "closed and opened", fd);
	unlink(name);
	unlink(link_name);
	look(map, "inode", "an unlinked file", fd);
	close(fd);
	for (unsigned int i = 0; i < 3; i++) {
		/* Numbers of inodes are used again; values are not. */
		fd = open(name, O_CREAT | O_RDWR | O_EXCL, 0600);
		look(map, "inode", "a new file of that name", fd);
		elem(BPF_MAP_UPDATE_ELEM, map, fd, v, 0);
		unlink(name);
		close(fd);
	}
	close(map);
}

static void locked(unsigned int k, int key)
{
	int map = storage_new(kinds[k].type, BTF_LOCKED, 16, 0);
	uint32_t v[4] = {1, 2, 3, 4};

	if (map < 0)
		return;
	for (uint64_t f = 0; f < 8; f++) {
		say(elem(BPF_MAP_UPDATE_ELEM, map, key, v, f), "locked %s: update, flags %llu",
		    kinds[k].name, (unsigned long long)f);
		memset(v, 0xee, sizeof(v));
		say(elem(BPF_MAP_LOOKUP_ELEM, map, key, v, f), "locked %s: look-up, flags %llu",
		    kinds[k].name, (unsigned long long)f);
		say_bytes(v, sizeof(v), "locked %s: value", kinds[k].name);
	}
	close(map);
}

void owner_cases(void)
{
	char v2[128], v1[128], file[256];
	int own[COUNT(kinds)];

	types_fd = btf_new();
	cgroup_new(v2, v2_roots, COUNT(v2_roots), "cgroup.controllers");
	cgroup_new(v1, v1_roots, COUNT(v1_roots), "tasks");
	add_plain_keys();
	own[0] = (int)syscall(SYS_pidfd_open, getpid(), 0);
	own[1] = v2[0] ? open(v2, O_RDONLY | O_DIRECTORY) : -1;
	own[2] = socket(AF_INET6, SOCK_DGRAM, 0);
	own[3] = file_new();
	if (v2[0]) {
		add_key("a v2 cgroup", own[1]);
		snprintf(file, sizeof(file), "%s/cgroup.procs", v2);
		add_key("a file of a cgroup", open(file, O_RDONLY));
		add_key("the v2 root", open("/sys/fs/cgroup/unified", O_RDONLY));
	}
	if (v1[0])
		add_key("a v1 cgroup", open(v1, O_RDONLY | O_DIRECTORY));
	for (unsigned int k = 0; k < COUNT(kinds); k++) {
		int map = storage_new(kinds[k].type, BTF_PLAIN, 16, 0);

		say(map < 0 ? map : 0, "%s storage", kinds[k].name);
		for (unsigned int i = 0; i < nr_keys; i++)
			all_of(map, kinds[k].name, keys[i].name, keys[i].fd);
		close(map);
		locked(k, own[k]);
	}
	for (unsigned int i = 0; i < nr_keys; i++)
		close(keys[i].fd);
	cgroup_cases(v2, v1);
	socket_cases();
	socket_limit();
	inode_cases();
	if (v2[0])
		rmdir(v2);
	if (v1[0])
		rmdir(v1);
}
