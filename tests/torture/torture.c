/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything at once: torture [SECONDS]
 *
 * Threads that make traced calls, threads that load, attach and close, threads that create and
 * delete storage of other threads that come and go, threads that change maps programs look at,
 * children that are forked meanwhile, and a timer whose handler makes the traced call too. The
 * oracle: it ends, nothing crashes, counts add up, every request got one of its answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf_raw.h"
#include "check.h"

static int counters, hash, ring, storage, null_fd;
static bool stop;
static unsigned long writes, rounds, forks, unexpected;

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static void count(unsigned long *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

static int make_storage(void)
{
	static const uint32_t types[] = {1, 1u << 24, 4, 1u << 24 | 32};
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, type_off, type_len, str_off, str_len;
		uint32_t types[4];
		char strs[8];
	} blob = {0xeb9f, 1, 0, 24, 0, sizeof(types), sizeof(types), 5, {0}, "\0int"};
	union bpf_attr a = {0};
	int btf, fd;

	memcpy(blob.types, types, sizeof(types));
	a.btf = (uintptr_t)&blob;
	a.btf_size = 24 + sizeof(types) + 5;
	btf = (int)bpf(BPF_BTF_LOAD, &a);
	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_TASK_STORAGE;
	a.key_size = 4;
	a.value_size = 4;
	a.map_flags = BPF_F_NO_PREALLOC;
	a.btf_fd = (uint32_t)btf;
	a.btf_key_type_id = 1;
	a.btf_value_type_id = 1;
	fd = (int)bpf(BPF_MAP_CREATE, &a);
	close(btf);
	return fd;
}

/* On write(2): count, update the hash, send, get or delete the task's storage. */
static int load_all(bool deletes)
{
	struct bpf_insn in[] = {
		LDX(BPF_DW, 6, 1, 8),
		JNE_IMM(6, SYS_write, 28),
		LD_MAP_VALUE(1, counters, 0),
		MOV_IMM(2, 1),
		ATOMIC_ADD(1, 2, 0),
		CALL(BPF_FUNC_get_current_pid_tgid),
		INSN(BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, 63),
		STX(BPF_DW, 10, 0, -8),
		LD_MAP_FD(1, hash),
		MOV_REG(2, 10),
		ADD_IMM(2, -8),
		MOV_REG(3, 2),
		MOV_IMM(4, 0),
		CALL(BPF_FUNC_map_update_elem),
		LD_MAP_FD(1, ring),
		MOV_REG(2, 10),
		ADD_IMM(2, -8),
		MOV_IMM(3, 8),
		MOV_IMM(4, 0),
		CALL(BPF_FUNC_ringbuf_output),
		CALL(BPF_FUNC_get_current_task_btf),
		MOV_REG(2, 0),
		LD_MAP_FD(1, storage),
		MOV_IMM(3, 0),
		MOV_IMM(4, 1),
		CALL(deletes ? BPF_FUNC_task_storage_delete : BPF_FUNC_task_storage_get),
		MOV_IMM(0, 0),
		EXIT(),
	};

	return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, in, sizeof(in) / sizeof(*in));
}

static void on_tick(int sig)
{
	int saved = errno;

	if (write(null_fd, "t", 1) != 1)
		count(&unexpected);
	errno = saved;
}

static void *keep_writing(void *unused)
{
	while (!stopped())
		if (write(null_fd, "w", 1) != 1)
			count(&unexpected);
		else
			count(&writes);
	return unused;
}

static void *one_write(void *unused)
{
	return write(null_fd, "s", 1) == 1 ? unused : (void *)&unexpected;
}

static void *keep_spawning(void *unused)
{
	while (!stopped()) {
		pthread_t t[4];
		void *ret;

		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, one_write, NULL);
		for (int i = 0; i < 4; i++) {
			pthread_join(t[i], &ret);
			if (ret)
				count(&unexpected);
		}
	}
	return unused;
}

static void *keep_loading(void *deletes)
{
	while (!stopped()) {
		int prog = load_all(deletes), link;

		if (prog < 0) {
			count(&unexpected);
			continue;
		}
		link = raw_tp_open(prog, "sys_enter");
		if (link < 0)
			count(&unexpected);
		close(prog); /* the link holds it */
		for (int i = 0; i < 20; i++)
			if (write(null_fd, "l", 1) != 1)
				count(&unexpected);
		close(link);
		count(&rounds);
	}
	return NULL;
}

static void *keep_changing(void *unused)
{
	for (uint64_t key = 0; !stopped(); key = (key + 7) & 63) {
		union bpf_attr a = {.map_fd = (uint32_t)hash};
		int m = map_create(BPF_MAP_TYPE_HASH, 8, 8, 16, 0);

		a.key = (uintptr_t)&key;
		if (bpf(BPF_MAP_DELETE_ELEM, &a) && errno != ENOENT)
			count(&unexpected);
		if (m < 0 || map_update(m, &key, &key))
			count(&unexpected);
		close(m);
	}
	return unused;
}

/* A child owns nothing and starts anew. */
static void fork_one(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int m = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);

		_exit(m < 0 || write(null_fd, "f", 1) != 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		count(&unexpected);
	count(&forks);
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? atol(argv[1]) : 3;
	struct itimerval on = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	void *(*const work[])(void *) = {keep_writing,	keep_writing, keep_spawning,
					 keep_loading, keep_loading, keep_changing};
	pthread_t t[6];
	time_t end = time(NULL) + seconds;
	int prog, link;
	uint64_t before;

	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	counters = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	hash = map_create(BPF_MAP_TYPE_HASH, 8, 8, 40, 0); /* fewer than there are keys */
	ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
	storage = make_storage();
	CHECK(null_fd >= 0 && counters >= 0 && hash >= 0 && ring >= 0 && storage >= 0);
	prog = load_all(false);
	if (!CHECK(prog >= 0))
		return checks_done();
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &on, NULL);
	for (long i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, work[i], (void *)(long)(i == 4));
	while (time(NULL) < end) {
		fork_one();
		usleep(2000);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK_EQ(unexpected, 0);
	CHECK(rounds > 0 && writes > 0 && forks > 0);
	/* After all that, exactly what is asked for. */
	link = raw_tp_open(prog, "sys_enter");
	before = map_word(counters);
	for (int i = 0; i < 1000; i++)
		one_write(NULL);
	CHECK_EQ(map_word(counters) - before, 1000);
	close(link);
	before = map_word(counters);
	one_write(NULL);
	CHECK_EQ(map_word(counters), before);
	fprintf(stderr, "%lu writes, %lu programs, %lu forks\n", writes, rounds, forks);
	return checks_done();
}
