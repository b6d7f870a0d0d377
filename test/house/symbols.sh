#!/bin/sh
# What the shared library shows and what it leans on: symbols.sh LIBRARY.so HEADER
#
# - it defines cairn_* and nothing else, and all that the header declares
# - what it lacks comes from libc, libm or the thread library, and of these nothing that prints, exits, depends on the
#   locale or the environment, draws random numbers, asks a clock that can be set back or is a libm function whose last bit differs between machines
set -u
library=$1
header=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

complain()
{
	[ -s "$2" ] || return
	echo "$1:"
	sed 's/^/  /' "$2"
	failed=1
}

nm -D --defined-only "$library" | awk '$2 != "A" {print $NF}' | sort -u >"$work/defined"
nm -D --undefined-only "$library" | awk '$1 == "U" || $1 == "w" {print $2}' | sort -u >"$work/undefined"
awk '/^CAIRN_API/ {sub(/^CAIRN_API /, ""); sub(/\(.*/, ""); sub(/.*[ *]/, ""); print}' "$header" | sort -u >"$work/declared"
[ -s "$work/declared" ] || { echo "no CAIRN_API in $header"; exit 1; }

grep -v '^cairn_' "$work/defined" >"$work/a"
complain "visible, but not cairn_*" "$work/a"
comm -23 "$work/declared" "$work/defined" >"$work/a"
complain "declared in the header, but missing in the library" "$work/a"
comm -13 "$work/declared" "$work/defined" | grep '^cairn_' >"$work/a"
complain "in the library, but not declared in the header" "$work/a"

grep -v '@GLIBC' "$work/undefined" | grep -vxE '_ITM_(de)?registerTMCloneTable|__gmon_start__|__cxa_finalize' >"$work/a"
complain "needed, but not from the C library" "$work/a"
readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libpthread)\.so' >"$work/a"
complain "needs another library" "$work/a"

sed 's/@.*//' "$work/undefined" | sed 's/^__\(.*\)_chk$/\1/' | grep -xE \
	'v?printf|puts|putchar|perror|_?exit|_Exit|quick_exit|abort|getenv|system|setlocale|ato[fil]+|s?rand|random|timespec_get|time|gettimeofday|clock|_?setjmp|longjmp|(sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erf|erfc|tgamma|lgamma|fma)[fl]?' >"$work/a"
complain "the library must not use" "$work/a"

[ $failed = 0 ] && echo "$(wc -l <"$work/defined") symbols, all cairn_*; $(wc -l <"$work/undefined") from the C library"
exit $failed
