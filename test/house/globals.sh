#!/bin/sh
# No globals: no object file of the static library has a byte of writable data. globals.sh LIBRARY.a
set -u
readelf -SW "$1" | awk '
	/^File:/ {file = $2; ++files}
	{sub(/^ *\[ *[0-9]+\] */, "")}
	$1 ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && $1 !~ /^\.data\.rel\.ro/ && $5 !~ /^0+$/ {
		print file ": " $1 " holds 0x" $5 " bytes"
		bad = 1
	}
	END {
		if (!files) {
			print "no object files"
			bad = 1
		}
		printf "%d object files\n", files
		exit bad
	}'
