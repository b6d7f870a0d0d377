#!/bin/sh
# Adds an option, a method, an export format, a command and a convex shape to a copy of the sources, each by the files that
# CONTRIBUTING.md says and no other; builds the copy, warnings as errors, and uses what comes out:  rows.sh ROOT CC
set -u
root=$1
cc=$2
here=$root/test/house/rows
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/scenes" "$tree/docs" "$tree/tools" "$work/before"
cp -r "$root/include" "$root/src" "$root/cli" "$tree/" || exit 1
cp "$root/tools/registry.c" "$tree/tools/"
cp "$root/scenes/scene.schema.json" "$tree/scenes/"
cp "$root/docs/scene-format.md" "$root/docs/export.md" "$root/docs/methods.md" "$tree/docs/"
mkdir -p "$tree/blender" && cp -r "$root/blender/cairn_bake" "$tree/blender/"
cp -r "$tree/." "$work/before/"

fail()
{
	echo "rows: $*"
	exit 1
}

# touched WHAT MOST: how many files differ from what was there before, and the list of them
touched()
{
	files=$(diff -rq "$work/before" "$tree" | wc -l)
	echo "$1: $files files"
	diff -rq "$work/before" "$tree" | sed 's/^Files .* and //; s/ differ$//; s/^Only in //; s/: /\//' | sed "s#^$tree/#  #"
	[ "$files" -gt 0 ] && [ "$files" -le "$2" ] || fail "$1 touches $files files; at most $2"
	rm -rf "$work/before" && cp -r "$tree" "$work/before"
}

# row FILE LINE TEXT: puts a row of a list behind the line that holds LINE, which goes on
row()
{
	awk -v line="$2" -v text="$3" '
		!done && index($0, line) { done = 1; last = $0 !~ /\\$/; sub(/[ \t]*\\?$/, "")
			print $0 " \\"; print "\t" text (last ? "" : " \\"); next }
		{ print }
		END { exit !done }' "$tree/$1" >"$work/row" || fail "$1 has no line with $2"
	cp "$work/row" "$tree/$1"
}

row src/scene/registry.h '"oba.md#substeps")' 'COUNT(loudness, "loudness", 7, 0, 9, "", "how loud it is", "")'
touched "an option" 1

# One file of at most sixty lines, one row, one page.
row src/scene/registry.h 'bodies pass through each other' 'METHOD(plastic, CN_CAN_CONTACT | CN_CAN_SCRIPTS | CN_CAN_MESHES, 16, "impacts without a bounce")'
cp "$here/plastic.c" "$tree/src/method/"
cat "$here/plastic.md" >>"$tree/docs/methods.md"
[ "$(wc -l <"$here/plastic.c")" -le 60 ] || fail "the method takes $(wc -l <"$here/plastic.c") lines"
touched "a method" 3

row src/io/export.h 'FORMAT(usda,' 'FORMAT(tally, ".tally", "counts", "who likes to count")'
cp "$here/tally_write.c" "$tree/src/io/"
touched "an export format" 2

row cli/options.h 'COMMAND(scenes)' 'COMMAND(greet)'
cp "$here/cmd_greet.c" "$tree/cli/"
touched "a command" 2

row src/geom/shape/kind.h 'KIND(HEIGHTFIELD,' 'KIND(WEDGE, wedge)'
cp "$here/wedge.c" "$tree/src/geom/shape/"
sed -i 's#CAIRN_HEIGHTFIELD /\*#CAIRN_HEIGHTFIELD, /*#; s#^} cairn_shape_kind;#\tCAIRN_WEDGE /* size: half of that box */\n} cairn_shape_kind;#' "$tree/include/cairn/cairn.h"
# The check's own description: the corners, written down again.
sed -i 's#^\tcase CAIRN_HULL: return make_hull(allocator, shape, s, error);#\tcase CAIRN_WEDGE: {\n\t\tv3 h = v3_scale(def->size, 0.5);\n\t\tconst v3 p[6] = {{-h.x, -h.y, -h.z}, {h.x, -h.y, -h.z}, {-h.x, h.y, -h.z}, {h.x, h.y, -h.z}, {-h.x, -h.y, h.z}, {-h.x, h.y, h.z}};\n\t\treturn take_points(allocator, s, p, 6) || cn_fail_memory(error);\n\t}\n&#' "$tree/src/check/solid.c"
sed -i 's#^        "cylinder": {#        "wedge": {"description": "edge lengths of the box that it is half of, m", "$ref": "\#/$defs/point"},\n&#' "$tree/scenes/scene.schema.json"
sed -i 's#^| `cylinder` |#| `wedge` | `[x, y, z]`: half of this box |\n&#' "$tree/docs/scene-format.md"
touched "a convex shape" 6

cat >"$tree/bundle.c" <<'END'
#include "bundle.h"
const bundle_file bundle_files[1] = {{0}};
const size_t bundle_count = 0;
const bundle_file page_files[1] = {{0}};
const size_t page_count = 0;
END
cd "$tree" || exit 1
flags="-std=c17 -O0 -DNDEBUG -ffp-contract=off -Wall -Wextra -Werror -Iinclude -Isrc -Icli"
jobs=$(nproc 2>/dev/null || echo 2)
mkdir "$work/objects"
find src cli bundle.c -path cli/alone -prune -o -name '*.c' -print | xargs -P "$jobs" -I{} sh -c \
	"$cc $flags -c {} -o $work/objects/\$(echo {} | tr / +).o" || fail "the copy does not build"
