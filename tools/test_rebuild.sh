#!/usr/bin/env bash
# Can anyone make the same package? Builds the commit again in another folder, without ccache, and
# compares the tarball with the one in dist/ byte for byte. As long as a whole build.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'test_rebuild: %s\n' "$@" >&2
  exit 1
}

changed=$(git status --porcelain)
[ -z "$changed" ] || fail 'these files are not as in the commit:' "$changed"
tarballs=(dist/virnucpro-*-linux-x64.tar.gz)
[ -f "${tarballs[0]}" ] || fail 'there is no tarball in dist/: make package'
folder=$(mktemp -d -t virnucpro-rebuild.XXXXXX)
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/a-folder-of-another-length"
[ ! -d .cutlass ] || cp -R .cutlass "$folder/a-folder-of-another-length/"
(cd "$folder/a-folder-of-another-length" && CCACHE_DISABLE=1 tools/package.sh "$folder/again" >"$folder/log" 2>&1) ||
  fail "$(tail -n 20 "$folder/log")"
cmp "${tarballs[0]}" "$folder/again/$(basename "${tarballs[0]}")" ||
  fail 'built again it has other bytes; diffoscope says which'
printf 'test_rebuild: built in another folder, %s has the same bytes\n' "${tarballs[0]}"
