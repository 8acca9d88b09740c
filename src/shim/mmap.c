/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings of objects: the object names the memory, the real mmap places it.
 *
 * Mapped ranges are remembered: an object lives as long as it is mapped, writable mappings count
 * for BPF_MAP_FREEZE, and mprotect may not add what the object forbids. A range ends by munmap,
 * by a mapping placed over it (MAP_FIXED, mremap), or partly by either, whereupon it is split.
 * Ranges hang on a list under range_lock; applications map few objects.
 *
 * Every mmap and munmap of the application passes here. One that can have nothing to do with an
 * object costs a test or two; mapping a file while objects exist, an fstat.
 */
#include "shim/shim.h"

#include "base/alloc.h"

#define PAGE 4096ul

struct range {
	struct range *next;
	u64 start, end;
	struct skep_obj *obj; /* reference */
	int prot;	      /* as mapped: what mmap_open was told */
	int prot_max;
};

static struct skep_lock range_lock;
static struct range *ranges;
static u32 nr_ranges;

static struct range *new_range(struct skep_obj *o, u64 start, u64 end, int prot, int prot_max)
{
	struct range *r = skep_zalloc(sizeof(*r));

	if (!r)
		return NULL;
	r->start = start;
	r->end = end;
	r->obj = skep_obj_get(o);
	r->prot = prot;
	r->prot_max = prot_max;
	return r;
}

static void end_range(struct range *r)
{
	if (r->obj->ops->mmap_close)
		r->obj->ops->mmap_close(r->obj, r->prot);
	skep_obj_put(r->obj);
	skep_free(r);
}

/* range_lock held. */
static void add_range(struct range *r)
{
	r->next = ranges;
	ranges = r;
	SKEP_WRITE(nr_ranges, nr_ranges + 1);
}

/*
 * [start, end) was unmapped or covered. Takes what lies inside out of the list; returns it for
 * end_range() outside the lock.
 */
static struct range *cut(u64 start, u64 end)
{
	struct range **pp = &ranges, *gone = NULL, *r;

	skep_lock(&range_lock);
	while ((r = *pp)) {
		if (r->end <= start || r->start >= end) {
			pp = &r->next;
			continue;
		}
		if (r->start < start && r->end > end) { /* a hole: the upper part lives on */
			struct range *up = new_range(r->obj, end, r->end, r->prot, r->prot_max);

			if (up && up->obj->ops->mmap_open)
				up->obj->ops->mmap_open(up->obj, up->prot);
			r->end = start;
			if (up)
				add_range(up);
			pp = &r->next;
		} else if (r->start < start) {
			r->end = start;
			pp = &r->next;
		} else if (r->end > end) {
			r->start = end;
			pp = &r->next;
		} else {
			*pp = r->next;
			SKEP_WRITE(nr_ranges, nr_ranges - 1);
			r->next = gone;
			gone = r;
		}
	}
	skep_unlock(&range_lock);
	return gone;
}

static void cut_and_end(u64 start, u64 len)
{
	struct range *gone, *next;

	if (likely(!SKEP_READ(nr_ranges)) || shim_inside())
		return;
	len = SKEP_ALIGN_UP(len, PAGE);
	for (gone = cut(start, start + len); gone; gone = next) {
		next = gone->next;
		end_range(gone);
	}
}

/* One or two pieces of the object's memory at one address; the address or -errno. */
static long place(void *addr, const struct skep_mmap_req *req)
{
	long at, err;

	if (!req->split || req->split >= req->len)
		return skep_raw(__NR_mmap, addr, req->len, req->prot, req->flags, req->memfd,
				req->memfd_off);
	/* Reserve the whole first: a failure in between must leave nothing behind. */
	at = skep_raw(__NR_mmap, addr, req->len, PROT_NONE,
		      (req->flags & ~MAP_TYPE) | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at < 0 && at > -4096)
		return at;
	err = skep_raw(__NR_mmap, at, req->split, req->prot,
		       (req->flags & ~MAP_FIXED_NOREPLACE) | MAP_FIXED, req->memfd, req->memfd_off);
	if (err == at) {
		err = skep_raw(__NR_mmap, at + (long)req->split, req->len - req->split, req->prot,
			       (req->flags & ~MAP_FIXED_NOREPLACE) | MAP_FIXED, req->memfd,
			       req->memfd_off2);
		if (err == at + (long)req->split)
			return at;
	}
	skep_raw(__NR_munmap, at, req->len);
	return err;
}

static long map_object(struct skep_obj *o, u32 access, void *addr, size_t len, int prot, int flags,
		       off_t off)
{
	struct skep_mmap_req req = {
		.off = (u64)off,
		.len = SKEP_ALIGN_UP((u64)len, PAGE),
		.prot = prot,
		.flags = flags,
		.may_write = access & SKEP_FD_WRITE,
		.memfd = -1,
	};
	struct range *r;
	long at;

	if (!len || (off & (PAGE - 1)))
		return -EINVAL;
	if (!(access & SKEP_FD_READ))
		return -EACCES;
	if (prot & PROT_EXEC)
		return -EPERM; /* such files lie on a file system without programs */
	if ((prot & PROT_WRITE) && (flags & MAP_TYPE) != MAP_PRIVATE && !(access & SKEP_FD_WRITE))
		return -EACCES;
	if (!o->ops->mmap)
		return o->type == SKEP_OBJ_MAP ? -SKEP_ENOTSUPP : -ENODEV;
	r = new_range(o, 0, 0, prot, prot);
	if (!r)
		return -ENOMEM;
	/* Counted before it is asked for: whoever freezes the map now sees us, or we see it frozen.
	 */
	if (o->ops->mmap_open)
		o->ops->mmap_open(o, prot);
	at = o->ops->mmap(o, &req);
	if (!at)
		at = place(addr, &req);
	if (at < 0 && at > -4096) {
		end_range(r);
		return at;
	}
	if (req.prot_max)
		r->prot_max = req.prot_max;
	cut_and_end((u64)at, req.len); /* MAP_FIXED over an earlier one */
	r->start = (u64)at;
	r->end = (u64)at + req.len;
	skep_lock(&range_lock);
	add_range(r);
	skep_unlock(&range_lock);
	return at;
}

