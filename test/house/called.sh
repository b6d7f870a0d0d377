#!/bin/sh
# Whether every call of the header is made by a test and by a fuzz target: called.sh HEADER ROOT
set -u
header=$1
root=$2
failed=0
awk '/^CAIRN_API/ {sub(/^CAIRN_API /, ""); sub(/\(.*/, ""); sub(/.*[ *]/, ""); print}' "$header" | sort -u >"${TMPDIR:-/tmp}/declared.$$"
trap 'rm -f "${TMPDIR:-/tmp}/declared.$$" "${TMPDIR:-/tmp}/made.$$"' EXIT
[ -s "${TMPDIR:-/tmp}/declared.$$" ] || { echo "no CAIRN_API in $header"; exit 1; }
for folder in test fuzz; do # targets make calls through a macro, CALL(cairn_...)
	find "$root/$folder" -name '*.[ch]' ! -path '*/house/*' -exec cat {} + | grep -oE '\bcairn_[a-z0-9_]+[()]' | tr -d '()' | sort -u >"${TMPDIR:-/tmp}/made.$$"
	lacks=$(comm -23 "${TMPDIR:-/tmp}/declared.$$" "${TMPDIR:-/tmp}/made.$$")
	[ -z "$lacks" ] && continue
	echo "declared in the header, but not called in $folder:"
	echo "$lacks" | sed 's/^/  /'
	failed=1
done
exit $failed
