/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compute: programs that only compute, against the same C compiled for this machine.
 *
 * The engines' results are compared: a wrong one is a failed measurement.
 */
#define COMPUTE_DATA_ONLY
#include "compute.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "compute.skel.h"
#include "compute_native.h"

#define ROUNDS 50

static struct compute_bpf *skel;
static const struct compute_native *chosen;
static struct compute *data;
static uint64_t expected, result;
static long hits;

static uint32_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

static void fill_text(struct compute *d, uint64_t *state)
{
	static const char words[] = "bytes maps insns ctx=17 loops=4096 verdict jit helper kfunc ";

	for (uint32_t i = 0; i < TEXT; i++)
		d->text[i] = (u8)words[(i + (next(state) % 64 == 0 ? 7 : 0)) % (sizeof(words) - 1)];
	memcpy(d->text + TEXT - 40, "k3yst0ne", 8);
	memcpy(d->needle, "k3yst0ne", 8);
}

static void fill_packet(struct compute *d)
{
	u8 *ip = d->packet + 14, *tcp = ip + 24;

	d->packet[12] = 8;
	ip[0] = 0x46;
	ip[9] = 6;
	memcpy(ip + 12, "\x0a\x00\x00\x01\x0a\x00\x00\x02\x94\x04", 10);
	memcpy(tcp, "\x30\x39\x00\x50", 4);
	tcp[12] = 10 << 4;
	memcpy(tcp + 20, "\x02\x04\x05\xb4\x04\x02\x08\x0a\1\2\3\4\5\6\7\x08\x01\x03\x03\x07", 20);
}

static void fill_trie(struct compute *d, uint64_t *state)
{
	uint32_t used = 1;

	for (uint32_t i = 0; i < 120; i++) {
		uint32_t address = i < 16 ? d->words[i] : next(state), at = 0;
		uint32_t len = 4 + next(state) % 21;

		for (uint32_t bit = 0; bit < len && used < NODES; bit++) {
			u16 *child = &d->nodes[at].child[address >> 31];

			if (!*child)
				*child = (u16)used++;
			at = *child;
			address <<= 1;
		}
		d->nodes[at].value = (u16)(i + 1);
	}
}

static void fill(struct compute *d)
{
	uint64_t state = 42;

	memset(d, 0, sizeof(*d));
	fill_text(d, &state);
	fill_packet(d);
	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
		d->crc_table[i] = c;
		d->words[i] = next(&state) << 1;
		d->left[i] = next(&state) & 255;
		d->right[i] = next(&state) & 255;
	}
	fill_trie(d, &state);
}

static const struct compute_native *find(const struct compute_native *table)
{
	const char *name = bench_param("program", "crc32");

	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	bench_skip("there is no program `%s'", name);
}

static void make_data(void)
{
	data = malloc(sizeof(*data));
	if (!data)
		bench_skip("not enough memory");
	fill(data);
	expected = find(compute_scalar)->run(data);
	fill(data);
}

static void native(bool vector)
{
	make_data();
	chosen = find(vector ? compute_vector : compute_scalar);
}

static void load(void)
{
	struct bpf_program *p;
	int err;

	make_data();
	skel = compute_bpf__open();
	if (!skel)
		bench_skip("the object cannot be opened");
	skel->rodata->target_tgid = (unsigned int)getpid();
	skel->rodata->trigger_nr = SYS_getpgid;
	skel->rodata->rounds = ROUNDS;
	memcpy(&skel->bss->data, data, sizeof(*data));
	p = bpf_object__find_program_by_name(skel->obj, bench_param("program", "crc32"));
	if (!p)
		bench_skip("there is no such program");
	bpf_program__set_autoload(p, true);
	err = compute_bpf__load(skel);
	if (err)
		bench_skip("the object was refused: %s", strerror(-err));
	if (compute_bpf__attach(skel))
		bench_skip("the program could not be attached");
}

static void run_native(void *unused)
{
	uint64_t (*volatile run)(struct compute *) = chosen->run;

	(void)unused;
	for (int i = 0; i < ROUNDS; i++)
		result = run(data);
	hits += ROUNDS;
}

static bool measure(double seconds, struct bench_result *ret)
{
	if (!skel)
		return bench_repeat(seconds, run_native, NULL, &hits, NULL, ret) &&
		       result == expected;
	return bench_repeat(seconds, bench_getpgid, NULL, &skel->bss->hits, NULL, ret) &&
	       skel->bss->result == expected;
}

const struct bench bench_compute = {"compute", load, native, measure};
