/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTF_LOAD: a good set of types with one word changed at a time, and the attr around it.
 */
#include "contract.h"

static uint8_t buf[4096];
static uint32_t size;

static void reset(void)
{
	memcpy(buf, btf_bytes(&size), 512);
}

static struct btf_header *header(void)
{
	return (struct btf_header *)(void *)buf;
}

static long load(uint32_t n)
{
	ATTR(.btf = PTR(buf), .btf_size = n);
	return call(BPF_BTF_LOAD, ATTR_SIZE);
}

static long load_and_close(uint32_t n)
{
	long r = load(n);

	if (r >= 0)
		close((int)r);
	return r;
}

static void header_cases(void)
{
	static const uint32_t values[] = {0,	1,	    2,		 3,	      4,  8,
					  12,	23,	    24,		 25,	      28, 100,
					  1000, 0x7fffffff, 0x80000000u, 0xfffffffcu, ~0u};
	static const char *const fields[] = {
		"magic, version, flags", "hdr_len", "type_off", "type_len", "str_off", "str_len"};

	for (unsigned int f = 0; f < COUNT(fields); f++)
		for (unsigned int v = 0; v < COUNT(values); v++) {
			reset();
			memcpy(buf + f * 4, &values[v], 4);
			say(load_and_close(size), "btf header %s = %u", fields[f], values[v]);
		}
	for (unsigned int f = 3; f < COUNT(fields); f++)
		for (int by = -8; by <= 8; by += 1) {
			uint32_t v;

			reset();
			memcpy(&v, buf + f * 4, 4);
			v += (uint32_t)by;
			memcpy(buf + f * 4, &v, 4);
			say(load_and_close(size), "btf header %s %+d", fields[f], by);
		}
	reset();
	header()->version = 2;
	say(load_and_close(size), "btf version 2");
	reset();
	header()->flags = 1;
	say(load_and_close(size), "btf flags 1");
	reset();
	header()->magic = 0x9feb;
	say(load_and_close(size), "btf of the other byte order");
	reset();
	memmove(buf + 32, buf + 24, size - 24);
	memset(buf + 24, 0, 8);
	header()->hdr_len = 32;
	say(load_and_close(size + 8), "btf longer header of zeros");
	buf[31] = 1;
	say(load_and_close(size + 8), "btf longer header");
	reset();
	buf[size - 1] = 'x';
	say(load_and_close(size), "btf strings without an end");
	reset();
	buf[header()->hdr_len + header()->str_off] = 'x';
	say(load_and_close(size), "btf strings without an empty one");
	reset();
	header()->type_len = 0;
	header()->str_off = 0;
	buf[24] = 0;
	header()->str_len = 1;
	say(load_and_close(25), "btf of nothing");
	for (uint32_t n = 0; n <= 30; n++) {
		reset();
		say(load_and_close(n), "btf_size %u", n);
	}
	reset();
	say(load_and_close(size - 1), "btf_size one less");
	say(load_and_close(size + 1), "btf_size one more");
	say(load_and_close((16u << 20) + 1), "btf_size over 16 MiB");
	say(load_and_close(~0u), "btf_size -1");
}

/* Every word of the type section, set to values that matter to some field. */
static void word_cases(void)
{
	static const uint32_t values[] = {
		0,	    1,		2,	    3,		5,	     7,
		9,	    11,		13,	    14,		31,	     33,
		64,	    129,	200,	    0x10000,	0x01000000,  0x02000001,
		0x04000002, 0x05000001, 0x13000000, 0x14000000, 0x84000001u, 0x84000003u,
		0x0c000001, 0x0c000003, 0x0e000000, 0x11000000, 0x12000000,  0x7fffffff,
		~0u};
	uint32_t words;

	reset();
	words = header()->type_len / 4;
	for (uint32_t w = 0; w < words; w++) {
		char name[32];
		struct runs s = {.name = name};

		snprintf(name, sizeof(name), "btf word %u", w);
		for (unsigned int v = 0; v < COUNT(values); v++) {
			reset();
			memcpy(buf + 24 + w * 4, &values[v], 4);
			runs_add(&s, values[v], load_and_close(size));
		}
		runs_end(&s);
	}
}

