# The target one_type_kernels, built by `make check` with the preset cuda-check. It compiles each
# kernel for one element type, and the C++ that needs CUDA, and links nothing.
#
# A kernel for several types has one source per type: x_fp16_cuda.cu, x_bf16_cuda.cu. These may only
# differ in the type. The target compiles fp16's, or else the first of bf16 and fp32. A source with
# no type in its name (the row ops), or whose kernel has no other, is always compiled.
set(any_type "(cutlass::)?(fp16|bf16|fp32|half_t|__half|bfloat16_t|__nv_bfloat16|float)")
set(source_root ${CMAKE_SOURCE_DIR}/src)
file(GLOB_RECURSE kernels CONFIGURE_DEPENDS RELATIVE ${source_root} ${source_root}/*.cu)
set(other_types "/no_such_object") # a regular expression of the objects to leave out
foreach(type fp16 bf16 fp32)
  set(of_type ${kernels})
  list(FILTER of_type INCLUDE REGEX "_${type}[_.]")
  foreach(kernel ${of_type})
    string(REGEX REPLACE "_${type}([_.])" "\\1" family ${kernel})
    file(READ ${source_root}/${kernel} text)
    string(REGEX REPLACE "${any_type}" "TYPE" text "${text}")
    if(NOT DEFINED text_of_${family})
      set(text_of_${family} "${text}")
    elseif(text STREQUAL text_of_${family})
      string(APPEND other_types "|/${kernel}[.]o$")
    else()
      message(FATAL_ERROR "src/${kernel} differs in more than the type from the sources of other types: "
                          "give a kernel of its own a name of its own")
    endif()
  endforeach()
endforeach()

# Compiled as for their libraries and programs.
get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
set(objects)
foreach(target ${targets})
  get_target_property(kind ${target} TYPE)
  if(kind MATCHES "^(STATIC|OBJECT)_LIBRARY$")
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endif()
endforeach()
set(gpu_programs)
foreach(target gpu_engine faulty_worker bench_gpu_ops) # missing without BUILD_TESTING
  list(APPEND gpu_programs $<$<TARGET_EXISTS:${target}>:$<TARGET_OBJECTS:${target}>>)
endforeach()
# No backslashes in the expressions: DEPENDS turns them into slashes.
set(built_with_cuda "([.]cu|_cuda[.]cpp)[.]o$")
add_custom_target(
  one_type_kernels
  DEPENDS "$<FILTER:$<FILTER:${objects},INCLUDE,${built_with_cuda}>,EXCLUDE,${other_types}>"
          ${gpu_programs})
