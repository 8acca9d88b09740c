/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the verifier claims against what happens, for random programs that it accepts.
 *
 * A program is verified as always, and once more with every path walked to its end, where each
 * state is recorded. Both must accept it. Then it runs, with numbers that differ from run to run:
 * every access lies inside its object, every instruction is known as reached, no jump does what was
 * excluded; and before every instruction some recorded state of that place holds all registers and
 * all that was spilled.
 *
 * usage: concrete [PROGRAMS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/verifier_asm.h"
#include "../unit/verifier_gen.h"
#include "base/alloc.h"
#include "isa/insn.h"
#include "verifier/env.h"

static void look(const struct skep_vprog *p, u32 pc, const u64 *r);
#define SKEP_INTERP_TRACE(p, pc, r) look(p, pc, r)
/* The interpreter and the verifier each have their own word for an array of registers. */
#define frame_reg interp_frame_reg
#include "interp/interp.c"
#undef frame_reg

enum { NR_MAPS = 7, RUNS = 3, MAX_STATES = 4000, MAX_STEPS = 200000 };

/* --- maps --- */

static const int fds[NR_MAPS] = {100, 101, 102, 103, 104, 105, 106};
static struct skep_map_facts maps[NR_MAPS] = {
	[0] = {.type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8, .max_entries = 4},
	[1] = {.type = BPF_MAP_TYPE_ARRAY,
	       .key_size = 4,
	       .value_size = 8,
	       .max_entries = 4,
	       .has_direct = true},
	[2] = {.type = BPF_MAP_TYPE_ARRAY,
	       .key_size = 4,
	       .value_size = 64,
	       .max_entries = 1,
	       .has_direct = true},
	[6] = {.type = BPF_MAP_TYPE_ARRAY,
	       .key_size = 4,
	       .value_size = 32,
	       .max_entries = 1,
	       .flags = BPF_F_RDONLY_PROG,
	       .frozen = true,
	       .has_direct = true},
};
static u8 values[NR_MAPS][4][64] __attribute__((aligned(8)));

static int map_by_fd(void *priv, int fd, struct skep_map_facts **ret)
{
	(void)priv;
	if (fd < fds[0] || fd > fds[NR_MAPS - 1] || !maps[fd - fds[0]].type)
		return -EBADF;
	*ret = &maps[fd - fds[0]];
	return 0;
}

static const struct skep_btf *no_btf(void *priv)
{
	(void)priv;
	return NULL;
}

static int map_const(void *priv, const struct skep_map_facts *m, u32 off, u32 size, u64 *ret)
{
	(void)priv;
	*ret = 0;
	memcpy(ret, &values[m - maps][0][off], size);
	return 0;
}

static const char *map_const_str(void *priv, const struct skep_map_facts *m, u32 off, u32 *ret_max)
{
	(void)priv;
	*ret_max = m->value_size - off;
	return (const char *)&values[m - maps][0][off];
}

/* --- what the verifier says --- */

struct record {
	struct record *next;
	u32 curframe, nr_slots;
	struct reg regs[VF_NR_REGS];
	struct slot slots[];
};

static struct record **records; /* by instruction, the newest first */
static u32 nr_records;

static int record_step(void *priv, u32 insn, const struct state *st)
{
	const struct frame *f = st->frame[st->curframe];
	struct record *r;

	(void)priv;
	if (++nr_records > MAX_STATES)
		return -E2BIG;
	r = malloc(sizeof(*r) + f->nr_slots * sizeof(struct slot));
	if (!r)
		return -ENOMEM;
	r->curframe = st->curframe;
	r->nr_slots = f->nr_slots;
	memcpy(r->regs, f->regs, sizeof(r->regs));
	if (f->nr_slots)
		memcpy(r->slots, f->slots, f->nr_slots * sizeof(struct slot));
	r->next = records[insn];
	records[insn] = r;
	return 0;
}

static void forget(u32 len)
{
	for (u32 i = 0; i < len; i++)
		while (records[i]) {
			struct record *r = records[i];

			records[i] = r->next;
			free(r);
		}
	nr_records = 0;
}

/* --- what happens --- */

static const char *how;
static u32 wrong_pc, steps;
static bool compare_states;
static u64 fp[VF_MAX_FRAMES];
static u32 depth_now, frame_bytes[VF_MAX_FRAMES];
static u8 context[256] __attribute__((aligned(8)));

static void complain(u32 pc, const char *what)
{
	if (how)
		return;
	how = what;
	wrong_pc = pc;
}

static bool scalar_holds(const struct scalar *s, u64 v)
{
	return tnum_contains(s->tn, tnum_const(v)) && (s64)v >= s->smin && (s64)v <= s->smax &&
	       v >= s->umin && v <= s->umax && (s32)v >= s->s32min && (s32)v <= s->s32max &&
	       (u32)v >= s->u32min && (u32)v <= s->u32max;
}

static bool holds(const struct reg *r, u64 v)
{
	u64 base;

	switch (r->kind) {
	case RK_NOT_INIT:
		return true;
	case RK_SCALAR:
		return scalar_holds(&r->v, v);
	case RK_STACK:
		base = fp[r->frameno];
		break;
	case RK_CTX:
		base = (u64)(uintptr_t)context;
		break;
	case RK_MAP_PTR:
		return v == (u64)(uintptr_t)r->map;
	case RK_MAP_VALUE:
		if (!v)
			return r->flags & RF_MAYBE_NULL;
		/* Which of its values is not said. */
		for (u32 i = 0; i < 4; i++) {
			base = (u64)(uintptr_t)values[r->map - maps][i] + (u64)(s64)r->off;
			if (scalar_holds(&r->v, v - base))
				return true;
		}
		return false;
	default:
		return true;
	}
	return scalar_holds(&r->v, v - base - (u64)(s64)r->off);
}

static bool slot_holds(const struct slot *s, const u8 *at)
{
	bool whole = true;
	u64 v;

	for (u32 b = 0; b < 8; b++) {
		/* type[7] is the lowest address */
		if (s->type[7 - b] == SK_ZERO && at[b])
			return false;
		whole &= s->type[b] == SK_SPILL;
	}
	memcpy(&v, at, 8);
	return !whole || holds(&s->spill, v);
}

static bool record_holds(const struct record *rec, const u64 *r)
{
	for (u32 i = 0; i < 10; i++)
		if (!holds(&rec->regs[i], r[i]))
			return false;
	for (u32 i = 0; i < rec->nr_slots && 8 * (i + 1) <= frame_bytes[depth_now]; i++)
		if (!slot_holds(&rec->slots[i],
				(const u8 *)(uintptr_t)(fp[depth_now] - 8 * (i + 1))))
			return false;
	return true;
}

static bool in_object(u64 addr, u32 size, bool write)
{
	for (u32 i = 0; i <= depth_now; i++)
		if (addr >= fp[i] - frame_bytes[i] && addr + size <= fp[i])
			return true;
	for (u32 m = 0; m < NR_MAPS; m++)
		for (u32 k = 0; k < 4; k++) {
			u64 at = (u64)(uintptr_t)values[m][k];

			if (maps[m].type && k < maps[m].max_entries && addr >= at &&
			    addr + size <= at + maps[m].value_size)
				return !write || !(maps[m].flags & BPF_F_RDONLY_PROG);
		}
	return !write && addr >= (u64)(uintptr_t)context &&
	       addr + size <= (u64)(uintptr_t)context + sizeof(context);
}

static void look(const struct skep_vprog *p, u32 pc, const u64 *r)
{
	const struct bpf_insn *in = &p->insns[pc];
	u8 flags = p->facts[pc].flags, cls = BPF_CLASS(in->code);

	steps++;
	while (depth_now && fp[depth_now] != r[10] && fp[depth_now - 1] >= r[10] &&
	       fp[depth_now - 1] == r[10])
		depth_now--;
	if (fp[depth_now] != r[10]) {
		/* A new frame, or the first: stacks of callees lie below. */
		if (fp[depth_now])
			depth_now++;
		fp[depth_now] = r[10];
		for (u32 s = 0; s < p->nr_subprogs; s++)
			if (pc >= p->subprogs[s].start &&
			    pc < p->subprogs[s].start + p->subprogs[s].len)
				frame_bytes[depth_now] =
					SKEP_ALIGN_UP(p->subprogs[s].stack_depth, 16u);
	}
	if (!(flags & SKEP_FACT_SEEN))
		complain(pc, "runs, but was not reached");
	if (skep_insn_is_jump(in) && BPF_OP(in->code) != BPF_JA && !skep_insn_is_may_goto(in)) {
		if (flags & SKEP_FACT_NEVER_TAKEN && cond(in, r))
			complain(pc, "jumps, but was said never to");
		if (flags & SKEP_FACT_ALWAYS_TAKEN && !cond(in, r))
			complain(pc, "does not jump, but was said always to");
	}
	if (cls == BPF_LDX &&
	    !in_object(r[in->src_reg] + (u64)(s64)in->off, skep_insn_bytes(in), false))
		complain(pc, "loads from outside of any object");
	if ((cls == BPF_ST || cls == BPF_STX) &&
	    !in_object(r[in->dst_reg] + (u64)(s64)in->off, skep_insn_bytes(in), true))
		complain(pc, "stores outside of any object");
	if (compare_states) {
		const struct record *rec = records[pc];

		while (rec && (rec->curframe != depth_now || !record_holds(rec, r)))
			rec = rec->next;
		if (!rec)
			complain(pc, "begins with registers that no state has");
	}
	/* Nothing that follows can be trusted. */
	if (how) {
		printf("FAIL: instruction %u %s\n", wrong_pc, how);
		for (u32 i = 0; i < 11; i++)
			printf(" r%u=0x%llx", i, (unsigned long long)r[i]);
		printf("\n%s", prog_text);
		exit(1);
	}
}

/* --- helpers --- */

static u64 some_number(void)
{
	u64 v = ((u64)rnd(0) << 32) ^ rnd(0xffffffff);

	switch (rnd(6)) {
	case 0:
		return (u64)(s64)interesting();
	case 1:
		return rnd(100);
	case 2:
		return (u32)v;
	case 3:
		return 1ull << rnd(64);
	case 4:
		return (1ull << rnd(64)) - 1;
	default:
		return v;
	}
}

static void must_lie(u64 addr, u64 size)
{
	if (size && !in_object(addr, (u32)size, false))
		complain(wrong_pc, "hands a helper memory outside of any object");
}

static u64 do_lookup(u64 map, u64 key, u64 c, u64 d, u64 e)
{
	u32 m = (u32)((struct skep_map_facts *)(uintptr_t)map - maps), k;

	(void)c, (void)d, (void)e;
	must_lie(key, maps[m].key_size);
	if (how)
		return 0;
	memcpy(&k, (const void *)(uintptr_t)key, 4);
	if (maps[m].type == BPF_MAP_TYPE_ARRAY)
		return k < maps[m].max_entries ? (u64)(uintptr_t)values[m][k] : 0;
	return rnd(2) ? (u64)(uintptr_t)values[m][rnd(4)] : 0;
}

static u64 do_update(u64 map, u64 key, u64 value, u64 d, u64 e)
{
	u32 m = (u32)((struct skep_map_facts *)(uintptr_t)map - maps);

	(void)d, (void)e;
	must_lie(key, maps[m].key_size);
	must_lie(value, maps[m].value_size);
	return rnd(2) ? 0 : (u64)-EINVAL;
}

static u64 do_random(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	(void)a, (void)b, (void)c, (void)d, (void)e;
	return (u32)some_number();
}

static u64 do_strncmp(u64 s1, u64 size, u64 s2, u64 d, u64 e)
{
	(void)d, (void)e, (void)s2;
	must_lie(s1, size);
	return some_number();
}

/* Calls and addresses as the rewriter would bind them; every other rewrite is left out. */
static bool bind(struct skep_vprog *p)
{
	static struct skep_target targets[] = {
		{.fn = (void *)do_lookup, .name = "map_lookup_elem", .id = 1},
		{.fn = (void *)do_update, .name = "map_update_elem", .id = 2},
		{.fn = (void *)do_random, .name = "get_prandom_u32", .id = 7},
		{.fn = (void *)do_strncmp, .name = "strncmp", .id = 182},
	};

	p->targets = targets;
	p->nr_targets = ARRAY_SIZE(targets);
	for (u32 i = 0; i < p->len; i++) {
		struct bpf_insn *in = &p->insns[i];
		u64 v = 0;
		u32 k = 0;

		if (in->code == (BPF_JMP | BPF_CALL) && !in->src_reg) {
			while (k < ARRAY_SIZE(targets) && targets[k].id != (u32)in->imm)
				k++;
			if (k == ARRAY_SIZE(targets))
				return false;
			in->imm = (s32)k;
		}
		if (in->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (in->src_reg == SKEP_PSEUDO_MAP_FD)
			v = (u64)(uintptr_t)p->maps[in->imm];
		else if (in->src_reg == SKEP_PSEUDO_MAP_VALUE)
			v = (u64)(uintptr_t)values[p->maps[in->imm] - maps][0] + (u32)in[1].imm;
		if (in->src_reg == SKEP_PSEUDO_MAP_FD || in->src_reg == SKEP_PSEUDO_MAP_VALUE) {
			in->imm = (s32)v;
			in[1].imm = (s32)(v >> 32);
		}
		i++;
	}
	return true;
}

static void run_once(const struct skep_vprog *p, u64 seed)
{
	random_seed(seed);
	for (u32 m = 0; m < 6; m++)
		for (u32 k = 0; k < 4; k++)
			for (u32 i = 0; i < 8; i++) {
				u64 v = some_number();

				memcpy(&values[m][k][8 * i], &v, 8);
			}
	memset(fp, 0, sizeof(fp));
	depth_now = steps = 0;
	skep_interp_run(p, context);
}

static void forget_all(void *as)
{
	forget(((const struct vasm *)as)->n);
}

int main(int argc, char **argv)
{
	static const struct skep_verify_host host = {.kernel_btf = no_btf,
						     .map_by_fd = map_by_fd,
						     .map_const = map_const,
						     .map_const_str = map_const_str,
						     .nr_cpus = 4};
	static struct vasm as;
	static const struct skep_verify_watch watch = {
		.step = record_step, .again = forget_all, .priv = &as, .every_path = true};
	u32 programs = argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : 2000;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	u32 ran = 0, whole = 0, rejected = 0;

	records = calloc(sizeof(as.insns) / sizeof(as.insns[0]), sizeof(*records));
	strcpy((char *)values[6][0], "a %d b %s");
	memset(values[6][0] + 24, 'x', 8);
	for (u32 i = 0; i < programs; i++) {
		struct skep_verify_req req = {.host = &host,
					      .insns = as.insns,
					      .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
					      .gpl = true};
		struct skep_verify_res res;
		struct skep_vprog p, every;
		int err;

		random_seed(seed + i);
		random_program(rnd(2));
		if (vasm(&as, prog_text, fds)) {
			printf("FAIL: cannot assemble \"%s\"\n%s", as.error, prog_text);
			return 1;
		}
		req.nr_insns = as.n;
		if (skep_verify(&req, &p, &res)) {
			rejected++;
			continue;
		}
		req.watch = &watch;
		err = skep_verify(&req, &every, &res);
		compare_states = !err;
		if (!err)
			skep_vprog_fini(&every);
		if (err && err != -E2BIG) {
			printf("FAIL program %u: accepted, but a path that was cut short is bad: "
			       "%s\n%s",
			       i, res.reason, prog_text);
			return 1;
		}
		if (!bind(&p)) {
			printf("FAIL: a helper that is not here\n%s", prog_text);
			return 1;
		}
		for (u32 k = 0; k < RUNS; k++)
			run_once(&p, (seed + i) * RUNS + k);
		ran++;
		whole += compare_states;
		forget(as.n);
		p.targets = NULL;
		skep_vprog_fini(&p);
	}
	free(records);
	printf("%u programs ran, %u of them with every state compared; %u rejected\n", ran, whole,
	       rejected);
	return !whole;
}
