/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs with a target in the kernel's types: typed raw tracepoints, from load to link.
 */
#include "contract.h"

#include <fcntl.h>

static uint8_t *vmlinux;

/* Id of the first type of this kind and name, 0: none. */
static uint32_t find_type(const char *name, uint32_t kind)
{
	const struct btf_header *h = (void *)vmlinux;
	const uint8_t *p = vmlinux + h->hdr_len + h->type_off, *end = p + h->type_len;
	const char *strs = (char *)vmlinux + h->hdr_len + h->str_off;

	for (uint32_t id = 1; p < end; id++) {
		const struct btf_type *t = (const void *)p;
		uint32_t n = BTF_INFO_VLEN(t->info);

		if (BTF_INFO_KIND(t->info) == kind && !strcmp(strs + t->name_off, name))
			return id;
		p += sizeof(*t);
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_INT:
		case BTF_KIND_VAR:
		case BTF_KIND_DECL_TAG:
			p += 4;
			break;
		case BTF_KIND_ARRAY:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM64:
		case BTF_KIND_DATASEC:
			p += 12 * (BTF_INFO_KIND(t->info) == BTF_KIND_ARRAY ? 1 : n);
			break;
		case BTF_KIND_ENUM:
		case BTF_KIND_FUNC_PROTO:
			p += 8 * n;
			break;
		}
	}
	return 0;
}

static bool read_vmlinux(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	size_t n = 0;
	ssize_t r;

	if (fd < 0)
		return false;
	vmlinux = malloc(16 << 20);
	while ((r = read(fd, vmlinux + n, (16 << 20) - n)) > 0)
		n += (size_t)r;
	close(fd);
	return n > sizeof(struct btf_header);
}

static void attr_for(uint32_t target, uint32_t attach_type)
{
	static struct bpf_insn in[] = {MOV_IMM(0, 0), EXIT()};

	ATTR(.prog_type = BPF_PROG_TYPE_TRACING, .insn_cnt = 2, .insns = PTR(in),
	     .license = PTR("GPL"), .expected_attach_type = attach_type, .attach_btf_id = target);
}

static void loads(uint32_t tp)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} others[] = {
		{"task_struct", BTF_KIND_STRUCT},
		{"int", BTF_KIND_INT},
		{"__x64_sys_getpgid", BTF_KIND_FUNC},
	};
	long vm;

	attr_for(tp, BPF_TRACE_RAW_TP);
	try(BPF_PROG_LOAD, "tp_btf sys_enter");
	for (unsigned int i = 0; i < COUNT(others); i++) {
		attr_for(find_type(others[i].name, others[i].kind), BPF_TRACE_RAW_TP);
		try(BPF_PROG_LOAD, "tp_btf of %s", others[i].name);
	}
	attr_for(tp, BPF_TRACE_RAW_TP);
	A.u.prog_flags = BPF_F_SLEEPABLE;
	try(BPF_PROG_LOAD, "tp_btf sys_enter, sleepable");
	attr_for(tp, BPF_TRACE_RAW_TP);
	A.u.license = PTR("none");
	try(BPF_PROG_LOAD, "tp_btf sys_enter, no license");
	ATTR(.btf_id = 1);
	vm = call(BPF_BTF_GET_FD_BY_ID, ATTR_SIZE);
	attr_for(tp, BPF_TRACE_RAW_TP);
	A.u.attach_btf_obj_fd = (uint32_t)vm;
	try(BPF_PROG_LOAD, "tp_btf sys_enter, by the kernel's descriptor");
	attr_for(0, BPF_TRACE_RAW_TP);
	A.u.attach_btf_obj_fd = (uint32_t)vm;
	try(BPF_PROG_LOAD, "tp_btf of nothing, by the kernel's descriptor");
	for (unsigned int k = 0; k < COUNT(other_fds); k++) {
		if (!strcmp(other_fds[k].name, "program"))
			continue;
		attr_for(tp, BPF_TRACE_RAW_TP);
		A.u.attach_btf_obj_fd = (uint32_t)other_fds[k].fd;
		try(BPF_PROG_LOAD, "tp_btf sys_enter of %s", other_fds[k].name);
	}
	attr_for(tp, BPF_TRACE_RAW_TP);
	A.u.prog_btf_fd = (uint32_t)vm;
	A.u.func_info_cnt = 1;
	A.u.func_info_rec_size = 8;
	try(BPF_PROG_LOAD, "the kernel's types as a program's");
	close((int)vm);
}

