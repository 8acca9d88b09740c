/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands on BTF, and on ids of any object.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kern/kernel_btf.h"
#include "load/load.h"
#include "obj/btf_obj.h"
#include "obj/fd.h"
#include "obj/map.h"
#include "spec/kfunc.h"
#include "sys/internal.h"

/* Messages collect here, bounded by the user's buffer. */
struct btf_text {
	char *buf;
	u32 size, len;
};

static void print(void *priv, const char *fmt, va_list ap)
{
	struct btf_text *t = priv;
	char line[256];
	int n = vsnprintf(line, sizeof(line), fmt, ap);
	u32 len = n < 0 ? 0 : SKEP_MIN((u32)n, (u32)sizeof(line) - 1);

	for (u32 i = 0; i < len; i++, t->len++)
		if (t->len + 1 < t->size)
			t->buf[t->len] = line[i];
}

static int answer_log(struct skep_call *c, const struct btf_text *t, int verdict)
{
	const struct skep_attr_btf_load *a = &c->attr.btf_load;
	const u32 off = offsetof(struct skep_attr_btf_load, btf_log_true_size);
	u32 true_size = t->len + 1;

	if (t->buf) {
		t->buf[SKEP_MIN(t->len, t->size - 1)] = 0;
		if (skep_copy_to_user(c->caller, a->btf_log_buf, t->buf,
				      SKEP_MIN(t->len, t->size - 1) + 1))
			return -EFAULT;
	}
	if (c->size >= off + sizeof(u32) &&
	    skep_copy_to_user(c->caller, c->uattr + off, &true_size, sizeof(u32)))
		return -EFAULT;
	return t->buf && t->len >= t->size && !verdict ? -ENOSPC : verdict;
}

static int parse(struct skep_call *c, struct skep_btf **ret)
{
	const struct skep_attr_btf_load *a = &c->attr.btf_load;
	struct btf_text text = {0};
	struct skep_btf_log log = {print, &text, a->btf_log_level};
	void *data;
	int err;

	if (a->btf_size > SKEP_BTF_MAX_SIZE)
		return -E2BIG;
	if (!!a->btf_log_buf != !!a->btf_log_size || (a->btf_log_buf && !a->btf_log_level) ||
	    a->btf_log_level & ~15u || a->btf_log_size > UINT32_MAX >> 2)
		return -EINVAL;
	data = skep_alloc(a->btf_size);
	if (!data)
		return -ENOMEM;
	err = skep_copy_from_user(c->caller, data, a->btf, a->btf_size) ? -EFAULT : 0;
	if (!err && a->btf_log_size) {
		text.size = a->btf_log_size;
		text.buf = skep_pages_alloc(text.size);
		err = text.buf ? 0 : -ENOMEM;
	}
	if (!err) {
		err = skep_btf_parse(data, a->btf_size, NULL, a->btf_log_level ? &log : NULL, ret);
		err = answer_log(c, &text, err);
	}
	skep_pages_free(text.buf, text.size);
	skep_free(data);
	return err;
}

/* A reference that a map holds must be one that the presented kernel can drop with the map. */
static int check_owners(const struct skep_btf *b)
{
	const struct skep_btf *kernel;
	bool tagged = false;

	for (u32 id = 1; id < skep_btf_nr_types(b) && !tagged; id++)
		tagged = skep_btf_kind(skep_btf_type(b, id)) == BTF_KIND_TYPE_TAG;
	kernel = tagged ? skep_kernel_btf() : NULL;
	for (u32 id = 1; kernel && id < skep_btf_nr_types(b); id++) {
		const struct btf_type *t = skep_btf_type(b, id);

		for (u32 i = 0; skep_btf_kind(t) == BTF_KIND_STRUCT && i < skep_btf_vlen(t); i++) {
			const struct btf_type *m = skep_btf_type(b, skep_btf_members(t)[i].type);
			const char *name;

			if (!m || !skep_btf_is_owning_ptr(b, m))
				continue;
			name = skep_btf_name(b, skep_btf_ptr_target(b, m, NULL));
			if (*name && skep_btf_find(kernel, name, BTF_KIND_STRUCT) &&
			    !skep_kptr_has_dtor(name))
				return -ENOENT;
		}
	}
	return 0;
}

long skep_sys_btf_load(struct skep_call *c)
{
	const struct skep_attr_btf_load *a = &c->attr.btf_load;
	struct skep_btf *btf = NULL;
	struct skep_btf_obj *o;
	int err;

	if (a->btf_flags & ~(u32)SKEP_F_TOKEN_FD)
		return -EINVAL;
	if (a->btf_flags & SKEP_F_TOKEN_FD)
		return skep_no_token(a->btf_token_fd);
	err = parse(c, &btf);
	if (!err)
		err = check_owners(btf);
	if (err) {
		skep_btf_put(btf);
		return err;
	}
	o = skep_btf_obj_new(btf);
	if (!o) {
		skep_btf_put(btf);
		return -ENOMEM;
	}
	if (skep_obj_publish(&o->obj)) {
		skep_obj_put(&o->obj);
		return -ENOMEM;
	}
	return skep_sys_install(&o->obj, SKEP_FD_RW);
}

long skep_sys_next_id(struct skep_call *c, int type)
{
	union bpf_attr *a = &c->attr.u;
	u32 next;

	if (a->start_id >= INT32_MAX)
		return -EINVAL;
	next = skep_obj_next_id((enum skep_obj_type)type, a->start_id);
	if (!next)
		return -ENOENT;
	return skep_copy_to_user(c->caller, c->uattr + offsetof(union bpf_attr, next_id), &next,
				 sizeof(next));
}

long skep_sys_fd_by_id(struct skep_call *c, int type)
{
	union bpf_attr *a = &c->attr.u;
	int access = SKEP_FD_RW;
	struct skep_obj *o;

	if (type == SKEP_OBJ_MAP) {
		if (a->open_flags & ~(u32)(BPF_F_RDONLY | BPF_F_WRONLY))
			return -EINVAL;
		access = skep_sys_access(a->open_flags);
		if (access < 0)
			return access;
	} else if (type == SKEP_OBJ_BTF && a->open_flags) {
		return -EINVAL;
	}
	o = skep_obj_by_id((enum skep_obj_type)type, a->map_id);
	return o ? skep_sys_install(o, (u32)access) : -ENOENT;
}

int skep_sys_access(u32 flags)
{
	u32 both = flags & (BPF_F_RDONLY | BPF_F_WRONLY);

	if (both == (BPF_F_RDONLY | BPF_F_WRONLY))
		return -EINVAL;
	return both == BPF_F_RDONLY   ? SKEP_FD_READ
	       : both == BPF_F_WRONLY ? SKEP_FD_WRITE
				      : SKEP_FD_RW;
}

long skep_sys_install(struct skep_obj *o, u32 access)
{
	int fd;

	if (o->type == SKEP_OBJ_MAP)
		skep_map_user_get(skep_map_of(o));
	fd = skep_fd_install(o, access);
	if (fd < 0) {
		if (o->type == SKEP_OBJ_MAP)
			skep_map_user_put(skep_map_of(o));
		skep_obj_put(o);
	}
	return fd;
}
