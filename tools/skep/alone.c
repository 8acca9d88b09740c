/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads one program of an object; section names that came after libbpf 1.1, the oldest that skep
 * builds with, get their types here.
 */
#include "alone.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const struct {
	const char *prefix;
	int type, attach;
	bool sleepable;
} sections[] = {
	{"netfilter", 32, 45, false},
	{"tcx/ingress", BPF_PROG_TYPE_SCHED_CLS, 46, false},
	{"tcx/egress", BPF_PROG_TYPE_SCHED_CLS, 47, false},
	{"netkit/primary", BPF_PROG_TYPE_SCHED_CLS, 54, false},
	{"netkit/peer", BPF_PROG_TYPE_SCHED_CLS, 55, false},
	{"cgroup/connect_unix", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, 49, false},
	{"cgroup/sendmsg_unix", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, 50, false},
	{"cgroup/recvmsg_unix", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, 51, false},
	{"cgroup/getpeername_unix", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, 52, false},
	{"cgroup/getsockname_unix", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, 53, false},
	{"kprobe.session", BPF_PROG_TYPE_KPROBE, 56, false},
	{"uprobe.session", BPF_PROG_TYPE_KPROBE, 57, false},
	{"uprobe.multi.s", BPF_PROG_TYPE_KPROBE, 48, true},
	{"uprobe.multi", BPF_PROG_TYPE_KPROBE, 48, false},
	{"uprobe.s", BPF_PROG_TYPE_KPROBE, 0, true},
};

static void set_section_type(struct bpf_program *p)
{
	const char *s = bpf_program__section_name(p);

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		size_t n = strlen(sections[i].prefix);

		if (strncmp(s, sections[i].prefix, n) || (s[n] && s[n] != '/'))
			continue;
		bpf_program__set_type(p, (enum bpf_prog_type)sections[i].type);
		bpf_program__set_expected_attach_type(p, (enum bpf_attach_type)sections[i].attach);
		if (sections[i].sleepable)
			bpf_program__set_flags(p, bpf_program__flags(p) | BPF_F_SLEEPABLE);
		return;
	}
}

int skep_load_alone(const struct alone_opts *o)
{
	struct bpf_object *obj = bpf_object__open_file(o->path, NULL);
	struct bpf_program *p;
	int err = 0;

	o->log[0] = 0;
	if (!obj)
		return -errno;
	bpf_object__for_each_program(p, obj)
	{
		bool is_it = !strcmp(bpf_program__name(p), o->program);

		set_section_type(p);
		bpf_program__set_autoload(p, is_it);
		if (!is_it)
			continue;
		bpf_program__set_log_buf(p, o->log, o->log_size);
		bpf_program__set_log_level(p, o->log_level);
		if (o->target_fd) {
			err = bpf_program__set_attach_target(p, o->target_fd, o->target_func);
			if (err)
				break;
		}
		if (o->flags)
			bpf_program__set_flags(p, bpf_program__flags(p) | o->flags);
	}
	if (!err)
		err = bpf_object__load(obj);
	bpf_object__close(obj);
	return err;
}
