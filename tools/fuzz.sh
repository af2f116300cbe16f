#!/usr/bin/env bash
# Builds the fuzz targets and runs them; the table and the finds go to build/fuzzing.
#
#   tools/fuzz.sh [SECONDS [JOBS [LIBFUZZER-OPTION…]]]   CPU seconds per target, default 1200
#   tools/fuzz.sh pack DIR   copies to DIR what another machine needs (targets, libraries, seeds), and
#                            makes DIR.tar.xz of it; to run it there, without a compiler:
#                            tar xf DIR.tar.xz && DIR/run_fuzzers.sh DIR/bin DIR/seeds OUT SECONDS
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

targets=build/fuzz/tests/fuzz
seeds=tests/fuzz/seeds

build() {
  tools/setup.sh fuzz
  cmake --preset fuzz -DBUILD_TESTING=ON
  cmake --build --preset fuzz --target fuzz_targets
}

# Prints all shared libraries except those of the C library, which the other machine must have.
libraries() {
  ldd "$targets"/*_fuzz | sed -n 's/.* => \(\/[^ ]*\).*/\1/p' | sort -u |
    grep -vE '/lib(c|m|dl|rt|pthread|resolv)\.so'
}

# The targets share most of their code: a window over all of them makes the archive a sixth of it.
pack() {
  local folder=${1%/}
  mkdir -p "$folder/bin/lib"
  cp "$targets"/*_fuzz "$folder/bin/"
  strip "$folder"/bin/*_fuzz
  libraries | xargs cp -t "$folder/bin/lib"
  cp -r "$seeds" tools/run_fuzzers.sh "$folder/"
  tar -C "$(dirname "$folder")" -c "$(basename "$folder")" |
    xz --lzma2=preset=3,dict=256MiB >"$folder.tar.xz"
  du -sh "$folder" "$folder.tar.xz"
}

if [ "${1:-}" = pack ]; then
  [ $# -eq 2 ] || { printf 'usage: tools/fuzz.sh pack DIR\n' >&2; exit 2; }
  build
  pack "$2"
else
  build
  tools/run_fuzzers.sh "$targets" "$seeds" build/fuzzing "${1:-1200}" "${@:2}"
fi
