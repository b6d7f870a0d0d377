#!/bin/sh
# Proves that tools/owners.mjs can fail: a room that writes what another owns, by name, through a pointer and as a whole,
# and an owner that is no room.
set -u
root=$1
node=$2
compiler=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -r "$root/src" "$root/include" "$work/" || exit 1
cat >>"$work/src/step/rest/carried.c" <<'END'
void by_name(cn_pair *p);
void by_name(cn_pair *p) { p->rest.strays = 0, p->flight.hits = 0, p->proof = 0; }
END
cat >>"$work/src/step/flight/balls.c" <<'END'
double *through_pointer(cn_path *y);
double *through_pointer(cn_path *y) { return &y->lead.pace; }
END
cat >>"$work/src/step/sleep/sleep.c" <<'END'
void as_a_whole(cn_pair_point *t, const cn_pair_point *u);
void as_a_whole(cn_pair_point *t, const cn_pair_point *u) { *t = *u; }
END
sed -i 's/Owner: bounce\./Owner: nobody./' "$work/src/step/contact/pair.h"
"$node" "$root/tools/owners.mjs" "$compiler" "$work" >"$work/out" && { echo "wrong writers pass"; exit 1; }
for said in "rest/carried.c.*proof" "rest/carried.c.*hits" "flight/balls.c.*const" "sleep/sleep.c.*read-only" \
	"cn_pair_bounce belongs to nobody" "bounce/bounce.c.*graze"; do
	grep -q "$said" "$work/out" || { echo "not said: $said"; cat "$work/out"; exit 1; }
done
grep -q "strays" "$work/out" && { echo "an owner is refused"; cat "$work/out"; exit 1; }
echo "owners refuses what it should"
