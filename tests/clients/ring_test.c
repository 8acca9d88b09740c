/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ring buffers through libbpf's consumer and through the application's own epoll and poll.
 *
 * The producer is a program on getpgid(2), which this process calls. Runs with libskep preloaded.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>

#include "bpf_raw.h"
#include "check.h"

#define RING_BYTES 4096

static int ring, prog, link_fd;

/* sys_enter of getpgid: put its first argument in the ring. */
static bool setup(void)
{
	struct bpf_insn insns[] = {
		LDX(BPF_DW, 2, 1, 8),
		JNE_IMM(2, SYS_getpgid, 8),
		STX(BPF_DW, 10, 2, -8),
		LD_MAP_FD(1, 0),
		MOV_REG(2, 10),
		ADD_IMM(2, -8),
		MOV_IMM(3, 8),
		MOV_IMM(4, 0),
		CALL(BPF_FUNC_ringbuf_output),
		MOV_IMM(0, 0),
		EXIT(),
	};

	ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, RING_BYTES, 0);
	insns[3].imm = ring;
	prog = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, insns, sizeof(insns) / sizeof(*insns));
	link_fd = prog < 0 ? -1 : raw_tp_open(prog, "sys_enter");
	return CHECK(ring >= 0) && CHECK(prog >= 0) && CHECK(link_fd >= 0);
}

static int got;

static int on_record(void *ctx, void *data, size_t size)
{
	got += size == 8 && *(uint64_t *)data == SYS_getpgid;
	return 0;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void test_two_polls(void)
{
	struct ring_buffer *rb = ring_buffer__new(ring, on_record, NULL, NULL);
	double t;

	if (!CHECK(rb != NULL))
		return;
	for (int i = 0; i < 3; i++)
		getpgid(0);
	CHECK_EQ(ring_buffer__poll(rb, 1000), 3);
	CHECK_EQ(got, 3);
	for (int i = 0; i < 2; i++) { /* drained: both wait their time out */
		t = seconds();
		CHECK_EQ(ring_buffer__poll(rb, 50), 0);
		CHECK(seconds() - t > 0.045);
	}
	getpgid(0);
	CHECK_EQ(ring_buffer__consume(rb), 1);
	CHECK_EQ(ring_buffer__poll(rb, 0), 0); /* consumed behind epoll's back */
	for (int i = 0; i < 1000; i++) {       /* round the ring many times */
		getpgid(0);
		if (ring_buffer__poll(rb, 1000) != 1) {
			CHECK(!"a record was lost");
			break;
		}
	}
	CHECK_EQ(got, 1004);
	ring_buffer__free(rb);
}

/* libbpf's own epoll descriptor inside the application's set. */
static void test_nested(void)
{
	struct ring_buffer *rb = ring_buffer__new(ring, on_record, NULL, NULL);
	int outer = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev = {.events = EPOLLIN};

	if (!CHECK(rb != NULL))
		return;
	CHECK_EQ(epoll_ctl(outer, EPOLL_CTL_ADD, ring_buffer__epoll_fd(rb), &ev), 0);
	CHECK_EQ(epoll_wait(outer, &ev, 1, 0), 0);
	getpgid(0);
	CHECK_EQ(epoll_wait(outer, &ev, 1, 1000), 1);
	CHECK_EQ(epoll_wait(outer, &ev, 1, 0), 1); /* level: not consumed */
	CHECK_EQ(ring_buffer__consume(rb), 1);
	CHECK_EQ(epoll_wait(outer, &ev, 1, 0), 0);
	close(outer);
	ring_buffer__free(rb);
}

static void test_edge_triggered(void)
{
	struct ring_buffer *rb = ring_buffer__new(ring, on_record, NULL, NULL);
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	int ep = epoll_create1(EPOLL_CLOEXEC);

	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, ring, &ev), 0);
	for (int i = 0; i < 3; i++) {
		getpgid(0);
		CHECK_EQ(epoll_wait(ep, &ev, 1, 1000), 1);
		CHECK_EQ(ring_buffer__consume(rb), 1);
		CHECK_EQ(epoll_wait(ep, &ev, 1, 0), 0);
	}
	close(ep);
	ring_buffer__free(rb);
}

static void *produce_later(void *unused)
{
	usleep(20000);
	getpgid(0);
	return NULL;
}

/* A waiter that is asleep already is woken. */
static void test_wake(void)
{
	struct ring_buffer *rb = ring_buffer__new(ring, on_record, NULL, NULL);
	struct pollfd p = {.fd = ring, .events = POLLIN};
	pthread_t t;

	pthread_create(&t, NULL, produce_later, NULL);
	CHECK_EQ(ring_buffer__poll(rb, 5000), 1);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, produce_later, NULL);
	CHECK_EQ(poll(&p, 1, 5000), 1);
	pthread_join(t, NULL);
	CHECK_EQ(ring_buffer__consume(rb), 1);
	ring_buffer__free(rb);
}

static void *produce(void *n)
{
	for (long i = 0; i < (long)n; i++)
		getpgid(0);
	return NULL;
}

/* Several producers, one consumer that only polls: nothing that fits is missed. */
static void test_stream(void)
{
	struct ring_buffer *rb = ring_buffer__new(ring, on_record, NULL, NULL);
	pthread_t t[2];
	int before = got;

	for (int round = 0; round < 200; round++) {
		int want = got + 40; /* 40 × 16 bytes fit the ring */

		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, produce, (void *)20);
		for (double until = seconds() + 5; got < want && seconds() < until;)
			ring_buffer__poll(rb, 100);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		if (got != want) {
			CHECK_EQ(got, want);
			break;
		}
	}
	CHECK_EQ(got - before, 8000);
	ring_buffer__free(rb);
}

int main(void)
{
	if (setup()) {
		test_two_polls();
		test_nested();
		test_edge_triggered();
		test_wake();
		test_stream();
		close(link_fd);
	}
	return checks_done();
}
