/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callbacks within callbacks, iterators, loops and functions, most programs twice: as it is, and
 * (named …_often) with a state kept at every point where one may be.
 */
#include "common.h"

struct bpf_iter_num {
	__u64 opaque;
} __attribute__((aligned(8)));

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;

char bytes[64];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

/* As BPF_F_TEST_STATE_FREQ. */
#define OFTEN FLAGS(8)
#define HIDE(x) asm volatile("" : "+r"(x))

struct state {
	long i, j, n;
};

#define CALLBACK(name, ...)                                                                        \
	static long name(__u32 i, struct state *s)                                                 \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
CALLBACK(up, s->i++)
CALLBACK(up_j, s->j++)
CALLBACK(clear, s->i = 0)
CALLBACK(set_63, s->i = 63)
CALLBACK(set_64, s->i = 64)
CALLBACK(use, bytes[s->i] = 1)
CALLBACK(bounded, if (s->i >= 0 && s->i < 63) s->i++)
CALLBACK(maybe_set_63, if (bpf_get_prandom_u32() > 5) s->i = 63)
CALLBACK(maybe_set_64, if (bpf_get_prandom_u32() > 5) s->i = 64)
CALLBACK(stops, if (bpf_get_prandom_u32() > 5) return 1)
CALLBACK(moves_63, s->i = s->j; s->j = 63)
CALLBACK(moves_64, s->i = s->j; s->j = 64)
CALLBACK(nest_nothing, bpf_loop(3, stops, s, 0))
CALLBACK(nest_up, bpf_loop(3, up, s, 0))
CALLBACK(nest_bounded, bpf_loop(3, bounded, s, 0))
CALLBACK(nest_moves_63, bpf_loop(3, moves_63, s, 0))
CALLBACK(nest_moves_64, bpf_loop(3, moves_64, s, 0))
CALLBACK(nest_use, bpf_loop(3, use, s, 0))
CALLBACK(nest_two, bpf_loop(3, up_j, s, 0); bpf_loop(3, clear, s, 0))
CALLBACK(nest_use_then_63, bpf_loop(3, use, s, 0); s->i = 63)
CALLBACK(nest_use_then_64, bpf_loop(3, use, s, 0); s->i = 64)
CALLBACK(nest_deep, bpf_loop(2, nest_bounded, s, 0))
CALLBACK(nest_own_use, struct state o = {}; bpf_loop(3, up, &o, 0); if (o.i < 64 && o.i >= 0) bytes[o.i] = 1)
CALLBACK(nest_own_trust, struct state o = {}; bpf_loop(s->n, up, &o, 0); bytes[o.i] = 1)
CALLBACK(nest_iterates, struct bpf_iter_num it; bpf_iter_num_new(&it, 0, 5); while (bpf_iter_num_next(&it)) s->j = 1; bpf_iter_num_destroy(&it))
CALLBACK(nest_iterates_leaks, struct bpf_iter_num it; bpf_iter_num_new(&it, 0, 5); while (bpf_iter_num_next(&it)) s->j = 1)
CALLBACK(counts, for (int k = 0; k < 5; k++) if (bpf_get_prandom_u32() == k) s->j++)

static NOINLINE void through(struct state *s)
{
	bpf_loop(3, bounded, s, 0);
}

static NOINLINE void through_moves_64(struct state *s)
{
	bpf_loop(3, moves_64, s, 0);
}

CALLBACK(nest_through, through(s))
CALLBACK(nest_through_64, through_moves_64(s))

static long each(void *map, __u32 *key, __u64 *v, struct state *s)
{
	bpf_loop(3, bounded, s, 0);
	return 0;
}

static long each_64(void *map, __u32 *key, __u64 *v, struct state *s)
{
	bpf_loop(3, moves_64, s, 0);
	return 0;
}

#define BODY(...)                                                                                  \
	{                                                                                          \
		struct state s = {.n = skb->len};                                                  \
                                                                                                   \
		asm volatile("" : : "r"(&s) : "memory");                                           \
		s.i = s.j = 0;                                                                     \
		__VA_ARGS__;                                                                       \
		return 0;                                                                          \
	}
