#!/usr/bin/env bash
# Makes virnucpro-gpu.tar.xz in dist/ or a given folder: the program with CUDA, the GPU tests and
# the benchmarks, with their libraries, for a GPU machine without compilers. bench/h200.sh runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
output=${1:-dist}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

tools/setup.sh check
tools/setup.sh cuda
cmake --preset cuda -DBUILD_TESTING=ON --log-level=WARNING
cmake --build --preset cuda --target virnucpro gpu_tests bench_gpu_ops bench_engine \
  bench_simulated_gpus
mkdir -p "$output" "$stage"/{bin,lib}
cp build/cuda/bin/{virnucpro,bench_gpu_ops,bench_engine,bench_simulated_gpus} build/cuda/tests/{gpu_engine,faulty_worker} "$stage/bin/"
strip "$stage"/bin/*
cp -rL build/cuda/share "$stage/"
# Copies all libraries but glibc's, which must be as new there as here.
ldd "$stage"/bin/* | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(libc|libm|libpthread|libdl|librt)\.so' | xargs -I '{}' cp -L '{}' "$stage/lib/"
pwd >"$stage/source"
git describe --always --exclude='*' --dirty=+ --abbrev=10 >"$stage/commit"
tar -C "$stage" -c . | xz -T0 -3 >"$output/virnucpro-gpu.tar.xz"
printf 'gpu bundle: %s, %s bytes\n' "$output/virnucpro-gpu.tar.xz" \
  "$(stat -c %s "$output/virnucpro-gpu.tar.xz")"
