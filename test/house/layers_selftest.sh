#!/bin/sh
# Proves that tools/layers.sh can fail: makes small trees with one include each and looks at the verdict.
set -u
layers=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# try WANTED(0 or 1) FILE INCLUDE
try()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree/$(dirname "$2")"
	printf '#include <stdio.h>\n  # include "%s"\n' "$3" >"$work/tree/$2"
	sh "$layers" "$work/tree" >"$work/out" 2>&1
	status=$?
	[ $status = "$1" ] && { [ "$1" = 0 ] || grep -q "^$2:2: may not include \"$3\"$" "$work/out"; } && return
	echo "$2 including \"$3\": exit $status, wanted $1"
	cat "$work/out"
	failed=1
}

try 0 src/base/a.c base/a.h
try 0 src/geom/a.c base/vec.h
try 0 src/geom/shape/a.c geom/shape/kind.h
try 0 src/geom/shape/a.c base/vec.h
try 1 src/geom/shape/a.c scene/scene.h
try 0 src/step/a.c num/qp.h
try 0 src/step/a.c world/world.h
try 0 src/step/contact/a.c step/path/path.h
try 1 src/step/contact/a.c method/a.h
try 0 src/method/a.c step/stages.h
try 0 src/record/a.c scene/scene.h
try 0 src/io/a.c record/recording.h
try 0 src/io/a.c cairn/cairn.h
try 0 cli/a.c options.h
try 0 cli/a.c cairn/cairn.h
try 0 src/check/a.c check/parts.h
try 0 src/check/a.c geom/shape.h
try 0 src/step/frame/certify.c check/frame.h
try 0 src/world/a.c check/frame.h
try 1 src/check/a.c geom/separate.h
try 1 src/geom/sweep.c check/overlap.h
try 1 src/step/position/choose_paths.c check/frame.h
try 1 src/world/a.c check/overlap.h
try 1 src/base/a.c geom/shape.h
try 1 src/geom/a.c num/qp.h
try 1 src/num/a.h geom/shape.h
try 1 src/geom/a.h scene/scene.h
try 1 src/scene/a.c world/world.h
try 1 src/world/a.c step/stages.h
try 1 src/record/a.c world/world.h
try 1 src/record/a.c io/json.h
try 1 src/io/a.c world/world.h
try 1 src/io/a.c step/stages.h
try 1 src/base/a.c ../geom/shape.h
try 1 src/base/a.c vec.h
try 1 cli/a.c base/vec.h
try 1 bench/a.c world/world.h
try 1 examples/a.cpp scene/scene.h
try 1 include/cairn/cairn.h base/base.h

mkdir -p "$work/empty"
sh "$layers" "$work/empty" >/dev/null 2>&1 && { echo "an empty tree passes"; failed=1; }
mkdir -p "$work/stray/src/odd"
: >"$work/stray/src/odd/a.c"
sh "$layers" "$work/stray" >/dev/null 2>&1 && { echo "a folder without a layer passes"; failed=1; }
[ $failed = 0 ] && echo "layers.sh refuses what it should"
exit $failed