static void links(int prog)
{
	static uint8_t info[256];
	struct bpf_link_info *l = (void *)info;
	long fd;

	ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog, .raw_tracepoint.name = PTR("sys_enter"));
	try(BPF_RAW_TRACEPOINT_OPEN, "open tp_btf with a name");
	for (uint32_t at = 0; at < 60; at++) {
		ATTR(.link_create.prog_fd = (uint32_t)prog, .link_create.attach_type = at);
		try(BPF_LINK_CREATE, "link tp_btf, attach type %u", at);
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		ATTR(.link_create.prog_fd = (uint32_t)prog,
		     .link_create.attach_type = BPF_TRACE_RAW_TP, .link_create.flags = 1u << bit);
		try(BPF_LINK_CREATE, "link tp_btf, flag bit %u", bit);
	}
	for (unsigned int w = 1; w < 16; w++) {
		ATTR(.link_create.prog_fd = (uint32_t)prog,
		     .link_create.attach_type = BPF_TRACE_RAW_TP);
		if (w == 2)
			continue;
		set32(w * 4, 1);
		try(BPF_LINK_CREATE, "link tp_btf, word %u is 1", w);
	}
	for (unsigned int way = 0; way < 2; way++) {
		if (way) {
			ATTR(.link_create.prog_fd = (uint32_t)prog,
			     .link_create.attach_type = BPF_TRACE_RAW_TP);
			set64(24, 0x1234); /* the cookie */
			fd = call(BPF_LINK_CREATE, ATTR_SIZE);
		} else {
			ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog);
			set64(16, 0x5678);
			fd = call(BPF_RAW_TRACEPOINT_OPEN, ATTR_SIZE);
		}
		say(fd, "a link, way %u", way);
		memset(info, 0, sizeof(info));
		ATTR(.info.bpf_fd = (uint32_t)fd, .info.info = PTR(info), .info.info_len = 64);
		try(BPF_OBJ_GET_INFO_BY_FD, "its info");
		say_value(l->type, "type");
		say_value(l->id != 0, "id");
		say_value(l->prog_id != 0, "program");
		say_bytes(info + 12, 4, "padding");
		say_value(((uint32_t *)(void *)info)[4], "first word of its kind");
		ATTR(.link_detach.link_fd = (uint32_t)fd);
		try(BPF_LINK_DETACH, "detach it");
		/* As often as one likes. */
		ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog);
		try(BPF_RAW_TRACEPOINT_OPEN, "a second one beside it");
		close((int)fd);
	}
}

void tracing_cases(void)
{
	static uint8_t info[256];
	struct bpf_prog_info *p = (void *)info;
	uint32_t tp = read_vmlinux() ? find_type("btf_trace_sys_enter", BTF_KIND_TYPEDEF) : 0;
	long fd;

	if (!tp)
		return;
	loads(tp);
	attr_for(tp, BPF_TRACE_RAW_TP);
	fd = call(BPF_PROG_LOAD, ATTR_SIZE);
	say(fd, "a tp_btf program");
	if (fd >= 0) {
		ATTR(.info.bpf_fd = (uint32_t)fd, .info.info = PTR(info), .info.info_len = 232);
		try(BPF_OBJ_GET_INFO_BY_FD, "its info");
		say_value(p->type, "type");
		say_value(p->attach_btf_obj_id, "attach btf");
		say_value(p->attach_btf_id == tp, "attach type");
		ATTR(.test.prog_fd = (uint32_t)fd);
		try(BPF_PROG_TEST_RUN, "test run of tp_btf");
		links((int)fd);
		close((int)fd);
	}
	free(vmlinux);
}
