/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/self/fdinfo of objects: the lines that follow the common ones, as 6.18 writes them.
 *
 * libbpf reads map facts here where BPF_OBJ_GET_INFO_BY_FD fails; bpftool reads owner types.
 */
#include "shim/shim.h"

#include <linux/bpf.h>

#include "obj/map.h"
#include "obj/prog.h"
#include "shim/fdinfo.h"

static int map_lines(struct skep_map *m, char *buf, size_t size)
{
	const struct skep_map_facts *f = &m->facts;

	return snprintf(buf, size,
			"map_type:\t%u\nkey_size:\t%u\nvalue_size:\t%u\nmax_entries:\t%u\n"
			"map_flags:\t0x%x\nmap_extra:\t0x%llx\nmemlock:\t%llu\nmap_id:\t%u\n"
			"frozen:\t%u\n",
			f->type, f->key_size, f->value_size, f->max_entries, f->flags,
			(unsigned long long)f->map_extra,
			(unsigned long long)(m->ops->mem_usage ? m->ops->mem_usage(m) : 0),
			m->obj.id, f->frozen);
}

static void tag_text(struct skep_prog *p, char tag[17])
{
	u8 bytes[8];

	skep_prog_tag(p, bytes);
	for (u32 i = 0; i < 8; i++)
		snprintf(tag + 2 * i, 3, "%02x", bytes[i]);
}

static int prog_lines(struct skep_prog *p, char *buf, size_t size)
{
	char tag[17];

	tag_text(p, tag);
	return snprintf(
		buf, size,
		"prog_type:\t%u\nprog_jited:\t%u\nprog_tag:\t%s\nmemlock:\t%u\nprog_id:\t%u\n"
		"run_time_ns:\t%llu\nrun_cnt:\t%llu\nrecursion_misses:\t%llu\n"
		"verified_insns:\t%u\n",
		p->type, p->entry != NULL, tag,
		SKEP_ALIGN_UP(p->code.len * (u32)sizeof(struct bpf_insn), 4096u), p->obj.id,
		(unsigned long long)p->run_time_ns, (unsigned long long)p->run_cnt,
		(unsigned long long)p->misses, p->verified_insns);
}

static int link_lines(const struct skep_link *l, char *buf, size_t size)
{
	static const char *const types[] = {
		[BPF_LINK_TYPE_RAW_TRACEPOINT] = "raw_tracepoint",
		[BPF_LINK_TYPE_TRACING] = "tracing",
		[BPF_LINK_TYPE_CGROUP] = "cgroup",
		[BPF_LINK_TYPE_ITER] = "iter",
		[BPF_LINK_TYPE_NETNS] = "netns",
		[BPF_LINK_TYPE_XDP] = "xdp",
		[BPF_LINK_TYPE_STRUCT_OPS] = "struct_ops",
	};
	u32 type = l->lops->type;
	struct bpf_link_info info = {0};
	char tag[17], name[64] = "";
	int n;

	tag_text(l->prog, tag);
	n = snprintf(buf, size, "link_type:\t%s\nlink_id:\t%u\nprog_tag:\t%s\nprog_id:\t%u\n",
		     type < ARRAY_SIZE(types) && types[type] ? types[type] : "<unknown>", l->obj.id,
		     tag, l->prog->obj.id);
	if (l->lops->info)
		l->lops->info(l, &info, name, sizeof(name));
	if (type == BPF_LINK_TYPE_RAW_TRACEPOINT)
		n += snprintf(buf + n, size - (size_t)n, "tp_name:\t%s\ncookie:\t%llu\n", name,
			      (unsigned long long)l->cookie);
	else if (type == BPF_LINK_TYPE_TRACING)
		n += snprintf(
			buf + n, size - (size_t)n,
			"attach_type:\t%u\ntarget_obj_id:\t%u\ntarget_btf_id:\t%u\ncookie:\t%llu\n",
			info.tracing.attach_type, info.tracing.target_obj_id,
			info.tracing.target_btf_id, (unsigned long long)l->cookie);
	return n;
}

u32 shim_fdinfo(struct skep_obj *o, char *buf, u32 size)
{
	int n = 0;

	if (o->ops->fdinfo)
		return o->ops->fdinfo(o, buf, size);
	switch (o->type) {
	case SKEP_OBJ_MAP:
		n = map_lines(skep_map_of(o), buf, size);
		break;
	case SKEP_OBJ_PROG:
		n = prog_lines(skep_prog_of(o), buf, size);
		break;
	case SKEP_OBJ_LINK:
		n = link_lines(skep_link_of(o), buf, size);
		break;
	case SKEP_OBJ_BTF:
		n = snprintf(buf, size, "btf_id:\t%u\n", o->id);
		break;
	default:
		break;
	}
	return n < 0 ? 0 : SKEP_MIN((u32)n, size - 1);
}
