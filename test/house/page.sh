#!/bin/sh
# A page whose program is true: page.sh PAGE.md COMPILER HEADERS LIBRARY
#
# Compiles the page's block of C, with warnings as errors, runs it and compares what it prints with the block of text
# after it. A page without both is wrong.
set -u
page=$1
compiler=$2
headers=$3
library=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

block() { awk -v start="$1" '$0 == "```" {inside = 0} inside {print} $0 == start && !seen {inside = 1; seen = 1}' "$page"; }

block '```c' >"$work/page.c"
block '```text' >"$work/wanted"
[ -s "$work/page.c" ] && [ -s "$work/wanted" ] || { echo "$page has no program, or not what it prints"; exit 1; }
"$compiler" -std=c17 -Wall -Wextra -Werror -I"$headers" "$work/page.c" "$library" -lm -lpthread -o "$work/page" || exit 1
cd "$work" && ./page >found || { echo "exit status $?"; cat found; exit 1; }
diff -u wanted found && echo "prints what $(basename "$page") says"
