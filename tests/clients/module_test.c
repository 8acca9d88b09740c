/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The module named skep, as an unmodified libbpf meets it: module_test OBJECT module|none
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* Ids of the kernel's BTFs, by name. */
static int find_kernel_btf(const char *wanted)
{
	uint32_t id = 0;
	int found = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		struct bpf_btf_info info = {0};
		char name[64] = "";
		uint32_t len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf &&
		    !strcmp(name, wanted)) {
			CHECK_EQ(info.name_len, strlen(wanted));
			CHECK(info.btf_size > sizeof(struct btf_header));
			found = (int)id;
		}
		close(fd);
	}
	CHECK_EQ(errno, ENOENT);
	return found;
}

int main(int argc, char **argv)
{
	struct {
		int pid, tgid, sum;
	} args = {.pid = getpid()};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &args, .ctx_size_in = sizeof(args));
	struct bpf_object *obj;
	int err;

	if (argc < 3)
		return 2;
	obj = bpf_object__open_file(argv[1], NULL);
	CHECK(obj);
	err = bpf_object__load(obj);
	CHECK_EQ(err, 0);
	if (!err) {
		int fd = bpf_program__fd(bpf_object__find_program_by_name(obj, "find"));

		CHECK_EQ(bpf_prog_test_run_opts(fd, &opts), 0);
		CHECK_EQ(opts.retval, 0);
		CHECK_EQ(args.tgid, getpid());
		CHECK_EQ(args.sum, 1 + 2 + 3 + 4);
	}
	bpf_object__close(obj);
	CHECK_EQ(find_kernel_btf("vmlinux"), 1);
	CHECK_EQ(find_kernel_btf("skep") != 0, !strcmp(argv[2], "module"));
	return checks_done();
}
