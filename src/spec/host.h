/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verifier's only window on the world: facts about maps and BTF, never live objects.
 *
 * load/host.c fills it for the running subsystem; tests and fuzzers fill it with fakes.
 */
#ifndef SKEP_SPEC_HOST_H
#define SKEP_SPEC_HOST_H

#include "btf/btf.h"
#include "isa/facts.h"

/* What a program's verdict may depend on, of one map. Embedded in the live map. */
struct skep_map_facts {
	u32 type, key_size, value_size, max_entries, flags;
	u64 map_extra;
	char name[16];
	bool frozen;
	bool has_direct;	    /* ldimm64 direct value addresses are possible */
	bool placed;		    /* arenas: where user space sees them is known */
	const struct skep_btf *btf; /* of key and value types, or NULL */
	u32 btf_key_id, btf_value_id;
	const struct skep_btf_record *record; /* special fields, or NULL */
	const struct skep_map_facts *inner;   /* map-in-map: the template of inner maps */
};

struct skep_verify_host {
	void *priv;
	/*
	 * The map behind descriptor @fd. Borrowed: stays valid until the verification ends (the
	 * host keeps a reference). -EBADF not a descriptor of ours, -EINVAL another kind of object.
	 */
	int (*map_by_fd)(void *priv, int fd, struct skep_map_facts **ret_map);
	/* The BTF behind @fd (kernel BTF or module): borrowed. -EBADF, -EINVAL. */
	int (*btf_by_fd)(void *priv, int fd, const struct skep_btf **ret_btf);
	/* Descriptor number @idx of the fd_array attribute. -EFAULT, -EPROTO (there is none). */
	int (*fd_array)(void *priv, u32 idx, int *ret_fd);
	/* The presented kernel's BTF; NULL when there is none (loads that need it fail). Lazy. */
	const struct skep_btf *(*kernel_btf)(void *priv);
	/* Bytes of a frozen read-only map's value: constant for the verifier. 0 or -errno. */
	int (*map_const)(void *priv, const struct skep_map_facts *m, u32 off, u32 size,
			 u64 *ret_value);
	/* NUL-terminated constant string at @off in such a map: its address for reading, or NULL.
	 */
	const char *(*map_const_str)(void *priv, const struct skep_map_facts *m, u32 off,
				     u32 *ret_max_len);
	/* Has skep a body for helper @id in this context? false: load is refused, with a message.
	 */
	bool (*helper_implemented)(void *priv, u32 id, u32 prog_type);
	/* Can programs be attached to kernel function/tracepoint @name? 0 or -errno. */
	int (*attach_target_ok)(void *priv, u32 prog_type, u32 attach_type, const char *name);
	/* Address of a typed kernel variable (ksym) or NULL. */
	void *(*ksym_addr)(void *priv, const struct skep_btf *btf, u32 id);
	/* Has the presented kernel a symbol @name? 1, 0, or -1: unknown. NULL: unknown. */
	int (*has_symbol)(void *priv, const char *name);
	u32 nr_cpus; /* range of get_smp_processor_id */
	/*
	 * Only the verdict is wanted, nothing will run: what the presented kernel has is taken to
	 * be there, whether skep has a body for it or not.
	 */
	bool verdict_only;
};

#endif
