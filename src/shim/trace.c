/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line for each bpf(2): command, the attr's fields that are not zero, result and reason.
 *
 * SKEP_TRACE=1 turns it on (skep run --trace); lines go to stderr or are appended to
 * SKEP_TRACE_FILE. The reason of a refused program or BTF is the last line of its log: when the
 * caller asked for none, the load is repeated with a buffer of ours, which changes nothing since it
 * fails.
 */
#include "shim/shim.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/uapi.h"
#include "shim/trace.h"
#include "sys/sys.h"

enum kind { U32, HEX32, HEX64, FD, FD_OPT, PTR, TEXT, NAME };

struct field {
	const char *name;
	u32 off;
	enum kind kind;
};

static const struct field f_map_create[] = {
	{"map_type", 0, U32},		{"map_name", 28, NAME},
	{"key_size", 4, U32},		{"value_size", 8, U32},
	{"max_entries", 12, U32},	{"map_flags", 16, HEX32},
	{"inner_map_fd", 20, FD_OPT},	{"map_ifindex", 44, U32},
	{"btf_fd", 48, FD_OPT},		{"btf_key_type_id", 52, U32},
	{"btf_value_type_id", 56, U32}, {"btf_vmlinux_value_type_id", 60, U32},
	{"map_extra", 64, HEX64},	{NULL},
};

static const struct field f_map_lookup_elem[] = {
	{"map_fd", 0, FD}, {"key", 8, PTR}, {"value", 16, PTR}, {"flags", 24, HEX64}, {NULL},
};

static const struct field f_prog_load[] = {
	{"prog_type", 0, U32},
	{"prog_name", 48, NAME},
	{"insn_cnt", 4, U32},
	{"insns", 8, PTR},
	{"license", 16, TEXT},
	{"log_level", 24, U32},
	{"log_size", 28, U32},
	{"log_buf", 32, PTR},
	{"kern_version", 40, HEX32},
	{"prog_flags", 44, HEX32},
	{"prog_ifindex", 64, U32},
	{"expected_attach_type", 68, U32},
	{"prog_btf_fd", 72, FD_OPT},
	{"func_info_cnt", 88, U32},
	{"line_info_cnt", 104, U32},
	{"attach_btf_id", 108, U32},
	{"attach_prog_fd", 112, FD_OPT},
	{"fd_array", 120, PTR},
	{"core_relo_cnt", 116, U32},
	{NULL},
};

static const struct field f_obj_pin[] = {
	{"pathname", 0, TEXT},
	{"bpf_fd", 8, FD},
	{"file_flags", 12, HEX32},
	{NULL},
};

static const struct field f_prog_attach[] = {
	{"target_fd", 0, FD},	     {"attach_bpf_fd", 4, FD},	     {"attach_type", 8, U32},
	{"attach_flags", 12, HEX32}, {"replace_bpf_fd", 16, FD_OPT}, {NULL},
};

static const struct field f_prog_test_run[] = {
	{"prog_fd", 0, FD},	    {"data_size_in", 8, U32},
	{"data_size_out", 12, U32}, {"data_in", 16, PTR},
	{"data_out", 24, PTR},	    {"repeat", 32, U32},
	{"ctx_size_in", 40, U32},   {"ctx_size_out", 44, U32},
	{"ctx_in", 48, PTR},	    {"ctx_out", 56, PTR},
	{"flags", 64, HEX32},	    {"cpu", 68, U32},
	{"batch_size", 72, U32},    {NULL},
};

static const struct field f_prog_get_next_id[] = {
	{"start_id", 0, U32},
	{NULL},
};

static const struct field f_prog_get_fd_by_id[] = {
	{"id", 0, U32},
	{"open_flags", 8, HEX32},
	{NULL},
};

static const struct field f_obj_get_info_by_fd[] = {
	{"bpf_fd", 0, FD},
	{"info_len", 4, U32},
	{"info", 8, PTR},
	{NULL},
};

