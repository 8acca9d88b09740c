/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers, frames and states: making, copying, forgetting; references and locks held.
 */
#include "verifier/env.h"

#include <string.h>

#include "base/alloc.h"

void vf_touch_all(struct env *env)
{
	env->scratched_regs = ~0u;
	env->scratched_slots = ~0ull;
}

/* --- registers --- */

void reg_set_not_init(struct reg *r)
{
	u32 def = r->subreg_def;

	memset(r, 0, sizeof(*r));
	r->v = scalar_unknown();
	r->subreg_def = def;
}

void reg_set_unknown(struct reg *r)
{
	reg_set_not_init(r);
	r->kind = RK_SCALAR;
}

void reg_set_const(struct reg *r, u64 v)
{
	reg_set_not_init(r);
	r->kind = RK_SCALAR;
	r->v = scalar_const(v);
}

void reg_set_ptr(struct reg *r, u8 kind, u32 flags)
{
	reg_set_not_init(r);
	r->kind = kind;
	r->flags = (u16)flags;
	r->v = scalar_const(0);
}

void reg_set_btf(struct reg *r, const struct skep_btf *btf, u32 id, u32 flags)
{
	reg_set_ptr(r, RK_BTF, flags);
	r->btf = btf;
	r->btf_id = id;
}

bool reg_is_trusted(const struct reg *r)
{
	if (r->ref_id)
		return true;
	if (r->kind != RK_BTF && r->kind != RK_MAP_PTR && r->kind != RK_SOCKET &&
	    r->kind != RK_SOCK_COMMON && r->kind != RK_TCP_SOCK)
		return false;
	if (r->kind != RK_BTF)
		return !(r->flags & ~RF_MAYBE_NULL);
	return (r->flags & (RF_TRUSTED | RF_ALLOC)) &&
	       !(r->flags & ~(RF_TRUSTED | RF_ALLOC | RF_MAYBE_NULL | RF_NON_OWN));
}

bool reg_is_rcu(const struct reg *r)
{
	return r->flags & RF_RCU;
}

/* A test against zero of this pointer is decided. */
bool reg_not_null(const struct reg *r)
{
	if (r->flags & RF_MAYBE_NULL)
		return false;
	switch (r->kind) {
	case RK_SOCKET:
	case RK_TCP_SOCK:
	case RK_SOCK_COMMON:
	case RK_MAP_VALUE:
	case RK_MAP_KEY:
	case RK_MAP_PTR:
		return true;
	case RK_BTF:
		return reg_is_trusted(r);
	case RK_MEM:
		return !(r->flags & RF_UNTRUSTED);
	default:
		return false;
	}
}

void reg_unlink(struct reg *r)
{
	r->id = 0;
	r->link = LINK_NONE;
	r->off = 0;
}

void vf_link_scalar(struct env *env, struct reg *r)
{
	if (r->kind != RK_SCALAR)
		return;
	/* A copy of a number that already stands for "id + delta" starts a link of its own. */
	if (r->link)
		reg_unlink(r);
	if (!r->id && !scalar_is_const(&r->v))
		r->id = ++env->id_gen;
}

/* --- frames and states --- */

bool slot_is_special(const struct slot *s)
{
	return s->type[7] == SK_DYNPTR || s->type[7] == SK_ITER || s->type[7] == SK_IRQ_FLAG;
}

int frame_grow(struct frame *f, u32 slots)
{
	struct slot *p;

	if (slots <= f->nr_slots)
		return 0;
	p = skep_realloc(f->slots, slots * sizeof(*p));
	if (!p)
		return -ENOMEM;
	memset(p + f->nr_slots, 0, (slots - f->nr_slots) * sizeof(*p));
	for (u32 i = f->nr_slots; i < slots; i++)
		reg_set_not_init(&p[i].spill);
	f->slots = p;
	f->nr_slots = slots;
	return 0;
}

void frame_init_regs(struct frame *f)
{
	for (u32 i = 0; i < VF_NR_REGS; i++) {
		memset(&f->regs[i], 0, sizeof(f->regs[i]));
		reg_set_not_init(&f->regs[i]);
	}
	reg_set_ptr(&f->regs[10], RK_STACK, 0);
	f->regs[10].frameno = f->frameno;
}

/* A frame that is worked on has its registers behind it. */
struct live_frame {
	struct frame f;
	struct reg regs[VF_NR_REGS];
	struct live_frame *next; /* of the spare ones */
};

