/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fixed-width types and the handful of macros that every file uses.
 */
#ifndef SKEP_BASE_TYPES_H
#define SKEP_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* A letter of Latin-1: the kernel's idea of one in names. */
static inline bool skep_is_letter(u8 c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= 0xc0 && c != 0xd7 && c != 0xf7);
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() __asm__ volatile("" ::: "memory")

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#define SKEP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SKEP_MAX(a, b) ((a) > (b) ? (a) : (b))

/* @a is a power of two. */
#define SKEP_DIV_UP(n, d) (((n) + (d)-1) / (d))
#define SKEP_ALIGN_UP(x, a) (((x) + ((a)-1)) & ~((__typeof__(x))(a)-1))

/* Symbols that leave libskep.so; everything else is hidden. */
#define SKEP_EXPORT __attribute__((visibility("default")))

/* Thread-locals are initial-exec: nothing that a program run reaches may allocate them lazily. */
#define SKEP_TLS __thread __attribute__((tls_model("initial-exec")))

#define SKEP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* The kernel's private "not supported" errno, part of the bpf(2) contract. */
#define SKEP_ENOTSUPP 524

/* Pointer-or-negative-errno results, for the few places where a callee returns a pointer. */
#define SKEP_MAX_ERRNO 4095
static inline bool skep_is_err(const void *p)
{
	return (uintptr_t)p >= (uintptr_t)-SKEP_MAX_ERRNO;
}
static inline void *skep_err_ptr(long err)
{
	return (void *)err;
}
static inline long skep_ptr_err(const void *p)
{
	return (long)p;
}

/* Kernel-style access to a word that another thread may change; no ordering. */
#define SKEP_READ(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define SKEP_WRITE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

static inline u32 skep_roundup_pow2(u32 x)
{
	return x <= 1 ? 1 : 1u << (32 - __builtin_clz(x - 1));
}

#endif
