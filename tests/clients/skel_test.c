/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A skeleton application, unmodified: open, set constants, load, attach, act, read, detach.
 *
 * Runs with libskep preloaded.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "skel.skel.h"

static int events;

static int on_event(void *ctx, void *data, size_t size)
{
	events++;
	return 0;
}

static void *call(void *n)
{
	for (long i = 0; i < (long)n; i++)
		getpgid(0);
	return NULL;
}

int main(void)
{
	struct skel *s = skel__open();
	struct ring_buffer *rb;
	__u32 tid = (__u32)syscall(SYS_gettid);
	struct bpf_prog_info info = {0};
	__u32 len = sizeof(info);
	pthread_t t[3];
	__u64 v = 0;
	int n;

	if (!CHECK(s != NULL))
		return checks_done();
	s->rodata->target_pid = getpid();
	if (!CHECK(skel__load(s) == 0))
		return checks_done();
	CHECK_EQ(s->bss->entries, 0);
	prctl(PR_SET_NAME, "skeleton");
	if (!CHECK(skel__attach(s) == 0))
		return checks_done();
	rb = ring_buffer__new(bpf_map__fd(s->maps.events), on_event, NULL, NULL);
	CHECK(rb != NULL);

	getpgid(getpid());
	call((void *)99);
	CHECK_EQ(s->bss->entries, 100);
	CHECK_EQ(s->bss->returns, 100);
	CHECK_EQ(s->bss->tps, 100);
	CHECK_EQ(s->bss->raw_tps, 100);
	CHECK_EQ(s->bss->arg_sum, getpid());
	CHECK_EQ(s->bss->last_ret, syscall(SYS_getpgid, 0));
	CHECK_EQ(s->bss->seen_pid, tid);
	CHECK_EQ(s->bss->seen_tgid, getpid());
	CHECK_EQ(s->bss->seen_ppid, getppid());
	CHECK(!strcmp(s->bss->seen_comm, "skeleton"));
	CHECK_EQ(bpf_map_lookup_elem(bpf_map__fd(s->maps.by_tid), &tid, &v), 0);
	CHECK_EQ(v, s->bss->tps);
	n = ring_buffer__poll(rb, 1000);
	CHECK_EQ(n, 101);
	CHECK_EQ(events, 101);

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, call, (void *)1000);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	CHECK_EQ(s->bss->entries, 3101);
	CHECK_EQ(s->bss->per_thread_max, 1000);

	CHECK_EQ(bpf_obj_get_info_by_fd(bpf_program__fd(s->progs.on_entry), &info, &len), 0);
	CHECK(!strcmp(info.name, "on_entry"));
	CHECK_EQ(bpf_link__detach(s->links.on_entry), -EOPNOTSUPP); /* as tracing links have it */
	CHECK_EQ(bpf_link__destroy(s->links.on_entry), 0);
	s->links.on_entry = NULL;
	call((void *)10);
	CHECK_EQ(s->bss->entries, 3101);
	CHECK_EQ(s->bss->returns, 3111);
	ring_buffer__free(rb);
	skel__detach(s);
	call((void *)10);
	skel__destroy(s);
	return checks_done();
}