/* A handful of types on their own, after one 32-bit integer (id 1). */
static long add_types_fd(const uint32_t *words, uint32_t n)
{
	static const uint32_t u32_type[] = {1, BTF_KIND_INT << 24, 4, 32};
	static const char strs[] = "\0u\0a\0b\0bad name\0.x\0"
				   "9x\0bpf_timer\0bpf_spin_lock";
	struct btf_header h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h)};

	memcpy(buf + 24, u32_type, 16);
	memcpy(buf + 40, words, n * 4);
	h.type_len = 16 + n * 4;
	h.str_off = h.type_len;
	h.str_len = sizeof(strs);
	memcpy(buf, &h, sizeof(h));
	memcpy(buf + 24 + h.type_len, strs, sizeof(strs));
	return load(24 + h.type_len + (uint32_t)sizeof(strs));
}

static void add_types(const char *what, const uint32_t *words, uint32_t n)
{
	long r = add_types_fd(words, n);

	say(r, "btf %s", what);
	if (r >= 0)
		close((int)r);
}
#define TYPES(what, ...)                                                                           \
	do {                                                                                       \
		static const uint32_t w_[] = {__VA_ARGS__};                                        \
		add_types(what, w_, COUNT(w_));                                                    \
	} while (0)
#define K(kind, vlen) (((uint32_t)(kind) << 24) | (vlen))
#define KF(kind, vlen) (K(kind, vlen) | 1u << 31)

