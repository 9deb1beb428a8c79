# ccache, where it is installed: the precompiled header needs these allowances.
option(RELAX_USE_CCACHE "Compile through ccache where it is installed" ON)
if(RELAX_USE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(RELAX_CCACHE ccache)
  if(RELAX_CCACHE)
    set(launcher ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${RELAX_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  endif()
endif()
