# `bench`: builds and runs every bench, one after the other. Nothing else runs them.
#
# bench/bench_*.c see the public header only; bench/kernel/bench_* time single parts and may include any header. Those in
# C++ compare with other engines and are built where these are installed (tools/setup.sh bench).
function(cairn_add_bench source)
	cmake_path(GET source STEM name)
	add_executable(${name} ${source})
	target_link_libraries(${name} PRIVATE cairn_static cairn_flags ${system_libraries} ${ARGN})
	set_property(GLOBAL APPEND PROPERTY cairn_benches ${name})
endfunction()

file(GLOB bench_sources CONFIGURE_DEPENDS bench/bench_*.c)
foreach(source ${bench_sources})
	cairn_add_bench(${source})
endforeach()

file(GLOB kernel_sources CONFIGURE_DEPENDS bench/kernel/bench_*.c)
foreach(source ${kernel_sources})
	cairn_add_bench(${source})
	cmake_path(GET source STEM name)
	target_include_directories(${name} PRIVATE src)
	target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L) # clocks of the thread
endforeach()

# Makes the files in bench/programs again.
add_executable(capture bench/kernel/capture.c)
target_include_directories(capture PRIVATE src)
target_compile_definitions(capture PRIVATE _POSIX_C_SOURCE=200809L)
target_link_libraries(capture PRIVATE cairn_static cairn_flags ${system_libraries})

include(CheckLanguage)
check_language(CXX)
find_package(PkgConfig QUIET)
if(CMAKE_CXX_COMPILER AND PkgConfig_FOUND)
	pkg_check_modules(ccd QUIET IMPORTED_TARGET ccd)
	pkg_check_modules(bullet QUIET IMPORTED_TARGET bullet)
endif()
if(ccd_FOUND AND bullet_FOUND)
	enable_language(CXX)
	cairn_add_bench(bench/kernel/bench_pairs.cpp PkgConfig::ccd PkgConfig::bullet)
	target_include_directories(bench_pairs PRIVATE src)
	cairn_add_bench(bench/kernel/bench_rays.cpp PkgConfig::bullet)
	target_include_directories(bench_rays PRIVATE src)
	cairn_add_bench(bench/kernel/bench_engines.cpp PkgConfig::bullet)
	target_compile_definitions(bench_engines PRIVATE CAIRN_SCENES="${PROJECT_SOURCE_DIR}/scenes")
endif()

# The exact programs beside Ipopt: `make oracle`. Optional and large, so neither `all` nor `bench` has it.
if(PkgConfig_FOUND)
	pkg_check_modules(ipopt QUIET IMPORTED_TARGET ipopt)
endif()
if(ipopt_FOUND)
	add_executable(oracle_ipopt EXCLUDE_FROM_ALL bench/kernel/oracle_ipopt.c)
	target_include_directories(oracle_ipopt PRIVATE src)
	target_compile_definitions(oracle_ipopt PRIVATE _POSIX_C_SOURCE=200809L)
	target_link_libraries(oracle_ipopt PRIVATE cairn_static cairn_flags ${system_libraries} PkgConfig::ipopt)
endif()

get_property(benches GLOBAL PROPERTY cairn_benches)
set(commands)
foreach(bench ${benches})
	list(APPEND commands COMMAND ${bench})
endforeach()
add_custom_target(bench ${commands} USES_TERMINAL VERBATIM)
