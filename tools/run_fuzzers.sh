#!/usr/bin/env bash
# Runs every libFuzzer target of a folder and prints the results as a table. Needs only bash and
# coreutils, so that the targets can be copied to a larger machine (tools/fuzz.sh pack).
#
#   run_fuzzers.sh BIN_DIR SEEDS_DIR OUT_DIR SECONDS [JOBS [LIBFUZZER-OPTION…]]
#
#   BIN_DIR    <name>_fuzz, and in lib/ the shared libraries that the machine may lack
#   SEEDS_DIR  <name>/ with seeds; <name>.dict with words, for some targets
#   OUT_DIR    corpus/<name>/, finds/<name>/, logs/, runs.tsv; and the table as fuzz.tsv, fuzz.md
#   SECONDS    CPU time of each target, divided into slices so that all JOBS (default: every
#              processor) stay busy; slices of one target share its corpus
#   options    for libFuzzer, added after those of this script: -seed=1, -max_len=65536 …
#
# A second run with the same OUT_DIR continues with its corpus, and the table counts both. Exits
# with 1 if anything was found, in this run or before.
set -euo pipefail
export LC_ALL=C  # `time` writes numbers with a point

usage() {
  printf 'usage: %s BIN_DIR SEEDS_DIR OUT_DIR SECONDS [JOBS [LIBFUZZER-OPTION…]]\n' "${0##*/}" >&2
  exit 2
}
[ $# -ge 4 ] || usage
bin=$(realpath "$1")
seeds=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
seconds=$4
jobs=${5:-$(nproc)}
extra=("${@:6}")
[[ $seconds =~ ^[1-9][0-9]*$ && $jobs =~ ^[1-9][0-9]*$ ]] || usage

# Some targets write files and sync them.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
# The environment's options come last, so they take precedence.
export ASAN_OPTIONS="allocator_may_return_null=1:${ASAN_OPTIONS:-}"
[ -d "$bin/lib" ] && export LD_LIBRARY_PATH="$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
TIMEFORMAT='%3U %3S'

targets=()
for program in "$bin"/*_fuzz; do
  [ -x "$program" ] || { printf 'no *_fuzz in %s\n' "$bin" >&2; exit 2; }
  name=${program##*/}
  targets+=("${name%_fuzz}")
done
for name in "${targets[@]}"; do
  mkdir -p "$out/corpus/$name" "$out/finds/$name" "$out/logs"
  for seed in "$seeds/$name"/*; do
    [ -e "$out/corpus/$name/${seed##*/}" ] || cp "$seed" "$out/corpus/$name/"
  done
done

# last_number LOG 'cov: ': the last number in a log that follows a pattern
last_number() {
  local line number=0
  while IFS= read -r line; do
    [[ $line =~ $2([0-9]+) ]] && number=${BASH_REMATCH[1]}
  done <"$1"
  printf '%s' "$number"
}