/*
 * Branches come and go at every other instruction, and a frame with its slots is too large for
 * malloc's quick ways: a few wait, per thread, for the next copy until the walk ends.
 */
#define MAX_SPARE 16
static SKEP_TLS struct live_frame *spare;
static SKEP_TLS u32 nr_spare;

static struct live_frame *live_of(struct frame *f)
{
	return container_of(f, struct live_frame, f);
}

void frames_drop_spare(void)
{
	while (spare) {
		struct live_frame *l = spare;

		spare = l->next;
		skep_free(l->f.slots);
		skep_free(l);
	}
	nr_spare = 0;
}

static struct frame *alloc_live(void)
{
	struct live_frame *l = skep_zalloc(sizeof(*l));

	if (!l)
		return NULL;
	l->f.regs = l->regs;
	return &l->f;
}

struct frame *frame_new(u32 callsite, u32 frameno, u32 subprog)
{
	struct frame *f = alloc_live();

	if (!f)
		return NULL;
	f->callsite = callsite;
	f->frameno = frameno;
	f->subprog = subprog;
	f->cb_ret_min = 0;
	f->cb_ret_max = 1;
	frame_init_regs(f);
	return f;
}

const struct slot vf_empty_slot = {
	.spill.v = {.tn = {.mask = UINT64_MAX},
		    .smin = INT64_MIN,
		    .smax = INT64_MAX,
		    .umax = UINT64_MAX,
		    .s32min = INT32_MIN,
		    .s32max = INT32_MAX,
		    .u32max = UINT32_MAX},
};

/* --- registers of checkpoints --- */

enum { REG_WORDS = sizeof(struct reg) / sizeof(u64) };

_Static_assert(sizeof(struct reg) % sizeof(u64) == 0, "registers are whole words");

static void box_put(struct reg_box *b)
{
	if (b && !--b->users)
		skep_free(b);
}

/* What of @r differs from a register that was never written: a mask of words, and the words. */
static u32 pack_reg(const struct reg *r, u64 *word)
{
	struct reg copy = *r;
	u64 a[REG_WORDS], b[REG_WORDS];
	u32 mask = 0, n = 0;

	copy.precise = false; /* told beside it */
	memcpy(a, &copy, sizeof(a));
	memcpy(b, &vf_empty_slot.spill, sizeof(b));
	for (u32 i = 0; i < REG_WORDS; i++) {
		if (a[i] == b[i])
			continue;
		mask |= 1u << i;
		word[n++] = a[i];
	}
	return mask;
}

/* The box of @r: @like's, if that holds the same. *ret_box NULL: there is nothing to hold. */
static int box_of(const struct reg *r, struct reg_box *like, struct reg_box **ret_box)
{
	u64 word[REG_WORDS];
	u32 mask = pack_reg(r, word), n = (u32)__builtin_popcount(mask);
	struct reg_box *b;

	*ret_box = NULL;
	if (!mask)
		return 0;
	if (like && like->words == mask && !memcmp(like->word, word, n * sizeof(*word))) {
		like->users++;
		*ret_box = like;
		return 0;
	}
	b = skep_alloc(sizeof(*b) + n * sizeof(*word));
	if (!b)
		return -ENOMEM;
	b->users = 1;
	b->words = mask;
	b->kind = r->kind;
	memcpy(b->word, word, n * sizeof(*word));
	*ret_box = b;
	return 0;
}

const struct reg *frame_reg(const struct frame *f, u32 i, struct reg *tmp)
{
	const struct reg_box *b = f->boxes[i];
	u64 word[REG_WORDS];
	u32 n = 0;

	if (f->regs)
		return &f->regs[i];
	if (!b)
		return &vf_empty_slot.spill;
	memcpy(word, &vf_empty_slot.spill, sizeof(word));
	for (u32 left = b->words; left; left &= left - 1)
		word[__builtin_ctz(left)] = b->word[n++];
	memcpy(tmp, word, sizeof(*tmp));
	tmp->precise = f->precise_regs >> i & 1;
	return tmp;
}

static void block_put(struct slot_block *b)
{
	if (b && !--b->users)
		skep_free(b);
}

