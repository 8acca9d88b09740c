/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs: what PROG_LOAD admits, what PROG_TEST_RUN takes and gives.
 */
#include "contract.h"

static struct bpf_insn two[] = {MOV_IMM(0, 0), EXIT()};
/* Rejected: R0 is not set. */
static struct bpf_insn bad[] = {EXIT()};
static char log_buf[1 << 16];

static void load_attr(uint32_t type)
{
	ATTR(.prog_type = type, .insn_cnt = 2, .insns = PTR(two), .license = PTR("GPL"));
}

static void admission(void)
{
	static const uint32_t counts[] = {0, 1, 2, 4096, 4097, 1000000, 1000001, 0x7fffffff, ~0u};
	static const char *const licenses[] = {"GPL",	 "",	"Proprietary",
					       "GPL v2", "MIT", "Dual MIT/GPL"};
	static char license[300];
	static struct bpf_insn many[4100];
	static const char names[][20] = {"a",
					 "abcdefghijklmno",
					 "abcdefghijklmnop",
					 "a.b_C9",
					 "a b",
					 "a-b",
					 "\xc3\xa4",
					 "a\0b",
					 "."};

	for (unsigned int i = 0; i < COUNT(many); i++)
		many[i] = (struct bpf_insn)MOV_IMM(0, 0);
	for (unsigned int i = 0; i < COUNT(counts); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.insn_cnt = counts[i];
		A.u.insns = counts[i] > 1 && counts[i] < 4100 ? PTR(many) : PTR(two);
		if (counts[i] > 1 && counts[i] < 4100)
			many[counts[i] - 1] = (struct bpf_insn)EXIT();
		/* A million instructions lie beyond what is mapped there. */
		if (counts[i] == 1000000)
			A.u.insns = PTR(edge(64));
		try(BPF_PROG_LOAD, "load of %u instructions", counts[i]);
		if (counts[i] > 1 && counts[i] < 4100)
			many[counts[i] - 1] = (struct bpf_insn)MOV_IMM(0, 0);
	}
	for (unsigned int i = 0; i < COUNT(licenses); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.license = PTR(licenses[i]);
		try(BPF_PROG_LOAD, "license '%s'", licenses[i]);
	}
	memset(license, 'G', sizeof(license) - 1);
	for (unsigned int n = 125; n < 131; n++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.license = PTR(license + sizeof(license) - 1 - n);
		try(BPF_PROG_LOAD, "license of %u characters", n);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		*(char *)edge(1) = 'G';
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.license = bad_ptrs[i].ptr;
		try(BPF_PROG_LOAD, "license at %s", bad_ptrs[i].name);
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.insns = bad_ptrs[i].ptr;
		try(BPF_PROG_LOAD, "instructions at %s", bad_ptrs[i].name);
	}
	for (unsigned int i = 0; i < COUNT(names); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		memcpy(A.u.prog_name, names[i], 16);
		try(BPF_PROG_LOAD, "program name %u", i);
	}
	/* Which of two mistakes is told. */
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	A.u.insn_cnt = 0;
	A.u.license = 8;
	try(BPF_PROG_LOAD, "no instructions, bad license");
	load_attr(1000);
	A.u.insn_cnt = 0;
	try(BPF_PROG_LOAD, "no instructions, unknown type");
	load_attr(1000);
	A.u.insns = 8;
	try(BPF_PROG_LOAD, "bad instructions, unknown type");
	load_attr(1000);
	A.u.license = 8;
	try(BPF_PROG_LOAD, "bad license, unknown type");
	load_attr(1000);
	A.u.prog_name[0] = ' ';
	try(BPF_PROG_LOAD, "bad name, unknown type");
	load_attr(1000);
	A.u.log_level = 77;
	try(BPF_PROG_LOAD, "bad log level, unknown type");
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	A.u.log_level = 77;
	A.u.prog_name[0] = ' ';
	try(BPF_PROG_LOAD, "bad log level, bad name");
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	A.u.prog_ifindex = 1;
	try(BPF_PROG_LOAD, "ifindex 1");
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	A.u.prog_ifindex = 4711;
	try(BPF_PROG_LOAD, "ifindex 4711");
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	A.u.kern_version = 1;
	try(BPF_PROG_LOAD, "kern_version 1");
}

