/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What catching a system call costs, by way: the figures of docs/adr/0004.
 *
 *   inline      the syscall instruction in place
 *   libc        a call of libc's wrapper (under a preloaded libskep: of ours)
 *   dispatch off/on   Syscall User Dispatch armed, selector ALLOW / BLOCK with a SIGSYS handler
 *   rewritten   call *%rax into a sled of nops at address 0 that leads to a handler, which
 *               replaces the two bytes of a syscall instruction (needs the right to map page 0)
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char selector;
static volatile long caught;

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline __attribute__((always_inline)) long inline_call(long nr)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(0) : "rcx", "r11", "memory");
	return ret;
}

static void run_inline(long n)
{
	while (n--)
		inline_call(SYS_getpgid);
}

static void run_libc(long n)
{
	while (n--)
		getpgid(0);
}

static void on_sigsys(int sig, siginfo_t *si, void *uc)
{
	greg_t *regs = ((ucontext_t *)uc)->uc_mcontext.gregs;

	selector = 0;
	caught++;
	regs[REG_RAX] = inline_call(regs[REG_RAX]);
	selector = 1;
	/* rt_sigreturn is a call as well: ours must come from the range that is let through. */
}

/* The restorer that the kernel returns to; the allowed range is this page. */
__asm__(".balign 4096\n"
	"restorer_page:\n"
	"my_restorer:\n"
	"	mov $15, %eax\n"
	"	syscall\n"
	".balign 4096\n");
extern char restorer_page[], my_restorer[];

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static int arm_dispatch(void)
{
	struct kernel_sigaction sa = {
		.handler = on_sigsys,
		.flags = SA_SIGINFO | SA_NODEFER | 0x04000000 /* SA_RESTORER */,
		.restorer = (void (*)(void))my_restorer,
	};

	syscall(SYS_rt_sigaction, SIGSYS, &sa, NULL, 8);
	return prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, restorer_page, 4096, &selector);
}

/* A sled at page 0 ending in a jump to a handler that does the call. */
__asm__("sled_handler:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rdi\n push %rsi\n push %rdx\n push %r10\n push %r8\n push %r9\n"
	"	syscall\n"
	"	pop %r9\n pop %r8\n pop %r10\n pop %rdx\n pop %rsi\n pop %rdi\n"
	"	pop %rbp\n"
	"	ret\n");
extern char sled_handler[];

static int make_sled(void)
{
	uint8_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	void *target = sled_handler;
	/* mov $target, %r11; jmp *%r11 */
	uint8_t jump[] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};

	if (p)
		return -1;
	memcpy(jump + 2, &target, 8);
	__asm__ volatile("" : "+r"(p));
	memset(p, 0x90, 512);
	memcpy(p + 512, jump, sizeof(jump));
	return mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

static void run_rewritten(long n)
{
	while (n--) {
		long ret;

		__asm__ volatile("sub $128, %%rsp\n call *%%rax\n add $128, %%rsp"
				 : "=a"(ret)
				 : "a"((long)SYS_getpgid), "D"(0)
				 : "rcx", "r11", "memory");
	}
}

static void measure(const char *name, void (*run)(long), long n)
{
	double best = 1e18;

	for (int i = 0; i < 7; i++) {
		double t = now_ns();

		run(n);
		t = (now_ns() - t) / (double)n;
		best = t < best ? t : best;
	}
	printf("%-14s %8.1f ns\n", name, best);
}

int main(void)
{
	const long n = 1000000;

	measure("inline", run_inline, n);
	measure("libc", run_libc, n);
	if (!make_sled())
		measure("rewritten", run_rewritten, n);
	else
		printf("rewritten      page 0 cannot be mapped\n");
	if (arm_dispatch()) {
		printf("dispatch       not available (errno %d)\n", errno);
		return 0;
	}
	measure("dispatch off", run_inline, n);
	selector = 1;
	measure("dispatch on", run_inline, n / 10);
	selector = 0;
	printf("%ld calls caught by dispatch\n", caught);
	return 0;
}
