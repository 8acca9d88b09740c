#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The programs of Debian's libbpf-tools, xdp-tools and libxdp1, judged here and by the kernel: tools_test SKEP JUDGE
skep=$1 judge=$2
here=$(dirname "$0")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tools=$(dpkg -L libbpf-tools 2>/dev/null | grep '^/usr/sbin/.')
if [ -z "$tools" ]; then
	echo "skipped: package libbpf-tools is not installed"
	exit 77
fi
if ! "$judge" --probe 2>/dev/null; then
	echo "skipped: bpf(2) is not permitted here, nothing to compare with"
	exit 77
fi
mkdir "$dir/objects"
# shellcheck disable=SC2086
"$here/extract" "$dir/objects" $tools
for obj in $(dpkg -L xdp-tools libxdp1 2>/dev/null | grep '/bpf/.*\.o$'); do
	cp "$obj" "$dir/objects/$(basename "$obj" .o).bpf.o"
done
status=0
for obj in "$dir"/objects/*.bpf.o; do
	"$here/compare" "$skep" "$judge" "$obj" none --foreign --counts "$dir/counts" || status=1
done
awk '{ n += $2; v += $3; j += $4; r += $5; m += $6; c += $7; p += $8 }
	END { printf "%d programs: %d verdicts equal, %d of them refused there by policy, %d of %d messages, %d of %d counts\n",
		n, v, j, m, r, p, c }' "$dir/counts"
exit $status
