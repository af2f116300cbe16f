#!/usr/bin/env bash
# One input as an array of Slurm jobs and, when all are done, their merge; without Snakemake.
#
#   workflow/slurm/submit.sh [--data reads|contigs] DIR SHARDS [SBATCH-OPTION…] -- PREDICT-ARGUMENT…
#
#   workflow/slurm/submit.sh results/a 20 --gpus=1 --time=12:00:00 -- a.fq.gz -m 300 --models-dir models
#
# The result is in DIR/run. With --data contigs calls are by the rule viral-ngs, and there is a contigs.tsv,
# unless PREDICT-ARGUMENTs choose the rule. A task that is stopped (time limit, pre-emption, scontrol requeue) or
# fails goes on in the same task, VIRNUCPRO_RESTARTS times at most (5). The same command again, after
# a failure, goes on where all tasks stopped. SBATCH-OPTIONs are those of the shards; partition and
# account of all jobs come from sbatch's own variables (SBATCH_PARTITION, SBATCH_ACCOUNT). The merge goes
# to the cluster that took the shards.
set -euo pipefail

most_shards=4096

fail() {
  printf 'submit: %s\n' "$*" >&2
  exit 1
}

# Refuses an option of a command (predict, sbatch) that this script sets itself.
refuse_own_options() {
  local command=$1 flags='' word option of way why form
  shift
  while IFS=$'\t' read -r option of way why; do
    if [ "$of" != "$command" ]; then continue; fi
    case $way:$option in
      flag:*) # these lines come first
        flags=${option#-}
        continue
        ;;
      snakemake:* | calls:*) continue ;;
      *:--*) form="^$option(=|$)" ;;
      *) form="^-[$flags]*${option#-}" ;;
    esac
    for word in "$@"; do
      if [[ $word =~ $form ]]; then fail "$command: $option cannot be given: $why"; fi
    done
  done <"$here/scripts/own_options.tsv"
}

# Puts those of predict's arguments that decide calls into `calls`, and the rule among them into `own_rule`.
find_calls() {
  local names='' option of way why value
  while IFS=$'\t' read -r option of way why; do
    if [ "$of:$way" = predict:calls ]; then names+=" $option "; fi
  done <"$here/scripts/own_options.tsv"
  calls=() own_rule=''
  while [ $# -gt 0 ]; do
    option=${1%%=*}
    case $names in
      *" $option "*)
        value=${2-}
        case $1 in *=*) value=${1#*=} ;; esac
        case $option in
          --rule | --rollup) own_rule=$value ;;
          *) calls+=("$option" "$value") ;;
        esac
        ;;
    esac
    shift
  done
}

