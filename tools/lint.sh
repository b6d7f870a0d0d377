#!/bin/sh
# Static analysis of everything but the tests' own sources: clang-tidy (.clang-tidy) and cppcheck. No findings, or exit 1.
#   tools/lint.sh [BUILD]      BUILD has the compile_commands.json; build
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
jobs=${JOBS:-$(nproc)}
failed=0

sources=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | grep -v -e "$build/bundle\.c$" -e "$build/page\.c$" | sort -u)
[ -n "$sources" ] || {
	echo "lint: no compile_commands.json in $build" >&2
	exit 1
}
# One file a run: clang-tidy 14 carries the state of va_list from one file to the next and then warns of nothing.
# With assertions, so that the analyzer knows what is taken for granted.
printf '%s\n' "$sources" | xargs -P "$jobs" -n 1 clang-tidy --quiet --extra-arg=-UNDEBUG -p "$build" 2>"$build/lint.log" || {
	grep -E 'error:|warning:' "$build/lint.log" | grep -v 'warnings generated'
	failed=1
}
# shellcheck disable=SC2046 # a list of words
cppcheck -q -j "$jobs" --std=c11 --language=c --enable=warning,performance,portability --inline-suppr \
	--suppressions-list=.cppcheck --error-exitcode=1 -Iinclude -Isrc -Icli \
	$(printf '%s\n' "$sources" | grep '\.c$') || failed=1
[ $failed = 0 ] && echo "lint: $(printf '%s\n' "$sources" | wc -l) files, no findings"
exit $failed
