/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the presented kernel's BTF: SKEP_BTF, else the host's, else the one built in.
 *
 * The bytes are mapped, or read once into pages of our own; the index is built when somebody first
 * asks for types, so that a process which needs none reads nothing.
 */
#include "kern/kernel_btf.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/raw.h"

#define HOST_PATH "/sys/kernel/btf/vmlinux"

/* Generated from builtin_types.c. */
extern const unsigned char skep_builtin_btf[];
extern const unsigned int skep_builtin_btf_size;

static struct skep_lock lock;
static const void *bytes;
static u32 nr_bytes;
static struct skep_btf *btf;
static bool failed;

enum skep_btf_source skep_kernel_btf_source(void)
{
	const char *path = getenv("SKEP_BTF");

	if (path && *path)
		return strcmp(path, "builtin") ? SKEP_BTF_FILE : SKEP_BTF_BUILTIN;
	return skep_raw(__NR_faccessat, AT_FDCWD, HOST_PATH, 4 /* R_OK */) ? SKEP_BTF_BUILTIN
									   : SKEP_BTF_HOST;
}

/* Whole file into fresh pages; NULL on any failure. */
static void *read_file(const char *path, u32 *ret_size)
{
	long fd = skep_raw(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC), n = 0;
	long size = fd < 0 ? -1 : skep_raw(__NR_lseek, fd, 0, SEEK_END);
	u8 *p = NULL;
	u32 at = 0;

	if (size > 0 && size <= (long)SKEP_BTF_MAX_SIZE)
		p = skep_pages_alloc((size_t)size);
	if (p)
		skep_raw(__NR_lseek, fd, 0, SEEK_SET);
	while (p && at < (u32)size && (n = skep_raw(__NR_read, fd, p + at, size - at)) > 0)
		at += (u32)n;
	if (fd >= 0)
		skep_raw(__NR_close, fd);
	if (p && at != (u32)size) {
		skep_pages_free(p, (size_t)size);
		p = NULL;
	}
	*ret_size = at;
	return p;
}

/* The host's file can be mapped since 6.16; its pages never change. NULL where it cannot. */
static void *map_host(u32 *ret_size)
{
	long fd = skep_raw(__NR_openat, AT_FDCWD, HOST_PATH, O_RDONLY | O_CLOEXEC), p = -1;
	long size = fd < 0 ? -1 : skep_raw(__NR_lseek, fd, 0, SEEK_END);

	if (size > 0 && size <= (long)SKEP_BTF_MAX_SIZE)
		p = skep_raw(__NR_mmap, 0, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		skep_raw(__NR_close, fd);
	if (p < 0)
		return NULL;
	*ret_size = (u32)size;
	return (void *)p;
}

static void load_bytes(void)
{
	enum skep_btf_source source = skep_kernel_btf_source();
	const char *path = source == SKEP_BTF_FILE ? getenv("SKEP_BTF") : HOST_PATH;

	if (source != SKEP_BTF_BUILTIN) {
		if (source == SKEP_BTF_HOST)
			bytes = map_host(&nr_bytes);
		if (!bytes)
			bytes = read_file(path, &nr_bytes);
		if (bytes)
			return;
		skep_warn("cannot read BTF from %s", path);
		if (source == SKEP_BTF_FILE) {
			failed = true;
			return;
		}
	}
	bytes = skep_builtin_btf;
	nr_bytes = skep_builtin_btf_size;
}

const void *skep_kernel_btf_bytes(u32 *ret_size)
{
	const void *p;

	skep_lock(&lock);
	if (!bytes && !failed)
		load_bytes();
	p = bytes;
	*ret_size = nr_bytes;
	skep_unlock(&lock);
	return p;
}

const struct skep_btf *skep_kernel_btf(void)
{
	const void *data;
	u32 size;

	if (likely(__atomic_load_n(&btf, __ATOMIC_ACQUIRE)))
		return btf;
	data = skep_kernel_btf_bytes(&size);
	skep_lock(&lock);
	if (data && !btf && !failed) {
		struct skep_btf *b = NULL;
		int err = skep_btf_open_kernel(data, size, NULL, "vmlinux", &b);

		if (err && err != -ENOMEM) { /* without memory now does not mean for ever */
			skep_warn("the presented kernel's BTF is malformed");
			failed = true;
		}
		__atomic_store_n(&btf, b, __ATOMIC_RELEASE);
	}
	skep_unlock(&lock);
	return btf;
}

int skep_builtin_btf_open(struct skep_btf **ret_btf)
{
	return skep_btf_open_kernel(skep_builtin_btf, skep_builtin_btf_size, NULL, "builtin",
				    ret_btf);
}

static void *prefetch(void *unused)
{
	/* What the first load of a tracing program asks for by name. */
	static const char *const names[] = {"task_struct", "pt_regs", "cred"};
	const struct skep_btf *k = skep_kernel_btf();

	for (u32 i = 0; k && i < ARRAY_SIZE(names); i++)
		skep_btf_find(k, names[i], BTF_KIND_STRUCT);
	return unused;
}

void skep_kernel_btf_prefetch(void)
{
	static bool once;
	u64 all = ~0ull, old;
	pthread_attr_t attr;
	pthread_t thread;

	if (__atomic_exchange_n(&once, true, __ATOMIC_RELAXED) || SKEP_READ(btf))
		return;
	/* It inherits the mask: the application's signals are never delivered there. */
	skep_raw(__NR_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(all));
	if (!pthread_attr_init(&attr)) {
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attr, 256 << 10);
		if (pthread_create(&thread, &attr, prefetch, NULL))
			SKEP_WRITE(once, false); /* the load will do it */
		pthread_attr_destroy(&attr);
	}
	skep_raw(__NR_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
}

void skep_kernel_btf_fork_lock(void)
{
	skep_lock(&lock);
	skep_btf_fork_lock();
}

void skep_kernel_btf_fork_unlock(void)
{
	skep_btf_fork_unlock();
	skep_unlock(&lock);
}
