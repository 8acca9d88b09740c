/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interposed libc as an application meets it: descriptors, mappings, files, bad pointers.
 *
 * Runs with libskep preloaded and SKEP_CPUS=3.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "bpf_raw.h"
#include "check.h"

#define PAGE 4096
#define BAD ((void *)0x10)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask,
		size_t room);

static int array(uint32_t flags)
{
	return map_create(BPF_MAP_TYPE_ARRAY, 4, PAGE, 2, flags);
}

/* 0 when @fd is a map's, else the errno of asking it. */
static int ask(int fd)
{
	uint32_t key = 0;
	char value[PAGE];

	return map_lookup(fd, &key, value) ? errno : 0;
}

static void test_close_family(void)
{
	int fd = array(0), d, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	FILE *f;

	if (!CHECK(fd >= 0))
		return;
	CHECK_EQ(ask(fd), 0);
	CHECK_EQ(ask(null), EINVAL);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);

	d = dup(fd);
	CHECK_EQ(ask(d), 0);
	close(d);
	CHECK_EQ(ask(d), EBADF);
	CHECK_EQ(dup2(fd, d), d);
	CHECK_EQ(ask(d), 0);
	CHECK_EQ(dup2(null, d), d); /* over a map's descriptor */
	CHECK_EQ(ask(d), EINVAL);
	CHECK_EQ(dup3(fd, d, O_CLOEXEC), d);
	CHECK_EQ(ask(d), 0);
	CHECK_EQ(syscall(SYS_dup3, null, d, 0), d);
	CHECK_EQ(ask(d), EINVAL);
	close(d);
	d = fcntl(fd, F_DUPFD_CLOEXEC, 50);
	CHECK(d >= 50);
	CHECK_EQ(ask(d), 0);
	f = fdopen(d, "r");
	fclose(f);
	CHECK_EQ(ask(d), EBADF);
	d = (int)syscall(SYS_fcntl, fd, F_DUPFD, 60);
	CHECK_EQ(ask(d), 0);
	CHECK_EQ(close_range((unsigned int)d, (unsigned int)d, 0), 0);
	CHECK_EQ(ask(d), EBADF);
	CHECK_EQ(ask(fd), 0);
	syscall(SYS_close, fd);
	CHECK_EQ(ask(fd), EBADF);
	/* The number again, with another file. */
	CHECK_EQ(dup2(null, fd), fd);
	CHECK_EQ(ask(fd), EINVAL);
	close(fd);
	close(null);
}

/* The memory behind maps is where no loop over descriptors gets at it. */
static void check_mmap_works(int shared, int ring)
{
	uint64_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
	uint8_t *r = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ring, PAGE);

	CHECK(p != MAP_FAILED && r != MAP_FAILED);
	if (p != MAP_FAILED) {
		p[0]++;
		CHECK_EQ(map_word(shared), p[0]);
		munmap(p, PAGE);
	}
	if (r != MAP_FAILED)
		munmap(r, PAGE);
}

static void test_close_everything(void)
{
	int ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, PAGE, 0), kept = array(0), fd;
	int shared = array(BPF_F_MMAPABLE);

	CHECK(ring >= 0 && kept >= 0 && shared >= 0);
	check_mmap_works(shared, ring);
	for (int i = 3; i < 2048; i++)
		if (i != ring && i != kept && i != shared)
			close(i);
	check_mmap_works(shared, ring);
	closefrom(512);
	CHECK_EQ(ask(kept), 0);
	for (int i = 700; i < 720; i++)
		CHECK(close(i) == -1 && errno == EBADF);
	fd = array(0);
	CHECK(fd >= 0 && fd < 16); /* ours do not take the low numbers */
	CHECK_EQ(ask(fd), 0);
	CHECK_EQ(dup2(0, 700), 700);
	CHECK_EQ(dup2(0, 701), 701);
	for (int i = 702; i < 720; i++)
		CHECK_EQ(dup2(0, i), i);
	check_mmap_works(shared, ring);
	close_range(700, 719, 0);
	check_mmap_works(shared, ring);
	close(fd);
	fd = array(0);
	CHECK_EQ(ask(fd), 0);
	close(fd);
	close(kept);
	close(shared);
	close(ring);
}

static uint32_t map_id(int fd)
{
	struct bpf_map_info info = {0};
	union bpf_attr a = {0};

	a.info.bpf_fd = (uint32_t)fd;
	a.info.info_len = sizeof(info);
	a.info.info = (uintptr_t)&info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &a) ? 0 : info.id;
}

