/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System-call tracing: raw_tp and tp_btf sys_enter, sys_exit; fentry and fexit of __x64_sys_<name>.
 *
 * The front end calls enter and exit around each call of the application when
 * skep_hook_sys_active is not 0. Links hang on RCU lists: one for each tracepoint, one per
 * system-call number for entry and one for exit, in order of attachment.
 *
 * Order as in the kernel: sys_enter, fentry, the call, fexit, sys_exit. struct pt_regs is a view in
 * the arena, one per nesting level of the thread, so programs may walk it with probe loads.
 *
 * A thread's first read section registers it with RCU, which takes a mutex and may map memory
 * through interposed calls: registering is done first, with hooks off. A hook that meets this
 * thread inside skep runs nothing and counts a miss for each program (skep_prog_run_traced).
 */
#include "hook/hook.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/rcu.h"
#include "hook/link.h"
#include "isa/uapi.h"
#include "kern/kernel_btf.h"
#include "kern/task.h"
#include "run/run.h"

#include <linux/bpf.h>

#define FUNC_PREFIX "__x64_sys_"

u32 skep_hook_sys_active;

enum sys_event { EV_TP_ENTER, EV_TP_EXIT, EV_ENTRY, EV_RETURN };

struct sys_link {
	struct skep_link link;
	enum sys_event event;
	u32 nr; /* EV_ENTRY, EV_RETURN */
	bool hooked;
};

static struct skep_lock list_lock;
static struct skep_link *tp_enter, *tp_exit;
static struct skep_link *entry[SKEP_SYS_MAX], *ret[SKEP_SYS_MAX];

static SKEP_TLS bool registering;

/* --- firing --- */

struct frame {
	struct skep_task *task;
	void *regs;
};

static inline void put_reg(void *regs, u32 off, u64 v)
{
	*(u64 *)((char *)regs + off) = v;
}

/* Counts every listener's miss where no program may run. In an RCU section. */
static __attribute__((noinline, cold)) void miss_list(struct skep_link *const *head)
{
	for (struct skep_link *l = skep_rcu_deref(*head); l; l = skep_rcu_deref(l->next))
		__atomic_fetch_add(&l->prog->misses, 1, __ATOMIC_RELAXED);
}

/* This thread's first frame. In no RCU section; false: not now. */
static __attribute__((noinline, cold)) bool get_ready(void)
{
	int saved = errno;

	if (registering || skep_busy)
		return false;
	registering = true;
	skep_rcu_read_lock();
	skep_rcu_read_unlock();
	registering = false;
	errno = saved;
	return true;
}

static __attribute__((noinline, cold)) struct skep_task *first_task(void)
{
	struct skep_task *t;
	int saved = errno;

	skep_busy_enter(); /* it takes locks */
	t = skep_task_current();
	skep_busy_leave();
	errno = saved;
	return t;
}

/*
 * Open an RCU section and a pt_regs view. False: nothing may run, and misses, where they can be
 * counted, are (@a, @b). Nothing on the way to a program and back touches errno, but for a
 * thread's first time.
 */
static inline __attribute__((always_inline)) bool frame_open(struct frame *f, long nr,
							     const u64 args[6], u64 ax,
							     struct skep_link *const *a,
							     struct skep_link *const *b)
{
	const struct skep_pt_regs_layout *lay = &skep_pt_regs_layout;
	struct skep_task *t;

	/* Without a reader: a new thread, or one at its end, which fires nothing any more. */
	if (unlikely(!URCU_TLS(urcu_bp_reader)) && (skep_rcu_leaving() || !get_ready()))
		return false;
	skep_rcu_read_lock();
	t = likely(skep_current_view) ? skep_task_of_view(skep_current_view) : NULL;
	if (unlikely(!t && !skep_busy))
		t = first_task();
	if (unlikely(!t || skep_busy || t->pt_regs_depth >= SKEP_TASK_REGS_DEPTH)) {
		if (a)
			miss_list(a);
		if (b)
			miss_list(b);
		skep_rcu_read_unlock();
		return false;
	}
	f->task = t;
	f->regs = (char *)t->pt_regs_view + (size_t)t->pt_regs_depth * lay->size;
	t->pt_regs_depth++;
	barrier(); /* a handler's frame must not land on ours */
	put_reg(f->regs, lay->di, args[0]);
	put_reg(f->regs, lay->si, args[1]);
	put_reg(f->regs, lay->dx, args[2]);
	put_reg(f->regs, lay->r10, args[3]);
	put_reg(f->regs, lay->r8, args[4]);
	put_reg(f->regs, lay->r9, args[5]);
	put_reg(f->regs, lay->orig_ax, (u64)nr);
	put_reg(f->regs, lay->ax, ax);
	return true;
}