# fuzz NAME LOG OPTION… FOLDER: one process; sets $cpu (its CPU time, ms) and $status (exit code).
cpu=0
status=0
fuzz() {
  local name=$1 log=$2 user system
  shift 2
  status=0
  { time "$bin/${name}_fuzz" -rss_limit_mb=2048 -timeout=25 -print_final_stats=1 \
    -artifact_prefix="$out/finds/$name/" "$@" >"$log" 2>&1; } 2>"$log.time" || status=$?
  read -r user system < <(tail -n 1 "$log.time")
  rm "$log.time"
  cpu=$((10#${user/./} + 10#${system/./}))
}

# slice NAME NUMBER MILLISECONDS: runs processes until the CPU time is used up (longer on shared
# processors). Stops at the first find.
slice() {
  local name=$1 left=$3 part=0 log words=()
  [ -f "$seeds/$name.dict" ] && words=("-dict=$seeds/$name.dict")
  while [ "$left" -ge 500 ]; do
    log=$out/logs/$name.$2.$part.log
    fuzz "$name" "$log" -max_len=16384 -max_total_time=$(((left + 999) / 1000)) "${words[@]}" \
      "${extra[@]}" "$out/corpus/$name"
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$(last_number "$log" 'number_of_executed_units: *')" \
      "$cpu" "$(last_number "$log" 'peak_rss_mb: *')" "$status" >>"$out/runs.tsv"
    [ "$status" -eq 0 ] && [ "$cpu" -gt 0 ] || return 0
    left=$((left - cpu))
    part=$((part + 1))
  done
}

# Sets the number of slices per target for which the last job ends earliest.
choose_slices() {
  local count rounds best=0
  for count in 1 2 3 4 5 6 7 8; do
    rounds=$(((${#targets[@]} * count + jobs - 1) / jobs))
    if [ "$best" -eq 0 ] || [ $((rounds * 1000 / count)) -lt "$best" ]; then
      best=$((rounds * 1000 / count))
      slices=$count
    fi
  done
  printf '%d targets, %d CPU-seconds each in %d slices, %d at a time: about %d s\n' \
    "${#targets[@]}" "$seconds" "$slices" "$jobs" "$((best * seconds / 1000))"
}

run_all() {
  local number name running=0 begin
  begin=$(date +%s)
  for ((number = 0; number < slices; ++number)); do
    for name in "${targets[@]}"; do
      if [ "$running" -ge "$jobs" ]; then
        wait -n
        running=$((running - 1))
      fi
      slice "$name" "$begin-$number" $((seconds * 1000 / slices)) &
      running=$((running + 1))
    done
  done
  wait
}

# edges NAME FOLDER WORD: the edges that a folder of inputs covers
edges() {
  local log=$out/logs/$1.$3.log
  fuzz "$1" "$log" -max_len=1048576 -runs=0 "$2"
  last_number "$log" 'cov: '
}

# Writes the edges of each target's seeds and corpus to logs/NAME.edges.
count_edges() {
  local name running=0
  for name in "${targets[@]}"; do
    if [ "$running" -ge "$jobs" ]; then
      wait -n
      running=$((running - 1))
    fi
    printf '%s %s\n' "$(edges "$name" "$seeds/$name" seeds)" \
      "$(edges "$name" "$out/corpus/$name" corpus)" >"$out/logs/$name.edges" &
    running=$((running + 1))
  done
  wait
}

count_files() {
  local files=("$1"/*)
  [ -e "${files[0]}" ] && printf '%d' "${#files[@]}" || printf 0
}

# Adds up the rows of one target in runs.tsv: $executions, $used (CPU ms), $peak (MB).
sum_runs() {
  local target runs ms rss rest
  executions=0 used=0 peak=0
  while IFS=$'\t' read -r target runs ms rss rest; do
    [ "$target" = "$1" ] || continue
    executions=$((executions + runs))
    used=$((used + ms))
    [ "$rss" -gt "$peak" ] && peak=$rss
  done <"$out/runs.tsv"
  return 0
}

row() {
  local IFS=$'\t'
  printf '%s\n' "$*" >>"$out/fuzz.tsv"
  printf '|%s\n' "$(printf ' %s |' "$@")" >>"$out/fuzz.md"
}

report() {
  local name of_seeds of_corpus
  : >"$out/fuzz.tsv"
  : >"$out/fuzz.md"
  row target executions 'exec/s' seeds corpus 'edges of the seeds' 'edges of the corpus' \
    'peak MB' 'CPU s' finds
  printf '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n' >>"$out/fuzz.md"
  for name in "${targets[@]}"; do
    sum_runs "$name"
    read -r of_seeds of_corpus <"$out/logs/$name.edges"
    row "$name" "$executions" "$((executions * 1000 / (used > 0 ? used : 1)))" \
      "$(count_files "$seeds/$name")" "$(count_files "$out/corpus/$name")" \
      "$of_seeds" "$of_corpus" "$peak" "$(((used + 500) / 1000))" "$(count_files "$out/finds/$name")"
  done
  cat "$out/fuzz.md"
}

# A target that failed without leaving its input (such as one that did not start) is a find, too.
list_finds() {
  local found=0 find name end rest log
  for find in "$out"/finds/*/*; do
    [ -e "$find" ] || continue
    printf 'found: %s\n' "$find"
    found=1
  done
  while IFS=$'\t' read -r name _ _ _ end; do
    [ "$end" -eq 0 ] && continue
    found=1
    printf 'failed: %s_fuzz ended with %s; see %s\n' "$name" "$end" "$out/logs"
  done <"$out/runs.tsv"
  return "$found"
}

choose_slices
run_all
count_edges
report
list_finds
