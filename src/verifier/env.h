/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything one verification carries: registers, stack, states, per-instruction knowledge, and
 * the functions that the verifier's files offer one another. Private to the folder.
 *
 * Layers inside the folder, each using only those before it: domain (tnum, range) → log →
 * state → precise → access → call → explore → check. Access and call rules decide; forking and
 * entering frames is asked of explore through vf_push_branch().
 */
#ifndef SKEP_VERIFIER_ENV_H
#define SKEP_VERIFIER_ENV_H

#include <errno.h>

#include "base/types.h"
#include "spec/helper.h"
#include "spec/host.h"
#include "spec/kfunc.h"
#include "spec/map_type.h"
#include "spec/prog_type.h"
#include "verifier/range.h"
#include "verifier/verifier.h"

enum {
	VF_MAX_FRAMES = 8,
	VF_STACK_SIZE = 512,
	VF_SLOTS = VF_STACK_SIZE / 8,
	VF_MAX_SUBPROGS = 256,
	VF_MAX_MAPS = 64,
	VF_MAX_INSNS = 1000000,
	VF_MAX_PENDING = 8192,
	VF_MAX_OFF = 1 << 29,
	VF_MAX_PKT_OFF = 0xffff,
	VF_MAX_LINKED = 6,
	VF_NR_REGS = 11,
};

enum reg_kind {
	RK_NOT_INIT,
	RK_SCALAR,
	RK_CTX,
	RK_MAP_PTR,
	RK_MAP_VALUE,
	RK_MAP_KEY,
	RK_STACK,
	RK_PKT_META,
	RK_PKT,
	RK_PKT_END,
	RK_FLOW_KEYS,
	RK_SOCKET,
	RK_SOCK_COMMON,
	RK_TCP_SOCK,
	RK_TP_BUFFER,
	RK_XDP_SOCK,
	RK_BTF,
	RK_MEM,
	RK_ARENA,
	RK_BUF,
	RK_FUNC,
	RK_DYNPTR,
	RK_NR,
};

enum {
	RF_MAYBE_NULL = 1 << 0,
	RF_RDONLY = 1 << 1,
	RF_RINGBUF = 1 << 2,
	RF_USER = 1 << 3,
	RF_PERCPU = 1 << 4,
	RF_UNTRUSTED = 1 << 5,
	RF_ALLOC = 1 << 6,
	RF_TRUSTED = 1 << 7,
	RF_RCU = 1 << 8,
	RF_NON_OWN = 1 << 9,
	RF_PKT_SLICE = 1 << 10, /* memory of a packet, by a dynptr */
};

/* How a linked scalar's delta was made: the whole number, or the zero-extended low half. */
enum { LINK_NONE, LINK_ADD64, LINK_ADD32 };

enum iter_phase { ITER_NONE, ITER_ACTIVE, ITER_DRAINED };

/*
 * One register, or what was spilled of one. Unused members are always zero. Objects in stack slots
 * borrow members: dynptrs (dynptr.c) iter_phase for their kind, iter_depth for "first half", and
 * memory taken from one map_uid for its id; saved interrupt flags (region.c) iter_phase for "by a
 * lock".
 */
struct reg {
	u8 kind; /* enum reg_kind */
	bool precise;
	u8 link;
	u8 iter_phase;
	u16 flags; /* RF_* */
	s32 off;   /* pointers: fixed part; linked scalars: delta */
	s32 range; /* packet pointers: proven bytes from the start of this id */
	u32 id;	   /* equal ids: same number (scalars), same origin (pointers) */
	u32 ref_id;
	u32 frameno; /* RK_STACK */
	u32 subreg_def;
	u32 map_uid;
	u32 mem_size;
	u32 btf_id;
	u32 subprog; /* RK_FUNC */
	u32 iter_depth;
	const struct skep_btf *btf;
	struct skep_map_facts *map;
	struct scalar v; /* the number, or the variable part of a pointer's offset */
};

enum slot_kind { SK_INVALID, SK_SPILL, SK_MISC, SK_ZERO, SK_DYNPTR, SK_ITER, SK_IRQ_FLAG };

struct slot {
	u8 type[8]; /* enum slot_kind; [7] is the lowest address */
	struct reg spill;
};

/*
 * Slots as checkpoints keep them: in blocks that successive checkpoints share where nothing
 * changed. A block with more than one user is never written; which slots are precise is therefore
 * told beside it.
 */
