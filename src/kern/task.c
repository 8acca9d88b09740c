/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks: one object per thread, its view laid out as the presented kernel's task_struct.
 *
 * skep's part and the view are one object of a type-stable pool, so `current` is an address that
 * programs may read for ever. What a view shows is a table below (fields[]): name in the
 * presented BTF, and who fills it. A field that this BTF lacks, or of another size, is left out.
 *
 * Tasks are found by tid in a hash that is read under its lock: only first entries and look-ups
 * by tid go there; the thread itself has its view in a thread-local. A task may be made for a
 * thread that never entered (bpf_task_from_pid, task storage by pidfd): that thread adopts it at
 * its first entry. Linux reuses tids, so a task of an earlier thread is told from the present
 * one by the start time.
 *
 * Facts come from /proc/self by raw reads into stack buffers: a first entry may happen inside a
 * signal handler or inside malloc.
 */
#include "kern/task.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/raw.h"
#include "base/rcu.h"
#include "base/vcpu.h"
#include "kern/cgroup.h"
#include "kern/kernel_btf.h"
#include "kern/proc.h"
#include "kern/view.h"

#define BUCKETS 1024u
#define NSEC_PER_SEC 1000000000ull
/* Clock ticks of /proc: a constant of the interface on x86-64. */
#define USER_HZ 100ull
/* Of proc(5)'s flags. */
#define PF_EXITING 0x4u

SKEP_TLS u64 skep_current_view;
struct skep_pt_regs_layout skep_pt_regs_layout;

static struct skep_pool tasks = SKEP_POOL_INIT(sizeof(struct skep_task));
static struct skep_pool creds = SKEP_POOL_INIT(64);
static struct skep_pool regs_views = SKEP_POOL_INIT(64);
static struct skep_lock hash_lock, init_lock;
static struct skep_task *by_tid[BUCKETS];
static pthread_key_t exit_key;
static bool initialised;

/* --- layout --- */

enum task_field {
	F_PID,
	F_TGID,
	F_COMM,
	F_GROUP_LEADER,
	F_REAL_PARENT,
	F_PARENT,
	F_START_TIME,
	F_START_BOOTTIME,
	F_FLAGS,
	F_CRED,
	F_REAL_CRED,
	NR_TASK_FIELDS,
};

static struct skep_view_field fields[NR_TASK_FIELDS] = {
	[F_PID] = {"pid", 4},
	[F_TGID] = {"tgid", 4},
	[F_COMM] = {"comm", 16},
	[F_GROUP_LEADER] = {"group_leader", 8},
	[F_REAL_PARENT] = {"real_parent", 8},
	[F_PARENT] = {"parent", 8},
	[F_START_TIME] = {"start_time", 8},
	[F_START_BOOTTIME] = {"start_boottime", 8},
	[F_FLAGS] = {"flags", 4},
	[F_CRED] = {"cred", 8},
	[F_REAL_CRED] = {"real_cred", 8},
};

enum cred_field { C_UID, C_GID, C_SUID, C_SGID, C_EUID, C_EGID, C_FSUID, C_FSGID, NR_CRED_FIELDS };

static struct skep_view_field cred_fields[NR_CRED_FIELDS] = {
	[C_UID] = {"uid", 4},	  [C_GID] = {"gid", 4},	    [C_SUID] = {"suid", 4},
	[C_SGID] = {"sgid", 4},	  [C_EUID] = {"euid", 4},   [C_EGID] = {"egid", 4},
	[C_FSUID] = {"fsuid", 4}, [C_FSGID] = {"fsgid", 4},
};

