#!/usr/bin/env bash
# From a bare checkout to tables of a real genome: sets up, builds, predicts, prints.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

input=examples/lambda.fa.gz
output=demo_out
virnucpro=build/cpu/bin/virnucpro

tools/setup.sh demo
cmake --preset cpu -DBUILD_TESTING=OFF
cmake --build --preset cpu --target virnucpro

printf '\nThe genome of the phage lambda (48,502 bases, RefSeq NC_001416), in chunks of 300 bases:\n\n'
# Small batches, so that even such a small run shows progress.
command=("$virnucpro" predict "$input" -e 300 --esm-model synthetic:esm2_t6_8M
  --dnabert-model synthetic:dnabert-s -p synthetic --token-budget 1024 -o "$output" --force)
printf '$ %s\n' "${command[*]}"
"${command[@]}"

show() {
  printf '\n%s\n' "$1"
  head -n "$2" "$1" | sed 's/^/  /'
  printf '  … %s lines in all\n' "$(wc -l <"$1")"
}
show "$output/lambda_merged/prediction_results.txt" 6
show "$output/lambda_merged/prediction_results_highestscore.csv" 6
show "$output/sequences.tsv" 2

cat <<END

Everything lies in $output/: the tables above, the report (report.html), what was measured
(telemetry_*, logs/gpu_metrics_*), the journal (run.db) and the log (logs/virnucpro.log).

THESE SCORES MEAN NOTHING. The weights were random numbers of a small model's shape; the
demonstration shows that the pipeline works, not what lambda is. For real scores
  $virnucpro download                                # the published models, about 12 GB
  $virnucpro predict YOUR.fa.gz -m 300 -o results    # reads; contigs: -m 500 --rollup viral-ngs
docs/use/quick_start.md goes on from here.
END
