/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks up libc's own functions.
 */
#include <dlfcn.h>

#include "base/log.h"
#include "base/raw.h"
#include "base/types.h"
#include "shim/real.h"

void *shim_real[SHIM_NR_REAL];

static const char *const names[SHIM_NR_REAL] = {
#define F(name) #name,
	SHIM_REAL_FUNCTIONS(F)
#undef F
};

void shim_resolve(void)
{
	for (u32 i = 0; i < SHIM_NR_REAL; i++) {
		void *f = dlsym(RTLD_NEXT, names[i]);

		if (!f) {
			skep_warn("the C library has no %s()", names[i]);
			skep_raw(__NR_exit_group, 127);
		}
		__atomic_store_n(&shim_real[i], f, __ATOMIC_RELEASE);
	}
}