submit() {
  local data=reads folder shards options=() cluster=() said array merge logs rule calls own_rule
  case ${1:-} in
    --data=*)
      data=${1#*=}
      shift
      ;;
    --data)
      data=${2-}
      shift $(($# > 1 ? 2 : 1))
      ;;
  esac
  [ $# -ge 4 ] || fail 'usage: submit.sh [--data reads|contigs] DIR SHARDS [SBATCH-OPTION…] -- PREDICT-ARGUMENT…'
  folder=$1 shards=$2
  local settings=("$here" "$program" "$budget" "$most_restarts")
  shift 2
  [[ $most_restarts =~ ^[0-9]{1,9}$ ]] || fail "VIRNUCPRO_RESTARTS: $most_restarts is no number"
  case $data in
    reads) rule=majority ;;
    contigs) rule=viral-ngs ;;
    *) fail "--data $data: it is reads or contigs" ;;
  esac
  case $folder in
    *\\*) fail "$folder: Slurm cannot write its logs below a folder with a backslash in its name" ;;
    -*) folder=./$folder ;; # else commands take it for an option
  esac
  if ! [[ $shards =~ ^[1-9][0-9]{0,3}$ ]] || [ "$shards" -gt "$most_shards" ]; then
    fail "$shards is no number of shards from 1 to $most_shards"
  fi
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  [ $# -gt 1 ] || fail 'after -- give what predict gets: the reads, the models'
  shift
  refuse_own_options sbatch ${options[@]+"${options[@]}"}
  refuse_own_options predict "$@"
  find_calls "$@"
  # Majority is what predict takes by itself.
  if [ -z "$own_rule" ] && [ "$rule" != majority ]; then set -- --rule "$rule" "$@"; fi
  mkdir -p "$folder/logs"
  logs=${folder//%/%%}/logs # in a file's name sbatch replaces what begins with %
  # SIGTERM two minutes before the limit: the program needs five seconds.
  said=$(sbatch --parsable --job-name "virnucpro ${folder##*/}" --array "0-$((shards - 1))" \
    --requeue --open-mode=append --ntasks=1 --signal=TERM@120 --output "$logs/shard_%a.log" \
    ${options[@]+"${options[@]}"} "$here/slurm/submit.sh" --shard "${settings[@]}" "$folder" "$shards" "$@")
  # With several clusters, of a federation or of --clusters, it says JOB;CLUSTER.
  array=${said%%;*}
  case $said in *\;*) cluster=("--clusters=${said#*;}") ;; esac
  # What a merge is not given it takes from what is in its directory. So it is told the rule also where that is
  # the default, and gets predict's options, too.
  merge=$(sbatch --parsable --job-name "virnucpro ${folder##*/} merge" --dependency "afterok:$array" \
    --kill-on-invalid-dep=yes --requeue --ntasks=1 --output "$logs/merge.log" \
    ${cluster[@]+"${cluster[@]}"} "$here/slurm/submit.sh" --merge "${settings[@]}" "$folder" "$shards" \
    --rule "${own_rule:-$rule}" ${calls[@]+"${calls[@]}"})
  printf 'shards: job %s, tasks 0 to %s; merge: job %s%s\n' "$array" "$((shards - 1))" "${merge%%;*}" \
    "${cluster[*]+; ${cluster[*]}}"
}

# A task of the array. It is put back into the queue rather than failed, as the merge waits for its
# success (afterok). Another try does not mend exit codes 2 and 3.
run_shard() {
  local folder=$1 shards=$2 restarts=${SLURM_RESTART_COUNT:-0} status=0
  local shard=$SLURM_ARRAY_TASK_ID
  shift 2
  [[ $restarts =~ ^(0|[1-9][0-9]{0,8})$ ]] || fail "SLURM_RESTART_COUNT: $restarts is no number"
  export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1}
  # The submitter's choice of clusters; a job asks the one that it runs on. And of the environment:
  # srun would leave out PATH, too.
  unset SLURM_CLUSTERS SLURM_EXPORT_ENV
  # At the time limit Slurm sends SIGTERM to this script, too, which must live to put the task back.
  trap : TERM
  srun --ntasks=1 "$here/scripts/shard.sh" "$folder/shards/$shard-of-$shards" "$((restarts + 1))" "$budget" \
    "$program" -q predict "$@" --shard "$shard/$shards" --no-progress || status=$?
  case $status in 0 | 2 | 3) exit "$status" ;; esac
  if [ "$restarts" -ge "$most_restarts" ]; then
    printf 'submit: shard %s was put back %s times and is given up\n' "$shard" "$restarts" >&2
    exit "$status"
  fi
  printf 'submit: exit code %s; shard %s goes back into the queue\n' "$status" "$shard" >&2
  # By its place in the array: the job id of the last task is that of the whole array. Refused where
  # somebody else has put it back, which is why it ended.
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$shard" || true
  exit "$status"
}

run_merge() {
  local folder=$1 shards=$2 directories=() shard
  shift 2
  for ((shard = 0; shard < shards; ++shard)); do directories+=("$folder/shards/$shard-of-$shards"); done
  "$program" -q merge "${directories[@]}" -o "$folder/run" --force-resume "$@"
}

case "${1:-}" in
  # Slurm runs a copy of this script, perhaps without the environment that it was submitted in.
  --shard | --merge)
    job=run_${1#--} here=$2 program=$3 budget=$4 most_restarts=$5
    shift 5
    ;;
  *)
    job=submit
    here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
    program=${VIRNUCPRO:-virnucpro}
    budget=${VIRNUCPRO_TOKEN_BUDGET:-auto}
    most_restarts=${VIRNUCPRO_RESTARTS:-5}
    ;;
esac
"$job" "$@"
