/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading /proc where neither stdio nor malloc may be used. Any context; raw calls.
 */
#ifndef SKEP_KERN_PROC_H
#define SKEP_KERN_PROC_H

#include "base/types.h"

/* Whole of a small file, terminated; bytes read, or -errno. */
long skep_proc_read(const char *path, char *buf, u32 size);
/* @fn for each line, without its newline; lines of 4 KiB and more are left out. 0 or -errno. */
int skep_proc_lines(const char *path, void (*fn)(const char *line, const char *end));
/* @n in decimal, terminated; its length. */
u32 skep_proc_number(char to[12], u32 n);
/* "/proc/self/task/<tid><file>" */
void skep_proc_task_path(char to[48], s32 tid, const char *file);

#endif
