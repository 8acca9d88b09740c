/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers on the traced function: its arguments, result, address and cookie.
 */
#include <errno.h>

#include "helper/helper.h"
#include "isa/uapi.h"
#include "obj/prog.h"

static u32 nr_args(void)
{
	return skep_run_current ? skep_run_current->prog->attach_nr_args : 0;
}

SKEP_BODY(get_func_arg)
{
	if (r2 >= nr_args())
		return (u64)-EINVAL;
	*(u64 *)r3 = ((const u64 *)r1)[r2];
	return 0;
}

SKEP_BODY(get_func_ret)
{
	const struct skep_run_ctx *c = skep_run_current;

	if (!c || c->prog->attach_type != BPF_TRACE_FEXIT)
		return (u64)-EOPNOTSUPP;
	*(u64 *)r2 = ((const u64 *)r1)[nr_args()];
	return 0;
}

SKEP_BODY(get_func_arg_cnt)
{
	return nr_args();
}

SKEP_BODY(get_func_ip)
{
	return skep_run_current ? skep_run_current->func_ip : 0;
}

SKEP_BODY(get_attach_cookie)
{
	return skep_run_current ? skep_run_current->cookie : 0;
}

const struct skep_body skep_trace_bodies[] = {
	{BPF_FUNC_get_func_arg, get_func_arg},		 {BPF_FUNC_get_func_ret, get_func_ret},
	{BPF_FUNC_get_func_arg_cnt, get_func_arg_cnt},	 {BPF_FUNC_get_func_ip, get_func_ip},
	{BPF_FUNC_get_attach_cookie, get_attach_cookie}, {0, NULL},
};