enum { VF_BLOCK_SLOTS = 4, VF_BLOCKS = VF_SLOTS / VF_BLOCK_SLOTS };

struct slot_block {
	u32 users;
	struct slot slots[VF_BLOCK_SLOTS];
};

/* A register as checkpoints keep it: only the words that say something, shared like the blocks. */
struct reg_box {
	u32 users;
	u32 words; /* bit i: word i of struct reg differs from one that was never written */
	u8 kind;
	u64 word[];
};

struct frame {
	struct reg *regs; /* VF_NR_REGS of them; of a checkpoint NULL */
	u32 callsite;	  /* of the call that made this frame; UINT32_MAX for the first */
	u32 frameno, subprog;
	u32 async_entry_cnt;
	u32 callback_depth;
	bool in_callback, in_async_cb;
	s32 cb_ret_min, cb_ret_max;
	u32 nr_slots;		/* slot i covers fp-8*(i+1) */
	struct live_inst *live; /* stack_live.c; NULL: nothing is known */
	struct slot *slots;
	/* Of a checkpoint, instead of slots; NULL for a block of empty ones: */
	struct slot_block **blocks;
	u64 precise_slots;
	/* and instead of regs; NULL for one that was never written: */
	struct reg_box *boxes[VF_NR_REGS];
	u16 precise_regs;
};

enum ref_kind { REF_PTR, REF_LOCK, REF_RES_LOCK, REF_RES_LOCK_IRQ, REF_IRQ };

struct ref {
	u8 kind; /* enum ref_kind */
	u32 id, insn;
	const void *ptr; /* locks: map or BTF it lies in */
};

/* A jump on the way here, or an instruction whose stack access backtracking needs to know. */
struct hist {
	u32 idx, prev_idx;
	bool stack_access;
	u8 frameno, spi;
	u8 nr_linked;
	struct {
		u8 frameno, is_reg, index; /* register number or slot */
	} linked[VF_MAX_LINKED];
};

struct state {
	struct frame *frame[VF_MAX_FRAMES];
	u32 curframe;
	u32 nr_refs, active_locks, active_lock_id;
	const void *active_lock_ptr;
	struct ref *refs;
	u32 rcu_depth, preempt_depth;
	u32 active_irq_id; /* of the innermost saved interrupt state */
	bool in_sleepable;
	u32 may_goto_depth, callback_unroll_depth;

	struct state *parent, *equal;
	u32 branches; /* paths from here that are not finished */
	u32 insn_idx, first_insn, last_insn;
	struct hist *hist;
	u32 nr_hist, cap_hist;
	bool explored; /* lives in the explored lists, not on the stack of pending ones */
};

/* An explored state with its usefulness counters. */
struct known {
	struct known *next, **prev_next; /* the latter only while evicted */
	bool evicted;
	bool cleaned; /* what is dead was cleared */
	struct state st;
	u32 hits, misses;
};

struct pending {
	struct pending *next;
	struct state st;
	u32 insn_idx, prev_insn_idx;
	bool packed; /* in the form of checkpoints */
	u64 log_pos;
};

enum { KSYM_NONE, KSYM_MEM, KSYM_STRUCT, KSYM_PERCPU };

struct insn_aux {
	u16 live; /* registers live before it */
	bool prune_point, jmp_point, force_checkpoint, calls_back, seen;
	bool iter_next, took_fall, took_jump, zext;
	u8 mem;	     /* enum skep_mem_kind */
	u8 ptr_kind; /* first pointer kind seen, with flags: one instruction, one translation */
	u16 ptr_flags;
	u32 scc;  /* strongly connected component, 0 none */
	bool round_scc; /* for no other reason than that it calls back */
	u32 call; /* 1-based index of its call fact */
	s32 map;  /* ldimm64: index into maps[]; -1 none */
	u32 map_off;
	u32 ksym_btf_id; /* ldimm64 of a kernel variable or function */
	const struct skep_btf *ksym_btf;
	u8 ksym_flags;	   /* KSYM_* */
	u32 ksym_mem_size; /* KSYM_MEM: bytes; else type id */
	s32 linfo;	   /* index of its line_info record, -1 */
};

enum arg_class { ARG_SCALAR, ARG_CTX, ARG_MEM, ARG_BTF, ARG_ARENA, ARG_DYNPTR };

struct sub_arg {
	u8 cls;	   /* enum arg_class */
	u16 flags; /* RF_MAYBE_NULL, RF_TRUSTED, RF_UNTRUSTED, RF_RDONLY */
	u32 mem_size, btf_id;
};

