/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction encodings, and what 64-bit immediates stand for: maps, values, variables, functions.
 *
 * Opcodes are checked here once, so that later passes and the engines meet only defined ones.
 */
#include "verifier/env.h"

#include <string.h>

#include "base/alloc.h"

static bool opcode_ok(u8 code)
{
	u8 cls = BPF_CLASS(code), op = BPF_OP(code), size = BPF_SIZE(code), mode = BPF_MODE(code);

	switch (cls) {
	case BPF_ALU:
	case BPF_ALU64:
		if (op == BPF_END)
			return cls == BPF_ALU || BPF_SRC(code) == BPF_K;
		if (op == BPF_NEG)
			return BPF_SRC(code) == BPF_K;
		return op <= BPF_END;
	case BPF_JMP:
		if (op == BPF_JA || op == BPF_CALL || op == BPF_EXIT || op == SKEP_BPF_JCOND)
			return BPF_SRC(code) == BPF_K;
		return op <= BPF_JSLE;
	case BPF_JMP32:
		if (op == BPF_JA)
			return BPF_SRC(code) == BPF_K;
		return op != BPF_CALL && op != BPF_EXIT && op <= BPF_JSLE;
	case BPF_LDX:
		if (mode == SKEP_BPF_MEMSX)
			return size != BPF_DW;
		return mode == BPF_MEM;
	case BPF_STX:
		if (mode == BPF_ATOMIC)
			return true;
		return mode == BPF_MEM;
	case BPF_ST:
		return mode == BPF_MEM;
	default:
		if (mode == BPF_IMM)
			return size == BPF_DW;
		return (mode == BPF_ABS || mode == BPF_IND) && size != BPF_DW;
	}
}

static s32 map_index(const struct env *env, const struct skep_map_facts *m)
{
	for (u32 i = 0; i < env->nr_maps; i++)
		if (env->maps[i] == m)
			return (s32)i;
	return -1;
}

static bool is_tracing(u32 type)
{
	return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
	       type == BPF_PROG_TYPE_PERF_EVENT || type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       type == BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE;
}

/* May this program use this map at all? */
static int check_map_compat(struct env *env, const struct skep_map_facts *m)
{
	const struct skep_map_type_row *row = skep_map_type(m->type);
	u32 mask = m->record ? m->record->mask : 0, type = env->req->prog_type;
	bool tracing = is_tracing(type) || type == BPF_PROG_TYPE_TRACING;

	if ((mask & (1u << SKEP_FIELD_LIST_HEAD | 1u << SKEP_FIELD_RB_ROOT)) && tracing) {
		vf_say(env, "tracing progs cannot use bpf_{list_head,rb_root} yet\n");
		return -EINVAL;
	}
	if (mask & (1u << SKEP_FIELD_SPIN_LOCK | 1u << SKEP_FIELD_RES_SPIN_LOCK)) {
		if (type == BPF_PROG_TYPE_SOCKET_FILTER) {
			vf_say(env, "socket filter progs cannot use bpf_spin_lock yet\n");
			return -EINVAL;
		}
		if (is_tracing(type)) {
			vf_say(env, "tracing progs cannot use bpf_spin_lock yet\n");
			return -EINVAL;
		}
	}
	if (mask & 1u << SKEP_FIELD_TIMER && is_tracing(type)) {
		vf_say(env, "tracing progs cannot use bpf_timer yet\n");
		return -EINVAL;
	}
	if (mask & 1u << SKEP_FIELD_WQ && is_tracing(type)) {
		vf_say(env, "tracing progs cannot use bpf_wq yet\n");
		return -EINVAL;
	}
	if (m->type == BPF_MAP_TYPE_STRUCT_OPS) {
		vf_say(env, "bpf_struct_ops map cannot be used in prog\n");
		return -EINVAL;
	}
	if (env->sleepable && row && !(row->flags & SKEP_MAP_SLEEPABLE_OK)) {
		vf_say(env, "Sleepable programs can only use array, hash, ringbuf and local "
			    "storage maps\n");
		return -EINVAL;
	}
	if (m->type == SKEP_MAP_TYPE_ARENA) {
		if (env->arena) {
			vf_say(env, "Only one arena per program\n");
			return -EBUSY;
		}
		if (!__atomic_load_n(&m->placed, __ATOMIC_RELAXED)) {
			vf_say(env, "arena's user address must be set via map_extra or mmap()\n");
			return -EINVAL;
		}
		env->arena = m;
	}
	return 0;
}

