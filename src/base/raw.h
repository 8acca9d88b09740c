/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw system calls: skep's own requests to the kernel.
 *
 * They bypass libc, hence the shim's interposition and the application's hooks, and return
 * -errno instead of touching errno. Async-signal-safe.
 */
#ifndef SKEP_BASE_RAW_H
#define SKEP_BASE_RAW_H

#include <asm/unistd.h>

static inline long skep_raw6(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define SKEP_RAW_(n, a, b, c, d, e, f, ...)                                                        \
	skep_raw6((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* skep_raw(nr, up to six arguments): the kernel's result, -errno on failure. */
#define skep_raw(...) SKEP_RAW_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

#endif
