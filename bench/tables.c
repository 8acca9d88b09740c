/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of `skep bench`, shared by the tool, which prints them, and the worker.
 */
#include <stddef.h>

#include "bench.h"

const struct bench_table bench_tables[] = {
	{.bench = "local-storage",
	 .help = "task-storage look-ups in turn over N maps, and map 0 every third time between",
	 .params = {{"access", "sequential,interleaved"}, {"maps", "1,10,16,17,24,32,100,1000"}},
	 .engines = BENCH_USUAL},
	{.bench = "local-storage",
	 .help = "and as a control hash-map look-ups of random keys",
	 .params = {{"keys", "10,1000,10000,100000,4194304"}},
	 .engines = BENCH_USUAL},
	{.bench = "cgrp-storage",
	 .help = "the same look-ups in the storage of the task's cgroup",
	 .params = {{"access", "sequential,interleaved"}, {"maps", "1,10,16,17,24,32,100,1000"}},
	 .engines = BENCH_USUAL},
	{.bench = "storage-call",
	 .help = "look-ups, and creations with deletions, by bpf(2) and descriptor",
	 .params = {{"owner", "task,cgroup,socket,inode"}, {"op", "lookup,create-delete"}},
	 .engines = BENCH_BPF},
	{.bench = "bpf-loop",
	 .help = "iterations of a bpf_loop callback, and of an open-coded iterator",
	 .params = {{"callback", "empty,count,lookup,stop,iterator"},
		    {"loops", "10,100,500,1000,10000,100000,1000000"}},
	 .engines = BENCH_USUAL,
	 .flags = BENCH_LOOP},
	{.bench = "compute",
	 .help = "programs that only compute; an op is a pass over their data",
	 .params = {{"program", "crc32,fnv,siphash,chacha,search,parse,base64,distance,sort,"
				"matrix,bits,sieve,lpm,checksum,packet,histogram"}},
	 .engines = BENCH_USUAL | 1u << BENCH_VECTOR,
	 .flags = BENCH_GEOMEAN},
	{.bench = "calls",
	 .help = "a hooked system call, a tail call, a ring buffer's record",
	 .params = {{"kind", "hook,tail-call,ringbuf"}},
	 .engines = BENCH_USUAL},
	{.bench = "load",
	 .help = "PROG_LOAD, from call to return, of programs of so many instructions",
	 .params = {{"insns", "100,1000,10000,100000"}},
	 .engines = BENCH_BPF,
	 .unit = "ns/load"},
	{.bench = "compile",
	 .help = "the parts of it, per instruction of the program's",
	 .params = {{"part", "verify,rewrite,jit"}, {"insns", "100,1000,10000,100000"}},
	 .engines = 1u << BENCH_SKEP,
	 .unit = "ns/insn"},
	{.bench = "verify",
	 .help = "the verifier, per instruction processed, by its own clock",
	 .params = {{"program", "loop,wide,limit,stack,maps,calls,rounds"}},
	 .engines = BENCH_BPF,
	 .flags = BENCH_VERDICT_ONLY,
	 .unit = "ns/insn"},
	{0},
};