static void flags(void)
{
	static const uint32_t kinds[] = {BPF_PROG_TYPE_SOCKET_FILTER, BPF_PROG_TYPE_XDP,
					 BPF_PROG_TYPE_SCHED_CLS, BPF_PROG_TYPE_RAW_TRACEPOINT,
					 BPF_PROG_TYPE_SYSCALL};

	for (unsigned int t = 0; t < COUNT(kinds); t++) {
		char name[48];
		struct runs s = {.name = name};

		snprintf(name, sizeof(name), "type %u prog_flags bit", kinds[t]);
		for (unsigned int bit = 0; bit < 32; bit++) {
			long r;

			load_attr(kinds[t]);
			A.u.prog_flags = 1u << bit;
			r = call(BPF_PROG_LOAD, ATTR_SIZE);
			if (r >= 0)
				close((int)r);
			runs_add(&s, bit, r);
		}
		runs_end(&s);
		snprintf(name, sizeof(name), "type %u expected_attach_type", kinds[t]);
		s = (struct runs){.name = name};
		for (uint32_t at = 0; at < 66; at++) {
			long r;

			load_attr(kinds[t]);
			A.u.expected_attach_type = at == 65 ? ~0u : at;
			if (kinds[t] == BPF_PROG_TYPE_SYSCALL)
				A.u.prog_flags = BPF_F_SLEEPABLE;
			r = call(BPF_PROG_LOAD, ATTR_SIZE);
			if (r >= 0)
				close((int)r);
			runs_add(&s, at, r);
		}
		runs_end(&s);
		load_attr(kinds[t]);
		A.u.attach_btf_id = 1;
		try(BPF_PROG_LOAD, "type %u attach_btf_id 1", kinds[t]);
		load_attr(kinds[t]);
		A.u.attach_btf_id = ~0u;
		try(BPF_PROG_LOAD, "type %u attach_btf_id -1", kinds[t]);
		for (unsigned int k = 0; k < COUNT(other_fds); k++) {
			load_attr(kinds[t]);
			A.u.attach_btf_obj_fd = (uint32_t)other_fds[k].fd;
			try(BPF_PROG_LOAD, "type %u attach to %s", kinds[t], other_fds[k].name);
			A.u.attach_btf_id = 1;
			try(BPF_PROG_LOAD, "type %u attach to type 1 of %s", kinds[t],
			    other_fds[k].name);
		}
	}
	for (uint32_t id = 0; id < 3; id++) {
		static const uint32_t ids[] = {0, 1, 0x7fffff};

		/* Systems may forbid fentry and its kin altogether. */
		for (uint32_t at = 23; at < 29; at += at == 23 ? 4 : 1) {
			load_attr(BPF_PROG_TYPE_TRACING);
			A.u.expected_attach_type = at;
			A.u.attach_btf_id = ids[id];
			try(BPF_PROG_LOAD, "tracing, attach type %u, target %u", at, ids[id]);
		}
	}
	for (uint32_t type = 33; type < 40; type++) {
		load_attr(type);
		try(BPF_PROG_LOAD, "program type %u", type);
	}
	load_attr(0);
	try(BPF_PROG_LOAD, "program type 0");
	load_attr(~0u);
	try(BPF_PROG_LOAD, "program type -1");
}

/* The bytes of a log up to its statistics: their counters differ by the verifier. */
static size_t reason_len(void)
{
	const char *p = strstr(log_buf, "processed ");

	return p ? (size_t)(p - log_buf) : strlen(log_buf);
}

