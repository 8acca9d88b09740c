#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What `skep run` costs a program that does nothing, and one that wants maps alone: startup_test SKEP MAPS
skep=$1 maps=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

now() { # milliseconds
	echo $(($(date +%s%N) / 1000000))
}

twenty() { # command...: milliseconds for twenty runs, the best of three
	best=1000000
	for round in 1 2 3; do
		start=$(now)
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			"$@" || exit 1
		done
		took=$(($(now) - start))
		[ $took -lt $best ] && best=$took
	done
	echo $best
}

plain=$(twenty /bin/true)
under=$(twenty "$skep" run -- /bin/true)
each=$(((under - plain) / 20))
echo "skep run -- /bin/true: $each ms more than /bin/true"
if [ $each -ge 10 ]; then
	echo "more than 10 ms"
	failed=1
fi

if strace -V >/dev/null 2>&1 && strace -o /dev/null true 2>/dev/null; then
	strace -f -o "$dir/log" -e trace=open,openat,bpf "$skep" run -- "$maps" --probe || failed=1
	if grep -E 'btf|bpf\(' "$dir/log"; then
		echo "a program that makes maps alone opened BTF or reached the kernel's bpf(2)"
		failed=1
	fi
else
	echo "skipped: no strace: whether maps alone leave BTF unread"
fi
exit $failed
