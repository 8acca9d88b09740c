/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An object's lines of /proc/self/fdinfo.
 */
#ifndef SKEP_SHIM_FDINFO_H
#define SKEP_SHIM_FDINFO_H

#include "obj/obj.h"

/* Bytes written to @buf, at most @size - 1. */
u32 shim_fdinfo(struct skep_obj *o, char *buf, u32 size);

#endif
