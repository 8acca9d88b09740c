#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The `skep run` command: exit codes, refusals, environment, sanitizers. Arguments: build root,
# the sanitizers of the build, compiler.
build=$1 sanitizers=$2
shift 2
cc=${*:-cc}
skep=$(find "$build" -name skep -type f -perm -u+x | head -n 1)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

check() { # description, expected, actual
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$1: '$3', not '$2'"
	fi
}

status() { # command...: its exit status
	"$@" >"$dir/out" 2>"$dir/err"
	echo $?
}

unset LD_PRELOAD SKEP_CPUS SKEP_BTF SKEP_TRACE SKEP_TRACE_FILE SKEP_ENGINE

check "command's status" 7 "$(status "$skep" run sh -c 'exit 7')"
check "not found" 127 "$(status "$skep" run no-such-command-here)"
check "no such path" 127 "$(status "$skep" run ./no/such/path)"
echo text >"$dir/plain"
check "not executable" 126 "$(status "$skep" run "$dir/plain")"
check "a directory" 126 "$(status "$skep" run "$dir")"
check "no command" 125 "$(status "$skep" run)"
check "bad option" 125 "$(status "$skep" run --no-such-option true)"
check "bad number" 125 "$(status "$skep" run --cpus 0 true)"
check "bad engine" 125 "$(status "$skep" run --engine fast true)"
check "help" 0 "$(status "$skep" run --help)"
check "help is on stdout" 1 "$(grep -c '^Usage: skep run' "$dir/out")"
check "arguments" "a b|-x|" "$("$skep" run -- printf '%s|' 'a b' -x)"
check "options end at the command" "-t" "$("$skep" run echo -t)"
check "cpus" 0-4 "$("$skep" run --cpus 5 sh -c 'read l </sys/devices/system/cpu/possible; echo $l')"
[ "$sanitizers" != none ] || # which wants its runtime before any library
	check "preloads are kept" 1 "$(LD_PRELOAD=libm.so.6 "$skep" run sh -c 'echo $LD_PRELOAD' | grep -c 'libskep.so:libm.so.6$')"
printf '#!/bin/sh\nexit 5\n' >"$dir/script"
chmod +x "$dir/script"
check "a script" 5 "$(status "$skep" run "$dir/script")"

cat >"$dir/probe.c" <<'C'
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	union bpf_attr a;
	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY;
	a.key_size = 4;
	a.value_size = 8;
	a.max_entries = 3;
	strcpy(a.map_name, "probe");
	long fd = syscall(__NR_bpf, BPF_MAP_CREATE, &a, sizeof(a));
	char path[64], name[64] = "";
	snprintf(path, sizeof(path), "/proc/self/fd/%ld", fd);
	readlink(path, name, sizeof(name) - 1);
	a.value_size = 0;
	syscall(__NR_bpf, BPF_MAP_CREATE, &a, sizeof(a));
	struct bpf_insn insns[] = {{.code = BPF_LDX | BPF_MEM | BPF_DW, .src_reg = 3}, {.code = BPF_JMP | BPF_EXIT}};
	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	a.insn_cnt = 2;
	a.insns = (unsigned long)insns;
	a.license = (unsigned long)"GPL";
	syscall(__NR_bpf, BPF_PROG_LOAD, &a, sizeof(a));
	puts(name);
	return fd < 0;
}
C
if $cc -o "$dir/probe" "$dir/probe.c" 2>/dev/null; then
	check "bpf(2)" "anon_inode:bpf-map" "$("$skep" run "$dir/probe")"
	"$skep" run --trace "$dir/probe" >/dev/null 2>"$dir/trace"
	check "trace: a line a call" 2 "$(grep -c 'bpf(BPF_MAP_CREATE' "$dir/trace")"
	check "trace: attr" 1 "$(grep -c 'map_type=2.*map_name="probe".*max_entries=3.* = [0-9]*$' "$dir/trace")"
	check "trace: error" 1 "$(grep -c '= -1 EINVAL: Invalid argument$' "$dir/trace")"
	check "trace: the verifier's reason" 1 "$(grep -c 'PROG_LOAD.*= -1 EACCES: R3 !read_ok$' "$dir/trace")"
	if strace -V >/dev/null 2>&1 && strace true >/dev/null 2>&1; then
		strace -f -e trace=bpf -o "$dir/strace" "$skep" run "$dir/probe" >/dev/null 2>&1
		check "nothing reaches the kernel" 0 "$(grep -c 'bpf(' "$dir/strace")"
	fi
	"$skep" run --trace="$dir/file" "$dir/probe" >/dev/null 2>"$dir/err"
	check "trace to a file" 2 "$(grep -c 'bpf(BPF_MAP_CREATE' "$dir/file")"
	check "nothing on stderr then" 0 "$(wc -c <"$dir/err")"
fi
if $cc -static -o "$dir/static" "$dir/probe.c" 2>/dev/null; then
	check "static" 126 "$(status "$skep" run "$dir/static")"
	check "static: says so" 1 "$(grep -c 'statically linked' "$dir/err")"
fi
bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool)
if [ -n "$bpftool" ]; then
	check "bpftool btf list" 1 "$("$skep" run "$bpftool" btf list | grep -c '^1: name \[vmlinux\]')"
	check "bpftool map list: nobody else's" 0 "$("$skep" run "$bpftool" map list | wc -l)"
	# Without privileges it asks only for what needs none, and must be told.
	probe="feature probe"
	[ "$(id -u)" = 0 ] || probe="feature probe unprivileged"
	check "bpftool feature probe" 1 "$("$skep" run "$bpftool" $probe | grep -c 'program_type socket_filter is available')"
fi
[ "$sanitizers" = none ] || echo "skipped: programs of other sanitizers: libskep has its own"
for s in address undefined thread; do
	[ "$sanitizers" = none ] || continue
	if $cc -fsanitize=$s -o "$dir/san" "$dir/probe.c" 2>/dev/null && "$dir/san" >/dev/null 2>&1; then
		check "sanitizer $s" "anon_inode:bpf-map" "$("$skep" run "$dir/san" 2>&1)"
	fi
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
