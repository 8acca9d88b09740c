/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * include/skep/skep.h.
 */
#include "skep/skep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/uaccess.h"
#include "isa/disasm.h"
#include "load/load.h"
#include "spec/helper.h"
#include "sys/sys.h"

SKEP_EXPORT const char *skep_version(void)
{
	return "0.1.0";
}

SKEP_EXPORT long skep_bpf_call(int cmd, union bpf_attr *attr, unsigned int size)
{
	struct skep_caller caller = {.ua = skep_uaccess_self, .capable = true};

	return skep_bpf(&caller, cmd, (u64)(uintptr_t)attr, size);
}

SKEP_EXPORT int skep_load_stats(struct skep_load_stats *stats, size_t size)
{
	struct skep_load_times t = skep_load_times();
	struct skep_load_stats s = {
		.programs = t.programs,
		.insns = t.insns,
		.verify_ns = t.verify_ns,
		.rewrite_ns = t.rewrite_ns,
		.compile_ns = t.compile_ns,
	};

	if (size < sizeof(s.programs))
		return -EINVAL;
	memset(stats, 0, size);
	memcpy(stats, &s, size < sizeof(s) ? size : sizeof(s));
	return 0;
}

/* A program as OBJ_GET_INFO_BY_FD shows it: helpers by id, kfuncs by BTF id, maps by id. */
static const char *call_name(void *priv, const struct bpf_insn *in, char *buf, u32 size)
{
	const char *name = skep_helper_name((u32)in->imm);

	if (in->src_reg || !name)
		return NULL;
	snprintf(buf, size, "bpf_%s#%d", name, in->imm);
	return buf;
}

static const char *imm_name(void *priv, const struct bpf_insn *in, char *buf, u32 size)
{
	if (in->src_reg == BPF_PSEUDO_MAP_FD)
		snprintf(buf, size, "map[id:%u]", in->imm);
	else if (in->src_reg == BPF_PSEUDO_MAP_VALUE)
		snprintf(buf, size, "map[id:%u][0]+%u", in->imm, in[1].imm);
	else
		return NULL;
	return buf;
}

SKEP_EXPORT unsigned int skep_disasm_insn(const struct bpf_insn *insn, char *buf, unsigned int size)
{
	static const struct skep_disasm_names names = {.call = call_name, .imm = imm_name};

	return skep_disasm(insn, &names, buf, size);
}