/* The map behind @fd as an index into env->maps. */
int vf_add_map(struct env *env, int fd, const char *what_fd, s32 *ret_idx)
{
	struct skep_map_facts *m;
	int err = env->host->map_by_fd(env->host->priv, fd, &m);

	(void)what_fd;
	if (err) {
		vf_say(env, "fd %d is not pointing to valid bpf_map\n", fd);
		return err;
	}
	*ret_idx = map_index(env, m);
	if (*ret_idx >= 0)
		return 0;
	if (env->nr_maps >= VF_MAX_MAPS) {
		vf_say(env, "The total number of maps per program has reached the limit of %u\n",
		       VF_MAX_MAPS);
		return -E2BIG;
	}
	err = check_map_compat(env, m);
	if (err)
		return err;
	*ret_idx = (s32)env->nr_maps;
	env->maps[env->nr_maps++] = m;
	return 0;
}

/* A typed kernel variable (ksym): imm is a VAR of the kernel's BTF, or of the BTF in the second
 * imm. */
static int resolve_ksym(struct env *env, u32 i)
{
	const struct bpf_insn *in = &env->insns[i];
	const struct skep_btf *btf;
	struct insn_aux *aux = &env->aux[i];
	const struct btf_type *t;
	bool percpu = false;
	u32 id = (u32)in->imm, var_type;
	int fd = in[1].imm, err;

	if (fd) {
		err = env->host->btf_by_fd(env->host->priv, fd, &btf);
		if (err) {
			vf_say(env, "invalid module BTF object FD specified.\n");
			return -EINVAL;
		}
	} else {
		btf = env->host->kernel_btf(env->host->priv);
		if (!btf) {
			vf_say(env, "kernel is missing BTF, make sure CONFIG_DEBUG_INFO_BTF=y is "
				    "specified in Kconfig.\n");
			return -EINVAL;
		}
	}
	t = skep_btf_type(btf, id);
	if (!t) {
		vf_say(env, "ldimm64 insn specifies invalid btf_id %d.\n", (int)id);
		return -ENOENT;
	}
	if (skep_btf_kind(t) != BTF_KIND_VAR && skep_btf_kind(t) != BTF_KIND_FUNC) {
		vf_say(env, "pseudo btf_id %u in ldimm64 isn't KIND_VAR or KIND_FUNC\n", id);
		return -EINVAL;
	}
	if (env->host->has_symbol &&
	    !env->host->has_symbol(env->host->priv, skep_btf_name(btf, t))) {
		vf_say(env, "ldimm64 failed to find the address for kernel symbol '%s'.\n",
		       skep_btf_name(btf, t));
		return -ENOENT;
	}
	aux->ksym_btf = btf;
	aux->ksym_btf_id = id;
	if (skep_btf_kind(t) == BTF_KIND_FUNC) {
		aux->ksym_flags = KSYM_MEM; /* of no bytes */
		aux->ksym_mem_size = 0;
		return 0;
	}
	{
		u32 sec = skep_btf_find(btf, ".data..percpu", BTF_KIND_DATASEC);
		const struct btf_type *st = sec ? skep_btf_type(btf, sec) : NULL;
		const struct btf_var_secinfo *v = st ? skep_btf_secinfos(st) : NULL;

		for (u32 n = 0; v && n < skep_btf_vlen(st); n++)
			percpu |= v[n].type == id;
	}
	var_type = t->type;
	t = skep_btf_skip_mods(btf, t->type, &id);
	if (percpu) {
		aux->ksym_flags = KSYM_PERCPU;
		aux->ksym_mem_size = var_type;
		if (env->host->verdict_only)
			return 0;
		vf_say(env, "skep: per-CPU kernel variables are not implemented yet\n");
		return -EINVAL;
	}
	if (!skep_btf_is_struct(t)) {
		s64 size = skep_btf_size(btf, id);

		if (size < 0) {
			vf_say(env, "ldimm64 unable to resolve the size of type '%s': %d\n",
			       skep_btf_name(btf, t), (int)size);
			return -EINVAL;
		}
		aux->ksym_flags = KSYM_MEM;
		aux->ksym_mem_size = (u32)size;
	} else {
		aux->ksym_flags = KSYM_STRUCT;
		aux->ksym_mem_size = id;
	}
	return 0;
}

