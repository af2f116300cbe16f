#!/usr/bin/env bash
# Prints the version of the program, from where it is written: the first lines of CMakeLists.txt.
set -euo pipefail
version=$(sed -n 's/^project(virnucpro VERSION \([0-9.]*\).*/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../CMakeLists.txt")
[ -n "$version" ] || {
  printf 'version: CMakeLists.txt names none\n' >&2
  exit 1
}
printf '%s\n' "$version"
