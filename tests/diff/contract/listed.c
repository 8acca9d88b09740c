/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel has and skep does not, or the other way round: the source of lists in the
 * documentation. Here answers are expected to differ.
 */
#include "contract.h"

static void commands(void)
{
	static const struct {
		int cmd;
		const char *name;
	} c[] = {
		{6, "OBJ_PIN"},		  {7, "OBJ_GET"},
		{8, "PROG_ATTACH"},	  {9, "PROG_DETACH"},
		{16, "PROG_QUERY"},	  {20, "TASK_FD_QUERY"},
		{24, "MAP_LOOKUP_BATCH"}, {25, "MAP_LOOKUP_AND_DELETE_BATCH"},
		{26, "MAP_UPDATE_BATCH"}, {27, "MAP_DELETE_BATCH"},
		{29, "LINK_UPDATE"},	  {32, "ENABLE_STATS"},
		{33, "ITER_CREATE"},	  {37, "PROG_STREAM_READ_BY_FD"},
	};

	for (unsigned int i = 0; i < COUNT(c); i++) {
		memset(&A, 0, sizeof(A));
		A.w[0] = 9999;
		if (c[i].cmd == 24 || c[i].cmd == 25 || c[i].cmd == 26 || c[i].cmd == 27) {
			A.w[0] = 0;
			A.u.batch.map_fd = 9999;
			A.u.batch.count = 1;
		}
		try(c[i].cmd, "command %s", c[i].name);
	}
}

static void map_types(void)
{
	static const struct {
		uint32_t type;
		const char *name;
		uint32_t key, value, max, flags;
	} t[] = {
		{1, "hash", 4, 8, 4, 0},
		{1, "hash, no prealloc", 4, 8, 4, 1},
		{2, "array", 4, 8, 4, 0},
		{3, "prog_array", 4, 4, 4, 0},
		{4, "perf_event_array", 4, 4, 4, 0},
		{5, "percpu_hash", 4, 8, 4, 0},
		{6, "percpu_array", 4, 8, 4, 0},
		{7, "stack_trace", 4, 8, 4, 0},
		{8, "cgroup_array", 4, 4, 4, 0},
		{9, "lru_hash", 4, 8, 4, 0},
		{10, "lru_percpu_hash", 4, 8, 4, 0},
		{11, "lpm_trie", 8, 8, 4, 1},
		{14, "devmap", 4, 4, 4, 0},
		{15, "sockmap", 4, 4, 4, 0},
		{16, "cpumap", 4, 4, 4, 0},
		{17, "xskmap", 4, 4, 4, 0},
		{18, "sockhash", 4, 4, 4, 0},
		{20, "reuseport_sockarray", 4, 8, 4, 0},
		{22, "queue", 0, 8, 4, 0},
		{23, "stack", 0, 8, 4, 0},
		{25, "devmap_hash", 4, 4, 4, 0},
		{27, "ringbuf", 0, 0, 4096, 0},
		{27, "ringbuf, overwriting", 0, 0, 4096, 1u << 19},
		{30, "bloom_filter", 0, 8, 4, 0},
		{31, "user_ringbuf", 0, 0, 4096, 0},
		{33, "arena", 0, 0, 4, 1u << 10},
	};

	for (unsigned int i = 0; i < COUNT(t); i++) {
		ATTR(.map_type = t[i].type, .key_size = t[i].key, .value_size = t[i].value,
		     .max_entries = t[i].max, .map_flags = t[i].flags);
		try(BPF_MAP_CREATE, "map type %s", t[i].name);
	}
}

static void prog_types(void)
{
	static const char *const names[] = {
		"unspec",
		"socket_filter",
		"kprobe",
		"sched_cls",
		"sched_act",
		"tracepoint",
		"xdp",
		"perf_event",
		"cgroup_skb",
		"cgroup_sock",
		"lwt_in",
		"lwt_out",
		"lwt_xmit",
		"sock_ops",
		"sk_skb",
		"cgroup_device",
		"sk_msg",
		"raw_tracepoint",
		"cgroup_sock_addr",
		"lwt_seg6local",
		"lirc_mode2",
		"sk_reuseport",
		"flow_dissector",
		"cgroup_sysctl",
		"raw_tracepoint_writable",
		"cgroup_sockopt",
		"tracing",
		"struct_ops",
		"ext",
		"lsm",
		"sk_lookup",
		"syscall",
		"netfilter",
	};
	static const uint8_t attach[33] = {[18] = 8, [25] = 21, [30] = 36, [32] = 45};

	for (unsigned int t = 1; t < COUNT(names); t++) {
		static struct bpf_insn in[] = {MOV_IMM(0, 1), EXIT()};

		/* Those that need a target are in the comparable part, or nowhere. */
		if (t >= 26 && t <= 29)
			continue;
		ATTR(.prog_type = t, .insn_cnt = 2, .insns = PTR(in), .license = PTR("GPL"),
		     .expected_attach_type = attach[t]);
		if (t == BPF_PROG_TYPE_SYSCALL)
			A.u.prog_flags = BPF_F_SLEEPABLE;
		try(BPF_PROG_LOAD, "program type %s", names[t]);
	}
}

void listed_cases(void)
{
	commands();
	map_types();
	prog_types();
}
