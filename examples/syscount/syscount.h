/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs and the application of syscount share. */
#ifndef SYSCOUNT_H
#define SYSCOUNT_H

#define SYSCOUNT_BUCKETS 24 /* powers of two of nanoseconds between two calls of a task */

struct syscount_event {
	unsigned long long time_ns;
	unsigned int pid;
	unsigned int nr;	  /* system call */
	unsigned long long calls; /* of this task so far */
	char comm[16];
};

#endif
