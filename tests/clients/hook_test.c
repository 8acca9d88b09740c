/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs fired by the application's own calls: which, how often, when no longer, and politely.
 *
 * Runs with libskep preloaded.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "bpf_raw.h"
#include "check.h"

static int counter_map(void)
{
	return map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
}

/* sys_enter: count calls whose number is @nr. ctx[1] is the number. */
static int load_tp_counter(int map, int nr)
{
	struct bpf_insn insns[] = {
		LDX(BPF_DW, 2, 1, 8),
		JNE_IMM(2, nr, 4),
		LD_MAP_VALUE(1, map, 0),
		MOV_IMM(3, 1),
		ATOMIC_ADD(1, 3, 0),
		MOV_IMM(0, 0),
		EXIT(),
	};

	return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, insns, sizeof(insns) / sizeof(*insns));
}

/* fentry or fexit: count every run. */
static int load_traced(int map, const char *func, enum bpf_attach_type type)
{
	struct bpf_insn insns[] = {
		LD_MAP_VALUE(1, map, 0), MOV_IMM(3, 1), ATOMIC_ADD(1, 3, 0), MOV_IMM(0, 0), EXIT(),
	};
	int id = libbpf_find_vmlinux_btf_id(func, type);

	return id < 0 ? id
		      : prog_load(BPF_PROG_TYPE_TRACING, type, (uint32_t)id, insns,
				  sizeof(insns) / sizeof(*insns));
}

/* fexit: store the return value (second argument after regs). */
static int load_result(int map, const char *func)
{
	struct bpf_insn insns[] = {
		LDX(BPF_DW, 2, 1, 8),
		LD_MAP_VALUE(1, map, 0),
		STX(BPF_DW, 1, 2, 0),
		MOV_IMM(0, 0),
		EXIT(),
	};
	int id = libbpf_find_vmlinux_btf_id(func, BPF_TRACE_FEXIT);

	return id < 0 ? id
		      : prog_load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, (uint32_t)id, insns,
				  sizeof(insns) / sizeof(*insns));
}

static uint64_t delta(int map, uint64_t *last)
{
	uint64_t now = map_word(map), d = now - *last;

	*last = now;
	return d;
}

static void *call_getpgid(void *times)
{
	for (long i = 0; i < (long)times; i++)
		getpgid(0);
	return NULL;
}

static void test_raw_tp(void)
{
	int map = counter_map(), prog = load_tp_counter(map, SYS_getpgid), link;
	uint64_t last = 0;

	if (!CHECK(prog >= 0))
		return;
	call_getpgid((void *)10);
	CHECK_EQ(delta(map, &last), 0);
	link = raw_tp_open(prog, "sys_enter");
	if (!CHECK(link >= 0))
		return;
	errno = 99;
	call_getpgid((void *)10);
	CHECK_EQ(errno, 99);
	CHECK_EQ(delta(map, &last), 10);
	syscall(SYS_getpgid, 0);
	CHECK_EQ(delta(map, &last), 1);
	getppid();
	CHECK_EQ(delta(map, &last), 0);
	close(link);
	call_getpgid((void *)10);
	CHECK_EQ(delta(map, &last), 0);
	CHECK(raw_tp_open(prog, "no_such_tracepoint") == -1 && errno == ENOENT);
	close(prog);
	close(map);
}

static void test_fentry_fexit(void)
{
	int m1 = counter_map(), m2 = counter_map(), m3 = counter_map();
	int p1 = load_traced(m1, "__x64_sys_getpgid", BPF_TRACE_FENTRY);
	int p2 = load_traced(m2, "__x64_sys_getpgid", BPF_TRACE_FEXIT);
	int p3 = load_result(m3, "__x64_sys_getpgid");
	int l1, l2, l3;
	uint64_t a = 0, b = 0;

	if (!CHECK(p1 >= 0 && p2 >= 0 && p3 >= 0))
		return;
	l1 = raw_tp_open(p1, NULL);
	l2 = raw_tp_open(p2, NULL);
	l3 = raw_tp_open(p3, NULL);
	if (!CHECK(l1 >= 0 && l2 >= 0 && l3 >= 0))
		return;
	call_getpgid((void *)100);
	CHECK_EQ(delta(m1, &a), 100);
	CHECK_EQ(delta(m2, &b), 100);
	CHECK_EQ(map_word(m3), getpgid(0));
	CHECK(getpgid(-5) == -1 && errno == ESRCH);
	CHECK_EQ((int64_t)map_word(m3), -ESRCH);
	close(l1);
	delta(m1, &a);
	delta(m2, &b);
	call_getpgid((void *)100);
	CHECK_EQ(delta(m1, &a), 0);
	CHECK_EQ(delta(m2, &b), 100);
	close(l2);
	close(l3);
	close(p1);
	close(p2);
	close(p3);
	close(m1);
	close(m2);
	close(m3);
}

static pthread_barrier_t gate;

static void *early_thread(void *times)
{
	pthread_barrier_wait(&gate); /* born before the link */
	return call_getpgid(times);
}

