#!/bin/sh
# Every test of the project: builds the trees of CMakePresets.json and runs all their tests in one ctest run.
#
#   tools/test.sh [TREE...]     only these trees ("tools/test.sh gcc wasm")
#   TESTS=regex                 only the tests whose names match
#   JOBS=n                      at once; the number of cores
#   EVERY=1                     long tests in all trees, and not only where they say something new
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
jobs=${JOBS:-$(nproc)}
trees=${*:-gcc clang gcc-asan clang-asan wasm gcc-o0 gcc-native clang-o0 clang-native}
top=build/test
mkdir -p $top

# quietly LOG COMMAND...: shows what it printed only when it failed
quietly()
{
	log=$1
	shift
	"$@" >"$log" 2>&1 && return
	cat "$log"
	echo "test: failed: $*" >&2
	exit 1
}

: >$top/CTestTestfile.cmake
for tree in $trees; do
	echo "test: building $tree"
	quietly "$top/$tree.log" cmake --preset "$tree" -DCAIRN_EVERY="${EVERY:-0}"
	quietly "$top/$tree.log" cmake --build "$top/$tree" -j "$jobs"
	echo "subdirs(\"$tree\")" >>$top/CTestTestfile.cmake
done

exec ctest --test-dir $top -j "$jobs" --output-on-failure --no-tests=error ${TESTS:+-R "$TESTS"}
