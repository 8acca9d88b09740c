/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscount: which system calls does this process make, how often, how far apart?
 *
 * An ordinary libbpf application: nothing here knows what answers its bpf(2).
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "syscount.h"
#include "syscount.skel.h"

#if defined(__x86_64__)
#define SYS_PREFIX "__x64_"
#elif defined(__aarch64__)
#define SYS_PREFIX "__arm64_"
#else
#define SYS_PREFIX ""
#endif
#define SLEEP_FUNCTION SYS_PREFIX "sys_nanosleep"

static volatile bool stop;

static const char *call_name(unsigned int nr)
{
	static char number[16];

	switch (nr) {
	case SYS_read:
		return "read";
	case SYS_write:
		return "write";
	case SYS_close:
		return "close";
	case SYS_openat:
		return "openat";
	case SYS_getpid:
		return "getpid";
	case SYS_getpgid:
		return "getpgid";
	case SYS_nanosleep:
		return "nanosleep";
	case SYS_clock_nanosleep:
		return "clock_nanosleep";
	case SYS_epoll_wait:
		return "epoll_wait";
	case SYS_bpf:
		return "bpf";
	case SYS_mmap:
		return "mmap";
	case SYS_munmap:
		return "munmap";
	case SYS_mprotect:
		return "mprotect";
	case SYS_futex:
		return "futex";
	case SYS_clone3:
		return "clone3";
	case SYS_epoll_ctl:
		return "epoll_ctl";
	case SYS_epoll_create1:
		return "epoll_create1";
	case SYS_exit:
		return "exit";
	default:
		snprintf(number, sizeof(number), "#%u", nr);
		return number;
	}
}

/* Something to count: a thread that opens, reads, writes and naps. */
static void *work(void *unused)
{
	struct timespec nap = {.tv_nsec = 1000000};
	char buf[512];

	(void)unused;
	pthread_setname_np(pthread_self(), "worker");
	while (!stop) {
		int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);

		for (int i = 0; i < 50 && in >= 0 && out >= 0; i++) {
			ssize_t n = read(in, buf, sizeof(buf));

			if (n > 0 && write(out, buf, n) < 0)
				break;
			syscall(SYS_getpgid, 0);
		}
		close(in);
		close(out);
		syscall(SYS_nanosleep, &nap, NULL);
	}
	return NULL;
}

/* Does this kernel load fentry programs? Ask with the smallest one. */
static bool have_fentry(void)
{
	struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int id = libbpf_find_vmlinux_btf_id(SLEEP_FUNCTION, BPF_TRACE_FENTRY), fd;

	if (id < 0)
		return false;
	opts.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "probe", "GPL", insns, 2, &opts);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int on_event(void *ctx, void *data, size_t size)
{
	const struct syscount_event *e = data;

	(void)ctx;
	if (size < sizeof(*e))
		return 0;
	printf("%10llu.%06llu  %-16s %7u  %-16s %10llu\n", e->time_ns / 1000000000,
	       e->time_ns / 1000 % 1000000, e->comm, e->pid, call_name(e->nr), e->calls);
	return 0;
}

static void print_totals(struct syscount_bpf *skel)
{
	__u32 key, next, *prev = NULL;
	__u64 count;

	printf("\n%-20s %12s\n", "SYSTEM CALL", "COUNT");
	while (!bpf_map__get_next_key(skel->maps.totals, prev, &next, sizeof(next))) {
		if (!bpf_map__lookup_elem(skel->maps.totals, &next, sizeof(next), &count,
					  sizeof(count), 0))
			printf("%-20s %12llu\n", call_name(next), (unsigned long long)count);
		key = next;
		prev = &key;
	}
}

static void print_histogram(struct syscount_bpf *skel)
{
	unsigned long long max = 1;
	int last = 0;

	for (int i = 0; i < SYSCOUNT_BUCKETS; i++)
		if (skel->bss->histogram[i]) {
			last = i;
			if (skel->bss->histogram[i] > max)
				max = skel->bss->histogram[i];
		}
	printf("\n%22s  %10s  time between calls of a task\n", "NANOSECONDS", "COUNT");
	for (int i = 0; i <= last; i++) {
		unsigned long long n = skel->bss->histogram[i];
		int bar = (int)(n * 40 / max);

		printf("%10llu -> %-9llu %10llu  |%.*s\n", i ? 1ull << i : 0, (2ull << i) - 1, n,
		       bar, "****************************************");
	}
}

static void usage(FILE *to)
{
	fprintf(to, "Usage: syscount [-s SECONDS] [-e EVERY]\n"
		    "Count this process's system calls for SECONDS (3); print an event for every\n"
		    "EVERYth call of a task (20000).\n");
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level == LIBBPF_DEBUG || level == LIBBPF_INFO ? 0 : vfprintf(stderr, fmt, ap);
}

int main(int argc, char **argv)
{
	struct ring_buffer *ring = NULL;
	struct syscount_bpf *skel;
	unsigned int every = 20000;
	double seconds = 3;
	pthread_t worker;
	struct timespec start, now;
	bool fentry;
	int opt, err;

	while ((opt = getopt(argc, argv, "s:e:h")) != -1) {
		if (opt == 's') {
			seconds = atof(optarg);
		} else if (opt == 'e') {
			every = (unsigned int)atoi(optarg);
		} else {
			usage(opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
	}
	libbpf_set_print(quiet);
	skel = syscount_bpf__open();
	if (!skel) {
		fprintf(stderr, "syscount: cannot open the object: %s\n", strerror(errno));
		return 1;
	}
	skel->rodata->target_tgid = (unsigned int)getpid();
	skel->rodata->event_every = every;
	fentry = have_fentry();
	if (fentry)
		err = bpf_program__set_attach_target(skel->progs.on_sleep, 0, SLEEP_FUNCTION);
	else
		err = bpf_program__set_autoload(skel->progs.on_sleep, false);
	if (!err)
		err = syscount_bpf__load(skel);
	if (!err)
		err = syscount_bpf__attach(skel);
	if (err) {
		fprintf(stderr, "syscount: cannot load or attach: %s\n", strerror(-err));
		goto out;
	}
	ring = ring_buffer__new(bpf_map__fd(skel->maps.events), on_event, NULL, NULL);
	if (!ring) {
		fprintf(stderr, "syscount: cannot open the ring buffer: %s\n", strerror(errno));
		err = -errno;
		goto out;
	}
	printf("hooks: tp_btf/sys_enter%s%s\n", fentry ? ", fentry/" SLEEP_FUNCTION : "",
	       fentry ? "" : " (fentry programs are refused here)");
	printf("%17s  %-16s %7s  %-16s %10s\n", "TIME", "COMM", "PID", "CALL", "CALLS");

	pthread_create(&worker, NULL, work, NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		err = ring_buffer__poll(ring, 100);
		if (err < 0 && err != -EINTR) {
			fprintf(stderr, "syscount: polling failed: %s\n", strerror(-err));
			break;
		}
		err = 0;
		fflush(stdout);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 <
		 seconds);
	stop = true;
	pthread_join(worker, NULL);
	syscount_bpf__detach(skel);

	print_totals(skel);
	print_histogram(skel);
	if (fentry)
		printf("\nnaps seen by fentry/%s: %llu\n", SLEEP_FUNCTION,
		       (unsigned long long)skel->bss->sleeps);
	if (skel->bss->dropped)
		printf("events dropped: %llu\n", (unsigned long long)skel->bss->dropped);
out:
	ring_buffer__free(ring);
	syscount_bpf__destroy(skel);
	return err ? 1 : 0;
}
