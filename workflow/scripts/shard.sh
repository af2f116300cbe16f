#!/usr/bin/env bash
# One attempt of a job at a run's directory: begins the run, or goes on where an earlier attempt
# stopped. Snakemake's rule `shard` and workflow/slurm/submit.sh use it.
#
#   shard.sh DIR ATTEMPT TOKEN_BUDGET PROGRAM predict ARGUMENT…
#
# DIR is the run's directory. ATTEMPT counts from 1. TOKEN_BUDGET is a number or `auto`. Beside DIR
# it keeps
#   DIR.attempts.tsv  a line for each attempt that ended: time, job, host, token budget, exit code
#   DIR.asked         what the run was asked for: the arguments, size and time of each input
#   DIR.anew          while the directory may still hold another run
# It ends with the program's exit code.
set -euo pipefail

run=$1 attempt=$2 budget=$3
shift 3
attempts=$run.attempts.tsv
least_budget=64 # a batch is never smaller than its longest frame
number='[1-9][0-9]{0,8}'

say() { printf 'shard: %s\n' "$*" >&2; }

# The last attempt's token budget and exit code; empty before the first. bash's arithmetic runs
# commands that stand in a text, so only what is a number gets that far.
used='' ended=''
read_last_attempt() {
  local line
  [ -s "$attempts" ] || return 0
  line=$(tail -n 1 "$attempts")
  if [[ $line =~ $'\t'(auto|$number)$'\t'([0-9]{1,3})$ ]]; then
    used=${BASH_REMATCH[1]} ended=${BASH_REMATCH[2]}
  else
    say "$attempts: the last line is damaged; it counts as no attempt"
  fi
}

what_is_asked() {
  local word
  printf '%s\n' "${@:2}"
  for word in "${@:2}"; do
    if [ -f "$word" ]; then stat -L -c '%n %s %Y' -- "$word"; fi
  done
}

# What the program chose for `auto`, as its log says; a small number where it did not come so far.
planned_budget() {
  local said
  said=$(grep -aoE 'batches of [0-9,]+ tokens' "$run/logs/virnucpro.log" 2>/dev/null | tail -n 1 || true)
  said=${said//[!0-9]/}
  [[ $said =~ ^$number$ ]] || said=4096
  printf '%s\n' "$said"
}

# Half of the last attempt's budget if that one ran out of memory, else the same as that one's.
next_budget() {
  if [ "$ended" = 4 ]; then
    [ "$used" != auto ] || used=$(planned_budget)
    used=$((used / 2))
    [ "$used" -ge "$least_budget" ] || used=$least_budget
  fi
  printf '%s\n' "${used:-$budget}"
}

# A new attempt cannot mend these; a person has to look.
refuse_hopeless() {
  [ "$attempt" -gt 1 ] || return 0
  case $ended in
    2 | 3)
      say "not tried again: the last attempt ended with exit code $ended; see $run/logs/virnucpro.log"
      exit "$ended"
      ;;
  esac
}

# The program gets the signals of this script, SIGINT as SIGTERM: bash starts jobs in the background
# with SIGINT ignored. Of Ctrl-C virnucpro gets its own SIGINT, too, and takes both as one request.
run_program() {
  local status=0
  "$@" &
  local child=$!
  trap 'kill -TERM "$child" 2>/dev/null || true' TERM INT
  # A signal ends `wait` early: only a child that is gone has an exit code.
  while :; do
    status=0
    wait "$child" || status=$?
    kill -0 "$child" 2>/dev/null || break
  done
  trap - TERM INT
  return "$status"
}

# The journal is of what is asked for once the program has made it after `anew`.
note_whose_journal() {
  if [ "$run/run.db" -nt "$run.anew" ]; then rm -f "$run.anew"; fi
}

read_last_attempt
refuse_hopeless
mkdir -p "$(dirname "$run")"
note_whose_journal # a killed attempt could not
asked=$(what_is_asked "$@")
if [ "$(cat "$run.asked" 2>/dev/null)" != "$asked" ]; then
  touch "$run.anew"
  printf '%s\n' "$asked" >"$run.asked"
fi
# A journal of another request is replaced, but one of this request never: if it is refused, that
# is an error.
how=--resume
[ ! -e "$run.anew" ] || how=--force-resume
# An attempt at what was asked before says nothing about this one.
if [ "$how" = --force-resume ] && [ "$attempt" -le 1 ]; then
  rm -f "$attempts"
  used='' ended=''
fi
budget=$(next_budget)

status=0
run_program "$@" -o "$run" "$how" --token-budget "$budget" || status=$?
note_whose_journal
printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "${SLURM_JOB_ID:-local}" "$(hostname)" \
  "$budget" "$status" >>"$attempts"
exit "$status"
