# WebAssembly by Debian's clang, wasm-ld and wasi-libc:
#   cmake -S . -B build/wasm -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/wasi.cmake
#
# "Generic" because CMake 3.25 does not know WASI; it means no shared libraries and no install rules for one.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(CMAKE_C_COMPILER NAMES clang clang-14 REQUIRED)
find_program(CMAKE_AR NAMES llvm-ar llvm-ar-14 REQUIRED)
find_program(CMAKE_RANLIB NAMES llvm-ranlib llvm-ranlib-14 REQUIRED)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# CMake repeats the compile flags when it links. With an -O among them clang 14 hands the result to wasm-opt wherever
# that happens to be installed, so the same source would give different programs: link with a rule that leaves them out.
set(CMAKE_C_LINK_EXECUTABLE
	"<CMAKE_C_COMPILER> --target=wasm32-wasi <CMAKE_C_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")

# A stack of 1 MiB, placed below the data, so that one that overflows traps instead of overwriting constants.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=1048576 -Wl,--stack-first")

# Programs run under Node, tests included.
find_program(CAIRN_NODE NAMES node nodejs)
if(CAIRN_NODE)
	set(CMAKE_CROSSCOMPILING_EMULATOR "${CAIRN_NODE};${CMAKE_CURRENT_LIST_DIR}/../test/wasm/run.mjs")
endif()
