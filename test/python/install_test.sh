#!/bin/sh
# The package as pip installs it, into a folder of its own and without a network: install_test.sh PYTHON ROOT LIBRARY
#
# The library is the one given, so that nothing is compiled twice; what is built is the wheel, and it carries its own copy.
set -eu
python=$1
root=$2
library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/python" "$work/python" # pip leaves its work beside what it builds
rm -rf "$work/python/build" "$work/python"/*.egg-info
CAIRN_LIBRARY=$library "$python" -m pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-index --no-deps \
	--wheel-dir "$work/wheels" "$work/python"
for wheel in "$work"/wheels/*.whl; do
	case $wheel in
	*none-any*) echo "$wheel holds machine code and says it is of any platform"; exit 1 ;;
	esac
	"$python" -m pip --disable-pip-version-check install --quiet --no-index --no-deps --target "$work/site" "$wheel"
done
[ -f "$work/site/cairn/libcairn.so" ] && [ -f "$work/site/cairn/py.typed" ]
cd "$work"
unset CAIRN_LIBRARY
export PYTHONPATH="$work/site"
# The ten lines of docs/python.md.
awk '$0 == "```" {inside = 0} inside {print} $0 == "```python" && !seen {inside = 1; seen = 1}' "$root/docs/python.md" >ten.py
[ "$(wc -l <ten.py)" -le 10 ] || { echo "the first program of docs/python.md has more than ten lines"; exit 1; }
"$python" -c "$(cat ten.py)"
"$python" -c 'import cairn; assert cairn.__file__.startswith("'"$work"'"), cairn.__file__'
