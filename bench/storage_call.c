/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * storage-call: local storage from the application's side, where the owner is named by a
 * descriptor: a pidfd, a cgroup's directory, a socket, a file. An op is a look-up, or a value
 * created and deleted.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

/* Newer than some systems' headers. */
#define CGRP_STORAGE ((enum bpf_map_type)32)

static int map_fd, owner_fd;
static bool creates;
static long hits;

static int make_map(enum bpf_map_type type)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct btf *btf = btf__new_empty();
	int id = btf ? btf__add_int(btf, "int", 4, BTF_INT_SIGNED) : -1, fd;
	const void *raw;
	__u32 size;

	raw = id > 0 ? btf__raw_data(btf, &size) : NULL;
	if (!raw)
		bench_skip("no types");
	opts.btf_fd = (__u32)bpf_btf_load(raw, size, NULL);
	opts.btf_key_type_id = opts.btf_value_type_id = (__u32)id;
	fd = bpf_map_create(type, "storage", 4, 4, 0, &opts);
	if (fd < 0)
		bench_skip("the map was refused: %s", strerror(errno));
	btf__free(btf);
	return fd;
}

static void load(void)
{
	const char *owner = bench_param("owner", "task");
	enum bpf_map_type type;
	int value = 1;

	if (!strcmp(owner, "task")) {
		type = BPF_MAP_TYPE_TASK_STORAGE;
		owner_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	} else if (!strcmp(owner, "cgroup")) {
		type = CGRP_STORAGE;
		owner_fd = open("/sys/fs/cgroup/unified", O_RDONLY | O_DIRECTORY);
		if (owner_fd < 0)
			owner_fd = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY);
	} else if (!strcmp(owner, "socket")) {
		type = BPF_MAP_TYPE_SK_STORAGE;
		owner_fd = socket(AF_INET, SOCK_DGRAM, 0);
	} else if (!strcmp(owner, "inode")) {
		type = BPF_MAP_TYPE_INODE_STORAGE;
		owner_fd = open("/proc/self/exe", O_RDONLY);
	} else {
		bench_skip("owner must be task, cgroup, socket or inode");
	}
	if (owner_fd < 0)
		bench_skip("there is no %s to own anything: %s", owner, strerror(errno));
	creates = !strcmp(bench_param("op", "lookup"), "create-delete");
	map_fd = make_map(type);
	if (bpf_map_update_elem(map_fd, &owner_fd, &value, BPF_ANY))
		bench_skip("no value could be made: %s", strerror(errno));
	if (creates)
		bpf_map_delete_elem(map_fd, &owner_fd);
}

static void run(void *unused)
{
	int value = 0;

	(void)unused;
	for (int i = 0; i < 16; i++) {
		if (!creates) {
			hits += !bpf_map_lookup_elem(map_fd, &owner_fd, &value);
			continue;
		}
		hits += !bpf_map_update_elem(map_fd, &owner_fd, &value, BPF_NOEXIST) &&
			!bpf_map_delete_elem(map_fd, &owner_fd);
	}
}

static bool measure(double seconds, struct bench_result *ret)
{
	return bench_repeat(seconds, run, NULL, &hits, NULL, ret);
}

const struct bench bench_storage_call = {"storage-call", load, NULL, measure};
