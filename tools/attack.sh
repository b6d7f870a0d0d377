#!/bin/sh
# Everything that is thrown at the engine: tools/attack.sh SECONDS SEED [PART...] (docs/attack.md)
#
# Half of the time goes to the parts of test/attack/attack.mjs, half to the fuzzed readers. What goes wrong in a world is made small and kept
# in test/found.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=$1 seed=$2
shift 2
top=$PWD/build/test
jobs=${JOBS:-2}

# build TREE TARGET...
build()
{
	tree=$1
	shift
	{ cmake --preset "$tree" && cmake --build "$top/$tree" -j "$jobs" --target "$@"; } >"$top/attack-$tree.log" 2>&1 && return
	tail -n 30 "$top/attack-$tree.log"
	echo "attack: cannot build $tree" >&2
	exit 1
}

mkdir -p "$top"
build gcc cairn worlds starve soak hashrun
interface= sanitized=
case " $* " in *' interface '* | '  ' | *' sanitizers '*)
	for tree in clang-asan clang-tsan clang-msan; do
		build $tree fuzz_interface hashrun
		interface=$interface:$top/$tree/test/fuzz_interface
		[ $tree = clang-asan ] || sanitized=$sanitized:$top/$tree/test/hashrun
	done
	;;
esac
share=$seconds
[ $# -gt 0 ] || share=$((seconds / 2))
CAIRN=$top/gcc/cairn WORLDS=$top/gcc/worlds STARVE=$top/gcc/starve SOAK=$top/gcc/soak HASHRUN=$top/gcc/test/hashrun \
	FUZZ_INTERFACE=$interface SANITIZED=$sanitized \
	node test/attack/attack.mjs --seconds "$share" --seed "$seed" --found test/found "$@"
status=$?
if [ $# -eq 0 ]; then
	each=$((seconds / 2 / 11)) # as many as tools/fuzz.sh has targets
	tools/fuzz.sh $((each > 0 ? each : 1)) || status=1
fi
exit $status
