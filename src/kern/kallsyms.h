/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that the presented kernel knows addresses of.
 */
#ifndef SKEP_KERN_KALLSYMS_H
#define SKEP_KERN_KALLSYMS_H

/*
 * Has the presented kernel a symbol @name? 1 yes, 0 no; -1: nobody knows (it is not the host's, or
 * the host does not tell). Reads a file of the host: may sleep, takes some milliseconds.
 */
int skep_kernel_has_symbol(const char *name);

#endif
