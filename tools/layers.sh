#!/bin/sh
# Reads every #include and fails when one points up or sideways: tools/layers.sh [ROOT]
#
# What each folder may see, beside itself and the public header. Whatever is not written here is not allowed: record
# and io reach the world through the public header only, and the tool, the benches and the examples see nothing else.
# The independent check (src/check) sees nothing of src/geom but shape.h, and only certificates see it; a world may hold
# one (check/frame.h).
# Tests, fuzz targets and bench/kernel, which time and try single parts, may include any header and are not read.
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2
exec awk '
BEGIN {
	see["src/base"] = ""
	see["src/num"] = "base"
	see["src/geom"] = "base"
	see["src/check"] = "base geom"
	see["src/scene"] = "base geom"
	see["src/world"] = "base geom check scene"
	see["src/step"] = "base num geom check scene world"
	see["src/method"] = "base num geom scene world step"
	see["src/plan"] = "base num geom scene"
	see["src/record"] = "base scene"
	see["src/io"] = "base scene record"
	see["src/certify"] = "base geom check scene record"
	see["include/cairn"] = see["cli"] = see["cli/alone"] = see["bench"] = see["bench/peers"] = see["examples"] = ""
	while (("find include src cli bench examples -path bench/kernel -prune -o \\( -name \"*.[ch]\" -o -name \"*.cpp\" \\) -print 2>/dev/null | LC_ALL=C sort" | getline file) > 0)
		read_file(file)
	if (!files) {
		print "layers: no source files found"
		bad = 1
	}
	printf "layers: %d files, %d includes, %d wrong\n", files, includes, wrong
	exit wrong || bad
}

function read_file(file,   folder, line, number, target) {
	folder = file
	sub("/[^/]*$", "", folder)
	if (folder ~ /^src\/[^\/]*\//) # a room inside a layer is of that layer
		folder = "src/" layer_of(substr(folder, 5))
	++files
	if (!(folder in see)) {
		complain(file, 0, "lies in a folder that has no layer")
		return
	}
	while ((getline line < file) > 0) {
		++number
		if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/)
			continue
		++includes
		target = line
		sub(/^[^"]*"/, "", target)
		sub(/".*$/, "", target)
		if (!allowed(folder, target) || !independent(file, target))
			complain(file, number, "may not include \"" target "\"")
	}
	close(file)
}

function allowed(folder, target,   layer, own) {
	if (target ~ /(^|\/)\.\.?\//)
		return 0
	if (folder == "include/cairn")
		return 0
	if (target == "cairn/cairn.h")
		return 1
	if (folder !~ /^src\//)
		return target !~ /\//
	if (target !~ /\//)
		return 0
	layer = layer_of(target)
	own = substr(folder, 5)
	return layer == own || index(" " see[folder] " ", " " layer " ") > 0
}

function layer_of(path) {
	sub("/.*$", "", path)
	return path
}

function independent(file, target) {
	if (file ~ /^src\/check\//)
		return target == "geom/shape.h" || target !~ /^geom\//
	if (target !~ /^check\// || file ~ /^src\/certify\// || file == "src/step/frame/certify.c")
		return 1
	return file ~ /^src\/world\// && target == "check/frame.h"
}

function complain(file, number, text) {
	++wrong
	print file (number ? ":" number : "") ": " text
}
'
