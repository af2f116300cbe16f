#!/usr/bin/env bash
# Tests the result of `make package`, as a computing centre would use it:
#
#   tools/test_package.sh               unpacked, with no environment, on this system
#   tools/test_package.sh --bare-root   also in a bare Debian 12, as in packaging/virnucpro.def
#                                       (root, apt's mirror, a few minutes; installs debootstrap)
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/bare_root.sh
source tools/bare_root.sh

predict=(predict -e 300 -p synthetic --esm-model synthetic:esm2_tiny
  --dnabert-model synthetic:dnabert-s-tiny --no-progress)
input=$PWD/share/virnucpro/lambda.fa.gz
# What this system may give; the package must contain everything else. For other systems it contains
# these as well, in lib/virnucpro/glibc.
glibc='linux-vdso|ld-linux-x86-64|libc|libm|libmvec|libpthread|libdl|librt|libresolv'

fail() {
  printf 'test_package: %s\n' "$@" >&2
  exit 1
}
passed() { printf 'test_package: %s\n' "$*"; }

bare() { env -i PATH=/nonexistent "$@"; }

# A table without the folder of its input, which sequences.tsv names as it was given.
without_folder() { sed 's|[^[:blank:]]*/lambda\.fa\.gz|lambda.fa.gz|' "$1"; }

# expect_tables FOLDER: it must hold the bytes that the build tree's program writes.
expect_tables() {
  local table
  for table in sequences.tsv lambda_merged/prediction_results.txt \
    lambda_merged/prediction_results_highestscore.csv; do
    cmp <(without_folder "$scratch/expected/$table") <(without_folder "$1/$table") || fail "$1/$table is not what was expected"
  done
}

test_runs_anywhere() {
  mkdir "$scratch/elsewhere"
  ln -s "$package/bin/virnucpro" "$scratch/elsewhere/a link"
  (cd "$scratch/elsewhere" && bare "$package/bin/virnucpro" "${predict[@]}" "$input" -o results -q)
  expect_tables "$scratch/elsewhere/results"
  (cd / && bare "$scratch/elsewhere/a link" "${predict[@]}" "$input" -o "$scratch/linked" -q)
  expect_tables "$scratch/linked"
  passed 'predict gives the same tables, without environment, through a link, from a path with spaces'
}

# Sets `files` to the program and libraries, with or without glibc's.
find_files() {
  mapfile -d '' files < <(find "$package/libexec" "$package/lib" -path "$1" -prune -o \
    -type f \( -perm -100 -o -name '*.so*' \) -print0)
}

test_brings_its_libraries() {
  local files foreign
  find_files '*/glibc'
  foreign=$(bare /usr/bin/ldd "$package/libexec/virnucpro" "$package/lib/libvirnucpro.so" |
    grep -vF -e "$package/libexec/" -e "$package/lib/" | grep -vE "^\s*(/lib64/)?($glibc)\.so" || true)
  [ -z "$foreign" ] || fail 'these libraries are not in the package:' "$foreign"
  ! objdump -p "${files[@]}" | grep -E 'R(UN)?PATH' | grep -v '\$ORIGIN' ||
    fail 'a library is looked for outside the package'
  local needed carried
  needed=$(newest_version "${files[@]}")
  carried=$(newest_version "$package/lib/virnucpro/glibc/libc.so.6")
  [ "$(printf '%s\n' "$needed" "$carried" | sort -V | tail -n 1)" = "$carried" ] ||
    fail "it needs glibc $needed, and carries $carried"
  passed "all libraries are in it; it needs glibc $needed, and carries $carried"
}

newest_version() {
  objdump -T "$@" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -n 1
}

test_starts_with_either_c_library() {
  local loader loaded
  for loader in host carried; do
    loaded=$(bare VIRNUCPRO_LOADER=$loader LD_DEBUG=libs "$package/bin/virnucpro" --version 2>&1)
    [ "$loader" = "$(grep -q "init: $package/lib/virnucpro/glibc/libc.so.6" <<<"$loaded" && echo carried || echo host)" ] ||
      fail "VIRNUCPRO_LOADER=$loader does not take the C library of the $loader"
    bare VIRNUCPRO_LOADER=$loader "$package/bin/virnucpro" "${predict[@]}" --cpu-workers 2 "$input" -o "$scratch/by $loader" -q
    expect_tables "$scratch/by $loader"
  done
  passed "predict gives the same tables with the host's C library and the carried one, in worker processes too"
}

