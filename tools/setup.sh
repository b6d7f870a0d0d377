#!/bin/sh
# Installs the Debian packages that are missing for what was asked: tools/setup.sh [build] [web] [render] [test] [lint]
# [bench]
#
# Silent and quick when nothing is missing: it looks for the files and commands themselves and calls apt only to
# install. Exit 5 when something is missing that it cannot install.
set -u
cd "$(dirname "$0")/.." || exit 5
llvm=14
packages=
missing=

has() { command -v "$1" >/dev/null 2>&1; }

# need PACKAGES COMMAND...: any one of the commands will do.
need()
{
	wanted=$1
	shift
	for command in "$@"; do
		has "$command" && return
	done
	packages="$packages $wanted"
	missing="$missing $1"
}

# need_file PACKAGE FILE...: any one of the files (a pattern that matched nothing is not a file).
need_file()
{
	wanted=$1
	shift
	for file in "$@"; do
		[ -e "$file" ] && return
	done
	packages="$packages $wanted"
	missing="$missing $wanted"
}

need_build()
{
	need "gcc libc6-dev" cc gcc
	need_file libc6-dev /usr/include/stdlib.h
	need make make
	need cmake cmake
	need ninja-build ninja
	need_file libpng-dev /usr/include/png.h
	need_file libexpat1-dev /usr/include/expat.h
}

# The pages: a bundler under Node, and the engine as WebAssembly.
need_web()
{
	need_build
	need "clang-$llvm clang" clang
	if has clang; then
		llvm=$(clang -dumpversion)
		llvm=${llvm%%.*}
	fi
	runtime=/usr/lib/llvm-$llvm/lib/clang
	need "lld-$llvm" wasm-ld "wasm-ld-$llvm"
	need "llvm-$llvm" llvm-ar "llvm-ar-$llvm"
	need_file "libclang-rt-$llvm-dev-wasm32" "$runtime"/*/lib/*/libclang_rt.builtins-wasm32.a
	need_file wasi-libc /usr/lib/wasm32-wasi/libc.a
	need nodejs node
	need npm npm
}

need_test()
{
	need_web
	need "gcc libc6-dev" gcc
	need g++ g++
	need_file "libclang-rt-$llvm-dev" "$runtime"/*/lib/*/libclang_rt.asan*.a
	need chromium chromium
	need_file fonts-dejavu-core /usr/share/fonts/*/*/*.[ot]tf # a browser without one has no text to lay out
	need pkgconf pkg-config pkgconf
	need_file libqhull-dev /usr/include/libqhull_r/qhull_ra.h
	need_render
	need ffmpeg ffmpeg
	# Models for cairn import, and who knows what they weigh.
	need_file libmujoco-dev /usr/include/mujoco/mujoco.h
	need_file libmujoco-samples /usr/share/mujoco/model
	need_file dart-doc /usr/share/doc/dart/data
	need blender blender # the add-on, and what it makes of our files
	# The Python package: Debian's own Python, whatever else is in the path.
	need_file python3 /usr/bin/python3
	need_file python3-numpy /usr/lib/python3/dist-packages/numpy
	need_file python3-pip /usr/lib/python3/dist-packages/pip
	need_file python3-setuptools /usr/lib/python3/dist-packages/setuptools
	need_file python3-wheel /usr/lib/python3/dist-packages/wheel
}

# OpenGL without a screen, for cairn render.
need_render()
{
	need_build
	need_file libegl1 /usr/lib/*/libEGL.so.1
	need_file libgl1-mesa-dri /usr/lib/*/dri/swrast_dri.so
}

# The engines that benches compare with.
need_bench()
{
	need_build
	need g++ g++
	need pkgconf pkg-config pkgconf
	need_file libccd-dev /usr/include/ccd/ccd.h
	need_file libbullet-dev /usr/include/bullet/btBulletCollisionCommon.h
	need_file libode-dev /usr/include/ode/ode.h
	need_file libmujoco-dev /usr/include/mujoco/mujoco.h
	need nodejs node
}

need_lint()
{
	need_build
	need clang-format clang-format
	need clang-tidy clang-tidy
	need cppcheck cppcheck
}

stop()
{
	echo "setup: missing:$missing" >&2
	echo "setup: $1" >&2
	echo "setup: on Debian 12 these packages bring them:$packages" >&2
	exit 5
}

install_packages()
{
	has apt-get && has dpkg || stop "this is not Debian: please install them by hand"
	as_root=
	if [ "$(id -u)" != 0 ]; then
		has sudo || stop "neither root nor sudo: please install them by hand"
		as_root=sudo
	fi
	echo "setup: installing$packages" >&2
	log=$(mktemp) || exit 5
	# shellcheck disable=SC2086 # a list of words
	$as_root apt-get -qq -o DPkg::Lock::Timeout=300 update >"$log" 2>&1 &&
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
			install --no-install-recommends $packages >>"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		rm -f "$log"
		stop "apt-get could not install them (its last words are above)"
	}
	rm -f "$log"
}

# The npm packages of a folder, exactly as locked, and again only when the lock changes.
npm_packages()
{
	[ -f "$1/package-lock.json" ] || return 0
	cmp -s "$1/package-lock.json" "$1/node_modules/.installed-lock" && return 0
	echo "setup: npm ci in $1" >&2
	log=$(mktemp) || exit 5
	if ! (cd "$1" && npm ci --no-audit --no-fund) >"$log" 2>&1; then
		tail -n 20 "$log" >&2
		rm -f "$log"
		echo "setup: npm could not install the packages of $1 (its last words are above)" >&2
		exit 5
	fi
	rm -f "$log"
	mkdir -p "$1/node_modules" && cp "$1/package-lock.json" "$1/node_modules/.installed-lock"
}

[ $# -gt 0 ] || set -- build
for group in "$@"; do
	case $group in
	build | web | render | test | lint | bench) "need_$group" ;;
	*)
		echo "setup: unknown group \"$group\": build, web, render, test, lint or bench" >&2
		exit 2
		;;
	esac
done
[ -z "$packages" ] || install_packages
for group in "$@"; do
	case $group in
	web) npm_packages web ;;
	test)
		npm_packages test/clients
		npm_packages test/web
		;;
	esac
done
exit 0