void frame_free(struct frame *f)
{
	if (!f)
		return;
	for (u32 i = 0; f->blocks && i < SKEP_DIV_UP(f->nr_slots, VF_BLOCK_SLOTS); i++)
		block_put(f->blocks[i]);
	for (u32 i = 0; !f->regs && i < VF_NR_REGS; i++)
		box_put(f->boxes[i]);
	skep_free(f->blocks);
	if (f->regs && nr_spare < MAX_SPARE) {
		live_of(f)->next = spare;
		spare = live_of(f);
		nr_spare++;
		return;
	}
	skep_free(f->slots);
	skep_free(f);
}

/* A frame to be copied into, perhaps with slots; NULL: no memory. */
static struct frame *take_spare(void)
{
	struct live_frame *l = spare;

	if (!l)
		return alloc_live();
	spare = l->next;
	nr_spare--;
	return &l->f;
}

static int frame_copy(struct frame **dst, const struct frame *src)
{
	struct frame *d = *dst;
	struct slot *slots;
	struct reg *regs;

	if (!d) {
		d = take_spare();
		if (!d)
			return -ENOMEM;
		*dst = d;
	}
	slots = d->slots;
	if (src->nr_slots > d->nr_slots || !slots) {
		slots = src->nr_slots ? skep_realloc(slots, src->nr_slots * sizeof(*slots)) : slots;
		if (src->nr_slots && !slots)
			return -ENOMEM;
	}
	regs = d->regs;
	*d = *src;
	d->slots = slots;
	d->blocks = NULL;
	d->precise_slots = 0;
	memset(d->boxes, 0, sizeof(d->boxes));
	d->precise_regs = 0;
	d->regs = regs;
	for (u32 i = 0; i < VF_NR_REGS; i++) {
		const struct reg *r = frame_reg(src, i, &regs[i]);

		if (r != &regs[i])
			regs[i] = *r;
	}
	if (src->blocks)
		for (u32 i = 0; i < src->nr_slots; i++)
			slots[i] = *frame_slot(src, i);
	else if (src->nr_slots)
		memcpy(slots, src->slots, src->nr_slots * sizeof(*slots));
	return 0;
}

/* Block number @at of @src's slots: @like's, if that holds the same. */
static struct slot_block *block_of(const struct frame *src, u32 at, const struct frame *like)
{
	u32 n = SKEP_MIN(src->nr_slots - at * VF_BLOCK_SLOTS, (u32)VF_BLOCK_SLOTS);
	const struct slot *slots = &src->slots[at * VF_BLOCK_SLOTS];
	struct slot_block *b;

	if (like && like->blocks && src->nr_slots == like->nr_slots) {
		b = like->blocks[at];
		if (b && !memcmp(b->slots, slots, n * sizeof(*slots))) {
			b->users++;
			return b;
		}
	}
	b = skep_alloc(sizeof(*b));
	if (!b)
		return NULL;
	memset(b->slots + n, 0, (VF_BLOCK_SLOTS - n) * sizeof(*slots));
	memcpy(b->slots, slots, n * sizeof(*slots));
	b->users = 1;
	return b;
}

static int frame_store(struct frame **dst, const struct frame *src, const struct frame *like)
{
	u32 n = SKEP_DIV_UP(src->nr_slots, VF_BLOCK_SLOTS);
	struct frame *d = skep_memdup(src, sizeof(*src));

	if (!d)
		return -ENOMEM;
	*dst = d;
	d->regs = NULL;
	d->slots = NULL;
	d->precise_slots = 0;
	d->blocks = NULL;
	d->nr_slots = 0;
	for (u32 i = 0; i < VF_NR_REGS; i++) {
		int err = box_of(&src->regs[i], like && !like->regs ? like->boxes[i] : NULL,
				 &d->boxes[i]);

		if (err)
			return err;
		d->precise_regs |= (u16)(src->regs[i].precise << i);
	}
	if (!n)
		return 0;
	d->blocks = skep_calloc(n, sizeof(struct slot_block *));
	if (!d->blocks)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++) {
		d->blocks[i] = block_of(src, i, like);
		if (!d->blocks[i])
			return -ENOMEM;
		d->nr_slots = SKEP_MIN((i + 1) * VF_BLOCK_SLOTS, src->nr_slots);
	}
	return 0;
}

