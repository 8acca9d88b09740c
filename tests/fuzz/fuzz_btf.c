/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random BTF: parsed, asked everything, searched for special fields.
 *
 *	fuzz_btf [--seconds N] [--seed S] [--blobs N]
 *
 * A blob is either a kernel's types with a few bytes changed or a small one made of plausible
 * types (names that mean something, references nearby), alone or on top of an intact base. What
 * is accepted must answer every question without a crash, and leave nothing behind.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rcu.h"
#include "btf/btf.h"
#include "kern/kernel_btf.h"

static uint64_t rng_state = 0x5eed;
static char log_text[1 << 14];

static uint32_t rnd(void)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return (uint32_t)((rng_state * 0x2545f4914f6cdd1dull) >> 32);
}

static uint32_t below(uint32_t n)
{
	return rnd() % n;
}

static void print(void *priv, const char *fmt, va_list ap)
{
	vsnprintf(log_text, sizeof(log_text), fmt, ap);
}

static const char strings[] =
	"\0int\0char\0bpf_spin_lock\0bpf_timer\0bpf_list_head\0bpf_list_node\0bpf_rb_root\0"
	"bpf_rb_node\0kptr\0kptr_untrusted\0contains:node:link\0task_struct\0a\0b\0link\0node\0"
	"bpf_refcount\0bpf_wq\0.data\0percpu_kptr\0uptr\0";

static uint32_t name(void)
{
	uint32_t off;

	if (!below(5))
		return 0;
	off = below(sizeof(strings));
	while (off && strings[off - 1] && below(50)) /* mostly from a name's beginning */
		off--;
	return off;
}

/* A small section of types. Returns its size in bytes. */
static uint32_t build_types(uint32_t *to, uint32_t first_id)
{
	uint32_t want = 1 + below(24), at = 0;

	for (uint32_t i = 0; i < want; i++) {
		uint32_t kind = 1 + below(19), vlen = 0, words = 0, hint = first_id + want;

		if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_ENUM ||
		    kind == BTF_KIND_FUNC_PROTO || kind == BTF_KIND_DATASEC ||
		    kind == BTF_KIND_ENUM64)
			vlen = below(5);
		if (kind == BTF_KIND_FUNC)
			vlen = below(3);
		to[at++] = kind == BTF_KIND_PTR || kind == BTF_KIND_ARRAY ||
					   kind == BTF_KIND_FUNC_PROTO ||
					   (kind >= BTF_KIND_VOLATILE && kind <= BTF_KIND_RESTRICT)
				   ? 0
				   : name();
		to[at++] = kind << 24 | vlen | (below(8) ? 0 : 1u << 31);
		switch (kind) {
		case BTF_KIND_INT:
			to[at] = 1u << below(5);
			to[at + 1] = below(8) ? to[at] * 8 : rnd() & 0x7ffffff;
			at += 2;
			continue;
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			to[at++] = 4 * (1 + below(10));
			for (uint32_t m = 0; m < vlen; m++) {
				to[at++] = name();
				to[at++] = below(hint);
				to[at++] = kind == BTF_KIND_UNION ? 0 : m * 32 * (1 + below(2));
			}
			continue;
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			to[at++] = kind == BTF_KIND_ENUM ? 4 : 8;
			words = kind == BTF_KIND_ENUM ? 2 : 3;
			break;
		case BTF_KIND_ARRAY:
			to[at++] = 0;
			to[at++] = below(hint);
			to[at++] = below(hint);
			to[at++] = below(4) ? below(5) : rnd();
			continue;
		case BTF_KIND_FUNC_PROTO:
			to[at++] = below(hint);
			words = 2;
			break;
		case BTF_KIND_DATASEC:
			to[at++] = 64;
			words = 3;
			break;
		case BTF_KIND_VAR:
			to[at++] = below(hint);
			to[at++] = below(3);
			continue;
		case BTF_KIND_DECL_TAG:
			to[at++] = below(hint);
			to[at++] = below(4) - 1;
			continue;
		default:
			to[at++] = below(hint);
		}
		for (uint32_t w = 0; w < vlen * words; w++)
			to[at++] = w % words ? below(hint) : name();
	}
	return at * 4;
}

static uint32_t build_small(uint8_t *to, uint32_t first_id)
{
	struct btf_header h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h)};

	h.type_len = h.str_off = build_types((uint32_t *)(to + sizeof(h)), first_id);
	h.str_len = sizeof(strings);
	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h) + h.str_off, strings, sizeof(strings));
	return (uint32_t)(sizeof(h) + h.type_len + h.str_len);
}

