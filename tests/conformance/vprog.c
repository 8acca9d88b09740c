/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building and running programs that no verifier has seen.
 */
#include "vprog.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "interp/interp.h"
#include "isa/insn.h"
#include "jit/jit.h"

static int cmp_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

int vprog_from_insns(const struct bpf_insn *insns, u32 len, struct skep_vprog *ret)
{
	struct skep_vprog p = {.len = len};
	u32 *starts = calloc(len + 1, sizeof(u32)), n = 1, i, k;

	if (!len || !starts)
		goto bad;
	for (i = 0; i < len; i++) {
		s64 to = (s64)i + 1 + insns[i].imm;

		if (skep_insn_is_ldimm64(&insns[i])) {
			i++;
			continue;
		}
		if (!skep_insn_is_call(&insns[i], SKEP_CALL_SUBPROG))
			continue;
		if (to < 0 || to >= len)
			goto bad;
		starts[n++] = (u32)to;
	}
	qsort(starts, n, sizeof(u32), cmp_u32);
	for (i = 0, k = 0; i < n; i++)
		if (!i || starts[i] != starts[k - 1])
			starts[k++] = starts[i];
	p.insns = skep_memdup(insns, len * sizeof(*insns));
	p.facts = skep_calloc(len, sizeof(*p.facts));
	p.subprogs = skep_calloc(k, sizeof(*p.subprogs));
	p.nr_subprogs = k;
	for (i = 0; i < k; i++) {
		p.subprogs[i].start = starts[i];
		p.subprogs[i].len = (i + 1 < k ? starts[i + 1] : len) - starts[i];
		p.subprogs[i].stack_depth = 512;
		p.subprogs[i].name = "";
	}
	for (i = 0; i < len; i++) {
		u8 class = BPF_CLASS(insns[i].code);

		p.facts[i].flags = SKEP_FACT_SEEN;
		p.facts[i].orig = i;
		if (class == BPF_LDX || class == BPF_ST || class == BPF_STX)
			p.facts[i].mem = SKEP_MEM_DIRECT;
	}
	free(starts);
	*ret = p;
	return 0;
bad:
	free(starts);
	return -1;
}

int vprog_run(const struct skep_vprog *p, bool jit, void *mem, u32 size, u64 *ret_r0)
{
	struct skep_jit_image image = {0};

	if (!jit) {
		*ret_r0 = skep_interp_call(p, 0, (u64)(uintptr_t)mem, size, 0, 0, 0);
		return 0;
	}
	if (skep_jit_compile(p, &image))
		return -1;
	*ret_r0 = ((u64(*)(void *, u64))image.subprogs[0])(mem, size);
	skep_jit_free(&image);
	return 0;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int hex_decode(const char *s, u32 n, u8 *out, u32 size)
{
	u32 i;

	if (n % 2 || n / 2 > size)
		return -1;
	for (i = 0; i < n; i += 2) {
		int hi = nibble(s[i]), lo = nibble(s[i + 1]);

		if (hi < 0 || lo < 0)
			return -1;
		out[i / 2] = (u8)(hi << 4 | lo);
	}
	return (int)(n / 2);
}
