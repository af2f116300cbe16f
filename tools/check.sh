#!/usr/bin/env bash
# Every test that needs no GPU, from a bare checkout; what `make check` and CI run. The cheap checks
# come first. A failed test does not stop the others; the last line counts them all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)
failed=0

step() { printf '\n== %s (%d min %d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

# build PRESET TARGET…
build() {
  local preset=$1
  shift
  step "$preset: building $*"
  cmake --preset "$preset" -DBUILD_TESTING=ON --log-level=WARNING
  cmake --build --preset "$preset" --parallel "$jobs" --target "$@"
  rm -rf "build/$preset/pytest" "build/$preset"/ctest-*.xml
}

# run_tests PRESET NAME CTEST-ARGUMENT…: into the preset's count.
run_tests() {
  local preset=$1 name=$2
  shift 2
  step "$preset: testing $name"
  ctest --preset "$preset" "$@" --parallel "$jobs" --no-tests=error --output-on-failure \
    --output-junit "ctest-$name.xml" || failed=1
}

step 'set-up'
tools/setup.sh check
step 'sources'
/usr/bin/python3 -m unittest discover --start-directory tools --pattern '*_test.py'
/usr/bin/python3 tools/check_includes.py
tools/check_format.sh

build cpu all bench_programs
run_tests cpu unit -L 'unit|fuzz'
run_tests cpu program -L '^(cli|oracle|hostile|crash)$'

build asan unit_tests fuzz_targets
run_tests asan unit -L 'unit|fuzz'

# The limits of queues and batches may change no byte: the whole suite again, and the tables of this
# build beside those of the cpu build.
build tiny all
run_tests tiny unit -L 'unit|fuzz'
VIRNUCPRO_BIN_REFERENCE=$PWD/build/cpu/bin/virnucpro \
  run_tests tiny program -L '^(cli|oracle|hostile|crash)$'

build tsan threaded_unit_tests
run_tests tsan unit -L 'unit.(base|observe|sequence|engine|run)'

step 'package'
{ tools/package.sh && tools/test_package.sh; } || failed=1

if tools/has_nvcc.sh; then
  step 'cuda: building the device code'
  tools/setup.sh cuda
  cmake --preset cuda -DBUILD_TESTING=ON --log-level=WARNING
  cmake --build --preset cuda --parallel "$jobs" --target virnucpro gpu_tests bench_engine bench_gpu_ops
else
  step 'cuda: not built, nvcc was not found on PATH, nor in CUDACXX'
fi

step 'count'
/usr/bin/python3 tools/count_tests.py build/cpu build/asan build/tiny build/tsan
exit "$failed"
