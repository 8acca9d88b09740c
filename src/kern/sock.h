/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets: one object per socket of this process that somebody asked for.
 *
 * Filled view fields (struct sock, in a block of the largest protocol's size): __sk_common's
 * skc_family, skc_cookie, skc_num, skc_dport, skc_state (TCP), sk_type, sk_protocol, and a struct
 * socket around it (sk, type). docs/parity.md has the list.
 *
 * A socket is identified by its cookie, which Linux gives out once. It ends when its last
 * descriptor in this process is closed: seen by skep_sock_closing() and skep_sock_closed() around
 * the front end's calls, and, for closes that nobody reported, by a sweep when there are twice as
 * many objects as were left by the last one.
 */
#ifndef SKEP_KERN_SOCK_H
#define SKEP_KERN_SOCK_H

#include "btf/btf.h"
#include "kern/owner.h"

/* skep's part; the view, a struct sock, starts right after it. */
struct skep_sock {
	u64 refs;
	u64 cookie, ino;
	u16 family, type, protocol;
	bool dead;
	struct skep_sock *hash_next;
	void *socket; /* view of a struct socket whose sk this is */
	struct skep_rcu_head rcu;
	struct skep_storage_owner owner; /* last: see kern/owner.h */
} __attribute__((aligned(64)));

static inline void *skep_sock_view(struct skep_sock *s)
{
	return s + 1;
}
static inline struct skep_sock *skep_sock_of_view(u64 view)
{
	return (struct skep_sock *)view - 1;
}

/* Lay sockets out by @kernel_btf (NULL: no fields). Idempotent. 0 or -ENOMEM. */
int skep_sock_init(const struct skep_btf *kernel_btf);

/*
 * Referenced socket open at @fd, its view as it is now. NULL with *ret_err: -EBADF, -ENOTSOCK,
 * -ENOMEM. Any context.
 */
struct skep_sock *skep_sock_by_fd(int fd, int *ret_err);
/* The same, if there is an object already; NULL otherwise. */
struct skep_sock *skep_sock_find(int fd);
void skep_sock_get(struct skep_sock *s);
bool skep_sock_get_unless_zero(struct skep_sock *s);
void skep_sock_put(struct skep_sock *s); /* takes NULL */

/* Sockets that have an object: the front end's test whether a close may matter. */
extern u32 skep_nr_socks;
/*
 * Around the close of @fd: closing() gives the cookie of the socket there, 0 for none; closed()
 * ends the object of that socket, if there is one and no descriptor of this process is left.
 */
u64 skep_sock_closing(int fd);
void skep_sock_closed(u64 cookie);

/* What the values of one socket may come to, in bytes (net.core.optmem_max). */
u32 skep_sock_option_memory(void);

void skep_sock_fork_child(void);

#endif
