/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that count: a client test prints "N passed, N failed" and exits with 1 when any failed.
 */
#ifndef TESTS_CLIENTS_CHECK_H
#define TESTS_CLIENTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>

static int checks_passed, checks_failed;

#define CHECK(cond)                                                                                \
	({                                                                                         \
		bool ok_ = (cond);                                                                 \
		if (ok_) {                                                                         \
			checks_passed++;                                                           \
		} else {                                                                           \
			checks_failed++;                                                           \
			printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #cond);                  \
		}                                                                                  \
		ok_;                                                                               \
	})

#define CHECK_EQ(a, b)                                                                             \
	({                                                                                         \
		long long a_ = (long long)(a), b_ = (long long)(b);                                \
		if (a_ == b_) {                                                                    \
			checks_passed++;                                                           \
		} else {                                                                           \
			checks_failed++;                                                           \
			printf("%s:%d: failed: %s is %lld, not %lld\n", __FILE__, __LINE__, #a,    \
			       a_, b_);                                                            \
		}                                                                                  \
		a_ == b_;                                                                          \
	})

static inline int checks_done(void)
{
	printf("%d passed, %d failed\n", checks_passed, checks_failed);
	return checks_failed != 0;
}

#endif
