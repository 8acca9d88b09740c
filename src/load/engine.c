/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binds rewrite and the engines to the running subsystem.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vcpu.h"
#include "helper/helper.h"
#include "isa/uapi.h"
#include "jit/jit.h"
#include "kern/cgroup.h"
#include "kern/task.h"
#include "load/load.h"
#include "map/local_storage.h"
#include "map/prog_array.h"
#include "obj/map.h"
#include "rewrite/rewrite.h"
#include "spec/helper.h"
#include "spec/kfunc.h"

static void *helper_fn(void *priv, const struct skep_vprog *p, u32 id, const char **ret_name)
{
	*ret_name = skep_helper_name(id);
	return (void *)skep_helper_body(id, p->prog_type);
}

static void *kfunc_fn(void *priv, const struct skep_kfunc_ref *ref, const char **ret_name)
{
	*ret_name = ref->row->name;
	return (void *)skep_kfunc_body(ref->row->name);
}

static void *map_addr(void *priv, struct skep_map_facts *f)
{
	return skep_map_of_facts(f);
}

static void *map_value_addr(void *priv, struct skep_map_facts *f, u32 off)
{
	struct skep_map *m = skep_map_of_facts(f);

	return (u8 *)m->ops->direct_values(m) + off;
}

static const struct skep_map_inline *map_inline(void *priv, const struct skep_map_facts *f)
{
	const struct skep_map_inline *inl = &skep_map_of_facts(f)->inl;

	return inl->kind == SKEP_INLINE_NONE ? NULL : inl;
}

/* Offset of a thread-local of the calling thread from its fs base: the same in every thread. */
static s64 tls_offset(const void *tls)
{
	u64 fs;

	__asm__("mov %%fs:0, %0" : "=r"(fs));
	return (s64)((u64)tls - fs);
}

static void tail_inline(struct skep_tail_inline *t)
{
	s64 off = tls_offset(&skep_run_current);

	skep_prog_array_inline(t);
	t->prog_entry_off = (s32)offsetof(struct skep_prog, entry);
	t->run_prog_off = (s32)offsetof(struct skep_run_ctx, prog);
	t->run_count_off = (s32)offsetof(struct skep_run_ctx, tail_calls);
	t->tls_run_off = (s32)off;
	t->known = off == (s32)off;
}

static const struct skep_run_inline *run_inline(void)
{
	static struct skep_run_inline inl;
	static bool ready;

	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
		skep_storage_inline(&inl);
		inl.tls_current_off = tls_offset(&skep_current_view);
		inl.tls_cpu_off = tls_offset(&skep_cpu_number);
		tail_inline(&inl.tail);
		__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	}
	return &inl;
}

static bool env_is(const char *name, const char *value)
{
	const char *v = getenv(name);

	return v && !strcmp(v, value);
}

/* Can @p have come by a task? Those that cannot do not have the kernel's types looked at. */
static bool may_have_task(const struct skep_prog *p)
{
	if (p->attach_btf)
		return true;
	for (u32 i = 0; i < p->code.len; i++) {
		const struct bpf_insn *in = &p->code.insns[i];

		if (in->code == (BPF_JMP | BPF_CALL) && !in->src_reg &&
		    (in->imm == BPF_FUNC_get_current_task ||
		     in->imm == BPF_FUNC_get_current_task_btf))
			return true;
	}
	return false;
}

/*
 * Does @p look as if it read `task->cgroups'? The current task's must be fresh then. A load from
 * that offset of something else, or a number that equals it, costs a look at the clock per run.
 */
static bool may_walk_cgroups(const struct skep_vprog *p)
{
	u32 off = skep_cgroup_task_off();

	for (u32 i = 0; off && i < p->len; i++) {
		const struct bpf_insn *in = &p->insns[i];

		if (BPF_CLASS(in->code) == BPF_LDX
			    ? (u32)in->off == off
			    : in->code == (BPF_ALU64 | BPF_ADD | BPF_K) && (u32)in->imm == off)
			return true;
	}
	return false;
}

int skep_engine_rewrite(struct skep_prog *p)
{
	struct skep_rewrite_host host = {
		.helper_fn = helper_fn,
		.kfunc_fn = kfunc_fn,
		.map_addr = map_addr,
		.map_value_addr = map_value_addr,
		.map_inline = map_inline,
		.run_inline = run_inline(),
		.no_inline = env_is("SKEP_INLINE", "0"),
	};

	if (may_have_task(p) && may_walk_cgroups(&p->code))
		skep_cgroup_watch();
	return skep_rewrite(&p->code, &host);
}

int skep_engine_build(struct skep_prog *p)
{
	int err;

	if (env_is("SKEP_ENGINE", "interp"))
		return 0;
	err = skep_jit_compile(&p->code, &p->image);
	if (err == -ENOSYS)
		return 0; /* no JIT for this machine: the interpreter runs it */
	if (!err)
		p->entry = p->image.entry;
	return err;
}
