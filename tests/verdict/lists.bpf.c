/* SPDX-License-Identifier: BSD-2-Clause */
/* Linked lists of allocated objects. */
#include "graph.h"

struct node {
	long a;
	struct bpf_list_node link;
	long b;
};
struct other {
	long a, more;
	struct bpf_list_node link;
};
struct shared {
	long a;
	struct bpf_refcount ref;
	struct bpf_list_node link;
	struct bpf_list_node link2;
};
struct inner_list {
	struct bpf_spin_lock lock;
	struct bpf_list_head head __contains(node, link);
	long a;
};

struct elem {
	long a;
	struct bpf_spin_lock lock;
	struct bpf_list_head head __contains(node, link);
	struct bpf_list_head second __contains(node, link);
	struct bpf_list_head others __contains(other, link);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");

PRIVATE(A) struct bpf_spin_lock glock;
PRIVATE(A) struct bpf_list_head ghead __contains(node, link);
PRIVATE(A) struct bpf_list_head gother __contains(other, link);
PRIVATE(B) struct bpf_spin_lock slock;
PRIVATE(B) struct bpf_list_head shead __contains(shared, link);

long result;

#define ELEM(e)                                                                                    \
	int key_##e = 0;                                                                           \
	struct elem *e = bpf_map_lookup_elem(&elems, &key_##e);                                    \
	if (!e)                                                                                    \
		return 0
#define NODE(n)                                                                                    \
	struct node *n = NEW(struct node);                                                         \
	if (!n)                                                                                    \
		return 0

SEC("tc") int ok_push_global(void *ctx)
{
	NODE(n);
	n->a = 1;
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int ok_push_back_map(void *ctx)
{
	ELEM(e);
	NODE(n);
	bpf_spin_lock(&e->lock);
	PUSH_BACK(&e->head, &n->link);
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_push_unlocked(void *ctx)
{
	NODE(n);
	PUSH_FRONT(&ghead, &n->link);
	return 0;
}

SEC("tc") int no_push_other_lock(void *ctx)
{
	ELEM(e);
	NODE(n);
	bpf_spin_lock(&e->lock);
	PUSH_FRONT(&ghead, &n->link);
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_push_other_element(void *ctx)
{
	ELEM(e);
	ELEM(f);
	NODE(n);
	bpf_spin_lock(&e->lock);
	PUSH_FRONT(&f->head, &n->link);
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_push_other_type(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(&gother, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int ok_push_others(void *ctx)
{
	struct other *n = NEW(struct other);

	if (!n)
		return 0;
	bpf_spin_lock(&glock);
	PUSH_FRONT(&gother, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_not_head(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT((void *)&glock, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_not_node(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, (void *)&n->b);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_object_itself(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, (void *)n);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_head_variable(struct __sk_buff *ctx)
{
	ELEM(e);
	NODE(n);
	bpf_spin_lock(&e->lock);
	PUSH_FRONT((void *)&e->head + (ctx->mark & 16), &n->link);
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_push_twice(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, &n->link);
	PUSH_FRONT(&ghead, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_stack(void *ctx)
{
	struct node n = {};

	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, &n.link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_null(void *ctx)
{
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, NULL);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_to_null(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(NULL, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_push_unchecked(void *ctx)
{
	struct node *n = NEW(struct node);

	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int ok_use_after_push(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, &n->link);
	n->a = 4;
	result = n->b;
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_use_after_unlock(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, &n->link);
	bpf_spin_unlock(&glock);
	n->a = 4;
	return 0;
}

SEC("tc") int no_drop_after_push(void *ctx)
{
	NODE(n);
	bpf_spin_lock(&glock);
	PUSH_FRONT(&ghead, &n->link);
	bpf_spin_unlock(&glock);
	DROP(n);
	return 0;
}

SEC("tc") int ok_pop(void *ctx)
{
	struct bpf_list_node *l;
	struct node *n;

	bpf_spin_lock(&glock);
	l = bpf_list_pop_front(&ghead);
	bpf_spin_unlock(&glock);
	if (!l)
		return 0;
	n = ENTRY(l, struct node, link);
	n->a = 1;
	DROP(n);
	return 0;
}

SEC("tc") int no_pop_leak(void *ctx)
{
	bpf_spin_lock(&glock);
	bpf_list_pop_back(&ghead);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_pop_unlocked(void *ctx)
{
	struct bpf_list_node *l = bpf_list_pop_front(&ghead);

	if (l)
		DROP(ENTRY(l, struct node, link));
	return 0;
}

SEC("tc") int no_pop_unchecked(void *ctx)
{
	struct bpf_list_node *l;

	bpf_spin_lock(&glock);
	l = bpf_list_pop_front(&ghead);
	bpf_spin_unlock(&glock);
	DROP(ENTRY(l, struct node, link));
	return 0;
}

SEC("tc") int no_pop_drop_link(void *ctx)
{
	struct bpf_list_node *l;

	bpf_spin_lock(&glock);
	l = bpf_list_pop_front(&ghead);
	bpf_spin_unlock(&glock);
	if (l)
		DROP(l);
	return 0;
}

SEC("tc") int ok_pop_map(void *ctx)
{
	ELEM(e);
	struct bpf_list_node *l;

	bpf_spin_lock(&e->lock);
	l = bpf_list_pop_back(&e->second);
	bpf_spin_unlock(&e->lock);
	if (l)
		DROP(ENTRY(l, struct node, link));
	return 0;
}

SEC("tc") int ok_move(void *ctx)
{
	ELEM(e);
	struct bpf_list_node *l;

	bpf_spin_lock(&e->lock);
	l = bpf_list_pop_back(&e->head);
	if (l)
		PUSH_FRONT(&e->second, l);
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int no_move_other_type(void *ctx)
{
	ELEM(e);
	struct bpf_list_node *l;

	bpf_spin_lock(&e->lock);
	l = bpf_list_pop_back(&e->head);
	if (l)
		PUSH_FRONT(&e->others, l);
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int ok_front(void *ctx)
{
	struct bpf_list_node *l;

	bpf_spin_lock(&glock);
	l = bpf_list_front(&ghead);
	if (l)
		result = ENTRY(l, struct node, link)->a;
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_front_after_unlock(void *ctx)
{
	struct bpf_list_node *l;

	bpf_spin_lock(&glock);
	l = bpf_list_back(&ghead);
	bpf_spin_unlock(&glock);
	if (l)
		result = ENTRY(l, struct node, link)->a;
	return 0;
}

SEC("tc") int no_front_unchecked(void *ctx)
{
	struct bpf_list_node *l;

	bpf_spin_lock(&glock);
	l = bpf_list_front(&ghead);
	result = ENTRY(l, struct node, link)->a;
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_front_dropped(void *ctx)
{
	struct bpf_list_node *l;

	bpf_spin_lock(&glock);
	l = bpf_list_front(&ghead);
	if (l)
		DROP(ENTRY(l, struct node, link));
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_front_pushed(void *ctx)
{
	struct bpf_list_node *l;

	bpf_spin_lock(&glock);
	l = bpf_list_front(&ghead);
	if (l)
		PUSH_BACK(&ghead, l);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_helper_under_lock(void *ctx)
{
	bpf_spin_lock(&glock);
	result = bpf_ktime_get_ns();
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_new_under_lock(void *ctx)
{
	struct node *n;

	bpf_spin_lock(&glock);
	n = NEW(struct node);
	if (n)
		PUSH_BACK(&ghead, &n->link);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_read_head(void *ctx)
{
	bpf_spin_lock(&glock);
	result = *(volatile long *)&ghead;
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("tc") int no_write_node(void *ctx)
{
	NODE(n);
	*(volatile long *)&n->link = 1;
	DROP(n);
	return 0;
}

SEC("tc") int ok_list_in_object(void *ctx)
{
	struct inner_list *h = NEW(struct inner_list);
	struct node *n;

	if (!h)
		return 0;
	n = NEW(struct node);
	if (!n) {
		DROP(h);
		return 0;
	}
	bpf_spin_lock(&h->lock);
	PUSH_FRONT(&h->head, &n->link);
	bpf_spin_unlock(&h->lock);
	DROP(h);
	return 0;
}

SEC("tc") int no_list_in_object_other_lock(void *ctx)
{
	struct inner_list *h = NEW(struct inner_list);
	struct node *n;

	if (!h)
		return 0;
	n = NEW(struct node);
	if (!n) {
		DROP(h);
		return 0;
	}
	bpf_spin_lock(&glock);
	PUSH_FRONT(&h->head, &n->link);
	bpf_spin_unlock(&glock);
	DROP(h);
	return 0;
}

SEC("tc") int no_list_in_object_dropped(void *ctx)
{
	struct inner_list *h = NEW(struct inner_list);
	struct bpf_list_node *l;

	if (!h)
		return 0;
	DROP(h);
	bpf_spin_lock(&h->lock);
	l = bpf_list_pop_front(&h->head);
	bpf_spin_unlock(&h->lock);
	return 0;
}

SEC("tc") int ok_shared_push_keep(void *ctx)
{
	struct shared *n = NEW(struct shared), *m;

	if (!n)
		return 0;
	m = ACQUIRE(n);
	bpf_spin_lock(&slock);
	PUSH_FRONT(&shead, &n->link);
	bpf_spin_unlock(&slock);
	m->a = 1;
	DROP(m);
	return 0;
}

SEC("tc") int no_shared_push_link2(void *ctx)
{
	struct shared *n = NEW(struct shared);

	if (!n)
		return 0;
	bpf_spin_lock(&slock);
	PUSH_FRONT(&shead, &n->link2);
	bpf_spin_unlock(&slock);
	return 0;
}

SEC("tc") int no_shared_use_after_unlock(void *ctx)
{
	struct shared *n = NEW(struct shared);

	if (!n)
		return 0;
	bpf_spin_lock(&slock);
	PUSH_FRONT(&shead, &n->link);
	bpf_spin_unlock(&slock);
	n->a = 1;
	return 0;
}

SEC("tc") int ok_shared_acquire_after_push(void *ctx)
{
	struct shared *n = NEW(struct shared), *m;

	if (!n)
		return 0;
	bpf_spin_lock(&slock);
	PUSH_FRONT(&shead, &n->link);
	m = ACQUIRE(n);
	bpf_spin_unlock(&slock);
	if (m)
		DROP(m);
	return 0;
}

SEC("tc") int no_shared_acquire_after_push_unchecked(void *ctx)
{
	struct shared *n = NEW(struct shared), *m;

	if (!n)
		return 0;
	bpf_spin_lock(&slock);
	PUSH_FRONT(&shead, &n->link);
	m = ACQUIRE(n);
	bpf_spin_unlock(&slock);
	DROP(m);
	return 0;
}

SEC("tc") int ok_pop_in_loop(void *ctx)
{
	struct bpf_list_node *l;

	for (int i = 0; i < 20; i++) {
		bpf_spin_lock(&glock);
		l = bpf_list_pop_front(&ghead);
		bpf_spin_unlock(&glock);
		if (!l)
			break;
		DROP(ENTRY(l, struct node, link));
	}
	return 0;
}

static NOINLINE int push_all(struct elem *e, struct node *n)
{
	bpf_spin_lock(&e->lock);
	PUSH_BACK(&e->head, &n->link);
	n->a = 7;
	bpf_spin_unlock(&e->lock);
	return 0;
}

SEC("tc") int ok_push_in_function(void *ctx)
{
	ELEM(e);
	NODE(n);
	return push_all(e, n);
}

SEC("tc") int no_use_after_push_in_function(void *ctx)
{
	ELEM(e);
	NODE(n);
	push_all(e, n);
	n->b = 3;
	return 0;
}

SEC("raw_tp") int no_tracing(void *ctx)
{
	result = (long)&ghead;
	bpf_spin_lock(&glock);
	bpf_spin_unlock(&glock);
	return 0;
}

SEC("raw_tp") int no_tracing_list_alone(void *ctx)
{
	ELEM(e);
	e->a = 1;
	return 0;
}
