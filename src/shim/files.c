/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that libbpf and bpftool open, presented where they differ from the host's.
 *
 *   /sys/kernel/btf/vmlinux                         what SKEP_BTF names, or the built-in one
 *   /sys/devices/system/cpu/{possible,online,present}   virtual CPUs, when SKEP_CPUS is set
 *   /boot/config-*, /proc/config.gz                 what SKEP_KCONFIG names
 *   uname(2)                                        the release that SKEP_RELEASE names
 *   /proc/self/fdinfo/N of an object's descriptor   with the object's lines appended
 *   /proc/self/fd/N (readlink) likewise             the kernel's name for it
 *   /sys/kernel/{tracing,debug/tracing}/trace_pipe  bpf_trace_printk's lines, once an object exists
 *   /sys/fs/bpf (statfs)                            a BPF file system
 *
 * Contents that exist nowhere are written to a memfd, whose descriptor is handed out. Paths are
 * copied with fault checks, so that a bad pointer still gets EFAULT from the kernel; when nothing
 * is presented and no object exists, a path is not looked at.
 *
 * Functions that open files inside libc (nftw, setmntent, opendir and readdir, realpath, dlopen,
 * posix_spawn's file actions, freopen) do not come by here and see the host's files.
 */
#include "shim/shim.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/uaccess.h"
#include "base/vcpu.h"
#include "kern/kernel_btf.h"
#include "kern/trace_pipe.h"
#include "shim/fdinfo.h"

#ifndef BPF_FS_MAGIC
#define BPF_FS_MAGIC 0xcafe4a11
#endif

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define CPU_DIR "/sys/devices/system/cpu/"
#define BPFFS "/sys/fs/bpf"

static const char *btf_file; /* SKEP_BTF's file, or NULL */
static bool btf_builtin;     /* neither a file nor the host's */
static u32 cpus;	     /* SKEP_CPUS, or 0: the host's */
static const char *kconfig;  /* SKEP_KCONFIG's file, or NULL: the host's */
static const char *release;  /* SKEP_RELEASE, or NULL */

/* A variable's value; NULL when it is not set or empty. */
static const char *setting(const char *name)
{
	const char *s = getenv(name);

	return s && *s ? s : NULL;
}

void shim_files_init(void)
{
	const char *n = getenv("SKEP_CPUS");

	kconfig = setting("SKEP_KCONFIG");
	release = setting("SKEP_RELEASE");
	btf_file = skep_kernel_btf_source() == SKEP_BTF_FILE ? getenv("SKEP_BTF") : NULL;
	btf_builtin = skep_kernel_btf_source() == SKEP_BTF_BUILTIN;
	cpus = n ? (u32)SKEP_MIN(strtoul(n, NULL, 10), (unsigned long)SKEP_MAX_VCPUS) : 0;
}

/* @path without faulting; false when it is none of ours to look at. */
static bool copy_path(char buf[256], const char *path)
{
	return path && skep_probe_read_str(buf, (u64)path, 256) > 0 && buf[0] == '/';
}

/* N of "<prefix>N", or of /proc/<our pid>/…; -1. */
static int proc_number(const char *path, const char *dir)
{
	const char *p;
	char *end;
	long n;

	if (strncmp(path, "/proc/", 6))
		return -1;
	p = path + 6;
	if (!strncmp(p, "self/", 5)) {
		p += 5;
	} else if (!strncmp(p, "thread-self/", 12)) {
		p += 12;
	} else {
		n = strtol(p, &end, 10);
		if (end == p || *end != '/' || n != skep_raw(__NR_getpid))
			return -1;
		p = end + 1;
	}
	if (strncmp(p, dir, strlen(dir)) || p[strlen(dir)] != '/')
		return -1;
	p += strlen(dir) + 1;
	n = strtol(p, &end, 10);
	return end == p || *end || n < 0 || n > 0x7fffffff ? -1 : (int)n;
}

/* A read-only looking file with these contents. */
static int new_file(const char *text, size_t n, int flags)
{
	long fd = skep_raw(__NR_memfd_create, "skep", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return (int)fd;
	while (n) {
		long did = skep_raw(__NR_write, fd, text, n);

		if (did <= 0)
			break;
		text += did;
		n -= (size_t)did;
	}
	skep_raw(__NR_lseek, fd, 0, SEEK_SET);
	return (int)fd;
}

static int cpu_file(int flags)
{
	char text[32];
	int n = cpus > 1 ? snprintf(text, sizeof(text), "0-%u\n", cpus - 1)
			 : snprintf(text, sizeof(text), "0\n");

	return new_file(text, (size_t)n, flags);
}

static int btf_bytes_file(int flags)
{
	u32 size;
	const void *bytes = skep_kernel_btf_bytes(&size);

	return bytes ? new_file(bytes, size, flags) : -ENOENT;
}

static int fdinfo_file(const char *path, int number, int flags)
{
	struct skep_obj *o;
	char text[2048];
	long fd, n;
	int err;

	o = skep_fd_get(number, -1, NULL, &err);
	if (!o)
		return err;
	fd = skep_raw(__NR_open, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? fd : skep_raw(__NR_read, fd, text, sizeof(text) / 2);
	if (fd >= 0)
		skep_raw(__NR_close, fd);
	if (n >= 0)
		n += shim_fdinfo(o, text + n, sizeof(text) - (u32)n);
	skep_obj_put(o);
	return n < 0 ? (int)n : new_file(text, (size_t)n, flags);
}

static bool is_trace_pipe(const char *p)
{
	return !strcmp(p, "/sys/kernel/tracing/trace_pipe") ||
	       !strcmp(p, "/sys/kernel/debug/tracing/trace_pipe");
}

static bool is_kconfig(const char *p)
{
	return !strncmp(p, "/boot/config-", 13) || !strcmp(p, "/proc/config.gz");
}

const char *shim_present(const char *path, int flags, int *ret_fd)
{
	char p[256];
	int n;

	if (likely(!btf_file && !btf_builtin && !cpus && !kconfig && !release &&
		   !skep_fd_have_any()))
		return path;
	if (shim_inside() || !copy_path(p, path))
		return path;
	if (btf_file && !strcmp(p, BTF_PATH))
		return btf_file;
	if (btf_builtin && !strcmp(p, BTF_PATH)) {
		*ret_fd = btf_bytes_file(flags);
		return NULL;
	}
	if (kconfig && is_kconfig(p))
		return kconfig;
	if (release && !strcmp(p, "/proc/version_signature")) { /* Ubuntu's own number */
		*ret_fd = -ENOENT;
		return NULL;
	}
	if (skep_fd_have_any() && is_trace_pipe(p)) {
		*ret_fd = skep_trace_open(flags);
		return NULL;
	}
	if (cpus && !strncmp(p, CPU_DIR, strlen(CPU_DIR))) {
		const char *f = p + strlen(CPU_DIR);

		if (!strcmp(f, "possible") || !strcmp(f, "online") || !strcmp(f, "present")) {
			*ret_fd = cpu_file(flags);
			return NULL;
		}
	}
	n = proc_number(p, "fdinfo");
	if (n >= 0 && skep_fd_maybe_ours(n) && skep_fd_is_ours(n)) {
		*ret_fd = fdinfo_file(p, n, flags);
		return NULL;
	}
	return path;
}

/* As the kernel names the anonymous inodes. */
static const char *const link_names[SKEP_NR_OBJ_TYPES] = {
	[SKEP_OBJ_MAP] = "bpf-map", [SKEP_OBJ_PROG] = "bpf-prog", [SKEP_OBJ_LINK] = "bpf_link",
	[SKEP_OBJ_BTF] = "btf",	    [SKEP_OBJ_ITER] = "bpf_iter", [SKEP_OBJ_TOKEN] = "bpf-token",
};

bool shim_readlink_ours(const char *path, char *buf, size_t size, long *ret)
{
	struct skep_obj *o;
	char p[256], text[64];
	int n, err;

	if (!skep_fd_have_any() || shim_inside() || !copy_path(p, path))
		return false;
	n = proc_number(p, "fd");
	if (n < 0 || !skep_fd_maybe_ours(n))
		return false;
	o = skep_fd_get(n, -1, NULL, &err);
	if (!o)
		return false;
	n = snprintf(text, sizeof(text), "anon_inode:%s", link_names[o->type]);
	skep_obj_put(o);
	*ret = (long)SKEP_MIN((size_t)n, size);
	if (skep_probe_write((u64)buf, text, (size_t)*ret))
		*ret = -EFAULT;
	return true;
}

/* --- uname --- */

static long do_uname(struct utsname *buf)
{
	long err = skep_raw(__NR_uname, buf);

	if (!err && release) {
		snprintf(buf->release, sizeof(buf->release), "%s", release);
		/* Distributions hide the true number here. */
		snprintf(buf->version, sizeof(buf->version), "#1 skep");
	}
	return err;
}

SKEP_EXPORT int uname(struct utsname *buf)
{
	return (int)shim_ret(SHIM_TRACED(__NR_uname, do_uname(buf), buf));
}

/* --- open --- */

static long do_open(int dir, const char *path, int flags, mode_t mode)
{
	int fd = -1;

	path = shim_present(path, flags, &fd);
	if (!path)
		return fd;
	if (dir == AT_FDCWD)
		return shim_unret(REAL(open)(path, flags, mode));
	if (shim_hidden(dir))
		return -EBADF;
	return shim_unret(REAL(openat)(dir, path, flags, mode));
}

static int traced_open(int dir, const char *path, int flags, mode_t mode)
{
	return (int)shim_ret(
		SHIM_TRACED(__NR_openat, do_open(dir, path, flags, mode), dir, path, flags, mode));
}

static bool needs_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE_ARG(flags)                                                                            \
	({                                                                                         \
		mode_t mode_ = 0;                                                                  \
		if (needs_mode(flags)) {                                                           \
			va_list ap_;                                                               \
			va_start(ap_, flags);                                                      \
			mode_ = va_arg(ap_, mode_t);                                               \
			va_end(ap_);                                                               \
		}                                                                                  \
		mode_;                                                                             \
	})

SKEP_EXPORT int open(const char *path, int flags, ...)
{
	return traced_open(AT_FDCWD, path, flags, MODE_ARG(flags));
}

SKEP_EXPORT int open64(const char *path, int flags, ...)
{
	return traced_open(AT_FDCWD, path, flags, MODE_ARG(flags));
}

SKEP_EXPORT int openat(int dir, const char *path, int flags, ...)
{
	return traced_open(dir, path, flags, MODE_ARG(flags));
}

SKEP_EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	return traced_open(dir, path, flags, MODE_ARG(flags));
}

SKEP_EXPORT int __open_2(const char *path, int flags)
{
	if (needs_mode(flags))
		__chk_fail();
	return traced_open(AT_FDCWD, path, flags, 0);
}

SKEP_EXPORT int __open64_2(const char *path, int flags)
{
	return __open_2(path, flags);
}

SKEP_EXPORT int __openat_2(int dir, const char *path, int flags)
{
	if (needs_mode(flags))
		__chk_fail();
	return traced_open(dir, path, flags, 0);
}

SKEP_EXPORT int __openat64_2(int dir, const char *path, int flags)
{
	return __openat_2(dir, path, flags);
}

/*
 * The host's BTF as a stream: libbpf reads its 5 MB through stdio, and sysfs gives a page a read.
 * skep maps the file anyway; from there it is one copy. Such a stream has no descriptor.
 */
struct btf_stream {
	const u8 *bytes;
	u32 size;
	off64_t at;
	FILE *file;
	struct btf_stream *next;
};

static struct skep_lock btf_streams_lock;
static struct btf_stream *btf_streams;

static ssize_t btf_stream_read(void *cookie, char *buf, size_t n)
{
	struct btf_stream *b = cookie;
	size_t left = b->at < b->size ? (size_t)(b->size - b->at) : 0;

	n = SKEP_MIN(n, left);
	memcpy(buf, b->bytes + b->at, n);
	b->at += (off64_t)n;
	return (ssize_t)n;
}

static int btf_stream_seek(void *cookie, off64_t *off, int whence)
{
	struct btf_stream *b = cookie;
	off64_t to = *off + (whence == SEEK_CUR ? b->at : whence == SEEK_END ? b->size : 0);

	if (to < 0)
		return -1;
	b->at = *off = to;
	return 0;
}

static int btf_stream_close(void *cookie)
{
	struct btf_stream *b = cookie, **pp = &btf_streams;

	skep_lock(&btf_streams_lock);
	while (*pp && *pp != b)
		pp = &(*pp)->next;
	if (*pp)
		*pp = b->next;
	skep_unlock(&btf_streams_lock);
	free(b);
	return 0;
}

/*
 * stdio fills a buffer at a time from such a stream. A read of megabytes is one copy instead;
 * false: not one of ours, or not large. The stream's own position stays true.
 */
static bool read_btf_stream(FILE *f, void *to, size_t size, size_t n, size_t *ret_n)
{
	struct btf_stream *b;
	u64 bytes;
	off_t at;

	if (likely(!SKEP_READ(btf_streams)) || __builtin_mul_overflow(size, n, &bytes) ||
	    bytes < (1u << 20))
		return false;
	skep_lock(&btf_streams_lock);
	for (b = btf_streams; b && b->file != f;)
		b = b->next;
	skep_unlock(&btf_streams_lock);
	at = b ? ftello(f) : -1;
	if (at < 0 || at >= b->size)
		return false;
	bytes = SKEP_MIN(bytes, (u64)(b->size - at)) / size * size;
	/* One call instead of a fault a page: best effort, old kernels refuse it. */
	skep_raw(__NR_madvise, ((u64)to + 4095) & ~4095ull, (bytes - 4096) & ~4095ull,
		 23 /* MADV_POPULATE_WRITE */);
	memcpy(to, b->bytes + at, bytes);
	*ret_n = bytes / size;
	return !fseeko(f, at + (off_t)bytes, SEEK_SET);
}

SKEP_EXPORT size_t fread(void *to, size_t size, size_t n, FILE *f)
{
	size_t got;

	return read_btf_stream(f, to, size, n, &got) ? got : REAL(fread)(to, size, n, f);
}

/* NULL: not the host's BTF, or not like this. */
static FILE *open_btf_stream(const char *path, const char *mode)
{
	cookie_io_functions_t io = {btf_stream_read, NULL, btf_stream_seek, btf_stream_close};
	struct btf_stream *b;
	char p[256];
	FILE *f;

	if (btf_file || btf_builtin || mode[0] != 'r' || strchr(mode, '+') || !copy_path(p, path) ||
	    strcmp(p, BTF_PATH))
		return NULL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->bytes = skep_kernel_btf_bytes(&b->size);
	skep_kernel_btf_prefetch();
	f = b->bytes ? fopencookie(b, mode, io) : NULL;
	if (!f) {
		free(b);
		return NULL;
	}
	b->file = f;
	skep_lock(&btf_streams_lock);
	b->next = btf_streams;
	SKEP_WRITE(btf_streams, b);
	skep_unlock(&btf_streams_lock);
	return f;
}

SKEP_EXPORT FILE *fopen(const char *path, const char *mode)
{
	int fd = -1;
	FILE *f = open_btf_stream(path, mode);

	if (f)
		return f;
	path = shim_present(path, O_RDONLY | (strchr(mode, 'e') ? O_CLOEXEC : 0), &fd);
	if (path)
		return REAL(fopen)(path, mode);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	f = REAL(fdopen)(fd, mode);
	if (!f)
		skep_raw(__NR_close, fd);
	return f;
}

SKEP_EXPORT FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

/* --- questions about a path: only the presented BTF is elsewhere --- */

static bool is_btf(const char *path)
{
	char p[256];

	return (btf_file || btf_builtin) && copy_path(p, path) && !strcmp(p, BTF_PATH);
}

static const char *where(const char *path)
{
	return unlikely(is_btf(path)) && btf_file ? btf_file : path;
}

static long do_faccessat(long nr, int dir, const char *path, int mode, int flags)
{
	if (unlikely(btf_builtin) && is_btf(path))
		return mode & W_OK ? -EACCES : 0;
	return skep_raw(nr, dir, where(path), mode, flags);
}

/* A built-in BTF is asked by descriptor. */
static long do_stat(int dir, const char *path, void *st, int flags)
{
	long fd, r;

	if (likely(!btf_builtin) || !is_btf(path))
		return skep_raw(__NR_newfstatat, dir, where(path), st, flags);
	fd = btf_bytes_file(O_CLOEXEC);
	if (fd < 0)
		return fd;
	r = skep_raw(__NR_fstat, fd, st);
	skep_raw(__NR_close, fd);
	return r;
}

SKEP_EXPORT int access(const char *path, int mode)
{
	return (int)shim_ret(SHIM_TRACED(
		__NR_access, do_faccessat(__NR_faccessat, AT_FDCWD, path, mode, 0), path, mode));
}

SKEP_EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
	long r;

	if (flags)
		r = SHIM_TRACED(__NR_faccessat2,
				do_faccessat(__NR_faccessat2, dir, path, mode, flags), dir, path,
				mode, flags);
	else
		r = SHIM_TRACED(__NR_faccessat, do_faccessat(__NR_faccessat, dir, path, mode, 0),
				dir, path, mode);
	return (int)shim_ret(r);
}

static int traced_stat(int dir, const char *path, void *st, int flags)
{
	return (int)shim_ret(
		SHIM_TRACED(__NR_newfstatat, do_stat(dir, path, st, flags), dir, path, st, flags));
}

SKEP_EXPORT int stat(const char *path, struct stat *st)
{
	return traced_stat(AT_FDCWD, path, st, 0);
}

SKEP_EXPORT int stat64(const char *path, struct stat64 *st)
{
	return traced_stat(AT_FDCWD, path, st, 0);
}

SKEP_EXPORT int lstat(const char *path, struct stat *st)
{
	return traced_stat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

SKEP_EXPORT int lstat64(const char *path, struct stat64 *st)
{
	return traced_stat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

SKEP_EXPORT int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return traced_stat(dir, path, st, flags);
}

SKEP_EXPORT int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return traced_stat(dir, path, st, flags);
}

SKEP_EXPORT int fstat(int fd, struct stat *st)
{
	if (fd < 0 || shim_hidden(fd))
		return (int)shim_ret(-EBADF);
	return traced_stat(fd, "", st, AT_EMPTY_PATH);
}

SKEP_EXPORT int fstat64(int fd, struct stat64 *st)
{
	return fstat(fd, (struct stat *)st);
}

SKEP_EXPORT int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *st)
{
	return (int)shim_ret(SHIM_TRACED(__NR_statx,
					 skep_raw(__NR_statx, dir, where(path), flags, mask, st),
					 dir, path, flags, mask, st));
}

