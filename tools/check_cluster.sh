#!/usr/bin/env bash
# Runs what `make check` leaves out of tests/cluster: a Slurm of one node, with Snakemake and with the
# sbatch array, while jobs are killed, put back, out of time and out of space; and miniwdl, with mounts
# in place of containers. tools/setup.sh cluster installs what it needs.
#
#   tools/check_cluster.sh PROGRAM RESULTS [PYTEST-ARGUMENT…]
#
# Everything runs in its own namespaces: the only network is the loopback, and every process of
# Slurm ends with the tests. This needs root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -ge 2 ] || {
  printf 'usage: tools/check_cluster.sh PROGRAM RESULTS [PYTEST-ARGUMENT…]\n' >&2
  exit 1
}
[ "$(id -u)" -eq 0 ] || {
  printf 'check_cluster: Slurm is started with namespaces and mounts of its own, which takes root\n' >&2
  exit 1
}
VIRNUCPRO_BIN=$(realpath "$1")
results=$2
shift 2
mkdir -p "$results/pytest"
export VIRNUCPRO_BIN VIRNUCPRO_SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1
export VIRNUCPRO_SNAKEMAKE=$PWD/.venv-cluster/bin/snakemake
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The resolver needs the second address: with 127.0.0.1 alone it knows no name. This shell stays, as
# process 1: it reaps the processes that jobs leave behind, which would otherwise seem to run.
prepare='hostname localhost; ip link set lo up; ip address add 192.0.2.1/32 dev lo; "$@"; exit $?'
# These run in `make check`, by tests/CMakeLists.txt.
in_check=(--ignore=tests/cluster/test_{nextflow,submit_script,wdl}.py)
status=0
unshare --net --mount --uts --pid --fork --kill-child --mount-proc bash -c "$prepare" bash \
  .venv-oracle/bin/python -m pytest tests/cluster "${in_check[@]}" -p no:cacheprovider --basetemp="$folder/tests" \
  --junitxml="$results/pytest/cluster.xml" "$@" || status=$?
# tools/count_tests.py reads a ctest run's report, with each file's own beside it.
printf '<testsuite name="cluster"><testcase name="cluster" status="%s"/></testsuite>\n' \
  "$([ "$status" -eq 0 ] && echo run || echo fail)" >"$results/ctest.xml"
exit "$status"
