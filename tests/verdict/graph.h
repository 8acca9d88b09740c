/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that programs allocate, and the lists and trees they are kept in. */
#ifndef VERDICT_GRAPH_H
#define VERDICT_GRAPH_H

#include "common.h"

extern void *bpf_obj_new_impl(__u64 local_type_id, void *meta) __ksym;
extern void bpf_obj_drop_impl(void *kptr, void *meta) __ksym;
extern void *bpf_percpu_obj_new_impl(__u64 local_type_id, void *meta) __ksym;
extern void bpf_percpu_obj_drop_impl(void *kptr, void *meta) __ksym;
extern void *bpf_refcount_acquire_impl(void *kptr, void *meta) __ksym;
extern int bpf_list_push_front_impl(struct bpf_list_head *head, struct bpf_list_node *node,
				    void *meta, __u64 off) __ksym;
extern int bpf_list_push_back_impl(struct bpf_list_head *head, struct bpf_list_node *node,
				   void *meta, __u64 off) __ksym;
extern struct bpf_list_node *bpf_list_pop_front(struct bpf_list_head *head) __ksym;
extern struct bpf_list_node *bpf_list_pop_back(struct bpf_list_head *head) __ksym;
extern struct bpf_list_node *bpf_list_front(struct bpf_list_head *head) __ksym;
extern struct bpf_list_node *bpf_list_back(struct bpf_list_head *head) __ksym;
typedef bool (*less_fn)(struct bpf_rb_node *a, const struct bpf_rb_node *b);
extern int bpf_rbtree_add_impl(struct bpf_rb_root *root, struct bpf_rb_node *node, less_fn less,
			       void *meta, __u64 off) __ksym;
extern struct bpf_rb_node *bpf_rbtree_first(struct bpf_rb_root *root) __ksym;
extern struct bpf_rb_node *bpf_rbtree_root(struct bpf_rb_root *root) __ksym;
extern struct bpf_rb_node *bpf_rbtree_left(struct bpf_rb_root *root,
					   struct bpf_rb_node *node) __ksym;
extern struct bpf_rb_node *bpf_rbtree_right(struct bpf_rb_root *root,
					    struct bpf_rb_node *node) __ksym;
extern struct bpf_rb_node *bpf_rbtree_remove(struct bpf_rb_root *root,
					     struct bpf_rb_node *node) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

#define NEW(type) ((type *)bpf_obj_new_impl(bpf_core_type_id_local(type), 0))
#define DROP(p) bpf_obj_drop_impl(p, 0)
#define NEW_PERCPU(type) ((type *)bpf_percpu_obj_new_impl(bpf_core_type_id_local(type), 0))
#define DROP_PERCPU(p) bpf_percpu_obj_drop_impl(p, 0)
#define ACQUIRE(p) ((typeof(p))bpf_refcount_acquire_impl(p, 0))
#define PUSH_FRONT(h, n) bpf_list_push_front_impl(h, n, 0, 0)
#define PUSH_BACK(h, n) bpf_list_push_back_impl(h, n, 0, 0)
#define ADD(r, n, less) bpf_rbtree_add_impl(r, n, less, 0, 0)
#define ENTRY(p, type, member) ((type *)((void *)(p) - __builtin_offsetof(type, member)))
#define PRIVATE(name) SEC(".data." #name) __attribute__((aligned(8)))

#endif
