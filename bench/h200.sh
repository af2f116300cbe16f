#!/usr/bin/env bash
# Runs one set of measurements or tests on an H200, in less than ten minutes. `usage` below lists
# the sets; bench/README.md describes them.
# BUNDLE comes from `make gpu-bundle` (dist/virnucpro-gpu.tar.xz); python3 must have torch and
# transformers. Results and logs go to FOLDER (default bench/results), those of `virnucpro benchmark`
# to validation/ in it. SUITES (default all) are the suites for validation, ARGUMENTs are those of
# bench/accuracy.py, which needs .trained-esm2/ here and h5py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
usage='usage: bench/h200.sh BUNDLE tests|tests-ptx|esm2|int8|predict|predict-bf16|int8-predict|generic|others|telemetry|trace|validation|short-reads|vanilla|simulation [FOLDER [SUITES]]
       bench/h200.sh BUNDLE accuracy [FOLDER [ARGUMENT…]]'
bundle=${1:?$usage}
what=${2:?$usage}
mkdir -p "${3:-bench/results}/validation"
out=$(realpath "${3:-bench/results}")
suites=${4:-all}
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
tar -xJf "$bundle" -C "$programs"
commit=$(cat "$programs/commit")

# The tests look for share/ in the folder in which they were built.
link_source() {
  local source
  source=$(cat "$programs/source")
  [ -e "$source/share" ] || { mkdir -p "$(dirname "$source")" && ln -sfn "$PWD" "$source"; }
}

# Finds CUPTI in python's packages, where the loader does not search.
find_cupti() {
  python3 -c 'import glob, nvidia
print(next((file for folder in nvidia.__path__
            for file in glob.glob(folder + "/**/libcupti.so.1[23]", recursive=True)), ""))' || true
}

run_tests() {
  local failed=0
  link_source
  VIRNUCPRO_CUPTI=$(find_cupti)
  export VIRNUCPRO_CUPTI
  export LD_LIBRARY_PATH=$programs/lib
  "$programs/bin/gpu_engine" | tee "$out/tests.log" | grep -E '^\[ +(FAILED|PASSED)|Failure|tests ran' || failed=1
  watch_ops || failed=1
  return "$failed"
}

# The generic kernels as on a GPU that no code was compiled for: from PTX, which takes minutes.
run_tests_from_ptx() {
  link_source
  LD_LIBRARY_PATH=$programs/lib CUDA_FORCE_PTX_JIT=1 "$programs/bin/gpu_engine" --gtest_filter='*generic*' |
    tee "$out/tests-ptx.log" | grep -E '^\[ +(FAILED|PASSED)|Failure|tests ran'
}

# Runs the sanitizers on the ops only, with this GPU's tiles: with an engine's thousands of kernels,
# all combinations of sequences, or thousands of tokens, the slower sanitizers take hours. Each tool
# runs in parallel shards.
watch_ops() {
  local ops='*OnGpu*:*Int8Products*:-*EngineOnGpu*:*PredictOnGpu*:*ModelsOnGpu*:*InAnyCompany*:*AtTheLongest*:*_KB*:*OtherGpus*:*HopperAndGeneric*'
  local tool shard failed=0 shards=4
  local -A jobs
  for tool in memcheck racecheck initcheck; do
    for ((shard = 0; shard < shards; ++shard)); do
      GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard timeout 500 compute-sanitizer --tool "$tool" \
        --error-exitcode 9 --print-limit 5 "$programs/bin/gpu_engine" --gtest_filter="$ops" \
        >"$out/$tool-$shard.log" 2>&1 &
      jobs[$tool-$shard]=$!
    done
  done
  for shard in "${!jobs[@]}"; do
    wait "${jobs[$shard]}" || failed=1
    printf '%s: %s\n' "$shard" "$(tail -n 1 "$out/$shard.log")"
  done
  return "$failed"
}

# In the trace the GPU must be as busy as required. The runs' rates show the cost of trace and
# telemetry.
run_trace() {
  local flags
  VIRNUCPRO_CUPTI=$(find_cupti)
  export VIRNUCPRO_CUPTI LD_LIBRARY_PATH=$programs/lib
  "$programs/bin/virnucpro" generate -n 19000 --length 500 --coding 1 -o "$programs/coding.fa"
  "$programs/bin/virnucpro" utils export-weights synthetic:esm2_t36_3B -o "$programs/esm2"
  for flags in "" "--trace $out/trace.json --trace-limit 20s" "--telemetry off" ""; do
    printf 'predict, commit %s, %s\n' "$commit" "${flags:-with telemetry}"
    # shellcheck disable=SC2086
    "$programs/bin/virnucpro" predict "$programs/coding.fa" -o "$programs/out" --force -d cuda \
      --esm-model "$programs/esm2" --dnabert-model synthetic:dnabert-s -p synthetic -e 500 \
      -m custom --no-progress $flags 2>&1 | grep -E '(tokens|frames)/s|device busy|warning'
  done | tee "$out/trace.log"
  python3 tests/cli/check_trace.py "$out/trace.json" --kernels --least-busy 97 | tee -a "$out/trace.log"
}