static void logs(void)
{
	static const uint32_t levels[] = {0, 1, 2, 3, 4, 5, 8, 9, 12, 15, 16, 0x80000000u};
	static const uint32_t sizes[] = {0,    1,	2,	    16,		127, 128,
					 4096, 1 << 16, 0x3fffffff, 0x40000000, ~0u};

	for (unsigned int good = 0; good < 2; good++)
		for (unsigned int l = 0; l < COUNT(levels); l++)
			for (unsigned int s = 0; s < COUNT(sizes); s++)
				for (unsigned int b = 0; b < 2; b++) {
					if (sizes[s] > sizeof(log_buf) && b && levels[l])
						continue;
					load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
					A.u.insns = good ? PTR(two) : PTR(bad);
					A.u.insn_cnt = good ? 2 : 1;
					A.u.log_level = levels[l];
					A.u.log_size = sizes[s];
					A.u.log_buf = b ? PTR(log_buf) : 0;
					memset(log_buf, 'x', sizeof(log_buf));
					try(BPF_PROG_LOAD, "%s program, log level %#x size %#x %s",
					    good ? "good" : "bad", levels[l], sizes[s],
					    b ? "buf" : "no buf");
					printf("  log %s, true size %s\n",
					       !b || !sizes[s] || sizes[s] > sizeof(log_buf) ? "-"
					       : memchr(log_buf, 0, sizes[s]) ? "ends"
					       : log_buf[0] == 'x'	      ? "untouched"
									      : "open",
					       get32(140) ? "given" : "0");
					if (levels[l] == 1 && sizes[s] == 4096 && b)
						say_bytes(log_buf, reason_len(), "  text");
				}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.log_level = 1;
		A.u.log_size = 4096;
		A.u.log_buf = bad_ptrs[i].ptr;
		try(BPF_PROG_LOAD, "log at %s", bad_ptrs[i].name);
	}
	/* The attr's size decides whether the true size is written. */
	for (unsigned int n = 136; n <= 148; n += 4) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.insns = PTR(bad);
		A.u.insn_cnt = 1;
		A.u.log_level = 1;
		A.u.log_size = 4096;
		A.u.log_buf = PTR(log_buf);
		say(call(BPF_PROG_LOAD, n), "bad program, attr of %u", n);
		say_value(get32(140) != 0, "true size written");
	}
}

