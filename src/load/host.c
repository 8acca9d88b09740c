/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verifier's window on the running subsystem: descriptors become facts.
 *
 * Every map and BTF handed out is referenced until the load ends, so borrowed pointers stay
 * good while the application closes descriptors.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vcpu.h"
#include "helper/helper.h"
#include "hook/hook.h"
#include "isa/uapi.h"
#include "kern/kallsyms.h"
#include "kern/kernel_btf.h"
#include "load/load.h"
#include "obj/btf_obj.h"
#include "obj/fd.h"
#include "obj/map.h"
#include "spec/host.h"

#define MAX_HELD 512

struct skep_load_host {
	const struct skep_caller *caller;
	u64 fd_array;
	u32 prog_type;
	struct skep_obj *held[MAX_HELD];
	u32 nr_held;
	struct skep_verify_host window;
};

static int hold(struct skep_load_host *h, struct skep_obj *o)
{
	for (u32 i = 0; i < h->nr_held; i++)
		if (h->held[i] == o) {
			skep_obj_put(o);
			return 0;
		}
	if (h->nr_held == MAX_HELD) {
		skep_obj_put(o);
		return -E2BIG;
	}
	h->held[h->nr_held++] = o;
	return 0;
}

static int map_by_fd(void *priv, int fd, struct skep_map_facts **ret_map)
{
	struct skep_load_host *h = priv;
	int err;
	struct skep_obj *o = skep_fd_get(fd, SKEP_OBJ_MAP, NULL, &err);

	if (!o)
		return err;
	err = hold(h, o);
	if (!err)
		*ret_map = &skep_map_of(o)->facts;
	return err;
}

static int btf_by_fd(void *priv, int fd, const struct skep_btf **ret_btf)
{
	struct skep_load_host *h = priv;
	int err;
	struct skep_obj *o = skep_fd_get(fd, SKEP_OBJ_BTF, NULL, &err);

	if (!o)
		return err;
	err = hold(h, o);
	if (!err)
		*ret_btf = skep_btf_obj_of(o)->btf;
	return err;
}

static int fd_array(void *priv, u32 idx, int *ret_fd)
{
	struct skep_load_host *h = priv;

	if (!h->fd_array)
		return -EPROTO;
	return skep_copy_from_user(h->caller, ret_fd, h->fd_array + (u64)idx * sizeof(int),
				   sizeof(int));
}

static const struct skep_btf *kernel_btf(void *priv)
{
	return skep_kernel_btf();
}

static int map_const(void *priv, const struct skep_map_facts *f, u32 off, u32 size, u64 *ret_value)
{
	struct skep_map *m = skep_map_of_facts(f);
	const u8 *values = m->ops->direct_values ? m->ops->direct_values(m) : NULL;

	if (!values)
		return -SKEP_ENOTSUPP;
	if ((u64)off + size > f->value_size || size > 8)
		return -EINVAL;
	*ret_value = 0;
	memcpy(ret_value, values + off, size);
	return 0;
}

static const char *map_const_str(void *priv, const struct skep_map_facts *f, u32 off,
				 u32 *ret_max_len)
{
	struct skep_map *m = skep_map_of_facts(f);
	const char *values = m->ops->direct_values ? m->ops->direct_values(m) : NULL;

	if (!values || off >= f->value_size)
		return NULL;
	*ret_max_len = f->value_size - off;
	return values + off;
}

static bool helper_implemented(void *priv, u32 id, u32 prog_type)
{
	return skep_helper_body(id, prog_type) != NULL;
}

static int attach_target_ok(void *priv, u32 prog_type, u32 attach_type, const char *name)
{
	bool ok = attach_type == BPF_TRACE_RAW_TP ? skep_hook_has_tracepoint(name)
						  : skep_hook_has_func(name);

	return ok ? 0 : -ENOENT;
}

/*
 * Kernel variables that programs read here. None yet: a typed ksym loads and its address is NULL
 * for weak ones, as for a variable that a kernel lacks.
 */
static void *ksym_addr(void *priv, const struct skep_btf *btf, u32 id)
{
	return NULL;
}

static int has_symbol(void *priv, const char *name)
{
	return skep_kernel_has_symbol(name);
}

struct skep_load_host *skep_load_host_new(const struct skep_caller *c, u64 fds, u32 prog_type)
{
	struct skep_load_host *h = skep_zalloc(sizeof(*h));

	if (!h)
		return NULL;
	h->caller = c;
	h->fd_array = fds;
	h->prog_type = prog_type;
	h->window = (struct skep_verify_host){
		.priv = h,
		.map_by_fd = map_by_fd,
		.btf_by_fd = btf_by_fd,
		.fd_array = fd_array,
		.kernel_btf = kernel_btf,
		.map_const = map_const,
		.map_const_str = map_const_str,
		.helper_implemented = helper_implemented,
		.attach_target_ok = skep_verdict_only ? NULL : attach_target_ok,
		.ksym_addr = ksym_addr,
		.has_symbol = skep_verdict_only ? has_symbol : NULL,
		.nr_cpus = skep_nr_vcpus,
		.verdict_only = skep_verdict_only,
	};
	return h;
}

const struct skep_verify_host *skep_load_host_window(const struct skep_load_host *h)
{
	return &h->window;
}

void skep_load_host_take(struct skep_load_host *h, struct skep_map *m)
{
	for (u32 i = 0; i < h->nr_held; i++)
		if (h->held[i] == &m->obj) {
			h->held[i] = h->held[--h->nr_held];
			return;
		}
	skep_map_get(m);
}

void skep_load_host_free(struct skep_load_host *h)
{
	if (!h)
		return;
	for (u32 i = 0; i < h->nr_held; i++)
		skep_obj_put(h->held[i]);
	skep_free(h);
}
