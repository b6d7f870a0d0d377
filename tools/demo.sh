#!/bin/sh
# One bundled scene from description to picture file: tools/demo.sh [BUILD]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
scene=wall
out=$build/demo/$scene
mkdir -p "$build/demo"

"$build/cairn" run $scene -o "$out.cairn" --force
"$build/cairn" certify "$out.cairn"
"$build/cairn" export "$out.cairn" -o "$out.glb"
pages= # the page plays at once, from half a second before the first blast, which is at frame 300
if "$build/cairn" view "$out.cairn" --from 285 --contacts --no-open -o "$out.html"; then
	pages="
  page        $out.html   (open it in a browser: it plays; turn, step, pick bodies)
  live page   web/dist/live.html   (the engine itself in the browser, with all scenes: drag bodies, throw balls)"
fi
cat <<END
$pages
  recording   $out.cairn
  animation   $out.glb   (Blender: File > Import > glTF; or drop it on any glTF viewer)

Next: look into the recording, or begin a scene of your own
  $build/cairn info $out.cairn
  $build/cairn scenes
  $build/cairn new my.json && $build/cairn run my.json
END
