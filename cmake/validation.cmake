# validate: measures the scenes of scenes/validation. Not part of `all`.
file(GLOB validation_sources CONFIGURE_DEPENDS test/validation/*.c)
add_executable(validate EXCLUDE_FROM_ALL ${validation_sources})
target_include_directories(validate PRIVATE src)
target_compile_definitions(validate PRIVATE TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(validate PRIVATE cairn_static cairn_flags ${system_libraries})
