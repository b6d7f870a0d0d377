# worlds: random worlds, looked at from outside (docs/worlds.md). Not part of `all`.
file(GLOB worlds_sources CONFIGURE_DEPENDS test/worlds/*.c)
add_executable(worlds EXCLUDE_FROM_ALL ${worlds_sources})
target_link_libraries(worlds PRIVATE cairn_static cairn_flags ${system_libraries})