static void infos(void)
{
	static struct bpf_func_info f[4] = {{0, BTF_FUNC}};
	static struct bpf_line_info l[4] = {{0, 1, 1, 1 << 10}};
	static const uint32_t recs[] = {0, 4, 7, 8, 12, 16, 20, 64, 251, 252, 256, 4096};
	static const uint32_t counts[] = {0,	     1,		2,	    1000, 1000001,
					  0x7ffffff, 0x8000000, 0x7fffffff, ~0u};
	static uint8_t longer[1024];
	int btf = btf_new();

	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.prog_btf_fd = (uint32_t)other_fds[k].fd;
		try(BPF_PROG_LOAD, "types from %s, not used", other_fds[k].name);
		A.u.func_info = PTR(f);
		A.u.func_info_cnt = 1;
		A.u.func_info_rec_size = 8;
		try(BPF_PROG_LOAD, "function types from %s", other_fds[k].name);
	}
	for (unsigned int i = 0; i < COUNT(recs); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.prog_btf_fd = (uint32_t)btf;
		memset(longer, 0, sizeof(longer));
		memcpy(longer, f, 8);
		A.u.func_info = PTR(longer);
		A.u.func_info_cnt = 1;
		A.u.func_info_rec_size = recs[i];
		try(BPF_PROG_LOAD, "function records of %u", recs[i]);
		if (recs[i] > 8 && recs[i] < sizeof(longer)) {
			longer[recs[i] - 1] = 1;
			A.u.func_info_rec_size = recs[i];
			try(BPF_PROG_LOAD, "function records of %u, last byte set", recs[i]);
			say_value(A.u.func_info_rec_size, "  record size after it");
		}
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.prog_btf_fd = (uint32_t)btf;
		memset(longer, 0, sizeof(longer));
		memcpy(longer, l, 16);
		A.u.line_info = PTR(longer);
		A.u.line_info_cnt = 1;
		A.u.line_info_rec_size = recs[i];
		try(BPF_PROG_LOAD, "line records of %u, no functions", recs[i]);
		A.u.func_info = PTR(f);
		A.u.func_info_cnt = 1;
		A.u.func_info_rec_size = 8;
		try(BPF_PROG_LOAD, "line records of %u", recs[i]);
		if (recs[i] > 16 && recs[i] < sizeof(longer)) {
			longer[recs[i] - 1] = 1;
			try(BPF_PROG_LOAD, "line records of %u, last byte set", recs[i]);
			say_value(A.u.line_info_rec_size, "  record size after it");
		}
	}
	for (unsigned int i = 0; i < COUNT(counts); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.prog_btf_fd = (uint32_t)btf;
		A.u.func_info = PTR(f);
		A.u.func_info_cnt = counts[i];
		A.u.func_info_rec_size = 8;
		if (counts[i] < 1000)
			try(BPF_PROG_LOAD, "%u functions", counts[i]);
		A.u.func_info_cnt = 1;
		A.u.line_info = PTR(l);
		A.u.line_info_cnt = counts[i];
		A.u.line_info_rec_size = 16;
		if (counts[i] < 1000 || counts[i] > 1000001)
			try(BPF_PROG_LOAD, "%u lines", counts[i]);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.prog_btf_fd = (uint32_t)btf;
		A.u.func_info = bad_ptrs[i].ptr;
		A.u.func_info_cnt = 1;
		A.u.func_info_rec_size = 8;
		try(BPF_PROG_LOAD, "functions at %s", bad_ptrs[i].name);
		A.u.func_info = PTR(f);
		A.u.line_info = bad_ptrs[i].ptr;
		A.u.line_info_cnt = 1;
		A.u.line_info_rec_size = 16;
		try(BPF_PROG_LOAD, "lines at %s", bad_ptrs[i].name);
	}
	for (uint32_t off = 0; off < 3; off++)
		for (uint32_t id = 0; id < 14; id++) {
			struct bpf_func_info one = {off, id};

			load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
			A.u.prog_btf_fd = (uint32_t)btf;
			A.u.func_info = PTR(&one);
			A.u.func_info_cnt = 1;
			A.u.func_info_rec_size = 8;
			try(BPF_PROG_LOAD, "function at %u of type %u", off, id);
		}
	for (uint32_t off = 0; off < 4; off++)
		for (uint32_t name = 0; name < 3; name++) {
			static const uint32_t names[] = {0, 1, 5000};
			struct bpf_line_info one[2] = {{0, 1, 1, 1 << 10},
						       {off, names[name], 1, 1 << 10}};

			load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
			A.u.prog_btf_fd = (uint32_t)btf;
			A.u.func_info = PTR(f);
			A.u.func_info_cnt = 1;
			A.u.func_info_rec_size = 8;
			A.u.line_info = PTR(one);
			A.u.line_info_cnt = 2;
			A.u.line_info_rec_size = 16;
			try(BPF_PROG_LOAD, "second line at %u, file %u", off, names[name]);
			one[1].file_name_off = 1;
			one[1].line_off = names[name];
			try(BPF_PROG_LOAD, "second line at %u, text %u", off, names[name]);
		}
	/* CO-RE relocations, which the kernel can apply itself. */
	for (uint32_t n = 0; n < 3; n++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.core_relo_cnt = n;
		A.u.core_relos = PTR(longer);
		A.u.core_relo_rec_size = 16;
		if (!n)
			try(BPF_PROG_LOAD, "%u relocations, no types", n);
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.core_relo_rec_size = n;
		try(BPF_PROG_LOAD, "no relocations, record of %u", n);
	}
	close(btf);
}

