/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every command with a good attr whose size is varied, and with one byte changed at a time.
 *
 * The first pins which sizes are taken and where the attr is read, the second which bytes a
 * command refuses: fields it does not know, bytes beyond its last one.
 */
#include "contract.h"

static int hash, frozen_able, prog, btf, link_fd, xdp;
static struct bpf_insn two[] = {MOV_IMM(0, 0), EXIT()};
static uint32_t key;
static uint8_t value[65536 * 2], info[4096];

/* A good attr for each command; bytes in skip (pairs of from, to) are not varied. */
static const struct command {
	int cmd;
	const char *name;
	uint8_t skip[12];
} commands[] = {
	{BPF_MAP_CREATE, "MAP_CREATE", {7, 8, 15, 16}},
	{BPF_MAP_LOOKUP_ELEM, "MAP_LOOKUP_ELEM", {8, 24}},
	{BPF_MAP_UPDATE_ELEM, "MAP_UPDATE_ELEM", {8, 24}},
	{BPF_MAP_DELETE_ELEM, "MAP_DELETE_ELEM", {8, 16}},
	{BPF_MAP_GET_NEXT_KEY, "MAP_GET_NEXT_KEY", {8, 24}},
	{BPF_MAP_LOOKUP_AND_DELETE_ELEM, "MAP_LOOKUP_AND_DELETE_ELEM", {8, 24}},
	{BPF_MAP_FREEZE, "MAP_FREEZE", {0}},
	{BPF_PROG_LOAD, "PROG_LOAD", {4, 24}},
	{BPF_PROG_TEST_RUN, "PROG_TEST_RUN", {16, 32, 34, 36, 0}},
	{BPF_BTF_LOAD, "BTF_LOAD", {0, 8, 16, 20}},
	{BPF_OBJ_GET_INFO_BY_FD, "OBJ_GET_INFO_BY_FD", {8, 16}},
	{BPF_RAW_TRACEPOINT_OPEN, "RAW_TRACEPOINT_OPEN", {0, 16}},
	{BPF_LINK_CREATE, "LINK_CREATE", {0}},
	{BPF_LINK_DETACH, "LINK_DETACH", {0}},
	{BPF_PROG_BIND_MAP, "PROG_BIND_MAP", {0}},
	{BPF_MAP_GET_NEXT_ID, "MAP_GET_NEXT_ID", {0, 4}},
	{BPF_PROG_GET_NEXT_ID, "PROG_GET_NEXT_ID", {0, 4}},
	{BPF_BTF_GET_NEXT_ID, "BTF_GET_NEXT_ID", {0, 4}},
	{BPF_LINK_GET_NEXT_ID, "LINK_GET_NEXT_ID", {0, 4}},
	{BPF_MAP_GET_FD_BY_ID, "MAP_GET_FD_BY_ID", {0, 4}},
	{BPF_PROG_GET_FD_BY_ID, "PROG_GET_FD_BY_ID", {0, 4}},
	{BPF_BTF_GET_FD_BY_ID, "BTF_GET_FD_BY_ID", {0, 4}},
	{BPF_LINK_GET_FD_BY_ID, "LINK_GET_FD_BY_ID", {0, 4}},
	{36, "TOKEN_CREATE", {0}},
};

static void fill(int cmd)
{
	uint32_t size;

	ATTR(.map_fd = 0);
	memset(&A, 0, sizeof(A));
	switch (cmd) {
	case BPF_MAP_CREATE:
		ATTR(.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4,
		     .max_entries = 1);
		break;
	case BPF_MAP_LOOKUP_ELEM:
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_LOOKUP_AND_DELETE_ELEM:
		ATTR(.map_fd = (uint32_t)hash, .key = PTR(&key), .value = PTR(value));
		break;
	case BPF_MAP_DELETE_ELEM:
		ATTR(.map_fd = (uint32_t)hash, .key = PTR(&key));
		break;
	case BPF_MAP_GET_NEXT_KEY:
		ATTR(.map_fd = (uint32_t)hash, .next_key = PTR(value));
		break;
	case BPF_MAP_FREEZE:
		ATTR(.map_fd = (uint32_t)frozen_able);
		break;
	case BPF_PROG_LOAD:
		ATTR(.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2, .insns = PTR(two),
		     .license = PTR("GPL"));
		break;
	case BPF_PROG_TEST_RUN:
		ATTR(.test.prog_fd = (uint32_t)xdp, .test.data_in = PTR(value),
		     .test.data_size_in = 64);
		break;
	case BPF_BTF_LOAD:
		A.u.btf = PTR(btf_bytes(&size));
		A.u.btf_size = size;
		break;
	case BPF_OBJ_GET_INFO_BY_FD:
		memset(info, 0, sizeof(info));
		ATTR(.info.bpf_fd = (uint32_t)hash, .info.info = PTR(info), .info.info_len = 80);
		break;
	case BPF_RAW_TRACEPOINT_OPEN:
		ATTR(.raw_tracepoint.prog_fd = (uint32_t)prog,
		     .raw_tracepoint.name = PTR("sys_enter"));
		break;
	case BPF_LINK_CREATE:
		ATTR(.link_create.prog_fd = (uint32_t)prog);
		break;
	case BPF_LINK_DETACH:
		ATTR(.link_detach.link_fd = (uint32_t)link_fd);
		break;
	case BPF_PROG_BIND_MAP:
		ATTR(.prog_bind_map.prog_fd = (uint32_t)prog,
		     .prog_bind_map.map_fd = (uint32_t)hash);
		break;
	case BPF_MAP_GET_NEXT_ID:
	case BPF_PROG_GET_NEXT_ID:
	case BPF_BTF_GET_NEXT_ID:
	case BPF_LINK_GET_NEXT_ID:
		A.u.start_id = 0;
		break;
	case BPF_MAP_GET_FD_BY_ID:
	case BPF_PROG_GET_FD_BY_ID:
	case BPF_BTF_GET_FD_BY_ID:
	case BPF_LINK_GET_FD_BY_ID:
		A.u.map_id = 0x7ffffff0;
		break;
	}
}

