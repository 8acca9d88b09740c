/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every access of every context, one tiny program each: offset by size by direction.
 *
 * Included by verifier_oracle.c alone.
 */

static const struct {
	u32 type, attach;
	const char *name;
	u32 size; /* offsets beyond it are tried as well, a little */
	int ret;  /* a result that the type allows */
	u32 flags;
	const char *target;
	const char *first; /* instructions that put what is accessed into R1 */
} sweep_contexts[] = {
	{1, 0, "socket_filter", 192, 0},
	{2, 0, "kprobe", 168, 0},
	{2, 42, "kprobe_multi", 168, 0},
	{2, 56, "kprobe_session", 168, 0},
	{3, 0, "sched_cls", 192, 0},
	{4, 0, "sched_act", 192, 0},
	{5, 0, "tracepoint", 64, 0},
	{6, 0, "xdp", 24, 0},
	{6, 33, "xdp_devmap", 24, 0},
	{6, 35, "xdp_cpumap", 24, 0},
	{7, 0, "perf_event", 184, 0},
	{8, 0, "cgroup_skb ingress", 192, 0},
	{8, 1, "cgroup_skb egress", 192, 0},
	{9, 2, "cgroup_sock create", 80, 0},
	{9, 34, "cgroup_sock release", 80, 0},
	{9, 12, "cgroup_sock post_bind4", 80, 0},
	{9, 13, "cgroup_sock post_bind6", 80, 0},
	{10, 0, "lwt_in", 192, 0},
	{11, 0, "lwt_out", 192, 0},
	{12, 0, "lwt_xmit", 192, 0},
	{13, 3, "sock_ops", 224, 0},
	{14, 4, "sk_skb parser", 192, 0},
	{14, 5, "sk_skb verdict", 192, 0},
	{15, 6, "cgroup_device", 12, 0},
	{16, 7, "sk_msg", 80, 0},
	{17, 0, "raw_tracepoint", 96, 0},
	{18, 8, "bind4", 72, 1},
	{18, 9, "bind6", 72, 1},
	{18, 10, "connect4", 72, 1},
	{18, 11, "connect6", 72, 1},
	{18, 14, "sendmsg4", 72, 1},
	{18, 15, "sendmsg6", 72, 1},
	{18, 19, "recvmsg4", 72, 1},
	{18, 20, "recvmsg6", 72, 1},
	{18, 29, "getpeername4", 72, 1},
	{18, 30, "getpeername6", 72, 1},
	{18, 31, "getsockname4", 72, 1},
	{18, 32, "getsockname6", 72, 1},
	{18, 49, "connect_unix", 72, 1},
	{18, 50, "sendmsg_unix", 72, 1},
	{18, 51, "recvmsg_unix", 72, 1},
	{18, 52, "getpeername_unix", 72, 1},
	{18, 53, "getsockname_unix", 72, 1},
	{19, 0, "lwt_seg6local", 192, 0},
	{21, 39, "sk_reuseport", 56, 0},
	{21, 40, "sk_reuseport migrate", 56, 0},
	{22, 17, "flow_dissector", 192, 0},
	{23, 18, "cgroup_sysctl", 8, 0},
	{24, 0, "raw_tracepoint_writable", 96, 0},
	{25, 21, "getsockopt", 40, 0},
	{25, 22, "setsockopt", 40, 0},
	{26, 23, "tp_btf sys_enter", 24, 0, 0, "sys_enter"},
	{26, 28, "iter bpf_link", 40, 0, 0, "fn:bpf_iter_bpf_link"},
	{26, 28, "iter bpf_map", 40, 0, 0, "fn:bpf_iter_bpf_map"},
	{26, 28, "iter bpf_prog", 40, 0, 0, "fn:bpf_iter_bpf_prog"},
	{26, 28, "iter cgroup", 40, 0, 0, "fn:bpf_iter_cgroup"},
	{26, 28, "iter dmabuf", 40, 0, 0, "fn:bpf_iter_dmabuf"},
	{26, 28, "iter ipv6_route", 40, 0, 0, "fn:bpf_iter_ipv6_route"},
	{26, 28, "iter kmem_cache", 40, 0, 0, "fn:bpf_iter_kmem_cache"},
	{26, 28, "iter ksym", 40, 0, 0, "fn:bpf_iter_ksym"},
	{26, 28, "iter netlink", 40, 0, 0, "fn:bpf_iter_netlink"},
	{26, 28, "iter task", 40, 0, 0, "fn:bpf_iter_task"},
	{26, 28, "iter task_file", 40, 0, 0, "fn:bpf_iter_task_file"},
	{26, 28, "iter task_vma", 40, 0, 0, "fn:bpf_iter_task_vma"},
	{26, 28, "iter tcp", 40, 0, 0, "fn:bpf_iter_tcp"},
	{26, 28, "iter udp", 40, 0, 0, "fn:bpf_iter_udp"},
	{26, 28, "iter unix", 40, 0, 0, "fn:bpf_iter_unix"},
	{27, 0, "struct_ops 0", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 1, "struct_ops 1", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 2, "struct_ops 2", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 3, "struct_ops 3", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 4, "struct_ops 4", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 5, "struct_ops 5", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 6, "struct_ops 6", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 7, "struct_ops 7", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 8, "struct_ops 8", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 9, "struct_ops 9", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 10, "struct_ops 10", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 11, "struct_ops 11", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 12, "struct_ops 12", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 13, "struct_ops 13", 40, 0, 0, "st:tcp_congestion_ops"},
	{27, 0, "dummy_ops 0", 48, 0, 0, "st:bpf_dummy_ops"},
	{27, 1, "dummy_ops 1", 48, 0, 0, "st:bpf_dummy_ops"},
	{27, 2, "dummy_ops 2", 48, 0, 0, "st:bpf_dummy_ops"},
	{27, 3, "dummy_ops 3", 48, 0, 0, "st:bpf_dummy_ops"},
	{30, 36, "sk_lookup", 80, 0},
	{31, 0, "syscall", 16, 0, 16},
	{32, 45, "netfilter", 24, 0},
	{16, 7, "sock", 80, 0, 0, NULL, "r1 = *(u64 *)(r1 + 72); "},
	{3, 0, "sock_common", 80, 0, 0, NULL,
	 "r1 = *(u64 *)(r1 + 168); r0 = 0; if r1 != 0 goto ok; exit; ok: \n "},
	{3, 0, "tcp_sock", 120, 0, 0, NULL,
	 "r1 = *(u64 *)(r1 + 168); r0 = 0; if r1 != 0 goto a; exit; a: \n call 95; if r0 != 0 goto "
	 "b; "
	 "exit; b: \n call 96; if r0 != 0 goto ok; exit; ok: \n r1 = r0; "},
	{22, 17, "flow_keys", 56, 0, 0, NULL, "r1 = *(u64 *)(r1 + 144); "},
	{24, 0, "tp_buffer", 24, 0, 0, NULL, "r1 = *(u64 *)(r1 + 0); "},
};

