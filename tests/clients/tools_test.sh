#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The objects of Debian's libbpf-tools relocate under skep as on the host: tools_test SKEP OBJECTS
#
# Whatever libbpf could not relocate under skep, it must not be able to on the host either.
skep=$1 objects=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tools=$(dpkg -L libbpf-tools 2>/dev/null | grep '^/usr/sbin/.')
if [ -z "$tools" ]; then
	echo "skipped: package libbpf-tools is not installed"
	exit 77
fi
if [ ! -r /sys/kernel/btf/vmlinux ]; then
	echo "skipped: the host's BTF is not readable"
	exit 77
fi
"$skep" run -- "$objects" $tools >"$dir/skep" || exit 1
SKEP_BTF=builtin "$skep" run -- "$objects" $tools >"$dir/builtin" 2>"$dir/count"
echo "with the built-in BTF, for information: $(cat "$dir/count")"
if ! "$objects" --probe 2>/dev/null; then
	echo "skipped: bpf(2) is not permitted here, nothing to compare with"
	exit 77
fi
"$objects" $tools >"$dir/host"
sort "$dir/skep" >"$dir/a"
sort "$dir/host" >"$dir/b"
if [ -n "$(comm -23 "$dir/a" "$dir/b")" ]; then
	echo "only under skep:"
	comm -23 "$dir/a" "$dir/b"
	exit 1
fi
