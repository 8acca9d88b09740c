/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmarks in C: what a program would do if it were part of the application.
 */
#ifndef SKEP_BENCH_NATIVE_H
#define SKEP_BENCH_NATIVE_H

#include <stdbool.h>

struct native_bench;

/* NULL: no native form. */
struct native_bench *native_new(const char *bench, unsigned int maps, bool interleave,
				unsigned int keys, unsigned int loops);
/* One trigger: as the program does at one system call. */
void native_trigger(struct native_bench *b, long *hits, long *important);

#endif
