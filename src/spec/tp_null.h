/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints whose pointer arguments may be NULL or carry an error number.
 *
 * Typed tracepoint arguments are trusted and taken for non-NULL; the kernel keeps a list of the
 * exceptions, since the prototypes do not tell.
 */
#ifndef SKEP_SPEC_TP_NULL_H
#define SKEP_SPEC_TP_NULL_H

#include "base/types.h"

enum skep_tp_arg { SKEP_TP_ARG_PLAIN, SKEP_TP_ARG_NULLABLE, SKEP_TP_ARG_ERR };

/* What argument @arg (0-based) of tracepoint @name (without btf_trace_) may be. */
enum skep_tp_arg skep_tp_arg_null(const char *name, u32 arg);

#endif