struct sub {
	u32 start, end;
	u32 stack_depth;
	bool has_tail_call, tail_call_reachable, has_ld_abs, is_cb, is_async_cb;
	bool is_exception_cb; /* what was thrown comes here */
	bool is_global, unreliable, called, verified, args_ready;
	bool changes_pkt, might_sleep, reached;
	u32 fastcall_off;
	u32 nr_args;
	struct sub_arg args[5];
	u32 func_type_id;
	const char *name;
};

struct vf_object;  /* graph.c */
struct scc_visit;  /* loops.c */
struct stack_live; /* stack_live.c */
struct live_inst;

struct vlog {
	u32 level;
	char *buf;
	u32 size;
	u64 start, end, len_max;
	char line[256]; /* the last complete message */
	char part[256]; /* the one being written */
	u32 part_len;
};

struct env {
	const struct skep_verify_req *req;
	const struct skep_verify_host *host;
	const struct skep_prog_type_row *ptype;
	enum skep_ctx_id ctx_id;
	bool sleepable;
	struct vlog log;

	struct bpf_insn *insns;
	u32 len;
	struct insn_aux *aux;
	struct sub subs[VF_MAX_SUBPROGS];
	u32 nr_subs;
	u32 exception_cb; /* number of that subprogram, 0: the value thrown is the result */

	struct skep_map_facts *maps[VF_MAX_MAPS];
	u32 nr_maps;
	const struct skep_map_facts *arena; /* its arena, NULL when it has none */
	struct skep_kfunc_ref *kfuncs;
	u32 nr_kfuncs;
	struct skep_call_fact *calls;
	u32 nr_calls;

	/* tracing target */
	const char *attach_name;
	const struct btf_type *attach_proto;
	u32 attach_nr_args;
	bool attach_fexit, attach_tp;
	/* An extension: from when its target is known, req is this one, of the target's type. */
	bool is_ext;
	struct skep_verify_req as_target;
	bool main_global; /* the first function's linkage */
	const char *attach_ops; /* struct_ops: the table's name */

	/* the walk */
	struct state *cur;
	u32 insn_idx, prev_insn_idx;
	struct pending *pending;
	u32 nr_pending;
	struct known **known; /* by instruction and caller */
	struct known *evicted;
	struct scc_visit *sccs;
	struct stack_live *stack_live;
	struct vf_object *objects;
	u32 id_gen;
	u32 processed, jmps, prev_processed, prev_jmps;
	u32 total_states, live_states, peak_states, max_states_per_insn;
	u32 nr_backedges; /* they keep their ancestors alive */
	u32 scratched_regs;
	u64 scratched_slots;
	u64 prev_log_pos;
	u32 prev_insn_len;
	s32 prev_linfo;
	bool internal_error;
	bool no_presumption, presumed_wrong; /* vf_presumes() */

	u32 max_ctx_off, max_pkt_off;
	bool seen_direct_write, has_tail_call, changes_pkt_data;
	bool enforce_attach_type;
	u32 max_tp_access;
	struct reg fake[2]; /* a compare's immediate as registers */
};

static inline u32 vf_nr_known(const struct env *env)
{
	return 2 * env->len;
}

/*
 * Will it run here? Then a few rules are stricter than Linux 6.18's, which let through what is
 * wrong (docs/parity.md); a verdict that is only told is the kernel's.
 */
static inline bool vf_will_run(const struct env *env)
{
	return !env->host->verdict_only;
}

/*
 * Presuming that the rounds of a callback make no number matter that a single one does not
 * (loops.c); where that turns out wrong, presumed_wrong is set and the walk ends with -EAGAIN.
 */
static inline bool vf_presumes(const struct env *env)
{
	return vf_will_run(env) && !env->no_presumption;
}

/* --- log.c: messages --- */

/* Always kept as the reason; written to the log at any level but 0. */
void vf_say(struct env *env, const char *fmt, ...) SKEP_PRINTF(2, 3);
/* Written to the log only; does not count as a reason. */
void vf_log(struct env *env, const char *fmt, ...) SKEP_PRINTF(2, 3);
void vlog_init(struct vlog *l, u32 level, char *buf, u32 size);
void vlog_reset(struct vlog *l, u64 pos);
void vlog_write(struct vlog *l, const char *s, u32 n);
void vf_log_line_info(struct env *env, u32 idx, const char *prefix);
static inline bool vf_logging(const struct env *env)
{
	return env->log.level & (SKEP_LOG_LEVEL1 | SKEP_LOG_LEVEL2);
}