static const struct field f_prog_query[] = {
	{"target_fd", 0, FD},  {"attach_type", 4, U32}, {"query_flags", 8, HEX32},
	{"prog_ids", 16, PTR}, {"count", 24, U32},	{NULL},
};

static const struct field f_raw_tracepoint_open[] = {
	{"name", 0, TEXT},
	{"prog_fd", 8, FD},
	{"cookie", 16, HEX64},
	{NULL},
};

static const struct field f_btf_load[] = {
	{"btf", 0, PTR},	   {"btf_log_buf", 8, PTR},    {"btf_size", 16, U32},
	{"btf_log_size", 20, U32}, {"btf_log_level", 24, U32}, {NULL},
};

static const struct field f_task_fd_query[] = {
	{"pid", 0, U32},
	{"fd", 4, FD},
	{"flags", 8, HEX32},
	{NULL},
};

static const struct field f_map_lookup_batch[] = {
	{"in_batch", 0, PTR},	   {"out_batch", 8, PTR}, {"keys", 16, PTR},
	{"values", 24, PTR},	   {"count", 32, U32},	  {"map_fd", 36, FD},
	{"elem_flags", 40, HEX64}, {"flags", 48, HEX64},  {NULL},
};

static const struct field f_link_create[] = {
	{"prog_fd", 0, FD},
	{"target_fd", 4, FD},
	{"attach_type", 8, U32},
	{"flags", 12, HEX32},
	{"target_btf_id", 16, U32},
	{"cookie", 24, HEX64},
	{NULL},
};

static const struct field f_link_update[] = {
	{"link_fd", 0, FD},
	{"new_prog_fd", 4, FD},
	{"flags", 8, HEX32},
	{"old_prog_fd", 12, FD_OPT},
	{NULL},
};

static const struct field f_enable_stats[] = {
	{"type", 0, U32},
	{NULL},
};

static const struct field f_iter_create[] = {
	{"link_fd", 0, FD},
	{"flags", 4, HEX32},
	{NULL},
};

static const struct field f_link_detach[] = {
	{"link_fd", 0, FD},
	{NULL},
};

static const struct field f_prog_bind_map[] = {
	{"prog_fd", 0, FD},
	{"map_fd", 4, FD},
	{"flags", 8, HEX32},
	{NULL},
};

static const struct field f_token_create[] = {
	{"flags", 0, HEX32},
	{"bpffs_fd", 4, FD},
	{NULL},
};