static inline void frame_close(struct frame *f)
{
	barrier();
	f->task->pt_regs_depth--;
	skep_rcu_read_unlock();
}

/* Below @ctx are two words: [-1] the number of arguments, [-2] the function's address. */
static inline void fire(struct skep_link *const *head, const u64 *ctx)
{
	for (struct skep_link *l = skep_rcu_deref(*head); l; l = skep_rcu_deref(l->next))
		skep_prog_run_traced(l->prog, ctx, l->cookie, ctx[-2]);
}

/* Stands for a function's address, which does not exist here: one value per entry point. */
static u64 func_ip(u32 nr)
{
	return (u64)&entry[nr];
}

/*
 * Most calls while a link is attached have no listener; the test for one is kept apart from the
 * work, which needs a stack frame.
 */
static __attribute__((noinline)) void fire_enter(long nr, const u64 args[6], struct skep_link **tp,
						 struct skep_link **fn)
{
	struct frame f;
	u64 ctx[5];

	if (!frame_open(&f, nr, args, (u64)-ENOSYS, tp, fn))
		return;
	if (tp) {
		ctx[0] = 0;
		ctx[1] = 2;
		ctx[2] = (u64)f.regs;
		ctx[3] = (u64)nr;
		fire(tp, ctx + 2);
	}
	if (fn) {
		ctx[0] = func_ip((u32)nr);
		ctx[1] = 1;
		ctx[2] = (u64)f.regs;
		ctx[3] = 0;
		fire(fn, ctx + 2);
	}
	frame_close(&f);
}

void skep_hook_sys_enter(long nr, const u64 args[6])
{
	struct skep_link **fn = (u64)nr < SKEP_SYS_MAX && SKEP_READ(entry[nr]) ? &entry[nr] : NULL;
	struct skep_link **tp = SKEP_READ(tp_enter) ? &tp_enter : NULL;

	if (tp || fn)
		fire_enter(nr, args, tp, fn);
}

static __attribute__((noinline)) void fire_exit(long nr, const u64 args[6], long result,
						struct skep_link **tp, struct skep_link **fn)
{
	struct frame f;
	u64 ctx[5];

	if (!frame_open(&f, nr, args, (u64)(fn ? -ENOSYS : result), fn, tp))
		return;
	if (fn) {
		ctx[0] = func_ip((u32)nr);
		ctx[1] = 1;
		ctx[2] = (u64)f.regs;
		ctx[3] = (u64)result;
		fire(fn, ctx + 2);
	}
	if (tp) {
		put_reg(f.regs, skep_pt_regs_layout.ax, (u64)result);
		ctx[0] = 0;
		ctx[1] = 2;
		ctx[2] = (u64)f.regs;
		ctx[3] = (u64)result;
		fire(tp, ctx + 2);
	}
	frame_close(&f);
}

void skep_hook_sys_exit(long nr, const u64 args[6], long result)
{
	struct skep_link **fn = (u64)nr < SKEP_SYS_MAX && SKEP_READ(ret[nr]) ? &ret[nr] : NULL;
	struct skep_link **tp = SKEP_READ(tp_exit) ? &tp_exit : NULL;

	if (tp || fn)
		fire_exit(nr, args, result, tp, fn);
}

/* --- attaching --- */

static struct sys_link *sys_link_of(struct skep_link *l)
{
	return container_of(l, struct sys_link, link);
}

static struct skep_link **list_of(const struct sys_link *s)
{
	switch (s->event) {
	case EV_TP_ENTER:
		return &tp_enter;
	case EV_TP_EXIT:
		return &tp_exit;
	case EV_ENTRY:
		return &entry[s->nr];
	default:
		return &ret[s->nr];
	}
}

static void unhook(struct skep_link *l)
{
	struct sys_link *s = sys_link_of(l);
	struct skep_link **pp = list_of(s);

	skep_lock(&list_lock);
	if (s->hooked) {
		while (*pp != l)
			pp = &(*pp)->next;
		skep_rcu_assign(*pp, l->next);
		s->hooked = false;
		__atomic_fetch_sub(&skep_hook_sys_active, 1, __ATOMIC_RELEASE);
	}
	skep_unlock(&list_lock);
}

static void detach(struct skep_link *l)
{
	unhook(l);
	skep_rcu_synchronize();
}

static void info_raw_tp(const struct skep_link *l, struct bpf_link_info *info, char *name_buf,
			u32 name_size)
{
	const char *name =
		sys_link_of((struct skep_link *)l)->event == EV_TP_ENTER ? "sys_enter" : "sys_exit";

	info->raw_tracepoint.tp_name_len = (u32)strlen(name) + 1;
	if (name_size) {
		strncpy(name_buf, name, name_size);
		name_buf[name_size - 1] = 0;
	}
}

