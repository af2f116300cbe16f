#!/usr/bin/env bash
# Fails, naming the lines, if a source's layout differs from .clang-format.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

git ls-files -z -- '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 -r clang-format --dry-run -Werror || {
  printf 'format: run make format\n' >&2
  exit 1
}
printf 'format: clean\n'
