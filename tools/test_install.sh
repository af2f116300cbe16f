#!/usr/bin/env bash
# Installs every artefact in dist/ (tools/package_all.sh) in bare roots of Debian 11 and 12, runs it
# there, and compares its tables with the build's: tests/install. Needs root, and apt's mirror. A
# release of Debian that the mirror has no more is skipped, and counted as that.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/steps.sh
source tools/steps.sh

test_install
print_times
/usr/bin/python3 tools/count_tests.py build/results/install
