/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which registers may still be read: a backward data-flow analysis over each subprogram.
 *
 * A register that is dead at an instruction need not be compared when states there are.
 */
#include "verifier/env.h"

#include "base/alloc.h"

struct effect {
	u16 use, def;
};

static u32 arg_regs(const struct env *env, const struct bpf_insn *in)
{
	const struct skep_helper_row *row;
	u32 n = 0;

	if (in->src_reg == BPF_PSEUDO_KFUNC_CALL)
		return ((1u << SKEP_MIN(vf_kfunc_nr_args(env, in), 5u)) - 1) << 1;
	if (in->src_reg)
		return 0x3e;
	row = skep_helper_row((u32)in->imm, env->ctx_id);
	if (!row)
		return 0x3e;
	while (n < 5 && row->arg[n] != SKEP_ARG_NONE)
		n++;
	return ((1u << n) - 1) << 1;
}

static struct effect effect_of(const struct env *env, u32 i)
{
	const struct bpf_insn *in = &env->insns[i];
	u8 cls = BPF_CLASS(in->code), op = BPF_OP(in->code);
	u16 d = (u16)(1u << in->dst_reg), s = (u16)(1u << in->src_reg);
	bool x = BPF_SRC(in->code) == BPF_X;
	struct effect e = {0, 0};

	switch (cls) {
	case BPF_LD:
		if (BPF_MODE(in->code) == BPF_IMM) {
			e.def = d;
		} else {
			e.use = 0x3ff; /* not looked into, as in the kernel */
		}
		break;
	case BPF_LDX:
		e.def = d;
		e.use = s;
		break;
	case BPF_ST:
		e.use = d;
		break;
	case BPF_STX:
		e.use = d | s;
		if (BPF_MODE(in->code) == BPF_ATOMIC) {
			if (in->imm == BPF_CMPXCHG) {
				e.use |= 1;
				e.def = 1;
			} else if (in->imm == SKEP_BPF_LOAD_ACQ) {
				e.use = s;
				e.def = d;
			} else if (in->imm != SKEP_BPF_STORE_REL && in->imm & BPF_FETCH) {
				e.def = s;
			}
		}
		break;
	case BPF_ALU:
	case BPF_ALU64:
		e.def = d;
		if (op == BPF_MOV)
			e.use = x ? s : 0;
		else if (op == BPF_END || op == BPF_NEG)
			e.use = d;
		else
			e.use = d | (x ? s : 0);
		break;
	default:
		if (op == BPF_JA || op == SKEP_BPF_JCOND)
			break;
		if (op == BPF_EXIT) {
			e.use = 1;
		} else if (op == BPF_CALL) {
			e.def = 0x3f;
			e.use = (u16)arg_regs(env, in);
		} else {
			e.use = d | (x ? s : 0);
		}
		break;
	}
	return e;
}

int vf_liveness(struct env *env)
{
	struct effect *e = skep_calloc(env->len, sizeof(*e));
	bool changed = true;

	if (!e)
		return -ENOMEM;
	for (u32 i = 0; i < env->len; i++)
		e[i] = effect_of(env, i);
	while (changed) {
		changed = false;
		for (u32 i = env->len; i-- > 0;) {
			u32 next[2], n;
			u16 out = 0, in;

			if (!env->insns[i].code && i &&
			    env->insns[i - 1].code == (BPF_LD | BPF_IMM | BPF_DW))
				continue;
			n = vf_successors(env->insns, i, next);
			for (u32 k = 0; k < n; k++)
				out |= env->aux[next[k]].live;
			in = (u16)((out & ~e[i].def) | e[i].use);
			if (in != env->aux[i].live) {
				env->aux[i].live = in;
				changed = true;
			}
		}
	}
	skep_free(e);
	if (env->log.level & SKEP_LOG_LEVEL2) {
		vf_log(env, "Live regs before insn:\n");
		for (u32 i = 0; i < env->len; i++) {
			if (env->aux[i].scc)
				vf_log(env, "%3u ", env->aux[i].scc);
			else
				vf_log(env, "    ");
			vf_log(env, "%3u: ", i);
			for (u32 r = 0; r < 10; r++)
				vf_log(env, "%c",
				       env->aux[i].live >> r & 1 ? (char)('0' + r) : '.');
			vf_log(env, " ");
			vf_log_insn(env, i);
			if (env->insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
				i++;
		}
	}
	return 0;
}
