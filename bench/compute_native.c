/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The computations of compute.h as native code, into the table COMPUTE_TABLE names. Built by the
 * clang that builds the BPF objects, once without vectorisers and once with.
 */
#include "compute_native.h"

#include "compute.h"

#define ROW(name) {#name, do_##name},

const struct compute_native COMPUTE_TABLE[] = {COMPUTE_LIST(ROW){0}};