#define TWICE(name, ...)                                                                           \
	SEC("tc") int name(struct __sk_buff *skb) BODY(__VA_ARGS__)                                \
	SEC("tc") OFTEN int name##_often(struct __sk_buff *skb) BODY(__VA_ARGS__)
/* Kept states only: without them such a program is walked to the limit. */
#define ONCE(name, ...) SEC("tc") OFTEN int name(struct __sk_buff *skb) BODY(__VA_ARGS__)
#define LOOP(cb) bpf_loop(skb->len, cb, &s, 0)
#define THEN bytes[s.i] = 1

TWICE(ok_nothing, LOOP(nest_nothing); THEN)
TWICE(no_up, LOOP(nest_up); THEN)
TWICE(ok_up_few, bpf_loop(3, nest_up, &s, 0))
ONCE(ok_bounded_often, LOOP(nest_bounded))
SEC("tc") int no_bounded(struct __sk_buff *skb) BODY(LOOP(nest_bounded))
TWICE(ok_bounded_then, LOOP(bounded); if (s.i < 64 && s.i >= 0) THEN)
/* What changes from turn to turn and is not compared is widened to any number. */
TWICE(no_moves_63, LOOP(moves_63); THEN)
TWICE(no_moves, LOOP(moves_64); THEN)
TWICE(no_nested_moves_63, LOOP(nest_moves_63); THEN)
TWICE(no_nested_moves, LOOP(nest_moves_64); THEN)
TWICE(ok_use, LOOP(nest_use))
TWICE(no_use_then_63, LOOP(nest_use_then_63))
TWICE(no_use_then, LOOP(nest_use_then_64))
TWICE(ok_two, LOOP(nest_two); THEN)
TWICE(ok_set, LOOP(set_63); THEN)
TWICE(no_set, LOOP(set_64); THEN)
TWICE(ok_maybe_set, LOOP(maybe_set_63); THEN)
TWICE(no_maybe_set, LOOP(maybe_set_64); THEN)
ONCE(ok_deep_often, LOOP(nest_deep))
TWICE(ok_own, LOOP(nest_own_use))
TWICE(no_own, LOOP(nest_own_trust))
TWICE(ok_iterates, LOOP(nest_iterates); THEN)
TWICE(no_iterates_leaks, LOOP(nest_iterates_leaks); THEN)
TWICE(ok_counts, LOOP(counts); THEN)
ONCE(ok_through_often, LOOP(nest_through))
TWICE(no_through, LOOP(nest_through_64); THEN)
TWICE(no_twice_63, LOOP(moves_63); LOOP(bounded); LOOP(set_63); THEN)
TWICE(no_twice, LOOP(moves_63); LOOP(moves_64); THEN)
TWICE(no_in_loop_63, for (int k = 0; k < 4; k++) LOOP(moves_63); THEN)
TWICE(no_in_loop, for (int k = 0; k < 4; k++) LOOP(moves_64); THEN)
TWICE(no_in_iterator_63, struct bpf_iter_num it; bpf_iter_num_new(&it, 0, 5); while (bpf_iter_num_next(&it)) LOOP(moves_63); bpf_iter_num_destroy(&it); THEN)
TWICE(no_in_iterator, struct bpf_iter_num it; bpf_iter_num_new(&it, 0, 5); while (bpf_iter_num_next(&it)) LOOP(moves_64); bpf_iter_num_destroy(&it); THEN)
ONCE(ok_each_often, bpf_for_each_map_elem(&hash, each, &s, 0))
TWICE(no_each, bpf_for_each_map_elem(&hash, each_64, &s, 0); THEN)
TWICE(ok_result, long n = LOOP(stops); if (n >= 0 && n < 64) bytes[n] = 1)
TWICE(no_result, long n = LOOP(stops); if (n >= 0 && n < 65) bytes[n] = 1)
ONCE(ok_record_often, void *r = bpf_ringbuf_reserve(&ring, 8, 0); if (!r) return 0; LOOP(nest_bounded); bpf_ringbuf_discard(r, 0))
TWICE(no_record, void *r = bpf_ringbuf_reserve(&ring, 8, 0); if (!r) return 0; if (LOOP(nest_bounded) > 5) return 0; bpf_ringbuf_discard(r, 0))
