/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on text: printing, numbers, comparison.
 */
#include <errno.h>
#include <string.h>

#include "helper/format.h"
#include "helper/helper.h"
#include "isa/uapi.h"
#include "kern/trace_pipe.h"

#define TRACE_MAX 1024u
#define MAX_ARGS 12u

static u64 print(const char *fmt, u64 fmt_size, const u64 *args, u32 nr)
{
	char line[TRACE_MAX];
	s64 n = skep_format(line, sizeof(line), fmt, (u32)fmt_size, args, nr);

	if (n < 0)
		return (u64)n;
	n = SKEP_MIN(n, (s64)sizeof(line) - 1);
	skep_trace_write(line, (u32)n);
	return (u64)n;
}

SKEP_BODY(trace_printk)
{
	u64 args[3] = {r3, r4, r5};

	return print((const char *)r1, r2, args, 3);
}

SKEP_BODY(trace_vprintk)
{
	if (r4 & 7 || r4 > MAX_ARGS * 8 || (r4 && !r3))
		return (u64)-EINVAL;
	return print((const char *)r1, r2, (const u64 *)r3, (u32)r4 / 8);
}

SKEP_BODY(snprintf_)
{
	s64 n;

	if (r5 & 7 || r5 > MAX_ARGS * 8 || (r5 && !r4))
		return (u64)-EINVAL;
	/* The verifier made sure that the format is a terminated constant string. */
	n = skep_format((char *)r1, (u32)r2, (const char *)r3, UINT32_MAX, (const u64 *)r4,
			(u32)r5 / 8);
	return (u64)(n < 0 ? n : n + 1);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (u8)c == 0xa0;
}

/* Digits of @s[@n] in @base (0: by prefix); characters used, -EINVAL none, -ERANGE too many. */
static s64 parse_digits(const char *s, u64 n, u32 base, u64 *ret)
{
	u64 v = 0, i = 0, start;

	if (!base) {
		base = 10;
		if (n && s[0] == '0') {
			base = 8;
			if (n > 2 && (s[1] | 32) == 'x')
				base = 16;
		}
	}
	if (base == 16 && n > 2 && s[0] == '0' && (s[1] | 32) == 'x')
		i = 2;
	for (start = i; i < n; i++) {
		char c = s[i] >= '0' && s[i] <= '9' ? s[i] : (char)(s[i] | 32);
		u32 d = c >= '0' && c <= '9'   ? (u32)(c - '0')
			: c >= 'a' && c <= 'f' ? (u32)(c - 'a' + 10)
					       : 99;

		if (d >= base)
			break;
		if (__builtin_mul_overflow(v, (u64)base, &v) ||
		    __builtin_add_overflow(v, (u64)d, &v))
			return -ERANGE;
	}
	if (i == start)
		return -EINVAL;
	*ret = v;
	return (s64)i;
}

static s64 parse_number(const char *s, u64 n, u64 flags, bool *ret_negative, u64 *ret)
{
	u32 base = (u32)flags & 31;
	u64 i = 0;
	s64 used;

	if (!n || (base && base != 8 && base != 10 && base != 16) || flags & ~31ull)
		return -EINVAL;
	while (i < n && is_space(s[i]))
		i++;
	*ret_negative = i < n && s[i] == '-';
	i += *ret_negative;
	if (i >= n)
		return -EINVAL;
	used = parse_digits(s + i, n - i, base, ret);
	return used < 0 ? used : used + (s64)i;
}

SKEP_BODY(strtol_)
{
	u64 v = 0;
	bool neg = false;
	s64 used = parse_number((const char *)r1, r2, r3, &neg, &v);

	if (used < 0)
		return (u64)used;
	if (v > (u64)INT64_MAX + neg)
		return (u64)-ERANGE;
	*(s64 *)r4 = (s64)(neg ? 0 - v : v);
	return (u64)used;
}

SKEP_BODY(strtoul_)
{
	u64 v = 0;
	bool neg = false;
	s64 used = parse_number((const char *)r1, r2, r3, &neg, &v);

	if (used < 0)
		return (u64)used;
	if (neg)
		return (u64)-EINVAL;
	*(u64 *)r4 = v;
	return (u64)used;
}

SKEP_BODY(strncmp_)
{
	return (u64)(s64)strncmp((const char *)r1, (const char *)r3, (u32)r2);
}

const struct skep_body skep_text_bodies[] = {
	{BPF_FUNC_trace_printk, trace_printk},
	{BPF_FUNC_trace_vprintk, trace_vprintk},
	{BPF_FUNC_snprintf, snprintf_},
	{BPF_FUNC_strtol, strtol_},
	{BPF_FUNC_strtoul, strtoul_},
	{BPF_FUNC_strncmp, strncmp_},
	{0, NULL},
};