# "nvidia-h200-x2": the name of a measurement on all GPUs of a host has their model and number.
name_of_gpus() {
  local names
  names=$(nvidia-smi --query-gpu=name --format=csv,noheader | tr '[:upper:] ' '[:lower:]-')
  printf '%s' "$(sed -nE '1s/^(nvidia-[ahl][0-9]+).*/\1/; 1p' <<<"$names")"
  [ "$(wc -l <<<"$names")" -eq 1 ] || printf -- '-x%d' "$(wc -l <<<"$names")"
}

# run_set NAME
run_set() {
  python3 bench/run.py --bin "$programs/bin" --library-path "$programs/lib" --python python3 \
    --only "gpu-$what" --commit "$commit" --out "$out/$1"
}

# run_benchmark NAME ARGUMENT…: on all GPUs of the host.
run_benchmark() {
  local name work=$programs/benchmark kind
  name=$(name_of_gpus)$1
  shift
  LD_LIBRARY_PATH=$programs/lib "$programs/bin/virnucpro" benchmark -o "$work" "$@" |
    tee "$out/validation/$name.log"
  for kind in html md json; do cp "$work"/benchmark_*."$kind" "$out/validation/$name.$kind"; done
}

run_validation() {
  local part="" baseline=()
  [ "$suites" = all ] || part=-${suites//,/-}
  [[ ! ",$suites," =~ ,(all|equivalence), ]] || baseline=(--vanilla-baseline)
  run_benchmark "$part" --suite "$suites" --data-size large "${baseline[@]}"
}

# Reads of 150 bases, for a minute on each GPU.
run_short_reads() {
  local gpus
  gpus=$(nvidia-smi -L | wc -l)
  mkdir "$programs/reads"
  LD_LIBRARY_PATH=$programs/lib "$programs/bin/virnucpro" generate -n $((90000 * gpus)) --length 150 \
    --coding 1 -o "$programs/reads/short.fa"
  run_benchmark -short-reads --suite end-to-end --quick --data "$programs/reads" -e 300 -m custom \
    -p synthetic
}

run_vanilla() {
  local esm2=$programs/esm2 dnabert=$programs/dnabert-s classifier=$programs/classifier.safetensors
  export LD_LIBRARY_PATH=$programs/lib
  "$programs/bin/virnucpro" utils export-weights synthetic:esm2_t36_3B -o "$esm2"
  "$programs/bin/virnucpro" utils export-weights synthetic:dnabert-s -o "$dnabert"
  "$programs/bin/virnucpro" utils export-weights synthetic -o "$classifier"
  run_benchmark -vanilla --suite v1-comparison,equivalence --data-size large --esm-model "$esm2" \
    --dnabert-model "$dnabert" -p "$classifier" --vanilla-command \
    "env -u LD_LIBRARY_PATH python3 bench/peers/vanilla_program.py '$esm2' '$dnabert' '$classifier'"
}

run_accuracy() {
  python3 bench/accuracy.py --bin "$programs/bin" --library-path "$programs/lib" --commit "$commit" \
    --out "$out/$(name_of_gpus)-accuracy.json" "$@" | tee "$out/accuracy.log"
}

run_simulation() {
  python3 bench/run.py --bin "$programs/bin" --library-path "$programs/lib" --only simulation \
    --threads "$(nproc)" --commit "$commit" --out "$out/simulated-8-gpus-$(nproc)-cores.json"
}

case "$what" in
  tests) run_tests ;;
  tests-ptx) run_tests_from_ptx ;;
  trace) run_trace ;;
  validation) run_validation ;;
  short-reads) run_short_reads ;;
  vanilla) run_vanilla ;;
  accuracy) run_accuracy "${@:4}" ;;
  simulation) run_simulation ;;
  esm2 | int8 | predict | predict-bf16 | int8-predict | generic | others | telemetry) run_set "$(name_of_gpus)-$what.json" ;;
  *)
    printf 'h200.sh: there is no %s; %s\n' "$what" "$usage" >&2
    exit 2
    ;;
esac
