# What `make install` puts where: header, libraries, pkg-config file, CMake package, the tool with its man page and
# completions (written by the tool itself, from its option table), scenes and docs. Nothing installed names the build
# folder or the prefix, so it can be moved and staged by DESTDIR.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)

install(FILES include/cairn/cairn.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cairn)
install(TARGETS cairn_static EXPORT cairn ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(CAIRN_SHARED)
	install(TARGETS cairn_shared EXPORT cairn LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

install(EXPORT cairn NAMESPACE cairn:: FILE cairn-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/cairn-config.cmake.in cairn-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break what a program relies on.
write_basic_package_version_file(cairn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairn-config.cmake ${PROJECT_BINARY_DIR}/cairn-config-version.cmake
	DESTINATION ${package_dir})

# The prefix as seen from the pkg-config file.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
	OUTPUT_VARIABLE pc_prefix)
set(pc_private -lm)
if(CMAKE_THREAD_LIBS_INIT)
	string(APPEND pc_private " ${CMAKE_THREAD_LIBS_INIT}")
endif()
configure_file(cmake/cairn.pc.in cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn)
install(FILES ${CAIRN_WEB}/live.html DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn OPTIONAL) # where make web was run
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(NOT TARGET cairn)
	return()
endif()
install(TARGETS cairn cairn-certify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(written)
# cairn_written(FILE FOLDER ARGUMENT...): a file that the tool prints when called with the arguments
function(cairn_written file folder)
	set(path ${PROJECT_BINARY_DIR}/share/${file})
	add_custom_command(OUTPUT ${path} DEPENDS cairn
		COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/share
		COMMAND cairn ${ARGN} > ${path})
	install(FILES ${path} DESTINATION ${folder})
	set(written ${written} ${path} PARENT_SCOPE)
endfunction()
cairn_written(cairn.1 ${CMAKE_INSTALL_MANDIR}/man1 help --man)
cairn_written(cairn ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
cairn_written(_cairn ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
cairn_written(cairn.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
add_custom_target(cairn_share ALL DEPENDS ${written})
