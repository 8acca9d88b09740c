/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told of objects: OBJ_GET_INFO_BY_FD, ids, links, tokens, and what is not comparable.
 */
#include "contract.h"

static uint8_t info[8192];

static long info_of(int fd, uint32_t len)
{
	ATTR(.info.bpf_fd = (uint32_t)fd, .info.info = PTR(info), .info.info_len = len);
	return call(BPF_OBJ_GET_INFO_BY_FD, ATTR_SIZE);
}

static void info_sizes(const char *what, int fd)
{
	static const uint32_t lens[] = {0,   1,	  4,   8,   9,	  31,	32,   40,  79,
					80,  81,  88,  96,  104,  108,	112,  200, 224,
					228, 232, 233, 240, 4095, 4096, 4097, ~0u};

	for (unsigned int i = 0; i < COUNT(lens); i++) {
		long r;

		memset(info, 0, sizeof(info));
		r = info_of(fd, lens[i]);
		printf("info of %s, length %u: %s, says %u\n", what, lens[i], err_name(r),
		       A.u.info.info_len);
		if (!lens[i] || lens[i] > sizeof(info))
			continue;
		memset(info, 0, sizeof(info));
		info[lens[i] - 1] = 1;
		r = info_of(fd, lens[i]);
		printf("info of %s, length %u, last byte set: %s, says %u\n", what, lens[i],
		       err_name(r), A.u.info.info_len);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		ATTR(.info.bpf_fd = (uint32_t)fd, .info.info = bad_ptrs[i].ptr,
		     .info.info_len = 80);
		try(BPF_OBJ_GET_INFO_BY_FD, "info of %s at %s", what, bad_ptrs[i].name);
		ATTR(.info.bpf_fd = (uint32_t)fd, .info.info = bad_ptrs[i].ptr, .info.info_len = 0);
		try(BPF_OBJ_GET_INFO_BY_FD, "info of %s at %s, length 0", what, bad_ptrs[i].name);
	}
}

static uint32_t at32(unsigned int off)
{
	uint32_t v;

	memcpy(&v, info + off, 4);
	return v;
}

static void map_info(void)
{
	static const uint32_t kinds[] = {BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_HASH,
					 BPF_MAP_TYPE_PERCPU_ARRAY, BPF_MAP_TYPE_RINGBUF};
	int btf = btf_new(), fd;

	for (unsigned int i = 0; i < COUNT(kinds); i++) {
		bool ring = kinds[i] == BPF_MAP_TYPE_RINGBUF;

		ATTR(.map_type = kinds[i], .key_size = ring ? 0 : 4, .value_size = ring ? 0 : 16,
		     .max_entries = ring ? 4096 : 2, .map_name = "a_name");
		if (!ring) {
			A.u.btf_fd = (uint32_t)btf;
			A.u.btf_key_type_id = BTF_U32;
			A.u.btf_value_type_id = BTF_PLAIN;
		}
		fd = (int)call(BPF_MAP_CREATE, ATTR_SIZE);
		memset(info, 0xff, sizeof(struct bpf_map_info));
		say(info_of(fd, 88), "info of map type %u, not zeroed", kinds[i]);
		memset(info, 0, sizeof(info));
		say(info_of(fd, 88), "info of map type %u", kinds[i]);
		say_bytes(info, 4, "type");
		say_value(at32(4) != 0, "id");
		say_bytes(info + 8, 16, "sizes and flags");
		say_bytes(info + 24, 16, "name");
		say_bytes(info + 40, 24, "device");
		say_value(at32(64) != 0, "btf_id");
		say_bytes(info + 68, 20, "types and the rest");
		close(fd);
	}
	fd = map_new(BPF_MAP_TYPE_ARRAY, 4, 4, 1, 1u << 10 | BPF_F_RDONLY | BPF_F_RDONLY_PROG);
	memset(info, 0, sizeof(info));
	say(info_of(fd, 88), "info of a read-only map");
	say_bytes(info + 8, 16, "sizes and flags");
	info_sizes("map", fd);
	close(fd);
	close(btf);
}

