# Programs of `make attack` (docs/attack.md). Not part of `all`.
foreach(program starve soak)
	add_executable(${program} EXCLUDE_FROM_ALL test/attack/${program}.c)
	target_include_directories(${program} PRIVATE src)
	target_link_libraries(${program} PRIVATE cairn_static cairn_flags ${system_libraries})
endforeach()
