/* SPDX-License-Identifier: BSD-2-Clause */
/* Red-black trees of allocated objects. */
#include "graph.h"

struct node {
	long key;
	struct bpf_rb_node rb;
	long data;
};
struct other {
	struct bpf_rb_node rb;
	long a;
};
struct shared {
	long key;
	struct bpf_list_node link;
	struct bpf_rb_node rb;
	struct bpf_refcount ref;
};

PRIVATE(A) struct bpf_spin_lock lock;
PRIVATE(A) struct bpf_rb_root root __contains(node, rb);
PRIVATE(A) struct bpf_rb_root others __contains(other, rb);
PRIVATE(B) struct bpf_spin_lock slock;
PRIVATE(B) struct bpf_rb_root sroot __contains(shared, rb);
PRIVATE(B) struct bpf_list_head shead __contains(shared, link);
PRIVATE(C) struct bpf_spin_lock clock;

long result;

#define NODE(n)                                                                                    \
	struct node *n = NEW(struct node);                                                         \
	if (!n)                                                                                    \
		return 0

static bool less(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return ENTRY(a, struct node, rb)->key < ENTRY(b, struct node, rb)->key;
}

static bool less_shared(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return ENTRY(a, struct shared, rb)->key < ENTRY(b, struct shared, rb)->key;
}

static bool less_writes(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	ENTRY(a, struct node, rb)->data++;
	return ENTRY(a, struct node, rb)->key < ENTRY(b, struct node, rb)->key;
}

static long wide(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return ENTRY(a, struct node, rb)->key;
}
#define less_wide ((less_fn)wide)

static bool less_adds(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	struct node *n = ENTRY(a, struct node, rb);

	ADD(&root, &n->rb, less);
	return 0;
}

static bool less_removes(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_rbtree_remove(&root, a);
	return 0;
}

static bool less_first(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_rbtree_first(&root);
	return 0;
}

static bool less_left(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_rbtree_left(&root, a);
	return 0;
}

static bool less_unlocks(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_spin_unlock(&lock);
	return 0;
}

static bool less_locks(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_spin_lock(&lock);
	return 0;
}

static bool less_rcu(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_rcu_read_lock();
	bpf_rcu_read_unlock();
	return 0;
}

static bool less_helper(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return bpf_ktime_get_ns() & 1;
}

static bool less_drops(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	DROP(ENTRY(a, struct node, rb));
	return 0;
}

SEC("tc") int ok_add(void *ctx)
{
	NODE(n);
	n->key = 5;
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, less);
	bpf_spin_unlock(&lock);
	return 0;
}

#define REFUSED(name)                                                                              \
	SEC("tc") int no_##name(void *ctx)                                                         \
	{                                                                                          \
		NODE(n);                                                                           \
		bpf_spin_lock(&lock);                                                              \
		ADD(&root, &n->rb, name);                                                          \
		bpf_spin_unlock(&lock);                                                            \
		return 0;                                                                          \
	}

REFUSED(less_wide)
REFUSED(less_adds)
REFUSED(less_removes)
REFUSED(less_left)
REFUSED(less_unlocks)
REFUSED(less_locks)
REFUSED(less_rcu)
REFUSED(less_helper)
REFUSED(less_drops)

SEC("tc") int ok_less_writes(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, less_writes);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int ok_less_first(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, less_first);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_add_unlocked(void *ctx)
{
	NODE(n);
	ADD(&root, &n->rb, less);
	return 0;
}

SEC("tc") int no_add_other_lock(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&clock);
	ADD(&root, &n->rb, less);
	bpf_spin_unlock(&clock);
	return 0;
}

SEC("tc") int no_add_other_tree(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&others, &n->rb, less);
	bpf_spin_unlock(&lock);
	return 0;
}

static bool less_other(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return ENTRY(a, struct other, rb)->a < ENTRY(b, struct other, rb)->a;
}

SEC("tc") int ok_add_other(void *ctx)
{
	struct other *n = NEW(struct other);

	if (!n)
		return 0;
	bpf_spin_lock(&lock);
	ADD(&others, &n->rb, less_other);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_add_no_function(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, (void *)n);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_add_null_function(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, NULL);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_add_twice(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, less);
	ADD(&root, &n->rb, less);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_add_wrong_member(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, (void *)&n->data, less);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int ok_use_after_add(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, less);
	n->data = 3;
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_use_after_unlock(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, less);
	bpf_spin_unlock(&lock);
	n->data = 3;
	return 0;
}

