# How the device code of the room ops is compiled: src/ops/hopper always for compute capability 9.0
# only. Without NDEBUG, CUTLASS's device asserts make ptxas serialise wgmma.
add_library(virnucpro_cutlass INTERFACE)
target_include_directories(virnucpro_cutlass SYSTEM INTERFACE ${CUTLASS_INCLUDE_DIR}
                                                              ${CUTLASS_INCLUDE_DIR}/../tools/util/include)
target_compile_options(
  virnucpro_cutlass
  INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr> $<$<COMPILE_LANGUAGE:CUDA>:-diag-suppress=2908>)
target_compile_definitions(virnucpro_cutlass INTERFACE NDEBUG)

file(GLOB hopper_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/ops/hopper/*.cu)
set_property(SOURCE ${hopper_sources} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
add_library(virnucpro_hopper OBJECT ${hopper_sources})
set(hopper_launcher ${CMAKE_SOURCE_DIR}/cmake/checked_nvcc.sh ${CMAKE_CUDA_COMPILER_LAUNCHER})
set_target_properties(virnucpro_hopper PROPERTIES CUDA_ARCHITECTURES 90a-real CUDA_COMPILER_LAUNCHER
                                                                              "${hopper_launcher}")
target_link_libraries(virnucpro_hopper PRIVATE virnucpro_tensor virnucpro_cutlass virnucpro_compile)
target_sources(virnucpro_ops PRIVATE $<TARGET_OBJECTS:virnucpro_hopper>)
target_link_libraries(virnucpro_ops PRIVATE virnucpro_cutlass)