static void type_cases(void)
{
	TYPES("typedef", 3, K(BTF_KIND_TYPEDEF, 0), 1);
	TYPES("typedef without a name", 0, K(BTF_KIND_TYPEDEF, 0), 1);
	TYPES("typedef with a bad name", 7, K(BTF_KIND_TYPEDEF, 0), 1);
	TYPES("typedef with a digit first", 19, K(BTF_KIND_TYPEDEF, 0), 1);
	TYPES("typedef with a dot", 16, K(BTF_KIND_TYPEDEF, 0), 1);
	TYPES("typedef of void", 3, K(BTF_KIND_TYPEDEF, 0), 0);
	TYPES("typedef of itself", 3, K(BTF_KIND_TYPEDEF, 0), 2);
	TYPES("typedef of the next", 3, K(BTF_KIND_TYPEDEF, 0), 3, 5, K(BTF_KIND_TYPEDEF, 0), 1);
	TYPES("two typedefs of each other", 3, K(BTF_KIND_TYPEDEF, 0), 3, 5, K(BTF_KIND_TYPEDEF, 0),
	      2);
	TYPES("typedef beyond", 3, K(BTF_KIND_TYPEDEF, 0), 9);
	TYPES("pointer to void", 0, K(BTF_KIND_PTR, 0), 0);
	TYPES("pointer with a name", 3, K(BTF_KIND_PTR, 0), 1);
	TYPES("pointer to itself", 0, K(BTF_KIND_PTR, 0), 2);
	TYPES("pointer with vlen", 0, K(BTF_KIND_PTR, 1), 1);
	TYPES("const of const", 0, K(BTF_KIND_CONST, 0), 3, 0, K(BTF_KIND_CONST, 0), 1);
	TYPES("volatile of a function", 0, K(BTF_KIND_VOLATILE, 0), 3, 0, K(BTF_KIND_FUNC_PROTO, 0),
	      0);
	TYPES("restrict of a pointer", 0, K(BTF_KIND_RESTRICT, 0), 3, 0, K(BTF_KIND_PTR, 0), 1);
	TYPES("kind_flag on a pointer", 0, KF(BTF_KIND_PTR, 0), 1);
	TYPES("kind_flag on an int", 3, KF(BTF_KIND_INT, 0), 4, 32);
	TYPES("int of 0 bits", 3, K(BTF_KIND_INT, 0), 4, 0);
	TYPES("int of 128 bits", 3, K(BTF_KIND_INT, 0), 16, 128);
	TYPES("int of 3 bytes", 3, K(BTF_KIND_INT, 0), 3, 24);
	TYPES("int of 0 bytes", 3, K(BTF_KIND_INT, 0), 0, 0);
	TYPES("int of 17 bytes", 3, K(BTF_KIND_INT, 0), 17, 128);
	TYPES("int without a name", 0, K(BTF_KIND_INT, 0), 4, 32);
	TYPES("int signed and bool", 3, K(BTF_KIND_INT, 0), 4, 5u << 24 | 32);
	TYPES("int char", 3, K(BTF_KIND_INT, 0), 1, 2u << 24 | 8);
	TYPES("int with offset", 3, K(BTF_KIND_INT, 0), 4, 4u << 16 | 28);
	TYPES("int with unknown bits", 3, K(BTF_KIND_INT, 0), 4, 1u << 28 | 32);
	TYPES("array", 0, K(BTF_KIND_ARRAY, 0), 0, 1, 1, 4);
	TYPES("array of nothing", 0, K(BTF_KIND_ARRAY, 0), 0, 1, 1, 0);
	TYPES("array too large", 0, K(BTF_KIND_ARRAY, 0), 0, 1, 1, 0x40000001);
	TYPES("array just not too large", 0, K(BTF_KIND_ARRAY, 0), 0, 1, 1, 0x3fffffff);
	TYPES("array of void", 0, K(BTF_KIND_ARRAY, 0), 0, 0, 1, 4);
	TYPES("array indexed by void", 0, K(BTF_KIND_ARRAY, 0), 0, 1, 0, 4);
	TYPES("array of itself", 0, K(BTF_KIND_ARRAY, 0), 0, 2, 1, 4);
	TYPES("array indexed by a pointer", 0, K(BTF_KIND_ARRAY, 0), 0, 1, 3, 4, 0,
	      K(BTF_KIND_PTR, 0), 1);
	TYPES("array with a size", 0, K(BTF_KIND_ARRAY, 0), 4, 1, 1, 4);
	TYPES("array of a forward type", 0, K(BTF_KIND_ARRAY, 0), 0, 3, 1, 4, 3, K(BTF_KIND_FWD, 0),
	      0);
	TYPES("array of functions", 0, K(BTF_KIND_ARRAY, 0), 0, 3, 1, 4, 0,
	      K(BTF_KIND_FUNC_PROTO, 0), 0);
	TYPES("empty struct", 3, K(BTF_KIND_STRUCT, 0), 0);
	TYPES("struct without a name", 0, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 0);
	TYPES("struct too small", 3, K(BTF_KIND_STRUCT, 1), 3, 3, 1, 0);
	TYPES("struct with a member beyond", 3, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 40);
	TYPES("struct with a member at its end", 3, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 32);
	TYPES("struct with an odd offset", 3, K(BTF_KIND_STRUCT, 1), 8, 3, 1, 3);
	TYPES("struct with a bit-field", 3, KF(BTF_KIND_STRUCT, 1), 4, 3, 1, 3u << 24 | 5);
	TYPES("struct with a bit-field across its end", 3, KF(BTF_KIND_STRUCT, 1), 4, 3, 1,
	      30u << 24 | 5);
	TYPES("struct with a bit-field of 33", 3, KF(BTF_KIND_STRUCT, 1), 8, 3, 1, 33u << 24);
	TYPES("struct with kind_flag, plain", 3, KF(BTF_KIND_STRUCT, 1), 4, 3, 1, 0);
	TYPES("struct with kind_flag, odd", 3, KF(BTF_KIND_STRUCT, 1), 8, 3, 1, 1);
	TYPES("struct in falling order", 3, K(BTF_KIND_STRUCT, 2), 8, 3, 1, 32, 5, 1, 0);
	TYPES("struct of itself", 3, K(BTF_KIND_STRUCT, 1), 4, 3, 2, 0);
	TYPES("struct with a pointer to itself", 3, K(BTF_KIND_STRUCT, 1), 8, 3, 3, 0, 0,
	      K(BTF_KIND_PTR, 0), 2);
	TYPES("struct of void", 3, K(BTF_KIND_STRUCT, 1), 4, 3, 0, 0);
	TYPES("struct of a forward type", 3, K(BTF_KIND_STRUCT, 1), 4, 3, 3, 0, 3,
	      K(BTF_KIND_FWD, 0), 0);
	TYPES("struct of a function", 3, K(BTF_KIND_STRUCT, 1), 4, 3, 3, 0, 0,
	      K(BTF_KIND_FUNC_PROTO, 0), 0);
	TYPES("struct with a bad member name", 3, K(BTF_KIND_STRUCT, 1), 4, 7, 1, 0);
	TYPES("struct with a member name beyond", 3, K(BTF_KIND_STRUCT, 1), 4, 700, 1, 0);
	TYPES("struct cut short", 3, K(BTF_KIND_STRUCT, 2), 8, 3, 1, 0);
	TYPES("union", 3, K(BTF_KIND_UNION, 2), 4, 3, 1, 0, 5, 1, 0);
	TYPES("union with an offset", 3, K(BTF_KIND_UNION, 1), 8, 3, 1, 32);
	TYPES("union with a bit-field", 3, KF(BTF_KIND_UNION, 1), 4, 3, 1, 7u << 24);
	TYPES("enum", 3, K(BTF_KIND_ENUM, 1), 4, 3, 7);
	TYPES("enum of nothing", 3, K(BTF_KIND_ENUM, 0), 4);
	TYPES("enum of 3 bytes", 3, K(BTF_KIND_ENUM, 1), 3, 3, 7);
	TYPES("enum of 16 bytes", 3, K(BTF_KIND_ENUM, 1), 16, 3, 7);
	TYPES("enum of 0 bytes", 3, K(BTF_KIND_ENUM, 1), 0, 3, 7);
	TYPES("enum without a member name", 3, K(BTF_KIND_ENUM, 1), 4, 0, 7);
	TYPES("enum with a bad member name", 3, K(BTF_KIND_ENUM, 1), 4, 7, 7);
	TYPES("enum, signed", 3, KF(BTF_KIND_ENUM, 1), 4, 3, ~0u);
	TYPES("enum64", 3, K(BTF_KIND_ENUM64, 1), 8, 3, 7, 7);
	TYPES("enum64 of 4 bytes", 3, K(BTF_KIND_ENUM64, 1), 4, 3, 7, 7);
	TYPES("enum64 of 0 bytes", 3, K(BTF_KIND_ENUM64, 1), 0, 3, 7, 7);
	TYPES("forward struct", 3, K(BTF_KIND_FWD, 0), 0);
	TYPES("forward union", 3, KF(BTF_KIND_FWD, 0), 0);
	TYPES("forward with a type", 3, K(BTF_KIND_FWD, 0), 1);
	TYPES("forward without a name", 0, K(BTF_KIND_FWD, 0), 0);
	TYPES("forward with vlen", 3, K(BTF_KIND_FWD, 1), 0);
	TYPES("function", 3, K(BTF_KIND_FUNC, 1), 3, 0, K(BTF_KIND_FUNC_PROTO, 1), 0, 3, 1);
	TYPES("function, extern", 3, K(BTF_KIND_FUNC, 2), 3, 0, K(BTF_KIND_FUNC_PROTO, 1), 0, 3, 1);
	TYPES("function with linkage 3", 3, K(BTF_KIND_FUNC, 3), 3, 0, K(BTF_KIND_FUNC_PROTO, 1), 0,
	      3, 1);
	TYPES("function without a name", 0, K(BTF_KIND_FUNC, 1), 3, 0, K(BTF_KIND_FUNC_PROTO, 0),
	      0);
	TYPES("function of an int", 3, K(BTF_KIND_FUNC, 1), 1);
	TYPES("function without argument names", 3, K(BTF_KIND_FUNC, 1), 3, 0,
	      K(BTF_KIND_FUNC_PROTO, 1), 0, 0, 1);
	TYPES("prototype with a name", 3, K(BTF_KIND_FUNC_PROTO, 0), 0);
	TYPES("prototype with dots", 0, K(BTF_KIND_FUNC_PROTO, 2), 0, 3, 1, 0, 0);
	TYPES("prototype with dots first", 0, K(BTF_KIND_FUNC_PROTO, 2), 0, 0, 0, 3, 1);
	TYPES("prototype with named dots", 0, K(BTF_KIND_FUNC_PROTO, 1), 0, 3, 0);
	TYPES("prototype that returns a function", 0, K(BTF_KIND_FUNC_PROTO, 0), 2);
	TYPES("prototype that returns a forward type", 0, K(BTF_KIND_FUNC_PROTO, 0), 3, 3,
	      K(BTF_KIND_FWD, 0), 0);
	TYPES("prototype that returns beyond", 0, K(BTF_KIND_FUNC_PROTO, 0), 9);
	TYPES("prototype with an argument beyond", 0, K(BTF_KIND_FUNC_PROTO, 1), 0, 3, 9);
	TYPES("prototype with a bad argument name", 0, K(BTF_KIND_FUNC_PROTO, 1), 0, 7, 1);
	TYPES("variable", 3, K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("variable, extern", 3, K(BTF_KIND_VAR, 0), 1, 2);
	TYPES("variable with linkage 3", 3, K(BTF_KIND_VAR, 0), 1, 3);
	TYPES("variable of void", 3, K(BTF_KIND_VAR, 0), 0, 1);
	TYPES("variable with vlen", 3, K(BTF_KIND_VAR, 1), 1, 1);
	TYPES("variable of a prototype", 3, K(BTF_KIND_VAR, 0), 3, 1, 0, K(BTF_KIND_FUNC_PROTO, 0),
	      0);
	TYPES("variable of a pointer", 3, K(BTF_KIND_VAR, 0), 3, 1, 0, K(BTF_KIND_PTR, 0), 0);
	TYPES("variable without a name", 0, K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("section", 16, K(BTF_KIND_DATASEC, 1), 4, 3, 0, 4, 3, K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("section of nothing", 16, K(BTF_KIND_DATASEC, 0), 4);
	TYPES("section of size 0", 16, K(BTF_KIND_DATASEC, 0), 0);
	TYPES("section without a name", 0, K(BTF_KIND_DATASEC, 1), 4, 3, 0, 4, 3,
	      K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("section with a bad name", 7, K(BTF_KIND_DATASEC, 1), 4, 3, 0, 4, 3,
	      K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("section of an int", 16, K(BTF_KIND_DATASEC, 1), 4, 1, 0, 4);
	TYPES("section with a small entry", 16, K(BTF_KIND_DATASEC, 1), 4, 3, 0, 2, 3,
	      K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("section with a large entry", 16, K(BTF_KIND_DATASEC, 1), 16, 3, 0, 8, 3,
	      K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("section with an entry beyond", 16, K(BTF_KIND_DATASEC, 1), 4, 3, 4, 4, 3,
	      K(BTF_KIND_VAR, 0), 1, 1);
	TYPES("float of 4", 3, K(BTF_KIND_FLOAT, 0), 4);
	TYPES("float of 5", 3, K(BTF_KIND_FLOAT, 0), 5);
	TYPES("float of 10", 3, K(BTF_KIND_FLOAT, 0), 10);
	TYPES("float of 12", 3, K(BTF_KIND_FLOAT, 0), 12);
	TYPES("float without a name", 0, K(BTF_KIND_FLOAT, 0), 4);
	TYPES("struct with an unaligned float", 3, K(BTF_KIND_STRUCT, 1), 8, 3, 3, 8, 3,
	      K(BTF_KIND_FLOAT, 0), 4);
	TYPES("decl tag on a struct", 3, K(BTF_KIND_DECL_TAG, 0), 3, ~0u, 3, K(BTF_KIND_STRUCT, 1),
	      4, 3, 1, 0);
	TYPES("decl tag on a member", 3, K(BTF_KIND_DECL_TAG, 0), 3, 0, 3, K(BTF_KIND_STRUCT, 1), 4,
	      3, 1, 0);
	TYPES("decl tag on a member beyond", 3, K(BTF_KIND_DECL_TAG, 0), 3, 1, 3,
	      K(BTF_KIND_STRUCT, 1), 4, 3, 1, 0);
	TYPES("decl tag on an int", 3, K(BTF_KIND_DECL_TAG, 0), 1, ~0u);
	TYPES("decl tag with component -2", 3, K(BTF_KIND_DECL_TAG, 0), 3, ~1u, 3,
	      K(BTF_KIND_STRUCT, 0), 0);
	TYPES("decl tag without a value", 0, K(BTF_KIND_DECL_TAG, 0), 3, ~0u, 3,
	      K(BTF_KIND_STRUCT, 0), 0);
	TYPES("decl tag with kind_flag", 3, KF(BTF_KIND_DECL_TAG, 0), 3, ~0u, 3,
	      K(BTF_KIND_STRUCT, 0), 0);
	TYPES("decl tag with spaces", 7, K(BTF_KIND_DECL_TAG, 0), 3, ~0u, 3, K(BTF_KIND_STRUCT, 0),
	      0);
	TYPES("type tag", 3, K(BTF_KIND_TYPE_TAG, 0), 1);
	TYPES("type tag without a value", 0, K(BTF_KIND_TYPE_TAG, 0), 1);
	TYPES("type tag after const", 0, K(BTF_KIND_CONST, 0), 3, 3, K(BTF_KIND_TYPE_TAG, 0), 1);
	TYPES("const after type tag", 3, K(BTF_KIND_TYPE_TAG, 0), 3, 0, K(BTF_KIND_CONST, 0), 1);
	TYPES("type tag with kind_flag", 3, KF(BTF_KIND_TYPE_TAG, 0), 1);
	TYPES("kind 20", 3, K(20, 0), 1);
	TYPES("kind 31", 3, K(31, 0), 1);
	TYPES("kind 0", 3, K(0, 0), 1);
	TYPES("unknown bits in info", 3, K(BTF_KIND_TYPEDEF, 0) | 1u << 29, 1);
	TYPES("two words", 3, K(BTF_KIND_TYPEDEF, 0));
}

#define TIMER 22
#define LOCK 32

/* Special fields: what may be loaded, and then what a map may have for its values. */
static void field_cases(void)
{
	static const struct {
		const char *what;
		uint32_t w[40], n, size;
	} c[] = {
		{"one timer",
		 {TIMER, K(BTF_KIND_STRUCT, 0), 16, 3, K(BTF_KIND_STRUCT, 1), 16, 3, 2, 0},
		 9,
		 16},
		{"two timers",
		 {TIMER, K(BTF_KIND_STRUCT, 0), 16, 3, K(BTF_KIND_STRUCT, 2), 32, 3, 2, 0, 5, 2,
		  128},
		 12,
		 32},
		{"a timer askew",
		 {TIMER, K(BTF_KIND_STRUCT, 0), 16, 3, K(BTF_KIND_STRUCT, 1), 32, 3, 2, 32},
		 9,
		 32},
		{"a timer of another size",
		 {TIMER, K(BTF_KIND_STRUCT, 0), 8, 3, K(BTF_KIND_STRUCT, 1), 16, 3, 2, 0},
		 9,
		 16},
		{"a timer and a bit-field",
		 {TIMER, K(BTF_KIND_STRUCT, 0), 16, 3, KF(BTF_KIND_STRUCT, 2), 24, 3, 2, 0, 5, 1,
		  3u << 24 | 129},
		 12,
		 24},
		{"a bit-field", {3, KF(BTF_KIND_STRUCT, 1), 4, 5, 1, 3u << 24 | 5}, 6, 4},
		{"a lock",
		 {LOCK, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 0, 3, K(BTF_KIND_STRUCT, 1), 8, 3, 2, 32},
		 12,
		 8},
		{"two locks",
		 {LOCK, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 0, 3, K(BTF_KIND_STRUCT, 2), 8, 3, 2, 0, 5,
		  2, 32},
		 15,
		 8},
		{"a lock and a bit-field",
		 {LOCK, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 0, 3, KF(BTF_KIND_STRUCT, 2), 8, 3, 2, 0, 5,
		  1, 3u << 24 | 33},
		 15,
		 8},
		{"a lock askew",
		 {LOCK, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 0, 3, K(BTF_KIND_STRUCT, 1), 8, 3, 2, 16},
		 12,
		 8},
		{"two locks in an array",
		 {LOCK, K(BTF_KIND_STRUCT, 1), 4, 3, 1, 0, 3, K(BTF_KIND_STRUCT, 1), 8, 3, 4, 0, 0,
		  K(BTF_KIND_ARRAY, 0), 0, 2, 1, 2},
		 18,
		 8},
	};

	for (unsigned int i = 0; i < COUNT(c); i++) {
		long fd = add_types_fd(c[i].w, c[i].n);

		say(fd, "btf with %s", c[i].what);
		if (fd < 0)
			continue;
		for (unsigned int t = 1; t < 3; t++) {
			/* Timers are not in skep's maps. */
			if (!strcmp(c[i].what, "one timer"))
				continue;
			ATTR(.map_type = t, .key_size = 4, .value_size = c[i].size,
			     .max_entries = 1, .btf_fd = (uint32_t)fd, .btf_key_type_id = 1,
			     .btf_value_type_id = c[i].w[0] == LOCK || c[i].w[0] == TIMER ? 3 : 2);
			try(BPF_MAP_CREATE, "map type %u with %s", t, c[i].what);
		}
		close((int)fd);
	}
}

/* A chain of pointers, arrays or structs of depth n. */
static void depth_cases(void)
{
	static const unsigned int depths[] = {2, 30, 31, 32, 33, 34, 64, 65, 100};
	static uint32_t words[1000];

	for (unsigned int kind = 0; kind < 4; kind++)
		for (unsigned int d = 0; d < COUNT(depths); d++) {
			static const char *const names[] = {"pointers", "consts", "arrays",
							    "structs"};
			char what[32];
			uint32_t *w = words;

			for (uint32_t i = 0; i < depths[d]; i++) {
				uint32_t to = i + 1 < depths[d] ? 3 + i : 1;

				*w++ = 0;
				switch (kind) {
				case 0:
				case 1:
					*w++ = K(kind ? BTF_KIND_CONST : BTF_KIND_PTR, 0);
					*w++ = to;
					break;
				case 2:
					*w++ = K(BTF_KIND_ARRAY, 0);
					*w++ = 0;
					*w++ = to;
					*w++ = 1;
					*w++ = 1;
					break;
				default:
					*w++ = K(BTF_KIND_STRUCT, 1);
					*w++ = 4;
					*w++ = 3;
					*w++ = to;
					*w++ = 0;
				}
			}
			snprintf(what, sizeof(what), "%u %s", depths[d], names[kind]);
			add_types(what, words, (uint32_t)(w - words));
		}
}

static void attr_cases(void)
{
	static char log[4096];
	static const uint32_t levels[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 0x80000000u};
	static const uint32_t sizes[] = {0,   1,    2,		64,	    127, 128,
					 129, 4096, 0x3fffffff, 0x40000000, ~0u};

	for (unsigned int l = 0; l < COUNT(levels); l++)
		for (unsigned int s = 0; s < COUNT(sizes); s++)
			for (unsigned int b = 0; b < 2; b++) {
				/* A log of a good set is the kernel's alone: only where it fits. */
				if (sizes[s] && sizes[s] != 4096 && b && levels[l] &&
				    levels[l] < 16)
					continue;
				reset();
				ATTR(.btf = PTR(buf), .btf_size = size, .btf_log_level = levels[l],
				     .btf_log_size = sizes[s], .btf_log_buf = b ? PTR(log) : 0);
				try(BPF_BTF_LOAD, "btf log level %u size %u %s", levels[l],
				    sizes[s], b ? "buf" : "no buf");
			}
	for (unsigned int i = 0; i < COUNT(bad_ptrs); i++) {
		reset();
		ATTR(.btf = bad_ptrs[i].ptr, .btf_size = size);
		try(BPF_BTF_LOAD, "btf at %s", bad_ptrs[i].name);
		header()->version = 9;
		ATTR(.btf = PTR(buf), .btf_size = size, .btf_log_level = 1, .btf_log_size = 128,
		     .btf_log_buf = bad_ptrs[i].ptr);
		try(BPF_BTF_LOAD, "btf log at %s", bad_ptrs[i].name);
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		reset();
		ATTR(.btf = PTR(buf), .btf_size = size);
		set32(32, 1u << bit);
		try(BPF_BTF_LOAD, "btf_flags bit %u", bit);
		set32(36, (uint32_t)other_fds[2].fd);
		try(BPF_BTF_LOAD, "btf_flags bit %u and a file as token", bit);
	}
	reset();
	ATTR(.btf = PTR(buf), .btf_size = size);
	set32(36, 5);
	try(BPF_BTF_LOAD, "btf token without its flag");
	/* A bad one with a log: does the true size come back, does the log end? */
	reset();
	header()->version = 9;
	memset(log, 'x', sizeof(log));
	ATTR(.btf = PTR(buf), .btf_size = size, .btf_log_level = 1, .btf_log_size = sizeof(log),
	     .btf_log_buf = PTR(log));
	try(BPF_BTF_LOAD, "btf with a bad version and a log");
	say_value(get32(28) != 0, "btf log size was given");
	say_value(memchr(log, 0, sizeof(log)) != NULL, "btf log ends");
}

void btf_cases(void)
{
	header_cases();
	word_cases();
	type_cases();
	field_cases();
	depth_cases();
	attr_cases();
}