/* --- log_insn.c, log_state.c --- */
void vf_log_insn(struct env *env, u32 idx);
void vf_log_state(struct env *env, const struct state *st, u32 frameno, bool all);
void vf_log_insn_state(struct env *env, const struct state *st, u32 frameno);
/* "map_value_or_null": the log's name of a pointer kind; @buf of 64 bytes. */
const char *vf_kind_name(u8 kind, u32 flags, char *buf);
const char *vf_reg_name(const struct reg *r, char *buf);
void vf_say_bad_scalar(struct env *env, const struct reg *r, s32 lo, s32 hi, const char *where,
		       const char *reg);

/* --- state.c: registers, frames, states --- */
/* A program that an iterator of the kernel runs. */
static inline bool vf_is_iter_prog(const struct env *env)
{
	return env->req->prog_type == BPF_PROG_TYPE_TRACING &&
	       env->req->attach_type == BPF_TRACE_ITER;
}
static inline struct frame *vf_frame(const struct env *env)
{
	return env->cur->frame[env->cur->curframe];
}
static inline struct reg *vf_regs(const struct env *env)
{
	return vf_frame(env)->regs;
}
static inline void vf_touch_reg(struct env *env, u32 n)
{
	env->scratched_regs |= 1u << n;
}
static inline void vf_touch_slot(struct env *env, u32 spi)
{
	env->scratched_slots |= 1ull << spi;
}
void vf_touch_all(struct env *env);
void reg_set_not_init(struct reg *r);
void reg_set_unknown(struct reg *r);
void reg_set_const(struct reg *r, u64 v);
void reg_set_ptr(struct reg *r, u8 kind, u32 flags);
void reg_set_btf(struct reg *r, const struct skep_btf *btf, u32 id, u32 flags);
static inline bool reg_is_scalar(const struct reg *r)
{
	return r->kind == RK_SCALAR;
}
static inline bool reg_is_ptr(const struct reg *r)
{
	return r->kind > RK_SCALAR;
}
static inline bool reg_is_const(const struct reg *r)
{
	return r->kind == RK_SCALAR && scalar_is_const(&r->v);
}
static inline bool reg_is_null(const struct reg *r)
{
	return reg_is_const(r) && !r->v.tn.value;
}
static inline bool reg_is_pkt(const struct reg *r) /* pkt or meta */
{
	return !(r->flags & RF_MAYBE_NULL) && (r->kind == RK_PKT || r->kind == RK_PKT_META);
}
bool reg_is_trusted(const struct reg *r);
bool reg_is_rcu(const struct reg *r);
bool reg_not_null(const struct reg *r);
/* Give a scalar an id so that its copies stay linked. */
void vf_link_scalar(struct env *env, struct reg *r);
void reg_unlink(struct reg *r);
/* All registers and spilled registers of a state, frame by frame. */
#define vf_for_each_reg(st, f, r)                                                                  \
	for (u32 fi_ = 0; fi_ <= (st)->curframe && ((f) = (st)->frame[fi_], 1); fi_++)             \
		for (u32 ri_ = 0; ri_ < VF_NR_REGS + (f)->nr_slots; ri_++)                         \
			if (((r) = frame_reg_at((f), ri_)))
static inline struct reg *frame_reg_at(struct frame *f, u32 i)
{
	if (i < VF_NR_REGS)
		return &f->regs[i];
	i -= VF_NR_REGS;
	return f->slots[i].type[7] == SK_SPILL ? &f->slots[i].spill : NULL;
}
static inline bool slot_is_spill(const struct slot *s)
{
	return s->type[7] == SK_SPILL;
}
static inline bool slot_is_scalar(const struct slot *s)
{
	return slot_is_spill(s) && s->spill.kind == RK_SCALAR;
}
bool slot_is_special(const struct slot *s);
/* Slot @i < nr_slots of a frame of either form, to read. */
extern const struct slot vf_empty_slot;
static inline const struct slot *frame_slot(const struct frame *f, u32 i)
{
	const struct slot_block *b;

	if (!f->blocks)
		return &f->slots[i];
	b = f->blocks[i / VF_BLOCK_SLOTS];
	return b ? &b->slots[i % VF_BLOCK_SLOTS] : &vf_empty_slot;
}
/* Register @i of a frame of either form, to read; *tmp may be used to unpack it. */
const struct reg *frame_reg(const struct frame *f, u32 i, struct reg *tmp);
/* Forget what the slots in @dead of a checkpoint's frame hold. -ENOMEM: not all were forgotten. */
int frame_clear_slots(struct frame *f, u64 dead);
int frame_grow(struct frame *f, u32 slots);
struct frame *frame_new(u32 callsite, u32 frameno, u32 subprog);
void frame_init_regs(struct frame *f);
void frame_free(struct frame *f);
/* Free what frame_free() kept for the next copy, on this thread. */
void frames_drop_spare(void);
void state_free(struct state *st); /* contents */
int state_copy(struct state *dst, const struct state *src);
/* @dst (empty) becomes a checkpoint of @src, sharing what it can with src->parent's. */
int state_store(struct state *dst, const struct state *src);
/* @dst (empty) gets the way to @src, without its frames: enough to look back from it. */
int state_copy_path(struct state *dst, const struct state *src);
/* All numbers in checkpoint @st and those before it matter. */
void vf_all_precise(struct env *env, struct state *st);
int vf_push_hist(struct env *env, struct state *st, const struct hist *extra);
void vf_clobber_caller_regs(struct env *env);