static const struct {
	const char *name;
	const struct field *fields;
} commands[] = {
	[0] = {"BPF_MAP_CREATE", f_map_create},
	[1] = {"BPF_MAP_LOOKUP_ELEM", f_map_lookup_elem},
	[2] = {"BPF_MAP_UPDATE_ELEM", f_map_lookup_elem},
	[3] = {"BPF_MAP_DELETE_ELEM", f_map_lookup_elem},
	[4] = {"BPF_MAP_GET_NEXT_KEY", f_map_lookup_elem},
	[5] = {"BPF_PROG_LOAD", f_prog_load},
	[6] = {"BPF_OBJ_PIN", f_obj_pin},
	[7] = {"BPF_OBJ_GET", f_obj_pin},
	[8] = {"BPF_PROG_ATTACH", f_prog_attach},
	[9] = {"BPF_PROG_DETACH", f_prog_attach},
	[10] = {"BPF_PROG_TEST_RUN", f_prog_test_run},
	[11] = {"BPF_PROG_GET_NEXT_ID", f_prog_get_next_id},
	[12] = {"BPF_MAP_GET_NEXT_ID", f_prog_get_next_id},
	[13] = {"BPF_PROG_GET_FD_BY_ID", f_prog_get_fd_by_id},
	[14] = {"BPF_MAP_GET_FD_BY_ID", f_prog_get_fd_by_id},
	[15] = {"BPF_OBJ_GET_INFO_BY_FD", f_obj_get_info_by_fd},
	[16] = {"BPF_PROG_QUERY", f_prog_query},
	[17] = {"BPF_RAW_TRACEPOINT_OPEN", f_raw_tracepoint_open},
	[18] = {"BPF_BTF_LOAD", f_btf_load},
	[19] = {"BPF_BTF_GET_FD_BY_ID", f_prog_get_fd_by_id},
	[20] = {"BPF_TASK_FD_QUERY", f_task_fd_query},
	[21] = {"BPF_MAP_LOOKUP_AND_DELETE_ELEM", f_map_lookup_elem},
	[22] = {"BPF_MAP_FREEZE", f_map_lookup_elem},
	[23] = {"BPF_BTF_GET_NEXT_ID", f_prog_get_next_id},
	[24] = {"BPF_MAP_LOOKUP_BATCH", f_map_lookup_batch},
	[25] = {"BPF_MAP_LOOKUP_AND_DELETE_BATCH", f_map_lookup_batch},
	[26] = {"BPF_MAP_UPDATE_BATCH", f_map_lookup_batch},
	[27] = {"BPF_MAP_DELETE_BATCH", f_map_lookup_batch},
	[28] = {"BPF_LINK_CREATE", f_link_create},
	[29] = {"BPF_LINK_UPDATE", f_link_update},
	[30] = {"BPF_LINK_GET_FD_BY_ID", f_prog_get_fd_by_id},
	[31] = {"BPF_LINK_GET_NEXT_ID", f_prog_get_next_id},
	[32] = {"BPF_ENABLE_STATS", f_enable_stats},
	[33] = {"BPF_ITER_CREATE", f_iter_create},
	[34] = {"BPF_LINK_DETACH", f_link_detach},
	[35] = {"BPF_PROG_BIND_MAP", f_prog_bind_map},
	[36] = {"BPF_TOKEN_CREATE", f_token_create},
	[37] = {"BPF_PROG_STREAM_READ_BY_FD", NULL},
	[38] = {"BPF_PROG_ASSOC_STRUCT_OPS", NULL},
};

#define CMD_PROG_LOAD 5
#define CMD_BTF_LOAD 18
#define LOG_SIZE (256u << 10)

static int state; /* 0 not asked yet, 1 off, 2 on */
static int out_fd = 2;

