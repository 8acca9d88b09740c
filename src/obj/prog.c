/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program's tag, made when somebody asks.
 *
 * The tag is a hash of the instructions as they were loaded, and hashing takes longer than much
 * of a small program's load; most programs live and die without being asked. Until then the
 * instructions are kept.
 */
#include "obj/prog.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "isa/insn.h"

int skep_prog_keep_insns(struct skep_prog *p, const struct bpf_insn *insns, u32 n)
{
	p->loaded_insns = skep_memdup(insns, n * sizeof(*insns));
	p->nr_loaded_insns = n;
	return p->loaded_insns ? 0 : -ENOMEM;
}

/* What the program says, without the descriptors of the maps that it names. */
static void forget_maps(struct bpf_insn *in, u32 n)
{
	for (u32 i = 0; i + 1 < n; i++) {
		if (!skep_insn_is_ldimm64(&in[i]))
			continue;
		if (in[i].src_reg == SKEP_PSEUDO_MAP_FD || in[i].src_reg == SKEP_PSEUDO_MAP_VALUE)
			in[i].imm = in[i + 1].imm = 0;
		i++;
	}
}

void skep_prog_tag(struct skep_prog *p, u8 ret_tag[8])
{
	u8 digest[32];

	skep_lock(&p->tag_lock);
	if (p->loaded_insns) {
		forget_maps(p->loaded_insns, p->nr_loaded_insns);
		skep_sha256(p->loaded_insns, p->nr_loaded_insns * sizeof(*p->loaded_insns), digest);
		memcpy(p->tag, digest, sizeof(p->tag));
		skep_free(p->loaded_insns);
		p->loaded_insns = NULL;
	}
	memcpy(ret_tag, p->tag, sizeof(p->tag));
	skep_unlock(&p->tag_lock);
}