static void fd_arrays(void)
{
	int fds[4] = {other_fds[3].fd, other_fds[5].fd, other_fds[3].fd, other_fds[4].fd};

	for (unsigned int n = 0; n < 5; n++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.fd_array = PTR(fds);
		set32(148, n);
		try(BPF_PROG_LOAD, "fd_array of %u", n);
	}
	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		fds[0] = other_fds[k].fd;
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.fd_array = PTR(fds);
		set32(148, 1);
		try(BPF_PROG_LOAD, "fd_array with %s", other_fds[k].name);
		set32(148, 0);
		try(BPF_PROG_LOAD, "fd_array with %s, no count", other_fds[k].name);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.fd_array = bad_ptrs[i].ptr;
		set32(148, 1);
		try(BPF_PROG_LOAD, "fd_array at %s", bad_ptrs[i].name);
	}
	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		struct bpf_insn in[] = {LD_MAP(1, other_fds[k].fd), MOV_IMM(0, 0), EXIT()};

		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.insns = PTR(in);
		A.u.insn_cnt = 4;
		try(BPF_PROG_LOAD, "instruction that loads %s", other_fds[k].name);
		in[0].src_reg = 5;
		in[0].imm = 0;
		fds[0] = other_fds[k].fd;
		A.u.fd_array = PTR(fds);
		try(BPF_PROG_LOAD, "instruction that loads %s by index", other_fds[k].name);
	}
	for (unsigned int kind = 5; kind < 7; kind++) {
		int map = map_new(BPF_MAP_TYPE_ARRAY, 4, 16, 1, 0);
		struct bpf_insn in[] = {INSN(BPF_LD | BPF_DW | BPF_IMM, 1, kind, 0, 0),
					INSN(0, 0, 0, 0, 0), MOV_IMM(0, 0), EXIT()};
		static uint8_t info[256];
		long fd;

		fds[0] = map;
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.insns = PTR(in);
		A.u.insn_cnt = 4;
		A.u.fd_array = PTR(fds);
		fd = call(BPF_PROG_LOAD, ATTR_SIZE);
		say(fd, "map by index, kind %u", kind);
		ATTR(.info.bpf_fd = (uint32_t)fd, .info.info = PTR(info), .info.info_len = 232);
		try(BPF_OBJ_GET_INFO_BY_FD, "its info");
		say_bytes(((struct bpf_prog_info *)(void *)info)->tag, 8, "its tag");
		close((int)fd);
		close(map);
	}
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	set32(144, 5);
	try(BPF_PROG_LOAD, "token without its flag");
	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
		A.u.prog_flags = 1u << 16;
		set32(144, (uint32_t)other_fds[k].fd);
		try(BPF_PROG_LOAD, "token %s", other_fds[k].name);
	}
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	set64(152, PTR(fds));
	try(BPF_PROG_LOAD, "signature without a size");
	load_attr(BPF_PROG_TYPE_SOCKET_FILTER);
	set32(164, 5);
	try(BPF_PROG_LOAD, "keyring without a signature");
}

void prog_cases(void)
{
	admission();
	flags();
	logs();
	infos();
	fd_arrays();
}

/* --- test runs --- */

static uint8_t in[1 << 17], out[1 << 17], ctx_in[8192], ctx_out[8192];

static void run_attr(int prog, bool packet)
{
	ATTR(.test.prog_fd = (uint32_t)prog);
	for (unsigned int i = 0; i < 256; i++)
		in[i] = (uint8_t)i;
	in[12] = 8;
	in[13] = 0;
	memset(out, 0xcc, 256);
	memset(ctx_in, 0, sizeof(ctx_in));
	memset(ctx_out, 0xcc, sizeof(ctx_out));
	if (packet) {
		A.u.test.data_in = PTR(in);
		A.u.test.data_size_in = 64;
		A.u.test.data_out = PTR(out);
		A.u.test.data_size_out = 256;
	}
}

static void run_it(const char *what)
{
	long r = call(BPF_PROG_TEST_RUN, ATTR_SIZE);

	printf("%s: %s", what, err_name(r));
	if (!r || r == -ENOSPC)
		printf(" retval %u data %u ctx %u", A.u.test.retval, A.u.test.data_size_out,
		       A.u.test.ctx_size_out);
	printf("\n");
}

