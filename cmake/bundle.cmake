# The files that travel inside the tool, turned into C by a small program of this build: scenes/** (bundle_files), and the
# pages that `make web` builds into CAIRN_WEB (page_files), where it has: without them the tool works, but writes no pages.

# cairn_embed_files(OUT NAME ROOT FILE...)
function(cairn_embed_files out name root)
	set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
	add_custom_command(OUTPUT ${source}
		COMMAND cairn_embed ${source} ${name} ${root} ${ARGN}
		DEPENDS cairn_embed ${ARGN} VERBATIM)
	set(${out} ${source} PARENT_SCOPE)
endfunction()

function(cairn_bundle out_sources)
	add_executable(cairn_embed tools/embed.c)
	target_link_libraries(cairn_embed PRIVATE cairn_flags)
	file(GLOB_RECURSE scene_files CONFIGURE_DEPENDS LIST_DIRECTORIES false scenes/*)
	file(GLOB page_files CONFIGURE_DEPENDS LIST_DIRECTORIES false ${CAIRN_WEB}/player.html
		${CAIRN_WEB}/engine.wasm.gz ${CAIRN_WEB}/gallery.bin
		${CAIRN_WEB}/report.js ${CAIRN_WEB}/report.css)
	cairn_embed_files(bundle_source bundle ${PROJECT_SOURCE_DIR}/scenes ${scene_files})
	cairn_embed_files(page_source page ${CAIRN_WEB} ${page_files})
	set(${out_sources} ${bundle_source} ${page_source} PARENT_SCOPE)
endfunction()
