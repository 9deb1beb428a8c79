# What `cmake --install` puts in place: headers (written and generated) and .td files, libRelaxDialect.so,
# librelax_runtime.so, and the CMake package RelaxDialect with the targets Relax::RelaxDialect and Relax::Runtime.
# Each tool installs itself.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(RELAX_PACKAGE_DIR lib/cmake/RelaxDialect)

target_include_directories(RelaxDialect INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:include>)
set_target_properties(relax_runtime PROPERTIES EXPORT_NAME Runtime)

install(TARGETS RelaxDialect relax_runtime EXPORT RelaxDialectTargets LIBRARY DESTINATION lib)
install(EXPORT RelaxDialectTargets NAMESPACE Relax:: DESTINATION ${RELAX_PACKAGE_DIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/RelaxDialect ${PROJECT_SOURCE_DIR}/include/RelaxDialect-c
  ${PROJECT_BINARY_DIR}/include/RelaxDialect
  DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td"
  PATTERN "CMakeFiles" EXCLUDE)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/modules/RelaxDialectConfig.cmake.in ${PROJECT_BINARY_DIR}/RelaxDialectConfig.cmake
  INSTALL_DESTINATION ${RELAX_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RelaxDialectConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RelaxDialectConfig.cmake ${PROJECT_BINARY_DIR}/RelaxDialectConfigVersion.cmake
  DESTINATION ${RELAX_PACKAGE_DIR})
