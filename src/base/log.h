/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages: skep_warn() to stderr (raw write, no stdio), and text buffers of bounded size.
 */
#ifndef SKEP_BASE_LOG_H
#define SKEP_BASE_LOG_H

#include <stdarg.h>

#include "base/types.h"

/* One line to stderr, prefixed "skep: ". Any context. */
void skep_warn(const char *fmt, ...) SKEP_PRINTF(1, 2);

/*
 * A mistake of ours that we survive: warns once per place, returns the condition. For input use
 * ordinary checks.
 */
#define SKEP_WARN_ON(cond)                                                                         \
	({                                                                                         \
		static bool warned_;                                                               \
		bool cond_ = !!(cond);                                                             \
		if (unlikely(cond_) && !warned_) {                                                 \
			warned_ = true;                                                            \
			skep_warn("unexpected: %s (%s:%d)", #cond, __FILE__, __LINE__);            \
		}                                                                                  \
		cond_;                                                                             \
	})

#endif