/* @text as a program of context @c; *bad counts by result. */
static void sweep_run(u32 c, const char *text, u32 bad[4])
{
	struct test t = {.name = text,
			 .type = sweep_contexts[c].type,
			 .attach = sweep_contexts[c].attach,
			 .flags = sweep_contexts[c].flags,
			 .attach_name = sweep_contexts[c].target,
			 .text = text};
	int ret = run(&t, false);

	bad[ret]++;
	if (ret)
		printf("  (%s)\n", sweep_contexts[c].name);
}

static int sweep_result(const char *what, const u32 bad[4])
{
	printf("%u %s: %u agree, %u differ, %u accepted wrongly, %u unsupported or logs differ\n",
	       bad[0] + bad[1] + bad[2] + bad[3], what, bad[0], bad[1], bad[2], bad[3]);
	return bad[1] + bad[2] ? 1 : 0;
}

/* -a: every helper in every context, called without arguments. */
static int sweep_helpers(int only)
{
	u32 bad[4] = {0};

	for (u32 c = 0; c < ARRAY_SIZE(sweep_contexts); c++) {
		if (sweep_contexts[c].first || (only >= 0 && (u32)only != sweep_contexts[c].type))
			continue;
		for (u32 id = 0; id < 216; id++) {
			char text[64];

			snprintf(text, sizeof(text), "call %u; r0 = %d; exit", id,
				 sweep_contexts[c].ret);
			sweep_run(c, text, bad);
		}
	}
	return sweep_result("calls", bad);
}

