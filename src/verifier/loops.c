/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops that end by covering an unfinished state: precision must flow along those back edges.
 *
 * When a state is covered by one whose exploration is not finished, the coverer's precise marks
 * are not all known yet. The covered state is kept as a back edge of its strongly connected
 * component (per chain of call sites); when the first state that entered the component is
 * finished, marks are propagated over all back edges until nothing changes.
 *
 * While back edges wait, states inside are compared as if all their numbers mattered. For the
 * rounds of a callback that would be too dear: what it computes is nearly always its own. In a
 * program that is to run they are first presumed to add no marks, and compared as usual; their back
 * edges wait as well, in visits of their own, and when one of them does add a mark the walk was
 * built on sand: it is done again without the presumption (vf_presumes(), check.c). Marks that no
 * back edge changes were complete all along. Linux 6.18 leaves the rounds' edges out; so does a
 * verdict that is only told.
 */
#include "verifier/env.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

struct backedge {
	struct backedge *next;
	struct state st;
};

struct scc_visit {
	struct scc_visit *next;
	u32 chain[VF_MAX_FRAMES];
	u32 scc;
	bool rounds; /* presumed rounds of callbacks, see vf_presumes() */
	struct state *entry;
	struct backedge *edges;
	u32 nr_edges;
};

/*
 * The component that @st is in, with the calls that lead to it; false: none. A call that calls back
 * is a component of its own with @rounds only.
 */
static bool chain_of(const struct env *env, const struct state *st, bool rounds,
		     struct scc_visit *key)
{
	memset(key->chain, 0, sizeof(key->chain));
	key->rounds = rounds && vf_presumes(env);
	for (u32 i = 0; i <= st->curframe; i++) {
		u32 idx = i == st->curframe ? st->insn_idx : st->frame[i + 1]->callsite;

		key->scc = env->aux[idx].round_scc && !rounds ? 0 : env->aux[idx].scc;
		if (key->scc)
			return true;
		if (i < st->curframe)
			key->chain[i] = idx;
	}
	return false;
}

static struct scc_visit *find(struct env *env, const struct scc_visit *key)
{
	for (struct scc_visit *v = env->sccs; v; v = v->next)
		if (v->scc == key->scc && v->rounds == key->rounds &&
		    !memcmp(v->chain, key->chain, sizeof(v->chain)))
			return v;
	return NULL;
}

static bool has_edges(struct env *env, const struct state *st, bool rounds)
{
	struct scc_visit key, *v;

	if (!env->sccs || !chain_of(env, st, rounds, &key))
		return false;
	v = find(env, &key);
	return v && v->edges;
}

bool vf_in_open_loop(struct env *env, const struct state *st)
{
	return has_edges(env, st, !vf_presumes(env));
}

bool vf_is_awaited(struct env *env, const struct state *st)
{
	return has_edges(env, st, false) || has_edges(env, st, true);
}

static int enter(struct env *env, struct state *st, bool rounds)
{
	struct scc_visit key, *v;

	if (!chain_of(env, st, rounds, &key))
		return 0;
	v = find(env, &key);
	if (!v) {
		v = skep_zalloc(sizeof(*v));
		if (!v)
			return -ENOMEM;
		v->scc = key.scc;
		v->rounds = key.rounds;
		memcpy(v->chain, key.chain, sizeof(v->chain));
		v->next = env->sccs;
		env->sccs = v;
	}
	if (!v->entry)
		v->entry = st;
	return 0;
}

int vf_enter_scc(struct env *env, struct state *st)
{
	int err = enter(env, st, !vf_presumes(env));

	return !err && vf_presumes(env) ? enter(env, st, true) : err;
}

static void drop_edges(struct env *env, struct scc_visit *v)
{
	while (v->edges) {
		struct backedge *e = v->edges;

		v->edges = e->next;
		state_free(&e->st);
		skep_free(e);
		env->nr_backedges--;
	}
	v->nr_edges = 0;
}

static int leave(struct env *env, struct state *st, bool rounds)
{
	struct scc_visit key, *v;
	bool changed = true;

	if (!env->sccs || !chain_of(env, st, rounds, &key))
		return 0;
	v = find(env, &key);
	if (!v || v->entry != st)
		return 0;
	v->entry = NULL;
	for (u32 round = 0; changed && v->edges; round++) {
		changed = false;
		if (round == 64) {
			for (struct backedge *e = v->edges; e; e = e->next) {
				vf_all_precise(env, e->st.parent);
				vf_all_precise(env, e->st.equal);
			}
			break;
		}
		for (struct backedge *e = v->edges; e; e = e->next) {
			int err = vf_propagate_precision(env, e->st.equal, &e->st, &changed);

			if (err)
				return err;
		}
		if (changed && v->rounds) {
			env->presumed_wrong = true;
			return -EAGAIN;
		}
	}
	drop_edges(env, v);
	return 0;
}

int vf_exit_scc(struct env *env, struct state *st)
{
	int err = leave(env, st, !vf_presumes(env));

	return !err && vf_presumes(env) ? leave(env, st, true) : err;
}

int vf_add_backedge(struct env *env, struct state *st, struct state *cur, bool round)
{
	struct scc_visit key, *v = NULL;
	struct backedge *e;
	int err;

	if (chain_of(env, st, round || !vf_presumes(env), &key))
		v = find(env, &key);
	if (!v) {
		/* No component to wait for: rely on nothing. */
		vf_all_precise(env, st);
		vf_all_precise(env, cur->parent);
		return 0;
	}
	e = skep_zalloc(sizeof(*e));
	if (!e)
		return -ENOMEM;
	err = state_copy_path(&e->st, cur);
	if (err) {
		state_free(&e->st);
		skep_free(e);
		return err;
	}
	e->st.parent = cur->parent;
	e->st.equal = st;
	e->next = v->edges;
	v->edges = e;
	v->nr_edges++;
	env->nr_backedges++;
	vf_note_peak(env);
	return 0;
}

void vf_free_sccs(struct env *env)
{
	while (env->sccs) {
		struct scc_visit *v = env->sccs;

		env->sccs = v->next;
		drop_edges(env, v);
		skep_free(v);
	}
}
