#!/bin/sh
# Which files of the step a plain crowded frame enters, and that it enters no feature which its scene does not have:
#
#   plain_frame.sh PROGRAM OBJECTS SCENE FRAME MOST
#
# PROGRAM is plain_frame.c with the step, built with --coverage; OBJECTS a file with the paths of its objects.
set -eu
program=$1 objects=$2 scene=$3 frame=$4 most=$5
tr ';' '\n' <"$objects" >list
sed -n 's/\.o$/.gcda/p' list | xargs rm -f
"$program" "$scene" "$frame"
sed -n 's/\.o$/.gcda/p' list | while read -r counters; do
	if [ -e "$counters" ]; then echo "$counters"; fi
done | xargs gcov -n 2>/dev/null |
	awk '/^File/ { file = $2; gsub("\047", "", file) }
		/^Lines executed/ { if (file ~ /src\/step\/.*\.c$/ && $0 !~ /executed:0\.00%/) print file; file = "" }' |
	sed 's/.*src\/step\///' | sort -u >entered
count=$(wc -l <entered)
# Times of impacts are asked for in every frame, to end steps there; flights of their own are a feature.
wrong=$(grep -v '^flight/time_of_impact' entered | grep -E '^(joint|articulation|script|flight)/|script_path|mesh_contact|freeze|events|rolling|mass_ratio' || true)
echo "frame $frame of $(basename "$scene") enters $count files of the step, at most $most"
if [ -n "$wrong" ]; then echo "features that the scene does not have: $wrong"; fi
[ "$count" -gt 10 ] && [ "$count" -le "$most" ] && [ -z "$wrong" ]
