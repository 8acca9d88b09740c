/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OBJ_GET_INFO_BY_FD.
 *
 * The user's struct may be shorter than ours (older program: the rest is not given) or longer
 * (newer: the excess must be zero, E2BIG). Pointers inside it say where arrays go, counts how
 * much room there is; counts come back as what there is.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/uapi.h"
#include "obj/btf_obj.h"
#include "obj/fd.h"
#include "obj/map.h"
#include "obj/prog.h"
#include "sys/internal.h"

struct info_req {
	struct skep_call *c;
	u64 uinfo;
	u32 len; /* bytes to read and write: min(user's, ours) */
};

/* @size: of the struct; @end: of its last field. */
static int begin(struct skep_call *c, void *info, u32 size, u32 end, struct info_req *r)
{
	union bpf_attr *a = &c->attr.u;

	r->c = c;
	r->uinfo = a->info.info;
	r->len = SKEP_MIN(a->info.info_len, size);
	if (a->info.info_len > 4096)
		return -E2BIG;
	if (a->info.info_len > end) {
		int err = skep_user_is_nonzero(c->caller, r->uinfo + end, a->info.info_len - end);

		if (err)
			return err < 0 ? err : -E2BIG;
	}
	memset(info, 0, size);
	return skep_copy_from_user(c->caller, info, r->uinfo, r->len);
}

static int finish(const struct info_req *r, const void *info)
{
	const u32 off = offsetof(union bpf_attr, info.info_len);

	if (skep_copy_to_user(r->c->caller, r->uinfo, info, r->len) ||
	    skep_copy_to_user(r->c->caller, r->c->uattr + off, &r->len, sizeof(u32)))
		return -EFAULT;
	return 0;
}

static int map_info(struct skep_call *c, const struct skep_map *m)
{
	/* The system's struct may lack what 6.18 has behind map_extra: the hash's place and size.
	 */
	union {
		struct bpf_map_info i;
		struct {
			u8 old[88];
			u64 hash;
			u32 hash_size, pad;
		};
	} u;
	struct info_req r;
	int err = begin(c, &u, 104, 100, &r);
	u64 map_extra = m->facts.map_extra;

	if (err)
		return err;
	if (u.hash || u.hash_size)
		return -EINVAL; /* no exclusive maps here, so no hashes */
	memset(&u, 0, sizeof(u));
	u.i.type = m->facts.type;
	u.i.id = m->obj.id;
	u.i.key_size = m->facts.key_size;
	u.i.value_size = m->facts.value_size;
	u.i.max_entries = m->facts.max_entries;
	u.i.map_flags = m->facts.flags;
	memcpy(u.old + 80, &map_extra, sizeof(map_extra));
	memcpy(u.i.name, m->facts.name, sizeof(u.i.name));
	if (m->facts.btf) {
		u.i.btf_id = skep_btf_obj_id(m->facts.btf);
		u.i.btf_key_type_id = m->facts.btf_key_id;
		u.i.btf_value_type_id = m->facts.btf_value_id;
	}
	return finish(&r, &u);
}

/* Give at most *@room bytes of @data to @to; *@room becomes what there is. */
static int give(struct skep_call *c, u64 to, u32 *room, const void *data, u32 have)
{
	u32 n = SKEP_MIN(*room, have);

	if (n && skep_copy_to_user(c->caller, to, data, n))
		return -EFAULT;
	*room = have;
	return 0;
}

/* A call through the table of targets names its helper or kfunc again. */
static void name_callee(const struct skep_prog *p, struct bpf_insn *in)
{
	const struct skep_target *t =
		(u32)in->imm < p->code.nr_targets ? &p->code.targets[in->imm] : NULL;

	if (!t)
		return;
	in->imm = (s32)t->id;
	in->src_reg = t->is_kfunc ? BPF_PSEUDO_KFUNC_CALL : 0;
}

/* Instructions as the user may see them: map addresses become map ids again. */
static struct bpf_insn *presentable(const struct skep_prog *p)
{
	struct bpf_insn *in = skep_memdup(p->code.insns, p->code.len * sizeof(*in));

	for (u32 i = 0; in && i < p->code.len; i++) {
		u64 imm;

		if (in[i].code == (BPF_JMP | BPF_CALL) && in[i].src_reg != BPF_PSEUDO_CALL)
			name_callee(p, &in[i]);
		if (in[i].code != (BPF_LD | BPF_IMM | BPF_DW) || i + 1 == p->code.len)
			continue;
		imm = (u32)in[i].imm | (u64)(u32)in[i + 1].imm << 32;
		for (u32 k = 0; k < p->nr_maps; k++) {
			const struct skep_map *m = p->maps[k];

			if (imm == (u64)m) {
				in[i].src_reg = BPF_PSEUDO_MAP_FD;
				in[i].imm = (s32)m->obj.id;
				in[i + 1].imm = 0;
			} else if (m->facts.has_direct &&
				   imm - (u64)m->ops->direct_values((struct skep_map *)m) <
					   m->facts.value_size) {
				in[i].src_reg = BPF_PSEUDO_MAP_VALUE;
				in[i + 1].imm = (s32)(imm - (u64)m->ops->direct_values(
								    (struct skep_map *)m));
				in[i].imm = (s32)m->obj.id;
			}
		}
		i++;
	}
	return in;
}

