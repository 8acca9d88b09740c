/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes: one object per file that somebody asked for, by a descriptor of this process or a path.
 *
 * Filled view fields: i_ino, i_mode, i_uid, i_gid, i_size, i_nlink, i_rdev, and a struct
 * super_block with s_dev and s_magic. docs/parity.md has the list.
 *
 * A file is identified by file system, inode number and, since numbers are used again, its time of
 * birth where the file system tells it. The kernel may forget an inode that nobody has open, and
 * what it owns, when memory is short. Here an object goes when the file was unlinked and its last
 * descriptor in this process is closed, or, beyond SKEP_INODES_KEPT of them, when it is the one
 * that was asked for longest ago and has no descriptor.
 */
#ifndef SKEP_KERN_INODE_H
#define SKEP_KERN_INODE_H

#include "btf/btf.h"
#include "kern/owner.h"

#define SKEP_INODES_KEPT 65536u

/* skep's part; the view, a struct inode, starts right after it. */
struct skep_inode {
	u64 refs;
	u64 dev, ino, birth; /* birth: ns, 0 unknown */
	u64 last_asked;
	bool dead;
	struct skep_inode *hash_next;
	void *super; /* view of a struct super_block */
	struct skep_rcu_head rcu;
	struct skep_storage_owner owner; /* last: see kern/owner.h */
} __attribute__((aligned(64)));

static inline void *skep_inode_view(struct skep_inode *i)
{
	return i + 1;
}
static inline struct skep_inode *skep_inode_of_view(u64 view)
{
	return (struct skep_inode *)view - 1;
}

/* Lay inodes out by @kernel_btf (NULL: no fields). Idempotent. 0 or -ENOMEM. */
int skep_inode_init(const struct skep_btf *kernel_btf);

/*
 * Referenced inode of what is open at @fd, its view as it is now. NULL with *ret_err: -EBADF,
 * -ENOMEM. Any context.
 */
struct skep_inode *skep_inode_by_fd(int fd, int *ret_err);
/*
 * The same by path from directory @dir, not following a symbolic link at its end; *ret_err may also
 * be the errno of the path.
 */
struct skep_inode *skep_inode_by_path(int dir, const char *path, int *ret_err);
void skep_inode_get(struct skep_inode *i);
bool skep_inode_get_unless_zero(struct skep_inode *i);
void skep_inode_put(struct skep_inode *i); /* takes NULL */

/* Files that have an object: the front end's test whether a close may matter. */
extern u32 skep_nr_inodes;
/*
 * Around the close of @fd: closing() tells an unlinked file there, *ret zeroed for none; closed()
 * ends its object, if there is one and no descriptor of this process is left.
 */
struct skep_inode_id {
	u64 dev, ino;
};
void skep_inode_closing(int fd, struct skep_inode_id *ret);
void skep_inode_closed(const struct skep_inode_id *id);

void skep_inode_fork_child(void);

#endif
