# A room is a folder of src/ or measure/: a static library virnucpro_<room> of all its sources (an
# interface library if it has only headers).
# TALKS: it reads options, measures or reports, and does not compute.
# EXCEPT: a regular expression of sources that another target compiles.
# tools/check_includes.py checks the order of rooms.
function(virnucpro_room name)
  cmake_parse_arguments(ROOM "TALKS" "EXCEPT" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(VIRNUCPRO_HAS_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cu)
    # CMake 3.31 and newer would also join several of these.
    set_property(SOURCE ${cuda_sources} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND sources ${cuda_sources})
    list(FILTER sources EXCLUDE REGEX "_none\\.cpp$") # they replace CUDA in CPU builds
  else()
    list(FILTER sources EXCLUDE REGEX "_cuda\\.cpp$")
  endif()
  if(ROOM_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${ROOM_EXCEPT}")
  endif()
  if(NOT sources)
    add_library(virnucpro_${name} INTERFACE)
    target_include_directories(virnucpro_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(virnucpro_${name} INTERFACE ${ROOM_DEPENDS})
    return()
  endif()
  add_library(virnucpro_${name} STATIC ${sources})
  target_include_directories(virnucpro_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(virnucpro_${name} PUBLIC ${ROOM_DEPENDS} PRIVATE virnucpro_compile)
  # Code that nobody waits for compiles in two thirds of the time. What is shipped is no unity build.
  if(ROOM_TALKS AND CMAKE_UNITY_BUILD)
    target_compile_options(virnucpro_${name} PRIVATE ${quick_to_compile})
    # These rooms read no numbers in place from a file's bytes, and this costs a sixth of the time.
    if(VIRNUCPRO_SANITIZE MATCHES undefined)
      target_compile_options(virnucpro_${name} PRIVATE -fno-sanitize=alignment)
    endif()
    virnucpro_precompile(virnucpro_${name} quick_room)
  else()
    virnucpro_precompile(virnucpro_${name} room)
  endif()
  # CUDA's runtime comes from its archive, so that a GPU needs only its driver.
  if(VIRNUCPRO_HAS_CUDA AND cuda_sources)
    target_link_libraries(virnucpro_${name} PUBLIC CUDA::cudart_static)
  endif()
endfunction()