SKEP_EXPORT ssize_t readlink(const char *path, char *buf, size_t n)
{
	long r;

	if (unlikely(shim_readlink_ours(path, buf, n, &r)))
		return shim_ret(r);
	return shim_ret(
		SHIM_TRACED(__NR_readlink, skep_raw(__NR_readlink, path, buf, n), path, buf, n));
}

SKEP_EXPORT ssize_t readlinkat(int dir, const char *path, char *buf, size_t n)
{
	long r;

	if (unlikely(shim_readlink_ours(path, buf, n, &r)))
		return shim_ret(r);
	return shim_ret(SHIM_TRACED(__NR_readlinkat, skep_raw(__NR_readlinkat, dir, path, buf, n),
				    dir, path, buf, n));
}

SKEP_EXPORT ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return readlink(path, buf, n);
}

SKEP_EXPORT ssize_t __readlinkat_chk(int dir, const char *path, char *buf, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return readlinkat(dir, path, buf, n);
}

/* --- statfs: libbpf pins only below a BPF file system --- */

static long do_statfs(const char *path, struct statfs *buf)
{
	long r = skep_raw(__NR_statfs, path, buf);
	char p[256];

	if (r || buf->f_type == (__fsword_t)BPF_FS_MAGIC || !copy_path(p, path) ||
	    strncmp(p, BPFFS, strlen(BPFFS)) || (p[strlen(BPFFS)] && p[strlen(BPFFS)] != '/'))
		return r;
	buf->f_type = (__fsword_t)BPF_FS_MAGIC;
	return 0;
}

SKEP_EXPORT int statfs(const char *path, struct statfs *buf)
{
	return (int)shim_ret(SHIM_TRACED(__NR_statfs, do_statfs(path, buf), path, buf));
}

SKEP_EXPORT int statfs64(const char *path, struct statfs64 *buf)
{
	return statfs(path, (struct statfs *)buf);
}
