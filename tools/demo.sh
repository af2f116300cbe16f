#!/usr/bin/env bash
# Goes from a bare checkout to the report of a real genome, with made-up models.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh demo
cmake --preset cpu -DBUILD_TESTING=OFF
cmake --build --preset cpu --target virnucpro

command=(build/cpu/bin/virnucpro predict --demo -o demo_out --force)
printf '\n$ %s\n' "${command[*]}"
"${command[@]}"
printf '\nThe report: %s\n' "$PWD/demo_out/report.html"
