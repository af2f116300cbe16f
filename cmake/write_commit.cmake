# cmake -D SOURCE=FOLDER -D HEADER=FILE -P write_commit.cmake: writes a header with the commit, and
# a + if files differ from it. An unchanged header is not rewritten.
cmake_minimum_required(VERSION 3.25)
set(ENV{GIT_CEILING_DIRECTORIES} "${SOURCE}/..") # do not use a checkout around the sources
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --exclude=* --dirty=+ --abbrev=10
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit MATCHES "^[0-9a-f]+[+]?$") # a folder of sources, but no checkout
  file(READ "${SOURCE}/cmake/archived_commit.txt" archived)
  if(archived MATCHES "^([0-9a-f]+)([+]?)") # no archive has $Format there
    string(SUBSTRING "${CMAKE_MATCH_1}" 0 10 commit)
    string(APPEND commit "${CMAKE_MATCH_2}")
  else()
    set(commit unknown)
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#pragma once\n#define VIRNUCPRO_COMMIT \"${commit}\"\n")
