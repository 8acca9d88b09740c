/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks, resilient locks, interrupts off, preemption off, RCU sections. */
#include "common.h"

struct bpf_res_spin_lock {
	__u32 val;
};

extern int bpf_res_spin_lock(struct bpf_res_spin_lock *lock) __ksym;
extern void bpf_res_spin_unlock(struct bpf_res_spin_lock *lock) __ksym;
extern int bpf_res_spin_lock_irqsave(struct bpf_res_spin_lock *lock, unsigned long *flags) __ksym;
extern void bpf_res_spin_unlock_irqrestore(struct bpf_res_spin_lock *lock, unsigned long *flags) __ksym;
extern void bpf_local_irq_save(unsigned long *flags) __ksym;
extern void bpf_local_irq_restore(unsigned long *flags) __ksym;
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

struct elem {
	long counter;
	struct bpf_res_spin_lock lock;
};

struct old_elem {
	long counter;
	struct bpf_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} res SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct elem);
} res2 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, struct old_elem);
} old SEC(".maps");

static long counter;

#define ELEM(type, e, m)                                                                           \
	int key_##e = 1;                                                                           \
	struct type *e = bpf_map_lookup_elem(&m, &key_##e);                                        \
	if (!e)                                                                                    \
		return 0

SEC("tc") int ok_res_lock(void *ctx)
{
	ELEM(elem, e, res);
	if (bpf_res_spin_lock(&e->lock))
		return 0;
	e->counter++;
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_res_lock_kept(void *ctx)
{
	ELEM(elem, e, res);
	bpf_res_spin_lock(&e->lock);
	return 0;
}

SEC("tc") int no_res_unlock_unchecked(void *ctx)
{
	ELEM(elem, e, res);
	bpf_res_spin_lock(&e->lock);
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_res_unlock_alone(void *ctx)
{
	ELEM(elem, e, res);
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_res_lock_twice(void *ctx)
{
	ELEM(elem, e, res);
	if (bpf_res_spin_lock(&e->lock))
		return 0;
	if (bpf_res_spin_lock(&e->lock))
		goto out;
	bpf_res_spin_unlock(&e->lock);
out:
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int ok_res_two(void *ctx)
{
	ELEM(elem, e, res);
	ELEM(elem, f, res2);
	if (bpf_res_spin_lock(&e->lock))
		return 0;
	if (!bpf_res_spin_lock(&f->lock))
		bpf_res_spin_unlock(&f->lock);
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_res_out_of_order(void *ctx)
{
	ELEM(elem, e, res);
	ELEM(elem, f, res2);
	if (bpf_res_spin_lock(&e->lock))
		return 0;
	if (bpf_res_spin_lock(&f->lock)) {
		bpf_res_spin_unlock(&e->lock);
		return 0;
	}
	bpf_res_spin_unlock(&e->lock);
	bpf_res_spin_unlock(&f->lock);
	return 0;
}

SEC("tc") int no_res_other_unlocked(void *ctx)
{
	ELEM(elem, e, res);
	ELEM(elem, f, res2);
	if (bpf_res_spin_lock(&e->lock))
		return 0;
	bpf_res_spin_unlock(&f->lock);
	return 0;
}

SEC("tc") int no_res_call_inside(void *ctx)
{
	ELEM(elem, e, res);
	if (bpf_res_spin_lock(&e->lock))
		return 0;
	counter = bpf_ktime_get_ns();
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_res_wrong_field(void *ctx)
{
	ELEM(elem, e, res);
	if (bpf_res_spin_lock((void *)&e->counter))
		return 0;
	bpf_res_spin_unlock((void *)&e->counter);
	return 0;
}

SEC("tc") int no_res_of_old(void *ctx)
{
	ELEM(old_elem, e, old);
	if (bpf_res_spin_lock((void *)&e->lock))
		return 0;
	bpf_res_spin_unlock((void *)&e->lock);
	return 0;
}

SEC("tc") int no_res_on_stack(void *ctx)
{
	struct bpf_res_spin_lock l = {};

	return bpf_res_spin_lock(&l);
}

SEC("tc") int ok_res_irqsave(void *ctx)
{
	unsigned long flags;

	ELEM(elem, e, res);
	if (bpf_res_spin_lock_irqsave(&e->lock, &flags))
		return 0;
	bpf_res_spin_unlock_irqrestore(&e->lock, &flags);
	return 0;
}

SEC("tc") int no_res_irqsave_plain_unlock(void *ctx)
{
	unsigned long flags;

	ELEM(elem, e, res);
	if (bpf_res_spin_lock_irqsave(&e->lock, &flags))
		return 0;
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_res_irqsave_local_restore(void *ctx)
{
	unsigned long flags;

	ELEM(elem, e, res);
	if (bpf_res_spin_lock_irqsave(&e->lock, &flags))
		return 0;
	bpf_local_irq_restore(&flags);
	bpf_res_spin_unlock_irqrestore(&e->lock, &flags);
	return 0;
}

SEC("tc") int ok_old_lock(void *ctx)
{
	ELEM(old_elem, e, old);
	bpf_spin_lock(&e->lock);
	e->counter++;
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_old_two(void *ctx)
{
	ELEM(old_elem, e, old);
	ELEM(old_elem, f, old);
	bpf_spin_lock(&e->lock);
	bpf_spin_lock(&f->lock);
	bpf_spin_unlock(&f->lock);
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_old_under_res(void *ctx)
{
	ELEM(elem, e, res);
	ELEM(old_elem, f, old);
	if (bpf_res_spin_lock(&e->lock))
		return 0;
	bpf_spin_lock(&f->lock);
	bpf_spin_unlock(&f->lock);
	bpf_res_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_old_kept(void *ctx)
{
	ELEM(old_elem, e, old);
	bpf_spin_lock(&e->lock);
	return 0;
}

SEC("tc") int ok_irq(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int ok_irq_nested(void *ctx)
{
	unsigned long a, b;

	bpf_local_irq_save(&a);
	bpf_local_irq_save(&b);
	bpf_local_irq_restore(&b);
	bpf_local_irq_restore(&a);
	return 0;
}

SEC("tc") int no_irq_order(void *ctx)
{
	unsigned long a, b;

	bpf_local_irq_save(&a);
	bpf_local_irq_save(&b);
	bpf_local_irq_restore(&a);
	bpf_local_irq_restore(&b);
	return 0;
}

SEC("tc") int no_irq_kept(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	return 0;
}

SEC("tc") int no_irq_restore_alone(void *ctx)
{
	unsigned long flags = 0;

	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int no_irq_save_twice(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int no_irq_overwritten(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	*(volatile unsigned long *)&flags = 1;
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int no_irq_read(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	counter = *(volatile unsigned long *)&flags;
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int no_irq_in_map(void *ctx)
{
	bpf_local_irq_save((void *)&counter);
	return 0;
}

SEC("syscall") int no_irq_sleep(void *ctx)
{
	unsigned long flags, x;

	bpf_local_irq_save(&flags);
	bpf_copy_from_user(&x, sizeof(x), NULL);
	bpf_local_irq_restore(&flags);
	return 0;
}

static NOINLINE void restore(unsigned long *flags)
{
	bpf_local_irq_restore(flags);
}

SEC("tc") int ok_irq_callee(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	restore(&flags);
	return 0;
}

SEC("tc") int no_irq_one_path(struct __sk_buff *skb)
{
	unsigned long flags = 0;

	if (skb->len)
		bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int ok_preempt(void *ctx)
{
	bpf_preempt_disable();
	bpf_preempt_disable();
	bpf_preempt_enable();
	bpf_preempt_enable();
	return 0;
}

SEC("tc") int no_preempt_kept(void *ctx)
{
	bpf_preempt_disable();
	return 0;
}

SEC("tc") int no_preempt_enabled(void *ctx)
{
	bpf_preempt_enable();
	return 0;
}

SEC("syscall") int no_preempt_sleep(void *ctx)
{
	long x;

	bpf_preempt_disable();
	bpf_copy_from_user(&x, sizeof(x), NULL);
	bpf_preempt_enable();
	return 0;
}

SEC("syscall") int ok_rcu(void *ctx)
{
	bpf_rcu_read_lock();
	bpf_rcu_read_unlock();
	return 0;
}

SEC("syscall") int no_rcu_kept(void *ctx)
{
	bpf_rcu_read_lock();
	return 0;
}

SEC("syscall") int no_rcu_nested(void *ctx)
{
	bpf_rcu_read_lock();
	bpf_rcu_read_lock();
	bpf_rcu_read_unlock();
	bpf_rcu_read_unlock();
	return 0;
}

SEC("syscall") int no_rcu_unlocked(void *ctx)
{
	bpf_rcu_read_unlock();
	return 0;
}

SEC("syscall") int no_rcu_sleep(void *ctx)
{
	long x;

	bpf_rcu_read_lock();
	bpf_copy_from_user(&x, sizeof(x), NULL);
	bpf_rcu_read_unlock();
	return 0;
}

SEC("tc") int no_lock_flags_restored_plain(void *ctx)
{
	unsigned long flags;

	ELEM(elem, e, res);
	if (bpf_res_spin_lock_irqsave(&e->lock, &flags))
		return 0;
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int no_plain_flags_restored_by_lock(void *ctx)
{
	unsigned long flags, more;

	ELEM(elem, e, res);
	if (bpf_res_spin_lock_irqsave(&e->lock, &flags))
		return 0;
	bpf_local_irq_save(&more);
	bpf_res_spin_unlock_irqrestore(&e->lock, &more);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int no_plain_flags_given_to_lock(void *ctx)
{
	unsigned long flags, more;

	ELEM(elem, e, res);
	bpf_local_irq_save(&more);
	if (bpf_res_spin_lock_irqsave(&e->lock, &flags)) {
		bpf_local_irq_restore(&more);
		return 0;
	}
	bpf_res_spin_unlock_irqrestore(&e->lock, &more);
	bpf_local_irq_restore(&flags);
	return 0;
}

extern int bpf_copy_from_user_str(void *dst, __u32 dst__sz, const void *unsafe_ptr__ign,
				  __u64 flags) __ksym;
char text[16];

SEC("syscall") int ok_sleeps(void *ctx)
{
	return bpf_copy_from_user_str(text, sizeof(text), (void *)8, 0) < 0;
}

SEC("syscall") int no_sleeps_in_rcu(void *ctx)
{
	bpf_rcu_read_lock();
	bpf_copy_from_user_str(text, sizeof(text), (void *)8, 0);
	bpf_rcu_read_unlock();
	return 0;
}

SEC("syscall") int no_sleeps_without_preemption(void *ctx)
{
	bpf_preempt_disable();
	bpf_copy_from_user_str(text, sizeof(text), (void *)8, 0);
	bpf_preempt_enable();
	return 0;
}

SEC("syscall") int no_sleeps_without_interrupts(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_copy_from_user_str(text, sizeof(text), (void *)8, 0);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("tc") int no_flags_misaligned(void *ctx)
{
	char place[24];

	bpf_local_irq_save((void *)(place + 4));
	bpf_local_irq_restore((void *)(place + 4));
	return 0;
}

SEC("tc") int no_flags_variable(struct __sk_buff *ctx)
{
	unsigned long place[4];

	bpf_local_irq_save((void *)place + (ctx->mark & 8));
	return 0;
}

SEC("tc") int no_flags_restored_variable(struct __sk_buff *ctx)
{
	unsigned long place[4];

	bpf_local_irq_save(&place[0]);
	bpf_local_irq_restore((void *)place + (ctx->mark & 8));
	return 0;
}

SEC("tc") NAKED int no_flags_above_the_frame(void)
{
	asm volatile("r1 = r10;"
		     "call %[bpf_local_irq_save];"
		     "r0 = 0;"
		     "exit;" ::[bpf_local_irq_save] "i"(bpf_local_irq_save));
}