static int resolve_map(struct env *env, u32 i)
{
	struct bpf_insn *in = &env->insns[i];
	struct insn_aux *aux = &env->aux[i];
	bool value =
		in->src_reg == SKEP_PSEUDO_MAP_VALUE || in->src_reg == SKEP_PSEUDO_MAP_IDX_VALUE;
	bool by_idx =
		in->src_reg == SKEP_PSEUDO_MAP_IDX || in->src_reg == SKEP_PSEUDO_MAP_IDX_VALUE;
	const struct skep_map_facts *m;
	int fd = in->imm, err;
	s32 n;

	if (by_idx) {
		err = env->host->fd_array ? env->host->fd_array(env->host->priv, (u32)in->imm, &fd)
					  : -EPROTO;
		if (err == -EPROTO)
			vf_say(env, "fd_idx without fd_array is invalid\n");
		if (err)
			return err;
	}
	err = vf_add_map(env, fd, "", &n);
	if (err)
		return err;
	aux->map = n;
	m = env->maps[n];
	if (value) {
		const struct skep_map_type_row *row = skep_map_type(m->type);
		u32 off = (u32)in[1].imm;

		if (off >= VF_MAX_OFF) {
			vf_say(env, "direct value offset of %u is not allowed\n", off);
			return -EINVAL;
		}
		if (!row || !(row->flags & SKEP_MAP_DIRECT_VALUE)) {
			vf_say(env, "no direct value access support for this map type\n");
			return -EINVAL;
		}
		err = !m->has_direct || m->max_entries != 1 ? -SKEP_ENOTSUPP
		      : off >= m->value_size		    ? -EINVAL
							    : 0;
		if (err) {
			vf_say(env, "invalid access to map value pointer, value_size=%u off=%u\n",
			       m->value_size, off);
			return err;
		}
		aux->map_off = off;
	}
	in->src_reg = value ? SKEP_PSEUDO_MAP_VALUE : SKEP_PSEUDO_MAP_FD;
	in->imm = n;
	return 0;
}

static int resolve_one(struct env *env, u32 i)
{
	struct bpf_insn *in = &env->insns[i];

	if (BPF_CLASS(in->code) == BPF_LDX &&
	    ((BPF_MODE(in->code) != BPF_MEM && BPF_MODE(in->code) != SKEP_BPF_MEMSX) || in->imm)) {
		vf_say(env, "BPF_LDX uses reserved fields\n");
		return -EINVAL;
	}
	if (in->code != (BPF_LD | BPF_IMM | BPF_DW)) {
		if (!opcode_ok(in->code)) {
			vf_say(env, "unknown opcode %02x\n", in->code);
			return -EINVAL;
		}
		return 0;
	}
	if (i + 1 >= env->len || in[1].code || in[1].dst_reg || in[1].src_reg || in[1].off) {
		vf_say(env, "invalid bpf_ld_imm64 insn\n");
		return -EINVAL;
	}
	switch (in->src_reg) {
	case SKEP_PSEUDO_IMM:
	case SKEP_PSEUDO_FUNC:
		return 0;
	case SKEP_PSEUDO_BTF_ID:
		return resolve_ksym(env, i);
	case SKEP_PSEUDO_MAP_FD:
	case SKEP_PSEUDO_MAP_IDX:
		if (in[1].imm)
			break;
		return resolve_map(env, i);
	case SKEP_PSEUDO_MAP_VALUE:
	case SKEP_PSEUDO_MAP_IDX_VALUE:
		return resolve_map(env, i);
	}
	vf_say(env, "unrecognized bpf_ld_imm64 insn\n");
	return -EINVAL;
}

int vf_resolve(struct env *env)
{
	for (u32 i = 0; i < env->len; i++) {
		int err = resolve_one(env, i);

		if (err)
			return err;
		if (env->insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			i++;
	}
	return 0;
}