long shim_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	struct skep_obj *o;
	u32 access;
	int err;
	long r;

	if (!(flags & MAP_ANONYMOUS) && skep_fd_have_any() && !shim_inside()) {
		o = skep_fd_get(fd, -1, &access, &err);
		if (o) {
			r = map_object(o, access, addr, len, prot, flags, off);
			skep_obj_put(o);
			return r;
		}
	}
	r = skep_raw(__NR_mmap, addr, len, prot, flags, fd, off);
	if ((flags & MAP_FIXED) && r == (long)addr)
		cut_and_end((u64)addr, len);
	return r;
}

bool shim_leaving;

long shim_munmap(void *addr, size_t len)
{
	long r;

	/*
	 * liburcu's destructor unmaps its registry by this call while other threads may be about
	 * to enter a read section. The process is ending: memory stays.
	 */
	if (unlikely(SKEP_READ(shim_leaving)))
		return 0;
	r = skep_raw(__NR_munmap, addr, len);

	if (!r)
		cut_and_end((u64)addr, len);
	return r;
}

long shim_mprotect(void *addr, size_t len, int prot)
{
	u64 start = (u64)addr, end = start + len;
	bool refused = false;

	if (unlikely(SKEP_READ(nr_ranges)) && !shim_inside()) {
		skep_lock(&range_lock);
		for (struct range *r = ranges; r; r = r->next)
			if (r->start < end && r->end > start && (prot & ~r->prot_max & PROT_WRITE))
				refused = true;
		skep_unlock(&range_lock);
	}
	return refused ? -EACCES : skep_raw(__NR_mprotect, addr, len, prot);
}

long shim_mremap(void *old, size_t old_len, size_t new_len, int flags, void *addr)
{
	struct range *moved = NULL;
	u64 start = (u64)old;
	long r;

	if (likely(!SKEP_READ(nr_ranges)) || shim_inside())
		return skep_raw(__NR_mremap, old, old_len, new_len, flags, addr);
	skep_lock(&range_lock);
	for (struct range *it = ranges; it; it = it->next)
		if (it->start <= start && start < it->end)
			moved = it;
	if (moved)
		moved = new_range(moved->obj, 0, 0, moved->prot, moved->prot_max);
	skep_unlock(&range_lock);
	/* An object's mapping has the size it has. */
	r = moved && new_len > old_len ? -EFAULT
				       : skep_raw(__NR_mremap, old, old_len, new_len, flags, addr);
	if (r < 0 && r > -4096) {
		if (moved) {
			skep_obj_put(moved->obj);
			skep_free(moved);
		}
		return r;
	}
	if (moved && moved->obj->ops->mmap_open)
		moved->obj->ops->mmap_open(moved->obj, moved->prot);
	cut_and_end((u64)old, old_len);
	if ((flags & MREMAP_FIXED))
		cut_and_end((u64)addr, new_len);
	if (moved) {
		moved->start = (u64)r;
		moved->end = (u64)r + SKEP_ALIGN_UP(new_len, PAGE);
		skep_lock(&range_lock);
		add_range(moved);
		skep_unlock(&range_lock);
	}
	return r;
}

void shim_mmap_fork_child(void)
{
	skep_lock_reset(&range_lock);
	ranges = NULL;
	nr_ranges = 0;
}

SKEP_EXPORT void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return (void *)shim_ret(SHIM_TRACED(__NR_mmap, shim_mmap(addr, len, prot, flags, fd, off),
					    addr, len, prot, flags, fd, off));
}

SKEP_EXPORT void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t off)
{
	return mmap(addr, len, prot, flags, fd, off);
}

SKEP_EXPORT int munmap(void *addr, size_t len)
{
	return (int)shim_ret(SHIM_TRACED(__NR_munmap, shim_munmap(addr, len), addr, len));
}

SKEP_EXPORT int mprotect(void *addr, size_t len, int prot)
{
	return (int)shim_ret(
		SHIM_TRACED(__NR_mprotect, shim_mprotect(addr, len, prot), addr, len, prot));
}

SKEP_EXPORT void *mremap(void *old, size_t old_len, size_t new_len, int flags, ...)
{
	void *addr = NULL;
	va_list ap;

	va_start(ap, flags);
	if (flags & MREMAP_FIXED)
		addr = va_arg(ap, void *);
	va_end(ap);
	return (void *)shim_ret(SHIM_TRACED(__NR_mremap,
					    shim_mremap(old, old_len, new_len, flags, addr), old,
					    old_len, new_len, flags, addr));
}
