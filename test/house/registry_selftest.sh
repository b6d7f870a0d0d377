#!/bin/sh
# Proves that `registry --check` can fail and that `registry` mends: one changed word in each file that it writes.
set -u
registry=$1
root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scenes" "$work/docs" "$work/blender/cairn_bake"
cp "$root/scenes/scene.schema.json" "$work/scenes/" && cp "$root/docs/scene-format.md" "$root/docs/export.md" "$work/docs/" &&
	cp "$root/blender/cairn_bake/registry.py" "$work/blender/cairn_bake/" || exit 1
"$registry" "$work" --check || { echo "the files as they are do not pass"; exit 1; }
for file in scenes/scene.schema.json docs/scene-format.md blender/cairn_bake/registry.py; do
	sed -i 's/bodies that came to rest/bodies that come to rest/' "$work/$file"
	"$registry" "$work" --check >"$work/out" && { echo "a changed $file passes"; exit 1; }
	grep -q "^$file: does not say" "$work/out" || { cat "$work/out"; exit 1; }
	"$registry" "$work" >/dev/null
	cmp "$root/$file" "$work/$file" || exit 1
done
sed -i 's/^## \.csv$/## csv/' "$work/docs/export.md"
"$registry" "$work" --check >/dev/null && { echo "a format without a section in the docs passes"; exit 1; }
echo "registry --check refuses what it should"