int frame_clear_slots(struct frame *f, u64 dead)
{
	const u64 whole = (1ull << VF_BLOCK_SLOTS) - 1;

	f->precise_slots &= ~dead;
	for (u32 at = 0; at < SKEP_DIV_UP(f->nr_slots, VF_BLOCK_SLOTS); at++) {
		u64 which = dead >> (at * VF_BLOCK_SLOTS) & whole;
		struct slot_block *b = f->blocks[at];

		for (u32 i = 0; b && i < VF_BLOCK_SLOTS; i++)
			if (!memcmp(b->slots[i].type, vf_empty_slot.type, 8))
				which |= 1ull << i; /* nothing is there */
		if (!b || !which)
			continue;
		if (which == whole) {
			block_put(b);
			f->blocks[at] = NULL;
			continue;
		}
		if (b->users > 1) {
			b = skep_memdup(b, sizeof(*b));
			if (!b)
				return -ENOMEM;
			b->users = 1;
			f->blocks[at]->users--;
			f->blocks[at] = b;
		}
		for (u32 i = 0; i < VF_BLOCK_SLOTS; i++)
			if (which >> i & 1)
				b->slots[i] = vf_empty_slot;
	}
	return 0;
}

void state_free(struct state *st)
{
	for (u32 i = 0; i < VF_MAX_FRAMES; i++) {
		frame_free(st->frame[i]);
		st->frame[i] = NULL;
	}
	skep_free(st->refs);
	skep_free(st->hist);
	st->refs = NULL;
	st->hist = NULL;
	st->nr_refs = st->nr_hist = st->cap_hist = 0;
}

int state_copy(struct state *dst, const struct state *src)
{
	struct frame *frames[VF_MAX_FRAMES];
	struct hist *hist = dst->hist;
	u32 cap = dst->cap_hist;
	struct ref *refs = NULL;

	if (src->nr_refs) {
		refs = skep_memdup(src->refs, src->nr_refs * sizeof(*refs));
		if (!refs)
			return -ENOMEM;
	}
	if (src->nr_hist > cap) {
		hist = skep_realloc(hist, src->nr_hist * sizeof(*hist));
		if (!hist) {
			skep_free(refs);
			return -ENOMEM;
		}
		dst->hist = hist;
		dst->cap_hist = cap = src->nr_hist;
	}
	if (src->nr_hist)
		memcpy(hist, src->hist, src->nr_hist * sizeof(*hist));
	for (u32 i = src->curframe + 1; i < VF_MAX_FRAMES; i++) {
		frame_free(dst->frame[i]);
		dst->frame[i] = NULL;
	}
	for (u32 i = 0; i <= src->curframe; i++) {
		int err = frame_copy(&dst->frame[i], src->frame[i]);

		if (err) {
			skep_free(refs);
			return err;
		}
	}
	memcpy(frames, dst->frame, sizeof(frames));
	skep_free(dst->refs);
	*dst = *src;
	memcpy(dst->frame, frames, sizeof(frames));
	dst->refs = refs;
	dst->hist = hist;
	dst->cap_hist = cap;
	dst->explored = false;
	dst->branches = 0;
	return 0;
}

int state_copy_path(struct state *dst, const struct state *src)
{
	struct hist *hist = NULL;

	if (src->nr_hist) {
		hist = skep_memdup(src->hist, src->nr_hist * sizeof(*hist));
		if (!hist)
			return -ENOMEM;
	}
	*dst = *src;
	memset(dst->frame, 0, sizeof(dst->frame));
	dst->refs = NULL;
	dst->nr_refs = 0;
	dst->hist = hist;
	dst->cap_hist = src->nr_hist;
	dst->explored = false;
	dst->branches = 0;
	return 0;
}

int state_store(struct state *dst, const struct state *src)
{
	const struct state *like = src->parent;
	int err = state_copy_path(dst, src);

	if (!err && src->nr_refs) {
		dst->refs = skep_memdup(src->refs, src->nr_refs * sizeof(*src->refs));
		if (!dst->refs)
			return -ENOMEM;
		dst->nr_refs = src->nr_refs;
	}
	for (u32 i = 0; !err && i <= src->curframe; i++)
		err = frame_store(&dst->frame[i], src->frame[i],
				  like && i <= like->curframe ? like->frame[i] : NULL);
	return err;
}