/* Where x86-64 kernels have had struct pt_regs' fields ever since; BTF has the last word. */
static const struct {
	const char *name;
	u32 at; /* in struct skep_pt_regs_layout */
	u32 usual;
} regs_fields[] = {
#define REG(name, usual)                                                                           \
	{                                                                                          \
#name, offsetof(struct skep_pt_regs_layout, name), usual                           \
	}
	REG(di, 112),	 REG(si, 104), REG(dx, 96),  REG(r10, 56),	REG(r8, 72),
	REG(r9, 64),	 REG(ax, 80),  REG(ip, 128), REG(orig_ax, 120), REG(cs, 136),
	REG(flags, 144), REG(sp, 152), REG(ss, 160),
#undef REG
};

static void resolve_regs(const struct skep_btf *btf)
{
	u32 size = skep_view_size(btf, "pt_regs");

	skep_pt_regs_layout.size = SKEP_ALIGN_UP(SKEP_MAX(size, 168u), 8u);
	for (u32 i = 0; i < ARRAY_SIZE(regs_fields); i++) {
		u32 *at = (u32 *)((char *)&skep_pt_regs_layout + regs_fields[i].at);
		u32 off, fsize;

		*at = regs_fields[i].usual;
		if (size && !skep_btf_field(btf, "pt_regs", regs_fields[i].name, &off, &fsize) &&
		    off + 8 <= skep_pt_regs_layout.size)
			*at = off;
	}
}

static void thread_exit(void *unused);

int skep_task_init(const struct skep_btf *kernel_btf)
{
	u32 view = skep_view_size(kernel_btf, "task_struct");

	if (__atomic_load_n(&initialised, __ATOMIC_ACQUIRE))
		return 0;
	if (skep_arena_init())
		return -ENOMEM;
	skep_lock(&init_lock);
	if (initialised) {
		skep_unlock(&init_lock);
		return 0;
	}
	if (pthread_key_create(&exit_key, thread_exit)) {
		skep_unlock(&init_lock);
		return -ENOMEM;
	}
	skep_view_resolve(kernel_btf, "task_struct", fields, NR_TASK_FIELDS);
	skep_view_resolve(kernel_btf, "cred", cred_fields, NR_CRED_FIELDS);
	resolve_regs(kernel_btf);
	skep_pool_init(&tasks, (u32)SKEP_TASK_VIEW_OFF + SKEP_MAX(view, 64u));
	skep_pool_init(&regs_views, skep_pt_regs_layout.size * SKEP_TASK_REGS_DEPTH);
	skep_pool_init(&creds, SKEP_MAX(skep_view_size(kernel_btf, "cred"), 64u));
	__atomic_store_n(&initialised, true, __ATOMIC_RELEASE);
	skep_unlock(&init_lock);
	return 0;
}

/* --- filling --- */

struct proc_stat {
	char comm[16];
	u32 ppid, flags;
	u64 start_ns;
};

/* proc(5), stat: "pid (comm) state ppid … flags(9) … starttime(22)". 0, or -ESRCH. */
static int read_stat(s32 tid, struct proc_stat *ret)
{
	char path[48], buf[512], *p, *end;
	u64 v[23] = {0};
	u32 n;

	skep_proc_task_path(path, tid, "/stat");
	if (skep_proc_read(path, buf, sizeof(buf)) <= 0)
		return -ESRCH;
	p = strchr(buf, '(');
	end = strrchr(buf, ')');
	if (!p || !end)
		return -ESRCH;
	memset(ret, 0, sizeof(*ret));
	n = SKEP_MIN((u32)(end - p - 1), 15u);
	memcpy(ret->comm, p + 1, n);
	p = end + 4; /* ") S " */
	for (u32 i = 4; i <= 22 && *p; i++) {
		while (*p == '-')
			p++;
		while (*p >= '0' && *p <= '9')
			v[i] = v[i] * 10 + (u64)(*p++ - '0');
		while (*p == ' ')
			p++;
	}
	ret->ppid = (u32)v[4];
	ret->flags = (u32)v[9];
	ret->start_ns = v[22] * (NSEC_PER_SEC / USER_HZ);
	return 0;
}

