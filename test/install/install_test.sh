#!/bin/sh
# Installs into a staging folder, moves the result elsewhere, and builds programs against it by pkg-config and by the
# CMake package, in C and C++, shared and static: install_test.sh SOURCE BUILD VERSION
set -eu
source=$1
build=$2
version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL CMAKE_FLAGS DESTDIR PKG_CONFIG_PATH LD_LIBRARY_PATH || true

fail()
{
	echo "install: $*"
	exit 1
}

make -C "$source" install BUILD="$build" DESTDIR="$work/stage" PREFIX=/opt/cairn >"$work/log" 2>&1 || {
	cat "$work/log"
	fail "make install failed"
}
[ "$(ls "$work/stage")" = opt ] || fail "files outside the prefix: $(ls "$work/stage")"
mv "$work/stage/opt/cairn" "$work/moved"
cd "$work/moved"

for file in include/cairn/cairn.h lib/libcairn.a lib/libcairn.so lib/libcairn.so.0.1 "lib/libcairn.so.$version" \
	lib/pkgconfig/cairn.pc lib/cmake/cairn/cairn-config.cmake bin/cairn share/man/man1/cairn.1 \
	share/bash-completion/completions/cairn share/zsh/site-functions/_cairn \
	share/fish/vendor_completions.d/cairn.fish share/cairn/scenes share/cairn/live.html share/doc/cairn/LICENSE; do
	[ -s "$file" ] || fail "no $file"
done
bin/cairn --version | grep -qF "$version" || fail "bin/cairn --version does not say $version"
if grep -rIlF -e "$work/stage" -e "$build" . >"$work/names"; then
	fail "these files name the build or staging folder: $(cat "$work/names")"
fi

export PKG_CONFIG_PATH="$work/moved/lib/pkgconfig" LD_LIBRARY_PATH="$work/moved/lib"
[ "$(pkg-config --modversion cairn)" = "$version" ] || fail "pkg-config says another version"
consumer=$source/test/install/consumer.c
flags="-Wall -Wextra -Werror -pedantic"
# shellcheck disable=SC2046,SC2086 # lists of words
{
	cc -std=c17 $flags "$consumer" $(pkg-config --cflags --libs cairn) -o "$work/pc_c"
	c++ -std=c++17 $flags -x c++ "$consumer" -x none $(pkg-config --cflags --libs cairn) -o "$work/pc_cpp"
	cc -std=c17 $flags "$consumer" $(pkg-config --cflags cairn) lib/libcairn.a -lm -pthread -o "$work/pc_static"
}
cmake -S "$source/test/install" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log" 2>&1 &&
	cmake --build "$work/cmake" >>"$work/log" 2>&1 || {
	cat "$work/log"
	fail "find_package failed"
}
for program in "$work/pc_c" "$work/pc_cpp" "$work/pc_static" "$work/cmake/c_cairn" "$work/cmake/cpp_cairn" \
	"$work/cmake/c_static" "$work/cmake/cpp_static"; do
	[ "$("$program")" = "cairn $version, frame 1" ] || fail "$program does not run as it should"
done
ldd "$work/pc_c" | grep -q "libcairn.so.0.1 => $work/moved/lib" || fail "the shared library was not used"
if ldd "$work/pc_static" | grep -q libcairn; then
	fail "the static program needs the shared library"
fi
echo "installed, moved, and used by seven programs"