static int give_code(struct skep_call *c, struct skep_prog *p, struct bpf_prog_info *info)
{
	struct bpf_insn *in;
	int err;

	if (info->xlated_prog_len) {
		in = presentable(p);
		if (!in)
			return -ENOMEM;
		err = give(c, info->xlated_prog_insns, &info->xlated_prog_len, in,
			   p->code.len * (u32)sizeof(*in));
		skep_free(in);
		if (err)
			return err;
	} else {
		info->xlated_prog_len = p->code.len * (u32)sizeof(*in);
	}
	return give(c, info->jited_prog_insns, &info->jited_prog_len, (const void *)p->entry,
		    p->entry ? p->image.size : 0);
}

/* Bytes of code of each subprogram: they lie in the image one after the other. */
static void func_lens(const struct skep_prog *p, u32 *lens)
{
	const u64 start = (u64)p->entry;

	for (u32 i = 0; i < p->image.nr_subprogs; i++) {
		u64 at = (u64)p->image.subprogs[i], end = start + p->image.size;

		for (u32 k = 0; k < p->image.nr_subprogs; k++)
			if ((u64)p->image.subprogs[k] > at)
				end = SKEP_MIN(end, (u64)p->image.subprogs[k]);
		lens[i] = (u32)(end - at);
	}
}

/* Per subprogram: address, length, tag. All have the program's tag: none is a program itself. */
static int give_jited(struct skep_call *c, struct skep_prog *p, struct bpf_prog_info *info)
{
	u32 n = p->image.nr_subprogs, tags = SKEP_MAX(n, 1u), room;
	u8 *buf = skep_calloc(tags, 8);
	int err;

	if (!buf)
		return -ENOMEM;
	room = SKEP_MIN(info->nr_jited_ksyms, n) * 8;
	err = give(c, info->jited_ksyms, &room, p->image.subprogs, n * 8);
	info->nr_jited_ksyms = n;
	if (!err) {
		func_lens(p, (u32 *)(void *)buf);
		room = SKEP_MIN(info->nr_jited_func_lens, n) * 4;
		err = give(c, info->jited_func_lens, &room, buf, n * 4);
		info->nr_jited_func_lens = n;
	}
	if (!err) {
		for (u32 i = 0; i < tags; i++)
			skep_prog_tag(p, buf + (size_t)i * 8);
		room = SKEP_MIN(info->nr_prog_tags, tags) * 8;
		err = give(c, info->prog_tags, &room, buf, tags * 8);
		info->nr_prog_tags = tags;
	}
	skep_free(buf);
	return err;
}

static int give_lists(struct skep_call *c, struct skep_prog *p, struct bpf_prog_info *info)
{
	u32 *ids = skep_calloc(p->nr_maps + 1, sizeof(u32)), room;
	int err = 0;

	if (!ids)
		return -ENOMEM;
	for (u32 i = 0; i < p->nr_maps; i++)
		ids[i] = p->maps[i]->obj.id;
	room = SKEP_MIN(info->nr_map_ids, p->nr_maps) * (u32)sizeof(u32);
	err = give(c, info->map_ids, &room, ids, p->nr_maps * (u32)sizeof(u32));
	info->nr_map_ids = p->nr_maps;
	skep_free(ids);
	if (err)
		return err;

	if (((info->nr_func_info || info->func_info_rec_size) && info->func_info_rec_size != 8) ||
	    ((info->nr_line_info || info->line_info_rec_size) && info->line_info_rec_size != 16) ||
	    ((info->nr_jited_line_info || info->jited_line_info_rec_size) &&
	     info->jited_line_info_rec_size != 8))
		return -EINVAL;
	room = SKEP_MIN(info->nr_func_info, p->nr_func_info) * 8;
	err = give(c, info->func_info, &room, p->func_info, p->nr_func_info * 8);
	info->nr_func_info = p->nr_func_info;
	info->func_info_rec_size = 8;
	if (err)
		return err;

	room = SKEP_MIN(info->nr_line_info, p->nr_line_info) * 16;
	err = give(c, info->line_info, &room, p->line_info, p->nr_line_info * 16);
	info->nr_line_info = p->nr_line_info;
	info->line_info_rec_size = 16;
	if (err)
		return err;

	info->nr_jited_line_info = 0;
	info->jited_line_info_rec_size = 8;
	return give_jited(c, p, info);
}

