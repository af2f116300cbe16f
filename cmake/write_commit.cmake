# cmake -D SOURCE=FOLDER -D HEADER=FILE -P write_commit.cmake: the commit that is built, with a + where
# files differ from it, as a header that changes only when that does.
cmake_minimum_required(VERSION 3.25)
set(ENV{GIT_CEILING_DIRECTORIES} "${SOURCE}/..") # a checkout around the sources is another's
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --exclude=* --dirty=+ --abbrev=10
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit MATCHES "^[0-9a-f]+[+]?$") # no checkout, but a folder of sources
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#pragma once\n#define VIRNUCPRO_COMMIT \"${commit}\"\n")
