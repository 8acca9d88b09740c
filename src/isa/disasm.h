/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions as text, in the words of the kernel's verifier log.
 */
#ifndef SKEP_ISA_DISASM_H
#define SKEP_ISA_DISASM_H

#include "isa/uapi.h"

/* Names for what an instruction refers to; both may be NULL or return NULL. */
struct skep_disasm_names {
	void *priv;
	/* The callee of @in, for example "bpf_map_lookup_elem#1". */
	const char *(*call)(void *priv, const struct bpf_insn *in, char *buf, u32 size);
	/* The value of a ldimm64, for example "map[id:3]". */
	const char *(*imm)(void *priv, const struct bpf_insn *in, char *buf, u32 size);
};

/*
 * "(b7) r0 = 0" of @in (two slots for ldimm64) into @buf, truncated and terminated; @names may
 * be NULL. Returns the length written.
 */
u32 skep_disasm(const struct bpf_insn *in, const struct skep_disasm_names *names, char *buf,
		u32 size);

#endif