static void fill_cred(void *cred)
{
	u32 ids[3], gids[3];

	skep_raw(__NR_getresuid, &ids[0], &ids[1], &ids[2]);
	skep_raw(__NR_getresgid, &gids[0], &gids[1], &gids[2]);
	skep_view_put(cred, &cred_fields[C_UID], ids[0]);
	skep_view_put(cred, &cred_fields[C_EUID], ids[1]);
	skep_view_put(cred, &cred_fields[C_FSUID], ids[1]);
	skep_view_put(cred, &cred_fields[C_SUID], ids[2]);
	skep_view_put(cred, &cred_fields[C_GID], gids[0]);
	skep_view_put(cred, &cred_fields[C_EGID], gids[1]);
	skep_view_put(cred, &cred_fields[C_FSGID], gids[1]);
	skep_view_put(cred, &cred_fields[C_SGID], gids[2]);
}

static void put_comm(struct skep_task *t, const char comm[16])
{
	if (fields[F_COMM].known)
		memcpy((char *)skep_task_view(t) + fields[F_COMM].off, comm, 16);
}

/* The parent process as programs see it: a task that only has its ids. */
static struct skep_task *parent_stub;

static struct skep_task *get_parent_stub(u32 ppid)
{
	struct skep_task *t = __atomic_load_n(&parent_stub, __ATOMIC_ACQUIRE);
	struct skep_task *none = NULL;
	void *view;

	if (t)
		return t;
	t = skep_pool_alloc(&tasks);
	if (!t)
		return NULL;
	t->refs = 1;
	t->pid = t->tgid = (s32)ppid;
	skep_owner_init(&t->owner);
	view = skep_task_view(t);
	skep_view_put(view, &fields[F_PID], ppid);
	skep_view_put(view, &fields[F_TGID], ppid);
	skep_view_put(view, &fields[F_GROUP_LEADER], (u64)view);
	/* The chain of parents ends in a task that is its own, as the kernel's does. */
	skep_view_put(view, &fields[F_PARENT], (u64)view);
	skep_view_put(view, &fields[F_REAL_PARENT], (u64)view);
	if (!__atomic_compare_exchange_n(&parent_stub, &none, t, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		skep_pool_free(&tasks, t);
		return none;
	}
	return t;
}

static struct skep_task *task_new(s32 tid, const struct proc_stat *st)
{
	struct skep_task *t = skep_pool_alloc(&tasks);
	void *cred = skep_pool_alloc(&creds);
	struct skep_task *parent;
	void *view;

	if (!t || !cred) {
		if (t)
			skep_pool_free(&tasks, t);
		if (cred)
			skep_pool_free(&creds, cred);
		return NULL;
	}
	t->refs = 1;
	t->pid = tid;
	t->tgid = (s32)skep_raw(__NR_getpid);
	t->start_boottime_ns = st->start_ns;
	skep_owner_init(&t->owner);
	view = skep_task_view(t);
	skep_view_put(view, &fields[F_PID], (u32)t->pid);
	skep_view_put(view, &fields[F_TGID], (u32)t->tgid);
	skep_view_put(view, &fields[F_START_TIME], st->start_ns);
	skep_view_put(view, &fields[F_START_BOOTTIME], st->start_ns);
	skep_view_put(view, &fields[F_FLAGS], st->flags);
	put_comm(t, st->comm);
	fill_cred(cred);
	skep_view_put(view, &fields[F_CRED], (u64)cred);
	skep_view_put(view, &fields[F_REAL_CRED], (u64)cred);
	if (!fields[F_CRED].known && !fields[F_REAL_CRED].known)
		skep_pool_free(&creds, cred);
	parent = get_parent_stub(st->ppid);
	if (parent) {
		skep_view_put(view, &fields[F_PARENT], (u64)skep_task_view(parent));
		skep_view_put(view, &fields[F_REAL_PARENT], (u64)skep_task_view(parent));
	}
	return t;
}

void skep_task_refresh(struct skep_task *t)
{
	const struct skep_view_field *f =
		fields[F_CRED].known ? &fields[F_CRED] : &fields[F_REAL_CRED];
	void *cred = skep_view_ptr(skep_task_view(t), f);
	char comm[16] = {0};

	if (cred)
		fill_cred(cred);
	if (t->pid == skep_raw(__NR_gettid) && !skep_raw(__NR_prctl, PR_GET_NAME, comm))
		put_comm(t, comm);
}

/* --- finding --- */

static struct skep_task **bucket(s32 tid)
{
	return &by_tid[(u32)tid % BUCKETS];
}

/* hash_lock held. */
static void unhash(struct skep_task *t)
{
	struct skep_task **pp = bucket(t->pid);

	while (*pp && *pp != t)
		pp = &(*pp)->hash_next;
	if (*pp)
		*pp = t->hash_next;
}

/* The thread is gone; programs may still hold references to the memory. */
static void retire(struct skep_task *t)
{
	SKEP_WRITE(t->dead, true);
	skep_owner_end(&t->owner);
	skep_task_put(t);
}

/*
 * The hash's task for a living thread, made if need be; borrowed from the hash's reference, with
 * one more when @get.
 */
static struct skep_task *lookup(s32 tid, bool get)
{
	struct skep_task *t, *stale = NULL;
	struct proc_stat st;