# libcurl is opened at run time: without it, or one of its libraries, no request could fail.
test_downloads() {
  ! "$@" download 300 --retries 0 >"$scratch/log" 2>&1 || fail 'a download from nowhere succeeds'
  grep -q 'Failed to connect to 127.0.0.1 port 1' "$scratch/log" || fail "$(cat "$scratch/log")"
  passed 'download has its libcurl'
}

# Of CUDA the package needs only the system's driver, which is loaded at run time.
test_needs_no_cuda() {
  local files
  find_files ''
  ! objdump -p "${files[@]}" | grep -E 'NEEDED +lib(cu(da|blas|fft|rand|solver|sparse|pti)|nv)' || fail 'it needs libraries of CUDA'
  local cuda
  cuda=$(bare "$package/bin/virnucpro" -v --version | sed -n 's/^CUDA: //p')
  if [ "$cuda" = 'not built in' ]; then
    grep -q 'built without CUDA' "$package/README" || fail 'README does not say that it has no CUDA'
  else
    grep -qF "${cuda#*, for }" "$package/README" || fail "README does not ask for ${cuda#*, for }"
  fi
  bare "$package/bin/virnucpro" utils list-devices >"$scratch/log" || fail "$(cat "$scratch/log")"
  passed "it needs no library of CUDA; CUDA: $cuda"
}

test_names_no_build_path() {
  ! grep -rlF "$PWD" "$package" || fail "these files name the folder they were built in"
  passed 'no file names the folder it was built in'
}

# scores FRAME-TABLE: id, call and scores, the latter as 32 bits.
scores() {
  /usr/bin/python3 - "$1" <<'END'
import struct, sys
for line in open(sys.argv[1]):
    name, call, *scores = line.split("\t")[:4]
    if name != "Sequence_ID":
        print(name, call, *(struct.pack(">f", float(score)).hex() for score in scores))
END
}

# expect_refusal COMMAND ...: it must fail, and print one line.
expect_refusal() {
  ! bare "$@" >"$scratch/log" 2>&1 || fail "this was not refused: $*"
  [ "$(wc -l <"$scratch/log")" -eq 1 ] || fail "$* says:" "$(cat "$scratch/log")"
}

# test_library WHAT PREFIX: the example, built with the installation there, gives the same bits.
test_library() {
  local build="$scratch/example of the $1" prefix=$2
  cmake -S "$prefix/share/doc/virnucpro/examples/embed_and_classify" -B "$build" --log-level=WARNING \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wpedantic -Werror' >/dev/null
  cmake --build "$build" >"$scratch/log" || fail "$(tail "$scratch/log")"
  gzip -dc "$input" >"$build/lambda.fa"
  bare "$build/embed_and_classify" "$build/lambda.fa" >"$build/rows"
  cmp <(scores "$build/rows") <(scores "$scratch/expected/lambda_merged/prediction_results.txt") ||
    fail "the example of the $1 does not give the program's scores"
  # These are its own when none are named.
  bare "$build/embed_and_classify" "$build/lambda.fa" synthetic:dnabert-s-tiny synthetic:esm2_tiny synthetic |
    cmp - "$build/rows" || fail "the example of the $1 does not take models"
  expect_refusal "$build/embed_and_classify" "$input"
  expect_refusal "$build/embed_and_classify" "$build"
  expect_refusal "$build/embed_and_classify" "$build/absent"
  expect_refusal "$build/embed_and_classify" "$build/lambda.fa" model
  passed "the example, built with the $1, gives the program's scores"
}

test_exports_nothing_else() {
  ! nm --dynamic --defined-only --demangle "$package/lib/libvirnucpro.so" |
    grep -vE '^[0-9a-f]+ [TVW] (typeinfo for |typeinfo name for |vtable for )?virnucpro::(Models|Exception|version)\b' ||
    fail 'the library exports more than its interface'
  passed 'the library exports its interface alone'
}

