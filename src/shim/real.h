/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libc's own functions behind the ones that the shim defines.
 *
 * Looked up all at once, at load or at the first call that comes earlier (constructors of other
 * libraries, sanitizer runtimes), so that no later call enters the dynamic linker.
 */
#ifndef SKEP_SHIM_REAL_H
#define SKEP_SHIM_REAL_H

/* clang-format off */
#define SHIM_REAL_FUNCTIONS(F)                                                                     \
	F(accept) F(accept4) F(clock_nanosleep) F(close) F(connect) F(creat) F(epoll_pwait)        \
	F(epoll_pwait2) F(epoll_wait) F(fclose) F(fcntl) F(fdatasync) F(fdopen) F(fopen) F(fread) F(fsync) \
	F(getrandom) F(msync) F(nanosleep) F(open) F(openat) F(poll) F(ppoll) F(pread) F(preadv)  \
	F(pselect) F(pwrite) F(pwritev) F(read) F(readv) F(recv) F(recvfrom) F(recvmsg)           \
	F(recvmmsg) F(select) F(send) F(sendmmsg) F(sendmsg) F(sendto) F(wait4) F(waitid)         \
	F(waitpid) F(write) F(writev) F(pause)
/* clang-format on */

enum {
#define F(name) SHIM_REAL_##name,
	SHIM_REAL_FUNCTIONS(F)
#undef F
		SHIM_NR_REAL,
};

extern void *shim_real[SHIM_NR_REAL];
void shim_resolve(void);

#define REAL(name)                                                                                 \
	({                                                                                         \
		if (unlikely(!shim_real[SHIM_REAL_##name]))                                        \
			shim_resolve();                                                            \
		(__typeof__(&name))shim_real[SHIM_REAL_##name];                                    \
	})

#endif