bool shim_tracing(void)
{
	const char *on, *file;
	int s = SKEP_READ(state);

	if (likely(s))
		return s == 2;
	on = getenv("SKEP_TRACE");
	file = getenv("SKEP_TRACE_FILE");
	if (on && *on && strcmp(on, "0")) {
		if (file && *file) {
			long fd = skep_raw(__NR_open, file,
					   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

			if (fd >= 0)
				out_fd = skep_fd_own((int)fd);
		}
		s = 2;
	} else {
		s = 1;
	}
	SKEP_WRITE(state, s);
	return s == 2;
}

/* The file went with skep's other descriptors; the next call opens it again. */
void shim_trace_fork_child(void)
{
	state = 0;
	out_fd = 2;
}

struct line {
	u32 len;
	char text[2048];
};

static void add(struct line *l, const char *fmt, ...) SKEP_PRINTF(2, 3);
static void add(struct line *l, const char *fmt, ...)
{
	u32 room = sizeof(l->text) - 2 - l->len; /* the newline has its place */
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->text + l->len, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->len += SKEP_MIN((u32)n, room - 1);
}

static void add_field(struct line *l, const struct field *f, const u8 *attr, bool *first)
{
	const char *sep = *first ? "" : ", ";
	char text[64];
	u64 v8;
	u32 v4;

	memcpy(&v4, attr + f->off, 4);
	memcpy(&v8, attr + f->off, 8);
	switch (f->kind) {
	case U32:
		if (!v4)
			return;
		add(l, "%s%s=%u", sep, f->name, v4);
		break;
	case HEX32:
		if (!v4)
			return;
		add(l, "%s%s=%#x", sep, f->name, v4);
		break;
	case HEX64:
		if (!v8)
			return;
		add(l, "%s%s=%#llx", sep, f->name, (unsigned long long)v8);
		break;
	case FD_OPT:
		if (!v4)
			return;
		/* fall through */
	case FD:
		add(l, "%s%s=%d", sep, f->name, (int)v4);
		break;
	case PTR:
		if (!v8)
			return;
		add(l, "%s%s=%#llx", sep, f->name, (unsigned long long)v8);
		break;
	case TEXT:
		if (!v8)
			return;
		if (skep_probe_read_str(text, v8, sizeof(text)) < 0)
			add(l, "%s%s=%#llx (unreadable)", sep, f->name, (unsigned long long)v8);
		else
			add(l, "%s%s=\"%s\"", sep, f->name, text);
		break;
	case NAME:
		if (!attr[f->off])
			return;
		add(l, "%s%s=\"%.16s\"", sep, f->name, (const char *)attr + f->off);
		break;
	}
	*first = false;
}

/* The log's last line that says something; statistics follow the message. */
static void add_log_reason(struct line *l, char *log)
{
	for (char *end = log + strlen(log); end > log;) {
		char *start;

		while (end > log && end[-1] == '\n')
			*--end = 0;
		start = strrchr(log, '\n');
		start = start ? start + 1 : log;
		if (*start && strncmp(start, "processed ", 10) &&
		    strncmp(start, "verification time", 17) && strncmp(start, "stack depth", 11)) {
			add(l, ": %s", start);
			return;
		}
		*start = 0;
		end = start;
	}
}

/* The errno in words; for loads, what the log says. */
static void add_reason(struct line *l, const struct skep_caller *c, int cmd, const u8 *attr,
		       u32 size, long err)
{
	u32 before = l->len;
	u8 copy[SKEP_ATTR_SIZE];
	u64 log_addr;
	u32 v;
	char *log;

	log = cmd == CMD_PROG_LOAD || cmd == CMD_BTF_LOAD ? skep_zalloc(LOG_SIZE) : NULL;
	if (!log)
		goto words;
	memcpy(copy, attr, sizeof(copy));
	log_addr = (u64)log;
	v = 1;
	memcpy(copy + 24, &v, 4); /* level */
	v = LOG_SIZE;
	memcpy(copy + (cmd == CMD_PROG_LOAD ? 28 : 20), &v, 4);
	memcpy(copy + (cmd == CMD_PROG_LOAD ? 32 : 8), &log_addr, 8);
	if (skep_bpf(c, cmd, (u64)copy, SKEP_MAX(size, 40u)) < 0) {
		log[LOG_SIZE - 1] = 0;
		add_log_reason(l, log);
	}
	skep_free(log);
words:
	if (l->len == before && strerrordesc_np((int)-err))
		add(l, ": %s", strerrordesc_np((int)-err));
}

void shim_trace(const struct skep_caller *c, int cmd, u64 uattr, u32 size,
		const u8 before[SKEP_ATTR_SIZE], bool readable, long ret)
{
	bool known = (u32)cmd < ARRAY_SIZE(commands) && commands[cmd].name;
	const struct field *f = known ? commands[cmd].fields : NULL;
	bool first = true;
	struct line *l = skep_zalloc(sizeof(*l));

	if (!l)
		return;
	add(l, "[%ld] ", skep_raw(__NR_gettid));
	if (known)
		add(l, "bpf(%s, ", commands[cmd].name);
	else
		add(l, "bpf(%d, ", cmd);
	if (!readable) {
		add(l, "%#llx", (unsigned long long)uattr);
	} else {
		add(l, "{");
		for (; f && f->name; f++)
			if (f->off < size)
				add_field(l, f, before, &first);
		add(l, "}");
	}
	add(l, ", %u) = ", size);
	if (ret < 0) {
		const char *name = strerrorname_np((int)-ret);

		add(l, "-1 %s", name ? name : ret == -SKEP_ENOTSUPP ? "ENOTSUPP" : "?");
		if (readable)
			add_reason(l, c, cmd, before, size, ret);
	} else {
		add(l, "%ld", ret);
	}
	l->text[l->len++] = '\n';
	skep_raw(__NR_write, out_fd, l->text, l->len);
	skep_free(l);
}
