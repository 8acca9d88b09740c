/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets: found by descriptor, ended by the last close.
 *
 * The cookie is asked for with every look-up by descriptor: a number that was closed and used again
 * is another socket. Whether descriptors of a socket are left is read from /proc/self/fd, by inode;
 * that happens once per close of a socket that has an object, not for others.
 *
 * hash_lock guards the chains; no call into the kernel is made under it.
 */
#include "kern/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/pool.h"
#include "base/raw.h"
#include "kern/kernel_btf.h"
#include "kern/proc.h"
#include "kern/view.h"

#define BUCKETS 1024u
#define MIN_SWEEP 64u
#define DEFAULT_OPTION_MEMORY 131072u

u32 skep_nr_socks;

static struct skep_pool socks = SKEP_POOL_INIT(sizeof(struct skep_sock)),
			sockets = SKEP_POOL_INIT(64);
static struct skep_lock init_lock, hash_lock;
static struct skep_sock *buckets[BUCKETS];
static u32 sweep_at = MIN_SWEEP;
static bool initialised;

enum {
	S_FAMILY,
	S_COOKIE,
	S_NUM,
	S_DPORT,
	S_STATE,
	S_SADDR,
	S_DADDR,
	S_TYPE,
	S_PROTOCOL,
	S_SOCKET,
	NR_SOCK_FIELDS
};
static struct skep_view_field sock_fields[NR_SOCK_FIELDS] = {
	[S_FAMILY] = {"__sk_common.skc_family", 2}, [S_COOKIE] = {"__sk_common.skc_cookie", 8},
	[S_NUM] = {"__sk_common.skc_num", 2},	    [S_DPORT] = {"__sk_common.skc_dport", 2},
	[S_STATE] = {"__sk_common.skc_state", 1},   [S_SADDR] = {"__sk_common.skc_rcv_saddr", 4},
	[S_DADDR] = {"__sk_common.skc_daddr", 4},   [S_TYPE] = {"sk_type", 2},
	[S_PROTOCOL] = {"sk_protocol", 2},	    [S_SOCKET] = {"sk_socket", 8},
};
enum { O_SK, O_TYPE, NR_SOCKET_FIELDS };
static struct skep_view_field socket_fields[NR_SOCKET_FIELDS] = {
	[O_SK] = {"sk", 8},
	[O_TYPE] = {"type", 2},
};

/* A program may cast a struct sock to its protocol's: room for the largest. */
static const char *const protocols[] = {"sock",	    "inet_sock", "tcp_sock",  "tcp6_sock",
					"udp_sock", "udp6_sock", "raw6_sock", "unix_sock"};

int skep_sock_init(const struct skep_btf *btf)
{
	u32 size = 64;

	if (__atomic_load_n(&initialised, __ATOMIC_ACQUIRE))
		return 0;
	if (skep_arena_init())
		return -ENOMEM;
	skep_lock(&init_lock);
	if (!initialised) {
		skep_view_resolve(btf, "sock", sock_fields, NR_SOCK_FIELDS);
		skep_view_resolve(btf, "socket", socket_fields, NR_SOCKET_FIELDS);
		for (u32 i = 0; i < ARRAY_SIZE(protocols); i++)
			size = SKEP_MAX(size, skep_view_size(btf, protocols[i]));
		skep_pool_init(&socks, (u32)sizeof(struct skep_sock) + size);
		skep_pool_init(&sockets, SKEP_MAX(skep_view_size(btf, "socket"), 64u));
		__atomic_store_n(&initialised, true, __ATOMIC_RELEASE);
	}
	skep_unlock(&init_lock);
	return 0;
}

static bool ready(void)
{
	return __atomic_load_n(&initialised, __ATOMIC_ACQUIRE) ||
	       !skep_sock_init(skep_kernel_btf());
}

u32 skep_sock_option_memory(void)
{
	static u32 bytes; /* the same from every thread */
	u32 n = SKEP_READ(bytes);
	char buf[16];

	if (n)
		return n;
	if (skep_proc_read("/proc/sys/net/core/optmem_max", buf, sizeof(buf)) > 0)
		for (const char *p = buf; *p >= '0' && *p <= '9'; p++)
			n = n * 10 + (u32)(*p - '0');
	n = n ? n : DEFAULT_OPTION_MEMORY;
	SKEP_WRITE(bytes, n);
	return n;
}

/* --- objects --- */

static void sock_free(struct skep_rcu_head *head)
{
	struct skep_sock *s = container_of(head, struct skep_sock, rcu);

	skep_pool_free(&sockets, s->socket);
	skep_pool_free(&socks, s);
}

