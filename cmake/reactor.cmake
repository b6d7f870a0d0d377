# cairn.wasm: the library as a module without a main, for web pages. It exports every function of the public header,
# malloc and free; a struct that a function returns is written where its first argument points.
file(STRINGS include/cairn/cairn.h declarations REGEX "^CAIRN_API ")
set(exports -Wl,--strip-all,--export=malloc,--export=free)
foreach(declaration ${declarations})
	if(declaration MATCHES "(cairn_[a-z0-9_]+)[(]")
		string(APPEND exports ",--export=${CMAKE_MATCH_1}")
	endif()
endforeach()
add_executable(cairn_wasm $<TARGET_OBJECTS:cairn_objects>)
set_target_properties(cairn_wasm PROPERTIES OUTPUT_NAME cairn SUFFIX .wasm LINKER_LANGUAGE C)
target_link_options(cairn_wasm PRIVATE -mexec-model=reactor ${exports})
target_link_libraries(cairn_wasm PRIVATE m)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/cairn/cairn.h)

# The same with the calls of the live page (web/live.c): what `make web` puts into its pages. It exports those alone.
add_executable(cairn_live EXCLUDE_FROM_ALL $<TARGET_OBJECTS:cairn_objects> web/live.c cli/view_scene.c cli/rods.c
               cli/json.c)
set_target_properties(cairn_live PROPERTIES OUTPUT_NAME cairn_live SUFFIX .wasm LINKER_LANGUAGE C)
set_source_files_properties(web/live.c PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes) # nobody calls it from C
target_include_directories(cairn_live PRIVATE include cli)
target_link_options(cairn_live PRIVATE -mexec-model=reactor -Wl,--strip-all,--export=malloc,--export=free)
target_link_libraries(cairn_live PRIVATE cairn_flags m)
