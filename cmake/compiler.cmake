# Language level, warnings, sanitizers, ccache: what every target is compiled with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The presets build in different folders of one checkout: paths are made relative to it, so that
  # what does not differ between presets is compiled once.
  set(ccache_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
                      ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${ccache_launcher})
endif()

# The build type of the sanitizers' presets. Their checks are code: at -Og it is a quarter of what it
# is at -O2, and the stacks they print still name every line.
set(CMAKE_CXX_FLAGS_SANITIZE "-Og -g1 -DNDEBUG" CACHE STRING "")
set(CMAKE_C_FLAGS_SANITIZE "-Og -g1 -DNDEBUG" CACHE STRING "")

add_library(virnucpro_compile INTERFACE)
target_compile_options(
  virnucpro_compile
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Werror>)
# Several sources in one (CMAKE_UNITY_BUILD) have types with members of unnamed namespaces that look
# to GCC as if they stood in a header.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(virnucpro_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
# No contraction of a*b+c behind our back: the bits of a result may not depend on the optimiser.
target_compile_options(virnucpro_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)

if(VIRNUCPRO_SANITIZE)
  target_compile_options(
    virnucpro_compile INTERFACE -fsanitize=${VIRNUCPRO_SANITIZE} -fno-sanitize-recover=all
                                -fno-omit-frame-pointer)
  target_link_options(virnucpro_compile INTERFACE -fsanitize=${VIRNUCPRO_SANITIZE})
endif()
if(VIRNUCPRO_FUZZ)
  target_compile_options(virnucpro_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()