void skep_sock_get(struct skep_sock *s)
{
	__atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
}

bool skep_sock_get_unless_zero(struct skep_sock *s)
{
	u64 refs = SKEP_READ(s->refs);

	while (refs)
		if (__atomic_compare_exchange_n(&s->refs, &refs, refs + 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

void skep_sock_put(struct skep_sock *s)
{
	if (s && !__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL))
		skep_rcu_defer(&s->rcu, sock_free);
}

static struct skep_sock **bucket(u64 cookie)
{
	return &buckets[cookie % BUCKETS];
}

/* The socket has ended: its storage goes, nobody finds it any more. */
static void retire(struct skep_sock *s)
{
	struct skep_sock **pp = bucket(s->cookie);
	bool found;

	skep_lock(&hash_lock);
	while (*pp && *pp != s)
		pp = &(*pp)->hash_next;
	found = *pp != NULL;
	if (found) {
		*pp = s->hash_next;
		SKEP_WRITE(skep_nr_socks, skep_nr_socks - 1);
		SKEP_WRITE(s->dead, true);
	}
	skep_unlock(&hash_lock);
	if (!found)
		return;
	skep_owner_end(&s->owner);
	skep_sock_put(s);
}

static int option(int fd, int name)
{
	int v = 0, len = sizeof(v);

	return skep_raw(__NR_getsockopt, fd, SOL_SOCKET, name, &v, &len) ? 0 : v;
}

/* 0 with the cookie, -EBADF, -ENOTSOCK. */
static int cookie_of(int fd, u64 *ret)
{
	int len = sizeof(*ret);

	return (int)skep_raw(__NR_getsockopt, fd, SOL_SOCKET, SO_COOKIE, ret, &len);
}

static void put_address(void *view, const struct sockaddr_storage *a, u32 port_field,
			u32 addr_field)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)a;
	u16 port = in->sin_port; /* at the same place in IPv6's */

	/* The own port is kept in host order. */
	skep_view_put(view, &sock_fields[port_field], port_field == S_NUM ? ntohs(port) : port);
	if (a->ss_family == AF_INET)
		skep_view_put(view, &sock_fields[addr_field], in->sin_addr.s_addr);
}

/* TCP's state, as getsockopt tells it; the state of what is no connection. */
static u8 state_of(int fd, const struct skep_sock *s)
{
	u8 info[8] = {0};
	int len = sizeof(info);

	if (s->type == SOCK_STREAM && (s->family == AF_INET || s->family == AF_INET6) &&
	    !skep_raw(__NR_getsockopt, fd, IPPROTO_TCP, 11 /* TCP_INFO */, info, &len))
		return info[0];
	return 7; /* TCP_CLOSE */
}

/* What changes in a socket's life. */
static void fill(struct skep_sock *s, int fd)
{
	struct sockaddr_storage a = {0};
	void *view = skep_sock_view(s);
	int len = sizeof(a);

	skep_view_put(view, &sock_fields[S_STATE], state_of(fd, s));
	if (s->family != AF_INET && s->family != AF_INET6)
		return;
	if (!skep_raw(__NR_getsockname, fd, &a, &len))
		put_address(view, &a, S_NUM, S_SADDR);
	len = sizeof(a);
	if (!skep_raw(__NR_getpeername, fd, &a, &len))
		put_address(view, &a, S_DPORT, S_DADDR);
}

static struct skep_sock *sock_new(int fd, u64 cookie, u64 ino)
{
	struct skep_sock *s = skep_pool_alloc(&socks);
	void *view;

	if (!s)
		return NULL;
	s->socket = skep_pool_alloc(&sockets);
	if (!s->socket) {
		skep_pool_free(&socks, s);
		return NULL;
	}
	s->refs = 1;
	s->cookie = cookie;
	s->ino = ino;
	s->family = (u16)option(fd, SO_DOMAIN);
	s->type = (u16)option(fd, SO_TYPE);
	s->protocol = (u16)option(fd, SO_PROTOCOL);
	skep_owner_init(&s->owner);
	view = skep_sock_view(s);
	skep_view_put(view, &sock_fields[S_FAMILY], s->family);
	skep_view_put(view, &sock_fields[S_COOKIE], cookie);
	skep_view_put(view, &sock_fields[S_TYPE], s->type);
	skep_view_put(view, &sock_fields[S_PROTOCOL], s->protocol);
	skep_view_put(view, &sock_fields[S_SOCKET], (u64)s->socket);
	skep_view_put(s->socket, &socket_fields[O_SK], (u64)view);
	skep_view_put(s->socket, &socket_fields[O_TYPE], s->type);
	return s;
}