/* Two maps, a function and lines: everything that info can list. */
static int full_prog(int m1, int m2, int btf, bool gpl)
{
	static struct bpf_func_info funcs[] = {{0, BTF_FUNC}};
	static struct bpf_line_info lines[] = {{0, 1, 5, 1 << 10 | 1}, {9, 5, 1, 2 << 10 | 3}};
	struct bpf_insn in[] = {
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		MOV_REG(2, 10),
		ADD_IMM(2, -4),
		LD_MAP(1, m1),
		CALL(BPF_FUNC_map_lookup_elem),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, 2, 0, m2),
		INSN(0, 0, 0, 0, 4),
		LDX(BPF_W, 1, 1, 0),
		MOV_IMM(0, 0),
		EXIT(),
	};

	ATTR(.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = COUNT(in), .insns = PTR(in),
	     .license = gpl ? PTR("GPL") : PTR("none"), .prog_name = "full_prog",
	     .prog_btf_fd = (uint32_t)btf, .func_info = PTR(funcs), .func_info_cnt = 1,
	     .func_info_rec_size = 8, .line_info = PTR(lines), .line_info_cnt = 2,
	     .line_info_rec_size = 16);
	return (int)call(BPF_PROG_LOAD, ATTR_SIZE);
}

static void prog_info(void)
{
	struct bpf_prog_info *p = (void *)info;
	int btf = btf_new(), m1 = map_new(BPF_MAP_TYPE_HASH, 4, 4, 4, 0);
	int m2 = map_new(BPF_MAP_TYPE_ARRAY, 4, 16, 1, 0), fd;
	uint32_t ids[4] = {0};
	struct bpf_func_info fi[4] = {{0, 0}};
	struct bpf_line_info li[4] = {{0, 0, 0, 0}};
	uint64_t ksyms[4] = {0};
	uint32_t lens[4] = {0};
	uint8_t tags[4][8] = {{0}};

	for (unsigned int gpl = 0; gpl < 2; gpl++) {
		fd = full_prog(m1, m2, btf, gpl);
		say(fd, "program with everything, %u", gpl);
		memset(info, 0, sizeof(info));
		say(info_of(fd, sizeof(*p)), "info of it");
		say_bytes(p, 4, "type");
		say_bytes(p->tag, 8, "tag");
		say_value(p->xlated_prog_len != 0, "has instructions");
		say_value(p->nr_map_ids, "maps");
		say_bytes(p->name, 16, "name");
		say_value(p->gpl_compatible, "gpl");
		say_value(p->load_time != 0, "load time");
		say_value(p->created_by_uid - getuid(), "uid");
		say_value(p->ifindex, "ifindex");
		say_value(p->btf_id != 0, "btf");
		say_value(p->nr_func_info, "functions");
		say_value(p->func_info_rec_size, "function record");
		say_value(p->nr_line_info, "lines");
		say_value(p->line_info_rec_size, "line record");
		say_value(p->nr_jited_ksyms, "code addresses");
		say_value(p->nr_jited_func_lens, "code lengths");
		say_value(p->jited_line_info_rec_size, "code line record");
		say_value(p->nr_prog_tags, "tags");
		say_value(p->run_cnt, "runs");
		say_value(p->run_time_ns, "run time");
		say_value(p->recursion_misses, "misses");
		say_value(p->verified_insns, "verified instructions");
		say_value(p->attach_btf_obj_id, "attach btf");
		say_value(p->attach_btf_id, "attach type");
		close(fd);
	}
	fd = full_prog(m1, m2, btf, true);
	memset(info, 0, sizeof(info));
	p->nr_map_ids = 1;
	p->map_ids = PTR(ids);
	say(info_of(fd, sizeof(*p)), "info with room for one map");
	say_value(p->nr_map_ids, "maps");
	say_value((ids[0] != 0) + (ids[1] != 0), "given");
	memset(info, 0, sizeof(info));
	p->nr_map_ids = 4;
	p->map_ids = PTR(ids);
	p->nr_func_info = 4;
	p->func_info = PTR(fi);
	p->func_info_rec_size = 8;
	p->nr_line_info = 4;
	p->line_info = PTR(li);
	p->line_info_rec_size = 16;
	p->nr_prog_tags = 4;
	p->prog_tags = PTR(tags);
	p->nr_jited_ksyms = 4;
	p->jited_ksyms = PTR(ksyms);
	p->nr_jited_func_lens = 4;
	p->jited_func_lens = PTR(lens);
	say(info_of(fd, sizeof(*p)), "info with room for all");
	say_value((ids[0] != 0) + (ids[1] != 0) + (ids[2] != 0), "map ids given");
	say_bytes(&fi[0], 8, "function");
	/* Instruction numbers are those of the rewritten program. */
	say_bytes(&li[0].file_name_off, 12, "line 0");
	say_bytes(&li[1].file_name_off, 12, "line 1");
	say_bytes(tags, 16, "tags");
	say_value(ksyms[0] != 0, "address given");
	say_value(lens[0] != 0, "length given");
	for (unsigned int n = 0; n < 4; n++) {
		static const uint32_t rec[] = {0, 4, 8, 12};

		memset(info, 0, sizeof(info));
		p->nr_func_info = 4;
		p->func_info = PTR(fi);
		p->func_info_rec_size = rec[n];
		say(info_of(fd, sizeof(*p)), "info with function record %u", rec[n]);
		memset(info, 0, sizeof(info));
		p->nr_line_info = 4;
		p->line_info = PTR(li);
		p->line_info_rec_size = rec[n] * 2;
		say(info_of(fd, sizeof(*p)), "info with line record %u", rec[n] * 2);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		memset(info, 0, sizeof(info));
		p->nr_map_ids = 2;
		p->map_ids = bad_ptrs[i].ptr;
		say(info_of(fd, sizeof(*p)), "info with map ids at %s", bad_ptrs[i].name);
		memset(info, 0, sizeof(info));
		p->xlated_prog_len = 64;
		p->xlated_prog_insns = bad_ptrs[i].ptr;
		say(info_of(fd, sizeof(*p)), "info with instructions at %s", bad_ptrs[i].name);
		memset(info, 0, sizeof(info));
		p->jited_prog_len = 64;
		p->jited_prog_insns = bad_ptrs[i].ptr;
		say(info_of(fd, sizeof(*p)), "info with code at %s", bad_ptrs[i].name);
		memset(info, 0, sizeof(info));
		p->nr_func_info = 1;
		p->func_info_rec_size = 8;
		p->func_info = bad_ptrs[i].ptr;
		say(info_of(fd, sizeof(*p)), "info with functions at %s", bad_ptrs[i].name);
		memset(info, 0, sizeof(info));
		p->nr_jited_ksyms = 1;
		p->jited_ksyms = bad_ptrs[i].ptr;
		say(info_of(fd, sizeof(*p)), "info with addresses at %s", bad_ptrs[i].name);
		memset(info, 0, sizeof(info));
		p->nr_prog_tags = 1;
		p->prog_tags = bad_ptrs[i].ptr;
		say(info_of(fd, sizeof(*p)), "info with tags at %s", bad_ptrs[i].name);
	}
	info_sizes("program", fd);
	close(fd);
	close(m1);
	close(m2);
	close(btf);
}

