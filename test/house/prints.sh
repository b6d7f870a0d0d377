#!/bin/sh
# Runs a command and compares what it prints with a file: prints.sh FILE COMMAND [ARGUMENT...]
set -u
wanted=$1
shift
found=$(mktemp) || exit 1
trap 'rm -f "$found"' EXIT
"$@" >"$found" || {
	echo "exit status $?"
	cat "$found"
	exit 1
}
diff -u "$wanted" "$found" && echo "prints what $(basename "$wanted") says"
