/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intrusive doubly linked lists; a head is a node that points to itself when empty.
 */
#ifndef SKEP_BASE_LIST_H
#define SKEP_BASE_LIST_H

#include "base/types.h"

struct skep_list {
	struct skep_list *next, *prev;
};

static inline void skep_list_init(struct skep_list *l)
{
	l->next = l->prev = l;
}
static inline bool skep_list_empty(const struct skep_list *l)
{
	return l->next == l;
}
static inline void skep_list_add_tail(struct skep_list *n, struct skep_list *head)
{
	n->prev = head->prev;
	n->next = head;
	head->prev->next = n;
	head->prev = n;
}
static inline void skep_list_add(struct skep_list *n, struct skep_list *head)
{
	skep_list_add_tail(n, head->next);
}
static inline void skep_list_del(struct skep_list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	skep_list_init(n);
}

#define skep_list_entry(l, type, member) container_of(l, type, member)
#define skep_list_for_each(pos, head, member)                                                      \
	for (pos = skep_list_entry((head)->next, __typeof__(*pos), member);                        \
	     &pos->member != (head);                                                               \
	     pos = skep_list_entry(pos->member.next, __typeof__(*pos), member))
#define skep_list_for_each_safe(pos, tmp, head, member)                                            \
	for (pos = skep_list_entry((head)->next, __typeof__(*pos), member),                        \
	    tmp = skep_list_entry(pos->member.next, __typeof__(*pos), member);                     \
	     &pos->member != (head);                                                               \
	     pos = tmp, tmp = skep_list_entry(tmp->member.next, __typeof__(*tmp), member))

#endif
