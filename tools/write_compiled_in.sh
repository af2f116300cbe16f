#!/usr/bin/env bash
# Writes the licences of what a build has compiled into the program, and their list, to a new folder:
# for a package that takes its libraries from Debian, and its licences in common from there as well.
#
#   tools/write_compiled_in.sh BUILD FOLDER
set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=tools/packing.sh
source "$(dirname "${BASH_SOURCE[0]}")/packing.sh"
build=$1
licences=$2

fail() {
  printf 'write_compiled_in: %s\n' "$@" >&2
  exit 1
}

mkdir -p "$licences"
rows=$(add_compiled_in)
rm -rf "$licences/common-licenses"
cat >"$licences/README" <<END
What is compiled into this program: source package and its version, package and its version.
NAME.txt is the licence of package NAME.

$(sort -k 1b,1 <<<"$rows")
END
