/* SPDX-License-Identifier: BSD-2-Clause */
/* References that no dying map could drop: these types are refused, and so is what needs them. */
#include "common.h"

struct inode {
	int i_flags;
} __attribute__((preserve_access_index));

struct elem {
	long counter;
	struct inode KPTR *inode;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct elem);
} elems SEC(".maps");

static NOINLINE int flags_of(struct inode *i)
{
	return i->i_flags;
}

SEC("tc") int no_xchg(void *ctx)
{
	int key = 0;
	struct elem *e = bpf_map_lookup_elem(&elems, &key);
	struct inode *old = e ? bpf_kptr_xchg(&e->inode, NULL) : NULL;

	return old ? flags_of(old) : 0;
}

/* Without types, its field is a number. */
SEC("tc") int ok_plain_number(void *ctx)
{
	int key = 0;
	struct elem *e = bpf_map_lookup_elem(&elems, &key);

	if (e)
		*(volatile long *)&e->inode = 1;
	return 0;
}
