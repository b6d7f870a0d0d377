#!/bin/sh
# A build folder remembers where its sources are. After the checkout has moved, CMake would stop with an error: what it
# remembers is thrown away then, and the folder is configured anew.
#
#   tools/moved.sh BUILD
set -eu
cache=$1/CMakeCache.txt
[ -f "$cache" ] || exit 0
real() { (cd "$1" 2>/dev/null && pwd -P) || echo "$1 (gone)"; } # links followed
was=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")
there=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$cache")
if [ "$(real "$was")" != "$(real .)" ] || [ "$(real "$there")" != "$(real "$1")" ]; then
	echo "the checkout has moved (it was $was): configuring anew" >&2
	rm -rf "$cache" "$1/CMakeFiles" "$1/build.ninja"
fi