static struct skep_sock *chain_find(u64 cookie)
{
	struct skep_sock *s = *bucket(cookie);

	while (s && s->cookie != cookie)
		s = s->hash_next;
	if (s)
		skep_sock_get(s);
	return s;
}

static struct skep_sock *hash_find(u64 cookie)
{
	struct skep_sock *s;

	skep_lock(&hash_lock);
	s = chain_find(cookie);
	skep_unlock(&hash_lock);
	return s;
}

/* @s, new, is hashed, unless another came first: that one, referenced. */
static struct skep_sock *hash_add(struct skep_sock *s)
{
	struct skep_sock *other;

	skep_lock(&hash_lock);
	other = chain_find(s->cookie);
	if (!other) {
		s->hash_next = *bucket(s->cookie);
		*bucket(s->cookie) = s;
		SKEP_WRITE(skep_nr_socks, skep_nr_socks + 1);
		skep_sock_get(s);
	}
	skep_unlock(&hash_lock);
	if (!other)
		return s;
	skep_sock_put(s);
	return other;
}

/* --- ends --- */

/* Does some descriptor of this process show the socket with inode @ino? When in doubt, yes. */
static bool is_open(u64 ino)
{
	char buf[2048] __attribute__((aligned(8))), want[40] = "socket:[", link[32];
	long dir = skep_raw(__NR_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n;
	u32 len = 8;
	bool found = false;

	if (dir < 0)
		return true;
	len += skep_proc_number(want + len, (u32)ino); /* sockfs numbers have 32 bits */
	want[len++] = ']';
	while (!found && (n = skep_raw(__NR_getdents64, dir, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n && !found; p += *(u16 *)(p + 16))
			found = skep_raw(__NR_readlinkat, dir, p + 19, link, sizeof(link)) == len &&
				!memcmp(link, want, len);
	skep_raw(__NR_close, dir);
	return found;
}

struct skep_sock *skep_sock_find(int fd)
{
	u64 cookie;

	return cookie_of(fd, &cookie) ? NULL : hash_find(cookie);
}

u64 skep_sock_closing(int fd)
{
	u64 cookie;

	return cookie_of(fd, &cookie) ? 0 : cookie;
}

/* An object made since closing() is found too: who made it then looked at the descriptor again. */
void skep_sock_closed(u64 cookie)
{
	struct skep_sock *s = hash_find(cookie);

	if (s && !is_open(s->ino))
		retire(s);
	skep_sock_put(s);
}

/* Ends that nobody reported: looked for when objects have doubled since the last time. */
static void sweep(void)
{
	if (SKEP_READ(skep_nr_socks) < SKEP_READ(sweep_at))
		return;
	for (u32 b = 0; b < BUCKETS; b++) {
		struct skep_sock *s, *next;

		skep_lock(&hash_lock);
		s = buckets[b];
		if (s)
			skep_sock_get(s);
		skep_unlock(&hash_lock);
		for (; s; s = next) {
			bool gone = !is_open(s->ino);

			skep_lock(&hash_lock);
			next = s->dead ? NULL : s->hash_next;
			if (next)
				skep_sock_get(next);
			skep_unlock(&hash_lock);
			if (gone)
				retire(s);
			skep_sock_put(s);
		}
	}
	SKEP_WRITE(sweep_at, SKEP_MAX(2 * SKEP_READ(skep_nr_socks), MIN_SWEEP));
}

struct skep_sock *skep_sock_by_fd(int fd, int *ret_err)
{
	struct skep_sock *s;
	u64 cookie, again;
	struct stat st;

	*ret_err = cookie_of(fd, &cookie);
	if (*ret_err)
		return NULL;
	*ret_err = -ENOMEM;
	if (!ready())
		return NULL;
	s = hash_find(cookie);
	if (!s) {
		sweep();
		/* Twice: the number may be given to another file in between. */
		if (skep_raw(__NR_fstat, fd, &st) || cookie_of(fd, &again) || again != cookie) {
			*ret_err = -EBADF;
			return NULL;
		}
		s = sock_new(fd, cookie, st.st_ino);
		if (!s)
			return NULL;
		s = hash_add(s);
		/* Closed meanwhile by who did not see the object yet? */
		if ((cookie_of(fd, &again) || again != cookie) && !is_open(s->ino))
			retire(s);
	}
	fill(s, fd);
	return s;
}

void skep_sock_fork_child(void)
{
	skep_lock_reset(&init_lock);
	skep_lock_reset(&hash_lock);
	memset(buckets, 0, sizeof(buckets));
	skep_nr_socks = 0;
}
