# The scenes that travel inside the tool: scenes/** turned into one C file by a small program of this build.
function(cairn_bundle out_source)
	file(GLOB_RECURSE scene_files CONFIGURE_DEPENDS LIST_DIRECTORIES false scenes/*)
	add_executable(cairn_embed tools/embed.c)
	target_link_libraries(cairn_embed PRIVATE cairn_flags)
	set(source ${CMAKE_CURRENT_BINARY_DIR}/bundle.c)
	add_custom_command(OUTPUT ${source}
		COMMAND cairn_embed ${source} ${PROJECT_SOURCE_DIR}/scenes ${scene_files}
		DEPENDS cairn_embed ${scene_files} VERBATIM)
	set(${out_source} ${source} PARENT_SCOPE)
endfunction()
