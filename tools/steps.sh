# shellcheck shell=bash
# Shared by check.sh and check_full.sh, which source this. Each test run leaves its results in a
# folder of build/results; tools/count_tests.py counts them.

jobs=$(nproc)
# Otherwise bash would run a script's exit handler as if all had succeeded.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# After this time a program or file of tests counts as hanging.
case "${VIRNUCPRO_TEST_LENGTH:-check}" in
  check) seconds_a_test=900 ;;
  full) seconds_a_test=3600 ;;
  *) seconds_a_test=86400 ;;
esac
failed=0 # the scripts' exit code
step_name=
step_start=0
step_times=()

minutes() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

end_step() {
  [ -z "$step_name" ] || step_times+=("$(minutes $((SECONDS - step_start)))  $step_name")
  step_name=
}

step() {
  end_step
  step_name=$1
  step_start=$SECONDS
  printf '\n== %s (after %s)\n' "$1" "$(minutes "$SECONDS")"
}

print_times() {
  end_step
  printf '\n== times of the steps\n'
  printf '  %s\n' "${step_times[@]}"
  printf '  %s  in all\n' "$(minutes "$SECONDS")"
}

check_sources() {
  step 'sources'
  /usr/bin/python3 -m unittest discover --start-directory tools --pattern '*_test.py'
  /usr/bin/python3 tools/check_includes.py
  /usr/bin/python3 tools/check_fields.py
  tools/check_format.sh
}

# build PRESET TARGET…
build() {
  local preset=$1
  shift
  step "$preset: building $*"
  cmake --preset "$preset" -DBUILD_TESTING=ON --log-level=WARNING
  cmake --build --preset "$preset" --parallel "$jobs" --target "$@"
}

# run_tests PRESET RESULTS CTEST-ARGUMENT…: after a failed test the others still run.
run_tests() {
  local preset=$1 results=build/results/$2
  shift 2
  step "$preset: testing, for ${results#build/results/}"
  rm -rf "$results" "build/$preset"/{pytest,gtest}
  mkdir -p "$results"
  # Two more than processors: half of the tests' time they wait for disks or other programs.
  ctest --preset "$preset" "$@" --parallel $((jobs + 2)) --timeout "$seconds_a_test" \
    --no-tests=error --output-on-failure \
    --output-junit "$PWD/$results/ctest.xml" || failed=1
  local kind
  for kind in pytest gtest; do
    [ ! -d "build/$preset/$kind" ] || mv "build/$preset/$kind" "$results/"
  done
}

# The artefacts in dist/, installed in bare roots.
test_install() {
  [ "$(id -u)" -eq 0 ] || { printf 'test_install: it needs root, for chroot and mount\n' >&2 && return 1; }
  tools/setup.sh install
  step 'install: configuring the tests'
  cmake --preset cpu -DBUILD_TESTING=ON --log-level=WARNING
  run_tests cpu install -L '^install$'
}

# The results of an older processor, from the program and from its references.
hide_avx512() {
  export ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 OPENBLAS_CORETYPE=Haswell
  export NPY_DISABLE_CPU_FEATURES='AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL'
}

case "${VIRNUCPRO_TEST_CPU:-native}" in
  native) ;;
  avx2) hide_avx512 ;;
  *)
    printf 'VIRNUCPRO_TEST_CPU=%s: expected native or avx2\n' "$VIRNUCPRO_TEST_CPU" >&2
    exit 1
    ;;
esac
