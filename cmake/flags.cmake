# The flags of every target, carried by the interface library cairn_flags.
#
# Bits: -ffp-contract=off keeps a*b+c two roundings on machines with fused multiply-add; it goes to every compilation,
# the tests included, so that what a test computes is what the library computes. gcc 12 needs more: its vectorizer turns
# a*b-c, d*e+f into vfmaddsub whatever -ffp-contract says (test/house/fused.c shows it), so it stays off; the step is
# no slower without it.
add_library(cairn_flags INTERFACE)
target_compile_options(cairn_flags INTERFACE -ffp-contract=off -fno-fast-math -Wall -Wextra -Wshadow -Wconversion
	-Wvla $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>)
if(native)
	target_compile_options(cairn_flags INTERFACE -fno-semantic-interposition)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	target_compile_options(cairn_flags INTERFACE -fno-tree-vectorize)
endif()
if(CAIRN_WERROR)
	target_compile_options(cairn_flags INTERFACE -Werror)
endif()

set(cairn_no_undefined "LINKER:-z,defs")
if(CAIRN_SANITIZE)
	target_compile_options(cairn_flags INTERFACE -fsanitize=${CAIRN_SANITIZE} -fno-sanitize-recover=all
		-fno-omit-frame-pointer)
	target_link_options(cairn_flags INTERFACE -fsanitize=${CAIRN_SANITIZE})
	set(cairn_no_undefined "") # the sanitizers' runtime is linked into programs, not into shared libraries
endif()
