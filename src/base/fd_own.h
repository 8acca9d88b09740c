/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors that skep keeps for itself inside the application's table.
 *
 * They live at high numbers, close on exec, so that the application meets the lowest free number
 * that it expects; the front end hides them from close, dup2 and close_range.
 */
#ifndef SKEP_BASE_FD_OWN_H
#define SKEP_BASE_FD_OWN_H

#include "base/types.h"

/* Move @fd (>= 0) out of the way and remember it; the new number, or @fd where none is free. */
int skep_fd_own(int fd);
/* Forget and close. */
void skep_fd_own_close(int fd);
/*
 * For a holder that keeps its number in one word: move the descriptor in *@slot out of the way
 * and keep *@slot true should the application want that number (read it with SKEP_READ). -ENOMEM
 * or 0; drop forgets and closes (-1: nothing). Control path.
 */
int skep_fd_own_keep(int *slot);
void skep_fd_own_drop(int *slot);
/* The holder of @fd is told of its new number. False: nobody keeps it in a slot. */
bool skep_fd_own_moved(int fd, int up);

/* Duplicate an own descriptor to another high number; the old one stays open and is forgotten. */
int skep_fd_own_dup(int fd);
/* Smallest own number >= @from, -1 when there is none. */
int skep_fd_own_next(u32 from);
void skep_fd_own_fork_child(void);

/* One bit a number; larger numbers are never ours. */
#define SKEP_FD_BITS 65536u
extern u64 skep_fd_own_bits[SKEP_FD_BITS / 64];
extern u32 skep_fd_own_count;

static inline bool skep_fd_is_own(int fd)
{
	return unlikely(SKEP_READ(skep_fd_own_count)) && (u32)fd < SKEP_FD_BITS &&
	       (SKEP_READ(skep_fd_own_bits[(u32)fd / 64]) >> ((u32)fd % 64) & 1);
}

#endif
