/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random calls: the same ones for the same seed, so that two systems can be compared.
 *
 * Attrs are made of values that matter somewhere; objects that calls make are kept in a small pool
 * and used by later calls. CONTRACT_ATTR=N prints the attr of call N after it.
 */
#include "contract.h"

#define POOL 12

static uint64_t seed;
static int pool[POOL];
static uint8_t key[64], value[1 << 16];

static uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

#define PICK(...)                                                                                  \
	({                                                                                         \
		static const uint32_t v_[] = {__VA_ARGS__};                                        \
		v_[rnd(COUNT(v_))];                                                                \
	})

static uint32_t any_fd(void)
{
	return rnd(12) ? (uint32_t)pool[rnd(POOL)] : (uint32_t)other_fds[rnd(COUNT(other_fds))].fd;
}

static uint64_t pointer(void *good)
{
	return rnd(20) ? PTR(good) : bad_ptrs[rnd(3)].ptr;
}

static void put(long fd)
{
	int *slot = &pool[rnd(POOL)];

	if (fd < 0)
		return;
	close(*slot);
	*slot = (int)fd;
}

static void one_map(int btf)
{
	/* Types that skep has; sizes are small. */
	ATTR(.map_type = PICK(1, 2, 6, 12, 13, 27, 29), .key_size = PICK(0, 4, 4, 4, 4, 8),
	     .value_size = PICK(0, 1, 4, 4, 8, 16, 16, 24),
	     .max_entries = PICK(0, 1, 1, 2, 3, 4096),
	     .map_flags = rnd(3) ? PICK(0, 0, 1, 1, 1u << 10) : 1u << rnd(20));
	if (rnd(2))
		A.u.inner_map_fd = any_fd();
	if (rnd(2)) {
		A.u.btf_fd = (uint32_t)btf;
		A.u.btf_key_type_id = PICK(0, BTF_U32, BTF_U32, BTF_U64);
		A.u.btf_value_type_id =
			PICK(0, BTF_U32, BTF_U64, BTF_LOCKED, BTF_PLAIN, BTF_ARR, BTF_SEC);
	}
	if (!rnd(10))
		set32(4 * rnd(24), PICK(1, 2, 255, 65536));
}

static void one_elem(bool next_key)
{
	uint32_t fd = any_fd();

	memset(key, 0, sizeof(key));
	key[0] = (uint8_t)rnd(5);
	if (rnd(3)) {
		memset(value, (int)rnd(256), 64);
	} else {
		uint32_t inner = any_fd();

		memcpy(value, &inner, 4);
	}
	ATTR(.map_fd = fd, .flags = rnd(2) ? 0 : PICK(1, 2, 3, 4, 5, 6, 8));
	A.u.key = rnd(15) ? pointer(key) : 0;
	/* The order of a hash is its own. */
	if (next_key)
		A.u.key = 0;
	A.u.value = pointer(value);
}

static void one_prog(int btf)
{
	static struct bpf_insn in[] = {MOV_IMM(0, 0), EXIT()};
	static struct bpf_func_info f[2];
	static struct bpf_line_info l[3];
	static char log[256];
	static uint32_t fds[4];

	ATTR(.prog_type = PICK(1, 1, 3, 6, 17), .insn_cnt = rnd(20) ? 2 : PICK(0, 1),
	     .insns = pointer(in), .license = pointer("GPL"));
	if (!rnd(3)) {
		A.u.log_level = PICK(0, 1, 2, 4, 8, 3);
		A.u.log_size = PICK(0, 0, 1, 64, 255);
		A.u.log_buf = rnd(2) ? PTR(log) : 0;
	}
	if (rnd(2)) {
		f[0] = (struct bpf_func_info){rnd(8) ? 0 : rnd(3), rnd(3) ? BTF_FUNC : rnd(13)};
		f[1] = (struct bpf_func_info){rnd(3), rnd(13)};
		for (unsigned int i = 0; i < 3; i++)
			l[i] = (struct bpf_line_info){rnd(4) ? i : rnd(3), rnd(70), rnd(70),
						      rnd(99) << 10};
		A.u.prog_btf_fd = rnd(12) ? (uint32_t)btf : any_fd();
		A.u.func_info_rec_size = rnd(9) ? 8 : PICK(0, 4, 12);
		A.u.func_info = pointer(f);
		A.u.func_info_cnt = PICK(0, 1, 1, 1, 2);
		A.u.line_info_rec_size = rnd(9) ? 16 : PICK(0, 8, 20);
		A.u.line_info = pointer(l);
		A.u.line_info_cnt = PICK(0, 1, 1, 1, 2, 3);
	}
	if (!rnd(4)) {
		for (unsigned int i = 0; i < 4; i++)
			fds[i] = any_fd();
		A.u.fd_array = PTR(fds);
		set32(148, rnd(4));
	}
	if (!rnd(8))
		set32(4 * rnd(42), PICK(1, 2, 255, 65536));
}

