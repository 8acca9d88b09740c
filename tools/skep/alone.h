/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program of an object loaded alone, so that its fellows' faults do not hide it.
 */
#ifndef SKEP_ALONE_H
#define SKEP_ALONE_H

#include <stddef.h>

struct alone_opts {
	const char *path, *program;
	unsigned int log_level;
	unsigned int flags; /* load flags beyond those of its section */
	int target_fd;	    /* 0, or the program to be extended at function target_func */
	const char *target_func;
	char *log; /* empty where the load ends before verification */
	size_t log_size;
};

/* libbpf's result: 0 or -errno. The object is opened afresh; nothing stays loaded. */
int skep_load_alone(const struct alone_opts *o);

#endif