void vf_all_precise(struct env *env, struct state *st)
{
	bool trace = env->log.level & SKEP_LOG_LEVEL2;

	for (; st; st = st->parent)
		for (u32 i = 0; i <= st->curframe; i++) {
			struct frame *f = st->frame[i];

			for (u32 r = 0; r < VF_NR_REGS; r++) {
				if (!f->boxes[r] || f->boxes[r]->kind != RK_SCALAR ||
				    f->precise_regs >> r & 1)
					continue;
				f->precise_regs |= (u16)(1u << r);
				if (trace)
					vf_log(env,
					       "force_precise: frame%u: forcing r%u to be "
					       "precise\n",
					       i, r);
			}
			for (u32 s = 0; s < f->nr_slots; s++) {
				if (!slot_is_scalar(frame_slot(f, s)) || f->precise_slots >> s & 1)
					continue;
				f->precise_slots |= 1ull << s;
				if (trace)
					vf_log(env,
					       "force_precise: frame%u: forcing fp%d to be "
					       "precise\n",
					       i, -(int)(s + 1) * 8);
			}
		}
}

/*
 * Remember the step to env->insn_idx, or add what @extra knows to the step already remembered.
 */
int vf_push_hist(struct env *env, struct state *st, const struct hist *extra)
{
	struct hist *h = st->nr_hist ? &st->hist[st->nr_hist - 1] : NULL;

	if (h && h->idx == env->insn_idx && h->prev_idx == env->prev_insn_idx && extra) {
		if (extra->stack_access) {
			h->stack_access = true;
			h->frameno = extra->frameno;
			h->spi = extra->spi;
		}
		if (extra->nr_linked) {
			h->nr_linked = extra->nr_linked;
			memcpy(h->linked, extra->linked, sizeof(h->linked));
		}
		return 0;
	}
	if (st->nr_hist == st->cap_hist) {
		u32 cap = st->cap_hist ? st->cap_hist * 2 : 8;

		h = skep_realloc(st->hist, cap * sizeof(*h));
		if (!h)
			return -ENOMEM;
		st->hist = h;
		st->cap_hist = cap;
	}
	h = &st->hist[st->nr_hist++];
	if (extra)
		*h = *extra;
	else
		memset(h, 0, sizeof(*h));
	h->idx = env->insn_idx;
	h->prev_idx = env->prev_insn_idx;
	return 0;
}

void vf_clobber_caller_regs(struct env *env)
{
	struct reg *regs = vf_regs(env);

	for (u32 i = 0; i <= 5; i++) {
		regs[i].subreg_def = 0;
		reg_set_not_init(&regs[i]);
		vf_touch_reg(env, i);
	}
}

/* --- references --- */