/* Tags: a hash of the instructions without what depends on the run. */
static void tags(void)
{
	struct bpf_prog_info *p = (void *)info;
	int m = map_new(BPF_MAP_TYPE_ARRAY, 4, 16, 1, 0);
	struct bpf_insn in[][8] = {
		{MOV_IMM(0, 0), EXIT()},
		{MOV_IMM(0, 1), EXIT()},
		{LD_MAP(1, m), MOV_IMM(0, 0), EXIT()},
		{INSN(BPF_LD | BPF_DW | BPF_IMM, 1, 2, 0, m), INSN(0, 0, 0, 0, 0), MOV_IMM(0, 0),
		 EXIT()},
		{INSN(BPF_LD | BPF_DW | BPF_IMM, 1, 2, 0, m), INSN(0, 0, 0, 0, 8), MOV_IMM(0, 0),
		 EXIT()},
		{INSN(BPF_LD | BPF_DW | BPF_IMM, 1, 0, 0, 7), INSN(0, 0, 0, 0, 8), MOV_IMM(0, 0),
		 EXIT()},
		{CALL(BPF_FUNC_ktime_get_ns), MOV_IMM(0, 0), EXIT()},
		/* The tail is never reached. */
		{MOV_IMM(0, 3), INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1, 3), MOV_IMM(0, 9), EXIT()},
	};
	static const uint32_t n[] = {2, 2, 4, 4, 4, 4, 3, 4};

	for (unsigned int i = 0; i < COUNT(n); i++) {
		int fd = prog_new_insns(BPF_PROG_TYPE_SOCKET_FILTER, 0, in[i], n[i]);

		memset(info, 0, sizeof(info));
		info_of(fd, sizeof(*p));
		say_bytes(p->tag, 8, "tag of program %u", i);
		close(fd);
	}
	close(m);
}

