#!/usr/bin/env bash
# Makes virnucpro_X.Y.Z_amd64.deb in dist/ or a given folder, for the Debian that this is, with that
# Debian's libraries (packaging/debian). Fails where lintian finds an error. With CUDA where nvcc is.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
output=${1:-dist}

fail() {
  printf 'package_deb: %s\n' "$@" >&2
  exit 1
}

# debian/ must be at the top of a source.
lay_out() {
  rm -rf "$build"
  tools/lay_out_source.sh "$tree"
  cp -R packaging/debian "$tree/"
  write_changelog >"$tree/debian/changelog"
}

write_changelog() {
  cat <<TEXT
virnucpro ($version) bookworm; urgency=medium

  * CHANGELOG.md says what is new.

 -- The virnucpro authors <virnucpro@no-address.invalid>  $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
TEXT
}

tools/setup.sh deb
version=$(tools/version.sh)
build=build/deb
tree=$build/virnucpro-$version
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
lay_out
# Takes CUTLASS from the same place as tools/package.sh, so that ccache can reuse the objects.
[ ! -d .cutlass ] || export CUTLASS_INCLUDE_DIR=$PWD/.cutlass/cutlass_library/source/include
# Makes only the package, without .buildinfo and debug symbols.
(cd "$tree" && DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage --build=binary --unsigned-source --unsigned-changes \
  >../log 2>&1) || fail "$(tail -n 30 "$build/log")"
package=$build/virnucpro_${version}_amd64.deb
lintian --fail-on error --tag-display-limit 0 --allow-root "$package" || fail "lintian finds errors in $package"
mkdir -p "$output"
cp "$package" "$output/"
printf 'package_deb: %s, %s bytes\n' "$output/$(basename "$package")" "$(stat -c %s "$package")"