static int push_ref(struct state *st, const struct ref *r)
{
	struct ref *p = skep_realloc(st->refs, (st->nr_refs + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	st->refs = p;
	st->refs[st->nr_refs++] = *r;
	return 0;
}

int vf_acquire_ref(struct env *env, u32 insn)
{
	struct ref r = {.kind = REF_PTR, .id = ++env->id_gen, .insn = insn};
	int err = push_ref(env->cur, &r);

	return err ? err : (int)r.id;
}

static void remove_ref(struct state *st, u32 i)
{
	st->nr_refs--;
	memmove(&st->refs[i], &st->refs[i + 1], (st->nr_refs - i) * sizeof(*st->refs));
}

bool vf_drop_ref_entry(struct state *st, u32 id)
{
	for (u32 i = 0; i < st->nr_refs; i++) {
		if (st->refs[i].kind == REF_PTR && st->refs[i].id == id) {
			remove_ref(st, i);
			return true;
		}
	}
	return false;
}

bool vf_has_ref(const struct state *st, u32 id)
{
	for (u32 i = 0; i < st->nr_refs; i++)
		if (st->refs[i].kind == REF_PTR && st->refs[i].id == id)
			return true;
	return false;
}

int vf_release_ref(struct env *env, u32 id)
{
	struct frame *f;
	struct reg *r;

	if (!vf_drop_ref_entry(env->cur, id))
		return -EINVAL;
	vf_for_each_reg(env->cur, f, r) if (r->ref_id == id) reg_set_unknown(r);
	return 0;
}

int vf_acquire_lock(struct env *env, u32 insn, u8 kind, u32 id, const void *ptr)
{
	struct ref r = {.kind = kind, .id = id, .insn = insn, .ptr = ptr};
	struct state *st = env->cur;
	int err = push_ref(st, &r);

	if (err)
		return err;
	st->active_locks++;
	st->active_lock_id = id;
	st->active_lock_ptr = ptr;
	return 0;
}

bool vf_holds_lock(const struct state *st, u32 kinds, u32 id, const void *ptr)
{
	for (u32 i = 0; i < st->nr_refs; i++)
		if (kinds >> st->refs[i].kind & 1 &&
		    (!ptr || (st->refs[i].id == id && st->refs[i].ptr == ptr)))
			return true;
	return false;
}

static bool is_lock(const struct ref *r)
{
	return r->kind == REF_LOCK || r->kind == REF_RES_LOCK || r->kind == REF_RES_LOCK_IRQ;
}

bool vf_release_lock(struct state *st, u8 kind, u32 id, const void *ptr)
{
	for (u32 i = 0; i < st->nr_refs; i++) {
		if (st->refs[i].kind != kind || st->refs[i].id != id || st->refs[i].ptr != ptr)
			continue;
		remove_ref(st, i);
		st->active_locks--;
		st->active_lock_id = 0;
		st->active_lock_ptr = NULL;
		/* The one taken before it is the innermost now. */
		for (u32 k = 0; k < st->nr_refs; k++)
			if (is_lock(&st->refs[k])) {
				st->active_lock_id = st->refs[k].id;
				st->active_lock_ptr = st->refs[k].ptr;
			}
		return true;
	}
	return false;
}

int vf_acquire_irq(struct env *env, u32 insn)
{
	struct ref r = {.kind = REF_IRQ, .id = ++env->id_gen, .insn = insn};
	int err = push_ref(env->cur, &r);

	if (err)
		return err;
	env->cur->active_irq_id = r.id;
	return (int)r.id;
}

int vf_release_irq(struct env *env, u32 id)
{
	struct state *st = env->cur;
	u32 prev = 0;

	for (u32 i = 0; i < st->nr_refs; i++) {
		const struct ref *r = &st->refs[i];

		if (r->kind != REF_IRQ)
			continue;
		if (r->id != st->active_irq_id) {
			prev = r->id;
			continue;
		}
		if (id != r->id) {
			vf_say(env,
			       "cannot restore irq state out of order, expected id=%u acquired at "
			       "insn_idx=%u\n",
			       r->id, r->insn);
			return -EACCES;
		}
		remove_ref(st, i);
		st->active_irq_id = prev;
		return 0;
	}
	return -EINVAL;
}

int vf_check_resources(struct env *env, enum vf_leave how, const char *what)
{
	struct state *st = env->cur;
	bool leak = false, must;

	if (st->active_locks && (how != LEAVE_FRAME || !st->curframe)) {
		vf_say(env, "%s cannot be used inside bpf_spin_lock-ed region\n", what);
		return -EINVAL;
	}
	/* Leaving a subprogram keeps what is held; leaving the program must not. */
	must = !st->curframe || vf_frame(env)->in_async_cb || how == LEAVE_THROWN;
	for (u32 i = 0; must && i < st->nr_refs; i++) {
		if (st->refs[i].kind != REF_PTR)
			continue;
		vf_say(env, "Unreleased reference id=%u alloc_insn=%u\n", st->refs[i].id,
		       st->refs[i].insn);
		leak = true;
	}
	if (leak) {
		vf_say(env, "%s would lead to reference leak\n", what);
		return -EINVAL;
	}
	if (how == LEAVE_FRAME && st->curframe)
		return 0;
	if (st->active_irq_id) {
		vf_say(env, "%s cannot be used inside bpf_local_irq_save-ed region\n", what);
		return -EINVAL;
	}
	if (st->rcu_depth) {
		vf_say(env, "%s cannot be used inside bpf_rcu_read_lock-ed region\n", what);
		return -EINVAL;
	}
	if (st->preempt_depth) {
		vf_say(env, "%s cannot be used inside bpf_preempt_disable-ed region\n", what);
		return -EINVAL;
	}
	return 0;
}

void vf_drop_pkt_ptrs(struct env *env)
{
	struct frame *f;
	struct reg *r;

	vf_for_each_reg(env->cur, f, r)
	{
		if (r->kind == RK_PKT || r->kind == RK_PKT_META || r->kind == RK_PKT_END ||
		    (r->kind == RK_MEM && r->flags & RF_PKT_SLICE))
			reg_set_unknown(r);
	}
}

/* Non-sleepable programs run inside an RCU section. */
bool vf_in_rcu(const struct env *env)
{
	return env->cur->rcu_depth || !env->cur->in_sleepable;
}