static void packet_runs(const char *name, int prog)
{
	static const uint32_t sizes[] = {0,    1,    13,    14,	   15,	  33,	  34,	64,   256,
					 1514, 3000, 3519,  3520,  3521,  3711,	  3712, 3713, 3776,
					 4096, 8192, 40000, 65535, 73392, 100000, ~0u};
	static const uint32_t outs[] = {0, 1, 63, 64, 65, 1000};
	static const uint32_t ctxs[] = {0, 1, 4, 24, 25, 32, 64, 184, 192, 193, 200, 4096, 4097};
	char what[96];

	for (unsigned int i = 0; i < COUNT(sizes); i++) {
		run_attr(prog, true);
		A.u.test.data_size_in = sizes[i];
		A.u.test.data_size_out = sizeof(out);
		snprintf(what, sizeof(what), "run %s with %u bytes", name, sizes[i]);
		run_it(what);
	}
	for (unsigned int i = 0; i < COUNT(outs); i++) {
		run_attr(prog, true);
		A.u.test.data_size_out = outs[i];
		snprintf(what, sizeof(what), "run %s with room for %u", name, outs[i]);
		run_it(what);
		say_bytes(out, 16, "  data");
		run_attr(prog, true);
		A.u.test.data_out = 0;
		A.u.test.data_size_out = outs[i];
		snprintf(what, sizeof(what), "run %s with room for %u nowhere", name, outs[i]);
		run_it(what);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		run_attr(prog, true);
		A.u.test.data_in = bad_ptrs[i].ptr;
		snprintf(what, sizeof(what), "run %s with data at %s", name, bad_ptrs[i].name);
		run_it(what);
		run_attr(prog, true);
		A.u.test.data_out = bad_ptrs[i].ptr;
		snprintf(what, sizeof(what), "run %s with data to %s", name, bad_ptrs[i].name);
		run_it(what);
		run_attr(prog, true);
		A.u.test.ctx_in = bad_ptrs[i].ptr;
		A.u.test.ctx_size_in = 24;
		snprintf(what, sizeof(what), "run %s with context at %s", name, bad_ptrs[i].name);
		run_it(what);
		run_attr(prog, true);
		A.u.test.ctx_out = bad_ptrs[i].ptr;
		A.u.test.ctx_size_out = 24;
		snprintf(what, sizeof(what), "run %s with context to %s", name, bad_ptrs[i].name);
		run_it(what);
	}
	for (unsigned int i = 0; i < COUNT(ctxs); i++) {
		run_attr(prog, true);
		A.u.test.ctx_in = PTR(ctx_in);
		A.u.test.ctx_size_in = ctxs[i];
		/* An xdp context names where the data ends. */
		if (!strcmp(name, "xdp"))
			((uint32_t *)(void *)ctx_in)[1] = 64;
		snprintf(what, sizeof(what), "run %s with a context of %u", name, ctxs[i]);
		run_it(what);
		if (ctxs[i] > 8) {
			ctx_in[ctxs[i] - 1] = 1;
			snprintf(what, sizeof(what), "run %s with a context of %u, last byte set",
				 name, ctxs[i]);
			run_it(what);
		}
		run_attr(prog, true);
		A.u.test.ctx_in = PTR(ctx_in);
		A.u.test.ctx_size_in = 24;
		if (!strcmp(name, "xdp"))
			((uint32_t *)(void *)ctx_in)[1] = 64;
		A.u.test.ctx_out = PTR(ctx_out);
		A.u.test.ctx_size_out = ctxs[i];
		snprintf(what, sizeof(what), "run %s with room for %u of the context", name,
			 ctxs[i]);
		run_it(what);
		say_bytes(ctx_out, 32, "  context");
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		run_attr(prog, true);
		A.u.test.flags = 1u << bit;
		snprintf(what, sizeof(what), "run %s flag bit %u", name, bit);
		/* Live frames are sent. */
		if (bit != 1 || strcmp(name, "xdp"))
			run_it(what);
	}
	for (unsigned int i = 0; i < 4; i++) {
		static const uint32_t n[] = {1, 2, 100, 1000};

		run_attr(prog, true);
		A.u.test.repeat = n[i];
		snprintf(what, sizeof(what), "run %s %u times", name, n[i]);
		run_it(what);
		run_attr(prog, true);
		A.u.test.cpu = n[i];
		snprintf(what, sizeof(what), "run %s cpu %u", name, n[i]);
		run_it(what);
		run_attr(prog, true);
		A.u.test.batch_size = n[i];
		snprintf(what, sizeof(what), "run %s batch %u", name, n[i]);
		run_it(what);
		run_attr(prog, true);
		A.u.test.duration = n[i];
		A.u.test.retval = n[i];
		snprintf(what, sizeof(what), "run %s with results %u set", name, n[i]);
		run_it(what);
	}
	/* Every 4-byte word of the context on its own. */
	for (unsigned int w = 0; w < 48; w++) {
		run_attr(prog, true);
		A.u.test.ctx_in = PTR(ctx_in);
		A.u.test.ctx_size_in = 192;
		if (!strcmp(name, "xdp")) {
			if (w > 8)
				break;
			A.u.test.ctx_size_in = 24 + (w > 5) * 12;
			((uint32_t *)(void *)ctx_in)[1] = 64;
		}
		((uint32_t *)(void *)ctx_in)[w] = 1;
		snprintf(what, sizeof(what), "run %s, word %u of the context is 1", name, w);
		run_it(what);
		((uint32_t *)(void *)ctx_in)[w] = 64;
		snprintf(what, sizeof(what), "run %s, word %u of the context is 64", name, w);
		run_it(what);
	}
}

