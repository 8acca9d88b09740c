/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The computations of compute.h compiled for this machine, twice: without and with vectorisers.
 */
#ifndef BENCH_COMPUTE_NATIVE_H
#define BENCH_COMPUTE_NATIVE_H

#include <stdint.h>

struct compute;

struct compute_native {
	const char *name;
	uint64_t (*run)(struct compute *d);
};

/* In the order of COMPUTE_LIST, ended by a row without a name. */
extern const struct compute_native compute_scalar[], compute_vector[];

#endif