SEC("tc") int ok_first(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	if (r)
		result = ENTRY(r, struct node, rb)->data;
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_first_unchecked(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	result = ENTRY(r, struct node, rb)->data;
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_first_unlocked(void *ctx)
{
	bpf_rbtree_first(&root);
	return 0;
}

SEC("tc") int no_first_after_unlock(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	bpf_spin_unlock(&lock);
	if (r)
		result = ENTRY(r, struct node, rb)->data;
	return 0;
}

SEC("tc") int ok_remove_first(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	if (!r) {
		bpf_spin_unlock(&lock);
		return 0;
	}
	r = bpf_rbtree_remove(&root, r);
	bpf_spin_unlock(&lock);
	if (r)
		DROP(ENTRY(r, struct node, rb));
	return 0;
}

SEC("tc") int no_remove_unchecked_result(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	if (!r) {
		bpf_spin_unlock(&lock);
		return 0;
	}
	r = bpf_rbtree_remove(&root, r);
	bpf_spin_unlock(&lock);
	DROP(ENTRY(r, struct node, rb));
	return 0;
}

SEC("tc") int no_remove_null(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	r = bpf_rbtree_remove(&root, r);
	bpf_spin_unlock(&lock);
	if (r)
		DROP(ENTRY(r, struct node, rb));
	return 0;
}

SEC("tc") int no_remove_leak(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	if (r)
		bpf_rbtree_remove(&root, r);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int ok_remove_added(void *ctx)
{
	struct bpf_rb_node *r;

	NODE(n);
	bpf_spin_lock(&lock);
	ADD(&root, &n->rb, less);
	r = bpf_rbtree_remove(&root, &n->rb);
	bpf_spin_unlock(&lock);
	if (r)
		DROP(ENTRY(r, struct node, rb));
	return 0;
}

SEC("tc") int no_remove_fresh(void *ctx)
{
	struct bpf_rb_node *r;

	NODE(n);
	bpf_spin_lock(&lock);
	r = bpf_rbtree_remove(&root, &n->rb);
	bpf_spin_unlock(&lock);
	if (r)
		DROP(ENTRY(r, struct node, rb));
	return 0;
}

SEC("tc") int no_remove_map_value(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_remove(&root, (void *)&root);
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_use_after_remove_drop(void *ctx)
{
	struct bpf_rb_node *r;
	struct node *n;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_first(&root);
	if (!r) {
		bpf_spin_unlock(&lock);
		return 0;
	}
	r = bpf_rbtree_remove(&root, r);
	bpf_spin_unlock(&lock);
	if (!r)
		return 0;
	n = ENTRY(r, struct node, rb);
	DROP(n);
	n->data = 1;
	return 0;
}

SEC("tc") int ok_walk(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_root(&root);
	if (r)
		r = bpf_rbtree_left(&root, r);
	if (r)
		r = bpf_rbtree_right(&root, r);
	if (r)
		result = ENTRY(r, struct node, rb)->key;
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_walk_unlocked(void *ctx)
{
	struct bpf_rb_node *r;

	bpf_spin_lock(&lock);
	r = bpf_rbtree_root(&root);
	bpf_spin_unlock(&lock);
	if (r)
		bpf_rbtree_left(&root, r);
	return 0;
}

SEC("tc") int no_walk_null(void *ctx)
{
	bpf_spin_lock(&lock);
	bpf_rbtree_left(&root, bpf_rbtree_root(&root));
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int ok_shared_both(void *ctx)
{
	struct shared *n = NEW(struct shared), *m;

	if (!n)
		return 0;
	m = ACQUIRE(n);
	bpf_spin_lock(&slock);
	ADD(&sroot, &n->rb, less_shared);
	PUSH_BACK(&shead, &m->link);
	bpf_spin_unlock(&slock);
	return 0;
}

SEC("tc") int no_shared_one_reference(void *ctx)
{
	struct shared *n = NEW(struct shared);

	if (!n)
		return 0;
	bpf_spin_lock(&slock);
	ADD(&sroot, &n->rb, less_shared);
	PUSH_BACK(&shead, &n->link);
	bpf_spin_unlock(&slock);
	return 0;
}

SEC("tc") int ok_shared_list_to_tree(void *ctx)
{
	struct bpf_list_node *l;
	struct shared *n;

	bpf_spin_lock(&slock);
	l = bpf_list_pop_front(&shead);
	if (!l) {
		bpf_spin_unlock(&slock);
		return 0;
	}
	n = ENTRY(l, struct shared, link);
	ADD(&sroot, &n->rb, less_shared);
	bpf_spin_unlock(&slock);
	return 0;
}

SEC("tc") int ok_shared_acquire_first(void *ctx)
{
	struct bpf_rb_node *r;
	struct shared *m;

	bpf_spin_lock(&slock);
	r = bpf_rbtree_first(&sroot);
	if (!r) {
		bpf_spin_unlock(&slock);
		return 0;
	}
	m = ACQUIRE(ENTRY(r, struct shared, rb));
	bpf_spin_unlock(&slock);
	if (!m)
		return 0;
	m->key = 2;
	DROP(m);
	return 0;
}

SEC("tc") int no_less_of_other_type(void *ctx)
{
	struct shared *n = NEW(struct shared);

	if (!n)
		return 0;
	bpf_spin_lock(&slock);
	ADD(&sroot, &n->rb, less_writes);
	bpf_spin_unlock(&slock);
	return 0;
}

SEC("tc") int no_read_root(void *ctx)
{
	bpf_spin_lock(&lock);
	result = *(volatile long *)&root;
	bpf_spin_unlock(&lock);
	return 0;
}

SEC("tc") int no_read_rb_node(void *ctx)
{
	NODE(n);
	result = *(volatile long *)&n->rb;
	DROP(n);
	return 0;
}
