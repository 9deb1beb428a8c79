# Every option of the build, in one place.
option(RELAX_ENABLE_PCH "Precompile the MLIR headers that every library uses" ON)
option(RELAX_ENABLE_TESTS "Build the tests" ON)

# sizeof(mlir::Pass::Statistic) and others depend on NDEBUG: follow the LLVM that is used, not the build type.
if(LLVM_ENABLE_ASSERTIONS)
  add_compile_options(-UNDEBUG)
else()
  add_compile_definitions(NDEBUG)
endif()
set(LLVM_ENABLE_WARNINGS ON)