static void one_run(void)
{
	memset(value, (int)rnd(256), 256);
	ATTR(.test.prog_fd = any_fd());
	if (rnd(4)) {
		A.u.test.data_in = pointer(value);
		A.u.test.data_size_in = PICK(0, 1, 14, 14, 33, 64, 200);
	}
	if (rnd(2)) {
		A.u.test.data_out = pointer(value + 512);
		A.u.test.data_size_out = PICK(0, 10, 64, 1000);
	}
	if (!rnd(3)) {
		memset(value + 4096, 0, 512);
		if (!rnd(3))
			value[4096 + rnd(200)] = (uint8_t)rnd(4);
		A.u.test.ctx_in = pointer(value + 4096);
		A.u.test.ctx_size_in = PICK(0, 4, 24, 96, 192, 200);
	}
	if (!rnd(3)) {
		A.u.test.ctx_out = pointer(value + 8192);
		A.u.test.ctx_size_out = PICK(0, 4, 24, 96, 192, 200);
	}
	if (!rnd(6))
		A.u.test.repeat = rnd(4);
	if (!rnd(6))
		A.u.test.flags = PICK(1, 4, 8);
	if (!rnd(9))
		A.u.test.batch_size = 1;
}

static void one_info(void)
{
	memset(value, 0, 512);
	if (!rnd(4))
		((uint32_t *)(void *)value)[rnd(60)] = PICK(1, 8, 16);
	ATTR(.info.bpf_fd = any_fd(), .info.info = pointer(value),
	     .info.info_len = PICK(0, 4, 16, 32, 48, 64, 80, 88, 104, 200, 228, 232, 300, 5000));
}

/* Types with a few words changed. */
static void one_btf(void)
{
	static uint8_t buf[1024];
	uint32_t size, n = 1 + rnd(3);
	const void *good = btf_bytes(&size);

	memcpy(buf, good, size);
	while (n--) {
		uint32_t v =
			PICK(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 23, 32, 34, 64, 96,
			     128, 0x01000000, 0x02000001, 0x03000000, 0x04000001, 0x04000002,
			     0x05000001, 0x06000001, 0x07000000, 0x08000000, 0x09000000, 0x0a000000,
			     0x0c000000, 0x0c000001, 0x0d000000, 0x0d000001, 0x0e000000, 0x0f000001,
			     0x10000000, 0x11000000, 0x12000000, 0x13000001, 0x84000001, 0x84000002,
			     0x84000003, 0x05000010, 0x01000020, 0x03000003, ~0u);

		uint32_t w = rnd((size - 24 - 70) / 4);

		printf("types, word %u: %#x\n", w, v);
		memcpy(buf + 24 + 4 * w, &v, 4);
	}
	ATTR(.btf = PTR(buf), .btf_size = size);
}

void random_cases(uint64_t s, unsigned int calls)
{
	static const int elem[] = {BPF_MAP_LOOKUP_ELEM,	 BPF_MAP_UPDATE_ELEM,
				   BPF_MAP_UPDATE_ELEM,	 BPF_MAP_DELETE_ELEM,
				   BPF_MAP_GET_NEXT_KEY, BPF_MAP_LOOKUP_AND_DELETE_ELEM};
	int btf = btf_new();

	seed = s * 0x9e3779b97f4a7c15ull + 1;
	for (unsigned int i = 0; i < POOL; i++)
		pool[i] = map_new(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0);
	for (unsigned int i = 0; i < calls; i++) {
		uint32_t kind = rnd(20);
		int cmd;
		long r;

		if (kind < 4) {
			cmd = BPF_MAP_CREATE;
			one_map(btf);
		} else if (kind < 10) {
			cmd = elem[rnd(COUNT(elem))];
			one_elem(cmd == BPF_MAP_GET_NEXT_KEY);
		} else if (kind < 12) {
			cmd = BPF_PROG_LOAD;
			one_prog(btf);
		} else if (kind < 14) {
			cmd = BPF_PROG_TEST_RUN;
			one_run();
		} else if (kind < 16) {
			cmd = BPF_OBJ_GET_INFO_BY_FD;
			one_info();
		} else if (kind < 18) {
			cmd = BPF_BTF_LOAD;
			one_btf();
		} else if (kind < 19) {
			cmd = (int)PICK(BPF_MAP_FREEZE, BPF_PROG_BIND_MAP, BPF_LINK_CREATE,
					BPF_LINK_DETACH);
			ATTR(.map_fd = any_fd());
			set32(4, cmd == BPF_PROG_BIND_MAP ? any_fd() : 0);
		} else {
			cmd = BPF_RAW_TRACEPOINT_OPEN;
			ATTR(.raw_tracepoint.prog_fd = any_fd(),
			     .raw_tracepoint.name = pointer("sys_exit"));
		}
		/* A failed copy may have left a byte there, or not. */
		*(uint8_t *)edge(1) = 0;
		r = call(cmd, ATTR_SIZE);
		printf("%u: command %d: %s", i, cmd, err_name(r));
		if (cmd == BPF_PROG_TEST_RUN)
			printf(" %u %u %u", A.u.test.retval, A.u.test.data_size_out,
			       A.u.test.ctx_size_out);
		else if (cmd == BPF_OBJ_GET_INFO_BY_FD)
			printf(" %u", A.u.info.info_len);
		printf("\n");
		if (getenv("CONTRACT_ATTR") && i == (unsigned int)atoi(getenv("CONTRACT_ATTR")))
			for (unsigned int k = 0; k < ATTR_SIZE / 4; k++)
				fprintf(stderr, "%u: %#x\n", k * 4, A.w[k]);
		if (cmd == BPF_MAP_CREATE || cmd == BPF_PROG_LOAD ||
		    cmd == BPF_RAW_TRACEPOINT_OPEN || cmd == BPF_LINK_CREATE)
			put(r);
		else if (cmd == BPF_BTF_LOAD && r >= 0)
			close((int)r);
	}
	for (unsigned int i = 0; i < POOL; i++)
		close(pool[i]);
	close(btf);
}