int vf_acquire_ref(struct env *env, u32 insn); /* id > 0 or -ENOMEM */
int vf_release_ref(struct env *env, u32 id);   /* and forget every copy */
bool vf_drop_ref_entry(struct state *st, u32 id);
bool vf_has_ref(const struct state *st, u32 id);
int vf_acquire_lock(struct env *env, u32 insn, u8 kind, u32 id, const void *ptr);
bool vf_holds_lock(const struct state *st, u32 kinds, u32 id, const void *ptr); /* 1 << kind */
bool vf_release_lock(struct state *st, u8 kind, u32 id, const void *ptr);
int vf_acquire_irq(struct env *env, u32 insn);
int vf_release_irq(struct env *env, u32 id);
/* Leaks and open regions before leaving through @what: the frame, the program for another, or all.
 */
enum vf_leave { LEAVE_FRAME, LEAVE_FOR_OTHER, LEAVE_THROWN };
int vf_check_resources(struct env *env, enum vf_leave how, const char *what);
void vf_drop_pkt_ptrs(struct env *env);
bool vf_in_rcu(const struct env *env);

/* --- precise.c --- */
int vf_mark_precise(struct env *env, u32 regno);
int vf_mark_precise_in(struct env *env, struct state *st, const u16 *regs, const u64 *slots,
		       bool *ret_changed);
int vf_propagate_precision(struct env *env, const struct state *from, struct state *to,
			   bool *ret_changed);

/* --- stack_live.c: slots that may still be read --- */
int vf_stack_live_init(struct env *env);
void vf_stack_live_reset(struct env *env); /* forget the walk */
void vf_stack_live_fini(struct env *env);
/* The tables for @subprog entered from @callsite; NULL: do without. */
struct live_inst *vf_stack_live_enter(struct env *env, struct live_inst *parent, u32 callsite,
				      u32 subprog);
/* An instruction begins; its accesses; it ended, having begun at @idx in @inst. */
void vf_stack_live_step(struct env *env);
void vf_stack_read(struct env *env, u32 frameno, u64 slots);
void vf_stack_range_read(struct env *env, u32 frameno, s32 lo, s32 hi);
void vf_stack_written(struct env *env, u32 frameno, u64 slots);
void vf_stack_live_commit(struct env *env, struct live_inst *inst, u32 idx);
/* Clear the dead slots of a state with no unfinished paths. */
void vf_clean_state(struct env *env, struct state *st);

/* --- prepass --- */
int vf_find_subprogs(struct env *env);
s32 vf_subprog_at(const struct env *env, u32 start);
u32 vf_subprog_of(const struct env *env, u32 idx);
int vf_check_subprogs(struct env *env);
int vf_check_func_info_early(struct env *env);
int vf_check_btf_info(struct env *env);
int vf_resolve(struct env *env);
int vf_add_map(struct env *env, int fd, const char *what_fd, s32 *ret_idx);
int vf_check_cfg(struct env *env);
int vf_liveness(struct env *env);
int vf_scc(struct env *env);
int vf_attach_target(struct env *env);
/* The type that the program names as its target, and its name. */
int vf_target_type(struct env *env, const struct btf_type **ret_t, const char **ret_name);
int vf_ext_target(struct env *env); /* ext.c */
bool vf_hook_sleeps(const struct env *env); /* the LSM hook it is for, as far as that is known */
int vf_check_stack_depth(struct env *env);
/* Successors inside the subprogram; number of them (0..2). */
u32 vf_successors(const struct bpf_insn *insns, u32 i, u32 next[2]);
bool vf_calls_back(const struct env *env, u32 idx);
bool vf_helper_changes_pkt(u32 id);

