#!/bin/sh
# Writes all golden numbers of test/determinism anew, with the programs of one test tree: tools/goldens.sh [TREE]
#
# Who changes the motion on purpose runs it, looks at `git diff --stat test/determinism`, and says in the commit why.
set -eu
cd "$(dirname "$0")/.."
bin=build/test/${1:-gcc}/test
to=test/determinism

$bin/hashrun $to/tumble600.json >$to/golden.txt 2>/dev/null
$bin/hashrun scenes/cubejam.json --frames 60 >$to/cubejam60.txt 2>/dev/null
$bin/kernelrun >$to/kernel.txt

# Beside its place, so that a run that stops loses nothing.
while read -r scene frames hash more; do
	case $scene in
	scenes/*) hash=$($bin/hashrun "$scene" --frames "$frames" 2>/dev/null) ;;
	esac
	echo "$scene $frames $hash${more:+ $more}"
done <$to/scenes.txt >$to/scenes.new
mv $to/scenes.new $to/scenes.txt

while read -r method scene frames hash more; do
	case $scene in
	scenes/*) hash=$($bin/hashrun "$scene" --set method="$method" --frames "$frames" 2>/dev/null) ;;
	esac
	echo "$method $scene $frames $hash${more:+ $more}"
done <$to/methods.txt >$to/methods.new
mv $to/methods.new $to/methods.txt