	/* An exiting thread stays visible for a while; it enters nothing any more. */
	if (tid <= 0 || read_stat(tid, &st) || (st.flags & PF_EXITING))
		return NULL;
	skep_lock(&hash_lock);
	for (t = *bucket(tid); t && t->pid != tid; t = t->hash_next)
		;
	if (t && t->start_boottime_ns != st.start_ns) {
		stale = t;
		unhash(t);
		t = NULL;
	}
	if (!t) {
		t = task_new(tid, &st);
		if (t) {
			t->hash_next = *bucket(tid);
			*bucket(tid) = t;
		}
	}
	if (t && get)
		skep_task_get(t);
	skep_unlock(&hash_lock);
	if (stale)
		retire(stale);
	return t;
}

static void set_leader(struct skep_task *t)
{
	struct skep_task *leader = t->pid == t->tgid ? t : lookup(t->tgid, false);

	if (leader)
		skep_view_put(skep_task_view(t), &fields[F_GROUP_LEADER],
			      (u64)skep_task_view(leader));
}

static struct skep_task *adopt(void)
{
	struct skep_task *t;

	/* Hooks have had this done when they were attached; test runs come here first. */
	if (!__atomic_load_n(&initialised, __ATOMIC_ACQUIRE) && skep_task_init(skep_kernel_btf()))
		return NULL;
	t = lookup((s32)skep_raw(__NR_gettid), false);
	if (!t || skep_current_view)
		return t; /* a handler's entry came first: the same task */
	if (!t->pt_regs_view)
		t->pt_regs_view = skep_pool_alloc(&regs_views);
	if (!t->pt_regs_view)
		return NULL;
	set_leader(t);
	pthread_setspecific(exit_key, t);
	skep_current_view = (u64)skep_task_view(t);
	return t;
}

struct skep_task *skep_task_current(void)
{
	if (likely(skep_current_view))
		return skep_task_of_view(skep_current_view);
	return adopt();
}

struct skep_task *skep_task_by_tid(s32 tid)
{
	struct skep_task *t;

