/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 (FIPS 180-4), for program tags.
 */
#ifndef SKEP_BASE_SHA256_H
#define SKEP_BASE_SHA256_H

#include "base/types.h"

void skep_sha256(const void *data, size_t n, u8 ret_digest[32]);

#endif
