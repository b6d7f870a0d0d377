# `bench`: builds and runs every bench, one after the other. Nothing else runs them.
get_property(benches GLOBAL PROPERTY cairn_benches)
set(commands)
foreach(bench ${benches})
	list(APPEND commands COMMAND ${bench})
endforeach()
add_custom_target(bench ${commands} USES_TERMINAL VERBATIM)
