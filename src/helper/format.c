/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A printf of its own: stdio may not be used where programs run, and strings are read from
 * addresses that may not be there.
 *
 * Conversions are the kernel's for BPF: d i u x X o with l, ll and h modifiers, c, s, p and its
 * suffixes K x s S B (address), ks and us (string at that address), i4 I4 i6 I6 (network address);
 * flags - + space # 0, width and precision as numbers.
 */
#include "helper/format.h"

#include <errno.h>
#include <string.h>

#include "base/uaccess.h"

struct sink {
	char *out;
	u32 size;
	u64 len;
};

struct spec {
	bool left, plus, space, alt, zero, has_precision;
	u32 width, precision;
};

static void put(struct sink *s, char c)
{
	if (s->len + 1 < s->size)
		s->out[s->len] = c;
	s->len++;
}

static void pad(struct sink *s, char c, u32 n)
{
	while (n--)
		put(s, c);
}

static void put_string(struct sink *s, const struct spec *f, const char *str, u32 n)
{
	u32 fill;

	if (f->has_precision)
		n = SKEP_MIN(n, f->precision);
	fill = f->width > n ? f->width - n : 0;
	if (!f->left)
		pad(s, ' ', fill);
	for (u32 i = 0; i < n; i++)
		put(s, str[i]);
	if (f->left)
		pad(s, ' ', fill);
}

static void put_number(struct sink *s, const struct spec *f, u64 v, bool negative, u32 base,
		       bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char buf[24], prefix[3];
	u32 n = 0, np = 0, total, zeros;

	do {
		buf[n++] = digits[v % base];
		v /= base;
	} while (v);
	if (negative)
		prefix[np++] = '-';
	else if (f->plus)
		prefix[np++] = '+';
	else if (f->space)
		prefix[np++] = ' ';
	if (f->alt && base == 16) {
		prefix[np++] = '0';
		prefix[np++] = upper ? 'X' : 'x';
	} else if (f->alt && base == 8) {
		prefix[np++] = '0';
	}
	zeros = f->has_precision && f->precision > n ? f->precision - n : 0;
	total = n + np + zeros;
	if (f->zero && !f->left && !f->has_precision && f->width > total) {
		zeros = f->width - total;
		total = f->width;
	}
	if (!f->left && f->width > total)
		pad(s, ' ', f->width - total);
	for (u32 i = 0; i < np; i++)
		put(s, prefix[i]);
	pad(s, '0', zeros);
	while (n)
		put(s, buf[--n]);
	if (f->left && f->width > total)
		pad(s, ' ', f->width - total);
}

static void put_string_at(struct sink *s, const struct spec *f, u64 addr)
{
	char buf[512];
	long n = addr ? skep_probe_read_str(buf, addr, sizeof(buf)) : -EFAULT;

	if (n < 0)
		put_string(s, f, "", 0); /* the kernel prints nothing for unreadable strings */
	else
		put_string(s, f, buf, (u32)n - 1);
}

static void put_ip(struct sink *s, const struct spec *f, u64 addr, bool v6, bool dense)
{
	struct sink text;
	u8 raw[16] = {0};
	char buf[64];
	u32 n = v6 ? 16 : 4;

	text = (struct sink){buf, sizeof(buf), 0};
	skep_probe_read(raw, addr, n);
	for (u32 i = 0; i < n; i += v6 ? 2 : 1) {
		struct spec plain = {.zero = true, .width = v6 ? 4 : dense ? 3 : 0};

		if (i && !(v6 && dense))
			put(&text, v6 ? ':' : '.');
		put_number(&text, &plain, v6 ? (u64)raw[i] << 8 | raw[i + 1] : raw[i], false,
			   v6 ? 16 : 10, false);
	}
	put_string(s, f, buf, (u32)text.len);
}