	if (!__atomic_load_n(&initialised, __ATOMIC_ACQUIRE) && skep_task_init(skep_kernel_btf()))
		return NULL;
	if (tid > 0 && tid == (s32)skep_raw(__NR_gettid)) {
		/* alive for certain: nothing to read */
		t = skep_task_current();
		if (t)
			skep_task_get(t);
		return t;
	}
	t = lookup(tid, true);
	if (t)
		set_leader(t);
	return t;
}

/* ioctl(2) of a pidfd, since Linux 6.13; older headers do not know it. */
struct pidfd_info {
	u64 mask, cgroup;
	u32 pid, tgid, ppid, ids[8];
	s32 exit_code;
};
#define PIDFD_GET_INFO _IOWR(0xff, 11, struct pidfd_info)
#define PIDFD_INFO_PID 1u
#define PID_FS_MAGIC 0x50494446

/* The thread that @fd is for by one question; 0: it does not answer. */
static s32 ask_pidfd(int fd)
{
	struct pidfd_info info = {.mask = PIDFD_INFO_PID};
	struct statfs fs;

	if (skep_raw(__NR_fstatfs, fd, &fs) || fs.f_type != PID_FS_MAGIC ||
	    skep_raw(__NR_ioctl, fd, PIDFD_GET_INFO, &info) || !(info.mask & PIDFD_INFO_PID))
		return 0;
	return (s32)info.pid;
}

struct skep_task *skep_task_by_pidfd(int fd, int *ret_err)
{
	char path[48] = "/proc/self/fdinfo/", buf[512], *p;
	struct skep_task *t;
	s32 pid;

	*ret_err = -EBADF;
	if (fd < 0)
		return NULL;
	pid = ask_pidfd(fd);
	if (pid) {
		t = skep_task_by_tid(pid);
		if (!t)
			*ret_err = -ENOENT;
		return t;
	}
	skep_proc_number(path + 18, (u32)fd);
	if (skep_proc_read(path, buf, sizeof(buf)) <= 0)
		return NULL;
	p = strstr(buf, "\nPid:\t");
	if (!p)
		return NULL;
	for (p += 6; *p >= '0' && *p <= '9'; p++) /* -1: the process is gone */
		pid = pid * 10 + (*p - '0');
	t = pid ? skep_task_by_tid(pid) : NULL;
	if (!t)
		*ret_err = -ENOENT;
	return t;
}

/* --- life --- */

void skep_task_get(struct skep_task *t)
{
	__atomic_fetch_add(&t->refs, 1, __ATOMIC_RELAXED);
}

bool skep_task_get_unless_zero(struct skep_task *t)
{
	u64 refs = SKEP_READ(t->refs);

	while (refs)
		if (__atomic_compare_exchange_n(&t->refs, &refs, refs + 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

static void task_free(struct skep_rcu_head *head)
{
	struct skep_task *t = container_of(head, struct skep_task, rcu);
	const struct skep_view_field *f =
		fields[F_CRED].known ? &fields[F_CRED] : &fields[F_REAL_CRED];
	void *cred = skep_view_ptr(skep_task_view(t), f);

	if (cred)
		skep_pool_free(&creds, cred);
	skep_cgroup_put(t->cgroup);
	skep_pool_free(&regs_views, t->pt_regs_view);
	skep_pool_free(&tasks, t);
}

void skep_task_put(struct skep_task *t)
{
	/* A map that ends may have found this owner through an element just before. */
	if (t && !__atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL))
		skep_rcu_defer(&t->rcu, task_free);
}

/*
 * Key destructor. Other destructors may run programs after this one: they make a new task, set
 * the key again, and the destructor runs once more, as POSIX has it.
 */
static void thread_exit(void *task)
{
	struct skep_task *t = task;

	skep_current_view = 0;
	skep_lock(&hash_lock);
	unhash(t);
	skep_unlock(&hash_lock);
	retire(t);
	skep_vcpu_thread_exit();
}

void skep_task_fork_child(void)
{
	skep_lock_reset(&hash_lock);
	skep_lock_reset(&init_lock);
	/* The parent's tasks, this thread's included, are nobody's here. */
	memset(by_tid, 0, sizeof(by_tid));
	parent_stub = NULL;
	skep_current_view = 0;
	if (initialised)
		pthread_setspecific(exit_key, NULL);
}
