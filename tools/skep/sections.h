/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Program types of section names that an installed libbpf may be too old to know.
 */
#ifndef SKEP_SECTIONS_H
#define SKEP_SECTIONS_H

struct bpf_program;

/* Before loading: give @p its types by its section's name, where libbpf could not. */
void skep_set_section_type(struct bpf_program *p);

#endif
