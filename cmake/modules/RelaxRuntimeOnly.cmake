# RELAX_RUNTIME_ONLY: what runs artifacts and nothing of what makes them. cmake/toolchains has toolchains for it.
include(GNUInstallDirs)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

add_subdirectory(lib/Runtime)
install(TARGETS relax_runtime LIBRARY DESTINATION lib)
install(FILES include/RelaxDialect/Runtime/Runtime.h DESTINATION include/RelaxDialect/Runtime)

find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  add_subdirectory(tools/relax-run)
else()
  message(STATUS "relax-run: off, zlib is not there")
endif()