/* --- alu.c, branch.c --- */
int vf_step_alu(struct env *env, const struct bpf_insn *insn);
int vf_step_jmp(struct env *env, const struct bpf_insn *insn, u32 *idx);

/* --- access --- */
enum reg_use { USE_SRC, USE_DST, USE_DST_NO_MARK };
enum access_kind { ACCESS_READ = 1, ACCESS_WRITE = 2 };
int vf_check_reg(struct env *env, u32 regno, enum reg_use use);
int vf_check_reg_in(struct env *env, struct reg *regs, u32 regno, enum reg_use use);
int vf_step_ldx(struct env *env, const struct bpf_insn *insn);
int vf_step_st(struct env *env, const struct bpf_insn *insn);
int vf_step_atomic(struct env *env, const struct bpf_insn *insn);
int vf_step_ld_imm64(struct env *env, const struct bpf_insn *insn);
int vf_step_ld_abs(struct env *env, const struct bpf_insn *insn);
/*
 * One access of @size bytes at R@regno + @off. @value_regno: register loaded or stored; -1 none.
 * @aligned: refused unless it is.
 */
int vf_check_mem(struct env *env, u32 insn_idx, u32 regno, s32 off, u32 size, enum access_kind kind,
		 int value_regno, bool sext, bool aligned);
/* @strict: whatever the program was loaded with, as for atomic instructions. */
int vf_check_align(struct env *env, const struct reg *r, s32 off, u32 size, bool strict);
int vf_say_negative(struct env *env, u32 regno); /* a reason; -EACCES */
int vf_check_region(struct env *env, u32 regno, const struct reg *r, s32 off, u32 size,
		    u32 mem_size, bool zero_ok);
int vf_check_map_access(struct env *env, u32 regno, s32 off, u32 size, bool zero_ok, bool direct);
/*
 * R@regno, a pointer to a map's value or an allocated object, must point at the one field of @kind
 * that those have.
 */
int vf_check_field(struct env *env, u32 regno, enum skep_field_kind kind);
int vf_check_map_perm(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind);
int vf_check_pkt(struct env *env, u32 regno, s32 off, u32 size, bool zero_ok);
int vf_check_no_off(struct env *env, const struct reg *r, u32 regno, bool fixed_ok);
int vf_note_ptr(struct env *env, u32 idx, const struct reg *r, bool allow_trust_mismatch);
int vf_check_stack(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		   int value_regno);
/* A helper's view of the stack: [off, off + size); @raw: it will be written first. */
int vf_check_stack_helper(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
			  bool zero_ok, bool raw);
bool vf_stack_const_key(struct env *env, const struct reg *key, u32 size, u64 *ret);
int vf_check_ctx(struct env *env, u32 insn_idx, u32 regno, s32 off, u32 size, enum access_kind kind,
		 int value_regno, bool sext);
/* Fields of socket structs, flow keys, and buffers whose end is checked when they are used. */
int vf_check_sock(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		  int value_regno);
int vf_check_flow_keys(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		       int value_regno);
int vf_check_buf(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind);
int vf_check_btf(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		 int value_regno);
/* May @size bytes at @off of the kernel object R be written? -EACCES with the reason. */
int vf_check_btf_write(struct env *env, const struct reg *r, s32 off, u32 size);
int vf_check_map_ptr(struct env *env, u32 regno, s32 off, u32 size, enum access_kind kind,
		     int value_regno);
/* Is struct @id the wanted one, or does it start with it? */
/* A type's name, "(anon)" without one. */
const char *vf_type_name(const struct skep_btf *btf, u32 id);
const char *vf_btf_kind_str(const struct btf_type *t); /* "STRUCT" */
bool vf_btf_match(struct env *env, const struct skep_btf *btf, u32 id, u32 off,
		  const struct skep_btf *want_btf, u32 want, bool strict);

