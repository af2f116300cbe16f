# The headers that most sources include, compiled once for all targets that have the same compiler
# options. Only in a unity build: elsewhere each source shows that it includes what it needs.
set(common_headers <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional>
                   <random> <set> <span> <string> <string_view> <thread> <variant> <vector> <fmt/format.h>)
# The options of what nobody waits for.
set(quick_to_compile $<$<CONFIG:Release>:-Og>)

# virnucpro_headers(NAME OPTION…): common_headers for virnucpro_precompile(), in a target headers_NAME,
# whose one source is empty.
function(virnucpro_headers name)
  set(source ${CMAKE_BINARY_DIR}/headers_${name}.cpp)
  file(TOUCH ${source})
  add_library(headers_${name} OBJECT EXCLUDE_FROM_ALL ${source})
  # Without the time that clang keeps in them ccache knows equal ones.
  target_compile_options(headers_${name} PRIVATE ${ARGN}
                                                 "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  target_link_libraries(headers_${name} PRIVATE fmt::fmt virnucpro_compile)
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(headers_${name} PRIVATE ${common_headers})
  endif()
endfunction()

# virnucpro_precompile(TARGET NAME): lets TARGET use headers_NAME, which has the same options. For
# programs these would be -fPIE, if nothing said -fPIC.
function(virnucpro_precompile target name)
  if(CMAKE_UNITY_BUILD)
    target_compile_options(${target} PRIVATE -fPIC)
    target_precompile_headers(${target} REUSE_FROM headers_${name})
  endif()
endfunction()

virnucpro_headers(room)
virnucpro_headers(quick_room ${quick_to_compile})
