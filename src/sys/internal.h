/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to sys/: commands, a file per group.
 */
#ifndef SKEP_SYS_INTERNAL_H
#define SKEP_SYS_INTERNAL_H

#include "base/uaccess.h"
#include "isa/uapi.h"

/* The attr as 6.18 lays it out: the system's union, room for the longer fields. */
union skep_attr {
	union bpf_attr u;
	struct skep_attr_map_create map_create;
	struct skep_attr_prog_load prog_load;
	struct skep_attr_btf_load btf_load;
	u8 bytes[SKEP_ATTR_SIZE];
};

/* One call: the attr copied in and zero-extended, and where it came from. */
struct skep_call {
	const struct skep_caller *caller;
	u64 uattr;
	u32 size;
	union skep_attr attr;
};

long skep_sys_map_create(struct skep_call *c);
long skep_sys_map_lookup(struct skep_call *c);
long skep_sys_map_update(struct skep_call *c);
long skep_sys_map_delete(struct skep_call *c);
long skep_sys_map_next_key(struct skep_call *c);
long skep_sys_map_lookup_and_delete(struct skep_call *c);
long skep_sys_map_freeze(struct skep_call *c);
long skep_sys_prog_load(struct skep_call *c);
long skep_sys_prog_test_run(struct skep_call *c);
long skep_sys_prog_bind_map(struct skep_call *c);
long skep_sys_btf_load(struct skep_call *c);
long skep_sys_next_id(struct skep_call *c, int type);
long skep_sys_fd_by_id(struct skep_call *c, int type);
long skep_sys_info_by_fd(struct skep_call *c);
long skep_sys_raw_tp_open(struct skep_call *c);
long skep_sys_link_create(struct skep_call *c);
long skep_sys_link_detach(struct skep_call *c);
long skep_sys_token_create(struct skep_call *c);

/* Publish nothing, hand out a descriptor; drops the caller's reference when that fails. */
struct skep_obj;
long skep_sys_install(struct skep_obj *o, u32 access);
/* BPF_F_RDONLY / BPF_F_WRONLY to descriptor access; -EINVAL for both. */
int skep_sys_access(u32 flags);

#endif