/* --- calls --- */
/* --- kptr.c --- */
/* A load or store (the current instruction) of the kptr field @f. */
int vf_check_kptr(struct env *env, const struct skep_btf_field *f, int value_regno);
/* May R@regno be kept in @f? */
int vf_kptr_fits(struct env *env, const struct skep_btf_field *f, u32 regno);
/* The field that R@regno, bpf_kptr_xchg's destination, points to; what it gives back. */
int vf_kptr_slot(struct env *env, u32 regno, const struct skep_btf_field **ret);
void vf_kptr_result(struct env *env, const struct skep_btf_field *f, struct reg *r0);

/* --- graph.c: allocated objects, lists and trees of them --- */
/* Special fields of what R points into, NULL when it has none. */
const struct skep_btf_record *vf_record(struct env *env, const struct reg *r);
bool vf_may_spin_lock(struct env *env, const struct reg *r);
/* What identifies the allocation's kind that a lock at R lies in: the map, or the type's BTF. */
const void *vf_lock_owner(const struct reg *r);
void vf_free_objects(struct env *env);
int vf_new_object(struct env *env, u64 type, bool percpu, struct reg *r0);
/* An argument that is an object, to be dropped; one that is counted (*ret_owned: by the program).
 */
int vf_check_object_arg(struct env *env, u32 regno, bool drop, bool percpu_drop);
int vf_check_counted_arg(struct env *env, u32 regno, bool *ret_owned);
/* R@regno as a list head or tree root whose lock is held; as a node that fits @root. */
int vf_check_root(struct env *env, u32 regno, enum skep_field_kind kind,
		  const struct skep_btf_field **ret_root);
int vf_check_node(struct env *env, u32 regno, enum skep_field_kind kind,
		  const struct skep_btf_field *root);
int vf_check_owned_node(struct env *env, u32 regno);
/* R becomes a node of @root. */
void vf_set_node(struct env *env, const struct skep_btf_field *root, bool owned, struct reg *r);
/* The reference goes to a collection: who had it may look on, until the lock is released. */
int vf_give_away(struct env *env, u32 ref_id);
void vf_forget_non_owning(struct env *env);
/* Adding to a tree calls the program's order of nodes; is this path in one? */
int vf_call_less(struct env *env, u32 subprog);
bool vf_in_less(const struct env *env);

/* --- region.c: locks and interrupt flags --- */
int vf_spin_lock(struct env *env, u32 regno, u8 kind, bool lock);
/* @lock: the flags are those of a lock; @save: made, else used up. */
int vf_irq_flag(struct env *env, u32 regno, bool lock, bool save);
/* May this call be made while a lock is held? */
bool vf_call_under_lock_ok(const struct env *env, const struct bpf_insn *in);
/* "rcu_read_lock", … when this is no place to sleep, else NULL. */
const char *vf_atomic_region(const struct env *env);

/* --- iter.c --- */
struct vf_iter {
	const struct skep_kfunc_row *row; /* the function called */
	const struct skep_btf *btf;
	u32 btf_id, nr_slots;
	/* where an initialised one lies, and what it holds: */
	u32 frameno, spi, ref_id;
	bool rcu; /* its elements are good inside an RCU section only */
};
int vf_iter_new(struct env *env, const struct vf_iter *it, u32 regno);
int vf_iter_find(struct env *env, struct vf_iter *it, u32 regno); /* fills in the second half */
int vf_iter_destroy(struct env *env, struct vf_iter *it, u32 regno);
/* next(): one path on which there is an element; this one goes on with the end. */
int vf_iter_step(struct env *env, const struct vf_iter *it);

/* --- callback.c --- */
/* Helper @helper, whose arguments are checked, calls function @subprog; @map: for_each's. */
int vf_call_back(struct env *env, u32 helper, const struct skep_map_facts *map, u32 subprog);
/* Work of a map's element (@wq: of a queue, else a task's) calls @subprog, where it may sleep. */
int vf_call_work(struct env *env, u32 subprog, bool wq);

/* --- dynptr.c --- */
enum vf_dynptr_kind {
	VF_DYN_ANY,
	VF_DYN_LOCAL,
	VF_DYN_RINGBUF,
	VF_DYN_SKB,
	VF_DYN_XDP,
	VF_DYN_SKB_META,
};
enum { VF_DYN_UNINIT = 1, VF_DYN_RDONLY = 2 };
struct vf_dynptr {
	u32 kind, id, ref_id;
};
const char *vf_dynptr_name(u32 kind);
/*
 * R@regno as a dynptr of @kind: made there with VF_DYN_UNINIT (@parent_ref: the reference that a
 * clone shares), else found there and told of in *ret. RDONLY: the call does not change it.
 */