static bool id_exists(uint32_t id)
{
	union bpf_attr a = {.map_id = id};
	int fd = (int)bpf(BPF_MAP_GET_FD_BY_ID, &a);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_children(void)
{
	int fd = array(0), status;
	uint32_t id = map_id(fd);
	pid_t pid;

	CHECK(id != 0);
	pid = vfork();
	if (!pid) {
		close(fd);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(ask(fd), 0);
	CHECK(id_exists(id));

	pid = fork();
	if (!pid) {
		int inherited = ask(fd), fresh = array(0);

		_exit(inherited != EBADF || fresh < 0 || ask(fresh) || fresh == fd);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	pid = (pid_t)syscall(SYS_fork);
	if (!pid)
		_exit(ask(fd) != EBADF);
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	CHECK_EQ(ask(fd), 0);
	close(fd);
	CHECK(!id_exists(id));
}

static void test_mmap(void)
{
	int fd = array(BPF_F_MMAPABLE), plain = array(0);
	uint32_t id = map_id(fd), key = 1;
	uint64_t value[PAGE / 8] = {42}, *m, *m2;
	void *anon;

	CHECK_EQ(map_update(fd, &key, value), 0);
	m = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!CHECK(m != MAP_FAILED))
		return;
	CHECK_EQ(m[PAGE / 8], 42);
	m[0] = 7;
	CHECK_EQ(map_word(fd), 7);

	/* Placed over an earlier mapping. */
	anon = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	m2 = mmap((char *)anon + PAGE, 2 * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	CHECK(m2 == (void *)((char *)anon + PAGE));
	CHECK_EQ(m2[0], 7);
	CHECK(mprotect(m2, PAGE, PROT_READ | PROT_WRITE) == 0 || errno == EACCES);
	CHECK(mmap(m2, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == m2);
	CHECK_EQ(m2[0], 0);
	CHECK_EQ(m2[PAGE / 8], 42);
	munmap(anon, 4 * PAGE);

	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, plain, 0) == MAP_FAILED);
	CHECK(mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK((void *)syscall(SYS_mmap, NULL, PAGE, PROT_READ, MAP_SHARED, plain, 0) == MAP_FAILED);

	/* A mapping keeps the map. */
	close(fd);
	CHECK(id_exists(id));
	m[0] = 9;
	CHECK_EQ(m[0], 9);
	CHECK_EQ(munmap(m, PAGE), 0);
	CHECK(id_exists(id));
	CHECK_EQ(m[PAGE / 8], 42);
	CHECK_EQ(munmap(m + PAGE / 8, PAGE), 0);
	CHECK(!id_exists(id));
	close(plain);
}

static void check_bad_pointers(void)
{
	int fd = map_create(BPF_MAP_TYPE_HASH, 4, 8, 4, 0);
	uint32_t key = 1;
	uint64_t value = 1;
	union bpf_attr a;

	CHECK_EQ(syscall(__NR_bpf, BPF_MAP_CREATE, BAD, 72), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK_EQ(map_update(fd, BAD, &value), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK_EQ(map_update(fd, &key, BAD), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK_EQ(map_update(fd, &key, &value), 0);
	CHECK_EQ(map_lookup(fd, &key, BAD), -1);
	CHECK_EQ(errno, EFAULT);
	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	a.insn_cnt = 2;
	a.insns = (uintptr_t)BAD;
	a.license = (uintptr_t) "GPL";
	CHECK_EQ(bpf(BPF_PROG_LOAD, &a), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK(open(BAD, O_RDONLY) == -1 && errno == EFAULT);
	close(fd);
}

static void *blocked_thread(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	check_bad_pointers();
	return NULL;
}

static void test_bad_pointers(void)
{
	pthread_t t;

	check_bad_pointers();
	pthread_create(&t, NULL, blocked_thread, NULL);
	pthread_join(t, NULL);
}

static long slurp(int fd, char *buf, size_t room)
{
	ssize_t n = fd < 0 ? -1 : __read_chk(fd, buf, room - 1, room);

	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = 0;
	return n;
}

static void test_files(void)
{
	static const char *const path = "/sys/devices/system/cpu/possible";
	char buf[512], name[64];
	int fd = array(0);
	struct statfs fs;
	FILE *f;

	slurp(open(path, O_RDONLY), buf, sizeof(buf));
	CHECK(!strcmp(buf, "0-2\n"));
	slurp(open64("/sys/devices/system/cpu/online", O_RDONLY), buf, sizeof(buf));
	CHECK(!strcmp(buf, "0-2\n"));
	slurp(__open_2(path, O_RDONLY), buf, sizeof(buf));
	CHECK(!strcmp(buf, "0-2\n"));
	slurp(__open64_2(path, O_RDONLY), buf, sizeof(buf));
	CHECK(!strcmp(buf, "0-2\n"));
	slurp(__openat_2(AT_FDCWD, path, O_RDONLY), buf, sizeof(buf));
	CHECK(!strcmp(buf, "0-2\n"));
	slurp((int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY), buf, sizeof(buf));
	CHECK(!strcmp(buf, "0-2\n"));
	f = fopen64("/sys/devices/system/cpu/present", "re");
	CHECK(f && fgets(buf, sizeof(buf), f) && !strcmp(buf, "0-2\n"));
	if (f)
		fclose(f);

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	f = fopen(name, "r");
	CHECK(f != NULL);
	if (f) {
		bool type = false;

		while (fgets(buf, sizeof(buf), f))
			type |= !strncmp(buf, "map_type:\t2", 11);
		CHECK(type);
		fclose(f);
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	memset(buf, 0, sizeof(buf));
	CHECK(readlink(name, buf, sizeof(buf) - 1) > 0);
	CHECK(strstr(buf, "bpf-map") != NULL);
	CHECK(read(fd, buf, 8) == -1 && errno == EINVAL);
	CHECK(write(fd, buf, 8) == -1 && errno == EINVAL);
	CHECK(syscall(SYS_read, fd, buf, 8) == -1 && errno == EINVAL);
	if (!statfs("/sys/fs/bpf", &fs))
		CHECK_EQ((uint32_t)fs.f_type, 0xcafe4a11u);
	close(fd);
}

static void test_poll_forms(void)
{
	int fd = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, PAGE, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct timespec none = {0};
	struct timeval tv = {0};
	fd_set set;

	CHECK_EQ(poll(&p, 1, 0), 0);
	CHECK_EQ(ppoll(&p, 1, &none, NULL), 0);
	CHECK_EQ(__poll_chk(&p, 1, 0, sizeof(p)), 0);
	CHECK_EQ(__ppoll_chk(&p, 1, &none, NULL, sizeof(p)), 0);
	CHECK_EQ(syscall(SYS_poll, &p, 1, 0), 0);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	CHECK_EQ(select(fd + 1, &set, NULL, NULL, &tv), 0);
	FD_SET(fd, &set);
	CHECK_EQ(pselect(fd + 1, &set, NULL, NULL, &none, NULL), 0);
	close(fd);
}

/* What belongs to the application, before the first bpf(2) and at the end. */
static struct {
	struct sigaction actions[32];
	stack_t alt;
} first, last;

static void snapshot(typeof(first) *s)
{
	for (int sig = 1; sig < 32; sig++)
		sigaction(sig, NULL, &s->actions[sig]);
	sigaltstack(NULL, &s->alt);
}

static void test_manners(void)
{
	struct perf_event_attr pe = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(pe)};
	sigset_t before = {0}, after = {0};
	int fd;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	errno = 77;
	fd = array(0);
	CHECK(fd >= 0);
	CHECK_EQ(errno, 77);
	CHECK_EQ(ask(fd), 0);
	CHECK_EQ(close(fd), 0);
	CHECK_EQ(errno, 77);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	CHECK(!memcmp(&before, &after, sizeof(before)));
	snapshot(&last);
	for (int sig = 1; sig < 32; sig++)
		CHECK(first.actions[sig].sa_handler == last.actions[sig].sa_handler);
	CHECK(first.alt.ss_sp == last.alt.ss_sp && first.alt.ss_flags == last.alt.ss_flags);
	CHECK(syscall(__NR_perf_event_open, &pe, 0, -1, -1, 0) == -1 && errno == ENOENT);
	CHECK(syscall(__NR_bpf, 9999, &pe, 8) == -1 && errno == EINVAL);
}

int main(void)
{
	snapshot(&first);
	test_close_family();
	test_children();
	test_mmap();
	test_bad_pointers();
	test_files();
	test_poll_forms();
	test_manners();
	test_close_everything();
	return checks_done();
}