$cc -o "$work/cairn" "$work"/objects/*.o -lm -lpthread -ldl || fail "the copy does not link"
$cc $flags -o "$work/registry" tools/registry.c "$work"/objects/src*.o -lm -lpthread || fail "the tool does not build"
cairn=$work/cairn

# The option: known everywhere, and in schema and docs once they are written anew.
"$work/registry" . --check >"$work/out" && fail "schema and docs lack the option and pass"
sed -i 's/`"free"`/`"free"`, `"plastic"`/' docs/scene-format.md
printf '\n## .tally\n' >>docs/export.md
"$work/registry" . >/dev/null
"$work/registry" . --check || fail "schema and docs still differ"
grep -q '"loudness": .*"maximum": 9' scenes/scene.schema.json || fail "the schema lacks the option"
grep -q '^| `loudness` | 0 to 9 | 7 | all |' docs/scene-format.md || fail "the docs lack the option"
cat >"$work/s.json" <<'END'
{ "version": 1, "world": { "frames": 20, "options": { "loudness": 3 } },
  "bodies": [ { "name": "floor", "type": "fixed", "shape": { "halfspace": { "normal": [0, 0, 1] } } },
    { "name": "ramp", "shape": { "wedge": [2, 1, 1] }, "position": [0, 0, 0.6] },
    { "name": "ball", "shape": { "sphere": 0.2 }, "position": [-0.5, 0, 1.5] } ] }
END
cd "$work" || exit 1
"$cairn" run s.json -q --set loudness=9 || fail "--set does not take the option"
"$cairn" info s.cairn | tr -s ' \n' ' ' | grep -q 'loudness.\{0,3\}9' || fail "the recording does not keep the option"
"$cairn" run s.json -q --force --set loudness=10 2>out && fail "the option takes 10"
grep -q "loudness cannot be '10'; give a whole number from 0 to 9" out || fail "$(cat out)"
"$cairn" run --help | grep -q 'loudness *how loud it is' || fail "the help lacks the option"
# The method
"$cairn" --version | grep -q '^methods.* plastic' || fail "the method is not listed"
"$cairn" run s.json -q --method plastic -o plastic.cairn 2>out && fail "a method without friction takes it"
grep -q "method 'plastic' has no rule for friction" out || fail "$(cat out)"
cat >"$work/drop.json" <<'END'
{ "version": 1, "world": { "frames": 60 }, "materials": { "ice": { "friction": 0, "restitution": 0.9 } },
  "bodies": [ { "name": "floor", "type": "fixed", "material": "ice", "shape": { "halfspace": { "normal": [0, 0, 1] } } },
    { "name": "ball", "material": "ice", "shape": { "sphere": 0.5 }, "position": [0, 0, 2] } ] }
END
"$cairn" run drop.json -q --method plastic -o plastic.cairn || fail "the method does not run"
"$cairn" export plastic.cairn -q -o plastic.csv
tail -1 plastic.csv | awk -F, '{ exit !($6 > 0.4 && $6 < 0.51) }' || fail "the ball does not lie on the floor: $(tail -1 plastic.csv)"
"$cairn" compare drop.json --methods plastic,oba -q --json -o drop.html >out || fail "the method cannot be compared"
grep -q '"label": "plastic".*"status": "done".*"certificate": "measured"' out || fail "its column: $(cat out)"
# The export format
"$cairn" export s.cairn -q -o s.tally || fail "the format is not written"
[ "$(wc -l <s.tally)" = 21 ] || fail "the format has $(wc -l <s.tally) lines"
"$cairn" export --help | grep -q '^  \.tally *counts' || fail "the help lacks the format"
"$cairn" export s.cairn -q -o s.nothing 2>out && fail "an unknown ending is taken"
grep -q '\.tally' out || fail "$(cat out)"
# The command
[ "$("$cairn" greet Ada)" = "good day, Ada" ] || fail "the command does nothing"
"$cairn" completion bash | grep -q greet || fail "the command is not completed"
# The shape: simulated, certified by the check's own description, exported
"$cairn" certify s.cairn | grep -qi clean || fail "the certificate of the wedge is not clean"
"$cairn" export s.cairn -q -o s.csv && grep -q '"shape":{"wedge":\[2,1,1\]}\|{"shape":{"wedge":\[2,1,1\]}' s.csv || fail "no wedge in the csv"
"$cairn" export s.cairn -q -o s.glb || fail "no glb of the wedge"
"$cairn" info s.json | grep -q 'wedge, 1 m^3' || fail "info: $("$cairn" info s.json)"
echo '{ "version": 1, "bodies": [ { "shape": { "wedge": [1, -1, 1] } } ] }' >bad.json
"$cairn" check bad.json 2>out && fail "a wedge of negative width is taken"
grep -q 'the edge along y is -1; give a positive length' out || fail "$(cat out)"
echo "rows: all used"