static int prog_info(struct skep_call *c, struct skep_prog *p)
{
	struct bpf_prog_info info;
	struct info_req r;
	int err = begin(c, &info, sizeof(info),
			offsetof(struct bpf_prog_info, attach_btf_id) + sizeof(u32), &r);

	if (err)
		return err;
	info.type = p->type;
	info.id = p->obj.id;
	skep_prog_tag(p, info.tag);
	info.load_time = p->load_time_ns;
	info.created_by_uid = p->uid;
	memcpy(info.name, p->name, sizeof(info.name));
	info.ifindex = 0;
	info.gpl_compatible = p->gpl;
	info.btf_id = p->btf ? skep_btf_obj_id(p->btf) : 0;
	info.run_time_ns = p->run_time_ns;
	info.run_cnt = p->run_cnt;
	info.recursion_misses = SKEP_READ(p->misses);
	info.verified_insns = p->verified_insns;
	info.attach_btf_id = p->attach_btf_id;
	info.attach_btf_obj_id = p->attach_btf ? skep_btf_obj_id(p->attach_btf) : 0;
	skep_lock(&p->maps_lock);
	err = give_code(c, p, &info);
	if (!err)
		err = give_lists(c, p, &info);
	skep_unlock(&p->maps_lock);
	return err ? err : finish(&r, &info);
}

static int btf_info(struct skep_call *c, const struct skep_btf_obj *b)
{
	struct bpf_btf_info info;
	struct info_req r;
	const void *raw;
	const char *name = skep_btf_module_name(b->btf);
	u32 size, room, name_len = (u32)strlen(name) + 1;
	int err = begin(c, &info, sizeof(info), sizeof(info), &r);

	if (err)
		return err;
	raw = skep_btf_raw(b->btf, &size);
	room = info.btf_size;
	err = give(c, info.btf, &room, raw, size);
	if (err)
		return err;
	info.btf_size = size;
	info.id = b->obj.id;
	info.kernel_btf = skep_btf_is_kernel(b->btf);
	if (!info.name != !info.name_len)
		return -EINVAL;
	if (info.name) {
		u32 had = info.name_len;

		info.name_len = name_len - 1;
		if (skep_copy_to_user(c->caller, info.name, name, SKEP_MIN(had, name_len)))
			return -EFAULT;
		if (had < name_len) {
			char nul = 0;

			if (skep_copy_to_user(c->caller, info.name + had - 1, &nul, 1))
				return -EFAULT;
			finish(&r, &info);
			return -ENOSPC;
		}
	} else {
		info.name_len = name_len - 1;
	}
	return finish(&r, &info);
}

static int link_info(struct skep_call *c, const struct skep_link *l)
{
	/* Younger link types made the struct longer. */
	union {
		struct bpf_link_info i;
		u8 all[64];
	} u;
	struct info_req r;
	char name[128] = "";
	int err = begin(c, &u, sizeof(u), sizeof(u), &r);
	u64 to;
	u32 room;

	if (err)
		return err;
	to = u.i.raw_tracepoint.tp_name;
	room = u.i.raw_tracepoint.tp_name_len;
	u.i.type = l->lops->type;
	u.i.id = l->obj.id;
	u.i.prog_id = l->prog->obj.id;
	if (l->lops->info)
		l->lops->info(l, &u.i, name, sizeof(name));
	if (l->lops->type == BPF_LINK_TYPE_RAW_TRACEPOINT) {
		u32 len = (u32)strlen(name);

		if (!to != !room)
			return -EINVAL;
		u.i.raw_tracepoint.tp_name = to;
		u.i.raw_tracepoint.tp_name_len = len + 1;
		if (to && skep_copy_to_user(c->caller, to, name, SKEP_MIN(room, len + 1)))
			return -EFAULT;
		if (to && room < len + 1) {
			char nul = 0;

			if (skep_copy_to_user(c->caller, to + room - 1, &nul, 1))
				return -EFAULT;
			return -ENOSPC;
		}
	}
	return finish(&r, &u);
}

long skep_sys_info_by_fd(struct skep_call *c)
{
	int err;
	struct skep_obj *o = skep_fd_get((int)c->attr.u.info.bpf_fd, -1, NULL, &err);

	if (!o)
		return err == -EBADF ? -EBADFD : err; /* this command's own */
	switch (o->type) {
	case SKEP_OBJ_MAP:
		err = map_info(c, skep_map_of(o));
		break;
	case SKEP_OBJ_PROG:
		err = prog_info(c, skep_prog_of(o));
		break;
	case SKEP_OBJ_BTF:
		err = btf_info(c, skep_btf_obj_of(o));
		break;
	case SKEP_OBJ_LINK:
		err = link_info(c, skep_link_of(o));
		break;
	default:
		err = -EINVAL;
	}
	skep_obj_put(o);
	return err;
}