/* -k: every kernel function in every context, on whatever the registers hold, and on numbers. */
static int sweep_kfuncs(int only)
{
	static const char *const args[] = {"", "r1 = 0; r2 = 0; r3 = 0; r4 = 0; r5 = 0; "};
	u32 bad[4] = {0}, nr;
	const struct skep_kfunc_row *rows = skep_kfunc_rows(&nr);

	for (u32 c = 0; c < ARRAY_SIZE(sweep_contexts); c++) {
		if (sweep_contexts[c].first || (only >= 0 && (u32)only != sweep_contexts[c].type))
			continue;
		for (u32 i = 0; i < 2 * nr; i++) {
			char text[192];

			if (!skep_btf_find(kbtf, rows[i / 2].name, BTF_KIND_FUNC))
				continue;
			snprintf(text, sizeof(text), "%skfunc %s; r0 = %d; exit", args[i % 2],
				 rows[i / 2].name, sweep_contexts[c].ret);
			sweep_run(c, text, bad);
		}
	}
	return sweep_result("calls", bad);
}

static const char *const sweep_sizes[] = {"u8", "u16", "u32", "u64"};

/* -c: compare; -C: print what the kernel allows. */
static int sweep(bool print, int only)
{
	u32 bad[4] = {0};

	for (u32 c = 0; c < ARRAY_SIZE(sweep_contexts); c++) {
		if (only >= 0 && (u32)only != sweep_contexts[c].type)
			continue;
		if (print)
			printf("%s\n", sweep_contexts[c].name);
		for (int off = -8; off < (int)sweep_contexts[c].size + 8; off++) {
			u32 r = 0, w = 0;
			char kind[128] = "";

			for (u32 how = 0; how < 12; how++) {
				char text[512];
				const char *first = sweep_contexts[c].first;
				const char *sz = sweep_sizes[how % 4];
				struct test t = {.name = text,
						 .type = sweep_contexts[c].type,
						 .attach = sweep_contexts[c].attach,
						 .flags = sweep_contexts[c].flags,
						 .attach_name = sweep_contexts[c].target,
						 .text = text};

				if (how < 4)
					snprintf(text, sizeof(text),
						 "%sr0 = *(%s *)(r1 %c %d); r0 = %d; exit",
						 first ? first : "", sz, off < 0 ? '-' : '+',
						 abs(off), sweep_contexts[c].ret);
				else if (how < 8)
					snprintf(text, sizeof(text),
						 "%sr0 = %d; *(%s *)(r1 %c %d) = r0; exit",
						 first ? first : "", sweep_contexts[c].ret, sz,
						 off < 0 ? '-' : '+', abs(off));
				else
					snprintf(text, sizeof(text),
						 "%s*(%s *)(r1 %c %d) = 0; r0 = %d; exit",
						 first ? first : "", sz, off < 0 ? '-' : '+',
						 abs(off), sweep_contexts[c].ret);
				if (print) {
					struct answer k;

					if (how >= 8)
						continue;
					vasm(&as, text, fds);
					make_prog_btf(&t);
					ask_kernel(&t, 2, &k);
					if (!k.err) {
						char *s = strstr(klog, "; R0="), *more;

						while (s && (more = strstr(s + 1, "; R0=")) &&
						       !strstr(more, "; R0=0"))
							s = more;

						*(how < 4 ? &r : &w) |= 1u << how % 4;
						if (how < 4 && s)
							snprintf(kind, sizeof(kind), "%.*s",
								 (int)strcspn(s, "\n"), s);
					} else if (how == 2 &&
						   !strstr(klog, "invalid bpf_context access")) {
						char *e = strstr(klog, "\nprocessed");

						if (e)
							*e = 0;
						e = strrchr(klog, '\n');
						snprintf(kind, sizeof(kind), "%d %.100s", k.err,
							 e ? e + 1 : klog);
					}
				} else {
					sweep_run(c, text, bad);
				}
			}
			if (print && (r || w || (*kind && off == 0)))
				printf("  %3d r%x w%x %s\n", off, r, w, kind);
		}
	}
	return print ? 0 : sweep_result("accesses", bad);
}