static void btf_info(void)
{
	struct bpf_btf_info *b = (void *)info;
	int fd = btf_new();
	uint32_t size;
	uint8_t copy[1024] = {0};
	char name[16];

	btf_bytes(&size);
	memset(info, 0, sizeof(info));
	say(info_of(fd, 32), "info of types");
	say_value(b->btf_size == size, "whole size");
	say_value(b->id != 0, "id");
	say_value(b->name_len, "name length");
	say_value(b->kernel_btf, "of the kernel");
	memset(info, 0, sizeof(info));
	b->btf = PTR(copy);
	b->btf_size = 10;
	say(info_of(fd, 32), "info of types, ten bytes");
	say_value(b->btf_size == size, "whole size");
	say_bytes(copy, 12, "ten bytes");
	for (uint32_t len = 0; len < 3; len++) {
		memset(name, 'x', sizeof(name));
		memset(info, 0, sizeof(info));
		b->name = PTR(name);
		b->name_len = len;
		say(info_of(fd, 32), "info of types, name of %u", len);
		say_bytes(name, 4, "name");
		memset(info, 0, sizeof(info));
		b->name_len = len;
		say(info_of(fd, 32), "info of types, no name but %u", len);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		memset(info, 0, sizeof(info));
		b->btf = bad_ptrs[i].ptr;
		b->btf_size = 100;
		say(info_of(fd, 32), "info of types to %s", bad_ptrs[i].name);
		memset(info, 0, sizeof(info));
		b->name = bad_ptrs[i].ptr;
		b->name_len = 10;
		say(info_of(fd, 32), "info of types, name at %s", bad_ptrs[i].name);
	}
	info_sizes("types", fd);
	close(fd);
}

static void kernel_btf_info(void)
{
	struct bpf_btf_info *b = (void *)info;
	char name[16];
	long fd;

	ATTR(.btf_id = 1);
	fd = call(BPF_BTF_GET_FD_BY_ID, ATTR_SIZE);
	say(fd, "the kernel's types");
	for (uint32_t len = 0; len < 10; len++) {
		long r;

		memset(name, 'x', sizeof(name));
		memset(info, 0, sizeof(info));
		b->name = len ? PTR(name) : 0;
		b->name_len = len;
		r = info_of((int)fd, 32);
		printf("kernel's name in %u: %s %u %u\n", len, err_name(r), b->name_len,
		       b->kernel_btf);
		say_bytes(name, 10, "name");
	}
	ATTR(.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1,
	     .btf_fd = (uint32_t)fd, .btf_key_type_id = 1, .btf_value_type_id = 1);
	try(BPF_MAP_CREATE, "map with the kernel's types");
	close((int)fd);
}

static void link_info(void)
{
	struct bpf_link_info *l = (void *)info;
	int fd = raw_tp_new();
	char name[16];

	for (uint32_t len = 0; len < 12; len++) {
		long r;

		memset(name, 'x', sizeof(name));
		memset(info, 0, sizeof(info));
		l->raw_tracepoint.tp_name = len ? PTR(name) : 0;
		l->raw_tracepoint.tp_name_len = len;
		r = info_of(fd, sizeof(*l));
		printf("link of a raw tracepoint, name in %u: %s, type %u, %u\n", len, err_name(r),
		       l->type, l->raw_tracepoint.tp_name_len);
		say_bytes(name, 12, "name");
	}
	memset(info, 0, sizeof(info));
	l->raw_tracepoint.tp_name_len = 4;
	say(info_of(fd, sizeof(*l)), "link with a length but no name");
	memset(info, 0, sizeof(info));
	l->raw_tracepoint.tp_name = PTR(name);
	say(info_of(fd, sizeof(*l)), "link with a name but no length");
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		memset(info, 0, sizeof(info));
		l->raw_tracepoint.tp_name = bad_ptrs[i].ptr;
		l->raw_tracepoint.tp_name_len = 10;
		say(info_of(fd, sizeof(*l)), "link with a name at %s", bad_ptrs[i].name);
	}
	info_sizes("link", fd);
	close(fd);
}

void info_cases(void)
{
	for (unsigned int k = 0; k < 3; k++) {
		memset(info, 0, sizeof(info));
		say(info_of(other_fds[k].fd, 80), "info of %s", other_fds[k].name);
		say(info_of(other_fds[k].fd, 8192), "info of %s, too long", other_fds[k].name);
	}
	map_info();
	prog_info();
	tags();
	btf_info();
	kernel_btf_info();
	link_info();
}

