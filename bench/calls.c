/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls: the ways in and out of programs, kind=
 *
 *	hook       one system call with a program at its entry
 *	tail-call  one tail call, of a chain as long as is allowed
 *	ringbuf    one record reserved, submitted and consumed
 *
 * The native twin of the hook is the system call alone; of the tail call, a call through a pointer
 * in a table; of the record, a ring of one producer and one consumer in this thread.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "calls.skel.h"

#define REPEAT 100
#define CHAIN 33
#define RECORDS 100

static const char *const kinds[] = {"hook", "tail-call", "ringbuf"};
static const char *const programs[] = {"hook", "tail_call", "ringbuf"};
enum { HOOK, TAIL_CALL, RINGBUF, NR_KINDS };

static struct calls_bpf *skel;
static struct ring_buffer *consumer;
static unsigned int kind;
static int prog_fd;
static unsigned long consumed;

static void read_params(void)
{
	const char *name = bench_param("kind", "hook");

	while (kind < NR_KINDS && strcmp(kinds[kind], name))
		kind++;
	if (kind == NR_KINDS)
		bench_skip("kind must be hook, tail-call or ringbuf");
}

static int consume(void *ctx, void *data, size_t size)
{
	(void)ctx;
	(void)size;
	consumed += *(const uint64_t *)data;
	return 0;
}

static void load(void)
{
	struct bpf_program *p;
	uint32_t zero = 0;
	int err;

	read_params();
	skel = calls_bpf__open();
	if (!skel)
		bench_skip("the object cannot be opened");
	skel->rodata->target_tgid = (unsigned int)getpid();
	skel->rodata->trigger_nr = SYS_getpgid;
	p = bpf_object__find_program_by_name(skel->obj, programs[kind]);
	bpf_program__set_autoload(p, true);
	err = calls_bpf__load(skel);
	if (err)
		bench_skip("the object was refused: %s", strerror(-err));
	prog_fd = bpf_program__fd(p);
	if (kind == HOOK && calls_bpf__attach(skel))
		bench_skip("the program could not be attached");
	if (kind == TAIL_CALL &&
	    bpf_map_update_elem(bpf_map__fd(skel->maps.chain), &zero, &prog_fd, BPF_ANY))
		bench_skip("the chain could not be made");
	if (kind == RINGBUF) {
		consumer = ring_buffer__new(bpf_map__fd(skel->maps.ring), consume, NULL, NULL);
		if (!consumer)
			bench_skip("the ring buffer cannot be read");
	}
}

static void run_program(void *unused)
{
	static char packet[64];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = REPEAT);

	(void)unused;
	bpf_prog_test_run_opts(prog_fd, &opts);
	if (consumer)
		ring_buffer__consume(consumer);
}

#define CALLS 32

static void call_many(void *unused)
{
	for (int i = 0; i < CALLS; i++)
		bench_getpgid(unused);
}

/* --- native --- */

static long native_hits;

static void call_nothing(void *unused)
{
	call_many(unused);
	native_hits += CALLS;
}

static long next_in_chain(void *ctx, unsigned int left);
static long (*volatile table[1])(void *, unsigned int) = {next_in_chain};

static long next_in_chain(void *ctx, unsigned int left)
{
	native_hits++;
	return left ? table[0](ctx, left - 1) : 0;
}

static void call_chain(void *unused)
{
	for (int i = 0; i < REPEAT; i++)
		table[0](unused, CHAIN);
}

static struct {
	uint64_t number, value;
} ring[1 << 14];
static uint64_t produced, taken;

static void fill_ring(void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < REPEAT * RECORDS; i++) {
		uint64_t at = __atomic_load_n(&produced, __ATOMIC_RELAXED);

		if (at - __atomic_load_n(&taken, __ATOMIC_ACQUIRE) == sizeof(ring) / sizeof(*ring))
			break;
		ring[at % (sizeof(ring) / sizeof(*ring))].number = i;
		ring[at % (sizeof(ring) / sizeof(*ring))].value = (uint64_t)native_hits++;
		__atomic_store_n(&produced, at + 1, __ATOMIC_RELEASE);
	}
	while (taken != __atomic_load_n(&produced, __ATOMIC_ACQUIRE)) {
		consumed += ring[taken % (sizeof(ring) / sizeof(*ring))].number;
		__atomic_store_n(&taken, taken + 1, __ATOMIC_RELEASE);
	}
}

static void native(bool vector)
{
	(void)vector;
	read_params();
}

static bool measure(double seconds, struct bench_result *ret)
{
	static void (*const natives[])(void *) = {call_nothing, call_chain, fill_ring};

	if (!skel)
		return bench_repeat(seconds, natives[kind], NULL, &native_hits, NULL, ret);
	return bench_repeat(seconds, kind == HOOK ? call_many : run_program, NULL, &skel->bss->hits,
			    NULL, ret);
}

const struct bench bench_calls = {"calls", load, native, measure};
