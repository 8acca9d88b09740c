/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accept or reject one program, and say what is known about each of its instructions.
 *
 * Reference: Linux 6.18, a privileged caller. Pure: reads only the request and the host window;
 * writes only the log and the result. May sleep, allocates, not reentrant for one request.
 */
#ifndef SKEP_VERIFIER_VERIFIER_H
#define SKEP_VERIFIER_VERIFIER_H

#include "isa/facts.h"
#include "spec/host.h"

struct state; /* private: verifier/env.h */

/* For tests: told of every instruction that the walk is about to take, with the state before it. */
struct skep_verify_watch {
	int (*step)(void *priv, u32 insn, const struct state *st); /* an error ends the walk */
	void (*again)(void *priv); /* the walk begins anew: forget its steps; may be NULL */
	void *priv;
	bool every_path; /* cut none short where an explored state covers it */
};

/* The program whose function is to be replaced by an extension. */
struct skep_verify_target {
	u32 prog_type, attach_type;
	const struct skep_subprog *subprogs;
	u32 nr_subprogs;
};

struct skep_verify_req {
	const struct skep_verify_host *host;

	const struct bpf_insn *insns; /* copied */
	u32 nr_insns;
	u32 prog_type, attach_type, flags;
	bool gpl;
	const char *name;

	const struct skep_btf *attach_btf; /* of attach_btf_id; NULL when there is no target */
	u32 attach_btf_id;
	const struct skep_verify_target *target; /* attach_btf is its BTF; NULL: the kernel */

	const struct skep_btf *prog_btf; /* NULL when the program has none */
	/* func_info and line_info records, already copied in; rec sizes normalised to 8 and 16. */
	const struct bpf_func_info *func_info;
	u32 nr_func_info;
	const struct bpf_line_info *line_info;
	u32 nr_line_info;
	/*
	 * What kept the caller from reading them: types, or records from number *_read on. Told
	 * when what could be read is found good, so that the first mistake is the one that is told.
	 */
	int prog_btf_err, func_info_err, line_info_err;
	u32 core_relo_cnt; /* relocations left to us: refused */
	u32 func_info_read, line_info_read, func_info_rec_size;

	const u32
		*fd_array_fds; /* fd_array_cnt form: every entry must be a map or BTF; else NULL */
	u32 fd_array_cnt;
	int fd_array_err; /* why there are no more entries, 0: there are none */

	/*
	 * The log as the kernel keeps it: at most log_size bytes incl. NUL in log_buf (skep's own
	 * memory; the caller copies it out), rotating to keep the end unless level has LOG_FIXED.
	 */
	u32 log_level;
	char *log_buf;
	u32 log_size;

	const struct skep_verify_watch *watch; /* NULL outside of tests */
};

struct skep_verify_stats {
	u32 processed, total_states, peak_states, max_states_per_insn;
	u64 usec;
};

struct skep_verify_res {
	u32 log_len;	   /* bytes in log_buf, without the NUL */
	u32 log_true_size; /* bytes a big enough buffer would have needed, incl. the NUL */
	bool log_truncated;
	struct skep_verify_stats stats;
	const char *attach_name; /* tracing: name of the target function or tracepoint (no
				    btf_trace_) */
	u32 attach_nr_args;
	bool enforce_attach_type;
	char reason[256]; /* on rejection: the last line of the log, whatever the level */
};

/*
 * 0: accepted, *ret_prog filled (skep_vprog_fini to free). Negative errno: rejected, the kernel's
 * errno. The log is complete in both cases; -ENOSPC when it did not fit.
 */
int skep_verify(const struct skep_verify_req *req, struct skep_vprog *ret_prog,
		struct skep_verify_res *ret_res);

#endif
