#!/bin/sh
# No fused multiply-add in the machine code of a library: fused.sh LIBRARY.a   (names of x86 and ARM)
set -u
code=$(mktemp) || exit 1
trap 'rm -f "$code"' EXIT
objdump -d --no-show-raw-insn "$1" >"$code" || exit 1
lines=$(grep -c ':' "$code")
[ "$lines" -gt 3 ] || {
	echo "no machine code in $1"
	exit 1
}
found=$(grep -cE '[[:space:]](vfn?m(add|sub|addsub|subadd)|fn?m(add|sub)|fml[as]|fcmla)[a-z0-9]*[[:space:]]' "$code")
echo "$lines lines of machine code, $found fused"
[ "$found" = 0 ]
