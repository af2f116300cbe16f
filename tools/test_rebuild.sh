#!/usr/bin/env bash
# Can anyone make the same packages? Builds the commit again in another folder, without ccache, and
# compares every file with those in dist/, byte for byte. As long as two whole builds.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'test_rebuild: %s\n' "$@" >&2
  exit 1
}

changed=$(git status --porcelain)
[ -z "$changed" ] || fail 'these files are not as in the commit:' "$changed"
[ -f dist/SHA256SUMS ] || fail 'there are no packages in dist/: make release'
folder=$(mktemp -d -t virnucpro-rebuild.XXXXXX)
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/a-folder-of-another-length"
[ ! -d .cutlass ] || cp -R .cutlass "$folder/a-folder-of-another-length/"
(cd "$folder/a-folder-of-another-length" && CCACHE_DISABLE=1 tools/package_all.sh "$folder/again" >"$folder/log" 2>&1) ||
  fail "$(tail -n 20 "$folder/log")"
diff dist/SHA256SUMS "$folder/again/SHA256SUMS" ||
  fail 'these have other bytes when they are built again; diffoscope says which'
printf 'test_rebuild: built in another folder, all have the same bytes\n'