void id_cases(void)
{
	static const int next[] = {BPF_MAP_GET_NEXT_ID, BPF_PROG_GET_NEXT_ID, BPF_BTF_GET_NEXT_ID,
				   BPF_LINK_GET_NEXT_ID};
	static const int get[] = {BPF_MAP_GET_FD_BY_ID, BPF_PROG_GET_FD_BY_ID, BPF_BTF_GET_FD_BY_ID,
				  BPF_LINK_GET_FD_BY_ID};
	static const char *const names[] = {"map", "program", "btf", "link"};
	static const uint32_t ids[] = {0x7ffffffd,  0x7ffffffe,	 0x7fffffff,
				       0x80000000u, 0xfffffffeu, ~0u};
	uint32_t key = 0, v = 0;
	int m;

	for (unsigned int t = 0; t < COUNT(next); t++) {
		ATTR(.start_id = 0);
		try(next[t], "first id of a %s", names[t]);
		for (unsigned int i = 0; i < COUNT(ids); i++) {
			ATTR(.start_id = ids[i]);
			try(next[t], "id after %#x of a %s", ids[i], names[t]);
			ATTR(.map_id = ids[i]);
			try(get[t], "%s by id %#x", names[t], ids[i]);
		}
		ATTR(.map_id = 0);
		try(get[t], "%s by id 0", names[t]);
		for (unsigned int bit = 0; bit < 32; bit++) {
			ATTR(.map_id = 0x7ffffffe, .open_flags = 1u << bit);
			try(get[t], "%s by id, open flag bit %u", names[t], bit);
		}
		ATTR(.map_id = 0x7ffffffe, .open_flags = BPF_F_RDONLY | BPF_F_WRONLY);
		try(get[t], "%s by id, both flags", names[t]);
		ATTR(.map_id = 0x7ffffffe, .next_id = 5);
		try(get[t], "%s by id, next_id set", names[t]);
	}
	m = map_new(BPF_MAP_TYPE_ARRAY, 4, 4, 1, 0);
	for (unsigned int f = 0; f < 3; f++) {
		static const uint32_t flags[] = {0, BPF_F_RDONLY, BPF_F_WRONLY};
		uint32_t id;
		long fd;

		memset(info, 0, sizeof(info));
		info_of(m, 80);
		id = at32(4);
		ATTR(.map_id = id, .open_flags = flags[f]);
		fd = call(BPF_MAP_GET_FD_BY_ID, ATTR_SIZE);
		say(fd, "map by its id, flags %u", flags[f]);
		ATTR(.map_fd = (uint32_t)fd, .key = PTR(&key), .value = PTR(&v));
		try(BPF_MAP_LOOKUP_ELEM, "lookup through it");
		ATTR(.map_fd = (uint32_t)fd, .key = PTR(&key), .value = PTR(&v));
		try(BPF_MAP_UPDATE_ELEM, "update through it");
		ATTR(.map_fd = (uint32_t)fd);
		if (flags[f])
			try(BPF_MAP_FREEZE, "freeze through it");
		close((int)fd);
		if (flags[f]) {
			close(m);
			m = map_new(BPF_MAP_TYPE_ARRAY, 4, 4, 1, 0);
		}
	}
	close(m);
}

static void raw_tp_cases(void)
{
	int prog = prog_new(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), filter = other_fds[4].fd;
	static const char *const names[] = {"sys_enter",    "sys_exit",	    "",
					    "nothing_here", "task_newtask", "bpf_trace_printk"};
	static char longname[300];

	for (unsigned int i = 0; i < COUNT(names); i++) {
		ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog,
		     .raw_tracepoint.name = PTR(names[i]));
		if (i < 4)
			try(BPF_RAW_TRACEPOINT_OPEN, "raw_tp open '%s'", names[i]);
		ATTR(.raw_tracepoint.prog_fd = (uint32_t)filter,
		     .raw_tracepoint.name = PTR(names[i]));
		try(BPF_RAW_TRACEPOINT_OPEN, "raw_tp open of a filter '%s'", names[i]);
	}
	memset(longname, 'x', sizeof(longname) - 1);
	for (unsigned int n = 126; n < 130; n++) {
		ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog,
		     .raw_tracepoint.name = PTR(longname + sizeof(longname) - 1 - n));
		try(BPF_RAW_TRACEPOINT_OPEN, "raw_tp open, name of %u", n);
	}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		*(char *)edge(1) = 's';
		ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog,
		     .raw_tracepoint.name = bad_ptrs[i].ptr);
		try(BPF_RAW_TRACEPOINT_OPEN, "raw_tp open, name at %s", bad_ptrs[i].name);
	}
	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		ATTR(.raw_tracepoint.prog_fd = (uint32_t)other_fds[k].fd,
		     .raw_tracepoint.name = PTR("sys_enter"));
		try(BPF_RAW_TRACEPOINT_OPEN, "raw_tp open of %s", other_fds[k].name);
	}
	ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog, .raw_tracepoint.name = PTR("sys_enter"));
	set32(4, 1);
	try(BPF_RAW_TRACEPOINT_OPEN, "raw_tp open, padding set");
	close(prog);
}

