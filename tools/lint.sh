#!/usr/bin/env bash
# Runs clang-format and clang-tidy on all sources; headers are checked through sources that include them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh lint
tools/check_format.sh
cmake --preset single -DBUILD_TESTING=ON
cmake --build --preset single --target commit_header
# g++ has warnings that clang does not know (cmake/compiler.cmake).
run-clang-tidy-14 -quiet -extra-arg=-Wno-unknown-warning-option -p build/single "$PWD/(src|measure|program|tests)/.*\.cpp$"
printf 'lint: clean\n'
