/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few members of kernel objects that some programs may write.
 */
#include "verifier/env.h"

#include <string.h>

struct member {
	const char *of, *path;
	bool anywhere; /* at any offset inside it */
};

static const struct member tcp_sock_members[] = {
	{"sock", "sk_pacing_rate", false},
	{"sock", "sk_pacing_status", false},
	{"inet_connection_sock", "icsk_ca_priv", true},
	{"inet_connection_sock", "icsk_ack.pending", false},
	{"tcp_sock", "snd_cwnd", false},
	{"tcp_sock", "snd_cwnd_cnt", false},
	{"tcp_sock", "snd_cwnd_stamp", false},
	{"tcp_sock", "snd_ssthresh", false},
	{"tcp_sock", "ecn_flags", false},
	{"tcp_sock", "app_limited", false},
};
static const struct member conn_members[] = {{"nf_conn", "mark", false}};

static int check_members(struct env *env, const struct skep_btf *btf, const char *name,
			 const struct member *m, u32 n, s32 off, u32 size)
{
	for (u32 i = 0; i < n; i++) {
		u32 at, len;

		if (skep_btf_field(btf, m[i].of, m[i].path, &at, &len) || (u32)off < at ||
		    (u32)off >= at + len || (!m[i].anywhere && (u32)off != at))
			continue;
		if ((u32)off + size <= at + len)
			return 0;
		vf_say(env,
		       "write access at off %d with size %u beyond the member of %s ended at %u\n",
		       off, size, name, at + len);
		return -EACCES;
	}
	vf_say(env, "no write support to %s at off %d\n", name, off);
	return -EACCES;
}

int vf_check_btf_write(struct env *env, const struct reg *r, s32 off, u32 size)
{
	const char *name = vf_type_name(r->btf, r->btf_id), *ops = env->attach_ops;
	u32 type = env->req->prog_type;

	if (type == BPF_PROG_TYPE_STRUCT_OPS && ops && !strcmp(ops, "bpf_dummy_ops")) {
		s64 end = skep_btf_size(r->btf, r->btf_id);

		if (strcmp(name, "bpf_dummy_ops_state")) {
			vf_say(env, "only access to bpf_dummy_ops_state is supported\n");
			return -EACCES;
		}
		if ((s64)off + size <= end)
			return 0;
		vf_say(env, "write access at off %d with size %u\n", off, size);
		return -EACCES;
	}
	if (type == BPF_PROG_TYPE_STRUCT_OPS && ops && !strcmp(ops, "tcp_congestion_ops") &&
	    !strcmp(name, "tcp_sock"))
		return check_members(env, r->btf, name, tcp_sock_members,
				     ARRAY_SIZE(tcp_sock_members), off, size);
	if ((type == BPF_PROG_TYPE_SCHED_CLS || type == BPF_PROG_TYPE_SCHED_ACT ||
	     type == BPF_PROG_TYPE_XDP) &&
	    (!strcmp(name, "nf_conn") || !strcmp(name, "nf_conn___init")))
		return check_members(env, r->btf, "nf_conn", conn_members,
				     ARRAY_SIZE(conn_members), off, size);
	vf_say(env, "only read is supported\n");
	return -EACCES;
}
