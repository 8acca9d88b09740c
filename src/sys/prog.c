/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands on programs and links.
 */
#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/alloc.h"
#include "base/raw.h"
#include "hook/hook.h"
#include "load/load.h"
#include "obj/fd.h"
#include "obj/map.h"
#include "obj/prog.h"
#include "run/run.h"
#include "sys/internal.h"

static struct skep_prog *prog_get(u32 fd, int *ret_err)
{
	struct skep_obj *o = skep_fd_get((int)fd, SKEP_OBJ_PROG, NULL, ret_err);

	return o ? skep_prog_of(o) : NULL;
}

long skep_sys_prog_load(struct skep_call *c)
{
	struct skep_prog *p = skep_prog_load(c->caller, &c->attr.prog_load, c->uattr, c->size);

	return skep_is_err(p) ? skep_ptr_err(p) : skep_sys_install(&p->obj, SKEP_FD_RW);
}

long skep_sys_prog_test_run(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_prog *p;
	int err;

	if ((a->test.ctx_size_in && !a->test.ctx_in) || (!a->test.ctx_size_in && a->test.ctx_in) ||
	    (a->test.ctx_size_out && !a->test.ctx_out) ||
	    (!a->test.ctx_size_out && a->test.ctx_out))
		return -EINVAL;
	p = prog_get(a->test.prog_fd, &err);
	if (!p)
		return err;
	err = skep_test_run(c->caller, p, a, c->uattr);
	skep_obj_put(&p->obj);
	return err;
}

long skep_sys_prog_bind_map(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_obj *o;
	struct skep_prog *p;
	struct skep_map **maps;
	int err;

	if (a->prog_bind_map.flags)
		return -EINVAL;
	p = prog_get(a->prog_bind_map.prog_fd, &err);
	if (!p)
		return err;
	o = skep_fd_get((int)a->prog_bind_map.map_fd, SKEP_OBJ_MAP, NULL, &err);
	if (!o) {
		skep_obj_put(&p->obj);
		return err;
	}
	err = 0;
	skep_lock(&p->maps_lock);
	for (u32 i = 0; i < p->nr_maps; i++)
		if (&p->maps[i]->obj == o)
			goto out;
	maps = skep_realloc(p->maps, (p->nr_maps + 1) * sizeof(*maps));
	if (!maps) {
		err = -ENOMEM;
		goto out;
	}
	p->maps = maps;
	p->maps[p->nr_maps++] = skep_map_of(o);
	o = NULL;
out:
	skep_unlock(&p->maps_lock);
	skep_obj_put(o);
	skep_obj_put(&p->obj);
	return err;
}

/* --- links --- */

static long install_link(struct skep_link *l)
{
	if (skep_is_err(l))
		return skep_ptr_err(l);
	if (skep_obj_publish(&l->obj)) {
		skep_obj_put(&l->obj);
		return -ENOMEM;
	}
	return skep_sys_install(&l->obj, SKEP_FD_RW);
}

long skep_sys_raw_tp_open(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	char name[128];
	struct skep_prog *p;
	u64 cookie;
	long n;
	int err;

	memcpy(&cookie, c->attr.bytes + 16, sizeof(cookie));
	p = prog_get(a->raw_tracepoint.prog_fd, &err);
	if (!p)
		return err;
	switch (p->type) {
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_LSM:
	case BPF_PROG_TYPE_EXT:
		/* The target was chosen at load; a name may not be given. */
		if (a->raw_tracepoint.name)
			n = -EINVAL;
		else if (p->attach_type == BPF_TRACE_RAW_TP)
			n = install_link(skep_attach_raw_tp(p, NULL, cookie));
		else
			n = install_link(skep_attach_tracing(p, cookie));
		break;
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE:
		n = skep_strncpy_from_user(c->caller, name, a->raw_tracepoint.name,
					   sizeof(name) - 1);
		if (n >= 0) {
			name[n] = 0;
			n = install_link(skep_attach_raw_tp(p, name, cookie));
		}
		break;
	default:
		n = -EINVAL;
	}
	skep_obj_put(&p->obj);
	return n;
}

long skep_sys_link_create(struct skep_call *c)
{
	union bpf_attr *a = &c->attr.u;
	struct skep_prog *p;
	u64 cookie;
	long ret;
	int err;

	p = prog_get(a->link_create.prog_fd, &err);
	if (!p)
		return err;
	memcpy(&cookie, c->attr.bytes + 24, sizeof(cookie));
	switch (p->type) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_PERF_EVENT:
	case BPF_PROG_TYPE_TRACEPOINT:
		/* No perf event exists here: every target descriptor is a bad one. */
		ret = a->link_create.attach_type != BPF_PERF_EVENT || a->link_create.flags ? -EINVAL
											   : -EBADF;
		break;
	case BPF_PROG_TYPE_TRACING:
		if (a->link_create.attach_type != p->attach_type)
			ret = -EINVAL;
		else if (p->attach_type == BPF_TRACE_RAW_TP)
			ret = install_link(skep_attach_raw_tp(p, NULL, cookie));
		else
			ret = install_link(skep_attach_tracing(p, cookie));
		break;
	default:
		ret = -EINVAL;
	}
	skep_obj_put(&p->obj);
	return ret;
}

long skep_sys_link_detach(struct skep_call *c)
{
	int err;
	struct skep_obj *o =
		skep_fd_get((int)c->attr.u.link_detach.link_fd, SKEP_OBJ_LINK, NULL, &err);

	if (!o)
		return err;
	skep_obj_put(o);
	return -EOPNOTSUPP; /* tracing links cannot be detached by force, as in the kernel */
}

long skep_sys_token_create(struct skep_call *c)
{
	u32 flags, fd;
	struct statfs st;

	memcpy(&flags, c->attr.bytes, 4);
	memcpy(&fd, c->attr.bytes + 4, 4);
	if (flags)
		return -EINVAL;
	if (skep_raw(__NR_fstatfs, fd, &st) < 0)
		return -EBADF;
	/* In the first user namespace nothing is delegated. */
	return st.f_type == BPF_FS_MAGIC ? -EOPNOTSUPP : -EINVAL;
}
