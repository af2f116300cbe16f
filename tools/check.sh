#!/usr/bin/env bash
# Run by `make check` and CI: every kind of test that needs no GPU, from a bare checkout, in
# 15 minutes of two cores with an empty ccache. Cheap checks come first. tools/check_full.sh is
# the long matrix; docs/develop/testing.md lists what only that covers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/steps.sh
source tools/steps.sh

# Counts the tests that ran, also after a failed step.
finish() {
  local status=$?
  local folders=(build/results/*/)
  trap - EXIT
  [ "$status" -eq 0 ] || printf '\ncheck: failed: %s\n' "$step_name"
  print_times
  [ -d "${folders[0]}" ] || exit 1
  /usr/bin/python3 tools/count_tests.py "${folders[@]}" || failed=1
  [ "$status" -eq 0 ] || failed=1
  exit "$failed"
}
trap finish EXIT

rm -rf build/results
step 'set-up'
tools/setup.sh check
check_sources

# Builds the program at -O3, as shipped. Tests exact results, and that the limits of queues and batches
# change no byte.
build cpu virnucpro virnucpro_docs virnucpro_tiny oracle_tools io_shim run_shim computing_unit_tests bench_programs
run_tests cpu cpu -L '^(cli|oracle|hostile|crash|unit\.computing|tiny\.check)$'

build asan unit_tests fuzz_targets
# Leaves out tests of numbers and of peaks of memory, which ran at -O3 and would take minutes here.
GTEST_FILTER='-Esm2In8Bits.IsClose:Esm2In8Bits.CorrectedBiases*:WorkerPools.Keep*' \
  run_tests asan asan -L '^(unit|fuzz)$'

build tsan threaded_unit_tests
# Leaves out tests of one thread, and of the journals that runs leave: they ran under ASan, and would
# take three minutes here.
GTEST_FILTER='-Resumed.*:WorkerPools.Keep*:Cram.LongReads*:Cram.Every*:CramContainer.*:ReferenceList.*:WalkJson.*:JsonValues.*' \
  run_tests tsan tsan -L '^unit\.threaded$'

if tools/has_nvcc.sh; then
  step 'cuda: compiling each kernel for one type and one architecture'
  tools/setup.sh cuda
  cmake --preset cuda-check -DBUILD_TESTING=ON --log-level=WARNING
  cmake --build --preset cuda-check --parallel "$jobs" --target one_type_kernels
else
  step 'cuda: not compiled, nvcc was not found on PATH, nor in CUDACXX'
fi
