#!/usr/bin/env bash
# Runs README's lines that set up, build, test and install, as they stand, in a bare Debian 12, and then
# the demonstration with what they installed. Root; apt's mirror and PyPI; 40 minutes of two cores.
# tests/cli/test_first_screen.py runs the lines behind these.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/bare_root.sh
source tools/bare_root.sh

fail() {
  printf 'test_first_screen: %s\n' "$@" >&2
  exit 1
}

root=
trap 'rm -rf --one-file-system ${root:+"$root"}' EXIT
make_root
# What this machine needs to reach PyPI, if anything.
for file in /etc/pip.conf /etc/ssl/certs/ca-certificates.crt /etc/resolv.conf /usr/local/share/ca-certificates/*; do
  [ ! -f "$file" ] || install -D -m 644 "$file" "$root$file"
done
git clone --quiet . "$root/root/virnucpro"
mapfile -t lines < <(sed -n '/^## /q; s/^    \(make\|mkdir\|export\) /\1 /p' README.md)
[ "${#lines[@]}" -eq 5 ] || fail "README's first screen has ${#lines[@]} such lines:" "${lines[@]}"
mapfile -t pip < <(env | grep '^PIP_' || true)
{
  printf 'set -ex; date\napt-get update\napt-get install -y git make\ncd ~/virnucpro\n'
  printf '%s\ndate\n' "${lines[@]}"
  printf 'cd; virnucpro predict --demo; test -s lambda_predictions/report.html\n'
} >"$root/root/lines"
in_root env HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "${pip[@]}" bash /root/lines
printf 'test_first_screen: README'\''s lines set up, build, test and install in a bare Debian %s\n' \
  "$(cat "$root/etc/debian_version")"