/* After "%p": consumes a suffix, writes; false for an unknown one. */
static bool put_pointer(struct sink *s, struct spec *f, const char **fmt, u64 arg)
{
	const char *p = *fmt;

	if ((p[0] == 'k' || p[0] == 'u') && p[1] == 's') {
		*fmt += 2;
		put_string_at(s, f, arg);
		return true;
	}
	if ((p[0] == 'i' || p[0] == 'I') && (p[1] == '4' || p[1] == '6')) {
		*fmt += 2;
		put_ip(s, f, arg, p[1] == '6', p[0] == 'i');
		return true;
	}
	if (*p && strchr("KxsSB", *p)) {
		(*fmt)++;
	} else if (*p && (*p == '_' || (*p | 32) >= 'a') && (*p | 32) <= 'z') {
		return false;
	}
	if (!f->width && !(*p && strchr("sSB", *p))) {
		f->zero = true;
		f->width = 16;
	}
	if (*p && strchr("sSB", *p))
		f->alt = true;
	put_number(s, f, arg, false, 16, false);
	return true;
}

static const char *parse_flags(const char *p, struct spec *f)
{
	memset(f, 0, sizeof(*f));
	for (;; p++) {
		if (*p == '-')
			f->left = true;
		else if (*p == '+')
			f->plus = true;
		else if (*p == ' ')
			f->space = true;
		else if (*p == '#')
			f->alt = true;
		else if (*p == '0')
			f->zero = true;
		else
			break;
	}
	for (; *p >= '0' && *p <= '9' && f->width < 10000; p++)
		f->width = f->width * 10 + (u32)(*p - '0');
	if (*p == '.') {
		f->has_precision = true;
		for (p++; *p >= '0' && *p <= '9' && f->precision < 10000; p++)
			f->precision = f->precision * 10 + (u32)(*p - '0');
	}
	return p;
}

/* Width in bytes of an integer conversion by its l, h and z modifiers. */
static const char *parse_size(const char *p, u32 *ret_bytes)
{
	u32 longs = 0, shorts = 0;

	for (; *p == 'l' || *p == 'h' || *p == 'z'; p++) {
		longs += *p != 'h';
		shorts += *p == 'h';
	}
	*ret_bytes = longs ? 8 : shorts == 1 ? 2 : shorts ? 1 : 4;
	return p;
}

static void put_integer(struct sink *s, const struct spec *f, char conv, u32 bytes, u64 v)
{
	u32 unused = 64 - bytes * 8;
	bool negative = false;

	if (conv == 'd' || conv == 'i') {
		s64 sv = (s64)(v << unused) >> unused;

		negative = sv < 0;
		v = negative ? 0 - (u64)sv : (u64)sv;
	} else {
		v = v << unused >> unused;
	}
	put_number(s, f, v, negative,
		   conv == 'o'			? 8
		   : conv == 'x' || conv == 'X' ? 16
						: 10,
		   conv == 'X');
}

s64 skep_format(char *out, u32 size, const char *fmt, u32 fmt_size, const u64 *args, u32 nr_args)
{
	struct sink s = {out, size, 0};
	u32 used = 0;

	if (!memchr(fmt, 0, fmt_size))
		return -EINVAL;
	while (*fmt) {
		struct spec f;
		u32 bytes;
		char conv;

		if (*fmt == 127 || ((u8)*fmt < 32 && !strchr("\t\n\v\f\r", *fmt)))
			return -EINVAL;
		if (*fmt != '%') {
			put(&s, *fmt++);
			continue;
		}
		if (fmt[1] == '%') {
			put(&s, '%');
			fmt += 2;
			continue;
		}
		fmt = parse_size(parse_flags(fmt + 1, &f), &bytes);
		conv = *fmt ? *fmt++ : 0;
		if (!conv || !strchr("diuxXocsp", conv) || used == nr_args)
			return -EINVAL;
		switch (conv) {
		case 's':
			put_string_at(&s, &f, args[used++]);
			break;
		case 'c': {
			char c = (char)args[used++];

			put_string(&s, &f, &c, 1);
			break;
		}
		case 'p':
			if (!put_pointer(&s, &f, &fmt, args[used++]))
				return -EINVAL;
			break;
		default:
			put_integer(&s, &f, conv, bytes, args[used++]);
		}
	}
	if (size)
		out[SKEP_MIN(s.len, (u64)size - 1)] = 0;
	return (s64)s.len;
}
