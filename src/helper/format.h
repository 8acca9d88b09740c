/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formatting for trace_printk, trace_vprintk and snprintf.
 */
#ifndef SKEP_HELPER_FORMAT_H
#define SKEP_HELPER_FORMAT_H

#include "base/types.h"

/*
 * Write @fmt (NUL within its first @fmt_size bytes) with @nr_args words into @out[@size], always
 * terminated when @size > 0. The length that a large enough buffer would have got (without the
 * NUL), or -EINVAL: bad format, or more conversions than arguments. @out may be NULL with size 0.
 */
s64 skep_format(char *out, u32 size, const char *fmt, u32 fmt_size, const u64 *args, u32 nr_args);

#endif
