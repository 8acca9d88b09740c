/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verifier's log: a text that may be longer than its buffer and keeps its end.
 *
 * Positions are counted from the first byte ever written; byte p lives at buf[p % size], so
 * going back (vlog_reset) and rotating cost nothing until the end, when the caller's buffer is
 * straightened. The last message is kept apart whatever the level: it is the reason.
 */
#include "verifier/env.h"

#include <stdio.h>
#include <string.h>

void vlog_init(struct vlog *l, u32 level, char *buf, u32 size)
{
	*l = (struct vlog){.level = level, .buf = buf, .size = size};
}

void vlog_write(struct vlog *l, const char *s, u32 n)
{
	if (l->len_max < l->end + n + 1)
		l->len_max = l->end + n + 1;
	if (!l->buf || !l->size) {
		l->end += n;
		return;
	}
	if (l->level & SKEP_LOG_FIXED) {
		if (l->end < l->size - 1) {
			u32 room = l->size - 1 - (u32)l->end;

			memcpy(l->buf + l->end, s, SKEP_MIN(room, n));
		}
		l->end += n;
		return;
	}
	for (u32 i = 0; i < n; i++)
		l->buf[(l->end + i) % l->size] = s[i];
	l->end += n;
	if (l->end + 1 - l->start > l->size)
		l->start = l->end + 1 - l->size;
}

void vlog_reset(struct vlog *l, u64 pos)
{
	if (pos >= l->end)
		return;
	l->end = pos;
	if (pos < l->start)
		l->start = pos;
}

/* Remember the last complete line as the reason. */
static void keep_reason(struct vlog *l, const char *s, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		if (s[i] != '\n') {
			if (l->part_len < sizeof(l->part) - 1)
				l->part[l->part_len++] = s[i];
			continue;
		}
		if (l->part_len) {
			l->part[l->part_len] = 0;
			memcpy(l->line, l->part, l->part_len + 1);
		}
		l->part_len = 0;
	}
}

static u32 format(char *buf, u32 size, const char *fmt, va_list ap)
{
	int n = vsnprintf(buf, size, fmt, ap);

	return n < 0 ? 0 : SKEP_MIN((u32)n, size - 1);
}

void vf_say(struct env *env, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	u32 n;

	va_start(ap, fmt);
	n = format(text, sizeof(text), fmt, ap);
	va_end(ap);
	keep_reason(&env->log, text, n);
	if (env->log.level)
		vlog_write(&env->log, text, n);
}

void vf_log(struct env *env, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vlog_write(&env->log, text, format(text, sizeof(text), fmt, ap));
	va_end(ap);
}

/* "; source text" when the instruction starts another source line than the last one printed. */
void vf_log_line_info(struct env *env, u32 idx, const char *prefix)
{
	const struct bpf_line_info *li;
	const char *s, *file, *base;
	s32 n;

	if (!vf_logging(env) || !env->req->nr_line_info || !env->aux)
		return;
	n = env->aux[idx].linfo;
	if (n < 0 || n == env->prev_linfo)
		return;
	if (env->prev_linfo >= 0 &&
	    env->req->line_info[n].file_name_off ==
		    env->req->line_info[env->prev_linfo].file_name_off &&
	    BPF_LINE_INFO_LINE_NUM(env->req->line_info[n].line_col) ==
		    BPF_LINE_INFO_LINE_NUM(env->req->line_info[env->prev_linfo].line_col))
		return;
	li = &env->req->line_info[n];
	s = skep_btf_str(env->req->prog_btf, li->line_off);
	while (*s == ' ' || *s == '\t')
		s++;
	file = skep_btf_str(env->req->prog_btf, li->file_name_off);
	base = strrchr(file, '/');
	vf_log(env, "%s%s @ %s:%u\n", prefix, s, base ? base + 1 : file,
	       BPF_LINE_INFO_LINE_NUM(li->line_col));
	env->prev_linfo = n;
}