# licence_of ROW: a row of the list ends in the package's name and version.
licence_of() {
  local package_and_version=${1##*, }
  printf '%s' "$package/share/doc/virnucpro/third-party/${package_and_version%% *}.txt"
}

test_carries_licences() {
  local list=$package/share/doc/virnucpro/third-party/README library row
  while read -r library; do
    row=$(grep "^$library	" "$list") || fail "$library has no licence"
    [ -s "$(licence_of "$row")" ] || fail "the licence of $library is empty"
  done < <(cd "$package/lib/virnucpro" && find . -type f -printf '%P\n')
  while read -r row; do
    [ -s "$(licence_of "$row")" ] || fail "this has no licence: $row"
  done < <(grep -F '(compiled in)	' "$list")
  passed "the licence of every library and of all that is compiled in is in it"
}

test_packs_the_same() {
  (umask 077 && tools/package.sh "$scratch/again" >"$scratch/log") || fail "$(tail "$scratch/log")"
  cmp "$tarball" "$scratch/again/$(basename "$tarball")" || fail 'packed again it has other bytes, or dist/ is older than the sources'
  passed 'packed again, it has the same bytes'
}

# section NAME: a section of the Apptainer recipe.
section() { sed -n "/^%$1\$/,/^%/{/^%/!p}" packaging/virnucpro.def; }

test_bare_root() {
  make_root
  # As Apptainer does: %files, %post, %test, %runscript.
  cp "$tarball" "$root/opt/"
  in_root sh -c "$(section post)"
  in_root sh -c "$(section test)"
  cp "$input" "$root/tmp/"
  in_root sh -c "$(section runscript)" virnucpro "${predict[@]}" /tmp/lambda.fa.gz -o /tmp/results -q
  expect_tables "$root/tmp/results"
  passed "predict gives the same tables in a bare Debian $(cat "$root/etc/debian_version")"
  test_downloads in_root env HOME=/root VIRNUCPRO_GITHUB_URL=http://127.0.0.1:1 /opt/virnucpro/bin/virnucpro
  test_downloads_and_predicts
}

# From a hub of the tests' own, with the system's certificates: two commands, and no flag.
test_downloads_and_predicts() {
  local hub=$scratch/hub process environment
  python3 tests/cli/model_hub.py "$package/bin/virnucpro" "$hub" &
  process=$!
  until [ -s "$hub/environment" ]; do
    kill -0 "$process" || fail 'the hub of the tests does not run: is nginx there (tools/setup.sh check)?'
    sleep 0.1
  done
  mapfile -t environment <"$hub/environment"
  mkdir -p "$root/etc/ssl/certs"
  cp "$hub/ca.pem" "$root/etc/ssl/certs/ca-certificates.crt"
  cp "$hub/models.json" "$root/opt/virnucpro/share/virnucpro/"
  in_root env HOME=/root PATH=/opt/virnucpro/bin:/usr/bin:/bin "${environment[@]}" \
    sh -c 'cd /tmp && virnucpro download all && virnucpro predict lambda.fa.gz' >"$scratch/log" 2>&1 ||
    fail "$(cat "$scratch/log")"
  kill "$process"
  wait "$process" || true
  [ -s "$root/tmp/lambda_predictions/sequences.tsv" ] || fail 'predict finds the models, and writes no tables'
  passed 'download all, then predict without a flag, write tables there'
}

version=$(build/package/bin/virnucpro --version | cut -d ' ' -f 2) || fail 'run make package first'
tarball=$PWD/dist/virnucpro-$version-linux-x64.tar.gz
scratch=$(mktemp -d -t 'virnucpro package.XXXXXX')
root=
trap 'rm -rf --one-file-system "$scratch" ${root:+"$root"}' EXIT
tar -xzf "$tarball" -C "$scratch"
package=$scratch/virnucpro-$version-linux-x64
build/package/bin/virnucpro "${predict[@]}" "$input" -o "$scratch/expected" -q
[ "$(wc -l <"$scratch/expected/lambda_merged/prediction_results.txt")" -gt 100 ] || fail 'lambda has no frames'

test_runs_anywhere
test_brings_its_libraries
test_starts_with_either_c_library
test_downloads bare HOME="$scratch" VIRNUCPRO_GITHUB_URL=http://127.0.0.1:1 "$package/bin/virnucpro"
test_needs_no_cuda
test_names_no_build_path
test_carries_licences
test_exports_nothing_else
test_library package "$package"
env -u DESTDIR cmake --install build/package --prefix "$scratch/installed" >/dev/null
test_library installation "$scratch/installed"
test_packs_the_same
case "${1:-}" in
  --bare-root) test_bare_root ;;
  '') ;;
  *) fail 'usage: tools/test_package.sh [--bare-root]' ;;
esac
