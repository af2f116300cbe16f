#!/usr/bin/env bash
# Kills runs at random times and resumes them, for 30 minutes or a given number:
#
#   tools/soak.sh [MINUTES]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh check
cmake --preset cpu -DBUILD_TESTING=ON --log-level=WARNING
cmake --build --preset cpu --target virnucpro io_shim
VIRNUCPRO_BIN=$PWD/build/cpu/bin/virnucpro VIRNUCPRO_SOURCE=$PWD \
  VIRNUCPRO_IO_SHIM=$PWD/build/cpu/tests/tools/io_shim.so PYTHONDONTWRITEBYTECODE=1 \
  OMP_NUM_THREADS=1 /usr/bin/python3 tests/crash/soak.py "$@"
