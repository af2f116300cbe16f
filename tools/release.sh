#!/usr/bin/env bash
# Makes a release in dist/, ready to be uploaded (tools/package_all.sh), of a commit and nothing else:
# fails if a file differs from it, if CHANGELOG.md has no dated section of the version, or if
# bioconda's recipe has another.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'release: %s\n' "$@" >&2
  exit 1
}

version=$(tools/version.sh)
grep -qE "^## \[${version//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
  fail "CHANGELOG.md has no section \"## [$version] - DATE\""
grep -qx "  version: $version" packaging/bioconda/recipe.yaml ||
  fail "packaging/bioconda/recipe.yaml is not of version $version"
changed=$(git status --porcelain)
[ -z "$changed" ] || fail 'these files are not as in the commit:' "$changed"
tools/package_all.sh dist
printf 'release: %s, commit %s, in dist/\n' "$version" "$(git rev-parse --short=10 HEAD)"
