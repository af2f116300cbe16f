# The libraries that the program needs; tools/setup.sh has their names in Debian 12.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost 1.74 REQUIRED) # headers only: quantiles of distributions, of Boost.Math
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(HTSLIB REQUIRED IMPORTED_TARGET htslib)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(CURL REQUIRED libcurl)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
# The part of ncurses that describes terminals, without its windows.
find_library(TINFO_LIBRARY NAMES tinfo ncursesw REQUIRED)

# Debian's shared HDF5 includes a driver for S3 buckets, which needs curl, OpenSSL, Kerberos and
# LDAP: thirty libraries to load at every start and to ship in every package. From the archive only
# the called parts are linked.
find_library(HDF5_ARCHIVE NAMES libhdf5_serial.a libhdf5.a HINTS ${HDF5_LIBRARY_DIRS})
find_library(SZIP_LIBRARY sz)
find_library(ZLIB_LIBRARY z)
add_library(virnucpro_hdf5 INTERFACE)
if(HDF5_ARCHIVE AND SZIP_LIBRARY AND ZLIB_LIBRARY)
  target_link_libraries(virnucpro_hdf5 INTERFACE ${HDF5_ARCHIVE} ${SZIP_LIBRARY} ${ZLIB_LIBRARY} m dl)
  target_include_directories(virnucpro_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
else()
  target_link_libraries(virnucpro_hdf5 INTERFACE PkgConfig::HDF5)
endif()

# Debian's CMake package of oneDNN requires OpenCL headers, which the CPU API does not need.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
add_library(virnucpro_dnnl INTERFACE)
target_link_libraries(virnucpro_dnnl INTERFACE ${DNNL_LIBRARY})
target_include_directories(virnucpro_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})

set(VIRNUCPRO_HAS_CUDA OFF)
if(VIRNUCPRO_CUDA)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE) # nvcc may be new since this folder was first configured
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # 9.0 has its own code; other devices from 8.0 on run or compile that of 8.0.
    set(CMAKE_CUDA_ARCHITECTURES 80;90a-real CACHE STRING "")
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    # CMake 3.25 does not know that nvcc supports C++20, nor the flag for it.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    # CMake 3.25.1 expects this library, which CUDA 13 no longer has. Nothing is linked with it.
    if(NOT TARGET CUDA::nvToolsExt)
      add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
    endif()
    find_package(CUDAToolkit REQUIRED)
    find_path(CUTLASS_INCLUDE_DIR cutlass/cutlass.h
              HINTS ${CMAKE_SOURCE_DIR}/.cutlass/cutlass_library/source/include
              DOC "CUTLASS 4.2's headers")
    if(NOT CUTLASS_INCLUDE_DIR)
      message(FATAL_ERROR "CUTLASS's headers are not there: run tools/setup.sh cuda")
    endif()
    set(VIRNUCPRO_HAS_CUDA ON)
  elseif(VIRNUCPRO_CUDA STREQUAL "AUTO")
    message(STATUS "nvcc not found: building the CPU program only")
  else()
    message(FATAL_ERROR "VIRNUCPRO_CUDA=ON, but no CUDA compiler was found")
  endif()
endif()