static void settle(int cmd, long r)
{
	uint32_t k = key;

	switch (cmd) {
	case BPF_MAP_CREATE:
	case BPF_PROG_LOAD:
	case BPF_BTF_LOAD:
	case BPF_RAW_TRACEPOINT_OPEN:
	case BPF_LINK_CREATE:
		if (r >= 0)
			close((int)r);
		break;
	case BPF_MAP_FREEZE:
		if (r >= 0) {
			close(frozen_able);
			frozen_able = map_new(BPF_MAP_TYPE_ARRAY, 4, 4, 1, 0);
		}
		break;
	case BPF_MAP_DELETE_ELEM:
	case BPF_MAP_LOOKUP_AND_DELETE_ELEM:
		ATTR(.map_fd = (uint32_t)hash, .key = PTR(&k), .value = PTR(value));
		call(BPF_MAP_UPDATE_ELEM, ATTR_SIZE);
	}
}

static void sizes(const struct command *c)
{
	static const unsigned int longer[] = {169, 172, 176, 4095, 4096, 4097, 8192};
	char name[64];
	struct runs s = {.name = name};

	snprintf(name, sizeof(name), "%s sizes", c->name);
	for (unsigned int n = 0; n <= ATTR_SIZE; n += 4) {
		long r;

		fill(c->cmd);
		r = call(c->cmd, n);
		settle(c->cmd, r);
		runs_add(&s, n, r);
	}
	for (unsigned int i = 0; i < COUNT(longer); i++) {
		long r;

		fill(c->cmd);
		r = call(c->cmd, longer[i]);
		settle(c->cmd, r);
		runs_add(&s, longer[i], r);
	}
	runs_end(&s);
	snprintf(name, sizeof(name), "%s sizes, last byte set", c->name);
	s = (struct runs){.name = name};
	for (unsigned int i = 0; i < COUNT(longer); i++) {
		long r;

		fill(c->cmd);
		A.b[longer[i] - 1] = 1;
		r = call(c->cmd, longer[i]);
		settle(c->cmd, r);
		runs_add(&s, longer[i], r);
	}
	runs_end(&s);
}

static bool skipped(const struct command *c, unsigned int at)
{
	for (unsigned int i = 0; i + 1 < sizeof(c->skip) && c->skip[i + 1]; i += 2)
		if (at >= c->skip[i] && at < c->skip[i + 1])
			return true;
	return false;
}

static void bytes(const struct command *c, uint8_t v)
{
	char name[64];
	struct runs s = {.name = name};

	snprintf(name, sizeof(name), "%s byte set to %u", c->name, v);
	for (unsigned int at = 0; at < ATTR_SIZE; at++) {
		long r;

		if (skipped(c, at))
			continue;
		fill(c->cmd);
		if (A.b[at] == v)
			continue;
		A.b[at] = v;
		r = call(c->cmd, ATTR_SIZE);
		settle(c->cmd, r);
		runs_add(&s, at, r);
	}
	runs_end(&s);
}

static void attr_pointers(const struct command *c)
{
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		long r = call_at(c->cmd, (void *)(uintptr_t)bad_ptrs[i].ptr, ATTR_SIZE);

		say(r, "%s attr at %s", c->name, bad_ptrs[i].name);
	}
	/* Only as many bytes as said are read; some commands write further. */
	fill(c->cmd);
	memcpy(edge(64), &A, 64);
	say(call_at(c->cmd, edge(64), 65), "%s attr beyond the edge", c->name);
}

static void unknown_commands(void)
{
	static const int cmds[] = {-1, -2147483647, 38, 39, 100, 1000, 2147483647};

	for (unsigned int i = 0; i < COUNT(cmds); i++) {
		ATTR(.map_fd = 0);
		say(call(cmds[i], ATTR_SIZE), "command %d", cmds[i]);
		say(call(cmds[i], 0), "command %d, size 0", cmds[i]);
		say(call(cmds[i], 5000), "command %d, size 5000", cmds[i]);
		say(call_at(cmds[i], (void *)8, 8), "command %d, bad attr", cmds[i]);
	}
}

void sweep_cases(void)
{
	hash = map_new(BPF_MAP_TYPE_HASH, 4, 4, 4, 0);
	frozen_able = map_new(BPF_MAP_TYPE_ARRAY, 4, 4, 1, 0);
	prog = prog_new(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
	xdp = prog_new(BPF_PROG_TYPE_XDP, 0, 2);
	btf = btf_new();
	link_fd = raw_tp_new();
	fill(BPF_MAP_UPDATE_ELEM);
	call(BPF_MAP_UPDATE_ELEM, ATTR_SIZE);
	unknown_commands();
	for (unsigned int i = 0; i < COUNT(commands); i++) {
		sizes(&commands[i]);
		bytes(&commands[i], 1);
		bytes(&commands[i], 'a');
		bytes(&commands[i], 0xff);
		attr_pointers(&commands[i]);
	}
	close(link_fd);
	close(btf);
	close(xdp);
	close(prog);
	close(frozen_able);
	close(hash);
}
