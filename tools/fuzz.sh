#!/bin/sh
# libFuzzer with the address and undefined-behaviour sanitizers: tools/fuzz.sh SECONDS [TARGET...]
#
# What it learns stays in build/test/fuzz/found/TARGET; an input that breaks something in build/test/fuzz/crash-*. A small
# one of those belongs in fuzz/corpus/TARGET (scenes: test/data/bad), where make test runs it ever after. An input that takes
# more than 10 s of processor time is one of them (fuzz/limit.c).
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=$1
shift
targets=${*:-scene mesh asset hull separate recording trajectory snapshot interface bvh xml}
tree=$PWD/build/test/fuzz
cmake --preset fuzz >/dev/null || exit 1
for target in $targets; do
	cmake --build "$tree" --target "fuzz_$target" -j "${JOBS:-2}" >/dev/null || exit 1
	mkdir -p "$tree/found/$target"
	seeds=$PWD/fuzz/corpus/$target
	[ "$target" != scene ] || seeds="$PWD/test/data/good $PWD/test/data/bad $PWD/scenes"
	[ "$target" != interface ] || seeds=
	echo "fuzz: $target for $seconds s"
	# shellcheck disable=SC2086 # a list of words
	(cd "$tree" && "test/fuzz_$target" -max_total_time="$seconds" -timeout=300 -rss_limit_mb=4096 -print_final_stats=1 \
		"found/$target" $seeds >"$target.log" 2>&1) || {
		tail -n 30 "$tree/$target.log"
		echo "fuzz: $target broke; see $tree/$target.log" >&2
		exit 1
	}
	grep -E "stat::number_of_executed_units|stat::new_units_added" "$tree/$target.log"
done