static void info_tracing(const struct skep_link *l, struct bpf_link_info *info, char *name_buf,
			 u32 name_size)
{
	info->tracing.attach_type = l->attach_type;
	info->tracing.target_obj_id = 1; /* the kernel's BTF is the first */
	info->tracing.target_btf_id = l->prog->attach_btf_id;
}

static void free_sys_link(struct skep_link *l)
{
	skep_free(sys_link_of(l));
}

static const struct skep_hook_link_ops raw_tp_ops = {
	.lops = {.detach = detach, .info = info_raw_tp, .type = BPF_LINK_TYPE_RAW_TRACEPOINT},
	.unhook = unhook,
	.free = free_sys_link,
};

static const struct skep_hook_link_ops tracing_ops = {
	.lops = {.detach = detach, .info = info_tracing, .type = BPF_LINK_TYPE_TRACING},
	.unhook = unhook,
	.free = free_sys_link,
};

static struct skep_link *attach(struct skep_prog *p, const struct skep_hook_link_ops *ops,
				enum sys_event event, u32 nr, u32 attach_type, u64 cookie)
{
	struct sys_link *s = skep_zalloc(sizeof(*s));
	struct skep_link **pp;

	/* Now: the first hook may fire inside malloc. */
	if (!s || skep_task_init(skep_kernel_btf())) {
		skep_free(s);
		return skep_err_ptr(-ENOMEM);
	}
	skep_link_init(&s->link, p, ops, attach_type, cookie);
	s->event = event;
	s->nr = nr;
	s->hooked = true;
	pp = list_of(s);
	s->link.hook = pp;
	skep_lock(&list_lock);
	while (*pp)
		pp = &(*pp)->next;
	skep_rcu_assign(*pp, &s->link);
	__atomic_fetch_add(&skep_hook_sys_active, 1, __ATOMIC_RELEASE);
	skep_unlock(&list_lock);
	return &s->link;
}

static bool tracepoint_event(const char *name, enum sys_event *ret_event)
{
	if (strcmp(name, "sys_enter") && strcmp(name, "sys_exit"))
		return false;
	*ret_event = strcmp(name, "sys_enter") ? EV_TP_EXIT : EV_TP_ENTER;
	return true;
}

static int func_nr(const char *name)
{
	if (strncmp(name, FUNC_PREFIX, strlen(FUNC_PREFIX)))
		return -1;
	return skep_sys_nr(name + strlen(FUNC_PREFIX));
}

bool skep_hook_has_func(const char *name)
{
	return func_nr(name) >= 0;
}

bool skep_hook_has_tracepoint(const char *name)
{
	enum sys_event ev;

	return tracepoint_event(name, &ev);
}

struct skep_link *skep_attach_raw_tp(struct skep_prog *p, const char *name, u64 cookie)
{
	enum sys_event ev;

	if (p->type == BPF_PROG_TYPE_TRACING) {
		/* The target was given at load; a name here contradicts it. */
		if (name)
			return skep_err_ptr(-EINVAL);
		if (p->attach_type != BPF_TRACE_RAW_TP)
			return skep_attach_tracing(p, cookie);
		name = p->attach_name;
	}
	if (!name)
		return skep_err_ptr(-EINVAL);
	if (!tracepoint_event(name, &ev))
		return skep_err_ptr(-ENOENT);
	return attach(p, &raw_tp_ops, ev, 0, p->attach_type, cookie);
}

struct skep_link *skep_attach_tracing(struct skep_prog *p, u64 cookie)
{
	int nr;

	switch (p->attach_type) {
	case BPF_TRACE_RAW_TP:
		return skep_attach_raw_tp(p, NULL, cookie);
	case BPF_TRACE_FENTRY:
	case BPF_TRACE_FEXIT:
		break;
	default:
		return skep_err_ptr(-EINVAL);
	}
	nr = func_nr(p->attach_name);
	if (nr < 0)
		return skep_err_ptr(-EOPNOTSUPP);
	return attach(p, &tracing_ops, p->attach_type == BPF_TRACE_FENTRY ? EV_ENTRY : EV_RETURN,
		      (u32)nr, p->attach_type, cookie);
}

void skep_hook_fork_child(void)
{
	skep_lock_reset(&list_lock);
	tp_enter = tp_exit = NULL;
	memset(entry, 0, sizeof(entry));
	memset(ret, 0, sizeof(ret));
	skep_hook_sys_active = 0;
}
