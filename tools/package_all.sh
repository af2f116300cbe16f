#!/usr/bin/env bash
# Makes every file of a release in dist/ or a given folder, with one version: the tarball and its
# SBOM, the wheel, the conda package, the .deb, the source, and SHA256SUMS of them all. `make release`
# checks more before it calls this.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
# shellcheck source=tools/packing.sh
source tools/packing.sh
export LC_ALL=C  # SHA256SUMS has the same order for every user
output=$(realpath -m "${1:-dist}")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

# SHA256SUMS must have only this version's files, and a container must find one tarball.
rm -f "$output"/virnucpro[-_][0-9]* "$output/SHA256SUMS"
mkdir -p "$output"
tools/package.sh "$output"
version=$(tools/version.sh)
stage=build/package/stage/virnucpro-$version-linux-x64
cp "$stage/share/doc/virnucpro/virnucpro.spdx.json" "$output/virnucpro-$version.spdx.json"
/usr/bin/python3 tools/make_wheel.py "$version" "$stage" "$output"
tools/setup.sh conda
.venv-conda/bin/python tools/make_conda.py "$version" "$stage" "$output" >build/conda.log 2>&1 ||
  { tail -n 20 build/conda.log >&2 && exit 1; }
tools/package_deb.sh "$output"
tools/lay_out_source.sh "build/source/virnucpro-$version"
archive "build/source/virnucpro-$version" >"$output/virnucpro-$version-source.tar.gz"
(cd "$output" && sha256sum -- virnucpro[-_][0-9]* >SHA256SUMS && cat SHA256SUMS)
