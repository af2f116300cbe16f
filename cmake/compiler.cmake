# What every target is compiled with: language level, warnings, sanitizers, ccache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The presets build in different folders of one checkout. Paths relative to it let ccache share
  # what does not differ between presets. The sloppiness is what precompiled headers need.
  set(ccache_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
                      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1 ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${ccache_launcher})
endif()

# The build type of the sanitizer presets: printed stacks name every line. What their tests run most
# is optimised (src/CMakeLists.txt). Not in the cache, where project() has put empty ones.
set(CMAKE_CXX_FLAGS_SANITIZE "-O0 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_SANITIZE ${CMAKE_CXX_FLAGS_SANITIZE})

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
# A unity build (CMAKE_UNITY_BUILD) joins sources. Types with members of unnamed namespaces then
# look to GCC as if they were in a header.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(virnucpro_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
# g++ 12 finds overlapping copies in `"literal" + std::string`, where there are none (GCC bug 105651,
# mended in 13). It was seen only where sources are compiled one by one; unity builds keep the warning.
if(NOT CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(virnucpro_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# No contraction of a*b+c: the bits of a result must not depend on the optimiser.
target_compile_options(virnucpro_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)

if(VIRNUCPRO_SANITIZE)
  target_compile_options(
    virnucpro_compile INTERFACE -fsanitize=${VIRNUCPRO_SANITIZE} -fno-sanitize-recover=all
                                $<$<BOOL:$<TARGET_PROPERTY:VIRNUCPRO_ONLY_TESTS>>:-fno-sanitize=undefined>
                                -fno-omit-frame-pointer)
  # Found by AddressSanitizer, too; these three make up half of what UBSan costs to compile.
  if(VIRNUCPRO_SANITIZE MATCHES undefined)
    target_compile_options(virnucpro_compile INTERFACE -fno-sanitize=null,object-size,vptr)
  endif()
  # g++ and clang have different macros for it.
  target_compile_definitions(virnucpro_compile INTERFACE VIRNUCPRO_SANITIZED)
  if(VIRNUCPRO_SANITIZE MATCHES thread)
    target_compile_definitions(virnucpro_compile INTERFACE VIRNUCPRO_SANITIZES_THREADS)
  endif()
  target_link_options(virnucpro_compile INTERFACE -fsanitize=${VIRNUCPRO_SANITIZE})
endif()
if(VIRNUCPRO_FUZZ)
  target_compile_options(virnucpro_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()