int vf_check_dynptr(struct env *env, u32 regno, u32 kind, u32 mode, u32 parent_ref,
		    struct vf_dynptr *ret);
/* Does R@regno point to one that holds a reference? */
bool vf_dynptr_is_held(struct env *env, u32 regno);
int vf_release_dynptr(struct env *env, u32 regno);
/* A dynptr that a program is handed to read. */
void vf_set_const_dynptr(struct env *env, struct reg *r, u32 kind);
/* Slot @spi is about to be written: a dynptr there is no more. */
int vf_destroy_dynptr(struct env *env, struct frame *f, u32 spi);

enum mem_mode { MEM_READ = 1, MEM_WRITE = 2, MEM_RAW = 4 };
int vf_check_helper_mem(struct env *env, u32 regno, u32 size, u32 mode, bool zero_ok, bool pkt_ok);
int vf_check_mem_size(struct env *env, u32 mem_regno, u32 size_regno, u32 mode, bool zero_ok,
		      bool pkt_ok);
int vf_check_const_str(struct env *env, u32 regno, const char **ret_str, u32 *ret_len);
int vf_check_format(struct env *env, const char *fmt, u32 len, u32 nr_args);
int vf_call_helper(struct env *env, const struct bpf_insn *insn);
int vf_call_kfunc(struct env *env, const struct bpf_insn *insn);
int vf_call_subprog(struct env *env, const struct bpf_insn *insn, u32 *idx);
int vf_push_callback(struct env *env, u32 insn_idx, u32 subprog,
		     int (*set)(struct env *env, struct frame *caller, struct frame *callee,
				u32 insn_idx));
int vf_push_async(struct env *env, u32 insn_idx, u32 subprog, bool sleepable,
		  int (*set)(struct env *env, struct frame *caller, struct frame *callee,
			     u32 insn_idx));
int vf_leave_frame(struct env *env, u32 *idx);
/* A tail call that succeeds inside a subprogram returns to its caller: walk both outcomes. */
int vf_tail_call_returns(struct env *env, u32 *idx);
/* LD_ABS beyond the packet inside a subprogram returns zero to its caller: the same. */
int vf_ld_abs_fails(struct env *env, u32 *idx);
/* Assumptions about the arguments of function @subprog. -EINVAL and others: its type allows none. */
int vf_prepare_args(struct env *env, u32 subprog);
struct skep_call_fact *vf_call_fact(struct env *env, u32 insn_idx);
int vf_note_call(struct env *env, u32 insn_idx, struct skep_map_facts *map, s32 callback);
int vf_kfunc_resolve(struct env *env, u32 idx);
u32 vf_kfunc_nr_args(const struct env *env, const struct bpf_insn *in);
bool vf_kfunc_is_iter_next(const struct env *env, u32 idx);
bool vf_kfunc_calls_back(const struct env *env, u32 idx); /* before it returns */
bool vf_kfunc_calls_later(const struct env *env, u32 idx);
bool vf_kfunc_throws(const struct env *env, u32 idx);
/* A struct of numbers only, nested at most four deep. */
bool vf_is_scalar_struct(const struct skep_btf *btf, const struct btf_type *t, u32 depth);

/* --- explore.c, equal.c, loops.c --- */
enum sameness { SAME_ENOUGH, SAME_WITHIN, SAME_EXACTLY };
bool vf_states_equal(struct env *env, struct state *old, struct state *cur, enum sameness how);
struct state *vf_push_branch(struct env *env, u32 insn_idx, u32 prev_insn_idx);
int vf_walk_all(struct env *env);
/* Back edges of the loop that @st is in wait: its marks are not all known. */
bool vf_in_open_loop(struct env *env, const struct state *st);
/* Back edges wait whose marks will go through @st. */
bool vf_is_awaited(struct env *env, const struct state *st);
int vf_enter_scc(struct env *env, struct state *st);
int vf_exit_scc(struct env *env, struct state *st);
/* @cur is covered by @st, which is being explored; @round: as rounds of a callback. */
int vf_add_backedge(struct env *env, struct state *st, struct state *cur, bool round);
void vf_free_sccs(struct env *env);
/* States are kept for back edges as well. */
static inline void vf_note_peak(struct env *env)
{
	env->peak_states = SKEP_MAX(env->peak_states, env->live_states + env->nr_backedges);
}
void vf_widen(struct env *env, const struct state *old, struct state *cur);

int vf_check_return(struct env *env, u32 regno);
int vf_emit(struct env *env, struct skep_vprog *ret);

#endif