static void spoil(uint8_t *data, uint32_t size)
{
	static const uint32_t nice[] = {0, 1, 2, 4, 255, 1u << 24, 1u << 31, UINT32_MAX};

	for (uint32_t n = 1 + below(3); n; n--) {
		uint32_t off = below(size), v = below(2) ? nice[below(8)] : rnd();

		if (below(2) || off + 4 > size)
			data[off] ^= (uint8_t)(1u << below(8));
		else
			memcpy(data + off / 4 * 4, &v, off / 4 * 4 + 4 <= size ? 4 : 1);
	}
}

static void ask(const struct skep_btf *b)
{
	static struct skep_btf_record rec;
	uint32_t off, bytes, nr = skep_btf_nr_types(b), first = skep_btf_start_id(b);
	uint32_t step = nr - first > 400 ? 1 + below((nr - first) / 100) : 1;

	for (uint32_t id = first + (step > 1 ? below(step) : 0); id < nr + 2; id += step) {
		const struct btf_type *t = skep_btf_type(b, id);
		uint32_t skipped;
		int64_t size;

		if (!t)
			continue;
		skep_btf_name(b, t);
		skep_btf_skip_mods(b, id, &skipped);
		skep_btf_ptr_target(b, t, &skipped);
		size = skep_btf_size(b, id);
		for (uint32_t m = 0; skep_btf_is_struct(t) && m < skep_btf_vlen(t); m++)
			skep_btf_member_bits(t, m, &skipped);
		skep_btf_decl_tag(b, id, -1, "contains:");
		if (skep_btf_is_struct(t) && size > 0 && size < (1 << 20))
			skep_btf_parse_fields(
				b, id, (uint32_t)size + below(2),
				below(2) ? SKEP_FIELDS_OF_VALUE : SKEP_FIELDS_OF_OBJECT, &rec);
	}
	skep_btf_find(b, "task_struct", BTF_KIND_STRUCT);
	skep_btf_find_own(b, "a", BTF_KIND_FUNC);
	skep_btf_field(b, "node", "link.a", &off, &bytes);
}

int main(int argc, char **argv)
{
	unsigned long blobs = 0, max_blobs = 0, accepted = 0;
	const struct skep_btf *kernel;
	struct skep_btf *base = NULL;
	const void *raw;
	uint32_t raw_size;
	uint8_t *data;
	long seconds = 5, live;
	time_t end;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			rng_state = strtoull(argv[i + 1], NULL, 0) | 1;
		else if (!strcmp(argv[i], "--blobs"))
			max_blobs = strtoul(argv[i + 1], NULL, 0);
	}
	setenv("SKEP_BTF", "builtin", 1);
	kernel = skep_kernel_btf();
	if (!kernel)
		return 1;
	raw = skep_btf_raw(kernel, &raw_size);
	if (skep_btf_parse(raw, raw_size, NULL, NULL, &base))
		return 1;
	data = malloc(raw_size + 65536);
	for (int i = 0; i < 64; i++) /* until it has made its index */
		ask(base);
	skep_rcu_drain();
	live = skep_alloc_live();
	end = time(NULL) + seconds;
	while (max_blobs ? blobs < max_blobs : time(NULL) < end) {
		struct skep_btf_log log = {.print = print, .level = below(4)};
		struct skep_btf *b, *under = below(3) ? NULL : base;
		uint32_t size;
		uint8_t *exact; /* so that reading on is noticed */

		if (!under && !below(8)) {
			size = raw_size;
			memcpy(data, raw, size);
		} else {
			size = build_small(data, under ? skep_btf_nr_types(base) : 1);
		}
		if (below(3))
			spoil(data, size);
		if (!below(20))
			size = below(size + 1);
		exact = malloc(size ? size : 1);
		memcpy(exact, data, size);
		if (!below(10))
			skep_alloc_fail_after(below(8));
		if (!skep_btf_parse(exact, size, under, below(2) ? &log : NULL, &b)) {
			accepted++;
			ask(b);
			skep_btf_put(b);
		}
		skep_alloc_fail_after(-1);
		free(exact);
		blobs++;
	}
	skep_rcu_drain();
	printf("%lu blobs, %lu accepted, allocations %ld -> %ld\n", blobs, accepted, live,
	       skep_alloc_live());
	live -= skep_alloc_live();
	skep_btf_put(base);
	free(data);
	return !accepted || live;
}
