# Every option of the build, in one place.
option(RELAX_ENABLE_PCH "Precompile the MLIR headers that every library uses" ON)
option(RELAX_ENABLE_TESTS "Build the tests" ON)
option(RELAX_ENABLE_FUZZERS "Build the libFuzzer programs of fuzz/ (clang only)" OFF)

# sizeof(mlir::Pass::Statistic) and others depend on NDEBUG: follow the LLVM that is used, not the build type.
if(LLVM_ENABLE_ASSERTIONS)
  add_compile_options(-UNDEBUG)
else()
  add_compile_definitions(NDEBUG)
endif()
set(LLVM_ENABLE_WARNINGS ON)

# Only our files are instrumented. LLVM's allocators poison memory that the uninstrumented libMLIR.so then uses:
# run with ASAN_OPTIONS=allow_user_poisoning=0:allocator_may_return_null=1 (tests ask for more than there is).
option(RELAX_SANITIZE "Address and undefined behaviour sanitizers" OFF)
set(RELAX_SANITIZER_PRELOAD "")
if(RELAX_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer -g1 -shared-libasan)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr,function -shared-libasan)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                  OUTPUT_VARIABLE RELAX_SANITIZER_PRELOAD OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(sanitizer_dir ${RELAX_SANITIZER_PRELOAD} DIRECTORY)
  add_link_options(-Wl,-rpath,${sanitizer_dir})
endif()

# The project's own environment (utils/setup.sh makes it) carries lit, numpy and the others.
find_program(RELAX_PYTHON python3 PATHS ${PROJECT_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH
             DOC "Python with the packages of utils/requirements.txt")
find_program(RELAX_PYTHON python3 REQUIRED)