static void test_threads(void)
{
	pthread_t early[4], late[4];
	uint64_t last = 0;
	int map, prog, link;

	pthread_barrier_init(&gate, NULL, 5);
	for (int i = 0; i < 4; i++)
		pthread_create(&early[i], NULL, early_thread, (void *)5000);
	map = counter_map();
	prog = load_tp_counter(map, SYS_getpgid);
	link = raw_tp_open(prog, "sys_enter");
	CHECK(link >= 0);
	pthread_barrier_wait(&gate);
	for (int i = 0; i < 4; i++)
		pthread_create(&late[i], NULL, call_getpgid, (void *)5000);
	for (int i = 0; i < 4; i++) {
		pthread_join(early[i], NULL);
		pthread_join(late[i], NULL);
	}
	CHECK_EQ(delta(map, &last), 40000);
	for (int i = 0; i < 500; i++) { /* tasks come and go */
		pthread_create(&late[0], NULL, call_getpgid, (void *)1);
		pthread_join(late[0], NULL);
	}
	CHECK_EQ(delta(map, &last), 500);
	close(link);
	close(prog);
	close(map);
}

static void test_fork(void)
{
	int map = counter_map(), prog = load_tp_counter(map, SYS_getpgid);
	int link = raw_tp_open(prog, "sys_enter"), status;
	uint64_t last = 0;
	pid_t pid;

	CHECK(link >= 0);
	pid = fork();
	if (!pid) {
		call_getpgid((void *)50);
		_exit(map_word(map) != ~0ull);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	CHECK_EQ(delta(map, &last), 0);
	call_getpgid((void *)7);
	CHECK_EQ(delta(map, &last), 7);
	pid = vfork();
	if (!pid) {
		close(link);
		close(map);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	call_getpgid((void *)7);
	CHECK_EQ(delta(map, &last), 7);
	pid = fork();
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	close(link);
	close(prog);
	close(map);
}

/* A close that no wrapper sees must detach as well. */
static void test_unseen_close(void)
{
	int map = counter_map(), prog = load_tp_counter(map, SYS_getpgid);
	int link = raw_tp_open(prog, "sys_enter"), d = dup(link);
	long ret;
	uint64_t last = 0;

	CHECK(link >= 0 && d >= 0);
	close(link);
	call_getpgid((void *)3);
	CHECK_EQ(delta(map, &last), 3); /* the duplicate holds it */
	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_close), "D"(d) : "rcx", "r11", "memory");
	CHECK_EQ(ret, 0);
	for (int i = 0; i < 500; i++) {
		call_getpgid((void *)1);
		if (!delta(map, &last))
			break;
		usleep(1000);
	}
	call_getpgid((void *)3);
	CHECK_EQ(delta(map, &last), 0);
	close(prog);
	close(map);
}

static int null_fd;
static long ticks;

static void on_tick(int sig)
{
	int saved = errno;

	__atomic_fetch_add(&ticks, write(null_fd, "x", 1) == 1 ? 1 : -1000000, __ATOMIC_RELAXED);
	errno = saved;
}

static void *keep_writing(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		if (write(null_fd, "y", 1) != 1)
			break;
	return NULL;
}

/*
 * A timer at 1 kHz whose handler makes the traced call, while every thread makes it and programs
 * and links come and go.
 */
static void test_signals(void)
{
	struct itimerval on = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, old;
	int map = counter_map(), prog = load_tp_counter(map, SYS_write);
	struct timespec start, now;
	bool stop = false;
	pthread_t t[3];
	uint64_t last = 0;
	int rounds = 0;

	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	CHECK(prog >= 0);
	sigaction(SIGALRM, &sa, &old);
	setitimer(ITIMER_REAL, &on, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, keep_writing, &stop);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		int link = raw_tp_open(prog, "sys_enter"), m = counter_map();
		uint32_t key = 0;
		uint64_t v = 1;

		for (int i = 0; i < 50; i++) {
			keep_writing((bool[]){true});
			map_update(m, &key, &v);
			if (write(null_fd, "z", 1) != 1)
				break;
		}
		close(link);
		close(m);
		rounds++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < 2);
	setitimer(ITIMER_REAL, &off, NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	sigaction(SIGALRM, &old, NULL);
	CHECK(rounds > 10);
	CHECK(ticks > 100);
	CHECK(delta(map, &last) > 1000);
	close(prog);
	close(map);
	close(null_fd);
}

/*
 * pthread_cancel still ends a thread that waits in a wrapped call (by unwinding past a frame that
 * AddressSanitizer would go on guarding).
 */
__attribute__((no_sanitize("address"))) static void *wait_for_ever(void *fds)
{
	char c;

	return (void *)(read(((int *)fds)[0], &c, 1) + 100);
}

static void test_cancel(void)
{
	int map = counter_map(), prog = load_tp_counter(map, SYS_read);
	int link = raw_tp_open(prog, "sys_enter"), fds[2];
	pthread_t t;
	void *ret;

	CHECK(link >= 0);
	CHECK_EQ(pipe(fds), 0);
	pthread_create(&t, NULL, wait_for_ever, fds);
	usleep(20000);
	pthread_cancel(t);
	pthread_join(t, &ret);
	CHECK(ret == PTHREAD_CANCELED);
	CHECK(map_word(map) >= 1);
	close(link);
	close(prog);
	close(map);
}

int main(void)
{
	test_raw_tp();
	test_fentry_fexit();
	test_threads();
	test_fork();
	test_unseen_close();
	test_cancel();
	test_signals();
	if (checks_done())
		return 1;
	/* Leave with a link attached and threads in programs: must neither hang nor crash. */
	{
		int map = counter_map(), prog = load_tp_counter(map, SYS_getpgid);
		pthread_t t;

		raw_tp_open(prog, "sys_enter");
		for (int i = 0; i < 4; i++)
			pthread_create(&t, NULL, call_getpgid, (void *)(1l << 40));
		usleep(20000);
	}
	return 0;
}