static void create_link_cases(void)
{
	static const uint32_t kinds[] = {
		BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_PROG_TYPE_SOCKET_FILTER, BPF_PROG_TYPE_XDP,
		BPF_PROG_TYPE_SCHED_CLS,      BPF_PROG_TYPE_SYSCALL,	   BPF_PROG_TYPE_KPROBE,
		BPF_PROG_TYPE_TRACEPOINT};
	static const char *const names[] = {"raw_tp",  "filter", "xdp",	      "sched_cls",
					    "syscall", "kprobe", "tracepoint"};

	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		ATTR(.link_create.prog_fd = (uint32_t)other_fds[k].fd);
		try(BPF_LINK_CREATE, "link_create of %s", other_fds[k].name);
		ATTR(.link_detach.link_fd = (uint32_t)other_fds[k].fd);
		try(BPF_LINK_DETACH, "link_detach of %s", other_fds[k].name);
		ATTR(.prog_bind_map.prog_fd = (uint32_t)other_fds[k].fd,
		     .prog_bind_map.map_fd = (uint32_t)other_fds[3].fd);
		try(BPF_PROG_BIND_MAP, "bind a map to %s", other_fds[k].name);
		ATTR(.prog_bind_map.prog_fd = (uint32_t)other_fds[4].fd,
		     .prog_bind_map.map_fd = (uint32_t)other_fds[k].fd);
		try(BPF_PROG_BIND_MAP, "bind %s to a program", other_fds[k].name);
		memset(&A, 0, sizeof(A));
		set32(4, (uint32_t)other_fds[k].fd);
		try(36, "token from %s", other_fds[k].name);
	}
	for (unsigned int t = 0; t < COUNT(kinds); t++) {
		int prog = prog_new(kinds[t], 0, 0);

		for (uint32_t at = 0; at < 60; at++) {
			char name[64];

			/* tcx and netkit want a device, xdp too: number 0 is none. */
			snprintf(name, sizeof(name), "link_create %s attach type %u", names[t], at);
			ATTR(.link_create.prog_fd = (uint32_t)prog, .link_create.attach_type = at);
			if (kinds[t] == BPF_PROG_TYPE_XDP || kinds[t] == BPF_PROG_TYPE_SCHED_CLS ||
			    kinds[t] == BPF_PROG_TYPE_KPROBE ||
			    kinds[t] == BPF_PROG_TYPE_TRACEPOINT)
				break;
			try(BPF_LINK_CREATE, "%s", name);
		}
		if (kinds[t] == BPF_PROG_TYPE_RAW_TRACEPOINT ||
		    kinds[t] == BPF_PROG_TYPE_SOCKET_FILTER)
			for (unsigned int bit = 0; bit < 32; bit++) {
				ATTR(.link_create.prog_fd = (uint32_t)prog,
				     .link_create.flags = 1u << bit);
				try(BPF_LINK_CREATE, "link_create %s flag bit %u", names[t], bit);
			}
		close(prog);
	}
	ATTR(.prog_bind_map.prog_fd = (uint32_t)other_fds[4].fd,
	     .prog_bind_map.map_fd = (uint32_t)other_fds[3].fd);
	for (unsigned int i = 0; i < 2; i++)
		try(BPF_PROG_BIND_MAP, "bind a map, %u", i);
	memset(info, 0, sizeof(info));
	info_of(other_fds[4].fd, sizeof(struct bpf_prog_info));
	say_value(((struct bpf_prog_info *)(void *)info)->nr_map_ids, "maps after binding twice");
	for (unsigned int bit = 0; bit < 32; bit++) {
		ATTR(.prog_bind_map.prog_fd = (uint32_t)other_fds[4].fd,
		     .prog_bind_map.map_fd = (uint32_t)other_fds[3].fd,
		     .prog_bind_map.flags = 1u << bit);
		try(BPF_PROG_BIND_MAP, "bind a map, flag bit %u", bit);
		memset(&A, 0, sizeof(A));
		set32(0, 1u << bit);
		set32(4, (uint32_t)other_fds[7].fd);
		try(36, "token, flag bit %u", bit);
	}
}

void link_cases(void)
{
	raw_tp_cases();
	create_link_cases();
}
