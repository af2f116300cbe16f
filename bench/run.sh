#!/usr/bin/env bash
# Sets up, builds, measures, and writes the tables of bench/results/README.md: bench/run.sh [peers]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# PyPI's torch cannot be loaded without the CUDA libraries that it depends on: 6 GB.
make_peers() {
  local requirements=bench/peers/requirements.txt stamp
  stamp="$PWD $(sha256sum <"$requirements")"
  [ "$(cat .venv-peers/stamp 2>/dev/null || true)" = "$stamp" ] && return
  printf 'bench: making .venv-peers with %s (gigabytes)\n' "$(grep -v '^#' "$requirements" | paste -sd' ')"
  rm -rf .venv-peers
  /usr/bin/python3 -m venv .venv-peers
  .venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --no-cache-dir \
    -r "$requirements"
  printf '%s\n' "$stamp" >.venv-peers/stamp
}

tools/setup.sh check
cmake --preset cpu -DBUILD_TESTING=ON --log-level=WARNING
cmake --build --preset cpu --target bench_programs
case "${1:-}" in
  '') /usr/bin/python3 bench/run.py ;;
  peers)
    make_peers
    /usr/bin/python3 bench/run.py --python "$PWD/.venv-peers/bin/python" --only tokenizer,engine,dnabert \
      --name peers
    ;;
  *)
    printf 'usage: bench/run.sh [peers]\n' >&2
    exit 2
    ;;
esac
/usr/bin/python3 bench/render.py
