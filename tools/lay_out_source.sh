#!/usr/bin/env bash
# Copies the files of the checkout as they are now, committed or not, to a new folder that a package is
# built from. The folder knows its commit, with a + if a file differs from it.
#
#   tools/lay_out_source.sh FOLDER
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
git ls-files -z --cached --others --exclude-standard --deduplicate |
  tar --create --null --files-from=- --ignore-failed-read | tar --extract -C "$folder"
# Writes the commit, as `git archive` does; cmake/write_commit.cmake reads it.
git describe --always --exclude='*' --dirty=+ --abbrev=40 >"$folder/cmake/archived_commit.txt"