static void plain_runs(const char *name, int prog)
{
	static const uint32_t ctxs[] = {0, 1, 8, 16, 23, 24, 96, 97, 104, 4096, 8192};
	char what[96];

	for (unsigned int i = 0; i < COUNT(ctxs); i++) {
		run_attr(prog, false);
		for (unsigned int k = 0; k < sizeof(ctx_in); k++)
			ctx_in[k] = (uint8_t)(k + 1);
		A.u.test.ctx_in = ctxs[i] ? PTR(ctx_in) : 0;
		A.u.test.ctx_size_in = ctxs[i];
		snprintf(what, sizeof(what), "run %s with a context of %u", name, ctxs[i]);
		run_it(what);
		say_bytes(ctx_in, 16, "  context");
		A.u.test.ctx_in = ctxs[i] ? 0 : PTR(ctx_in);
		snprintf(what, sizeof(what), "run %s with a context of %u that is not", name,
			 ctxs[i]);
		run_it(what);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		run_attr(prog, false);
		A.u.test.ctx_in = bad_ptrs[i].ptr;
		A.u.test.ctx_size_in = 24;
		snprintf(what, sizeof(what), "run %s with context at %s", name, bad_ptrs[i].name);
		run_it(what);
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		run_attr(prog, false);
		A.u.test.ctx_in = PTR(ctx_in);
		A.u.test.ctx_size_in = 24;
		A.u.test.flags = 1u << bit;
		snprintf(what, sizeof(what), "run %s flag bit %u", name, bit);
		run_it(what);
	}
	for (unsigned int w = 1; w < 20; w++) {
		run_attr(prog, false);
		A.u.test.ctx_in = PTR(ctx_in);
		A.u.test.ctx_size_in = 24;
		set32(w * 4, w == 10 || w == 12 || w == 13 ? get32(w * 4) : 1);
		snprintf(what, sizeof(what), "run %s, word %u of the attr is 1", name, w);
		run_it(what);
	}
	for (unsigned int cpu = 0; cpu < 3; cpu++) {
		static const uint32_t n[] = {0, 1u << 20, ~0u};

		run_attr(prog, false);
		A.u.test.ctx_in = PTR(ctx_in);
		A.u.test.ctx_size_in = 24;
		A.u.test.flags = 1;
		A.u.test.cpu = n[cpu];
		snprintf(what, sizeof(what), "run %s on cpu %u", name, n[cpu]);
		run_it(what);
	}
}

void run_cases(void)
{
	struct bpf_insn third[] = {LDX(BPF_DW, 0, 1, 16), EXIT()};
	struct bpf_insn store[] = {LDX(BPF_DW, 0, 1, 0), INSN(BPF_ALU64 | BPF_NEG, 0, 0, 0, 0),
				   STX(BPF_DW, 1, 0, 8), EXIT()};
	int fd;

	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		char what[64];

		run_attr(other_fds[k].fd, true);
		snprintf(what, sizeof(what), "run of %s", other_fds[k].name);
		run_it(what);
	}
	fd = prog_new(BPF_PROG_TYPE_SOCKET_FILTER, 0, 7);
	packet_runs("filter", fd);
	close(fd);
	fd = prog_new(BPF_PROG_TYPE_SCHED_CLS, 0, -1);
	packet_runs("sched_cls", fd);
	close(fd);
	fd = prog_new(BPF_PROG_TYPE_XDP, 0, 2);
	packet_runs("xdp", fd);
	close(fd);
	fd = prog_new_insns(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, third, 2);
	plain_runs("raw_tp", fd);
	close(fd);
	fd = prog_new_insns(BPF_PROG_TYPE_SYSCALL, 0, store, 4);
	plain_runs("syscall", fd);
	close(fd);
	fd = prog_new(BPF_PROG_TYPE_KPROBE, 0, 0);
	plain_runs("kprobe", fd);
	close(fd);
}
