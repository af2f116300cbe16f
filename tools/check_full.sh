#!/usr/bin/env bash
# The long matrix: every preset, every test with long strides, both instruction sets, the packages
# (install, readme: as root) and all device code; four hours of two cores with a warm ccache.
#
#   tools/check_full.sh [PART…]    all parts (cuda only if nvcc is found), or the named ones
#
# A part that passed runs again only after a file of the checkout changed, so an interrupted check
# continues where it stopped. Results: build/check-full/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/steps.sh
source tools/steps.sh

parts=(sources cpu avx2 tiny single asan tsan fuzz mutants package install readme cluster cuda) # cuda (last) only if nvcc is found
not_run=
program_tests='^(cli|oracle|hostile|crash)$'
export VIRNUCPRO_TEST_LENGTH=full

part_sources() { check_sources; }

part_cpu() {
  build cpu all bench_programs
  run_tests cpu cpu-unit -L '^(unit|fuzz)$'
  run_tests cpu cpu-program -L "$program_tests"
}

# Runs the tests as on a processor without AVX-512.
part_avx2() {
  hide_avx512
  build cpu all
  run_tests cpu avx2-unit -L '^unit$'
  run_tests cpu avx2-program -L "$program_tests"
}

part_tiny() {
  build cpu virnucpro virnucpro_docs virnucpro_tiny oracle_tools io_shim run_shim tiny_unit_tests
  run_tests cpu tiny-unit -L '^unit\.tiny$'
  run_tests cpu tiny-program -L '^tiny\.(cli|oracle|hostile|crash)$'
}

# Compiles each source by itself: finds missing includes, and names that change meaning in a unity build.
part_single() {
  build single all
  run_tests single single-unit -L '^(unit|fuzz)$'
  run_tests single single-program -L '^(cli|oracle)$'
}

part_asan() {
  build asan unit_tests tiny_unit_tests fuzz_targets
  run_tests asan asan -L '^(unit|unit\.tiny|fuzz)$'
}

part_tsan() {
  build tsan threaded_unit_tests
  run_tests tsan tsan -L '^unit\.threaded$'
}

part_fuzz() {
  tools/setup.sh fuzz
  build fuzz fuzz_targets
  run_tests fuzz fuzz -L '^fuzz$'
}

# Plants faults in the rooms that decide scores and calls; at least 95 % must be found.
part_mutants() {
  step 'mutants'
  /usr/bin/python3 tools/mutants.py --minutes 60 || failed=1
}

part_package() {
  step 'package'
  tools/package.sh
  tools/test_package.sh
}

part_install() {
  step 'install: making every artefact'
  tools/package_all.sh
  test_install
}

part_readme() {
  step "README's first screen"
  tools/test_first_screen.sh
}

part_cluster() {
  tools/setup.sh cluster
  build cpu virnucpro
  step 'cluster'
  tools/check_cluster.sh build/cpu/bin/virnucpro build/results/cluster || failed=1
}

part_cuda() {
  tools/setup.sh cuda
  build cuda virnucpro gpu_tests bench_engine bench_gpu_ops
}

# Prints the inputs of a part: the checkout's files, committed or not, and the installed packages.
run_on() {
  {
    git ls-files -z --cached --others --exclude-standard | xargs -0 sha256sum 2>&1 || true # one may be gone
    dpkg-query -W 2>/dev/null || true
    "${CXX:-c++}" --version
    if tools/has_nvcc.sh; then "${CUDACXX:-nvcc}" --version; fi
    grep -m 1 '^flags' /proc/cpuinfo
    printf '%s\n' "${VIRNUCPRO_TEST_CPU:-native}" "${CXXFLAGS:-}" "${CUDAFLAGS:-}" "${LDFLAGS:-}"
  } | sha256sum
}

run_part() {
  local part=$1 folder=build/check-full/$1 now
  now=$(run_on)
  if [ "$(cat "$folder/passed" 2>/dev/null)" = "$now" ]; then
    printf '\n== %s passed on these files already\n' "$part"
    return
  fi
  rm -rf build/results "$folder"
  mkdir -p build/results "$folder"
  step "part $part"
  # In a subshell, where a failed build ends the part; && or || would disable that.
  set +e
  (
    set -e
    "part_$part"
    exit "$failed"
  )
  local status=$?
  set -e
  local results=(build/results/*/)
  [ ! -d "${results[0]}" ] || mv "${results[@]}" "$folder/"
  [ "$status" -ne 0 ] || printf '%s\n' "$now" >"$folder/passed"
}

for part in "$@"; do
  [[ " ${parts[*]} " = *" $part "* ]] || {
    printf 'check_full: there is no part %s; the parts: %s\n' "$part" "${parts[*]}" >&2
    exit 1
  }
done
if [ $# -gt 0 ]; then
  parts=("$@")
elif ! tools/has_nvcc.sh; then
  unset 'parts[-1]'
  not_run='cuda: nvcc was not found on PATH, nor in CUDACXX'
fi
git ls-files --error-unmatch tools/check_full.sh >/dev/null # git must know the checkout's files

step 'set-up'
tools/setup.sh check
for part in "${parts[@]}"; do run_part "$part"; done
print_times
folders=()
missing=()
for part in "${parts[@]}"; do
  [ -e "build/check-full/$part/passed" ] || missing+=("$part")
  for folder in build/check-full/"$part"/*/; do [ ! -d "$folder" ] || folders+=("$folder"); done
done
status=0
[ -z "$not_run" ] || printf 'not run: %s\n' "$not_run"
[ "${#folders[@]}" -eq 0 ] || /usr/bin/python3 tools/count_tests.py "${folders[@]}" || status=1
[ "${#missing[@]}" -eq 0 ] || { printf 'failed: %s\n' "${missing[*]}"; status=1; }
exit "$status"
