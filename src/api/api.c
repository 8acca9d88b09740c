/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * include/skep/skep.h.
 */
#include "skep/skep.h"

#include "base/uaccess.h"
#include "isa/disasm.h"
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

SKEP_EXPORT unsigned int skep_disasm_insn(const struct bpf_insn *insn, char *buf, unsigned int size)
{
	return skep_disasm(insn, NULL, buf, size);
}
